"""The days that words of time mean, and those words in the languages whose dates are understood in messages."""

from __future__ import annotations

import calendar
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal, get_args

from ..text.analyzer import fold
from ..text.languages import LANGUAGES
from ..text.languages.language import Language, Unit, words_of

FIRST_YEAR, LAST_YEAR = 1900, 2200
"""The first and the last year of dates; a date outside them is taken for a misreading."""


@dataclass(frozen=True, slots=True)
class Period:
    """Days from ``start`` up to, not including, ``end``; ``unit`` says how precisely it was named."""

    start: date
    end: date
    unit: Unit | Literal["season", "weekend"]


_LANGUAGES = [LANGUAGES[code] for code in ("en", "de", "es")]
"""The languages whose dates the rules for messages understand."""


def _written(row: str) -> set[str]:
    """The words of a row, also as people write them who leave out accents."""
    return {form for word in words_of(row) for form in (word, fold(word))}


def _numbered(rows: Callable[[Language], Sequence[str]]) -> Mapping[str, int]:
    return {
        word: number
        for language in _LANGUAGES
        for number, row in enumerate(rows(language), start=1)
        for word in _written(row)
    }


NUMBERS = _numbered(lambda language: language.numbers[:12])
WEEKDAYS = _numbered(lambda language: language.weekdays)
MONTHS = _numbered(lambda language: language.months)
SEASONS: Mapping[str, int] = {
    word: month for language in _LANGUAGES for month, row in language.seasons.items() for word in _written(row)
}
"""The month each begins with: the meteorological seasons of the northern hemisphere, three whole months."""
UNITS: Mapping[str, Unit] = {
    word: unit for language in _LANGUAGES for unit in get_args(Unit) for word in _written(language.units[unit])
}


def any_of_pattern(words: Iterable[str]) -> str:
    """A pattern for any of the words, longer ones first."""
    return "(?:" + "|".join(sorted(words, key=lambda word: (-len(word), word))) + ")"


def days_later(day: date, days: int) -> date | None:
    """The day so many days later, or earlier; None beyond the first or the last day that a date can name."""
    try:
        return day + timedelta(days=days)
    except OverflowError:
        return None


def moved(day: date, count: int, unit: Unit) -> date | None:
    """The day so many units later, or earlier; the last of a month where that has no such day."""
    if unit in ("day", "week"):
        return days_later(day, count * (7 if unit == "week" else 1))
    months = day.year * 12 + day.month - 1 + count * (12 if unit == "year" else 1)
    year, month = months // 12, months % 12 + 1
    if not FIRST_YEAR <= year <= LAST_YEAR:
        return None
    return date(year, month, min(day.day, calendar.monthrange(year, month)[1]))


def day_of(year: int, month: int, day: int) -> Period | None:
    """One day; None when there is no such day."""
    if not FIRST_YEAR <= year <= LAST_YEAR or not 1 <= month <= 12:
        return None
    if not 1 <= day <= calendar.monthrange(year, month)[1]:
        return None
    return one_day(date(year, month, day))


def days_from(day: date | None, before: int, days: int, unit: Literal["day", "week", "weekend"]) -> Period | None:
    """So many days, of which the first is ``before`` days ahead of ``day``; None where the calendar has not all of them."""
    start = None if day is None else days_later(day, -before)
    end = None if start is None else days_later(start, days)
    return None if start is None or end is None else Period(start, end, unit)


def one_day(day: date | None) -> Period | None:
    """Return the day as a period; None for the last day that a date can name, after which no period can end."""
    return days_from(day, 0, 1, "day")


def week_of(day: date | None) -> Period | None:
    """The week from Monday on that the day is in."""
    return None if day is None else days_from(day, day.weekday(), 7, "week")


def weekend_of(day: date | None) -> Period | None:
    """Saturday and Sunday of the week that the day is in."""
    return None if day is None else days_from(day, day.weekday() - 5, 2, "weekend")


def month_of(year: int, month: int) -> Period | None:
    """A whole month; months beyond 12 count on into later years."""
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    if not FIRST_YEAR <= year <= LAST_YEAR:
        return None
    start = date(year, month, 1)
    return Period(start, start + timedelta(days=calendar.monthrange(year, month)[1]), "month")


def year_of(year: int) -> Period | None:
    """A whole year."""
    return Period(date(year, 1, 1), date(year + 1, 1, 1), "year") if FIRST_YEAR <= year <= LAST_YEAR else None


def season_of(year: int, month: int) -> Period | None:
    """The three months from that one on."""
    first, last = month_of(year, month), month_of(year, month + 2)
    return Period(first.start, last.end, "season") if first and last else None
