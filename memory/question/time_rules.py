"""Joins the tokens of a question to spans of time, by rules over their letters. Pure; no clock is read.

A rule is a pattern over the letters of all tokens (see `time_tokens`) and a function that makes one token of those that
match; the rules are applied once each, in their order, and so take time in proportion to the question. Languages share
them: those that only some have are tried for these alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..extraction.calendar import day_of, month_of, week_of
from ..text.languages.language import Language
from .time_spans import (
    AHEAD,
    Context,
    Span,
    after,
    ago,
    before,
    calendar_week,
    day_in_week,
    half_of,
    in_month,
    in_year,
    instants,
    latest,
    latest_day_of_month,
    nearest,
    nth_in,
    offset,
    part_of,
    part_of_day,
    part_of_unit,
    relative_recurring,
    relative_unit,
    relative_weekday,
    rolling,
    since,
    spanned,
    until,
)
from .time_tokens import Recurring, Token, day_in_each_year, part_of_year

Parts = Mapping[str, Token]
Made = tuple[str, Any] | Token | None
_STEPS = {"L": -1, "X": 1, "T": 0, "V": -2, "v": 2, "p": -1}


@dataclass(frozen=True)
class Rule:
    """A pattern over letters, and what the tokens that match become: a code with a value, or None to leave them."""

    pattern: str
    make: Callable[[Parts, Context], Made]
    when: Callable[[Language], bool] = lambda language: True

    @cached_property
    def matches(self) -> re.Pattern[str]:
        """The compiled pattern."""
        return re.compile(self.pattern)


RULES: list[Rule] = []


def _rule(pattern: str, when: Callable[[Language], bool] = lambda language: True) -> Callable[..., Any]:
    def add(make: Callable[[Parts, Context], Made]) -> Callable[[Parts, Context], Made]:
        RULES.append(Rule(pattern, make, when))
        return make

    return add


def joined(tokens: Sequence[Token], context: Context) -> Sequence[Token]:
    """Return the tokens after all rules."""
    for rule in RULES:
        if rule.when(context.language):
            tokens = _applied(rule, tokens, context)
    return tokens


def _applied(rule: Rule, tokens: Sequence[Token], context: Context) -> Sequence[Token]:
    letters = "".join(token.code for token in tokens)
    result: list[Token] = []
    at = 0
    for match in rule.matches.finditer(letters):
        parts = {name: tokens[match.start(name)] for name, value in match.groupdict().items() if value}
        made = rule.make(parts, context)
        if made is None:
            continue
        first, last = match.span()
        if not isinstance(made, Token):
            made = Token(*made, tokens[first].start, tokens[last - 1].end)
        result += tokens[at:first]
        result.append(made)
        at = last
    return [*result, *tokens[at:]] if at else tokens


def _adjective_last(language: Language) -> bool:
    return language.adjective_last


def _relation_last(language: Language) -> bool:
    return language.relation_last


def _relation_first(language: Language) -> bool:
    return not language.relation_last


def _unit(token: Token) -> str:
    return token.value[0]


def _as_token(span: Any) -> Made:
    return None if span is None else ("P", span)


@_rule(r"(?P<D>D)")
def _day(parts: Parts, context: Context) -> Made:
    step, part = parts["D"].value
    day = relative_unit("day", step, context)
    return _as_token(part_of_day(day, part, context) if part and day else day)


@_rule(r"(?P<K>K)")
def _unit_word(parts: Parts, context: Context) -> Made:
    return _related(*parts["K"].value, context)


def _related(unit: str, step: int, context: Context) -> Made:
    span = relative_unit(unit, step, context)
    if span is None:
        return None
    return ("Y", context.day.year + step) if unit == "year" else ("k" if unit == "week" else "P", span)


@_rule(r"(?P<C>C)")
def _joined_day(parts: Parts, context: Context) -> Made:
    number, part = parts["C"].value
    day = nearest(number, context)
    return _as_token(day and part_of_day(day, part, context))


@_rule(r"(?P<E>E)")
def _part_word(parts: Parts, context: Context) -> Made:
    unit, part = parts["E"].value
    return _as_token(part_of_unit(unit, ("beginning", "middle", "end").index(part), context))


@_rule(r"(?P<r>[LXT])_?(?P<C>C)")
def _joined_day_from_now(parts: Parts, context: Context) -> Made:
    number, part = parts["C"].value
    day = relative_weekday(number, _STEPS[parts["r"].code], context)
    return _as_token(day and part_of_day(day, part, context))


@_rule(r"q_?(?P<N>[NO])(?:[_of]*(?P<Y>Y))?|(?P<O>[NO])_?q(?:[_of]*(?P<Z>Y))?")
def _calendar_week(parts: Parts, context: Context) -> Made:
    number = (parts.get("N") or parts["O"]).value
    year = parts.get("Y") or parts.get("Z")
    if not 1 <= number <= 53:
        return None
    each = Recurring("week", number, lambda year: calendar_week(year, number))
    return _as_token(each.of(year.value) if year else nearest(each, context))


@_rule(r"![_l]*[NOF]?_*[UWwBSMkn]|!_*$|[N]_?Ug|ng")
def _no_time(_parts: Parts, _context: Context) -> Made:
    return "x", None


@_rule(r"(?P<x>[MWY])(?P<U>U)", _relation_last)
def _with_its_unit(parts: Parts, _context: Context) -> Made:
    kinds = {"M": ("month",), "W": ("day",), "Y": ("year",)}
    token = parts["x"]
    if _unit(parts["U"]) not in kinds[token.code]:
        return None
    return token._replace(end=parts["U"].end, gated=True, doubtful=False)


@_rule(r"(?P<U>U)[_o]*(?P<x>[MY])")
def _unit_and_name(parts: Parts, _context: Context) -> Made:
    if parts["U"].value != ({"M": "month", "Y": "year"}[parts["x"].code], False):
        return None
    return parts["x"]._replace(start=parts["U"].start, gated=True, doubtful=False)


@_rule(r"(?P<U>U)_?(?P<N>N)", _relation_first)
def _decade_of_units(parts: Parts, _context: Context) -> Made:
    if parts["U"].value != ("year", True) or parts["N"].value not in range(20, 100, 10):
        return None
    first, last = in_year(1900 + parts["N"].value), in_year(1909 + parts["N"].value)
    return _as_token(first and last and spanned(first, last, _context))


@_rule(r"(?P<O>[ON])_?(?P<U>U)")
def _quarter(parts: Parts, context: Context) -> Made:
    number = parts["O"]
    if _unit(parts["U"]) != "quarter" or not 1 <= number.value <= 4:
        return None
    if number.code == "N" and not (
        context.language.code == "ja" or (context.text(number).isdigit() and not parts["U"].value[1])
    ):
        return None
    return Token("R", part_of_year(number.value, 3), number.start, parts["U"].end, gated=False)


@_rule(r"(?P<r>[LXTVv])_?(?P<U>U)")
@_rule(r"(?P<U>U)_?(?P<r>[LXV])", _adjective_last)
def _year_from_now(parts: Parts, context: Context) -> Made:
    if _unit(parts["U"]) != "year" or parts["U"].value[1]:
        return None
    return _related("year", _STEPS[parts["r"].code], context)


@_rule(r"(?P<O>[OL])_?(?P<u>[UW])[_oifl]+(?P<x>[MYPU])(?:[_ofl]*(?P<Y>Y))?", _relation_first)
@_rule(r"(?P<u>[UW])_?(?P<O>L)[_oifl]+(?P<x>[MYPU])(?:[_ofl]*(?P<Y>Y))?", _adjective_last)
@_rule(r"(?P<x>[MYPU])[_o]+(?P<O>[OLp])_?(?P<u>[UW])", _relation_last)
def _nth_unit(parts: Parts, context: Context) -> Made:
    whole = _whole(parts, context)
    number = parts["O"].value if parts["O"].code == "O" else -1
    unit = parts["u"].value if parts["u"].code == "W" else _unit(parts["u"])
    return _as_token(whole and nth_in(whole, unit, number))


def _whole(parts: Parts, context: Context) -> Any:
    token = parts["x"]
    if token.code == "M":
        return in_month(token.value, parts["Y"].value if "Y" in parts else None, context)
    if token.code == "U":
        return relative_unit(_unit(token), 0, context)
    return in_year(token.value) if token.code == "Y" else token.value


@_rule(r"(?P<U>U)_?(?P<b>[ba])_?(?P<r>[LX])")
def _but_one(parts: Parts, context: Context) -> Made:
    if (parts["b"].code, parts["r"].code) not in (("b", "L"), ("a", "X")):
        return None
    return _related(_unit(parts["U"]), 2 * _STEPS[parts["r"].code], context)


@_rule(r"(?:T_?)?(?P<r>[LXTVvp])_?(?P<U>U)")
@_rule(r"(?P<U>U)_?(?P<r>[LXV])", _adjective_last)
def _from_now(parts: Parts, context: Context) -> Made:
    unit, plural = parts["U"].value
    code = parts["r"].code
    if code in "Lp" and (plural or code == "p" or unit in ("hour", "minute")):
        return _as_token(rolling(3 if plural else 1, unit, context))
    if plural:
        return None
    return _related(unit, _STEPS[code], context)


@_rule(r"(?P<N>N)_?(?:L|p)_?(?P<U>U)")
def _rolling(parts: Parts, context: Context) -> Made:
    return _as_token(rolling(parts["N"].value, _unit(parts["U"]), context))


@_rule(r"(?P<N>[NF])[_o]?(?P<U>U)")
def _length(parts: Parts, context: Context) -> Made:
    number = parts["N"]
    count = number.value if number.code == "N" else 3
    adjective = count > 1 and bool(context.language.plurals) and not parts["U"].value[1]  # "a 3 day trip"
    return Token(
        "n",
        (count, _unit(parts["U"])),
        number.start,
        parts["U"].end,
        doubtful=adjective or (number.doubtful and count == 1),
    )


@_rule(r"(?P<N>N)&_?(?P<a>N)?_?H_?(?P<U>U)|(?P<M>N)_?(?P<V>U)&_?N?_?H|(?P<O>N)H(?P<W>U)")
def _length_and_half(parts: Parts, _context: Context) -> Made:
    count = next(parts[name].value for name in "NMO" if name in parts)
    unit = _unit(next(parts[name] for name in "UVW" if name in parts))
    lengths = {"year": (12, "month"), "month": (30, "day"), "week": (7, "day"), "hour": (60, "minute")}
    if unit not in lengths:
        return None
    size, smaller = lengths[unit]
    return "n", (count * size + size // 2, smaller)


@_rule(r"(?:T_?)?[LpT]_?(?P<n>n)|s_?(?P<m>n)")
def _rolling_length(parts: Parts, context: Context) -> Made:
    return _as_token(rolling(*(parts.get("n") or parts["m"]).value, context))


@_rule(r"(?P<n>n)_?[Lp]", _adjective_last)
@_rule(r"(?P<n>n)(?:[bc_]*s|_*c?[p])", _relation_last)
def _length_until_now(parts: Parts, context: Context) -> Made:
    return _as_token(rolling(*parts["n"].value, context))


@_rule(r"(?P<A>[Ab])_?(?P<n>n)", lambda language: language.ago_first)
@_rule(r"(?P<n>n)(?P<A>A)", _relation_first)
@_rule(r"(?P<n>n)(?P<A>[Ab])", _relation_last)
def _ago(parts: Parts, context: Context) -> Made:
    if parts["A"].code == "b" and context.language.code not in ("de", "tr", "ja"):
        return None
    return _as_token(ago(*parts["n"].value, context, -1))


@_rule(r"(?P<i>i)(?P<n>n)", _relation_first)
@_rule(r"(?P<n>n)a", _relation_last)
def _ahead(parts: Parts, context: Context) -> Made:
    if "i" in parts and parts["i"].value != "within":
        return None
    return _as_token(ago(*parts["n"].value, context, 1))


@_rule(r"(?P<W>[Ww])[_iofl]*(?P<k>k)")
@_rule(r"(?P<k>k)[_oil]*(?P<W>[Ww])")
def _day_of_week(parts: Parts, _context: Context) -> Made:
    return _as_token(day_in_week(parts["k"].value, parts["W"].value))


@_rule(r"(?P<r>[LXTVv])_?(?P<W>[Ww])")
@_rule(r"(?P<W>W)_?(?P<r>[LXV])", _adjective_last)
def _weekday_from_now(parts: Parts, context: Context) -> Made:
    return _as_token(relative_weekday(parts["W"].value, _STEPS[parts["r"].code], context))


@_rule(r"(?P<x>[PWw])[_il]*(?P<B>[BJ])")
def _part_behind(parts: Parts, context: Context) -> Made:
    return _day_part(parts, context)


@_rule(r"(?P<r>[TL])_?(?P<B>[BJ])")
@_rule(r"(?P<B>[BJ])_?(?P<r>L)", _adjective_last)
def _part_from_now(parts: Parts, context: Context) -> Made:
    day = relative_unit("day", _STEPS[parts["r"].code], context)
    return _as_token(day and part_of_day(day, parts["B"].value or "morning", context))


@_rule(r"J(?![_ofl]+[PRWwMNO])")
def _tomorrow(_parts: Parts, context: Context) -> Made:
    return _as_token(relative_unit("day", 1, context))


def _day_part(parts: Parts, context: Context) -> Made:
    token = parts["x"]
    day = token.value if token.code == "P" else nearest(token.value, context)
    if day is None or not context.is_day(day):
        return None
    return _as_token(part_of_day(day, parts["B"].value or "morning", context))


@_rule(r"(?P<f>f)?[_l]*(?P<a>[NO])[_c]*(?P<t>[tu&s])[_l]*(?P<b>[NO])[_of]*(?P<M>M)(?:[_ofl]*(?P<Y>Y))?[d_]*(?:u|i)?")
@_rule(r"(?P<M>M)_*(?P<a>[NO])[_c]*(?P<t>[tu])[_l]*(?P<b>[NO])(?:_*(?P<Y>Y))?", lambda language: language.month_first)
def _days_of_month(parts: Parts, context: Context) -> Made:
    days = parts["b"].value - parts["a"].value
    if parts["t"].code == "&" and "f" not in parts and not context.language.relation_last and days != 1:
        return None
    month, year = parts["M"].value, parts["Y"].value if "Y" in parts else None
    first, last = (_on_day(parts[name].value, month, year, context) for name in ("a", "b"))
    return _as_token(first and last and spanned(first, last, context))


def _on_day(day: int, month: int, year: int | None, context: Context) -> Any:
    each = day_in_each_year(month, day)
    if each is None:
        return None
    return nearest(each, context) if year is None else each.of(year)


@_rule(r"(?P<d>[NO])[_of]*(?P<M>M)(?:[_ofl]*(?P<Y>Y))?")
@_rule(r"(?P<M>M)_*(?P<d>[NO])(?:_*(?P<Y>Y))?", lambda language: language.month_first)
def _date(parts: Parts, _context: Context) -> Made:
    if parts["d"].doubtful:
        return None
    each = day_in_each_year(parts["M"].value, parts["d"].value)
    day = each and each.of(parts["Y"].value) if "Y" in parts else each
    return (("P" if "Y" in parts else "R"), day) if day else ("Z", None)


@_rule(r"(?P<g>[il])_*(?P<d>O)[_of]+(?P<P>P)|(?P<G>[ilsu])_*(?P<D>O)(?![_ofl]*[UWHMSRBq])")
def _day_of_named_month(parts: Parts, context: Context) -> Made:
    if "P" in parts:
        when = parts["P"].value
        if when.unit != "month":
            return None
        return _as_token(day_of(when.start.year, when.start.month, parts["d"].value))
    day, gate = parts["D"], parts["G"]
    if not context.text(day)[0].isdigit() or not context.ends_phrase(day):
        return None
    span = latest_day_of_month(day.value, context)
    if span is None:
        return None
    return (
        Token("P", span, (gate if gate.code in "il" else day).start, day.end)
        if gate.code in "il"
        else _as_token(since(span, context) if gate.code == "s" else until(span, context))
    )


@_rule(r"(?P<M>M)[_ofl]*(?P<i>i[_ofl]*)?(?P<Y>Y)")
@_rule(r"(?P<Y>Y)[_oil]*(?P<M>M)")
def _month_of_year(parts: Parts, _context: Context) -> Made:
    if "i" in parts and not parts["Y"].gated:
        return None  # "did Ann meet May in 2024?"
    return _as_token(month_of(parts["Y"].value, parts["M"].value))


@_rule(r"(?P<O>O)_?H[_ofl]*(?P<x>[MP])")
@_rule(r"(?P<x>[MP])[_o]*(?P<O>[Op])_?H", _relation_last)
def _half_of(parts: Parts, context: Context) -> Made:
    number = parts["O"].value if parts["O"].code == "O" else 2
    whole = _whole(parts, context)
    return _as_token(whole and half_of(whole, number, context))


@_rule(r"(?P<O>O)_?(?P<H>H)")
def _half_year(parts: Parts, _context: Context) -> Made:
    if parts["O"].value > 2:
        return None
    return Token("R", part_of_year(parts["O"].value, 6), parts["O"].start, parts["H"].end, gated=False)


@_rule(r"(?P<r>[LXT])_?(?P<x>[MSR])")
@_rule(r"(?P<x>[MSR])_?(?P<r>[LX])", _adjective_last)
def _recurring_from_now(parts: Parts, context: Context) -> Made:
    return _as_token(relative_recurring(_recurring(parts["x"]), _STEPS[parts["r"].code], context))


def _recurring(token: Token) -> Recurring:
    return token.value if token.code == "R" else _MADE[token.code](token.value)


_MADE: Mapping[str, Callable[[int], Recurring]] = {
    "M": lambda month: Recurring("month", month, lambda year: month_of(year, month)),
    "S": lambda month: Recurring("season", month, lambda year: Span.season(year, month)),
}


@_rule(r"(?P<x>[MS])")
def _each_year(parts: Parts, _context: Context) -> Made:
    return parts["x"]._replace(code="R", value=_recurring(parts["x"]))


@_rule(r"(?P<w>[wU])")
def _each_week(parts: Parts, _context: Context) -> Made:
    token = parts["w"]
    if token.code == "w":
        return token._replace(code="W")
    if token.value == ("weekend", False):
        return token._replace(code="W", value="weekend", gated=False)
    return None


@_rule(r"(?P<x>R)[_ofli]*(?P<Y>Y)")
@_rule(r"(?P<Y>Y)[_oil]*(?P<x>R)")
def _of_year(parts: Parts, _context: Context) -> Made:
    return _as_token(parts["x"].value.of(parts["Y"].value))


@_rule(r"(?P<W>W)[_il]*(?P<x>[PR])")
def _weekday_with_date(parts: Parts, context: Context) -> Made:
    value = parts["x"].value
    if isinstance(value, Recurring):
        return ("R", value) if value.kind == "day" else None
    if not context.is_day(value):
        return None
    if isinstance(parts["W"].value, int) and not any(map(str.isdigit, context.text(parts["x"]))):
        week = week_of(value.start)  # "Wednesday a week ago"
        return _as_token(week and day_in_week(week, parts["W"].value))
    return "P", value


@_rule(r"(?P<B>[BJ])[_ofl]+(?P<x>[PRW])")
@_rule(r"(?P<x>[R])[_il]*(?P<B>[BJ])")
def _part_in_front(parts: Parts, context: Context) -> Made:
    token = parts["x"]
    return _day_part({**parts, "x": token._replace(code="W")} if token.code == "R" else parts, context)


@_rule(r"(?P<h>[hme])[_ofli]*(?P<x>[RPYk])")
@_rule(r"(?P<x>[RPYk])[_oc]*(?P<h>[hmep])", _relation_last)
def _third(parts: Parts, context: Context) -> Made:
    whole = _resolved(parts["x"], context)
    return _as_token(whole and part_of(whole, "hme".index(parts["h"].code if parts["h"].code != "p" else "e"), context))


@_rule(r"(?P<h>[hme])[_ofl]+(?P<U>U)")
def _third_of_unit(parts: Parts, context: Context) -> Made:
    return _as_token(part_of_unit(_unit(parts["U"]), "hme".index(parts["h"].code), context))


def _resolved(token: Token, context: Context, tense: str | None = None) -> Any:
    if token.code == "Y":
        return in_year(token.value)
    return nearest(token.value, context, tense) if token.code in "RW" else token.value


@_rule(r"(?P<n>[nU])_?(?P<r>[ba])[_l]*(?P<x>[PRYWk])", _relation_first)
@_rule(r"(?P<x>[PR])c(?P<n>n)(?P<r>[ba])", _relation_last)
def _beside(parts: Parts, context: Context) -> Made:
    count, unit = parts["n"].value if parts["n"].code == "n" else (1, _unit(parts["n"]))
    other = _resolved(parts["x"], context)
    return _as_token(other and offset(other, count, unit, parts["r"].code == "b", context))


@_rule(r"(?P<f>f)?[_l]*(?P<a>[RPYWGk])[_c]*(?P<t>[tu&])[_l]*(?P<b>[RPYWGk])[_oc]*(?P<i>i)?")
@_rule(r"(?P<a>[RPYWGk])[_c]*(?P<t>s)_*(?P<b>[RPYWGk])[d_]*u", _relation_last)
def _range(parts: Parts, context: Context) -> Made:
    last_relation = context.language.relation_last
    if parts["t"].code == "&" and not ("f" in parts or (last_relation and "i" in parts)):
        return None
    first, last = parts["a"], parts["b"]
    if last.code == "G" and first.code in "RP":
        last = _same_month(first, last)
    if last is None or "G" in (first.code, last.code):
        return None
    loose = parts["t"].end - parts["t"].start > 1 or parts["t"].start > first.end
    if (
        first.code == "Y" == last.code
        and loose
        and not (first.gated or "f" in parts or "i" in parts or context.follows_preposition(first))
    ):
        return None
    end = _resolved(last, context)
    if isinstance(last.value, Recurring) and first.code == "P":
        end = latest(last.value, AHEAD, instants(first.value, context)[0])
    start = _resolved(first, context)
    if end and isinstance(first.value, Recurring):
        start = latest(first.value, "past", instants(end, context)[1])
    elif end and first.code == "W":
        start = nearest(first.value, context.at(instants(end, context)[0]), "past")
    made = start and end and spanned(start, end, context)
    return _as_token(made)


def _same_month(first: Token, last: Token) -> Token | None:
    """Return the token of a day in the month of another: "6月3日から7日まで"."""
    day = first.value.of(2024) if isinstance(first.value, Recurring) else first.value
    each = day and day_in_each_year(day.start.month, last.value)
    if each is None:
        return None
    if first.code == "P":
        period = each.of(first.value.start.year)
        return last._replace(code="P", value=period) if period else None
    return last._replace(code="R", value=each)


@_rule(r"(?:f_*)?(?P<a>[NO])[_c]*[tu][_l]*(?P<x>[PR])")
def _days_until_date(parts: Parts, context: Context) -> Made:
    last = _resolved(parts["x"], context)
    if parts["a"].doubtful or last is None or not context.is_day(last):
        return None
    first = day_of(last.start.year, last.start.month, parts["a"].value)
    return _as_token(first and spanned(first, last, context))


@_rule(r"(?P<g>[il])[_l]*(?P<a>[RPY])_*&[_l]*(?P<x>[RPY])")
def _pair(parts: Parts, context: Context) -> Made:
    first, last = _resolved(parts["a"], context), _resolved(parts["x"], context)
    if parts["a"].code == "R" and last:
        first = latest(parts["a"].value, "past", instants(last, context)[1])
    if not first or not last or instants(first, context)[1] != instants(last, context)[0]:
        return None
    return _as_token(spanned(first, last, context))


@_rule(r"(?P<r>[sbau])[_l]*(?P<x>[RPYWk])", _relation_first)
@_rule(r"(?P<x>[RPYWk])[_cdoi]*(?P<r>[sbau])", _relation_last)
def _bounded(parts: Parts, context: Context) -> Made:
    relation, token = parts["r"].code, parts["x"]
    if token.doubtful and (context.is_name(token) or context.text(parts["r"]) == "by"):
        return None
    if relation == "u":
        ahead = token.code == "W" and (context.tense is None or context.tells("future"))
        other = _resolved(token, context, "future" if ahead else None)
        return _as_token(other and until(other, context))
    if relation == "s":
        other = _resolved(token, context, "past")
        return _as_token(other and since(other, context))
    other = _resolved(token, context)
    return _as_token(other and (before if relation == "b" else after)(other, context))


@_rule(r"(?P<r>[sbau])[_l]*(?P<x>P)", _relation_first)
def _bounded_again(parts: Parts, context: Context) -> Made:
    return _bounded(parts, context)


@_rule(r"(?P<g>[ilfotT])(?P<the>_)?_*(?P<x>[RPYWk])", _relation_first)
@_rule(r"(?P<x>[RPYWk])[_oc]*(?P<g>i)", _relation_last)
def _in_place(parts: Parts, context: Context) -> Made:
    token, gate = parts["x"], parts["g"]
    if context.text(gate) in ("-", "–") or (
        "/" in context.text(token) and context.text(gate) in ("in", "im", "en", "dans")
    ):
        return None
    month = token.code == "R" and token.value.kind == "month"
    if "the" in parts and token.doubtful and month and context.language.capital_days:
        return None  # "on the march"
    if gate.code in "of" and token.code == "Y" and not token.gated and not context.ends_phrase(token):
        return None  # "the price of 2000 bricks"
    if (token.doubtful and gate.code in "fot") or (context.is_short(token) and not context.takes_short(gate)):
        return None
    value = _resolved(token, context)
    return None if value is None else ("P", value)


@_rule(r"(?P<a>[_l])(?P<x>[Pk])")
def _article(parts: Parts, context: Context) -> Made:
    return ("P", parts["x"].value) if context.text(parts["a"]).isalpha() else None
