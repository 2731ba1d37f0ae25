"""Rules for what stands beside a time: "since", "before", "from … to …", and the prepositions that make a word a time. Pure."""

from __future__ import annotations

from ..extraction.calendar import Period, day_of
from .time_context import Context, instants
from .time_lexicon import Recurring, Token, day_in_each_year
from .time_rule import Made, Parts, Rules, as_token, length_of, relation_first, relation_last, resolved, unit_of
from .time_spans import after, ago, before, latest, nearest, offset, since, spanned, until, weekday_beside

RULES = Rules()


_FROM_ENDINGS = ("dan", "den", "tan", "ten")
"""The Turkish endings of "from"; with the word for "previous" they mean "before"."""


@RULES.add(r"(?P<n>[nU])_?(?P<r>[ba])[_l]*(?P<x>[PRYWk])", relation_first)
@RULES.add(r"(?P<x>[PR])c(?P<n>n)(?P<r>[ba])", relation_last)
def _beside(parts: Parts, context: Context) -> Made:
    count, unit = parts["n"].value if parts["n"].code == "n" else (1, unit_of(parts["n"]))
    other = resolved(parts["x"], context)
    return as_token(other and offset(other, count, unit, parts["r"].code == "b", context))


@RULES.add(r"(?:L_?)?(?P<W>W)[_l]*(?P<r>[ba])[_l]*(?P<x>[PR])", relation_first)
def _weekday_beside(parts: Parts, context: Context) -> Made:
    other = resolved(parts["x"], context)
    return as_token(other and weekday_beside(parts["W"].value, other, parts["r"].code == "b"))


@RULES.add(r"(?P<f>f)?[_l]*(?P<a>[RPYWGk])[_c]*(?P<t>[tu&])[_l]*(?P<b>[RPYWGk])[_oc]*(?P<i>i)?")
@RULES.add(r"(?P<a>[RPYWGk])_*(?P<t>[cs])_*(?P<b>[RPYWGk])[d_]*u", relation_last)
@RULES.add(r"(?P<a>[RP])_*(?P<t>s)_*(?P<b>G)(?!_*u)", relation_last)
def _range(parts: Parts, context: Context) -> Made:
    last_relation = context.language.relation_last
    if parts["t"].code == "&" and not ("f" in parts or (last_relation and "i" in parts)):
        return None
    first, last = parts["a"], parts["b"]
    if last.code == "G" and first.code in "RP":
        last = _same_month(first, last)
    if last is None or "G" in (first.code, last.code):
        return None
    if first.code == "R" and last.code == "Y":
        return None
    loose = parts["t"].end - parts["t"].start > 1 or parts["t"].start > first.end
    if (
        first.code == "Y" == last.code
        and loose
        and not (first.gated or "f" in parts or "i" in parts or context.follows_preposition(first))
    ):
        return None
    end = resolved(last, context)
    if isinstance(last.value, Recurring) and first.code == "P":
        end = latest(last.value, "future", instants(first.value, context)[0])
    start = resolved(first, context)
    if end and isinstance(first.value, Recurring):
        start = latest(first.value, "past", instants(end, context)[1])
    elif end and first.code == "W":
        start = nearest(first.value, context.at(instants(end, context)[0]), "past")
    made = start and end and spanned(start, end, context)
    return as_token(made)


def _same_month(first: Token, last: Token) -> Token | None:
    """Return the token of a day in the month of another: "6月3日から7日まで"."""
    value: Recurring | Period = first.value
    day = value.of(2024) if isinstance(value, Recurring) else value
    each = day and day_in_each_year(day.start.month, last.value)
    if each is None:
        return None
    if first.code == "P":
        period = each.of(first.value.start.year)
        return last._replace(code="P", value=period) if period else None
    return last._replace(code="R", value=each)


