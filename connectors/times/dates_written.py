"""Dates as programs write them: days of numbers, offsets of zones, RFC 3339 and its shorter forms. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone, tzinfo

from ...schemas.times import TimePrecision, localise
from ..connector import DateOrder

_FORM = re.compile(
    r"(?P<year>\d{4})-(?P<month>\d\d)(?:-(?P<day>\d\d)"
    r"(?:[T ](?P<hour>\d\d):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,]\d{1,9})?)?[ ]?(?P<zone>Z|[+-]\d\d:?\d\d)?)?)?",
    re.ASCII,
)
_UTC = frozenset({"Z", "UTC", "GMT"})
NAMED_OFFSET = re.compile(r"(?:GMT|UTC)\s?([+\u2212-])(\d{1,2})(?::?(\d{2}))?")
"""Matches ``GMT+2`` and ``UTC-03:30``; its groups are the arguments of `zone_at`."""
ZONE_HOURS: dict[str, float] = {
    "UTC": 0, "GMT": 0, "WET": 0, "WEST": 1, "BST": 1, "CET": 1, "MEZ": 1, "CEST": 2, "MESZ": 2, "EET": 2, "EEST": 3,
    "MSK": 3, "TRT": 3, "SAST": 2, "IST": 5.5, "PKT": 5, "WIB": 7, "ICT": 7, "SGT": 8, "HKT": 8, "PHT": 8, "AWST": 8,
    "JST": 9, "KST": 9, "AEST": 10, "AEDT": 11, "NZST": 12, "NZDT": 13, "BRT": -3, "ART": -3, "NST": -3.5, "AST": -4,
    "ADT": -3, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7, "AKST": -9,
    "AKDT": -8, "HST": -10,
}  # fmt: skip
"""The offsets of zones' abbreviations; an ambiguous one means the zone where most people are."""
BUDDHIST_AHEAD = 543
"""The number of years by which Thai dates are ahead."""


@dataclass(frozen=True, slots=True)
class WrittenDate:
    """A time and the parts of it that were written."""

    time: datetime
    """The time, with a fixed offset."""
    precision: TimePrecision
    naive: bool
    """True if the text has no zone of its own and the given one was used."""


def written_date(text: str, zone: tzinfo) -> WrittenDate | None:
    """Read ``2024-01-15``, ``2024-01-15T10:30:00Z`` and their kind; None for all else, and for months and years alone."""
    match = _FORM.fullmatch(text.strip())
    return None if match is None or match["day"] is None else matched_date(match, zone)


def matched_date(match: re.Match[str], zone: tzinfo) -> WrittenDate | None:
    """Return the time of an expression's groups ``year``, ``month``, ``day``, ``hour``, ``minute``, ``second`` and
    ``zone``, of which those after the day may be empty; None for a date that does not exist, and for the year 1, which
    programs write where no time was set.
    """
    try:
        naive = datetime(*(int(match[name] or 0) for name in ("year", "month", "day", "hour", "minute", "second")))  # type: ignore[arg-type]  # noqa: DTZ001 - the zone comes next
        offset = match["zone"]
        if offset is None:
            time = localise(naive, zone)
        else:
            time = datetime.fromisoformat(naive.isoformat() + ("+00:00" if offset.upper() in _UTC else offset))
        time.timestamp()  # the year 1 in some zones is before the calendar
    except (ValueError, OverflowError):
        return None
    if naive.year == 1:
        return None
    precision: TimePrecision = "day" if match["hour"] is None else "second" if match["second"] else "minute"
    return WrittenDate(time, precision, offset is None)


def existing_day(year: int, month: int, day: int) -> date | None:
    """Return a day; None if it does not exist in the calendar."""
    try:
        return date(year, month, day)
    except ValueError:
        return None


def day_of_numbers(one: str, two: str, year: str, order: DateOrder | None) -> date | None:
    """Return the day of numbers that end with the year: the day comes first unless ``order`` puts the month there, and a
    year of two digits is of this century.
    """
    month, day = (one, two) if order == "mdy" else (two, one)
    return existing_day(int(year) if int(year) > 99 else 2000 + int(year), int(month), int(day))


def order_of_numbers(one: str, by: str, two: str) -> DateOrder | None:
    """Return whether the day or the month comes first, by numbers above 12 and the points after days; None if that is
    open.
    """
    if by == "." or int(one) > 12:
        return "dmy"
    return "mdy" if int(two) > 12 else None


def zone_at(sign: str | None, hours: str | None, minutes: str | None) -> timezone:
    """Return the zone with this offset ahead of UTC, or behind it unless the sign is ``+``; UTC if no offset is
    written.

    Raises:
        ValueError: it is a day or more.
    """
    offset = timedelta(hours=int(hours or 0), minutes=int(minutes or 0))
    return timezone(offset if sign == "+" else -offset)
