"""Parses dates of mails, in the form of RFC 5322 and in other forms that programs write."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, timezone
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from ....schemas.times import fixed_offset
from ...times.dates_written import ZONE_HOURS, written_date, zone_at
from ...times.day_periods import BEFORE_CLOCK, hour_of_day
from ...times.locales import plain
from ...times.month_names import ENGLISH_MONTHS
from ...times.named_days import day_in_words
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
    rf"(?:({BEFORE_CLOCK[0]})|({BEFORE_CLOCK[1]}))?\s?"
    r"(?<![\d:])(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:[.,]\d+)?)?(?![\d:])(?:\s?([ap])\.?\s?m\b\.?)?",
    re.ASCII | re.IGNORECASE,
)
_POINTS = re.compile(r"()()(?<![\d.])(\d{1,2})\.(\d\d)\.(\d\d)(?![\d.])()", re.ASCII)
"""Matches the clock of languages that write points, behind a day with its year."""
_OFFSET = re.compile(r"(?:\b(?:GMT|UTC?|Z)\s?)?([+\u2212-])(\d{1,2}):?(\d\d)?(?!\d)", re.ASCII | re.IGNORECASE)
_SECONDS = re.compile(r"(\d{10})", re.ASCII)
"""Matches the seconds since 1970."""
_LISTED = re.compile(r"[A-Z][A-Za-z_]+/[A-Za-z_/+-]+|[A-Z]{3}\d[A-Z]{3}", re.ASCII)
_UTC = frozenset({"UT", "UTC", "GMT", "Z"})
_OTHER_ZONES = {"MEST": 2, "MET": 1, "MET DST": 2, "MITTELEUROPÄISCHE ZEIT": 1, "MITTELEUROPÄISCHE SOMMERZEIT": 2}
"""Further names of zones that programs of mail write."""


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
            if match[7] is None and "(" in value and (other := _other_form(value[:200])):  # a zone behind the comment
                return other
            zone = _zone(match[7])
            second = min(int(match[6] or 0), 59)
            moment = datetime(
                int(match[3]), month, int(match[1]), int(match[4]), int(match[5]), second, tzinfo=zone or UTC
            )
            return MailTime(moment, zoned=zone is not None) if moment.year in _YEARS else None
        return _other_form(plain(value[:200]))
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
    machine = _machine_form(value.strip())
    if machine is not None:
        return machine if machine.time.year in _YEARS else None
    clock = _CLOCK.search(value) or _POINTS.search(value)
    if clock is None:
        return None
    hour, minute, second = int(clock[3]), int(clock[4]), min(int(clock[5] or 0), 59)
    if half := clock[1] or clock[2] or clock[6]:
        if not 1 <= hour <= 12:
            return None
        hour = hour_of_day(hour, "am" if clock[1] or half in "aA" else "pm")
    before, behind = value[: clock.start()], value[clock.end() :]
    offset = _OFFSET.search(behind)
    zone = zone_at(*offset.groups()) if offset else None
    if offset:
        behind = f"{behind[: offset.start()]} {behind[offset.end() :]}".replace(offset[0], " ")  # some write it twice
    year = re.search(r"(?<!\d)\d{4}(?!\d)", behind)  # below the clock in dates of the library of C
    if year:
        before, behind = f"{before} {year[0]}", f"{behind[: year.start()]} {behind[year.end() :]}"
    day = day_in_words(before.strip(" \"'"), any_opening=True)
    if day is None or day.year not in _YEARS:
        return None
    naive = datetime.combine(day, time(hour, minute, second))
    name = " ".join(behind.split()).strip(".,;\"'")
    if zone is None and name:
        zone = _named_zone(name, naive)
        if zone is None and not all(word.isalpha() for word in name.split()):
            return None
    return MailTime(naive.replace(tzinfo=zone or UTC), zoned=zone is not None)


def _machine_form(value: str) -> MailTime | None:
    """Return a date in seconds since 1970 or in the form of RFC 3339; None for others."""
    if seconds := _SECONDS.fullmatch(value):
        return MailTime(datetime.fromtimestamp(int(seconds[1]), UTC), zoned=True)
    written = written_date(re.sub(r"\s+(?=[+-]\d)", "", value), UTC) if _ISO.match(value) else None
    return MailTime(written.time, not written.naive) if written else None


def _named_zone(name: str, naive: datetime) -> timezone | None:
    """Return the offset of a zone's abbreviation or its name of Windows; None if it is unknown."""
    if name.upper() in _UTC:
        return UTC
    hours = ZONE_HOURS.get(name.upper(), _OTHER_ZONES.get(name.upper()))
    if hours is not None:
        return timezone(timedelta(hours=hours))
    zone = windows_zone(name) or _listed_zone(name)
    offset = fixed_offset(naive.replace(tzinfo=zone)).tzinfo if zone else None
    return offset if isinstance(offset, timezone) else None


def _listed_zone(name: str) -> ZoneInfo | None:
    """Return the zone of a name such as ``Europe/Berlin`` or ``EST5EDT``; None if it is none."""
    if not _LISTED.fullmatch(name):
        return None
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


@lru_cache(maxsize=256)
def _zone(text: str | None) -> timezone | None:
    """Return the zone of an offset; None if there is none, or no day has it."""
    if text is None:
        return None
    minutes = int(text[1:3]) * 60 + int(text[3:5])
    if minutes >= 24 * 60:
        return None
    if not minutes:
        return UTC
    return timezone(timedelta(minutes=-minutes if text[0] == "-" else minutes))
