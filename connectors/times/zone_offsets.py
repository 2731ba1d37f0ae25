"""The UTC offset of a zone at an instant, cached by the day: there are millions of messages. Pure."""

from __future__ import annotations

from datetime import UTC, datetime, timezone, tzinfo
from functools import lru_cache
from math import floor

from ...schemas.times import fixed_offset

DAY = 86_400
"""Seconds."""
_KNOWN = 10_000
_MOST_DAYS = 1_000
USUAL_YEARS = range(1973, 2097)
"""The years in which every instant is within the range of every calendar and clock."""


class ZoneOffsets:
    """The offsets of one zone, in whole minutes."""

    __slots__ = ("_days", "_zone", "of_day")

    def __init__(self, zone: tzinfo) -> None:
        self._zone = zone
        self._days: dict[int, timezone] = {}
        self.of_day = self._days.get
        """By the number of a day since 1970 its offset, if it has one from its first second in UTC to its last, and is
        known: for loops that have no time to call `at` for each message.
        """

    def at(self, seconds: int) -> timezone:
        """Return the offset at an instant.

        Args:
            seconds: since 1970, rounded down.

        Raises:
            ValueError: no calendar has the instant, or its day.
            OverflowError: neither.
            OSError: neither.
        """
        return self._days.get(seconds // DAY) or self._found(seconds)

    def between(self, first: int, last: int) -> timezone | None:
        """Return the offset on all days from that of one instant to that of another; None if it is not the same, or if
        they are too many.

        Args:
            first: seconds since 1970, rounded down, in a usual year.
            last: not before it.
        """
        if last - first > _MOST_DAYS * DAY:
            return None
        offset = self.at(first)
        for day in range(first // DAY, last // DAY + 1):
            if self.of_day(day) is not offset and not self._is_all_day(day, offset):
                return None
        return offset

    def _is_all_day(self, day: int, offset: timezone) -> bool:
        self.at(day * DAY)  # from now on that of the whole day is known, if it has one
        return self.of_day(day) == offset

    def _found(self, seconds: int) -> timezone:
        begin = seconds - seconds % DAY
        offset = self._offset(seconds)
        if self._offset(begin) == offset == self._offset(begin + DAY - 1):
            if len(self._days) >= _KNOWN:
                self._days.clear()
            self._days[seconds // DAY] = offset
        return offset

    def _offset(self, seconds: int) -> timezone:
        zone = fixed_offset(datetime.fromtimestamp(seconds, self._zone)).tzinfo
        return zone if isinstance(zone, timezone) else timezone.utc  # noqa: UP017 - the same object, typed


offsets_of = lru_cache(maxsize=16)(ZoneOffsets)
"""Return the offsets of a zone, shared by all its readers."""


def in_zone(time: datetime, zone: tzinfo) -> datetime:
    """Return a time with a zone as the clocks of another zone show it, with a fixed offset.

    Raises:
        ValueError: the other has no name for it.
        OverflowError: neither.
    """
    if zone is UTC:
        return time if time.tzinfo is UTC else time.astimezone(UTC)
    if time.year in USUAL_YEARS:
        return time.astimezone(offsets_of(zone).at(floor(time.timestamp())))
    return fixed_offset(time.astimezone(zone))
