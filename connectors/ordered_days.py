"""The day documents of one chat from messages in any order: the oldest first, the newest first, or with stragglers."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from ..schemas import Rejected
from ..schemas.times import GO_ZERO_TIME
from .connector import Record
from .day_documents import DayDocuments

MESSAGE_CAP = 16 * 1024 * 1024
"""Bytes of one message's content."""

Message = dict[str, Any]


class OrderedDays:
    """Takes messages one by one and gives out days in which they stand by their times."""

    def __init__(
        self, source: str, chat: str, user: str, metadata: dict[str, str], *, newest_first: bool = False
    ) -> None:
        """``newest_first``: of two messages of the same time, the one that comes later is the older one."""
        self._days = DayDocuments(source, chat, user, {"chat": chat, **metadata})
        self._date: object = None
        self._place = bisect_left if newest_first else bisect_right

    def add(self, message: Message, locator: str) -> Iterator[Record]:
        """Take a message; gives out days that are over."""
        content: str = message["content"]
        if len(content) * 4 > MESSAGE_CAP and len(content.encode("utf-8", "surrogatepass")) > MESSAGE_CAP:
            yield Rejected(locator=locator, reason=f"more than {MESSAGE_CAP} bytes in one message")
            return
        time: datetime = message["time"]
        if time == GO_ZERO_TIME:  # which documents take for no time at all
            yield Rejected(locator=locator, reason="a message without a time that can be read")
            return
        date = time.date()
        if date != self._date:
            self._date = date
            yield from self._days.start_day(date.isoformat())
        else:
            yield from self._days.flush_large_day(len(content))
        day = self._days.day_messages
        if not day or time > day[-1]["time"]:
            day.append(message)
        elif time < day[0]["time"]:
            day.insert(0, message)
        else:
            day.insert(self._place(day, time, key=_time), message)

    def close(self) -> Iterator[Record]:
        """What is still open."""
        yield from self._days.close()


def _time(message: Message) -> datetime:
    return message["time"]
