"""The start of a call, from the name of its file or folder, or from its heading. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, time, timedelta, timezone, tzinfo

from ....schemas.times import localise
from ...times.dates_written import ZONE_HOURS, WrittenDate, zone_at
from ...times.day_periods import fold_period, hour_of_day, period_words, periods_beside
from ...times.locales import plain
from ...times.month_names import ENGLISH_MONTHS
from ...times.named_days import day_in_words

_ZOOM = re.compile(r"GMT(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)", re.ASCII)
_COMPACT = re.compile(r"(?<!\d)((?:19|20)\d\d)(\d\d)(\d\d)[_T-](\d\d)(\d\d)(\d\d)(?!\d)(Z|UTC\b|)", re.ASCII)
_WRITTEN = re.compile(
    r"(?<!\d)((?:19|20)\d\d)[-/._](\d\d)[-/._](\d\d)(?:T|[ _]+(?:at[ _]+)?|[ _]*[-,][ _]*)(\d\d)[.:_h-](\d\d)(?:[.:_-](\d\d))?(?!\d)"
    r"(?:[ _]*(Z|(?:UTC|GMT)?[+-]\d{1,2}(?::?\d\d)?(?!\d)|[A-Z]{3,4}\b))?",
    re.ASCII,
)
_DAY = re.compile(r"(?<!\d)((?:19|20)\d\d)([-/._])(\d\d)\2(\d\d)(?!\d)", re.ASCII)
_ENGLISH = re.compile(
    r"\b(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.? (\d{1,2}),? ((?:19|20)\d\d)\b"
    r"(?:,? (\d{1,2}):(\d\d) ?([AP])M\b)?",
    re.ASCII,
)
_CLOCK = re.compile(r"(?<![\d.:])(\d{1,2})[:.](\d\d)(?![\d.:])", re.ASCII)
_LONGEST = 80
_OFFSET = re.compile(r"([+-])(\d{1,2}):?(\d\d)?$", re.ASCII)


def began(words: str, zone: tzinfo) -> WrittenDate | None:
    """Return the time in a path or a heading, searching the last part first; None if there is none."""
    parts = [part for part in reversed(words[-2048:].split("/")) if part]
    for find in (_zoom, _compact, _written, _day, _english, _in_words):
        for part in parts:
            if (result := _attempt(find, part, zone)) is not None:
                return result
    return None


def _attempt(find: Callable[[str, tzinfo], WrittenDate | None], part: str, zone: tzinfo) -> WrittenDate | None:
    try:
        position = find(part, zone)
        if position is not None:
            position.time.timestamp()
    except (ValueError, OverflowError):  # a thirteenth month, for example
        return None
    return position


def _zoom(part: str, _zone: tzinfo) -> WrittenDate | None:
    match = _ZOOM.search(part)
    return None if match is None else WrittenDate(_moment(match, UTC), "second", naive=False)


def _compact(part: str, zone: tzinfo) -> WrittenDate | None:
    match = _COMPACT.search(part)
    if match is None:
        return None
    naive = _moment(match)
    return WrittenDate(naive.replace(tzinfo=UTC) if match[7] else localise(naive, zone), "second", naive=not match[7])


def _written(part: str, zone: tzinfo) -> WrittenDate | None:
    match = _WRITTEN.search(part)
    if match is None:
        return None
    naive = _moment(match)
    offset = _offset(match[7] or "")
    time = localise(naive, zone) if offset is None else naive.replace(tzinfo=offset)
    return WrittenDate(time, "second" if match[6] else "minute", naive=offset is None)


def _moment(match: re.Match[str], zone: tzinfo | None = None) -> datetime:
    year, month, day, hour, minute, second = (int(each or 0) for each in match.groups()[:6])
    return datetime(year, month, day, hour, minute, second, tzinfo=zone)


def _day(part: str, zone: tzinfo) -> WrittenDate | None:
    match = _DAY.search(part)
    if match is None:
        return None
    naive = datetime(int(match[1]), int(match[3]), int(match[4]))  # noqa: DTZ001 - the zone comes next
    return WrittenDate(localise(naive, zone), "day", naive=True)


def _english(part: str, zone: tzinfo) -> WrittenDate | None:
    match = _ENGLISH.search(part)
    if match is None:
        return None
    naive = datetime(int(match[3]), ENGLISH_MONTHS[match[1].lower()], int(match[2]))  # noqa: DTZ001 - the zone comes next
    if match[4] is None or not 1 <= int(match[4]) <= 12:
        return WrittenDate(localise(naive, zone), "day", naive=True)
    naive = naive.replace(hour=int(match[4]) % 12 + (12 if match[6] == "P" else 0), minute=int(match[5]))
    return WrittenDate(localise(naive, zone), "minute", naive=True)


def _in_words(part: str, zone: tzinfo) -> WrittenDate | None:
    """Return a day in words or numbers of any language, with the time of day behind or before it, and nothing else."""
    text = plain(part)
    if len(text) > _LONGEST or not any(character.isdigit() for character in text):
        return None
    match = _CLOCK.search(text)
    if match is None:
        day = day_in_words(text)
        return None if day is None else WrittenDate(localise(datetime.combine(day, time()), zone), "day", naive=True)
    before, after = text[: match.start()], text[match.end() :]
    half = next((w for w in period_words() if after.lstrip().startswith(w)), "")
    after = after.lstrip().removeprefix(half) if half else after
    if not half and (half := next((w for w in period_words() if before.rstrip().endswith(w)), "")):
        before = before.rstrip().removesuffix(half)
    part_of_day = periods_beside(frozenset({fold_period(half)})).get(fold_period(half)) if half else None
    day = day_in_words(f"{before} {after}".strip(" ,.-\u2013"))
    if day is None:
        return None
    clock = time(hour_of_day(int(match[1]), part_of_day), int(match[2]))
    return WrittenDate(localise(datetime.combine(day, clock), zone), "minute", naive=True)


def _offset(written: str) -> tzinfo | None:
    if not written:
        return None
    match = _OFFSET.search(written)
    if match is not None:
        return zone_at(*match.groups())
    hours = 0 if written == "Z" else ZONE_HOURS.get(written)
    return None if hours is None else timezone(timedelta(hours=hours))
