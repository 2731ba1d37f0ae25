"""The day documents of one chat of Discord: messages of one time stand in the order of their ids. Pure."""

from __future__ import annotations

from datetime import datetime

from ...chats.day_documents import Links
from ...chats.ordered_days import Message, OrderedDays

SOURCE = "discord"


def chat_days(chat: str, user: str, metadata: dict[str, str], links: Links) -> OrderedDays:
    """Takes messages in any order; exports may begin with the newest one."""
    return OrderedDays(SOURCE, chat, user, metadata, place=_place, links=links)


def _place(message: Message) -> tuple[datetime, int, str]:
    """Ids are numbers that grow."""
    own: str = message["id"]
    return message["time"], len(own), own
