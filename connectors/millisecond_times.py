"""Times that are milliseconds since 1970, of millions of messages in one zone. Pure."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone, tzinfo

from .json_fields import instant_of
from .zone_offsets import DAY, ZoneOffsets

USUAL = range(10**11, 4 * 10**12)
"""From 1973 to 2096."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


class MillisecondTimes:
    """Reads the times of one chat in one zone."""

    def __init__(self, zone: tzinfo) -> None:
        self._zone = zone
        self.offsets = ZoneOffsets(zone)

    def instant(self, value: object) -> tuple[datetime, int] | None:
        """A time with a fixed offset, and its milliseconds since 1970; None where there is none.

        Args:
            value: milliseconds, also as text; older exports have seconds.
        """
        if type(value) is not int or value not in USUAL:
            found = instant_of(value, self._zone)
            return None if found is None else (found, (found - _EPOCH) // _MILLISECOND)
        return datetime.fromtimestamp(value / 1000, self.offsets.at(value // 1000)), value

    def day(self, value: int) -> tuple[int, int, timezone]:
        """The milliseconds from which and up to which a usual time's day goes, and the offset that all of it has: for loops
        that have no time to ask for each message. None lie between them where there is no such offset.
        """
        number = value // 1000 // DAY
        if value in USUAL and self.offsets.at(value // 1000) is self.offsets.of_day(number):
            begin, end = number * DAY * 1000, (number + 1) * DAY * 1000
            return max(begin, USUAL.start), min(end, USUAL.stop), self.offsets.at(value // 1000)
        return 0, 0, UTC
