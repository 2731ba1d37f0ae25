"""Rules for dates, months, seasons, quarters, feasts, and their parts: "3 May 2025", "Anfang März", 4月上旬. Pure."""

from __future__ import annotations

from ..extraction.calendar import Period, day_of, month_of, week_of, weekend_of
from .time_context import Context, When
from .time_lexicon import Recurring, Token, day_in_each_year, part_of_year
from .time_rule import (
    Made,
    Parts,
    Rules,
    adjective_last,
    as_token,
    month_first,
    part_of_its_day,
    recurring,
    relation_first,
    relation_last,
    resolved,
    unit_of,
    whole_of,
)
from .time_spans import (
    day_in_week,
    half_of,
    latest_day_of_month,
    nearest,
    part_of,
    part_of_unit,
    relative_recurring,
    since,
    spanned,
    until,
)

RULES = Rules()
MOST_YEARS = 20
"""The years back for which two digits behind a month are a year."""
_STEPS = {"L": -1, "X": 1, "T": 0, "p": 0}
_BEFORE_A_DAY = ("am", "vom", "zum")
_THIRDS = {"h": 0, "m": 1, "e": 2, "p": 2}


@RULES.add(
    r"(?P<f>f)?[_l]*(?P<a>[NO])[_c]*(?P<t>[tu&s])[_l]*(?P<b>[NO])[_of]*(?P<M>M)(?:[_ofl]*(?P<Y>Y))?[d_]*(?:u|i)?"
)
@RULES.add(r"(?P<M>M)_*(?P<a>[NO])[_c]*(?P<t>[tu])[_l]*(?P<b>[NO])(?:_*(?P<Y>Y))?", month_first)
def _days_of_month(parts: Parts, context: Context) -> Made:
    days = parts["b"].value - parts["a"].value
    if parts["t"].code == "&" and "f" not in parts and not context.language.relation_last and days != 1:
        return None
    month, year = parts["M"].value, parts["Y"].value if "Y" in parts else None
    first, last = (_on_day(parts[name].value, month, year, context) for name in ("a", "b"))
    return as_token(first and last and spanned(first, last, context))


def _on_day(day: int, month: int, year: int | None, context: Context) -> When | None:
    each = day_in_each_year(month, day)
    if each is None:
        return None
    return nearest(each, context) if year is None else each.of(year)


@RULES.add(r"(?P<i>i)(?P<M>M)_*(?P<N>N)(?!_*[YOH:])", month_first)
def _month_and_short_year(parts: Parts, context: Context) -> Made:
    """Read "in Nov 25" as November 2025: before a day stands "on"."""
    number, this_year = parts["N"], context.day.year
    short = context.text(parts["i"]) == "in" and context.text(number).isdigit() and number.end - number.start == 2
    year = 2000 + number.value
    return as_token(month_of(year, parts["M"].value)) if short and this_year - MOST_YEARS < year <= this_year else None


@RULES.add(r"(?P<d>[NO])[_of]*(?P<M>M)(?:[_ofl]*(?P<Y>Y))?")
@RULES.add(r"(?P<d>N)t(?P<M>M)t(?P<Y>Y)")
@RULES.add(r"(?P<M>M)_*(?P<d>[NO])(?:_*(?P<Y>Y))?", month_first)
def _date(parts: Parts, _context: Context) -> Made:
    if parts["d"].doubtful:
        return None
    each = day_in_each_year(parts["M"].value, parts["d"].value)
    day = each and each.of(parts["Y"].value) if "Y" in parts else each
    return (("P" if "Y" in parts else "R"), day) if day else ("Z", None)


@RULES.add(r"(?P<g>[il])_*(?P<d>O)[_of]+(?P<P>P)|(?P<G>[ilsu])_*(?P<D>O)(?![_ofl]*[UWHMSRBq])")
def _day_of_named_month(parts: Parts, context: Context) -> Made:
    if "P" in parts:
        when = parts["P"].value
        if when.unit != "month":
            return None
        return as_token(day_of(when.start.year, when.start.month, parts["d"].value))
    day, gate = parts["D"], parts["G"]
    if not context.text(day)[0].isdigit() or not context.ends_phrase(day):
        return None
    span = latest_day_of_month(day.value, context)
    if span is None:
        return None
    return (
        Token("P", span, (gate if gate.code in "il" else day).start, day.end)
        if gate.code in "il"
        else as_token(since(span, context) if gate.code == "s" else until(span, context))
    )


