"""Reads the dates of front matter as people and programs write them; only unambiguous forms."""

from __future__ import annotations

import re
from datetime import UTC, datetime, time, tzinfo

from ....schemas.times import localise
from ...times.dates_written import WrittenDate, existing_day, matched_date, written_date
from ...times.day_periods import hour_of_day
from ...times.locales import plain
from ...times.named_days import day_in_words

_FORM = re.compile(
    r"(?P<year>\d{4})(?P<mark>[-/.])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})"
    r"(?:[T\s]\s*(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,]\d{1,9})?)?"
    r"\s*(?P<zone>Z|UTC|GMT|[+-]\d{2}:?\d{2})?)?",
    re.IGNORECASE | re.ASCII,
)
_COMPACT = re.compile(r"((?:19|20)\d\d)(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)?)?", re.ASCII)
"""Matches days without separators, and the identifiers of slip boxes, which have the minute too."""
_SECONDS = re.compile(r"([12]\d{9})(\d{3})?", re.ASCII)
"""Matches the seconds or milliseconds since 1970."""
_CLOCK = re.compile(
    r"(?P<day>.+?)[,T\s]\s*(?:(?:at|um|à|kl\.?)\s+)?(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d))?"
    r"(?:\s?(?P<half>[ap])\.?\s?m\.?)?(?:\s?Uhr)?",
    re.IGNORECASE | re.ASCII,
)
_LONGEST = 80
_LINK = re.compile(r"\[\[([^\[\]|]+)(?:\|[^\[\]]*)?\]\]")

_DAY_IN_NAME = (
    re.compile(
        r"(?P<year>(?:19|20)[0-9]{2})(?P<mark>[-_.]?)(?P<month>[0-9]{2})(?P=mark)(?P<day>[0-9]{2})(?:[ _,–-]+[^\W\d_].*)?",
        re.DOTALL,
    ),
    re.compile(r"(?P<day>\d\d)\.(?P<month>\d\d)\.(?P<year>(?:19|20)\d\d)(?!\d)", re.ASCII),
)
_TITLED_ID = re.compile(r"([0-9]{12}|[0-9]{14})(?:[ _,–-]+[^\W\d_].*)?", re.DOTALL)
"""Matches the identifier of a slip box, alone or before a title."""
_DAY_OF_FOLDERS = re.compile(r"(?:.*/)?((?:19|20)\d\d)/(\d\d)/(\d\d)(?:\.[A-Za-z]+)?", re.ASCII | re.DOTALL)


def day_of_path(path: str, stem: str, zone: tzinfo) -> WrittenDate | None:
    """Return the day that a name has, or that a daily note's folders and name are: ``2024/03/04.md``; None for others."""
    folders = _DAY_OF_FOLDERS.fullmatch(path)
    return day_of_name("-".join(folders.groups()) if folders else stem, zone)


def day_of_name(stem: str, zone: tzinfo) -> WrittenDate | None:
    """Return the day that is the name of a file or begins it, as those of daily notes: ``2024-03-04``, ``2024-03-05
    Garden pump``, ``2024-03-05-garden-pump``, ``20240306``, ``05.03.2024`` or ``March 4th, 2024``; None for any other name.
    Digits behind the day may be the end of a span.
    """
    name = stem.strip()
    match = next((match for form in _DAY_IN_NAME if (match := form.fullmatch(name))), None)
    if match is None:
        titled = _TITLED_ID.fullmatch(name)
        compact = _COMPACT.fullmatch(titled[1] if titled else name)
        if compact is not None and compact[4]:
            return _compact(compact, zone)
        day = day_in_words(name) if len(name) <= _LONGEST and any(map(str.isdecimal, name)) else None
    else:
        day = existing_day(int(match["year"]), int(match["month"]), int(match["day"]))
    return None if day is None else written_date(day.isoformat(), zone)


def read_date(text: str, zone: tzinfo) -> WrittenDate | None:
    """Read ``2024-01-15``, ``2024/1/15 9:30``, ``2024-01-15T09:30:00+02:00``, ``Monday, March 4th 2024, 8:05:09 am``, ``4. März
    2024``, seconds since 1970 and similar forms; else return None.
    """
    linked = _LINK.fullmatch(text.strip())
    text = plain(linked[1] if linked else text).strip()
    if (match := _FORM.fullmatch(text)) is not None:
        return matched_date(match, zone)
    if (match := _COMPACT.fullmatch(text)) is not None:
        return _compact(match, zone)
    if (match := _SECONDS.fullmatch(text)) is not None:
        return WrittenDate(datetime.fromtimestamp(int(match[1]), UTC), "second", naive=False)
    return _in_words(text, zone) if len(text) <= _LONGEST else None


def _in_words(text: str, zone: tzinfo) -> WrittenDate | None:
    """Read a day in words or in an order that only one reading has, and the time of day behind it."""
    clock = _CLOCK.fullmatch(text)
    day = day_in_words(clock["day"].rstrip(" ,") if clock else text)
    if day is None:
        return None
    if clock is None:
        return written_date(day.isoformat(), zone)
    hour, half = int(clock["hour"]), clock["half"]
    if half and not 1 <= hour <= 12:
        return None
    try:
        at = time(
            hour_of_day(hour, "am" if half in "aA" else "pm") if half else hour,
            int(clock["minute"]),
            int(clock["second"] or 0),
        )
    except ValueError:
        return None
    moment = localise(datetime.combine(day, at), zone)
    return WrittenDate(moment, "second" if clock["second"] else "minute", naive=True)


def _compact(match: re.Match[str], zone: tzinfo) -> WrittenDate | None:
    text = f"{match[1]}-{match[2]}-{match[3]}"
    if match[4]:
        text += f"T{match[4]}:{match[5]}" + (f":{match[6]}" if match[6] else "")
    return written_date(text, zone)
