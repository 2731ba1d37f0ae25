"""Reads the beginning of a log and the times of its lines, both in the computer's language. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta, tzinfo

from ....schemas import TimePrecision
from ...connector import DateOrder
from ...times.clock_times import TIME, ClockTimes
from ...times.dates_written import day_of_numbers, existing_day, order_of_numbers, zone_at
from ...times.local_times import LocalTimes
from ...times.month_names import month_in_short
from ...times.regions import region_at

_FILE = re.compile(
    r"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)\.(?P<clock>\d{6})(?:(?P<sign>[+-])(?P<hours>\d\d)(?P<minutes>\d\d)(?P<name>[^\W\d_][^.]*(?:\. [^.]+)*)?)?"
)
_YEAR_FIRST = re.compile(r"(?<!\d)(\d{4})(?:[-/.年] ?)(\d{1,2})(?:[-/.月] ?)(\d{1,2})(?!\d)")
_YEAR_LAST = re.compile(r"(?<!\d)(?P<one>\d{1,2})(?P<by>[-/.])(?P<two>\d{1,2})(?P=by)(?P<year>\d{4}|\d\d)(?!\d)")
_DAY_NAMED = re.compile(r"(?<!\d)(\d{1,2})\.?[ -]([^\W\d_]{3,12})\.?[ -](\d{4})(?!\d)")
_MONTH_NAMED = re.compile(r"([^\W\d_]{3,12})\.? +(\d{1,2}),?(?= )(?:.*?)(?<!\d)(\d{4})(?!\d)")
_CLOCK = re.compile(TIME)
_ROLL_OVER = timedelta(minutes=65)
"""The tolerance for times that go back: by more, the line is of the next day; by less, the clock was set back."""
_LATE, _EARLY = timedelta(hours=13), timedelta(hours=23, minutes=55)
"""The distances of a first line from the beginning of the log that move it to the next day, or to the day before.

Half a day does neither, because some languages' words for AM and PM are unknown.
"""
_LONGEST = 80


@dataclass(frozen=True, slots=True)
class Beginning:
    """The beginning of a log from its file name: ``2010-10-12.091815+0300EEST.html``."""

    day: date | None = None
    zone: tzinfo | None = None
    clock: timedelta | None = None


def beginning_of(name: str) -> Beginning:
    """Parse a file name; return an empty beginning for renamed files."""
    match = _FILE.match(name)
    if match is None:
        return Beginning()
    far = int(match["hours"] or 0) * 60 + int(match["minutes"] or 0) >= 24 * 60
    zone = zone_at(match["sign"], match["hours"], match["minutes"]) if match["sign"] and not far else None
    day = existing_day(int(match["year"]), int(match["month"]), int(match["day"]))
    hours, minutes, seconds = (int(match["clock"][place : place + 2]) for place in (0, 2, 4))
    clock = timedelta(hours=hours, minutes=minutes, seconds=seconds)
    if zone is not None and day is not None and match["name"]:
        return Beginning(day, region_at(match["name"], datetime(day.year, day.month, day.day) + clock, zone), clock)  # noqa: DTZ001 - a wall clock
    return Beginning(day, zone, clock)


def order_in(text: str) -> DateOrder | None:
    """Return the order of day and month in a numeric date; None if it is ambiguous."""
    match = _YEAR_LAST.search(text)
    return None if match is None else order_of_numbers(match["one"], match["by"], match["two"])


def day_in(text: str, order: DateOrder | None) -> date | None:
    """Return the day of a date in any supported language; numeric dates have the day first unless `order` differs."""
    text = text[:_LONGEST]
    if match := _YEAR_FIRST.search(text):
        return existing_day(int(match[1]), int(match[2]), int(match[3]))
    if match := _YEAR_LAST.search(text):
        return day_of_numbers(match["one"], match["two"], match["year"], order)
    if (match := _DAY_NAMED.search(text)) and (month := month_in_short(match[2])):
        return existing_day(int(match[3]), month, int(match[1]))
    for match in _MONTH_NAMED.finditer(text):
        if month := month_in_short(match[1]):
            return existing_day(int(match[3]), month, int(match[2]))
    return None


@dataclass(slots=True)
class Times:
    """Reads the timestamps of one log in order; most contain only a time of day."""

    day: date | None
    """The day on which the log begins, later that of the last line."""
    zone: tzinfo | None = None
    order: DateOrder | None = None
    begun: timedelta | None = None
    """The time of day at which the log begins."""
    _clock: timedelta | None = None
    _local: LocalTimes | None = None
    _clocks: ClockTimes = field(default_factory=ClockTimes)

    def read(self, stamp: str) -> tuple[datetime, TimePrecision] | None:
        """Return the time of a line; None if its day is unknown or does not exist.

        A delayed message has the date in its timestamp, which says nothing about the following lines.
        """
        match = _CLOCK.search(stamp)
        parts = self._clocks.read(match[0]) if match else None
        if match is None or parts is None:
            return None
        clock = timedelta(hours=parts[0], minutes=parts[1], seconds=parts[2])
        rest = stamp[: match.start()] + " " + stamp[match.end() :]
        if any(letter.isdigit() for letter in rest):
            day = day_in(rest, self.order)
        else:
            if self.day is not None and date.min < self.day < date.max:
                self.day += timedelta(days=self._days_on(clock))
            day, self._clock = self.day, clock
        if day is None:
            return None
        time = datetime(day.year, day.month, day.day) + clock  # noqa: DTZ001 - the zone comes next
        if self.zone is not None:
            if self._local is None:
                self._local = LocalTimes(self.zone)
            time = self._local.at(time)
        return time, "second" if match[0].count(":") > 1 else "minute"

    def _days_on(self, clock: timedelta) -> int:
        """Return the number of days from the previous line to this one."""
        if self._clock is not None:
            return 1 if self._clock - clock > _ROLL_OVER else 0
        if self.begun is None:
            return 0
        return 1 if self.begun - clock > _LATE else -1 if clock - self.begun > _EARLY else 0


def clock_in(text: str) -> timedelta | None:
    """Return the time of day in a date of any supported language."""
    match = _CLOCK.search(text[:_LONGEST])
    parts = ClockTimes().read(match[0]) if match else None
    return timedelta(hours=parts[0], minutes=parts[1], seconds=parts[2]) if parts else None
