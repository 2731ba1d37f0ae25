"""Parses the times at the start of log lines, in the forms of clients and bouncers, and the lines that state the day.
Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone
from functools import lru_cache

from ....schemas import TimePrecision
from ....schemas.times import in_utc
from ...connector import DateOrder
from ...times.dates_written import day_of_numbers, existing_day, order_of_numbers
from ...times.month_names import ENGLISH_MONTHS, month_in_short

_MONTH = "(?:" + "|".join(name.capitalize() + "|" + name for name in ENGLISH_MONTHS if len(name) == 3) + ")"
_CLOCK = r"\d{1,2}:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?: ?[AaPp][Mm]\b)?"
STAMP = re.compile(
    rf"[\[(]?(?:(?P<iso>\d{{4}}[-/.]\d\d[-/.]\d\d)[T ](?P<at>{_CLOCK})(?P<zone>Z|[+-]\d\d:?\d\d)?"
    rf"|(?P<month>{_MONTH}) (?P<day> ?\d{{1,2}})(?:,? (?P<year>\d{{4}}))? (?P<at2>{_CLOCK})"
    rf"|(?:[A-Z][a-z]{{2,8}}, )?(?P<day3>\d{{1,2}})[ -](?P<month3>{_MONTH})[a-z]{{0,6}}(?:[ -](?P<year3>\d{{4}}))?"
    rf"(?: |\] \[)(?P<at3>{_CLOCK})(?: [A-Z]{{2,5}}(?=\]))?"
    rf"|(?P<one>\d{{1,2}})(?P<by>[/.-])(?P<two>\d{{1,2}})(?P=by)(?P<year4>\d{{4}}|\d\d),? (?P<at4>{_CLOCK})"
    rf"|(?P<clock>{_CLOCK})|@?(?P<epoch>\d{{9,10}})(?= [<*\[-]))[\])]?(?P<gap>\t| (?:- (?=<))?|(?=<[ @+%~&]?[^\s<>]{{1,64}}> |-!- |\* \S)|$)"
)
_MARKER_DATE = re.compile(
    rf"(?P<month>{_MONTH})[a-z]{{0,6}},? +(?P<day>\d{{1,2}}),?(?: +(?P<clock>\d\d:\d\d(?::\d\d)?))?(?: +[A-Z]{{2,5}})? +(?P<year>\d{{4}})"
    rf"|(?P<day2>\d{{1,2}}) (?P<month2>{_MONTH})[a-z]{{0,6}} (?P<year2>\d{{4}})(?: +(?P<clock2>\d\d:\d\d(?::\d\d)?))?"
    r"|(?P<iso>\d{4}-\d\d-\d\d)(?:[ T](?P<clock3>\d\d:\d\d(?::\d\d)?))?"
)
_MARKER = re.compile(
    r"--- (?:Log (?:opened|closed)|Day changed|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\b)|\*{4} |Session (?:Start|Time|Close|End)\b"
    r"|\[?\d\d:\d\d(?::\d\d)?\]? --- (?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Day changed)\b"
)
_IN_WORDS = re.compile(
    r"--- (?:Log opened|Log closed|Day changed) \S{1,20} (?P<month>\S{1,20}) +(?P<day>\d{1,2})(?: (?P<clock>\d\d:\d\d:\d\d))? (?P<year>\d{4})",
    re.ASCII,
)
_NUMBERED = re.compile(r"\d{1,2}[月월]", re.ASCII)
_DIGITS = re.compile(r"\d+")
_IDENT = re.compile(r"Session Ident: (\S{1,200})")
_ROLL_OVER = timedelta(minutes=65)
"""The least step back in time that means the next day; after a smaller one a clock was set back, or a line came late."""
_HALF_YEAR = 180


@dataclass(frozen=True, slots=True)
class Marker:
    """A line that states a day, and perhaps its time."""

    day: date
    clock: timedelta
    starts: bool
    """True if a session begins or ends here; False for a mere change of the day."""


def marker_of(line: str) -> Marker | None:
    """Parse a line of the logging program that states a day; None for any other line."""
    if not _MARKER.match(line) or len(line) > 200:
        return None
    match = _MARKER_DATE.search(line)
    if match is None:
        return _marker_in_words(line)
    day = _named_day(match)
    if day is None:
        return None
    clock = match["clock"] or match["clock2"] or match["clock3"] or ""
    return Marker(day, _clock(clock)[0] if clock else timedelta(), starts="ay changed" not in line)


def _marker_in_words(line: str) -> Marker | None:
    """Parse a line of irssi in another language: the names of weekday and month are those of its system."""
    match = _IN_WORDS.fullmatch(line.rstrip())
    name = match["month"] if match else ""
    month = int(name[:-1]) if _NUMBERED.fullmatch(name) else month_in_short(name)
    day = existing_day(int(match["year"]), month, int(match["day"])) if match and month else None
    if match is None or day is None:
        return None
    clock = match["clock"] or ""
    return Marker(day, _clock(clock)[0] if clock else timedelta(), starts="ay changed" not in line)


def ident_of(line: str) -> str:
    """Return the channel that mIRC names at the start of a session; empty for any other line."""
    match = _IDENT.fullmatch(line.strip())
    return match[1] if match else ""


def order_of(stamps: Iterable[re.Match[str]]) -> DateOrder | None:
    """Return whether the day or the month comes first in numeric dates that end with the year; None if no date decides
    it.
    """
    for stamp in stamps:
        if stamp["one"] and (order := order_of_numbers(stamp["one"], stamp["by"], stamp["two"])):
            return order
    return None


class Times:
    """Reads the stamps of one file in order; missing days come from the lines that state days, or the file name."""

    def __init__(self, day: date | None, order: DateOrder | None = None) -> None:
        """Set the day in the file's name and the order of day and month in numeric dates; None puts the day first."""
        self._day = day
        self._order: DateOrder | None = order
        self._rolls = False
        self._clock = timedelta()
        self.last: tuple[datetime, TimePrecision] | None = None
        """The time of the previous line."""

    def here(self) -> tuple[datetime, TimePrecision] | None:
        """Return the time for a line without one: that of the previous line, else the known day, else None."""
        if self.last is None and self._day is not None:
            return datetime(self._day.year, self._day.month, self._day.day), "day"  # noqa: DTZ001 - as below
        return self.last

    def see(self, marker: Marker) -> None:
        """Set the day from a line that states it."""
        self._day, self._clock, self._rolls = marker.day, marker.clock, True

    def read(self, stamp: re.Match[str]) -> tuple[datetime, TimePrecision] | None:
        """Return the time of a line; None if its day is unknown or does not exist."""
        if stamp["epoch"]:
            self.last = in_utc(int(stamp["epoch"]) * 1_000_000), "second"
            return self.last
        clock, precision = _clock(stamp["at"] or stamp["at2"] or stamp["at3"] or stamp["at4"] or stamp["clock"])
        day = self._clock_day(clock) if stamp["clock"] else self._written_day(stamp)
        if day is None or not timedelta() <= clock < timedelta(days=1):
            return None
        self._day, self._clock = day, clock
        time = datetime(day.year, day.month, day.day) + clock  # noqa: DTZ001 - the wall clock; zones come later
        if stamp["zone"]:
            time = time.replace(tzinfo=_zone(stamp["zone"]))
        self.last = time, precision
        return self.last

    def _clock_day(self, clock: timedelta) -> date | None:
        if self._day is not None and self._rolls and self._clock - clock > _ROLL_OVER and self._day < date.max:
            return self._day + timedelta(days=1)
        return self._day

    def _written_day(self, stamp: re.Match[str]) -> date | None:
        if stamp["iso"]:
            return existing_day(*(int(part) for part in re.split(r"[-/.]", stamp["iso"])))
        if stamp["one"]:
            return day_of_numbers(stamp["one"], stamp["two"], stamp["year4"], self._order)
        month = ENGLISH_MONTHS[(stamp["month"] or stamp["month3"]).casefold()]
        number = int(stamp["day"] or stamp["day3"])
        year = stamp["year"] or stamp["year3"]
        if year:
            return existing_day(int(year), month, number)
        if self._day is None:
            return None
        day = existing_day(self._day.year, month, number)
        if day is not None and (self._day - day).days > _HALF_YEAR:  # the stamp is of the next year
            return existing_day(self._day.year + 1, month, number)
        return day


