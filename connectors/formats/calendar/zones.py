"""The zones of a calendar: from the time zone database if it knows the name, else from the rules in the calendar. Pure."""

from __future__ import annotations

import calendar
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import MINYEAR, UTC, datetime, timedelta, timezone, tzinfo
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from ....schemas.recurrence import rule_parts
from ...text.calendar_lines import ContentLine
from ...times.windows_zones import windows_zone

_DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_OFFSET = re.compile(r"([+-])(\d\d):?(\d\d)(?::?(\d\d))?", re.ASCII)
_NTH = re.compile(r"(-?[1-5])?(MO|TU|WE|TH|FR|SA|SU)", re.ASCII)
_MOST_OBSERVANCES = 200
_UNIVERSAL = re.compile(r"(?:.*/)?(?:UTC|GMT|Z|Etc/UTC)", re.IGNORECASE)
_DISPLAYED = re.compile(r"\((?:UTC|GMT)(?:([+-])(\d\d):(\d\d))?\)\s*(.+)", re.IGNORECASE)
_OFFSET_ALONE = re.compile(r"(?:UTC|GMT)\s?([+-])(\d{1,2})(?::?(\d\d))?", re.IGNORECASE)
_OTHER_NAMES = {"mitteleuropäische zeit": "Europe/Berlin", "westeuropäische zeit": "Europe/London"}
_LONGEST_NAME = 200


@dataclass(slots=True)
class Observance:
    """One offset of a zone and its start in each year."""

    start: datetime | None = None
    offset: timedelta | None = None
    before: timedelta | None = None
    month: int = 0
    nth: int = 0
    weekday: int = 0
    until: int = 9999
    """The last year of the rule."""

    def read(self, line: ContentLine) -> None:
        """Update the observance from a line."""
        if line.name == "DTSTART":
            self.start = _wall_clock(line.value)
        elif line.name == "TZOFFSETTO":
            self.offset = _offset(line.value)
        elif line.name == "TZOFFSETFROM":
            self.before = _offset(line.value)
        elif line.name == "RRULE":
            parts = rule_parts(line.value)
            day, month = _NTH.fullmatch(parts.get("BYDAY", "")), parts.get("BYMONTH", "")
            if parts.get("FREQ") == "YEARLY" and day is not None and month.isdecimal() and 1 <= int(month) <= 12:
                self.month, self.nth, self.weekday = int(month), int(day[1] or 1), _DAYS.index(day[2])
            if (until := parts.get("UNTIL", "")[:4]).isdecimal():
                self.until = int(until)

    def begins(self, year: int) -> datetime | None:
        """Return the wall-clock time at which the offset starts in this year; None if it does not start in it."""
        if self.start is None or self.offset is None:
            return None
        if not self.month:
            return self.start if self.start.year == year else None
        if not self.start.year <= year <= self.until:
            return None
        days = [
            day for day in range(1, calendar.monthrange(year, self.month)[1] + 1)
            if calendar.weekday(year, self.month, day) == self.weekday
        ]  # fmt: skip
        place = self.nth - 1 if self.nth > 0 else self.nth
        day = days[place] if -len(days) <= place < len(days) else days[-1]
        return self.start.replace(year=year, month=self.month, day=day)


class CalendarZone(tzinfo):
    """A zone defined by the rules in a calendar."""

    def __init__(self, observances: Sequence[Observance]) -> None:
        self._observances = [each for each in observances if each.start is not None and each.offset is not None]
        self._single = sorted(
            (each.start, each.offset) for each in self._observances if not each.month and each.start and each.offset is not None
        )  # fmt: skip

    def utcoffset(self, dt: datetime | None, /) -> timedelta | None:
        """Return the offset at the wall-clock time ``dt``; None without observances."""
        if dt is None or not self._observances:
            return None
        wall = dt.replace(tzinfo=None)
        best: tuple[datetime, timedelta] | None = None
        for start, offset in self._single:
            if start <= wall:
                best = (start, offset)
        for each in self._observances:
            for year in (wall.year - 1, wall.year):
                begins = each.begins(year) if each.month and year >= MINYEAR else None
                if begins is not None and begins <= wall and (best is None or begins >= best[0]):
                    best = (begins, each.offset or timedelta(0))
        if best is not None:
            return best[1]
        first = min(self._observances, key=lambda each: each.start or datetime.max)  # noqa: DTZ901 - wall clocks
        return first.before if first.before is not None else first.offset

    def dst(self, dt: datetime | None, /) -> timedelta | None:
        """Return zero: standard and daylight time are not told apart."""
        del dt
        return timedelta(0)

    def tzname(self, dt: datetime | None, /) -> str | None:
        """Return None: the zone has no abbreviations."""
        del dt


