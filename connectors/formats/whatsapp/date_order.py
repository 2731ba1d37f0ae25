"""The order of day, month and year, decided by evidence, and the conversion of dates in a known order. Pure."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from datetime import date
from typing import cast

from ...connector import DateOrder
from ...times.dates_written import BUDDHIST_AHEAD, existing_day
from ...times.locales import rows
from .date_numbers import numbers
from .header_detection import HeaderFormat
from .header_shapes import YearPlace, clock_shape, date_order, date_shape, pieces

_NAMED = re.compile(r"(?<!\d)(20\d\d)-?([01]\d)-?([0-3]\d)(?=-)")
"""Matches the date in WhatsApp's file names: IMG-20240105-WA0001.jpg, 00000012-PHOTO-2024-01-05-10-11-12.jpg."""

_FIRST_YEAR, _LAST_YEAR = (
    2009,
    2051,
)  # WhatsApp began in 2009; two-digit years of 52 and more are Buddhist (2552 = 2009)
_LONG_PAUSE = 400
_OTHER_CALENDAR = 1500
_LEAST_YEAR = 1000
"""The smallest year: no calendar in use counts fewer, and four digits do not begin with a zero."""


def calendar_date(parts: tuple[int, int, int], order: DateOrder, place: YearPlace) -> date | None:
    """Return the Gregorian date, or None if there is no such day.

    Years from 2400 on are Buddhist (Thai phones), as are two-digit ones from 52 on. A year before 1500 is of a
    calendar that is not guessed (Jalali, Hijri): it is kept as written.
    """
    year, month, day = parts if order == "ymd" else (parts[2], parts[1], parts[0])
    if order == "mdy":
        month, day = day, month
    if place == "short":
        year += 2000 if year <= _LAST_YEAR - 2000 else 2500 - BUDDHIST_AHEAD
    elif year >= 2400:
        year -= BUDDHIST_AHEAD
    return existing_day(year, month, day) if year >= _LEAST_YEAR else None


def other_calendar(day: date) -> bool:
    """Return whether the year is too small for a phone's Gregorian calendar."""
    return day.year < _OTHER_CALENDAR


@dataclass(slots=True)
class _OrderScore:
    """The evidence for and against one order."""

    impossible: int = 0
    jumps: int = 0
    """The number of steps back by more than a day, and forward by more than a year."""
    votes: int = 0
    against: int = 0
    last: int = 0

    def cost(self, by: str) -> int:
        """Return the evidence against the order, by names of files or by the sequence of dates; less is better."""
        return self.against - self.votes if by == "names" else 2 * self.impossible + self.jumps


@dataclass(frozen=True, slots=True)
class OrderDecision:
    """The decided order; ``rivals``: the other orders that the evidence leaves possible; ``by``: the
    kind of evidence.
    """

    order: DateOrder
    rivals: tuple[DateOrder, ...]
    by: str


