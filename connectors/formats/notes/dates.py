"""Reads the dates of front matter as people and programs write them; only unambiguous forms."""

from __future__ import annotations

import re
from datetime import tzinfo

from ...times.dates_written import WrittenDate, matched_date

_FORM = re.compile(
    r"(?P<year>\d{4})(?P<mark>[-/.])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})"
    r"(?:[T\s]\s*(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,]\d{1,9})?)?"
    r"\s*(?P<zone>Z|UTC|GMT|[+-]\d{2}:?\d{2})?)?",
    re.IGNORECASE | re.ASCII,
)


def read_date(text: str, zone: tzinfo) -> WrittenDate | None:
    """Read ``2024-01-15``, ``2024/1/15 9:30``, ``2024-01-15T09:30:00+02:00`` and similar forms; else return None."""
    match = _FORM.fullmatch(text.strip().removeprefix("[[").removesuffix("]]").strip())
    return None if match is None else matched_date(match, zone)
