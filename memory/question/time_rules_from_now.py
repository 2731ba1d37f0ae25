"""Rules for times relative to now: "last week", "vor drei Tagen", "los últimos 7 días", 来週. Pure."""

from __future__ import annotations

from .time_context import Context
from .time_lexicon import Recurring, Token, part_of_year
from .time_rule import (
    STEPS,
    Made,
    Parts,
    Rules,
    adjective_last,
    as_token,
    length_of,
    month_first,
    part_of_its_day,
    relation_first,
    relation_last,
    unit_of,
    whole_of,
)
from .time_spans import (
    ago,
    calendar_week,
    day_in_week,
    in_month,
    in_year,
    nearest,
    nth_in,
    nth_length,
    part_of,
    part_of_day,
    part_of_unit,
    relative_unit,
    relative_weekday,
    rolling,
    spanned,
)

RULES = Rules()


@RULES.add(r"(?<=A)(?P<D>D)")
@RULES.add(r"(?P<D>D)(?=[Ab]_?(?:N_?U|n))", lambda language: language.ago_first)
def _today_of_ago(parts: Parts, _context: Context) -> Made:
    """Read "a week ago today" and "heute vor einer Woche" as one day."""
    return parts["D"]._replace(code="_") if parts["D"].value == (0, None) else None


@RULES.add(r"(?P<D>D)")
def _day(parts: Parts, context: Context) -> Made:
    step, part = parts["D"].value
    day = relative_unit("day", step, context)
    return as_token(part_of_day(day, part, context) if part and day else day)


@RULES.add(r"(?P<K>K)")
def _unit_word(parts: Parts, context: Context) -> Made:
    unit, step = parts["K"].value
    return _related(unit, step, context)


def _related(unit: str, step: int, context: Context) -> Made:
    span = relative_unit(unit, step, context)
    if span is None:
        return None
    return ("Y", context.day.year + step) if unit == "year" else ("k" if unit == "week" else "P", span)


@RULES.add(r"(?P<C>C)")
def _joined_day(parts: Parts, context: Context) -> Made:
    number, part = parts["C"].value
    day = nearest(number, context)
    return as_token(day and part_of_day(day, part, context))


@RULES.add(r"(?P<E>E)")
def _part_word(parts: Parts, context: Context) -> Made:
    unit, part = parts["E"].value
    return as_token(part_of_unit(unit, ("beginning", "middle", "end").index(part), context))


@RULES.add(r"(?P<r>[LXT])_?(?P<C>C)")
def _joined_day_from_now(parts: Parts, context: Context) -> Made:
    number, part = parts["C"].value
    day = relative_weekday(number, STEPS[parts["r"].code], context)
    return as_token(day and part_of_day(day, part, context))


@RULES.add(r"q_?(?P<N>[NO])(?:[_of]*(?P<Y>Y))?|(?P<O>[NO])_?q(?:[_of]*(?P<Z>Y))?")
def _calendar_week(parts: Parts, context: Context) -> Made:
    number = (parts.get("N") or parts["O"]).value
    year = parts.get("Y") or parts.get("Z")
    if not 1 <= number <= 53:
        return None
    each = Recurring("week", number, lambda year: calendar_week(year, number))
    return as_token(each.of(year.value) if year else nearest(each, context))


@RULES.add(r"[il]_*(?P<U>U)_?(?P<N>N)(?:[_of]*(?P<Y>Y)|(?!o))")
def _numbered_week(parts: Parts, context: Context) -> Made:
    """Read "in week 47", not "in week 2 of the course" and "in the week 3 people came"."""
    if parts["U"].value != ("week", False) or not (
        context.text(parts["N"]).isdigit() and context.ends_phrase(parts["N"])
    ):
        return None
    return _calendar_week(parts, context)


@RULES.add(r"![_l]*[NOF]?_*[UWwBSMkn]|!_*$|[N]_?Ug|ng")
def _no_time(_parts: Parts, _context: Context) -> Made:
    return "x", None


