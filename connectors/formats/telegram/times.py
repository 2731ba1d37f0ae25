"""Times of an export: seconds since 1970 in newer ones, the local time of the exporting machine in older ones."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import MAXYEAR, MINYEAR, datetime, tzinfo
from itertools import repeat
from typing import cast

from ....schemas import ZoneOrigin
from ....schemas.times import fixed_offset, localise
from ...times.local_times import LocalTimes
from ...times.zone_offsets import ZoneOffsets
from .values import integer_of

_DIGITS = 10
"""The number of digits of seconds since 1970, from 2001 to 2286."""


class Times:
    """Parses the times of one source."""

    def __init__(self, zone: tzinfo, origin: ZoneOrigin) -> None:
        self.zone = zone
        self.origin: ZoneOrigin = origin
        self.assumed = False
        """True once a time without a zone was met, and the configured zone was applied."""
        self.offsets = ZoneOffsets(zone)
        self._local_times = LocalTimes(zone)

    def instant(self, seconds: object, wall: object, *, in_order: bool = False) -> tuple[datetime, ZoneOrigin] | None:
        """Return a time and the origin of its zone; None for a missing time, or one outside the calendar.

        ``in_order``: the time is one of a message, in the order of the file, which decides an hour that comes twice.
        """
        number = integer_of(seconds)
        try:
            if number is not None:
                time, origin = datetime.fromtimestamp(number, self.offsets.at(number)), "explicit"
            else:
                time, origin = self._wall(wall, in_order=in_order)
        except (ValueError, OverflowError, OSError):
            return None
        # The first and last years cannot be shown in every zone, and zero stands for a missing time.
        return (time, origin) if MINYEAR < time.year < MAXYEAR else None

    def instants(self, seconds: Sequence[object]) -> list[datetime] | None:
        """Parse many texts of seconds, as newer exports have them; return None if any is something else, or if the
        zone's offset is not the same for all.
        """
        if {*map(type, seconds)} != {str}:
            return None
        texts = cast("Sequence[str]", seconds)
        together = "".join(texts)
        if {*map(len, texts)} != {_DIGITS} or not together.isdigit() or not together.isascii():
            return None
        numbers = [*map(int, texts)]
        offset = self.offsets.between(min(numbers), max(numbers))
        return None if offset is None else [*map(datetime.fromtimestamp, numbers, repeat(offset))]

    def _wall(self, wall: object, *, in_order: bool) -> tuple[datetime, ZoneOrigin]:
        read = datetime.fromisoformat(wall if isinstance(wall, str) else "")
        if read.tzinfo is not None:
            return fixed_offset(read.astimezone(self.zone)), "explicit"
        self.assumed = True
        return (self._local_times.at(read) if in_order else localise(read, self.zone)), self.origin
