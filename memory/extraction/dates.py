"""The dates that "yesterday", "since March" or "bis nächsten Freitag" mean in a message of a given time. Pure; no
clock is read.

English first, with the basics of German and Spanish. Whatever is not understood, or cannot be (31 April), is None.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime, time
from functools import cache
from typing import Literal, NamedTuple

from .calendar import (
    FIRST_YEAR,
    LAST_YEAR,
    MONTHS,
    NUMBERS,
    SEASONS,
    UNITS,
    WEEKDAYS,
    Period,
    any_of_pattern,
    day_of,
    days_later,
    month_of,
    moved,
    one_day,
    season_of,
    week_of,
    weekend_of,
    year_of,
)


class DateSpan(NamedTuple):
    """From when to when, the end not included; None where nothing was said. In the message's own offset."""

    start: datetime | None
    end: datetime | None


class _Said(NamedTuple):
    """The message's day, and whether what has no year lies before it."""

    day: date
    past: bool


_Reading = Callable[[Mapping[str, str], _Said], Period | None]
_N = rf"(?P<n>\d{{1,3}}|{any_of_pattern(NUMBERS)})"
_U = rf"(?P<unit>{any_of_pattern(UNITS)})"
_DAY = rf"(?P<weekday>{any_of_pattern(WEEKDAYS)})"
_MONTH = rf"(?P<month>{any_of_pattern(MONTHS)})\b\.?"
_SEASON = rf"(?P<season>{any_of_pattern(SEASONS)})"
_YEAR = r"(?P<year>(?:19|20|21)\d\d)"
_D = r"(?P<day>\d{1,2})"
_LAST = r"(?P<last>last|past|letzte[nmrs]?|vergangene[nmrs]?|vorige[nmrs]?)"
_NEXT = r"(?P<next>next|coming|upcoming|nächste[nmrs]?|naechste[nmrs]?|kommende[nmrs]?|próxim[oa]|proxim[oa])"
_THIS = r"(?P<this>this|diese[nmrs]?|est[ea])"
_WHICH = rf"(?:(?:{_LAST}|{_NEXT}|{_THIS})\s+)"
_SPAN_UNIT = rf"(?P<which>{_DAY}|week|month|year|weekend|woche|monat|jahr|wochenende|semana|mes|año|fin de semana|{_SEASON}|{_MONTH})"
_DAYS: Mapping[str, int] = {
    **dict.fromkeys(("today", "tonight", "this morning", "this afternoon", "this evening", "heute", "hoy"), 0),
    **dict.fromkeys(("yesterday", "last night", "gestern", "ayer", "anoche"), -1),
    **dict.fromkeys(("tomorrow", "morgen", "mañana"), 1),
    **dict.fromkeys(("the day before yesterday", "vorgestern", "anteayer", "antes de ayer"), -2),
    **dict.fromkeys(("the day after tomorrow", "übermorgen", "pasado mañana"), 2),
}
_PLURALS: Mapping[str, str] = {"weekend": "weekend", "wochenende": "weekend", "fin de semana": "weekend"}


def _near_day(groups: Mapping[str, str], said: _Said) -> Period | None:
    return one_day(days_later(said.day, _DAYS[groups["word"]]))


def _apart(groups: Mapping[str, str], said: _Said) -> Period | None:
    """So many units from the message's day, as precise as the unit: two years ago is a year, two days ago a day."""
    count = int(groups["n"]) if groups["n"].isdigit() else NUMBERS[groups["n"]]
    unit = UNITS[groups["unit"]]
    day = moved(said.day, -count if groups.get("ago") else count, unit)
    if day is None:
        return None
    if unit == "year":
        return year_of(day.year)
    return month_of(day.year, day.month) if unit == "month" else one_day(day)


def _relative(groups: Mapping[str, str], said: _Said) -> Period | None:
    """The last, this or the next of a kind."""
    step = -1 if groups.get("last") else 1 if groups.get("next") else 0
    if groups.get("weekday"):
        return _weekday(WEEKDAYS[groups["weekday"]] - 1, step, said.day)
    if groups.get("season"):
        return _season(SEASONS[groups["season"]], step, said.day)
    if groups.get("month"):
        return _named_month(MONTHS[groups["month"]], step, said.day)
    which = groups["which"]
    if which in _PLURALS:
        return weekend_of(days_later(said.day, 7 * step))
    unit = UNITS[which]
    if unit == "week":
        return week_of(days_later(said.day, 7 * step))
    return year_of(said.day.year + step) if unit == "year" else month_of(said.day.year, said.day.month + step)


