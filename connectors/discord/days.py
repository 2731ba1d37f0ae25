"""The day documents of one chat of Discord, whatever the order of its messages. Pure."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from ...schemas import ConversationDocument, Rejected
from ..connector import Record
from ..day_documents import DayDocuments

SOURCE = "discord"
MESSAGE_CAP = 16 * 1024 * 1024
"""Bytes of one message's content."""

Message = dict[str, Any]


class ChatDays:
    """Takes messages one by one and gives out days; exports may begin with the newest message."""

    def __init__(self, chat: str, user: str, metadata: dict[str, str]) -> None:
        self._days = DayDocuments(SOURCE, chat, user, {"chat": chat, **metadata})
        self._date: object = None

    def add(self, message: Message, locator: str) -> Iterator[Record]:
        """Take a message; gives out days that are over."""
        content: str = message["content"]
        if len(content) * 4 > MESSAGE_CAP and len(content.encode("utf-8", "surrogatepass")) > MESSAGE_CAP:
            yield Rejected(locator=locator, reason=f"more than {MESSAGE_CAP} bytes in one message")
            return
        time: datetime = message["time"]
        date = time.date()
        if date != self._date:
            self._date = date
            yield from self._days.start_day(date.isoformat())
        else:
            yield from self._days.flush_large_day(len(content))
        day = self._days.day_messages
        if day and time < day[-1]["time"]:
            insort(day, message, key=_place)
        else:
            day.append(message)

    def close(self) -> Iterator[ConversationDocument]:
        """What is still open."""
        yield from self._days.close()


def _place(message: Message) -> tuple[datetime, int, str]:
    own: str = message["id"]
    return message["time"], len(own), own
