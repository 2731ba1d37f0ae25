"""Times of an export: seconds since 1970 in newer ones, the wall clock of the exporter's machine in older ones."""

from __future__ import annotations

from datetime import MAXYEAR, MINYEAR, datetime, timezone, tzinfo

from ...schemas import ZoneOrigin
from ...schemas.times import fixed_offset, localise
from .values import integer_of

_QUARTER = 900
"""Seconds in which no clock changes its offset: they change at quarters of an hour."""
_KNOWN = 10_000


class Times:
    """Reads the times of one source."""

    def __init__(self, zone: tzinfo, origin: ZoneOrigin) -> None:
        self.zone = zone
        self.origin: ZoneOrigin = origin
        self.assumed = False
        """Whether a time without a zone was met, and the given one was taken."""
        self._offsets: dict[int, timezone] = {}

    def instant(self, seconds: object, wall: object) -> tuple[datetime, ZoneOrigin] | None:
        """A time and where its zone comes from; None where there is none, or none that any calendar has."""
        number = integer_of(seconds)
        try:
            if number is not None:
                offset = self._offsets.get(number // _QUARTER) or self._offset(number)
                time, origin = datetime.fromtimestamp(number, offset), "explicit"
            else:
                time, origin = self._wall(wall)
        except (ValueError, OverflowError, OSError):
            return None
        # The first and the last year cannot be shown in every zone, and a zero stands for no time.
        return (time, origin) if MINYEAR < time.year < MAXYEAR else None

    def _wall(self, wall: object) -> tuple[datetime, ZoneOrigin]:
        read = datetime.fromisoformat(wall if isinstance(wall, str) else "")
        if read.tzinfo is not None:
            return fixed_offset(read.astimezone(self.zone)), "explicit"
        self.assumed = True
        return localise(read, self.zone), self.origin

    def _offset(self, seconds: int) -> timezone:
        if len(self._offsets) >= _KNOWN:
            self._offsets.clear()
        zone = fixed_offset(datetime.fromtimestamp(seconds, self.zone)).tzinfo
        offset = zone if isinstance(zone, timezone) else timezone.utc  # noqa: UP017 - the same object, typed
        self._offsets[seconds // _QUARTER] = offset
        return offset