@RULES.add(r"(?P<i>i)?_*(?P<W>W)_+(?P<O>O)(?![_ofl]*[UWHMSRBq])")
def _weekday_and_number(parts: Parts, context: Context) -> Made:
    """Read "on Monday the 16th" as the nearest 16th that is a Monday."""
    number, weekday = parts["O"], parts["W"].value
    if not context.text(number)[0].isdigit() or not context.ends_phrase(number):
        return None
    return as_token(latest_day_of_month(number.value, context, weekday if isinstance(weekday, int) else None))


@RULES.add(r"l_*(?P<U>U)(?P<N>N)(?!_*[oUWHMSRBq])|(?P<u>U)o(?P<n>N)i", lambda language: language.code in ("es", "tr"))
@RULES.add(r"l(?P<N>N)(?!_*[oUWHMSRBq])", lambda language: language.code == "fr")
def _number_of_day(parts: Parts, context: Context) -> Made:
    """Read "el día 15", "ayın 15'inde" and "le 15", not "le 15 rue"."""
    unit, number = parts.get("U") or parts.get("u"), parts.get("N") or parts["n"]
    named = unit is None or unit.value == ("month" if "u" in parts else "day", False)
    if not named or not context.text(number).isdigit() or not ("n" in parts or context.ends_phrase(number)):
        return None
    return as_token(latest_day_of_month(number.value, context))


@RULES.add(r"(?P<M>M)[_ofl]*(?P<i>i[_ofl]*)?(?P<Y>Y)")
@RULES.add(r"(?P<Y>Y)[_oil]*(?P<M>M)")
def _month_of_year(parts: Parts, _context: Context) -> Made:
    if "i" in parts and not parts["Y"].gated:
        return None  # "did Ann meet May in 2024?"
    return as_token(month_of(parts["Y"].value, parts["M"].value))


@RULES.add(r"(?P<O>O)_?H[_ofl]*(?P<x>[MP])")
@RULES.add(r"(?P<x>[MP])[_o]*(?P<O>[Op])_?H", relation_last)
def _half_of(parts: Parts, context: Context) -> Made:
    number = parts["O"].value if parts["O"].code == "O" else 2
    whole = whole_of(parts, context)
    return as_token(whole and half_of(whole, number))


@RULES.add(r"(?P<O>O)_?(?P<H>H)")
def _half_year(parts: Parts, _context: Context) -> Made:
    if parts["O"].value > 2:
        return None
    return Token("R", part_of_year(parts["O"].value, 6), parts["O"].start, parts["H"].end, gated=False)


@RULES.add(r"(?P<r>[LXT])_?(?P<x>[MSR])")
@RULES.add(r"(?P<r>p)_?(?P<x>[MSR])", relation_last)
@RULES.add(r"(?P<x>[MSR])_?(?P<r>[LX])", adjective_last)
def _recurring_from_now(parts: Parts, context: Context) -> Made:
    return as_token(relative_recurring(recurring(parts["x"]), _STEPS[parts["r"].code], context))


@RULES.add(r"(?P<x>[MS])")
def _each_year(parts: Parts, _context: Context) -> Made:
    return parts["x"]._replace(code="R", value=recurring(parts["x"]))


@RULES.add(r"(?P<w>[wU])")
def _each_week(parts: Parts, context: Context) -> Made:
    token = parts["w"]
    if token.code == "w":
        return token._replace(code="W")
    if token.value == ("weekend", False):
        return token._replace(code="W", value="weekend", gated=context.language.relation_last)
    return None


