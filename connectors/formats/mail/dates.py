"""Parses dates of mails, in the form of RFC 5322 and in other forms that programs write."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from email.utils import parsedate_tz
from functools import lru_cache

from ...times.month_names import ENGLISH_MONTHS

_DATE = re.compile(
    r"\s*(?:[A-Za-z]{3},?\s+)?(\d{1,2})\s+([A-Za-z]{3})\s+(\d{4})\s+(\d{1,2}):(\d\d)(?::(\d\d))?\s*+([+-]\d{4})?(?:\s*+\(.*+)?\s*+\Z"
)
_YEARS = range(2, 9999)
"""The years of accepted dates.

Programs without a clock write the first instant of the year 1, which documents treat as no time. Near both ends of the
calendar a zone may lead to a year that does not exist.
"""
_YEAR_ONE = re.compile(r"(?<![\d+:-])00\d\d(?![\d:])")
"""Matches a four-digit year such as 0001, which `parsedate_tz` takes for the two-digit year 2001."""
_ZONE = re.compile(r":\d\d\s*(?:[+-]\d{4}|[A-Z]{1,5}\b)")


@dataclass(frozen=True, slots=True)
class MailTime:
    """The time at which a mail was sent. If ``zoned`` is false, its zone is unknown and the time is in UTC."""

    time: datetime
    zoned: bool


def date_of(value: str) -> MailTime | None:
    """Return the date in a field; None if it has none."""
    match = _DATE.match(value)
    try:
        if match is not None and (month := ENGLISH_MONTHS.get(match[2].lower())):
            zone = _zone(match[7])
            second = min(int(match[6] or 0), 59)
            time = datetime(int(match[3]), month, int(match[1]), int(match[4]), int(match[5]), second, tzinfo=zone)
            return MailTime(time, zoned=match[7] is not None) if time.year in _YEARS else None
        parts = parsedate_tz(value[:200])
        if parts is None or parts[0] not in _YEARS or _YEAR_ONE.search(value):
            return None
        offset = parts[9]
        named = _ZONE.search(value) is not None
        is_sure = named and offset is not None and abs(offset) < 86_400 and offset % 60 == 0
        zone = timezone(timedelta(seconds=offset)) if is_sure and offset else UTC
        return MailTime(datetime(*parts[:5], min(parts[5], 59), tzinfo=zone), zoned=is_sure)
    except (ValueError, OverflowError, TypeError, IndexError):
        return None


@lru_cache(maxsize=256)
def _zone(text: str | None) -> timezone:
    if text is None:
        return UTC
    minutes = int(text[1:3]) * 60 + int(text[3:5])
    if not minutes or minutes >= 24 * 60:
        return UTC
    return timezone(timedelta(minutes=-minutes if text[0] == "-" else minutes))
