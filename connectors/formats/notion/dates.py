"""Reads dates of Notion's properties, with month names or in unambiguous digits."""

from __future__ import annotations

import re
from datetime import UTC, datetime, tzinfo

from ....schemas.times import localise
from ...times.clock_times import ClockTimes
from ...times.dates_written import WrittenDate, zone_at
from ...times.month_names import ENGLISH_MONTHS, month_in_short

_FORM = re.compile(
    r"@?(?:(?P<name>[a-z]{3})[a-z]{0,6}\.? (?P<named_day>\d{1,2}), (?P<named_year>\d{4})"
    r"|(?P<year>\d{4})(?P<mark>[/-])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2}))"
    r"(?:,?[ T](?P<hour>\d{1,2}):(?P<minute>\d{2})(?:\s?(?P<half>[ap])m)?)?(?: \((?P<zone>[^()]{1,40})\))?",
    re.IGNORECASE | re.ASCII,
)
_OTHER_LANGUAGES = re.compile(
    r"@?(?:(?P<day>\d{1,2})\.?(?: de)? (?P<name>[^\W\d]{3,12}\.?)(?: de)? (?P<year>\d{4})"
    r"|(?P<east_year>\d{4})[年년] ?(?P<east_month>\d{1,2})[月월] ?(?P<east_day>\d{1,2})[日일])"
    r"(?:,? (?P<clock>[^()]{4,12}))?(?: \((?P<zone>[^()]{1,40})\))?"
)
"""Matches ``15. Januar 2024 10:30``, ``15 de enero de 2024``, ``2024年1月15日 10:30``, ``2024년 1월 15일 오전 10:30``."""
_OFFSET = re.compile(
    r"(?:GMT|UTC)(?:(?P<sign>[+-])(?P<hours>\d{1,2})(?::(?P<minutes>\d{2}))?)?", re.IGNORECASE | re.ASCII
)
_SPACES = re.compile(r"[\u202f\u00a0]")


def property_date(text: str, zone: tzinfo) -> WrittenDate | None:
    """Read ``January 15, 2024 10:30 AM (GMT+2)``, ``2024/01/15 10:30``, or the start of a range; else return None."""
    begin = _SPACES.sub(" ", text).partition("→")[0].strip()
    try:
        match = _FORM.fullmatch(begin)
        naive = _english(match) if match is not None else None
        if match is None and (match := _OTHER_LANGUAGES.fullmatch(begin)) is not None:
            naive = _other(match)
        if match is None or naive is None:
            return None
        offset = _OFFSET.fullmatch(match["zone"] or "")
        time = localise(naive, zone) if offset is None else naive.replace(tzinfo=zone_at(*offset.groups()))
        time.astimezone(UTC)  # raises for the first and last days of the calendar, which other zones may lack
    except (ValueError, OverflowError):
        return None
    clock = match["hour"] if "hour" in match.re.groupindex else match["clock"]
    return WrittenDate(time, "day" if clock is None else "minute", offset is None)


def _english(match: re.Match[str]) -> datetime | None:
    hour = int(match["hour"] or 0)
    if match["half"] is not None:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if match["half"].lower() == "p" else 0)
    return _day(match).replace(hour=hour, minute=int(match["minute"] or 0))


def _other(match: re.Match[str]) -> datetime | None:
    clock = ClockTimes().read(match["clock"].strip()) if match["clock"] else (0, 0, 0)
    month = month_in_short(match["name"]) if match["name"] else int(match["east_month"])
    if clock is None or month is None:
        return None
    year, day = int(match["year"] or match["east_year"]), int(match["day"] or match["east_day"])
    return datetime(year, month, day, *clock)  # noqa: DTZ001 - the zone comes next


def _day(match: re.Match[str]) -> datetime:
    if match["name"] is None:
        return datetime(int(match["year"]), int(match["month"]), int(match["day"]))  # noqa: DTZ001 - the zone comes next
    month = ENGLISH_MONTHS.get(match["name"].lower(), 0)
    return datetime(int(match["named_year"]), month, int(match["named_day"]))  # noqa: DTZ001
