"""Computes the spans that words of time mean, relative to a moment. Pure.

A span of whole days is a `Period`; one that begins or ends within a day is a `Span`. Functions return None where the
calendar ends.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from ..extraction.calendar import (
    FIRST_YEAR,
    LAST_YEAR,
    Period,
    day_of,
    days_from,
    days_later,
    month_of,
    moved,
    one_day,
    season_of,
    week_of,
    weekend_of,
    year_of,
)
from ..text.languages.language import DayPart
from .time_context import Context, Span, Tense, When, instants, midnight
from .time_lexicon import Recurring

_HOURS: dict[DayPart, tuple[int, int]] = {
    "morning": (6, 12), "noon": (11, 14), "afternoon": (12, 18), "evening": (18, 24), "night": (18, 30),
}  # fmt: skip
"""The hours at which parts of a day begin and end; a night ends on the next morning."""
_MOST_PARTS = 400
_FEWEST_DAYS = 3
"""The length of the shortest span of which there is a beginning, a middle and an end."""


def in_year(year: int) -> Period | None:
    """Return a year."""
    return year_of(year)


def relative_unit(unit: str, step: int, context: Context) -> When | None:
    """Return the unit so many steps away from the present one."""
    day = context.day
    if unit == "day":
        return one_day(days_later(day, step))
    if unit == "week":
        return week_of(days_later(day, 7 * step))
    if unit == "weekend":
        return weekend_of(days_later(day, 7 * step))
    if unit == "month":
        return month_of(day.year, day.month + step)
    if unit == "quarter":
        return _quarter_of(day.year, (day.month - 1) // 3 + step)
    if unit == "year":
        return year_of(day.year + step)
    return None


def _quarter_of(year: int, index: int) -> Period | None:
    return season_of(year + index // 4, index % 4 * 3 + 1)


def rolling(count: int, unit: str, context: Context) -> Span | None:
    """Return the span of so many units up to now: hours exactly, others from the beginning of a day."""
    now = context.now
    if unit in ("hour", "minute"):
        start = _hours_later(now, -count if unit == "hour" else -count / 60)
    else:
        day = _moved(context.day, -count, unit)
        start = None if day is None else midnight(day, context)
    return None if start is None or start >= now else Span(start, now)


def _hours_later(now: datetime, hours: float) -> datetime | None:
    try:
        return (now.astimezone(UTC) + timedelta(hours=hours)).astimezone(now.tzinfo)
    except OverflowError:
        return None


def _moved(day: date, count: int, unit: str) -> date | None:
    if unit == "weekend":
        return moved(day, count, "week")
    if unit == "quarter":
        return moved(day, 3 * count, "month")
    return moved(
        day, count, "year" if unit == "year" else "month" if unit == "month" else "week" if unit == "week" else "day"
    )


def ago(count: int, unit: str, context: Context, sign: int) -> When | None:
    """Return what lies so many units away: a day for days and one week, else the week, the month or the year around."""
    if unit in ("hour", "minute"):
        moment = _hours_later(context.now, sign * (count if unit == "hour" else count / 60))
        start, end = _hours_later(moment, -0.5) if moment else None, _hours_later(moment, 0.5) if moment else None
        return Span(start, end, "hour") if start and end else None
    day = _moved(context.day, sign * count, unit)
    if day is None:
        return None
    if unit == "weekend":
        return weekend_of(day)
    if unit == "week" and count > 1:
        return week_of(day)
    if unit == "quarter":
        return _quarter_of(day.year, (day.month - 1) // 3)
    if unit == "month" or (unit == "year" and count == 1):
        return month_of(day.year, day.month)
    return year_of(day.year) if unit == "year" else one_day(day)


def day_in_week(week: When, weekday: int | str) -> Period | None:
    """Return the weekday, or the weekend, of a week."""
    assert isinstance(week, Period)
    if isinstance(weekday, str):
        return weekend_of(week.start)
    return one_day(days_later(week.start, weekday - 1))


def relative_weekday(weekday: int | str, step: int, context: Context) -> Period | None:
    """Return the last such day before today, the first after it, or for step 0 the one of these days."""
    day = context.day
    if isinstance(weekday, str):
        return weekend_of(days_later(day, 7 * step))
    ahead = (weekday - 1 - day.weekday()) % 7
    if step == 0 and context.tense == "past" and ahead:
        return one_day(days_later(day, weekday - 1 - day.weekday()))
    if step < 0:
        return one_day(days_later(day, ahead + 7 * step))
    return one_day(days_later(day, (ahead or (7 if step else 0)) + 7 * max(0, step - 1)))


def _near(recurring: Recurring, day: date) -> list[Period]:
    reach = 8 if recurring.kind == "day" else 2  # 29 February comes once in eight years at the rarest
    years = range(max(FIRST_YEAR, day.year - reach), day.year + reach + 1)
    return [period for year in years if (period := recurring.of(year))]


def nearest(what: Recurring | int | str, context: Context, tense: Tense | None = None) -> When | None:
    """Return the last of what recurs that has begun, or in a question about the future the first that is not over.

    Args:
        what: a time of each year, the number of a weekday, or "weekend".
        context: of the question.
        tense: overrules that of the question.
    """
    tense = tense or context.tense or "past"
    day = context.day
    if isinstance(what, Recurring):
        near = _near(what, day)
        if tense == "past":
            return max((each for each in near if each.start <= day), key=lambda each: each.start, default=None)
        return min((each for each in near if each.end > day), key=lambda each: each.start, default=None)
    if isinstance(what, str):
        begun = day.weekday() >= 5
        return weekend_of(day if begun or tense == "future" else days_later(day, -7))
    ahead = (what - 1 - day.weekday()) % 7
    return one_day(days_later(day, ahead if tense == "future" else ahead - 7))


def latest(what: Recurring, tense: Tense, bound: datetime) -> Period | None:
    """Return the last of what recurs that begins before a moment, or the first that begins from it on."""
    near = _near(what, bound.date())
    if tense == "past":
        return max((each for each in near if each.start < bound.date()), key=lambda each: each.start, default=None)
    return min((each for each in near if each.start >= bound.date()), key=lambda each: each.start, default=None)


def relative_recurring(what: Recurring, step: int, context: Context) -> Period | None:
    """Return the last of what recurs that is over, the next to begin, or that of these months.

    Last March is the latest that is well over: of the one just past people say "last month".
    """
    day = context.day
    near = _near(what, day)
    if step < 0:
        over = day
        if what.kind == "month":
            month = month_of(day.year, day.month - 1)
            over = month.start if month else day
        return max((each for each in near if each.end <= over), key=lambda each: each.end, default=None)
    if step > 0:
        return min((each for each in near if each.start > day), key=lambda each: each.start, default=None)
    ahead = min((each for each in near if each.end > day), key=lambda each: each.end, default=None)
    return ahead if context.tense == "future" else next((each for each in near if each.start.year == day.year), ahead)


def part_of_day(day: When, part: DayPart, context: Context) -> Span | None:
    """Return the hours of a part of a day."""
    assert isinstance(day, Period)
    first, last = _HOURS[part]
    start = midnight(day.start, context).replace(hour=first)
    end = days_later(day.start, last // 24)
    return None if end is None else Span(start, midnight(end, context).replace(hour=last % 24))


def calendar_week(year: int, number: int) -> Period | None:
    """Return the week of a year with this number; None if the year has none."""
    first = week_of(date(year, 1, 4)) if FIRST_YEAR <= year <= LAST_YEAR else None
    week = first and week_of(days_later(first.start, 7 * (number - 1)))
    return week if week and days_later(week.start, 3) and (week.start + timedelta(days=3)).year == year else None


def latest_day_of_month(number: int, context: Context, weekday: int | None = None) -> Period | None:
    """Return the last day with this number in its month that has begun, or the first ahead in a question about the
    future; with a weekday, the last or first that is one.
    """
    day, future = context.day, context.tense == "future"
    for step in range(4 if weekday is None else 12):
        month = month_of(day.year, day.month + (step if future else -step))
        each = month and day_of(month.start.year, month.start.month, number)
        if each and weekday is not None and each.start.isoweekday() != weekday:
            continue
        if each and (each.end > day if future else each.start <= day):
            return each
    return None


def in_month(month: int, year: int | None, context: Context) -> When | None:
    """Return a month of a year, or the nearest one."""
    if year is not None:
        return month_of(year, month)
    return nearest(Recurring("month", month, lambda each: month_of(each, month)), context)


def nth_in(whole: When, unit: str | int, number: int) -> When | None:
    """Return the nth unit of a span, or the nth of a weekday; the last for -1. Weeks are counted from its first day."""
    if isinstance(whole, Span):
        return None
    if unit == "week":
        weeks = (whole.end - whole.start).days // 7
        place = (whole.end - timedelta(days=7)) if number < 0 else whole.start + timedelta(days=7 * (number - 1))
        return Period(place, min(whole.end, place + timedelta(days=7)), "week") if number <= weeks + 1 else None
    if isinstance(unit, int):
        days = (unit - 1 - whole.start.weekday()) % 7 + 7 * (number - 1)
        if number < 0:
            days = (whole.end - whole.start).days - 1 - (whole.end.weekday() - unit) % 7
        day = days_later(whole.start, days)
        return one_day(day) if day and whole.start <= day < whole.end else None
    parts: list[Period] = []
    day: date | None = whole.start
    while day is not None and day < whole.end and len(parts) < _MOST_PARTS:
        part = _unit_around(day, unit)
        if part is None:
            return None
        if part.start >= whole.start:
            parts.append(part)
        day = days_later(part.end, 5) if unit == "weekend" else part.end
    return parts[number if number < 0 else number - 1] if number <= len(parts) and parts else None


def _unit_around(day: date, unit: str) -> Period | None:
    if unit == "day":
        return one_day(day)
    if unit == "weekend":
        return weekend_of(day)
    if unit == "quarter":
        return _quarter_of(day.year, (day.month - 1) // 3)
    return month_of(day.year, day.month) if unit == "month" else None


def part_of(whole: When, number: int, context: Context) -> When:
    """Return the beginning, the middle or the end of a span: ten days of a month, else a third."""
    start, end = instants(whole, context)
    days = (end.date() - start.date()).days
    if days < _FEWEST_DAYS:
        return whole
    month = isinstance(whole, Period) and whole.unit == "month"
    first, last = (10 * place if month else round(days * place / 3) for place in (number, number + 1))
    if number == 2:
        last = days
    return Period(start.date() + timedelta(days=first), start.date() + timedelta(days=last), "day")


def part_of_unit(unit: str, number: int, context: Context) -> When | None:
    """Return the beginning, the middle or the end of the present unit, or of the last one where it is still ahead."""
    if unit not in ("week", "month", "quarter", "year"):
        return None
    present = relative_unit(unit, 0, context)
    part = present and part_of(present, number, context)
    if part and context.tense != "future" and instants(part, context)[0] > context.now:
        earlier = relative_unit(unit, -1, context)
        return earlier and part_of(earlier, number, context)
    return part


def half_of(whole: When, number: int) -> When | None:
    """Return the first or the second half of a span: of a month the days to the 15th, of a year six months."""
    if number > 2 or isinstance(whole, Span):
        return None
    if whole.unit == "month":
        middle = whole.start + timedelta(days=15)
    else:
        middle = moved(whole.start, 6, "month") if whole.unit == "year" else None
        middle = middle or whole.start + timedelta(days=(whole.end - whole.start).days // 2)
    return Period(whole.start, middle, "day") if number == 1 else Period(middle, whole.end, "day")


def offset(other: When, count: int, unit: str, earlier: bool, context: Context) -> When | None:
    """Return what lies so many units before or after a span: the day before it, the week after it."""
    start, end = instants(other, context)
    if unit in ("hour", "minute"):
        return None
    if count > 1:
        day = _moved(start.date(), -count if earlier else count, unit)
        return (
            None
            if day is None
            else week_of(day)
            if unit == "week"
            else one_day(day)
            if unit == "day"
            else month_of(day.year, day.month)
        )
    if earlier:
        day = _moved(start.date(), -1, unit)
        return None if day is None else days_from(day, 0, max(1, (start.date() - day).days), "day")
    day = _moved(end.date(), 1, unit)
    return None if day is None else days_from(end.date(), 0, max(1, (day - end.date()).days), "day")


def weekday_beside(weekday: int | str, other: When, earlier: bool) -> When | None:
    """Return the last such day, or weekend, before a span, or the first one after it."""
    if isinstance(other, Span):
        return None
    if isinstance(weekday, str):
        near = weekend_of(other.start if earlier else other.end)
        if earlier and near and near.end > other.start:
            near = weekend_of(days_later(other.start, -7))
        return near
    day = other.start if earlier else other.end
    ahead = (weekday - 1 - day.weekday()) % 7
    return one_day(days_later(day, ahead - 7 if earlier else ahead))


def nth_length(whole: When, count: int, unit: str, number: int) -> When | None:
    """Return the first so many units of a span for 1, the last for -1."""
    if isinstance(whole, Span) or number not in (1, -1):
        return None
    border = _moved(whole.start, count, unit) if number > 0 else _moved(whole.end, -count, unit)
    if border is None or not whole.start < border < whole.end:
        return None
    return Period(whole.start, border, "day") if number > 0 else Period(border, whole.end, "day")


def spanned(first: When, last: When, context: Context) -> When | None:
    """Return the span from the start of one to the end of another; None if it has no length."""
    start, end = instants(first, context)[0], instants(last, context)[1]
    if start >= end:
        return None
    if isinstance(first, Period) and isinstance(last, Period):
        return Period(first.start, last.end, "day")
    return Span(start, end)


def _earliest(context: Context) -> datetime:
    return datetime(FIRST_YEAR, 1, 1, tzinfo=context.now.tzinfo)


def _if_long(start: datetime, end: datetime) -> Span | None:
    return Span(start, end) if start < end else None


def before(other: When, context: Context) -> Span | None:
    """Return all time before a span."""
    return _if_long(_earliest(context), instants(other, context)[0])


def until(other: When, context: Context) -> Span | None:
    """Return all time up to a span: to the beginning of a month, a season or a year, else to its end."""
    start, end = instants(other, context)
    return _if_long(_earliest(context), start if other.unit in ("month", "year", "season") else end)


def since(other: When, context: Context) -> Span | None:
    """Return the time from the start of a span to now."""
    return _if_long(instants(other, context)[0], context.now)


def after(other: When, context: Context) -> Span | None:
    """Return the time from the end of a span to now."""
    return _if_long(instants(other, context)[1], context.now)