@dataclass(slots=True)
class Zones:
    """The zones that a calendar names or defines."""

    own: dict[str, tzinfo] = field(default_factory=dict[str, tzinfo])
    _known: dict[str, tzinfo | None] = field(default_factory=dict[str, tzinfo | None])

    def define(self, name: str, location: str, observances: Sequence[Observance]) -> None:
        """Store the definition of a zone in the calendar, under its name."""
        if len(self.own) >= _MOST_OBSERVANCES:
            return
        named = named_zone(location) if location else None
        zone = CalendarZone(observances[:_MOST_OBSERVANCES])
        if named is not None or zone.utcoffset(datetime(2000, 1, 1)) is not None:  # noqa: DTZ001 - a wall clock
            self.own[name] = named or zone

    def get(self, name: str) -> tzinfo | None:
        """Return the zone of a name; None if it is unknown."""
        if name not in self._known:
            if len(self._known) > 10_000:
                self._known.clear()
            self._known[name] = UTC if _UNIVERSAL.fullmatch(name.strip()) else named_zone(name)
        return self._known[name] or self.own.get(name) or windows_zone(name) or displayed_zone(name)


def named_zone(name: str) -> tzinfo | None:
    """Return a zone of the time zone database, also from a name with a prefix as some programs write it:
    ``/example.org/Europe/Berlin``; None if it is unknown.
    """
    parts = name.strip().strip('"').strip("/").split("/")
    for count in (2, 3, 1, len(parts)):
        candidate = "/".join(parts[-count:])
        if candidate and len(candidate) < 64:
            try:
                return ZoneInfo(candidate)
            except (KeyError, ValueError, OSError):  # unknown, not a valid name, or a folder of the database
                continue
    return None


def displayed_zone(name: str) -> tzinfo | None:
    """Return the zone of a name that Windows shows, ``(UTC+01:00) Amsterdam, Berlin, Bern`` or ``(UTC-05:00) Eastern Time (US &
    Canada)``: that of a city with this offset, or of the name; a fixed offset of ``GMT+0200``; None if it is unknown.
    """
    text = name.strip()[:_LONGEST_NAME]
    if listed := _OTHER_NAMES.get(text.casefold()):
        return named_zone(listed)
    if alone := _OFFSET_ALONE.fullmatch(text):
        shift = _offset(f"{alone[1]}{alone[2]:0>2}{alone[3] or '00'}")
        return None if shift is None else timezone(shift)
    match = _DISPLAYED.fullmatch(text)
    if match is None:
        return None
    if " Time" in match[4]:
        return windows_zone(f"{match[4].partition(' Time')[0]} Standard Time")
    shift = _offset(f"{match[1]}{match[2]}{match[3]}") if match[1] else timedelta(0)
    for city in match[4].split(","):
        for key in _cities().get(city.strip().casefold(), ()):
            zone = named_zone(key)
            if zone is not None and shift == min(
                _WINTER.replace(month=month, tzinfo=zone).utcoffset() or timedelta(0) for month in (1, 7)
            ):
                return zone
    return None


_WINTER = datetime(2024, 1, 1)  # noqa: DTZ001 - a wall clock


@cache
def _cities() -> dict[str, tuple[str, ...]]:
    """Return the names of zones by the city that ends them, in small letters."""
    result: dict[str, tuple[str, ...]] = {}
    for key in sorted(available_timezones()):
        city = key.rpartition("/")[2].replace("_", " ").casefold()
        result[city] = (*result.get(city, ()), key)
    return result


def _wall_clock(value: str) -> datetime | None:
    try:
        return datetime.strptime(value.strip().rstrip("Z")[:15], "%Y%m%dT%H%M%S")  # noqa: DTZ007 - a wall clock
    except ValueError:
        return None


def _offset(value: str) -> timedelta | None:
    match = _OFFSET.fullmatch(value.strip())
    if match is None:
        return None
    shift = timedelta(hours=int(match[2]), minutes=int(match[3]), seconds=int(match[4] or 0))
    return None if shift >= timedelta(days=1) else -shift if match[1] == "-" else shift
