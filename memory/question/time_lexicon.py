"""The words of each language as the rules for times need them: by their first word, with a letter and a value. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain
from typing import Any, NamedTuple

from ..extraction.calendar import Period, day_of, month_of, year_of
from ..text.analyzer import fold
from ..text.languages import LANGUAGES
from ..text.languages.language import Language, Role, words_of
from .feasts import feast_in

_ROLES: Mapping[Role, str] = {
    "last": "L", "past": "p", "previous_but_one": "V", "next_but_one": "v", "next": "X", "this": "T", "ago": "A",
    "before": "b", "after": "a", "since": "s", "from": "f", "until": "u", "to": "t", "and": "&", "in": "i", "article": "l",
    "of": "o", "the": "_", "beginning": "h", "middle": "m", "end": "e", "half": "H", "few": "F", "every": "!", "age": "g",
}  # fmt: skip
WORD = re.compile(r"\d+|[^\W\d_]+|[^\w\s]")
APOSTROPHES = "'’"
_SPACELESS = re.compile("[\u3040-\u30ff\u3400-\u9fff々〜ー]")


class Token(NamedTuple):
    """A word of time, or words that rules have joined."""

    code: str
    value: Any
    start: int
    end: int
    gated: bool = True
    """Set if it is a time without a preposition."""
    doubtful: bool = False
    """Set if it is another word or a name, too."""


@dataclass(frozen=True, slots=True)
class Recurring:
    """A time that there is in each year; a weekday is one of each week."""

    kind: str
    number: int
    of: Callable[[int], Period | None]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The words of a language with their codes and values, by the first word of each entry."""

    language: Language
    entries: Mapping[str, Sequence[tuple[tuple[str, ...], str, Any]]]
    contents: frozenset[str]
    """Words of which each time has one, but those in digits; of a phrase one that is no preposition or article."""
    doubtful: frozenset[str]
    plurals: frozenset[str]
    endings: re.Pattern[str] | None
    longest: int
    """The length of the longest entry of a language without blanks."""


def spaceless_in(text: str) -> bool:
    """Return whether a text contains letters of Japanese."""
    return not text.isascii() and _SPACELESS.search(text) is not None


@cache
def lexicon(code: str) -> Lexicon:
    """Return the words of a language, made for the first question that needs them."""
    language = LANGUAGES[code]
    entries: dict[str, list[tuple[tuple[str, ...], str, Any]]] = {}
    taken: set[tuple[str, ...]] = set()
    contents: set[str] = set()
    small = {fold(word) for row in language.roles.values() for word in words_of(row)}
    for row, letter, value in chain(_contents(language), _relations(language)):
        for phrase in words_of(row):
            key = _key(phrase, language)
            if not key or key in taken:
                continue
            taken.add(key)
            entries.setdefault(key[0], []).append((key, letter, value))
            if letter == "H" or (letter not in _ROLES.values() and letter not in "NO"):
                contents.add(next((word for word in key if word not in small), key[0]))
    for listed in entries.values():
        listed.sort(key=lambda entry: -len(entry[0]))
    flat = {
        word: frozenset(fold(each) for each in words_of(row))
        for word, row in (("doubtful", language.doubtful), ("plurals", language.plurals))
    }
    return Lexicon(
        language, entries, frozenset(contents), flat["doubtful"], flat["plurals"],
        re.compile(language.endings) if language.endings else None,
        max(map(len, entries)),
    )  # fmt: skip


def _key(phrase: str, language: Language) -> tuple[str, ...]:
    if language.code == "ja" and spaceless_in(phrase):
        return (fold(phrase),)
    return tuple(fold(each) for each in WORD.findall(phrase) if each not in APOSTROPHES)


def _contents(language: Language) -> Iterator[tuple[str, str, Any]]:
    """Yield rows of words that name a time or a unit, those that win before others."""
    yield from _days(language)
    for name, row in language.feasts.items():
        yield row, "R", Recurring("feast", 0, lambda year, name=name: feast_in(year, name))
    for rows, letter in (
        (language.months, "M"), (language.weekdays, "W"), (language.short_weekdays, "w"), (language.ordinals, "O"),
        (language.numbers, "N"), (("", language.about_two), "N"),
    ):  # fmt: skip
        for number, row in enumerate(rows, 1):
            yield row, letter, number
    yield language.final, "O", -1
    # Before all others: "Juniwoche" is no other word.
    for month, row in enumerate(language.months if language.capital_nouns else (), 1):
        for unit in ("week", "weekend"):
            words = words_of(language.units[unit])
            yield ", ".join(name + word for name in words_of(row) for word in words), "z", (month, unit)
    for number, row in enumerate(language.decades):
        yield row, "R", Recurring("decade", number, lambda _year, number=number: decade_of(1920 + 10 * number))
    yield language.calendar_week, "q", None
    tables: tuple[tuple[Mapping[Any, str], str], ...] = (
        (language.units_from_now, "K"), (language.seasons, "S"), (language.unit_parts, "E"),
    )  # fmt: skip
    for table, letter in tables:
        for value, row in table.items():
            yield row, letter, value
    for words, length in language.durations.items():
        yield words, "n", length
    for unit, row in language.units.items():
        yield row, "U", unit
    for part, row in language.day_parts.items():
        yield row, "B", part


def _days(language: Language) -> Iterator[tuple[str, str, Any]]:
    mornings = {*words_of(language.day_parts.get("morning", ""))}
    yield ", ".join(word for word in words_of(language.days.get(1, "")) if word in mornings), "J", None
    for day, row in language.parts_from_now.items():
        yield row, "D", day
    for step, row in language.days.items():
        yield row, "D", (step, None)
    for number, row in enumerate(language.weekdays if language.capital_nouns else (), 1):
        for part, parts in language.day_parts.items():
            yield ", ".join(day + word for day in words_of(row) for word in words_of(parts)), "C", (number, part)


def _relations(language: Language) -> Iterator[tuple[str, str, Any]]:
    within = {*words_of(language.roles.get("within", ""))}
    for role, row in language.roles.items():
        if letter := _ROLES.get(role):
            for word in words_of(row):
                yield word, letter, "within" if word in within else role
    for word in within:
        yield word, "i", "within"


@lru_cache(maxsize=4096)
def stem_of(key: str, code: str) -> str | None:
    """Return a word of time without its ending; None if it is none, or has no ending."""
    words = lexicon(code)
    if words.endings is None:
        return None
    for size in range(len(key) - 1, 1, -1):
        if key[:size] in words.entries and words.endings.fullmatch(key, size):
            return key[:size]
    return None


def decade_of(year: int) -> Period | None:
    """Return the ten years from a year on."""
    first, last = year_of(year), year_of(year + 9)
    return Period(first.start, last.end, "season") if first and last else None


def part_of_year(number: int, months: int) -> Recurring:
    """Return the nth quarter or half of each year, by its months."""

    def of(year: int) -> Period | None:
        first, last = month_of(year, (number - 1) * months + 1), month_of(year, number * months)
        return Period(first.start, last.end, "season") if first and last else None

    return Recurring("part", number, of)


def day_in_each_year(month: int, day: int) -> Recurring | None:
    """Return a day of each year that has it; None if no year has it."""
    return Recurring("day", day, lambda year: day_of(year, month, day)) if day_of(2024, month, day) else None