@RULES.add(r"(?P<x>[MWY])(?P<U>U)", relation_last)
def _with_its_unit(parts: Parts, _context: Context) -> Made:
    kinds = {"M": ("month",), "W": ("day",), "Y": ("year",)}
    token = parts["x"]
    if unit_of(parts["U"]) not in kinds[token.code]:
        return None
    return token._replace(end=parts["U"].end, gated=True, doubtful=False)


@RULES.add(r"(?P<U>U)[_of]*(?P<x>[MY])")
def _unit_and_name(parts: Parts, _context: Context) -> Made:
    if parts["U"].value != ({"M": "month", "Y": "year"}[parts["x"].code], False):
        return None
    return parts["x"]._replace(start=parts["U"].start, gated=True, doubtful=False)


@RULES.add(r"(?P<U>U)_?(?P<N>N)", relation_first)
def _decade_of_units(parts: Parts, context: Context) -> Made:
    if parts["U"].value != ("year", True) or parts["N"].value not in range(20, 100, 10):
        return None
    first, last = in_year(1900 + parts["N"].value), in_year(1909 + parts["N"].value)
    return as_token(first and last and spanned(first, last, context))


@RULES.add(r"(?P<O>[ON])_?(?P<U>U)")
def _quarter(parts: Parts, context: Context) -> Made:
    number = parts["O"]
    if unit_of(parts["U"]) != "quarter" or not 1 <= number.value <= 4:
        return None
    if number.code == "N" and not (
        context.language.code == "ja" or (context.text(number).isdigit() and not parts["U"].value[1])
    ):
        return None
    return Token("R", part_of_year(number.value, 3), number.start, parts["U"].end, gated=False)


@RULES.add(r"(?P<i>i)_L(?P<U>U)(?![_il]*o[_ofl]*[MYRP])", month_first)
def _rolling_unit(parts: Parts, context: Context) -> Made:
    """Read "in the last year" as the year up to now; "last year" is that of the calendar."""
    unit, plural = parts["U"].value
    rolls = not plural and unit in ("week", "month", "year") and context.text(parts["i"]) != "on"
    return as_token(rolling(1, unit, context)) if rolls else None


@RULES.add(r"(?P<r>[LXTVv])_?(?P<U>U)")
@RULES.add(r"(?P<U>U)_?(?P<r>[LXV])", adjective_last)
def _year_from_now(parts: Parts, context: Context) -> Made:
    if unit_of(parts["U"]) != "year" or parts["U"].value[1]:
        return None
    return _related("year", STEPS[parts["r"].code], context)


@RULES.add(r"(?P<N>N)_?(?P<O>[LO])_?(?P<U>U)[_oifl]+(?P<x>[MYP])(?:[_ofl]*(?P<Y>Y))?", adjective_last)
def _nth_units(parts: Parts, context: Context) -> Made:
    whole = whole_of(parts, context)
    number = parts["O"].value if parts["O"].code == "O" else -1
    return as_token(whole and nth_length(whole, parts["N"].value, unit_of(parts["U"]), number))


@RULES.add(r"(?P<O>[OL])_?(?P<u>[UW])[_oifl]+(?P<x>[MYPU])(?:[_ofl]*(?P<Y>Y))?", relation_first)
@RULES.add(r"(?P<u>[UW])_?(?P<O>L)[_oifl]+(?P<x>[MYPU])(?:[_ofl]*(?P<Y>Y))?", adjective_last)
@RULES.add(r"(?:(?P<Y>Y)_*(?=M))?(?P<x>[MYPU])[_o]+(?P<O>[OLp])_?(?P<u>[UW])", relation_last)
def _nth_unit(parts: Parts, context: Context) -> Made:
    whole = whole_of(parts, context)
    number = parts["O"].value if parts["O"].code == "O" else -1
    if parts["u"].code == "W":
        return as_token(whole and nth_in(whole, parts["u"].value, number))
    if parts["u"].value[1]:  # "the last days of May"
        return as_token(whole and part_of(whole, 0 if number == 1 else 2, context)) if number in (1, -1) else None
    return as_token(whole and nth_in(whole, unit_of(parts["u"]), number))


