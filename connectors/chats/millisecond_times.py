"""Times in milliseconds since 1970, of millions of messages in one zone. Pure."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import cast

from ..times.instants import instant_of
from ..times.zone_offsets import ZoneOffsets

USUAL = range(10**11, 4 * 10**12)
"""The usual range, from 1973 to 2096."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


class MillisecondTimes:
    """Reads the times of one chat in one zone."""

    def __init__(self, zone: tzinfo) -> None:
        self._zone = zone
        self.offsets = ZoneOffsets(zone)

    def instant(self, value: object) -> tuple[datetime, int] | None:
        """Return a time with a fixed offset, and its milliseconds since 1970; None if the value is no time.

        Args:
            value: milliseconds, also as text; older exports have seconds.
        """
        if type(value) is not int or value not in USUAL:
            instant = instant_of(value, self._zone)
            return None if instant is None else (instant, (instant - _EPOCH) // _MILLISECOND)
        return datetime.fromtimestamp(value / 1000, self.offsets.at(value // 1000)), value

    def offset_of_all(self, values: Collection[object]) -> timezone | None:
        """Return the common offset of many usual times; None if they differ in it, or span more than a few days."""
        if {*map(type, values)} != {int}:
            return None
        numbers = cast("Collection[int]", values)
        first, last = min(numbers), max(numbers)
        if first not in USUAL or last not in USUAL:
            return None
        return self.offsets.between(first // 1000, last // 1000)
