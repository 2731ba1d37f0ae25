"""The days of feasts in a year, by their names in the modules of languages. Pure.

Movable ones are computed: by Easter (Gauss's rule for the Gregorian calendar), by a weekday of a month, or by the tabular
Islamic calendar: these have a day more, as they are observed from the computed day or the next one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, timedelta

from ..extraction.calendar import FIRST_YEAR, LAST_YEAR, Period

Feast = Callable[[int], Period | None]


def _days(start: date, count: int) -> Period:
    return Period(start, start + timedelta(days=count), "day")


def _fixed(month: int, day: int, count: int = 1) -> Feast:
    return lambda year: _days(date(year, month, day), count)


def _easter(offset: int, count: int = 1) -> Feast:
    return lambda year: _days(easter_sunday(year) + timedelta(days=offset), count)


def _nth(month: int, weekday: int, number: int, offset: int = 0) -> Feast:
    """Return the feast on the nth weekday of a month, the last one for -1, or so many days after it."""

    def feast(year: int) -> Period:
        if number < 0:
            last = date(year, month + 1, 1) - timedelta(days=1)
            day = last - timedelta(days=(last.weekday() - weekday) % 7)
        else:
            first = date(year, month, 1)
            day = first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (number - 1))
        return _days(day + timedelta(days=offset), 1)

    return feast


def _before_christmas(days: int, count: int = 1) -> Feast:
    """Return the feast so many days before the fourth Sunday of Advent, the last one before Christmas Day."""

    def feast(year: int) -> Period:
        christmas = date(year, 12, 25)
        fourth = christmas - timedelta(days=christmas.isoweekday())
        return _days(fourth - timedelta(days=days), count)

    return feast


def _islamic(month: int, count: int) -> Feast:
    """Return the feast that begins with the first day of an Islamic month, or with the tenth of the twelfth."""

    def feast(year: int) -> Period | None:
        day = 10 if month == 12 else 1
        around = int((year - 622) * 33 / 32)
        starts = (_islamic_day(each, month, day) for each in range(around - 1, around + 3))
        start = next((each for each in starts if each.year == year), None)
        return None if start is None else _days(start, count + 1)  # observed from this day or the next one

    return feast


def _islamic_day(year: int, month: int, day: int) -> date:
    days = day + (59 * month - 58) // 2 + (year - 1) * 354 + (3 + 11 * year) // 30
    return date.fromordinal(227013 + days)  # the day before 1 Muharram of the year 1


def easter_sunday(year: int) -> date:
    """Return Easter Sunday of the Western churches."""
    golden, century = year % 19, year // 100
    moon = (19 * golden + century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    week = (32 + 2 * (century % 4) + 2 * (year % 100 // 4) - moon - year % 4) % 7
    shift = (golden + 11 * moon + 22 * week) // 451
    month, day = divmod(moon + week - 7 * shift + 114, 31)
    return date(year, month, day + 1)


def _half(month: int) -> Feast:
    return lambda year: Period(date(year, month, 1), date(year + month // 7, 7 if month == 1 else 1, 1), "season")


def _turn_of_the_year(year: int) -> Period:
    return _days(date(year - 1, 12, 31), 2)


_FEASTS: Mapping[str, Feast] = {
    "first_half": _half(1), "second_half": _half(7), "new_years_day": _fixed(1, 1), "new_years_eve": _fixed(12, 31), "new_year": _turn_of_the_year,
    "between_the_years": _fixed(12, 27, 5), "year_end": _fixed(12, 28, 4), "year_start": _fixed(1, 1, 3),
    "year_turn": _fixed(12, 29, 6), "shogatsu": _fixed(1, 1, 3), "epiphany": _fixed(1, 6), "candlemas": _fixed(2, 2),
    "setsubun": _fixed(2, 3), "valentine": _fixed(2, 14), "white_day": _fixed(3, 14), "hinamatsuri": _fixed(3, 3),
    "st_patrick": _fixed(3, 17), "april_23": _fixed(4, 23), "golden_week": _fixed(4, 29, 7), "labour_day": _fixed(5, 1),
    "childrens_day": _fixed(5, 5), "hidirellez": _fixed(5, 6), "may_19": _fixed(5, 19), "music_day": _fixed(6, 21),
    "st_john": _fixed(6, 24), "independence_day": _fixed(7, 4), "tanabata": _fixed(7, 7), "bastille": _fixed(7, 14),
    "obon": _fixed(8, 13, 4), "assumption": _fixed(8, 15), "august_30": _fixed(8, 30), "german_unity": _fixed(10, 3),
    "hispanic_day": _fixed(10, 12), "republic_day": _fixed(10, 29), "reformation": _fixed(10, 31),
    "halloween": _fixed(10, 31), "all_saints": _fixed(11, 1), "dead_day": _fixed(11, 1, 2), "culture_day": _fixed(11, 3),
    "armistice": _fixed(11, 11), "st_martin": _fixed(11, 11), "st_nicholas": _fixed(12, 6),
    "constitution_day": _fixed(12, 6), "christmas_eve": _fixed(12, 24), "christmas_day": _fixed(12, 25),
    "christmas": _fixed(12, 24, 3), "boxing_day": _fixed(12, 26), "innocents": _fixed(12, 28),
    "easter_sunday": _easter(0), "easter_monday": _easter(1), "good_friday": _easter(-2), "maundy_thursday": _easter(-3),
    "easter": _easter(-2, 4), "holy_week": _easter(-7, 8), "rose_monday": _easter(-48), "carnival": _easter(-52, 6),
    "ash_wednesday": _easter(-46), "ascension": _easter(39), "pentecost": _easter(49, 2), "pentecost_sunday": _easter(49),
    "pentecost_monday": _easter(50), "corpus_christi": _easter(60),
    "mothers_day": _nth(5, 6, 2), "mothers_day_may_1": _nth(5, 6, 1), "mothers_day_last_may": _nth(5, 6, -1),
    "fathers_day": _nth(6, 6, 3), "memorial_day": _nth(5, 0, -1), "labor_day": _nth(9, 0, 1),
    "thanksgiving": _nth(11, 3, 4), "black_friday": _nth(11, 3, 4, 1),
    "advent": _before_christmas(21, 22), "advent_1": _before_christmas(21), "advent_2": _before_christmas(14),
    "advent_3": _before_christmas(7), "advent_4": _before_christmas(0), "repentance": _before_christmas(32),
    "ramadan": _islamic(9, 30), "eid_al_fitr": _islamic(10, 3), "eid_al_adha": _islamic(12, 4),
}  # fmt: skip

ESTIMATED = frozenset({"ramadan", "eid_al_fitr", "eid_al_adha"})
"""The feasts that begin when the new moon is seen: on the computed day or the next one."""


def feast_in(year: int, name: str) -> Period | None:
    """Return the days of a feast that begins in a year; None outside the years of dates, or if the year has none."""
    return _FEASTS[name](year) if FIRST_YEAR <= year <= LAST_YEAR else None
