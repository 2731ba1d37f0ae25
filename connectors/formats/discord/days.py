"""Builds the day documents of one Discord chat; messages of the same time are ordered by their ids. Pure."""

from __future__ import annotations

from datetime import datetime

from ...chats.day_documents import Links
from ...chats.ordered_days import Message, OrderedDays

SOURCE = "discord"


def chat_days(chat: str, user: str, metadata: dict[str, str], links: Links) -> OrderedDays:
    """Return the day documents of a chat; it takes messages in any order, as exports may begin with the newest one."""
    return OrderedDays(SOURCE, chat, user, metadata, place=_place, links=links)


def _place(message: Message) -> tuple[datetime, int, str]:
    """Return the sort key of a message; ids are numbers that grow, so a longer id is a later one."""
    message_id: str = message["id"]
    return message["time"], len(message_id), message_id
