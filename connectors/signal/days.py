"""The day documents of many chats at once, whose messages come mixed, in bounded memory. Pure."""

from __future__ import annotations

from bisect import insort
from collections.abc import Generator, Iterator
from datetime import datetime
from typing import Any

from ...schemas import Rejected
from ..connector import Record
from ..day_documents import DayDocuments

SOURCE = "signal"
MESSAGE_CAP = 16 * 1024 * 1024
"""Bytes of one message's content."""
OPEN_CHATS = 200
"""Chats whose last days stay open; of the others a further message makes one more document with the same id."""

Message = dict[str, Any]


class MixedDays:
    """Takes messages one by one and gives out days."""

    def __init__(self, user: str) -> None:
        self._user = user
        self._open: dict[str, _ChatDays] = {}
        self.doubled = 0
        """How many messages stood twice in a day."""

    def add(self, chat: str, metadata: dict[str, str], message: Message, locator: str) -> Iterator[Record]:
        """Take a message; gives out days that are over.

        Args:
            chat: the chat's key.
            metadata: for its documents; counts when the chat is opened.
            message: what ``ConversationMessage`` validates.
            locator: where it stands.
        """
        content: str = message["content"]
        if len(content) * 4 > MESSAGE_CAP and len(content.encode("utf-8", "surrogatepass")) > MESSAGE_CAP:
            yield Rejected(locator=locator, reason=f"more than {MESSAGE_CAP} bytes in one message")
            return
        days = self._open.pop(chat, None) or _ChatDays(DayDocuments(SOURCE, chat, self._user, metadata))
        self._open[chat] = days  # last in the order of use
        if len(self._open) > OPEN_CHATS:
            oldest = next(iter(self._open))
            yield from self._open.pop(oldest).days.close()
        if (yield from days.add(message)):
            self.doubled += 1

    def close(self) -> Iterator[Record]:
        """What is still open."""
        for days in self._open.values():
            yield from days.days.close()
        self._open = {}


class _ChatDays:
    """One chat's days."""

    def __init__(self, days: DayDocuments) -> None:
        self.days = days
        self._date = ""
        self._ids: set[str] = set()

    def add(self, message: Message) -> Generator[Record, None, bool]:
        """Take a message; returns whether it was there already."""
        time: datetime = message["time"]
        date = time.date().isoformat()
        if date != self._date:
            self._date = date
            self._ids = set()
            yield from self.days.start_day(date)
        else:
            yield from self.days.flush_large_day(len(message["content"]))
        own: str | None = message.get("id")
        if own is not None:
            if own in self._ids:
                return True
            self._ids.add(own)
        day = self.days.day_messages
        if day and time < day[-1]["time"]:
            insort(day, message, key=lambda each: each["time"])
        else:
            day.append(message)
        return False
