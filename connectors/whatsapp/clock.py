"""Wall-clock times: a header's time text as seconds of the day, and the zone that makes it an instant. Pure."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta, timezone, tzinfo

from ...schemas.times import localise
from .locales import DayPart, fold_period

_NUMBERS = re.compile(r"\d+")
_CACHE_LIMIT = 20_000


def hour_of_day(hour: int, part: DayPart | None) -> int:
    """An hour of the twelve-hour clock on the clock of 24. 12 AM is 0; noon's 12 stays; the evening's 12 is 0."""
    if part is None or hour > 12:
        return hour
    if part == "am":
        return hour % 12
    if part == "pm":
        return hour % 12 + 12
    if part == "noon":
        return hour if hour >= 10 else hour + 12
    return hour % 12 + (12 if hour % 12 > 4 else 0)


class Clock:
    """Reads time texts; remembers them, because a chat of minutes has at most 1,440."""

    def __init__(self, periods: dict[str, DayPart]) -> None:
        self._periods = sorted(periods.items(), key=lambda item: -len(item[0]))
        self.seen: dict[str, tuple[int, int, int] | None] = {}
        """What was read, for a reader that cannot spend a call on each message."""

    def read(self, text: str) -> tuple[int, int, int] | None:
        """Hour, minute, second; None when the clock never shows that."""
        try:
            return self.seen[text]
        except KeyError:
            pass
        if len(self.seen) >= _CACHE_LIMIT:
            self.seen.clear()
        found = self._read(text)
        self.seen[text] = found
        return found

    def _read(self, text: str) -> tuple[int, int, int] | None:
        part: DayPart | None = None
        if self._periods:
            folded = fold_period(text)
            part = next((p for word, p in self._periods if word in folded), None)
        found = [int(number) for number in _NUMBERS.findall(text)]
        hour, minute, second = hour_of_day(found[0], part), found[1], found[2] if len(found) > 2 else 0
        return (hour, minute, second) if hour < 24 and minute < 60 and second < 60 else None


class LocalTimes:
    """Gives wall-clock times of one file their zone, in the order of the file, which decides the hour that comes twice."""

    def __init__(self, zone: tzinfo) -> None:
        self._zone = zone
        self._days: dict[date, timezone | None] = {}
        self._last: datetime | None = None
        self._second_pass: date | None = None

    def offset_of_day(self, day: date) -> timezone | None:
        """The one offset of a whole day, or None when the clock changes on it."""
        try:
            return self._days[day]
        except KeyError:
            pass
        if len(self._days) >= _CACHE_LIMIT:
            self._days.clear()
        start, end = datetime(day.year, day.month, day.day), datetime(day.year, day.month, day.day, 23, 59, 59)  # noqa: DTZ001
        shown = {localise(t, self._zone, fold=f).utcoffset() for t in (start, end) for f in (0, 1)}
        ok = len(shown) == 1
        fixed = localise(start, self._zone).tzinfo if ok else None
        if ok and localise(start, self._zone).replace(tzinfo=None) != start:
            fixed = None  # local mean time with seconds in its offset moves the wall clock: per message
        self._days[day] = fixed if isinstance(fixed, timezone) else None
        return self._days[day]

    def localise(self, naive: datetime) -> datetime:
        """A time on a day when the clock changes: the second of two equal hours once the times went back by up to an hour.

        A step back of less than a minute is a message that arrived late, not a clock that was set back. A time that
        the clock skipped keeps its wall clock.
        """
        first, second = localise(naive, self._zone, fold=0), localise(naive, self._zone, fold=1)
        last, self._last = self._last, naive
        before, after = first.utcoffset(), second.utcoffset()
        if before is None or after is None or before <= after:
            return first
        if (
            last is not None
            and timedelta(minutes=1) <= last - naive <= timedelta(hours=1)
            and last.date() == naive.date()
        ):
            self._second_pass = naive.date()
        return second if self._second_pass == naive.date() else first
