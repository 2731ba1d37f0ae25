"""The times of recurring events, limited in number whatever the rule says. Pure."""

from __future__ import annotations

import re
from calendar import month_name
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice

from ....schemas.recurrence import MALFORMED_RULE, rule_parts, rule_times

MOST_BOUNDED = 400
"""The maximum number of times of a rule that ends."""
MOST_UNBOUNDED = 100
"""The maximum number of times of a rule without an end."""
_YEARS = {"DAILY": 4, "WEEKLY": 10, "MONTHLY": 35, "YEARLY": 110}
"""The number of years from the start for which a rule is expanded, by frequency; a rule that never matches ends there
too.
"""
_UNITS = {
    "DAILY": "day",
    "WEEKLY": "week",
    "MONTHLY": "month",
    "YEARLY": "year",
    "HOURLY": "hour",
    "MINUTELY": "minute",
}


@dataclass(frozen=True, slots=True)
class Occurrences:
    """The times at which an event takes place."""

    times: tuple[datetime, ...]
    """The wall-clock times in ascending order."""
    cut: bool = False
    """True if the rule gives more times than were kept."""
    followed: bool = False
    """True if the rule gives at least one time."""
    unreadable: bool = False
    """True if the rule cannot be expanded; the times are then those listed one by one."""


def occurrences(
    start: datetime,
    rule: str,
    *,
    until: datetime | None,
    more: Collection[datetime],
    without: Collection[datetime],
    horizon: datetime | None = None,
) -> Occurrences:
    """Return the times of an event.

    Args:
        start: the first time, on the wall clock.
        rule: the RRULE, such as ``FREQ=WEEKLY;BYDAY=MO``; empty for none.
        until: the last time of the rule, on the same clock.
        more: further times (RDATE).
        without: excluded times (EXDATE).
        horizon: the last time to which a rule without an end is expanded.
    """
    times = {start, *islice(sorted(more), MOST_BOUNDED)}
    cut = unreadable = followed = False
    if rule:
        parts = rule_parts(rule)
        bounded = until is not None or parts.get("COUNT", "").isdecimal()
        most = MOST_BOUNDED if bounded else MOST_UNBOUNDED
        try:
            starts, ended = _expanded(start, parts, until, most, None if bounded else horizon)
            times.update(starts)
            followed = bool(starts)
            cut = not ended
        except MALFORMED_RULE:
            unreadable = True
    kept = sorted(time for time in times if time not in without)
    return Occurrences(tuple(kept[: MOST_BOUNDED + 1]), cut, followed, unreadable)


def _expanded(
    start: datetime, parts: dict[str, str], until: datetime | None, most: int, bound: datetime | None
) -> tuple[list[datetime], bool]:
    """Return the times of the rule in ascending order, and whether these are all.

    Raises:
        ValueError: the rule cannot be expanded.
    """
    horizon = start + timedelta(days=366 * _YEARS[parts["FREQ"]])
    if bound is not None:
        horizon = min(horizon, bound)
    count = int(parts["COUNT"]) if parts.get("COUNT", "").isdecimal() else most + 1
    last = horizon if until is None else min(horizon, until)
    starts = list(islice(rule_times(start, parts, last), min(count, most + 1)))
    all_of_them = len(starts) <= most and (len(starts) >= count or (until is not None and until <= horizon))
    return starts[:most], all_of_them


_DAYS = {
    "MO": "Monday", "TU": "Tuesday", "WE": "Wednesday", "TH": "Thursday", "FR": "Friday", "SA": "Saturday", "SU": "Sunday",
}  # fmt: skip
_PLACES = {
    "": "",
    "1": "the first ",
    "2": "the second ",
    "3": "the third ",
    "4": "the fourth ",
    "5": "the fifth ",
    "-1": "the last ",
}
_MOST_DAYS = 14
_MONTHS = frozenset(map(str, range(1, 13)))


def _day_in_words(day: str) -> str | None:
    """Return a value of BYDAY in words: "Monday" of MO, "the last Friday" of -1FR."""
    name, place = _DAYS.get(day[-2:]), _PLACES.get(day[:-2].removeprefix("+"))
    return None if name is None or place is None else place + name


def _values(parts: dict[str, str], key: str) -> list[str]:
    return [each.strip()[:10] for each in parts.get(key, "").split(",")[:_MOST_DAYS] if each.strip()]


def rule_in_words(rule: str) -> str:
    """Return a rule in words for people and for search, such as ``every 2 weeks on Monday, Tuesday until 2024-06-01``;
    parts that have no plain words are left out.
    """
    parts = rule_parts(rule[:1000])
    if "FREQ" not in parts:
        return rule[:100]
    unit = _UNITS.get(parts.get("FREQ", ""), parts.get("FREQ", "").lower()[:20])
    interval = parts.get("INTERVAL", "1")
    words = [f"every {unit}" if interval in ("1", "") else f"every {interval[:6]} {unit}s"]
    names = [name for each in _values(parts, "BYDAY") if (name := _day_in_words(each))]
    places = [place.strip() for each in _values(parts, "BYSETPOS") if (place := _PLACES.get(each))]
    if names and places:
        words.append(f"on {', '.join(places)} of {', '.join(names)}")
    elif names:
        words.append(f"on {', '.join(names)}")
    for key, wording in (
        ("BYMONTHDAY", "on day {} of the month"),
        ("BYYEARDAY", "on day {} of the year"),
        ("BYWEEKNO", "in week {}"),
    ):
        if numbers := [each for each in _values(parts, key) if each.removeprefix("-").isdecimal()]:
            words.append(wording.format(", ".join("-1 (the last)" if each == "-1" else each for each in numbers)))
    months = [month_name[int(each)] for each in _values(parts, "BYMONTH") if each in _MONTHS]
    words += [f"in {', '.join(months)}"] if months else []
    hours = [each for each in _values(parts, "BYHOUR") if each.isdecimal()]
    words += [f"at {', '.join(f'{each} h' for each in hours)}"] if hours else []
    if until := re.match(r"(\d{4})(\d\d)(\d\d)", parts.get("UNTIL", "")):
        words.append(f"until {'-'.join(until.groups())}")
    elif parts.get("COUNT", "").isdecimal():
        words.append(f"{parts['COUNT'][:6]} times")
    return " ".join(words)
