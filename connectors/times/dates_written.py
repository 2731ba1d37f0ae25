"""The dates of pages and books, as programs write them: RFC 3339 and its shorter forms. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, tzinfo

from ...schemas.times import TimePrecision, localise

_FORM = re.compile(
    r"(\d{4})-(\d\d)(?:-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,]\d{1,9})?)?[ ]?(Z|[+-]\d\d:?\d\d)?)?)?", re.ASCII
)


@dataclass(frozen=True, slots=True)
class WrittenDate:
    """A time and what was written of it."""

    time: datetime
    precision: TimePrecision
    naive: bool
    """Without a zone of its own: the given one was taken."""


def written_date(text: str, zone: tzinfo) -> WrittenDate | None:
    """``2024-01-15``, ``2024-01-15T10:30:00Z`` and their kind; None for all else, and for months and years alone."""
    match = _FORM.fullmatch(text.strip())
    if match is None or match[3] is None:
        return None
    try:
        naive = datetime(  # noqa: DTZ001 - the zone comes next
            int(match[1]), int(match[2]), int(match[3]), int(match[4] or 0), int(match[5] or 0), int(match[6] or 0)
        )
        own = match[7]
        if own is None:
            time = localise(naive, zone)
        else:
            time = datetime.fromisoformat(naive.isoformat() + ("+00:00" if own == "Z" else own))
        time.timestamp()
    except (ValueError, OverflowError):
        return None
    return WrittenDate(time, "day" if match[4] is None else "second" if match[6] else "minute", own is None)
