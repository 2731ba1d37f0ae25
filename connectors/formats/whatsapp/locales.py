"""The locale table: how every locale writes a short date and time, as shapes that headers are made of. No detection
here.

The facts in ``headers.json`` are from the Unicode Common Locale Data Repository (Unicode License v3). WhatsApp writes
the phone's short date with its short time (Android) or its medium time (iOS), but mixes a locale's date with the other
clock when the phone is set so; therefore dates, joiners and clocks are kept as independent parts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Literal

from ...connector import DateOrder

SPACE = "[ \u00a0\u2000-\u200a\u202f\u205f\u3000]"
MARK = "[\ufeff\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
"""Matches byte order marks and direction marks, which may occur anywhere in a header and have no meaning there."""

YearPlace = Literal["first", "last", "short"]
"""The position of a four-digit year; ``short``: two digits, so any of the three fields may be the year."""

DayPart = Literal["am", "pm", "noon", "evening"]

_MARKS = re.compile(MARK)
_SPACES = re.compile(SPACE)
_PATTERN = re.compile(r"'([^']*)'|([dMyGHhmsaB])\2*|([^'A-Za-z]+)")


@dataclass(frozen=True, slots=True)
class LocaleRow:
    """One distinct way to write a moment, and the shortest name of a locale that does."""

    date: str
    time_short: str
    time_medium: str
    joiner: str
    digits: str
    am: str
    pm: str
    am_wide: str
    pm_wide: str
    locale: str


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


def plain(text: str) -> str:
    """Remove direction marks and replace every kind of space by U+0020: literals are compared in this form."""
    return _SPACES.sub(" ", _MARKS.sub("", text))


@lru_cache(maxsize=1)
def rows() -> tuple[LocaleRow, ...]:
    """Load the whole table."""
    data = json.loads(files(__package__ or __name__).joinpath("headers.json").read_text("utf-8"))
    return tuple(LocaleRow(*row) for row in data["rows"])


def pieces(pattern: str) -> list[tuple[str, str]]:
    """Split a CLDR pattern into (field letter, the letters) and ("", literal), with adjacent literals joined."""
    found: list[tuple[str, str]] = []
    for match in _PATTERN.finditer(plain(pattern)):
        letter = match[2] or ""
        text = match[0] if letter else (match[1] if match[1] is not None else match[3])
        if not letter and found and not found[-1][0]:
            found[-1] = ("", found[-1][1] + text)
        else:
            found.append((letter, text))
    return found


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
    found = {Joiner(text) for text in _SEEN_JOINERS}
    for row in rows():
        between = plain(row.joiner).replace("{0}", "\0").replace("{1}", "\0").split("\0")
        found.add(Joiner(between[1], between[2]))
    return tuple(sorted(found, key=lambda j: (-len(j.between + j.after), j.between)))


# Day periods that phones write and the table's two halves of the day do not hold: flexible periods (CLDR "B"), a
# group for each language, because a file that shows one of them may show all.
FLEXIBLE_PERIODS: tuple[dict[str, DayPart], ...] = (
    {
        **dict.fromkeys(("凌晨", "清晨", "早晨", "早上", "上午", "半夜"), "am"),
        **dict.fromkeys(("下午", "傍晚"), "pm"),
        "中午": "noon",
        "正午": "noon",
        "晚上": "evening",
        "夜晚": "evening",
    },
    {"午前": "am", "午後": "pm", "正午": "noon", "夜": "evening"},
    {"오전": "am", "새벽": "am", "아침": "am", "오후": "pm", "정오": "noon", "저녁": "evening", "밤": "evening"},
    {
        "morgens": "am",
        "vormittags": "am",
        "nachts": "am",
        "mittags": "noon",
        "nachmittags": "pm",
        "abends": "evening",
    },
    {"da manhã": "am", "da madrugada": "am", "da tarde": "pm", "da noite": "evening"},
    {
        "de la mañana": "am",
        "de la madrugada": "am",
        "del mediodía": "noon",
        "de la tarde": "pm",
        "de la noche": "evening",
    },
    {"du matin": "am", "de l’après-midi": "pm", "du soir": "evening"},
    {"del mattino": "am", "di notte": "am", "del pomeriggio": "pm", "di sera": "evening"},
    {"vorm.": "am", "nachm.": "pm"},
    {"म.पू.": "am", "म.उ.": "pm"},
    {"முற்பகல்": "am", "பிற்பகல்": "pm"},
    {"a. m.": "am", "p. m.": "pm"},
    {"a.m.": "am", "p.m.": "pm"},
)


def fold_period(token: str) -> str:
    """Fold a day period for comparison: without marks, spaces and case."""
    return plain(token).replace(" ", "").casefold()


@lru_cache(maxsize=1)
def period_words() -> tuple[str, ...]:
    """Return every day period as written, the longest first."""
    words = {plain(word) for group in FLEXIBLE_PERIODS for word in group}
    words |= {plain(w) for row in rows() for w in (row.am, row.pm, row.am_wide, row.pm_wide) if w}
    words |= {w.lower() for w in words} | {w.upper() for w in words}
    return tuple(sorted(words, key=lambda w: (-len(w), w)))


def periods_beside(seen: frozenset[str]) -> dict[str, DayPart]:
    """Return the day periods that may occur in a file with those in ``seen`` (folded), each with its half of the day.

    These are the words of the locales that have all of ``seen``; if there are none, of those that have any of it.
    """
    pairs = [pair for r in rows() for pair in ((r.am, r.pm), (r.am_wide, r.pm_wide)) if pair[0] and pair[1]]
    sets: list[dict[str, DayPart]] = [
        {fold_period(word): part for word, part in group.items()} for group in FLEXIBLE_PERIODS
    ]
    for am, pm in pairs:
        pair: dict[str, DayPart] = {fold_period(am): "am", fold_period(pm): "pm"}
        sets.append(pair)
    whole = [words for words in sets if seen <= words.keys()]
    found: dict[str, DayPart] = {}
    for words in whole or [words for words in sets if seen & words.keys()]:
        for word, part in words.items():
            found.setdefault(word, part)
    return found