@lru_cache(maxsize=100_000)
def _clock(text: str) -> tuple[timedelta, TimePrecision]:
    parts = [int(part) for part in _DIGITS.findall(text)[:3]]
    mark = text[-2:].casefold()
    hour = parts[0]
    if mark in ("am", "pm") and 1 <= hour <= 12:
        hour = hour % 12 + (12 if mark == "pm" else 0)
    seconds = parts[2] if len(parts) > 2 else 0
    if hour > 23 or parts[1] > 59 or seconds > 60:
        return timedelta(days=1), "second"
    clock = timedelta(hours=hour, minutes=parts[1], seconds=min(seconds, 59))
    return clock, "second" if len(parts) > 2 else "minute"


def _zone(text: str) -> timezone:
    if text == "Z":
        return UTC
    minutes = int(text[1:3]) * 60 + int(text[-2:])
    return timezone(timedelta(minutes=min(minutes, 1439)) * (-1 if text[0] == "-" else 1))


def _named_day(match: re.Match[str]) -> date | None:
    if match["iso"]:
        return existing_day(*(int(part) for part in match["iso"].split("-")))
    month = ENGLISH_MONTHS[(match["month"] or match["month2"])[:3].casefold()]
    return existing_day(int(match["year"] or match["year2"]), month, int(match["day"] or match["day2"]))
