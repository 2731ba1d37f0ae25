"""Parses dates as Google Chat writes them in a Takeout: in full, in the account's language, in UTC. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache

from ...times.dates_written import BUDDHIST_AHEAD, NAMED_OFFSET, zone_at
from ...times.day_periods import GOOGLE_CHAT_HALVES
from ...times.month_names import month_of
from ...times.zone_offsets import USUAL_YEARS, in_zone, offsets_of

_LONGEST = 160
# Nearly all dates are English, and there are millions.
_ENGLISH_DAY = re.compile(r"[A-Z][a-z]+day, ([A-Z][a-z]+) (\d{1,2}), (\d{4})", re.ASCII)
_ENGLISH_HOURS = {
    f"{written}:{half} UTC": hour % 12 + late
    for hour in range(100)
    for written in {f"{hour}", f"{hour:02}"}
    for half, late in (("AM", 0), ("PM", 12))
}
"""The hour of the day by the text before the minute and after the second."""
_PAST_HOUR = {
    f"{minute:02}:{second:02}": timedelta(minutes=minute, seconds=second)
    for minute in range(60)
    for second in range(60)
}
_ENGLISH_BLANKS = frozenset("\u202f \t\n\r\f\v")
_CLOCK = re.compile(
    r"(?<!\d)(\d{1,2})\s?(?:[:.h]|時|时|點|点|시|นาฬิกา)\s?(\d{1,2})\s?(?:[:.m]|分|분|นาที)\s?(\d{1,2})(?!\d)\s?(?:秒|초|วินาที|s\b)?"
)
_BESIDE = 10
"""The number of characters before and after a clock in which morning or afternoon is stated."""
_NUMBER = re.compile(r"(?<!\d)\d{1,4}(?!\d)")


def chat_date(text: str, zone: tzinfo) -> datetime | None:
    """Return the time of a date such as ``Friday, May 29, 2026 at 3:00:29 PM UTC`` or ``2026年5月29日星期五 UTC 03:00:29``;
    None for other text.

    Args:
        text: a full date and time, also one of ISO 8601.
        zone: the zone of the result, which has a fixed offset.
    """
    if not text or len(text) > _LONGEST:
        return None
    try:
        instant = _english(text) or _iso(text) or _any(text)
        return in_zone(instant, zone) if instant is not None else None
    except (ValueError, OverflowError):
        return None


def chat_dates(texts: Sequence[str], zone: tzinfo) -> list[datetime] | None:
    """Return `chat_date` of many English dates; None if one of them is not a date, or the zone has no single offset for
    all of them.
    """
    if max(map(len, texts)) > _LONGEST:
        return None
    hours = [_hour_in_zone(text[:-12] + text[-7:], zone) for text in texts]
    past_hours = [_PAST_HOUR.get(text[-12:-7]) for text in texts]
    if len({hour and hour.tzinfo for hour in hours}) != 1:
        return None
    times = [
        hour + past_hour for hour, past_hour in zip(hours, past_hours, strict=True) if hour and past_hour is not None
    ]
    return times if len(times) == len(texts) else None


@lru_cache(maxsize=1024)
def _hour_in_zone(text: str, zone: tzinfo) -> datetime | None:
    """Return `_english_hour` in a zone, if the zone has a single offset all day."""
    try:
        hour = _english_hour(text)
        seconds = int(hour.timestamp()) if hour and hour.year in USUAL_YEARS else None
        offset = offsets_of(zone).between(seconds, seconds) if seconds else None
        return hour.astimezone(offset) if hour and offset else None
    except (ValueError, OverflowError):
        return None


def _english(text: str) -> datetime | None:
    hour, past_hour = _english_hour(text[:-12] + text[-7:]), _PAST_HOUR.get(text[-12:-7])
    return None if hour is None or past_hour is None else hour + past_hour


@lru_cache(maxsize=1024)
def _english_hour(text: str) -> datetime | None:
    """Return the hour of a date whose minute and second were removed; None if the text is not an English date.

    Raises:
        ValueError: the day does not exist.
    """
    day, _, clock = text.partition(" at ")
    match = _ENGLISH_DAY.fullmatch(day)
    month = month_of(match[1]) if match else None
    hour = _ENGLISH_HOURS.get(clock[:-7] + clock[-6:])
    if not match or not month or hour is None or clock[-7] not in _ENGLISH_BLANKS:
        return None
    return datetime(int(match[3]), month, int(match[2]), hour, tzinfo=UTC)


def _iso(text: str) -> datetime | None:
    if not (text[:4].isdigit() and text[4:5] == "-"):
        return None
    instant = datetime.fromisoformat(text)
    return instant if instant.tzinfo is not None else instant.replace(tzinfo=UTC)


def _any(text: str) -> datetime | None:
    """Parse a date of another language: the clock, the year and the month are found by their form, the rest is the day."""
    clock = _CLOCK.search(text)
    if clock is None:
        return None
    offset = NAMED_OFFSET.search(text)
    zone = UTC if offset is None else zone_at(*offset.groups())
    date = _date(NAMED_OFFSET.sub(" ", f"{text[: clock.start()]} | {text[clock.end() :]}"))
    if date is None:
        return None
    hour, minute, second = map(int, clock.groups())
    beside = text[max(0, clock.start() - _BESIDE) : clock.end() + _BESIDE]
    return datetime(*date, GOOGLE_CHAT_HALVES.hour(hour, beside), minute, second, tzinfo=zone)


def _date(text: str) -> tuple[int, int, int] | None:
    """Return year, month and day; None if one is missing."""
    numbers = [int(number) for number in _NUMBER.findall(text)]
    years = [number for number in numbers if number > 1900]
    others = [number for number in numbers if number <= 31]
    if not years or not others:
        return None
    year = years[0] - (BUDDHIST_AHEAD if years[0] > 2400 else 0)
    if month := month_of(text):
        return year, month, others[0]
    if len(others) < 2:
        return None
    return (year, others[0], others[1]) if numbers[0] == years[0] else (year, others[1], others[0])