def _named_month(month: int, step: int, day: date) -> Period | None:
    """Last March is the latest that is well over: of the one just past people say "last month"."""
    near = [each for year in range(day.year - 2, day.year + 3) if (each := month_of(year, month))]
    this = month_of(day.year, day.month)
    before = moved(day.replace(day=1), -1, "month")
    if step < 0:
        return max((each for each in near if before and each.end <= before), key=lambda each: each.end, default=None)
    over = (each for each in near if this and (each.start >= this.end if step else each.start >= this.start))
    return min(over, key=lambda each: each.start, default=None)


def _weekday(number: int, step: int, day: date) -> Period | None:
    """The last one before the day, the first one after it, or the first one that is not over."""
    ahead = (number - day.weekday()) % 7
    if step < 0:
        return one_day(days_later(day, ahead - 7))
    return one_day(days_later(day, ahead or (7 if step else 0)))


def _season(month: int, step: int, day: date) -> Period | None:
    near = [season for year in range(day.year - 2, day.year + 3) if (season := season_of(year, month))]
    if step < 0:
        return max((each for each in near if each.end <= day), key=lambda each: each.end, default=None)
    if step > 0:
        return min((each for each in near if each.start > day), key=lambda each: each.start, default=None)
    return min((each for each in near if each.end > day), key=lambda each: each.end, default=None)


def _on_weekday(groups: Mapping[str, str], said: _Said) -> Period | None:
    return _weekday(WEEKDAYS[groups["weekday"]] - 1, -1 if said.past else 0, said.day)


def _in_month(groups: Mapping[str, str], said: _Said) -> Period | None:
    month = MONTHS[groups["month"]]
    if groups.get("year"):
        return month_of(int(groups["year"]), month)
    near = [each for year in range(said.day.year - 1, said.day.year + 2) if (each := month_of(year, month))]
    return _nearest(near, said)


def _in_season(groups: Mapping[str, str], said: _Said) -> Period | None:
    if groups.get("year"):
        return season_of(int(groups["year"]), SEASONS[groups["season"]])
    near = [
        each
        for year in range(said.day.year - 2, said.day.year + 2)
        if (each := season_of(year, SEASONS[groups["season"]]))
    ]
    return _nearest(near, said)


def _on_day(groups: Mapping[str, str], said: _Said) -> Period | None:
    month = int(groups["month"]) if groups["month"].isdigit() else MONTHS[groups["month"]]
    if groups.get("year"):
        return day_of(int(groups["year"]), month, int(groups["day"]))
    years = range(said.day.year - 8, said.day.year + 9)  # 29 February comes once in eight years at the rarest
    return _nearest([each for year in years if (each := day_of(year, month, int(groups["day"])))], said)


def _nearest(near: list[Period], said: _Said) -> Period | None:
    """The last that had begun, or the first that is not over."""
    if said.past:
        return max((each for each in near if each.start <= said.day), key=lambda each: each.start, default=None)
    return min((each for each in near if each.end > said.day), key=lambda each: each.start, default=None)


def _in_year(groups: Mapping[str, str], _said: _Said) -> Period | None:
    return year_of(int(groups["year"]))


