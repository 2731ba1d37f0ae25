"""The day documents of one chat from messages in any order: the oldest first, the newest first, or with stragglers."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator
from datetime import datetime
from itertools import compress, count, pairwise
from operator import ge, gt, le, lt, ne
from typing import Any, cast

from ...schemas import Rejected
from ...schemas.times import GO_ZERO_TIME
from ..connector import Record
from ..opening.limits import MESSAGE_CAP, MESSAGE_TOO_LARGE, is_too_large
from ..record_faults import Failure, attempt
from .day_documents import DayDocuments, Links, Message

Place = Callable[[Message], Any]
"""The sort key of the messages of a day; it is the time, or a tuple that begins with the time."""

_SHORT = MESSAGE_CAP // 4
"""The characters of a message that is certainly not too large."""
_REMEMBERED = 100_000
"""Ids of one day among which a double is looked for."""


def time_of(message: Message) -> datetime:
    """Return the sort key of messages that have only a time."""
    return message["time"]


class OrderedDays:
    """Collects messages one by one and yields days in which they are sorted by time."""

    def __init__(
        self,
        source: str,
        chat: str,
        user: str,
        metadata: dict[str, str],
        *,
        place: Place = time_of,
        newest_first: bool = False,
        once: bool = False,
        links: Links | None = None,
    ) -> None:
        """Start a chat.

        Args:
            source: the source's name.
            chat: the chat's key.
            user: who exported.
            metadata: of each document, beside the key.
            place: what the messages of a day are ordered by.
            newest_first: of two messages of the same place, the one that comes later is the older one.
            once: of messages with the same id on a day that is open, the first alone is kept, and ``doubled`` counts.
            links: what is known of a name beside it, as of `DayDocuments`.
        """
        self._days = DayDocuments(source, chat, user, {"chat": chat, **metadata}, links)
        self._date: object = None
        self._place = place
        self._bisect = bisect_left if newest_first else bisect_right
        # A message is placed after others of the same time, or before them if the newest come first. So a run with
        # rising (or falling) times keeps its order; equal times keep it only in that direction, and only if the place
        # is the time alone.
        alone = place is time_of
        self._rise, self._fall = le if alone and not newest_first else lt, ge if alone and newest_first else gt
        self._ids: dict[str, set[str]] | None = {} if once else None
        # The messages and characters added since the days' size was last checked, and the numbers allowed until the
        # next check.
        self._came = self._text = 0
        self._room, self._text_room = self._days.room()
        self.doubled = 0

    def held(self) -> int:
        """Return the size of the open days, as `DayDocuments.held`."""
        return self._days.held()

    def add(self, message: Message, locator: str, index: int | None = None) -> Iterable[Record]:
        """Add a message; return the records of complete days. The result is nearly always empty, and then no generator
        is made.

        Args:
            message: what ``ConversationMessage`` validates.
            locator: where it stands; or what stands before its ``index`` there.
            index: where it is one of many whose places are hardly ever told.
        """
        content: str = message["content"]
        time: datetime = message["time"]
        size = len(content)
        reason = ""
        if size * 4 > MESSAGE_CAP and is_too_large(content):
            reason = MESSAGE_TOO_LARGE
        elif time.year == 1 and time == GO_ZERO_TIME:  # which documents take for no time at all
            reason = "a message without a time that can be read"
        if reason:
            return (Rejected(locator=locator if index is None else f"{locator}{index}", reason=reason),)
        days = self._days
        over: list[Record] | None = None
        date = time.date()
        if date != self._date:
            self._date = date
            over = [*days.start_day(date.isoformat())]
        if self._ids is not None and self._is_known(self._ids, message):
            self.doubled += 1
            return over or ()
        self._came += 1
        self._text += size
        if self._came >= self._room or self._text >= self._text_room:
            if flushed := [*days.flush_large_day(self._text)]:
                over = [*(over or ()), *flushed]
            self._came = self._text = 0
            self._room, self._text_room = days.room()
        day = days.day_messages
        if not day or time > day[-1]["time"]:
            day.append(message)
        elif time < day[0]["time"]:
            day.insert(0, message)
        else:
            day.insert(self._bisect(day, self._place(message), key=self._place), message)
        return over or ()

    def add_all(self, entries: Iterable[Message | str], before_index: str, index: int) -> Iterator[Record]:
        """Add many messages that follow each other, as `add` does; yield the records, and rejections for those that
        failed.

        Args:
            entries: messages, or why there is none.
            before_index: what stands before the index where each stands.
            index: that of the first.
        """
        messages = [*entries]
        days = [each["time"].date() if type(each) is dict else None for each in messages]
        changes = compress(count(1), map(ne, days, days[1:]))
        for begin, end in pairwise([0, *changes, len(messages)]):
            place = begin
            while place < end:
                message = messages[place]
                if isinstance(message, str):
                    yield Rejected(locator=f"{before_index}{index + place}", reason=message)
                else:
                    added = attempt(self.add, message, before_index, index + place)
                    if isinstance(added, Failure):
                        added = (Rejected(locator=f"{before_index}{index + place}", reason=added),)
                    yield from added
                place += 1
                if place == begin + 1 and days[begin] is not None and days[begin] == self._date:
                    place += self._put(cast("list[Message]", messages[place:end]))

    def _put(self, messages: list[Message]) -> int:
        """Put messages of the current day into it if each is younger, or older, than all before it; how many were.

        That is nearly always all or none, and nothing else is looked at for these.
        """
        day = self._days.day_messages
        times: list[datetime] = [message["time"] for message in messages]
        sizes = [len(message["content"]) for message in messages]
        came, text = self._came + len(messages), self._text + sum(sizes)
        if not messages or not day or times[0].year == 1:  # in which lies the time that means none
            return 0
        if max(sizes) >= _SHORT or came >= self._room or text >= self._text_room:
            return 0
        rising = self._rise(day[-1]["time"], times[0]) and all(map(self._rise, times, times[1:]))
        if not rising and not (self._fall(day[0]["time"], times[0]) and all(map(self._fall, times, times[1:]))):
            return 0
        if self._ids is not None and not self._know_all(self._ids, [message.get("id") for message in messages]):
            return 0
        if rising:
            day += messages
        else:
            day[:0] = messages[::-1]
        self._came, self._text = came, text
        return len(messages)

    def _is_known(self, ids: dict[str, set[str]], message: Message) -> bool:
        message_id: str | None = message.get("id")
        if message_id is None:
            return False
        today = self._known_today(ids)
        if message_id in today:
            return True
        if len(today) >= _REMEMBERED:
            today.clear()
        today.add(message_id)
        return False

    def _know_all(self, ids: dict[str, set[str]], owns: Collection[str | None]) -> bool:
        """Record the ids of messages of the current day if all messages have a new one; otherwise record nothing and
        return False.
        """
        distinct, ids_of_day = {*owns}, self._known_today(ids)
        if not distinct or None in distinct or len(distinct) < len(owns) or not ids_of_day.isdisjoint(distinct):
            return False
        if len(ids_of_day) + len(distinct) > _REMEMBERED:
            return False
        ids_of_day |= cast("set[str]", distinct)
        return True

    def _known_today(self, ids: dict[str, set[str]]) -> set[str]:
        """Return the ids of the current day; those of days already given out are forgotten."""
        days = self._days
        ids_of_day = ids.get(days.current)
        if ids_of_day is None:
            for gone in ids.keys() - days.open_days:
                del ids[gone]
            ids_of_day = ids[days.current] = set()
        return ids_of_day

    def close(self) -> Iterator[Record]:
        """Yield the records of all open days."""
        yield from self._days.close()
