"""Parses LINE's lines that begin a day: 2024/01/23(火), 2024.01.02 Tuesday, Tue, 01/23/2024, R7/02/09(日). Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from functools import lru_cache

from ...connector import DateOrder
from ...times.dates_written import BUDDHIST_AHEAD, existing_day
from ...times.weekday_names import is_weekday

_REIWA = 2018
_BUDDHIST_FROM = 2400
_WEEKDAY = r"[^\d\t:：/]{0,24}"
_YEAR_FIRST = re.compile(
    rf"(?:(?P<year>\d{{4}})|(?:R|令和)(?P<reiwa>\d{{1,2}}|元))[/.年-] ?(?P<month>\d{{1,2}})[/.月-] ?(?P<day>\d{{1,2}})[.日]?{_WEEKDAY}"
)
_YEAR_LAST = re.compile(
    rf"(?P<weekday>[^\d\t:：/]{{0,16}}?)[,.]? ?(?P<one>\d{{1,2}})(?P<by>[/.-])(?P<two>\d{{1,2}})(?P=by)(?P<year>\d{{4}})"
    rf"(?P<after>{_WEEKDAY})"
)
_LONGEST = 60


def is_day_line(text: str) -> bool:
    """Return whether a line has the form of a day line."""
    return len(text) <= _LONGEST and (_YEAR_FIRST.fullmatch(text) or _YEAR_LAST.fullmatch(text)) is not None


@lru_cache(maxsize=4096)
def day_in(text: str, order: DateOrder | None) -> date | None:
    """Return the day of a line; None for any other line, and for a day that does not exist.

    ``order`` applies to dates that end with the year; None puts the month first.
    """
    if len(text) > _LONGEST:
        return None
    if match := _YEAR_FIRST.fullmatch(text):
        year = _REIWA + (1 if match["reiwa"] == "元" else int(match["reiwa"])) if match["reiwa"] else int(match["year"])
        return _day(year, int(match["month"]), int(match["day"]))
    if match := _YEAR_LAST.fullmatch(text):
        one, two = int(match["one"]), int(match["two"])
        month, day = (two, one) if order == "dmy" else (one, two)
        return _day(int(match["year"]), month, day)
    return None


def order_of(lines: Iterable[str]) -> DateOrder | None:
    """Return whether the day or the month comes first in dates that end with the year; None if nothing decides it.

    The numbers and the names of weekdays decide it, by majority.
    """
    votes = {"dmy": 0, "mdy": 0}
    for text in lines:
        match = _YEAR_LAST.fullmatch(text) if len(text) <= _LONGEST else None
        if match is None:
            continue
        one, two, year = int(match["one"]), int(match["two"]), int(match["year"])
        word = (match["weekday"] or match["after"]).strip(" ,.()（）").casefold()
        days = {"dmy": _day(year, two, one), "mdy": _day(year, one, two)}
        for order, day in days.items():
            if day is not None and (days["dmy" if order == "mdy" else "mdy"] is None or is_weekday(word, day)):
                votes[order] += 1
    if votes["dmy"] == votes["mdy"]:
        return None
    return "dmy" if votes["dmy"] > votes["mdy"] else "mdy"


def has_open_order(lines: Iterable[str]) -> bool:
    """Return whether any of the lines has a date that ends with the year, so that its order must be known."""
    return any(
        _YEAR_LAST.fullmatch(text) for text in lines if len(text) <= _LONGEST and not _YEAR_FIRST.fullmatch(text)
    )


def _day(year: int, month: int, day: int) -> date | None:
    return existing_day(year - BUDDHIST_AHEAD if year >= _BUDDHIST_FROM else year, month, day)