_ORDINAL = r"(?:st|nd|rd|th|\.)?"
_POINTS: tuple[tuple[str, _Reading], ...] = (
    (rf"(?P<word>{any_of_pattern(_DAYS)})", _near_day),
    (rf"{_N}\s+{_U}\s+(?P<ago>ago)", _apart),
    (rf"(?P<ago>vor|hace)\s+{_N}\s+{_U}", _apart),
    (rf"(?:in|within|dentro de|en)\s+{_N}\s+{_U}(?:['’]?s?\s+time)?", _apart),
    (rf"(?:(?:on|in|the|am|im|el|la)\s+)?{_WHICH}{_SPAN_UNIT}", _relative),
    (rf"(?:(?:el|la)\s+)?{_SPAN_UNIT}\s+(?:(?P<last>pasad[oa])|(?P<next>que viene|próxim[oa]))", _relative),
    (rf"(?:(?:on|the|am|el|vom|dem|den|del)\s+)*{_D}{_ORDINAL}\s+(?:of\s+|de\s+)?{_MONTH}(?:,?\s+(?:de\s+|del\s+)?{_YEAR})?", _on_day),
    (rf"(?:on\s+)?{_MONTH}\s+(?:the\s+)?{_D}(?:st|nd|rd|th)?(?:,?\s+{_YEAR})?(?!\d)", _on_day),
    (rf"(?:(?:on|am|el)\s+)?{_YEAR}-(?P<month>\d\d)-(?P<day>\d\d)", _on_day),
    (rf"(?:(?:on|am|el)\s+)?{_D}\.\s?(?P<month>\d{{1,2}})\.\s?{_YEAR}", _on_day),
    (r"(?P<year>(?:19|20|21)\d\d)-(?P<month_number>0[1-9]|1[0-2])(?!\d|-)", lambda f, _s: month_of(int(f["year"]), int(f["month_number"]))),
    (rf"(?:(?:in|im|en)\s+)?{_MONTH}(?:\s+(?:of\s+|de\s+|del\s+)?{_YEAR})?", _in_month),
    (rf"(?:(?:in|im|en)\s+)?(?:the\s+|el\s+|la\s+)?{_SEASON}(?:\s+(?:of\s+|de\s+|del\s+)?{_YEAR})?", _in_season),
    (rf"(?:(?:on|am|el)\s+)?{_DAY}", _on_weekday),
    (rf"(?:(?:in|im|en)\s+)?(?:the year\s+|jahr\s+)?{_YEAR}", _in_year),
)  # fmt: skip
_compiled = cache(re.compile)
"""Compiled when first needed: together they take longer than a whole question, and most questions name no time."""


def _without_groups(pattern: str) -> str:
    return re.sub(r"\(\?P<\w+>", "(?:", pattern)


_POINT = "(?:" + "|".join(_without_groups(pattern) for pattern, _ in _POINTS) + ")"
_SINCE = r"(?:ever\s+since|since|as of|starting|from|seit|ab|desde|a partir de)"
_UNTIL = r"(?:until|till|til|up to|bis(?:\s+(?:zum|zur))?|hasta)"
_FOR = r"(?:for(?:\s+the)?(?:\s+(?:past|last))?|seit|desde hace)"
_FROM = r"(?:from|between|von|vom|zwischen|de|desde|entre)"
_TO = r"(?:to|until|till|and|through|bis|und|a|hasta|al|y|[-–])"
EXPRESSION = (
    rf"(?:{_FROM}\s+(?:\d{{1,2}}\.?|{_POINT})\s+{_TO}\s+{_POINT}|{_SINCE}\s+{_POINT}|{_UNTIL}\s+{_POINT}"
    rf"|{_FOR}\s+{_without_groups(_N)}\s+{_without_groups(_U)}|{_POINT})(?![^\W_])"
)
"""A pattern, without groups and for folded text, of everything that `resolve_date` may understand."""

_RANGE = rf"(?:{_FROM}\s+)?(?P<a>\d{{1,2}}\.?|{_POINT})\s*{_TO}\s*(?P<b>{_POINT})"
_LONG = rf"{_FOR}\s+{_N}\s+{_U}(?:\s+now)?"
_OPEN = rf"{_SINCE}\s+(?P<point>.+?)(?:\s+on)?"
_CLOSED = rf"{_UNTIL}\s+(?P<point>.+)"


