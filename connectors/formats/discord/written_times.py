"""Parses the times in TXT and CSV files of DiscordChatExporter, in the format of the exporter's language. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime

from ....schemas import TimePrecision
from ...connector import DateOrder
from ...times.clock_times import ClockTimes
from ...times.dates_written import order_of_numbers
from ...times.month_names import month_in_short

STAMP = r"\d{1,4}[-/.] ?(?:\d{1,2}|[^\W\d]{3,12}\.?)[-/.] ?\d{1,4}[^\d\[\]\"][^\[\]\"\n]{4,30}"
"""A regular expression for such a time, without groups."""
_PARTS = re.compile(
    r"(?P<one>\d{1,4})(?P<by>[-/.]) ?(?P<two>\d{1,2}|[^\W\d]{3,12}\.?)[-/.] ?(?P<three>\d{1,4})(?:\.| г\.)?,?[ T](?P<clock>.+)"
)
_NUMBERS = re.compile(r"(\d{1,2})/(\d{1,2})/\d{2,4}[ ,](.*)")
_HALF = re.compile(r"[AaPp]\.?[ \u00a0\u202f]?[Mm]\b")


def order_of(stamps: Iterable[str]) -> DateOrder | None:
    """Return whether the day or the month comes first in dates with slashes; None if there is no such date.

    If no number decides it, a clock of twelve hours means the American order.
    """
    twelve: bool | None = None
    for stamp in stamps:
        match = _NUMBERS.match(stamp)
        if match is None:
            continue
        if order := order_of_numbers(match[1], "/", match[2]):
            return order
        twelve = bool(_HALF.search(match[3]))
    return None if twelve is None else "mdy" if twelve else "dmy"


class WrittenTimes:
    """Parses the times of one file."""

    def __init__(self, order: DateOrder | None) -> None:
        self._order = order
        self._clocks = ClockTimes()

    def read(self, text: str) -> tuple[datetime, TimePrecision] | None:
        """Return the time, with its zone if one is written, and its precision; None if it is not a valid time."""
        if "T" in text[8:12]:
            try:
                return datetime.fromisoformat(text), "second"
            except ValueError:
                return None
        match = _PARTS.fullmatch(text.strip())
        if match is None:
            return None
        said = match["clock"] if ":" in match["clock"] else match["clock"].replace(".", ":")
        clock = self._clocks.read(said)
        day = self._day(match["one"], match["two"], match["three"], match["by"])
        if clock is None or day is None:
            return None
        precision: TimePrecision = "second" if said.count(":") > 1 else "minute"
        try:
            return datetime(*day, *clock), precision  # noqa: DTZ001 - the wall clock; zones come later
        except ValueError:
            return None

    def _day(self, one: str, two: str, three: str, by: str) -> tuple[int, int, int] | None:
        if not two.isdecimal():
            month = month_in_short(two)
            return None if month is None else (_year(three), month, int(one))
        if len(one) == 4:
            return int(one), int(two), int(three)
        if self._order == "mdy" and by == "/":
            return _year(three), int(one), int(two)
        return _year(three), int(two), int(one)


def _year(text: str) -> int:
    return int(text) + (2000 if len(text) == 2 else 0)
