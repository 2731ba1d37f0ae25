"""The dates of Notion's properties, as its exports write them in English, and in digits where these can be read in one way."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo

from ...schemas.times import localise
from ..dates_written import WrittenDate

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_FORM = re.compile(
    r"@?(?:(?P<name>[a-z]{3})[a-z]{0,6}\.? (?P<named_day>\d{1,2}), (?P<named_year>\d{4})"
    r"|(?P<year>\d{4})(?P<mark>[/-])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2}))"
    r"(?:,?[ T](?P<hour>\d{1,2}):(?P<minute>\d{2})(?:\s?(?P<half>[ap])m)?)?(?: \((?P<zone>[^()]{1,40})\))?",
    re.IGNORECASE | re.ASCII,
)
_OFFSET = re.compile(
    r"(?:GMT|UTC)(?:(?P<sign>[+-])(?P<hours>\d{1,2})(?::(?P<minutes>\d{2}))?)?", re.IGNORECASE | re.ASCII
)
_SPACES = re.compile(r"[\u202f\u00a0]")


def property_date(text: str, zone: tzinfo) -> WrittenDate | None:
    """``January 15, 2024 10:30 AM (GMT+2)``, ``2024/01/15 10:30``; of a span its beginning; None for everything else."""
    begin = _SPACES.sub(" ", text).partition("→")[0].strip()
    found = _FORM.fullmatch(begin)
    if found is None:
        return None
    try:
        day = _day(found)
        hour = int(found["hour"] or 0)
        if found["half"] is not None:
            if not 1 <= hour <= 12:
                return None
            hour = hour % 12 + (12 if found["half"].lower() == "p" else 0)
        naive = day.replace(hour=hour, minute=int(found["minute"] or 0))
        own = _OFFSET.fullmatch(found["zone"] or "")
        time = localise(naive, zone) if own is None else naive.replace(tzinfo=_zone(own))
        time.astimezone(UTC)  # at both ends of the calendar there are days that other zones do not have
    except (ValueError, OverflowError):
        return None
    return WrittenDate(time, "day" if found["hour"] is None else "minute", own is None)


def _day(found: re.Match[str]) -> datetime:
    if found["name"] is None:
        return datetime(int(found["year"]), int(found["month"]), int(found["day"]))  # noqa: DTZ001 - the zone comes next
    month = _MONTHS.index(found["name"].lower()) + 1
    return datetime(int(found["named_year"]), month, int(found["named_day"]))  # noqa: DTZ001


def _zone(found: re.Match[str]) -> tzinfo:
    offset = timedelta(hours=int(found["hours"] or 0), minutes=int(found["minutes"] or 0))
    return timezone(-offset if found["sign"] == "-" else offset)
