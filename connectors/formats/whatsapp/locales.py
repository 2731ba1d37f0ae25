"""The locale table: how every locale writes a short date and time, as shapes that headers are made of. No detection here.

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
"""Byte order marks and direction marks: they occur anywhere in a header and mean nothing there."""

YearPlace = Literal["first", "last", "short"]
"""Where four digits tell the year; ``short``: two digits, so any of the three fields may be the year."""

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
    """The literals between and after a date's three numbers, and where its year is."""

    first: str
    second: str
    trail: str
    year: YearPlace
    era: bool = False
    month: int | None = None
    """Which of the three is a month's name; None where all are numbers."""

    @property
    def order(self) -> DateOrder | None:
        """The order that a month's name leaves no doubt about."""
        if self.month is None:
            return None
        return "ymd" if self.year == "first" else ("dmy", "mdy")[self.month == 0]


@dataclass(frozen=True, slots=True)
class ClockShape:
    """A time as its parts in order: ``h``, ``m``, ``s``, ``a`` (day period), or a literal in front of which is ``'``.

    Spaces beside a day period are not part of the shape: whether and which space is there changed over the years.
    """

    parts: tuple[str, ...]

    @property
    def seconds(self) -> bool:
        """Whether it is precise to the second."""
        return "s" in self.parts

    @property
    def period(self) -> bool:
        """Whether it is a clock of twelve hours."""
        return "a" in self.parts


@dataclass(frozen=True, slots=True)
class Joiner:
    """What stands between date and time, and what closes after the second of them (Basque brackets the time)."""

    between: str
    after: str = ""


def plain(text: str) -> str:
    """Without direction marks and with every kind of space as U+0020: the shadow in which literals are compared."""
    return _SPACES.sub(" ", _MARKS.sub("", text))


@lru_cache(maxsize=1)
def rows() -> tuple[LocaleRow, ...]:
    """The whole table."""
    data = json.loads(files(__package__ or __name__).joinpath("headers.json").read_text("utf-8"))
    return tuple(LocaleRow(*row) for row in data["rows"])


def pieces(pattern: str) -> list[tuple[str, str]]:
    """A CLDR pattern as (field letter, the letters) and ("", literal), neighbouring literals joined."""
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
    """The shape of a CLDR date pattern, whatever the order of its fields."""
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
    """``dmy``, ``mdy`` or ``ymd``."""
    return "".join(letter for letter, _ in pieces(pattern) if letter in "dMy").lower()


def clock_shape(pattern: str) -> ClockShape:
    """The shape of a CLDR time pattern."""
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
    """All of them, those with the longest literals first, so that ``d. M. y.`` wins over ``d. M. y``."""
    extra = (
        *(DateShape(".", ".", "", "first"), DateShape("-", "-", "", "short"), DateShape(".", ".", "", "last")),
        DateShape("年", "月", "日", "first"),
        *_named_shapes(),
    )
    shapes = {date_shape(row.date) for row in rows()} | set(extra)
    return tuple(sorted(shapes, key=lambda s: (-len(s.first + s.second + s.trail) - s.era, s.year, s.first, s.second)))


def _named_shapes() -> Iterator[DateShape]:
    """Dates with a month's name, which no phone of today writes: old ones, KaiOS, and programs that write exports anew."""
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
    """All of them, and each clock of 24 hours also with a day period: phones override the locale's clock."""
    shapes = {clock_shape(pattern) for row in rows() for pattern in (row.time_short, row.time_medium)}
    open_ended = [s for s in shapes if not s.period and not s.parts[-1].startswith("'")]
    shapes |= {ClockShape((*s.parts, end)) for s in open_ended for end in ("a", *_SEEN_ENDS)}
    return tuple(sorted(shapes, key=lambda s: (-s.period, -s.seconds, -len("".join(s.parts)), s.parts)))


_SEEN_ENDS = ("'.", "' ч.", "' Uhr")
"""What older versions wrote behind a time of 24 hours, by real exports."""

# Beyond the table, all seen in real exports: the words of long date formats that older versions used.
_SEEN_JOINERS = (" à ", " às ", " klo ", " um ", " kl. ", " at ", "; ", " - ", "")


@lru_cache(maxsize=1)
def joiners() -> tuple[Joiner, ...]:
    """Every joiner, the longest first; the empty one last."""
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
    """A day period as it is compared: no marks, no spaces, no case."""
    return plain(token).replace(" ", "").casefold()


@lru_cache(maxsize=1)
def period_words() -> tuple[str, ...]:
    """Every day period as written, the longest first."""
    words = {plain(word) for group in FLEXIBLE_PERIODS for word in group}
    words |= {plain(w) for row in rows() for w in (row.am, row.pm, row.am_wide, row.pm_wide) if w}
    words |= {w.lower() for w in words} | {w.upper() for w in words}
    return tuple(sorted(words, key=lambda w: (-len(w), w)))


def periods_beside(seen: frozenset[str]) -> dict[str, DayPart]:
    """The day periods that may stand in a file where those of ``seen`` (folded) do, each with its half of the day.

    The words of the locales that hold all that was seen; else of those that hold any of it.
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