@RULES.add(r"(?P<x>R)[_ofl]*(?P<i>i[_ofl]*)?(?P<Y>Y)(?:_*t_*(?P<Z>Y))?")
@RULES.add(r"(?P<Y>Y)[_oil]*(?P<x>R)")
def _of_year(parts: Parts, _context: Context) -> Made:
    if "Z" in parts and (parts["x"].value.kind != "season" or parts["Z"].value != parts["Y"].value + 1):
        return None  # "winter 2021 - 2022" is one
    if "i" in parts and not parts["Y"].gated and parts["x"].value.kind == "month":
        return None
    return as_token(parts["x"].value.of(parts["Y"].value))


@RULES.add(r"(?P<W>W)[_il]*(?P<x>[PR])")
def _weekday_with_date(parts: Parts, context: Context) -> Made:
    value = parts["x"].value
    if isinstance(value, Recurring):
        return ("R", value) if value.kind == "day" else None
    if not context.is_day(value):
        return None
    if isinstance(parts["W"].value, int) and not any(map(str.isdigit, context.text(parts["x"]))):
        week = week_of(value.start)  # "Wednesday a week ago"
        return as_token(week and day_in_week(week, parts["W"].value))
    return "P", value


@RULES.add(r"(?P<x>[PR])_*W")
def _date_with_weekday(parts: Parts, context: Context) -> Made:
    value = parts["x"].value
    if isinstance(value, Recurring):
        return ("R", value) if value.kind == "day" else None
    return ("P", value) if context.is_day(value) and any(map(str.isdigit, context.text(parts["x"]))) else None


@RULES.add(r"(?P<g>[if])_?(?P<j>j)")
def _day_and_month(parts: Parts, context: Context) -> Made:
    """Read "am 14.5", not "um 14.05 Uhr" and "in 2.5 hours"."""
    return as_token(nearest(parts["j"].value, context)) if context.text(parts["g"]) in _BEFORE_A_DAY else None


@RULES.add(r"(?P<x>P)[_o]*(?P<G>G)|(?P<g>G)_*i", relation_last)
def _numbered_day(parts: Parts, context: Context) -> Made:
    if "g" in parts:
        return as_token(latest_day_of_month(parts["g"].value, context))
    when: When = parts["x"].value
    if when.unit != "month":
        return None
    return as_token(day_of(when.start.year, when.start.month, parts["G"].value))


@RULES.add(r"(?P<u>[UW])[_ofl]+(?P<x>[PR])", relation_first)
def _week_of_day(parts: Parts, context: Context) -> Made:
    """Read "the week of March 10" and "das Wochenende vom 3. Mai"."""
    day, unit = resolved(parts["x"], context), parts["u"].value
    if unit not in (("week", False), "weekend") or not isinstance(day, Period) or not context.is_day(day):
        return None
    return ("k", week_of(day.start)) if parts["u"].code == "U" else as_token(weekend_of(day.start))


@RULES.add(r"(?P<B>[BJ])[_ofl]+(?P<x>[PRW])")
@RULES.add(r"(?P<x>[R])[_il]*(?P<B>[BJ])")
def _part_in_front(parts: Parts, context: Context) -> Made:
    token = parts["x"]
    return part_of_its_day({**parts, "x": token._replace(code="W")} if token.code == "R" else parts, context)


@RULES.add(r"(?P<h>[hme])[_ofli]*(?P<x>[RPYk])")
@RULES.add(r"(?P<x>[RPYk])[_oc]*(?P<h>[hme]|p(?=[ic]))", relation_last)
def _third(parts: Parts, context: Context) -> Made:
    whole = resolved(parts["x"], context)
    return as_token(whole and part_of(whole, _THIRDS[parts["h"].code], context))


@RULES.add(r"(?P<h>[hme])[_ofl]+(?P<U>U)", relation_first)
@RULES.add(r"(?P<U>U)[_o]+(?P<h>[hmep])", relation_last)
def _third_of_unit(parts: Parts, context: Context) -> Made:
    return as_token(part_of_unit(unit_of(parts["U"]), _THIRDS[parts["h"].code], context))