@dataclass(slots=True)
class OrderEvidence:
    """Collects evidence while a file streams by; bounded in size. Feed it each date text that differs from the last."""

    header_format: HeaderFormat
    scores: dict[DateOrder, _OrderScore] = field(init=False)
    usual: list[DateOrder] = field(init=False)
    """The orders that locales use for this format; others count only if none of these fits."""
    other_calendar: int = 0

    def __post_init__(self) -> None:
        self.usual = possible_orders(self.header_format)
        others: tuple[DateOrder, ...] = ("dmy", "mdy")
        date = self.header_format.template.date
        if date.year == "first" or date.order:
            others = ()
        self.scores = {order: _OrderScore() for order in dict.fromkeys((*self.usual, *others))}

    def see(self, text: str) -> None:
        """Count a date, in the order of the file."""
        parts = numbers(text)
        if parts is None:
            return
        for order, score in self.scores.items():
            day = calendar_date(parts, order, self.header_format.template.date.year)
            if day is None:
                score.impossible += 1
                continue
            if other_calendar(day):
                self.other_calendar += order in self.usual
            elif not _FIRST_YEAR <= day.year <= _LAST_YEAR:
                score.impossible += 1
            ordinal = day.toordinal()
            if score.last and not -1 <= ordinal - score.last <= _LONG_PAUSE:
                score.jumps += 1
            score.last = ordinal

    def see_name(self, text: str, body: str) -> None:
        """Count a message that names a file of WhatsApp: the date in the name is within a day of the message's."""
        named = _NAMED.search(body)
        parts = numbers(text)
        if not named or parts is None:
            return
        truth = existing_day(int(named[1]), int(named[2]), int(named[3]))
        if truth is None:
            return
        for order, score in self.scores.items():
            day = calendar_date(parts, order, self.header_format.template.date.year)
            if day is not None and abs((day - truth).days) <= 1:
                score.votes += 1
            else:
                score.against += 1

    def decide(self, order_of_user: DateOrder | None, language: str = "") -> OrderDecision:
        """Decide by the strongest evidence: the only possible order, file names, impossible dates and jumps, then
        locale.
        """
        open_orders = self._fitting_orders()
        place = self.header_format.template.date.year
        named = self.header_format.template.date.order is not None
        if (
            order_of_user is not None
            and not named
            and (place == "short" or (place == "last" and order_of_user != "ymd"))
        ):
            return OrderDecision(order_of_user, (), "option")
        if len(open_orders) == 1:
            return OrderDecision(open_orders[0], (), "year")
        for by in ("names", "sequence"):
            costs: dict[DateOrder, int] = {order: self.scores[order].cost(by) for order in open_orders}
            least = min(costs.values())
            # A damaged or pasted line costs the right order something too: only a clear difference decides.
            kept: list[DateOrder] = [o for o in open_orders if costs[o] <= least + abs(least) // 2]
            if len(kept) == 1:
                return OrderDecision(kept[0], (), by)
            open_orders = kept
        likely = _by_locale(self.header_format, open_orders, language)
        return OrderDecision(likely, tuple(o for o in open_orders if o != likely), "locale")

    def _fitting_orders(self) -> list[DateOrder]:
        """Return the usual orders, unless another order has less than half of their impossible dates and jumps."""
        least = min(self.scores[order].cost("sequence") for order in self.usual)
        unusual: list[DateOrder] = [
            o for o in self.scores if o not in self.usual and 2 * self.scores[o].cost("sequence") < least
        ]
        return unusual or list(self.usual)


def possible_orders(header_format: HeaderFormat) -> list[DateOrder]:
    """Return the orders in which locales write a date of this shape and padding; at least one."""
    shape, (first, second) = header_format.template.date, header_format.padded
    if shape.order:
        return [shape.order]
    result: dict[DateOrder, None] = {}
    loose: dict[DateOrder, None] = {}
    for row in rows():
        have = date_shape(row.date)
        if (have.first, have.second, have.year) != (shape.first, shape.second, shape.year):
            continue
        order = cast("DateOrder", date_order(row.date))
        loose[order] = None
        widths = [len(text) == 2 for letter, text in pieces(row.date) if letter and letter in "dMyG"]
        if first in (None, widths[0]) and second in (None, widths[1]):
            result[order] = None
    if shape.year == "first":
        return ["ymd"]
    chosen = list(result or loose) or ["dmy"]
    if shape.first.startswith("/") and "mdy" not in chosen:
        chosen.append("mdy")
    return chosen


def _by_locale(header_format: HeaderFormat, orders: list[DateOrder], language: str) -> DateOrder:
    """Return the order of most locales that write such a header; English with AM/PM and slashes is American."""
    words = header_format.period_words
    if (
        language == "en"
        and words
        and "mdy" in orders
        and words <= {"am", "pm"}
        and header_format.padded != (True, True)
    ):
        return "mdy"
    votes: Counter[DateOrder] = Counter()
    for row in rows():
        order = cast("DateOrder", date_order(row.date))
        if order not in orders:
            continue
        same_joiner = (
            row.joiner.replace("{1}", "").replace("{0}", "").strip() == header_format.template.joiner.between.strip()
        )
        clocks = (clock_shape(row.time_short), clock_shape(row.time_medium))
        votes[order] += 1 + same_joiner + 2 * any(c.parts == header_format.template.clock.parts for c in clocks)
    return max(orders, key=lambda order: (votes[order], order == "dmy"))
