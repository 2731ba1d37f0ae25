"""Wall-clock times of one file as instants: their zone, and which of two equal hours is meant when clocks go back. Pure."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone, tzinfo

from ...schemas.times import localise

_CACHE_LIMIT = 20_000


class LocalTimes:
    """Gives wall-clock times of one file their zone, in the order of the file, which decides the hour that comes twice."""

    def __init__(self, zone: tzinfo) -> None:
        self._zone = zone
        self._days: dict[date, timezone | None] = {}
        self._last: datetime | None = None
        self._second_pass: date | None = None

    def offset_of_day(self, day: date) -> timezone | None:
        """Return the offset of a whole day, or None if the clock changes on it."""
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

    def at(self, naive: datetime) -> datetime:
        """Return a time of any day with its offset."""
        offset = self.offset_of_day(naive.date())
        return naive.replace(tzinfo=offset) if offset is not None else self.localise(naive)

    def localise(self, naive: datetime) -> datetime:
        """Return a time on a day when the clock changes. Of two equal hours it is the second one once the times went
        back by up to an hour.

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
