"""Reads the dates of front matter as people and programs write them; only unambiguous forms."""

from __future__ import annotations

import re
from datetime import tzinfo

from ...times.dates_written import WrittenDate, existing_day, matched_date, written_date

_FORM = re.compile(
    r"(?P<year>\d{4})(?P<mark>[-/.])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})"
    r"(?:[T\s]\s*(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,]\d{1,9})?)?"
    r"\s*(?P<zone>Z|UTC|GMT|[+-]\d{2}:?\d{2})?)?",
    re.IGNORECASE | re.ASCII,
)


_DAY_IN_NAME = (
    re.compile(
        r"(?P<year>(?:19|20)[0-9]{2})(?P<mark>[-_.]?)(?P<month>[0-9]{2})(?P=mark)(?P<day>[0-9]{2})(?:[ _,–-]+[^\W\d_].*)?",
        re.DOTALL,
    ),
    re.compile(r"(?P<day>\d\d)\.(?P<month>\d\d)\.(?P<year>(?:19|20)\d\d)(?!\d)", re.ASCII),
)


def day_of_name(stem: str, zone: tzinfo) -> WrittenDate | None:
    """Return the day that is the name of a file or begins it, as those of daily notes: ``2024-03-04``, ``2024-03-05
    Garden pump``, ``2024-03-05-garden-pump``, ``20240306`` or ``05.03.2024``; None for any other name. Digits behind the
    day may be the end of a span.
    """
    match = next((match for form in _DAY_IN_NAME if (match := form.fullmatch(stem.strip()))), None)
    day = existing_day(int(match["year"]), int(match["month"]), int(match["day"])) if match else None
    return None if day is None else written_date(day.isoformat(), zone)


def read_date(text: str, zone: tzinfo) -> WrittenDate | None:
    """Read ``2024-01-15``, ``2024/1/15 9:30``, ``2024-01-15T09:30:00+02:00`` and similar forms; else return None."""
    match = _FORM.fullmatch(text.strip().removeprefix("[[").removesuffix("]]").strip())
    return None if match is None else matched_date(match, zone)