def resolve_date(expression: str, said: datetime, *, past: bool = False) -> DateSpan | None:
    """From when to when, or None when it is not understood or no such days exist.

    "until 2019" and "until May" end where that year or month begins, for that much is certain; "until Friday" ends
    with that day. A range ends with its last day or month, and where its last year begins.

    Args:
        expression: the words of time alone.
        said: when the message was written, with its offset.
        past: what has no year, or is only a weekday, lies before the message instead of ahead of it.
    """
    text = " ".join(expression.casefold().strip(" .,;!").split())
    day = _Said(said.date(), past)
    if match := _compiled(_LONG).fullmatch(text):
        count = int(match["n"]) if match["n"].isdigit() else NUMBERS[match["n"]]
        start = moved(said.date(), -count, UNITS[match["unit"]])
        return None if start is None else DateSpan(_at(start, said), None)
    if point := _point(text, day):
        return DateSpan(_at(point.start, said), _at(point.end, said))
    if match := _compiled(_RANGE).fullmatch(text):
        return _range(match["a"], match["b"], day, said)
    if (match := _compiled(_OPEN).fullmatch(text)) and (
        point := _point(match["point"], _Said(day.day, not text.startswith(_AHEAD)))
    ):
        return DateSpan(_at(point.start, said), None)
    if (match := _compiled(_CLOSED).fullmatch(text)) and (point := _point(match["point"], day)):
        return DateSpan(None, _at(_last_day(point), said))
    return None


_AHEAD = ("from", "as of", "starting", "ab ", "a partir")


def moment(text: str, said: datetime, *, end: bool = False) -> datetime | Literal["impossible"] | None:
    """Return the moment at which the time of a statement begins or ends.

    Args:
        text: an ISO date or time, or an expression ("last week"), from an extractor; may be empty.
        said: when the message was written, to which an expression is relative.
        end: return the end: of a day the midnight after it, of a month or a year its first.

    Returns:
        "impossible" if the text has digits but names no date that exists; None if it has none and is not understood, or has no such bound ("until May" has no
        beginning).
    """
    text = text.strip()
    if not text:
        return None
    if re.match(r"\d{4}-\d\d-\d\d[T ]\d\d", text):
        return _iso(text, said)
    folded = " ".join(text.casefold().split())
    point = _point(folded, _Said(said.date(), end))
    if point is not None:
        return _at(_last_day(point) if end else point.start, said)
    span = resolve_date(text, said)
    if span is not None:
        return span.end if end else span.start
    return "impossible" if re.search(r"\d", text) else None


def _iso(text: str, said: datetime) -> datetime | Literal["impossible"]:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return "impossible"
    if not FIRST_YEAR <= moment.year <= LAST_YEAR:
        return "impossible"
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=said.tzinfo)


def _range(first: str, last: str, day: _Said, said: datetime) -> DateSpan | None:
    end = _point(last, day)
    if end is None:
        return None
    if first.rstrip(".").isdigit() and len(first.rstrip(".")) <= 2:
        start = day_of(end.start.year, end.start.month, int(first.rstrip("."))) if end.unit == "day" else None
    else:
        start = _point(first, day)
        again = start is not None and start.start >= end.end  # "from November to February" is over the new year
        start = _point(first, _Said(end.start, past=True)) if again else start
    if start is None or start.start >= end.end:
        return None
    return DateSpan(_at(start.start, said), _at(end.start if end.unit == "year" else end.end, said))


def _last_day(point: Period) -> date:
    """Return the day at which "until" a period ends: the first day of a month, season or year, else the day after the
    period.
    """
    return point.start if point.unit in ("month", "year", "season") else point.end


def _point(text: str, said: _Said) -> Period | None:
    for pattern, reading in _POINTS:
        if match := _compiled(pattern).fullmatch(text):
            groups = {name: value for name, value in match.groupdict().items() if value is not None}
            period = reading(groups, said)
            if period is not None and period.start.year >= FIRST_YEAR and period.end.year <= LAST_YEAR + 1:
                return period
            return None
    return None


def _at(day: date, said: datetime) -> datetime:
    return datetime.combine(day, time(), said.tzinfo)


def anniversary(text: str, said: datetime) -> str | None:
    """A birthday as ``1990-03-12``, or ``--03-12`` where no year was said."""
    folded = " ".join(text.casefold().strip(" .,;!").split())
    point = _point(folded, _Said(said.date(), past=False))
    if point is None or point.unit != "day":
        return None
    return point.start.isoformat() if re.search(r"\d{4}", folded) else f"--{point.start:%m-%d}"
