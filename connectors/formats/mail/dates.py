"""Parses dates of mails, in the form of RFC 5322 and in other forms that programs write."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from functools import lru_cache
from zoneinfo import ZoneInfo

from ....schemas.times import fixed_offset
from ...times.dates_written import ZONE_HOURS, day_of_numbers, existing_day, order_of_numbers, written_date, zone_at
from ...times.day_periods import hour_of_day
from ...times.month_names import ENGLISH_MONTHS, month_in_short
from ...times.windows_zones import windows_zone

_DATE = re.compile(
    r"\s*(?:[A-Za-z]{3},?\s+)?(\d{1,2})\s+([A-Za-z]{3})\s+(\d{4})\s+(\d{1,2}):(\d\d)(?::(\d\d))?\s*+([+-]\d{4})?(?:\s*+\(.*+)?\s*+\Z"
)
_YEARS = range(2, 9999)
"""The years of accepted dates.

Programs without a clock write the first instant of the year 1, which documents treat as no time. Near both ends of the
calendar a zone may lead to a year that does not exist.
"""
_COMMENT = re.compile(r"\([^()]*\)")
_ISO = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:", re.ASCII)
_CLOCK = re.compile(
    r"(?<![\d:])(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:[.,]\d+)?)?(?![\d:])(?:\s?([ap])\.?\s?m\b\.?)?",
    re.ASCII | re.IGNORECASE,
)
_OFFSET = re.compile(r"(?:\b(?:GMT|UTC?|Z)\s?)?([+\u2212-])(\d{1,2}):?(\d\d)?(?!\d)", re.ASCII | re.IGNORECASE)
_CHINESE = re.compile(r"(\d{4})\s?[年년]\s?(\d{1,2})\s?[月월]\s?(\d{1,2})\s?[日일]")
_YEAR_FIRST = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})", re.ASCII)
_NUMBERS = re.compile(r"(?:[^\W\d]+[.,]?\s+)?(\d{1,2})([\s./-]+)(\d{1,2})([\s./-]+)(\d{4}|\d\d)[\s,]*+", re.ASCII)
"""Matches a day, its weekday before it or not, with a number for the month and the year behind both."""
_TWICE_NAMED = frozenset({"EST5EDT", "CST6CDT", "MST7MDT", "PST8PDT"})
"""The zones that the library of C names by their offset between the abbreviations of winter and summer."""
_BETWEEN = re.compile(r"[\s,./-]+")
_SMALL_WORDS = frozenset({"de", "of", "at", "um", "kl", "klo", "г"})
_UTC = frozenset({"UT", "UTC", "GMT", "Z"})


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
            moment = datetime(int(match[3]), month, int(match[1]), int(match[4]), int(match[5]), second, tzinfo=zone)
            return MailTime(moment, zoned=match[7] is not None) if moment.year in _YEARS else None
        return _other_form(value[:200])
    except (ValueError, OverflowError):
        return None


def _other_form(value: str) -> MailTime | None:
    """Return a date in another form or language; None unless every word of it is understood.

    Raises:
        ValueError: no calendar or clock has it.
        OverflowError: neither.
    """
    while (text := _COMMENT.sub(" ", value)) != value:
        value = text
    if _ISO.match(value.strip()):
        written = written_date(re.sub(r"\s+(?=[+-]\d)", "", value.strip()), UTC)
        return MailTime(written.time, not written.naive) if written and written.time.year in _YEARS else None
    clock = _CLOCK.search(value)
    if clock is None:
        return None
    hour, minute, second = int(clock[1]), int(clock[2]), min(int(clock[3] or 0), 59)
    if clock[4]:
        if not 1 <= hour <= 12:
            return None
        hour = hour_of_day(hour, "am" if clock[4] in "aA" else "pm")
    before, behind = value[: clock.start()], value[clock.end() :]
    offset = _OFFSET.search(behind)
    zone = zone_at(*offset.groups()) if offset else None
    if offset:
        behind = f"{behind[: offset.start()]} {behind[offset.end() :]}"
    year = re.search(r"(?<!\d)\d{4}(?!\d)", behind)  # below the clock in dates of the library of C
    if year:
        before, behind = f"{before} {year[0]}", f"{behind[: year.start()]} {behind[year.end() :]}"
    day = _day(before)
    if day is None or day.year not in _YEARS:
        return None
    naive = datetime.combine(day, time(hour, minute, second))
    name = " ".join(behind.split()).strip(".,;\"'")
    if zone is None and name:
        zone = _named_zone(name, naive)
        if zone is None and not all(word.isalpha() for word in name.split()):
            return None
    return MailTime(naive.replace(tzinfo=zone or UTC), zoned=zone is not None)


def _named_zone(name: str, naive: datetime) -> timezone | None:
    """Return the offset of a zone's abbreviation or its name of Windows; None if it is unknown."""
    if name.upper() in _UTC:
        return UTC
    hours = ZONE_HOURS.get(name.upper())
    if hours is not None:
        return timezone(timedelta(hours=hours))
    zone = ZoneInfo(name.upper()) if name.upper() in _TWICE_NAMED else windows_zone(name)
    offset = fixed_offset(naive.replace(tzinfo=zone)).tzinfo if zone else None
    return offset if isinstance(offset, timezone) else None


def _day(text: str) -> date | None:
    """Return the day of a text with a named month, or with the year first; None if a word is left over."""
    numbered = _CHINESE.search(text) or _YEAR_FIRST.search(text)
    if numbered is not None:
        return existing_day(int(numbered[1]), int(numbered[2]), int(numbered[3]))
    in_digits = _NUMBERS.fullmatch(text.strip())
    if in_digits is not None:
        one, by, two, _, year = in_digits.groups()
        order = order_of_numbers(one, by, two)
        return day_of_numbers(one, two, _whole_year(year), order) if order else None
    words = [each for each in _BETWEEN.split(text) if each and each.lower() not in _SMALL_WORDS]
    numbers = [(place, each) for place, each in enumerate(words) if each.isdecimal() and each.isascii()]
    names = [(place, each) for place, each in enumerate(words) if not each[0].isdecimal()]
    months = [(place, month) for place, each in names if (month := month_in_short(each))]
    if len(numbers) != 2 or len(numbers) + len(names) != len(words) or not months:
        return None
    at, month = months[-1]
    if any(place not in (0, at) for place, _ in names):  # but the month only the weekday, which comes first
        return None
    first, last = (each for _, each in numbers)
    day, year = (last, first) if len(first) > 2 else (first, last)
    if len(day) > 2 or len(year) not in (2, 3, 4):
        return None
    return existing_day(int(_whole_year(year)), month, int(day))


def _whole_year(year: str) -> str:
    """Return a year of two or three digits with its century, as RFC 5322 reads it."""
    century = {2: 2000 if int(year) < 50 else 1900, 3: 1900}.get(len(year), 0)
    return str(century + int(year))


@lru_cache(maxsize=256)
def _zone(text: str | None) -> timezone:
    if text is None:
        return UTC
    minutes = int(text[1:3]) * 60 + int(text[3:5])
    if not minutes or minutes >= 24 * 60:
        return UTC
    return timezone(timedelta(minutes=-minutes if text[0] == "-" else minutes))
