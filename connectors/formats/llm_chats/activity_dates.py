"""Parses dates as Google's My Activity writes them in HTML, in the language of the account. Pure."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone, tzinfo

from ...times.dates_written import NAMED_OFFSET, ZONE_HOURS, zone_at
from ...times.day_periods import GOOGLE_ACTIVITY_HALVES
from ...times.month_names import month_beginning

_CLOCK = re.compile(r"(?<!\d)(\d{1,2})[:.](\d{2})[:.](\d{2})(?!\d)")
_YEAR_FIRST = re.compile(r"(?<!\d)((?:19|20)\d{2})\D{1,3}(\d{1,2})\D{1,3}(\d{1,2})(?!\d)")
_YEAR_LAST = re.compile(r"(?<!\d)(\d{1,2})[./-] ?(\d{1,2})[./-] ?((?:19|20)\d{2})(?!\d)")
_YEAR = re.compile(r"(?<!\d)((?:19|20)\d{2})(?!\d)")
_DAY = re.compile(r"(?<!\d)(\d{1,2})(?!\d)")
_WORD = re.compile(r"[^\W\d_]+")
_NAME = re.compile(r"[A-Z]{2,5}")
_LONGEST = 80


def activity_date(text: str, zone: tzinfo) -> tuple[datetime, bool] | None:
    """Return the time in a line, and whether the line states a known zone; None if it contains no time.

    Args:
        text: ``Jan 5, 2026, 10:00:00 PM PST``, ``05.01.2026, 22:00:00 MEZ``, ``2026年1月5日 22:00:00 JST``.
        zone: the zone of a line without a known one; it also decides the meaning of an abbreviation that it uses
            itself.
    """
    text = " ".join(text.split())
    if len(text) > _LONGEST or (clock := _CLOCK.search(text)) is None:
        return None
    date = _date(text[: clock.start()])
    if date is None:
        return None
    hour, minute, second = map(int, clock.groups())
    beside = text[max(0, clock.start() - 6) :]
    try:
        naive = datetime(*date, GOOGLE_ACTIVITY_HALVES.hour(hour, beside), minute, second)  # noqa: DTZ001 - the zone is read next
        moment = _zone(text[clock.end() :], naive, zone)
        return (naive.replace(tzinfo=moment or zone).astimezone(zone), moment is not None)
    except (ValueError, OverflowError):
        return None


def _date(text: str) -> tuple[int, int, int] | None:
    """Return year, month and day; None if one is missing."""
    if match := _YEAR_FIRST.search(text):
        return int(match[1]), int(match[2]), int(match[3])
    if match := _YEAR_LAST.search(text):
        return int(match[3]), int(match[2]), int(match[1])
    year, day = _YEAR.search(text), _DAY.search(text)
    month = next((m for word in _WORD.findall(text) if (m := month_beginning(word.casefold()))), None)
    return (int(year[1]), month, int(day[1])) if year and day and month else None


def _zone(text: str, naive: datetime, zone: tzinfo) -> tzinfo | None:
    """Return the zone written after the time; None if there is none or it is unknown."""
    if match := NAMED_OFFSET.search(text):
        return zone_at(*match.groups())
    names = [name for name in _NAME.findall(text) if name not in ("AM", "PM")]
    if not names:
        return None
    if zone.tzname(naive) == names[-1]:
        return zone
    hours = ZONE_HOURS.get(names[-1])
    return timezone(timedelta(hours=hours)) if hours is not None else None
