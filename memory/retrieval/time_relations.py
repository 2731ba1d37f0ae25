"""Words beside a time in a question that change its meaning: "before 2022", "after May", "the end of 2022", 2022年以降.
Pure; no clock is read.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta

from ..extraction.calendar import FIRST_YEAR, UNITS, WEEKDAYS

Bounds = tuple[datetime, datetime]
"""A span of time; the end is not included."""
_REACH = 80
"""Characters before a time that are searched."""
_IN_FRONT = (
    r"(?:(?P<word>[^\W_]+)\s+)?(?<![^\W_])(?:"
    r"(?P<before>before|prior\s+to|vor(?:\s+(?:dem|der|den))?|antes(?:\s+del?)?)"
    r"|(?P<after>after|nach(?:\s+(?:dem|der|den))?|despu[eé]s\s+del?|tras)"
    r"|(?P<since>since|seit|desde)|(?P<until>until|till|up\s+to|bis(?:\s+zum?)?|hasta)"
    r"|(?P<first>(?:the\s+)?(?:beginning|start)\s+of|early|(?:zu\s+)?(?:beginn|anfang)(?:\s+(?:von|des))?"
    r"|(?:a\s+)?(?:principios|comienzos|inicios)\s+del?)"
    r"|(?P<middle>(?:the\s+)?middle\s+of|mid|mitte(?:\s+(?:von|des))?|(?:a\s+)?mediados\s+del?)"
    r"|(?P<last>(?:the\s+)?end\s+of|late|ende(?:\s+(?:von|des))?|(?:a\s+)?(?:finales|fines)\s+del?)"
    r"|(?P<all>during|throughout|während|durante|(?P<of>of|von|del?)))(?:\s+|(?<=mid)-)$"
)
"""Words before a time, also before another of them: "since the end of 2022". "Since 2022", "until 2022", "vor drei
Monaten" and "antes de ayer" are times themselves.
"""
_BEHIND = (
    r"(?P<before>(?:['’]?[dt][ae]n)?\s+önce(?![^\W_])|['’]?y?[ae]\s+kadar(?![^\W_])|(?:より|の)前|以前|まで)"
    r"|(?P<after>(?:['’]?[dt][ae]n)?\s+sonra(?![^\W_])|(?:より|の)後)"
    r"|(?P<since>['’]?[dt][ae]n\s+(?:beri|itibaren)(?![^\W_])|以降|以来|から)"
)
"""Words behind a time: "Mayıs 2022'den önce", 2022年より前."""
_COUNTED_FROM = frozenset({*UNITS, *WEEKDAYS, "weekend", "wochenende", "night", "morning", "afternoon", "evening"})
"""Words with which "before" or "after" a time means one time near it: "the week before 3 May"."""
_OF_TIME = r"(?:in|im|am|on|at|en)\s"
"""Matches the beginning of a time that such words do not belong to: "did we meet before in 2022?"."""
_GOES_ON = r"\s+[^\W_]"
"""Matches text behind a number that counts the following thing: "the price of 2000 bricks"."""


def in_front(text: str, start: int, end: int) -> tuple[int, Callable[[Bounds, datetime], Bounds | None]] | None:
    """Return the start of the words before a time that change it, with the function that changes the time; None if
    there are none.

    Args:
        text: the folded text.
        start: the start of the time.
        end: the end of the time.
    """
    first = max(0, start - _REACH)
    match = re.search(_IN_FRONT, text[first:start])  # compiled for the first question that names a time
    if match is None:
        return None
    found = match.lastgroup if match.lastgroup != "of" else "all"
    if found in ("before", "after", "all") and (re.match(_OF_TIME, text[start:]) or match["word"] in _COUNTED_FROM):
        return None
    if match["of"] and (re.match(_GOES_ON, text[end:]) or not text[start:end].isdigit()):
        return None
    assert found is not None
    return first + match.start(found), _CHANGES[found]


def behind(text: str, end: int) -> tuple[int, Callable[[Bounds, datetime], Bounds | None]] | None:
    """Return the end of the words behind a time that change it, with the function that changes the time; None if there
    are none.
    """
    match = re.match(_BEHIND, text[end : end + _REACH])
    return None if match is None or match.lastgroup is None else (end + match.end(), _CHANGES[match.lastgroup])


def until(end: datetime) -> Bounds:
    """Return the span of all earlier time."""
    return datetime(FIRST_YEAR, 1, 1, tzinfo=end.tzinfo), end


def _before(time: Bounds, _now: datetime) -> Bounds:
    return until(time[0])


def _after(time: Bounds, now: datetime) -> Bounds | None:
    return (time[1], now) if time[1] < now else None


def _since(time: Bounds, now: datetime) -> Bounds | None:
    return (time[0], now) if time[0] < now else None


def _until_its_end(time: Bounds, _now: datetime) -> Bounds:
    return until(time[1])


def _third(number: int) -> Callable[[Bounds, datetime], Bounds]:
    def part(time: Bounds, _now: datetime) -> Bounds:
        start, end = time
        days = (end.date() - start.date()).days
        first, last = (timedelta(days=round(days * place / 3)) for place in (number, number + 1))
        return (start, end) if days < _FEWEST_DAYS else (start + first, start + last)

    return part


_FEWEST_DAYS = 3
_CHANGES: dict[str, Callable[[Bounds, datetime], Bounds | None]] = {
    "before": _before, "after": _after, "since": _since, "until": _until_its_end, "all": lambda time, _now: time,
    "first": _third(0), "middle": _third(1), "last": _third(2),
}  # fmt: skip
