"""The dates of front matter, as people and programs write them. Only forms that can be read in one way."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, tzinfo

from ....schemas.times import TimePrecision, localise

_FORM = re.compile(
    r"(?P<year>\d{4})(?P<mark>[-/.])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})"
    r"(?:[T\s]\s*(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,]\d{1,9})?)?"
    r"\s*(?P<zone>Z|UTC|GMT|[+-]\d{2}:?\d{2})?)?",
    re.IGNORECASE | re.ASCII,
)
_UTC = frozenset({"Z", "UTC", "GMT"})


@dataclass(frozen=True, slots=True)
class Dated:
    """A time and what was written of it."""

    time: datetime
    """With a fixed offset."""
    precision: TimePrecision
    naive: bool
    """Without a zone of its own: the given one was taken."""


def read_date(text: str, zone: tzinfo) -> Dated | None:
    """``2024-01-15``, ``2024/1/15 9:30``, ``2024-01-15T09:30:00+02:00`` and their kind; None for everything else."""
    found = _FORM.fullmatch(text.strip().removeprefix("[[").removesuffix("]]").strip())
    if found is None:
        return None
    try:
        naive = datetime(  # noqa: DTZ001 - the zone comes next
            int(found["year"]), int(found["month"]), int(found["day"]),
            int(found["hour"] or 0), int(found["minute"] or 0), int(found["second"] or 0),
        )  # fmt: skip
        own = found["zone"]
        if own is None:
            time = localise(naive, zone)
        else:
            offset = "+00:00" if own.upper() in _UTC else own
            time = datetime.fromisoformat(naive.isoformat() + offset)
        time.timestamp()  # the year 1 in some zones is before the calendar
    except (ValueError, OverflowError):
        return None
    precision: TimePrecision = "day" if found["hour"] is None else "second" if found["second"] else "minute"
    return Dated(time, precision, own is None)
