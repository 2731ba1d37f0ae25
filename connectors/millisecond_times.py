"""Times that are milliseconds since 1970, of millions of messages in one zone. Pure."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone, tzinfo

from ..schemas.times import fixed_offset
from .json_fields import instant_of

_QUARTER = 900_000
"""Milliseconds in which no clock changes its offset: they change at quarters of an hour."""
_USUAL = range(10**11, 4 * 10**12)
"""From 1973 to 2096."""
_KNOWN = 100_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


class MillisecondTimes:
    """Reads the times of one chat in one zone."""

    def __init__(self, zone: tzinfo) -> None:
        self._zone = zone
        self._offsets: dict[int, timezone] = {}

    def instant(self, value: object) -> tuple[datetime, int] | None:
        """A time with a fixed offset, and its milliseconds since 1970; None where there is none.

        Args:
            value: milliseconds, also as text; older exports have seconds.
        """
        if type(value) is not int or value not in _USUAL:
            found = instant_of(value, self._zone)
            return None if found is None else (found, (found - _EPOCH) // _MILLISECOND)
        offset = self._offsets.get(value // _QUARTER)
        if offset is None:
            shown = fixed_offset(datetime.fromtimestamp(value / 1000, self._zone))
            offset = timezone(shown.utcoffset() or timedelta())
            if len(self._offsets) < _KNOWN:
                self._offsets[value // _QUARTER] = offset
        return datetime.fromtimestamp(value / 1000, offset), value
