"""Times of an export: seconds since 1970 in newer ones, the wall clock of the exporter's machine in older ones."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import MAXYEAR, MINYEAR, datetime, tzinfo
from itertools import repeat
from typing import cast

from ....schemas import ZoneOrigin
from ....schemas.times import fixed_offset, localise
from ...times.zone_offsets import ZoneOffsets
from .values import integer_of

_DIGITS = 10
"""Of seconds since 1970, from 2001 to 2286."""


class Times:
    """Reads the times of one source."""

    def __init__(self, zone: tzinfo, origin: ZoneOrigin) -> None:
        self.zone = zone
        self.origin: ZoneOrigin = origin
        self.assumed = False
        """Whether a time without a zone was met, and the given one was taken."""
        self.offsets = ZoneOffsets(zone)

    def instant(self, seconds: object, wall: object) -> tuple[datetime, ZoneOrigin] | None:
        """A time and where its zone comes from; None where there is none, or none that any calendar has."""
        number = integer_of(seconds)
        try:
            if number is not None:
                time, origin = datetime.fromtimestamp(number, self.offsets.at(number)), "explicit"
            else:
                time, origin = self._wall(wall)
        except (ValueError, OverflowError, OSError):
            return None
        # The first and the last year cannot be shown in every zone, and a zero stands for no time.
        return (time, origin) if MINYEAR < time.year < MAXYEAR else None

    def instants(self, seconds: Sequence[object]) -> list[datetime] | None:
        """The times of many texts of seconds, as newer exports have them; None where one is something else, or where the
        clocks do not show the same offset at all of them.
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

    def _wall(self, wall: object) -> tuple[datetime, ZoneOrigin]:
        read = datetime.fromisoformat(wall if isinstance(wall, str) else "")
        if read.tzinfo is not None:
            return fixed_offset(read.astimezone(self.zone)), "explicit"
        self.assumed = True
        return localise(read, self.zone), self.origin
