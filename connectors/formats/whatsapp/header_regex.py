"""Templates: one way to write a header, and its parts as regular expressions. Pure.

The expressions accept any kind of space for a space and ignore direction marks between the parts, so raw text is
matched unchanged.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from ...times.locales import MARK, SPACE
from .header_shapes import ClockShape, DateShape, Joiner

Shape = Literal["bracket", "dash", "colon", "semicolon", "space"]

ENDS: dict[Shape, str] = {
    "bracket": rf"{MARK}*\]{SPACE}?",
    "dash": f"{MARK}*{SPACE}[-–]{SPACE}",
    "colon": f"{MARK}*:{SPACE}",
    "semicolon": f"{MARK}*;{SPACE}",
    "space": f"{MARK}*(?:{SPACE}(?![-–])|(?=\n|$))",
}
_NUMBER = r"\d{1,2}"
_MONTH = r"[^\W\d_][^\d\s.,/\-–:;\[\]]{2,12}\.?"
"""Matches a word that may be a month's name, in full or short; the caller checks it."""


@dataclass(frozen=True, slots=True)
class Template:
    """One way to write a header, without the widths of its numbers."""

    shape: Shape
    date: DateShape
    joiner: Joiner
    clock: ClockShape
    time_first: bool


def date_regex(date: DateShape, widths: tuple[str, str, str] | None = None, digit: str = r"\d") -> str:
    """Return the regular expression of a date, without groups."""
    two, four = digit + "{1,2}", digit + "{4}"
    plain = {"first": (four, two, two), "last": (two, two, four), "short": (two, two, two)}[date.year]
    fields = list(widths or plain)
    if date.month is not None:
        fields[date.month] = _MONTH
    one, other, last = fields
    era = rf"{SPACE}[^\W\d]{{1,12}}\.?" if date.era else ""
    return f"{one}{literal_regex(date.first)}{other}{literal_regex(date.second)}{last}(?!{digit}){literal_regex(date.trail)}{era}"


def clock_regex(clock: ClockShape, words: str, hour: str = _NUMBER, minute: str = _NUMBER, digit: str = r"\d") -> str:
    """Return the regular expression of a time, without groups; ``words``: the expression of its day periods."""
    made: list[str] = []
    for index, part in enumerate(clock.parts):
        if part == "a":
            before = f"{SPACE}?{MARK}*" if index else ""
            after = f"{MARK}*{SPACE}?" if index + 1 < len(clock.parts) else ""
            made.append(f"{before}{words}{after}")
        elif part == "h":
            made.append(hour)
        elif part == "m":
            made.append(minute)
        elif part == "s":
            made.append(digit + "{1,2}")
        else:
            made.append(literal_regex(part[1:]))
    return f"{''.join(made)}"


def literal_regex(text: str) -> str:
    """Return the regular expression of a literal that accepts any space for a space and ignores marks around it."""
    if not text:
        return ""
    return f"{MARK}*" + f"{MARK}*".join(SPACE if c == " " else re.escape(c) for c in text) + f"{MARK}*"


def any_of(words: list[str]) -> str:
    """Return the regular expression of several day periods, tried in this order."""
    spelled = ("".join(f"{SPACE}?" if c == " " else re.escape(c) for c in word) for word in words)
    # No word begins with these characters: most lines fail here, before hundreds of alternatives are tried.
    return rf"(?=[^\s\-–:;,.\[\]])(?:{'|'.join(spelled)})"


@lru_cache(maxsize=512)
def compiled(pattern: str) -> re.Pattern[str]:
    """Compile an expression, with a cache; there are some two hundred in all."""
    return re.compile(pattern)
