"""The shapes of dates, clocks and what joins them in headers, in every locale. No detection here.

WhatsApp writes the phone's short date with its short time (Android) or its medium time (iOS), but mixes a locale's date
with the other clock when the phone is set so; therefore dates, joiners and clocks are kept as independent parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from ...connector import DateOrder
from ...times.locales import plain, rows

YearPlace = Literal["first", "last", "short"]
"""The position of a four-digit year; ``short``: two digits, so any of the three fields may be the year."""

_PATTERN = re.compile(r"'([^']*)'|([dMyGHhmsaB])\2*|([^'A-Za-z]+)")


@dataclass(frozen=True, slots=True)
class DateShape:
    """The literals between and after a date's three numbers, and the position of its year."""

    first: str
    second: str
    trail: str
    year: YearPlace
    era: bool = False
    month: int | None = None
    """The index of the field with a month's name; None if all are numbers."""

    @property
    def order(self) -> DateOrder | None:
        """The order, if a month's name leaves no doubt about it."""
        if self.month is None:
            return None
        return "ymd" if self.year == "first" else ("dmy", "mdy")[self.month == 0]


@dataclass(frozen=True, slots=True)
class ClockShape:
    """A time as its parts in order: ``h``, ``m``, ``s``, ``a`` (day period), or a literal preceded by ``'``.

    Spaces beside a day period are not part of the shape: they changed over the years.
    """

    parts: tuple[str, ...]

    @property
    def seconds(self) -> bool:
        """True for times with seconds."""
        return "s" in self.parts

    @property
    def period(self) -> bool:
        """True for a clock of twelve hours."""
        return "a" in self.parts


@dataclass(frozen=True, slots=True)
class Joiner:
    """The literal between date and time, and the one after the second of them (Basque brackets the time)."""

    between: str
    after: str = ""


def pieces(pattern: str) -> list[tuple[str, str]]:
    """Split a CLDR pattern into (field letter, the letters) and ("", literal), with adjacent literals joined."""
    result: list[tuple[str, str]] = []
    for match in _PATTERN.finditer(plain(pattern)):
        letter = match[2] or ""
        text = match[0] if letter else (match[1] if match[1] is not None else match[3])
        if not letter and result and not result[-1][0]:
            result[-1] = ("", result[-1][1] + text)
        else:
            result.append((letter, text))
    return result


def date_shape(pattern: str) -> DateShape:
    """Return the shape of a CLDR date pattern, whatever the order of its fields."""
    literals = ["", "", "", ""]
    fields: list[str] = []
    era = False
    for letter, text in pieces(pattern):
        if letter == "G":
            era = True
        elif letter:
            fields.append(text)
        else:
            literals[len(fields)] += text
    if fields[0] == "y":
        year: YearPlace = "first"
    else:
        year = "last" if fields[2] == "y" else "short"
    return DateShape(literals[1], literals[2], literals[3].rstrip() if era else literals[3], year, era)


def date_order(pattern: str) -> str:
    """Return the order of a CLDR date pattern: ``dmy``, ``mdy`` or ``ymd``."""
    return "".join(letter for letter, _ in pieces(pattern) if letter in "dMy").lower()


def clock_shape(pattern: str) -> ClockShape:
    """Return the shape of a CLDR time pattern."""
    parts: list[str] = []
    for letter, text in pieces(pattern):
        parts.append({"H": "h", "B": "a"}.get(letter, letter) if letter else "'" + text)
    for index, part in enumerate(parts):
        if part == "a" and index:
            parts[index - 1] = _without_space(parts[index - 1], right=True)
        if part == "a" and index + 1 < len(parts):
            parts[index + 1] = _without_space(parts[index + 1], right=False)
    return ClockShape(tuple(part for part in parts if part != "'"))


def _without_space(part: str, *, right: bool) -> str:
    if not part.startswith("'"):
        return part
    return part.rstrip(" ") if right else "'" + part[1:].lstrip(" ")


@lru_cache(maxsize=1)
def date_shapes() -> tuple[DateShape, ...]:
    """Return all date shapes, the longest literals first, so that ``d. M. y.`` wins over ``d. M. y``."""
    extra = (
        *(DateShape(".", ".", "", "first"), DateShape("-", "-", "", "short"), DateShape(".", ".", "", "last")),
        DateShape("年", "月", "日", "first"),
        *_named_shapes(),
    )
    shapes = {date_shape(row.date) for row in rows()} | set(extra)
    return tuple(sorted(shapes, key=lambda s: (-len(s.first + s.second + s.trail) - s.era, s.year, s.first, s.second)))


def _named_shapes() -> Iterator[DateShape]:
    """Yield dates with a month's name, from old phones, KaiOS and programs that rewrite exports."""
    for year in ("last", "short"):
        for first, second in (
            (" ", " "),
            (" ", ", "),
            (". ", " "),
            ("-", "-"),
            ("/", "/"),
            (" de ", " de "),
            (" de ", " "),
        ):
            yield DateShape(first, second, "", year, month=1)
        yield DateShape(" ", " ", " г.", year, month=1)
        for second in (" ", ", "):
            yield DateShape(" ", second, "", year, month=0)
    for first, second, trail in ((" ", " ", ""), ("-", "-", ""), (". ", " ", ""), (". ", " ", ".")):
        yield DateShape(first, second, trail, "first", month=1)


@lru_cache(maxsize=1)
def clock_shapes() -> tuple[ClockShape, ...]:
    """Return all clock shapes; 24-hour clocks also with a day period, because phones override the locale's clock."""
    shapes = {clock_shape(pattern) for row in rows() for pattern in (row.time_short, row.time_medium)}
    open_ended = [s for s in shapes if not s.period and not s.parts[-1].startswith("'")]
    shapes |= {ClockShape((*s.parts, end)) for s in open_ended for end in ("a", *_SEEN_ENDS)}
    return tuple(sorted(shapes, key=lambda s: (-s.period, -s.seconds, -len("".join(s.parts)), s.parts)))


_SEEN_ENDS = ("'.", "' ч.", "' Uhr")
"""The suffixes of 24-hour times in older versions, seen in real exports."""

# Beyond the table, all seen in real exports: the words of long date formats that older versions used.
_SEEN_JOINERS = (" à ", " às ", " klo ", " um ", " kl. ", " at ", "; ", " - ", "")


@lru_cache(maxsize=1)
def joiners() -> tuple[Joiner, ...]:
    """Return every joiner, the longest first; the empty one last."""
    result = {Joiner(text) for text in _SEEN_JOINERS}
    for row in rows():
        between = plain(row.joiner).replace("{0}", "\0").replace("{1}", "\0").split("\0")
        result.add(Joiner(between[1], between[2]))
    return tuple(sorted(result, key=lambda j: (-len(j.between + j.after), j.between)))