@RULES.add(r"(?:f_*)?(?P<a>[NO])[_c]*[tu][_l]*(?P<x>[PR])")
def _days_until_date(parts: Parts, context: Context) -> Made:
    last = resolved(parts["x"], context)
    if parts["a"].doubtful or last is None or not context.is_day(last):
        return None
    first = day_of(last.start.year, last.start.month, parts["a"].value)
    return as_token(first and spanned(first, last, context))


@RULES.add(r"(?P<g>[il])[_l]*(?P<a>[RPYW])_*&[_l]*(?P<x>[RPYW])")
def _pair(parts: Parts, context: Context) -> Made:
    first, last = resolved(parts["a"], context), resolved(parts["x"], context)
    if parts["a"].code == "W" and last:
        first = nearest(parts["a"].value, context.at(instants(last, context)[0]), "past")
    elif parts["a"].code == "R" and last:
        first = latest(parts["a"].value, "past", instants(last, context)[1])
    if not first or not last or instants(first, context)[1] != instants(last, context)[0]:
        return None
    return as_token(spanned(first, last, context))


@RULES.add(r"(?P<r>[sbau])[_l]*(?P<x>[RPYWk])", relation_first)
@RULES.add(r"(?P<x>[RPYWk])[_cdoi]*(?P<r>[sbau])", relation_last)
@RULES.add(r"(?P<x>[RPYWk])[cf](?P<r>L)", relation_last)
def _bounded(parts: Parts, context: Context) -> Made:
    relation, token = parts["r"].code, parts["x"]
    if relation == "L" and not context.question[: parts["r"].start].rstrip().endswith(_FROM_ENDINGS):
        return None  # else as in "2020'den önceki"
    if token.doubtful and (
        context.is_name(token)
        or (token.code == "R" and context.text(parts["r"]) == "by" and context.may_be_name(token))
    ):
        return None
    if relation == "u":
        ahead = context.tense is None or (token.code == "W" and context.tells("future"))
        other = resolved(token, context, "future" if ahead else None)
        return as_token(other and until(other, context))
    if relation == "s" and context.text(parts["r"]) == "des":
        return as_token(resolved(token, context))  # "of the", not "dès"
    if relation == "s":
        other = resolved(token, context, "past")
        return as_token(other and since(other, context))
    other = resolved(token, context)
    return as_token(other and (before if relation in "bL" else after)(other, context))


@RULES.add(r"(?P<r>[sbau])[_l]*(?P<x>P)", relation_first)
def _bounded_again(parts: Parts, context: Context) -> Made:
    return _bounded(parts, context)


@RULES.add(r"(?P<n>n)f(?P<x>P)", relation_first)
def _length_from_day(parts: Parts, context: Context) -> Made:
    day = parts["x"].value
    if not context.is_day(day):
        return None
    return as_token(ago(*length_of(parts["n"]), context.at(instants(day, context)[0]), 1))


@RULES.add(r"(?:i(?=l))?(?P<g>[ilfotT])(?P<the>_)?_*(?P<x>[RPYWk])", relation_first)
@RULES.add(r"(?P<x>[RPYWk])[_oc]*(?P<g>i)", relation_last)
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
    if (
        (gate.code in "fot" and context.may_be_name(token))
        or (token.doubtful and gate.code == "t")
        or (context.is_short(token) and not context.takes_short(gate))
    ):
        return None
    value = resolved(token, context)
    return None if value is None else ("P", value)


@RULES.add(r"(?:(?<=P&)|(?<=P&[_l]))(?P<x>[RYW])")
def _also_in_place(parts: Parts, context: Context) -> Made:
    """Read July in "in May and July"."""
    when = None if context.may_be_name(parts["x"]) else resolved(parts["x"], context)
    return as_token(when)


@RULES.add(r"(?P<a>[_l])(?P<x>[PkY])")
def _article(parts: Parts, context: Context) -> Made:
    token = parts["x"]
    return token._replace(start=parts["a"].start) if token.gated and context.text(parts["a"]).isalpha() else None