@RULES.add(r"(?P<O>[OL])_?(?P<z>z)(?:[_ofl]*(?P<Y>Y))?")
def _nth_of_month(parts: Parts, context: Context) -> Made:
    month, unit = parts["z"].value
    whole = in_month(month, parts["Y"].value if "Y" in parts else None, context)
    return as_token(whole and nth_in(whole, unit, parts["O"].value if parts["O"].code == "O" else -1))


@RULES.add(r"(?P<U>U)_?(?P<b>[ba])_?(?P<r>[LX])")
def _but_one(parts: Parts, context: Context) -> Made:
    if (parts["b"].code, parts["r"].code) not in (("b", "L"), ("a", "X")):
        return None
    return _related(unit_of(parts["U"]), 2 * STEPS[parts["r"].code], context)


@RULES.add(r"(?P<N>N)_?(?:L|p)_?(?P<U>U)")
def _rolling(parts: Parts, context: Context) -> Made:
    return as_token(rolling(parts["N"].value, unit_of(parts["U"]), context))


@RULES.add(r"(?:T_?)?(?P<r>[LXTVvp])_?(?P<U>U)(?!_?[ba][_l]*[NOMPRY])")
@RULES.add(r"(?P<U>U)_?(?P<r>[LXV])", adjective_last)
def _from_now(parts: Parts, context: Context) -> Made:
    unit, plural = parts["U"].value
    code = parts["r"].code
    if code == "p" and unit == "weekend" and not plural:
        code = "L"
    if code in "Lp" and (plural or code == "p" or unit in ("hour", "minute")):
        return as_token(rolling(3 if plural else 1, unit, context))
    if plural or (unit == "day" and code == "L"):
        return None  # "the last day" is not yesterday
    return _related(unit, STEPS[code], context)


@RULES.add(r"(?P<N>N)&_?(?P<a>N)?_?H_?(?P<U>U)|(?P<M>N)_?(?P<V>U)&_?N?_?H|(?P<O>N)H(?P<W>U)")
def _length_and_half(parts: Parts, _context: Context) -> Made:
    count = next(parts[name].value for name in "NMO" if name in parts)
    unit = unit_of(next(parts[name] for name in "UVW" if name in parts))
    lengths = {"year": (12, "month"), "month": (30, "day"), "week": (7, "day"), "hour": (60, "minute")}
    if unit not in lengths:
        return None
    size, smaller = lengths[unit]
    return "n", (count * size + size // 2, smaller)


@RULES.add(r"(?P<N>[NF])[_o]?(?P<U>U)")
def _length(parts: Parts, context: Context) -> Made:
    number = parts["N"]
    count = number.value if number.code == "N" else 3
    adjective = count > 1 and bool(context.language.plurals) and not parts["U"].value[1]  # "a 3 day trip"
    return Token(
        "n",
        (count, unit_of(parts["U"])),
        number.start,
        parts["U"].end,
        doubtful=adjective or (number.doubtful and count == 1),
    )


@RULES.add(r"(?P<O>[LO])_?(?P<n>n)[_oifl]+(?P<x>[MYP])(?:[_ofl]*(?P<Y>Y))?", relation_first)
@RULES.add(r"(?P<x>[MYP])[o_]+(?P<O>[Op])_?(?P<n>n)", relation_last)
def _nth_length(parts: Parts, context: Context) -> Made:
    whole = whole_of(parts, context)
    count, unit = length_of(parts["n"])
    return as_token(whole and nth_length(whole, count, unit, parts["O"].value if parts["O"].code == "O" else -1))


@RULES.add(r"(?:T_?)?[LpT]_?(?P<n>n)|s_?(?P<m>n)")
def _rolling_length(parts: Parts, context: Context) -> Made:
    return as_token(rolling(*length_of(parts.get("n") or parts["m"]), context))


@RULES.add(r"(?P<n>n)_?[Lp]", adjective_last)
@RULES.add(r"(?P<n>n)(?:[bc_]*s|_*c?[p])", relation_last)
def _length_until_now(parts: Parts, context: Context) -> Made:
    return as_token(rolling(*length_of(parts["n"]), context))


@RULES.add(r"A_?(?P<N>N)_?[tu&]_?(?P<n>n)|b_?(?P<M>N)_?[tu]_?(?P<m>n)", lambda language: language.ago_first)
@RULES.add(r"(?P<N>N)_?[tu&]_?(?P<n>n)A", relation_first)
@RULES.add(r"(?P<N>N)_?[t&]_?(?P<n>n)[Ab]", relation_last)
def _between_lengths_ago(parts: Parts, context: Context) -> Made:
    count, unit = length_of(parts.get("n") or parts["m"])
    near = ago((parts.get("N") or parts["M"]).value, unit, context, -1)
    far = ago(count, unit, context, -1)
    return as_token(near and far and spanned(far, near, context))


@RULES.add(r"(?P<n>n)(?P<a>a)(?![_l]*[PRYWkNOM])", relation_first)
def _from_now_on(parts: Parts, context: Context) -> Made:
    return as_token(ago(*length_of(parts["n"]), context, 1)) if context.text(parts["a"]) == "from now" else None


@RULES.add(r"(?P<A>[Ab])_?(?P<n>n)", lambda language: language.ago_first)
@RULES.add(r"(?P<n>n)(?P<A>A)", relation_first)
@RULES.add(r"(?P<n>n)(?P<A>[Ab])", relation_last)
def _ago(parts: Parts, context: Context) -> Made:
    if parts["A"].code == "b" and context.language.code not in ("de", "tr", "ja"):
        return None
    return as_token(ago(*length_of(parts["n"]), context, -1))


@RULES.add(r"(?P<i>i)(?P<n>n)", relation_first)
@RULES.add(r"(?P<n>n)a", relation_last)
def _ahead(parts: Parts, context: Context) -> Made:
    if "i" in parts and parts["i"].value != "within":
        return None
    return as_token(ago(*length_of(parts["n"]), context, 1))


@RULES.add(r"(?P<W>[Ww])[_iofl]*(?P<k>k)")
@RULES.add(r"(?P<k>k)[_oil]*(?P<W>[Ww])")
def _day_of_week(parts: Parts, _context: Context) -> Made:
    return as_token(day_in_week(parts["k"].value, parts["W"].value))


@RULES.add(r"(?:T_?)?(?P<r>[LXTVvp])_?(?P<W>[Ww])(?!_?[ba][_l]*[NOMPRY])")
@RULES.add(r"(?P<W>W)_?(?P<r>[LXV])", adjective_last)
@RULES.add(r"_?(?P<W>W)(?P<r>b)_?L", relation_first)
def _weekday_from_now(parts: Parts, context: Context) -> Made:
    if parts["r"].code == "b":  # "the Tuesday before last"
        return as_token(relative_weekday(parts["W"].value, -2, context))
    step = 0 if parts["r"].code == "p" and context.language.code == "ja" else STEPS[parts["r"].code]
    return as_token(relative_weekday(parts["W"].value, step, context))


@RULES.add(r"(?P<x>[PWw])[_il]*(?P<B>[BJ])")
def _part_behind(parts: Parts, context: Context) -> Made:
    return part_of_its_day(parts, context)


@RULES.add(r"(?P<r>[TL])_?(?P<B>[BJ])")
@RULES.add(r"(?P<B>[BJ])_?(?P<r>L)", adjective_last)
def _part_from_now(parts: Parts, context: Context) -> Made:
    day = relative_unit("day", STEPS[parts["r"].code], context)
    return as_token(day and part_of_day(day, parts["B"].value or "morning", context))


@RULES.add(r"J[_i]*(?P<B>B)")
def _part_of_tomorrow(parts: Parts, context: Context) -> Made:
    day = relative_unit("day", 1, context)
    return as_token(day and part_of_day(day, parts["B"].value, context))


@RULES.add(r"J(?![_ofl]+[PRWwMNO])")
def _tomorrow(_parts: Parts, context: Context) -> Made:
    return as_token(relative_unit("day", 1, context))
