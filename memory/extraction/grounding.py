"""Decides whether the words of a proposal are grounded in the cited lines: of its value, its content, of a summary.
Pure.

A word is grounded by itself in any inflection, as a part of a compound, as a number or date in another form, or by a
word of `equivalents`. Names, numbers and the closed words of `equivalents` must always be grounded; of other words a
share, because a model words a sentence in its own way. Small words, and words that only report that somebody said or
felt something, need no ground.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta
from functools import lru_cache
from pathlib import Path

from ..text.analyzer import fold
from ..text.stemmer import english_stem
from ..text.word_files import sections
from .calendar import MONTHS, NUMBERS
from .dates import EXPRESSION, anniversary, resolve_date
from .equivalents import HATED, LIKED, groups_of, is_closed, is_predicate
from .spelled_numbers import spelled_numbers
from .window import Window

LEAST_OF_A_SENTENCE = 3
"""The number of words from which on a value may be reworded; of fewer all must be grounded."""
LEAST_SHARE = 2 / 3
"""The least share of grounded words in a value of three or more; the rest may be a model's wording, but no name or
number.
"""
LEAST_CONTENT_SHARE = 0.8
"""The least share of grounded words in a sentence about a fact; of four words all."""

_WORD = re.compile(r"\d{4}-\d\d(?:-\d\d)?(?!\w)|[^\W_]+")
_NUMBER = re.compile(r"\d+")
_ARTICLES = frozenset({"a", "an", "ein", "eine", "einen", "einem", "einer", "un", "una"})
_ISO = re.compile(r"\d{4}(?:-\d\d(?:-\d\d)?)?")
_EXPRESSION = re.compile(rf"(?<![^\W_]){EXPRESSION}")
_LIGHT, _UNBOUND, _REPORTING = (
    frozenset(fold(" ".join(lines)).split()) for lines in sections(Path(__file__).with_suffix(".txt")).values()
)
_SAYS_SOMETHING = re.compile(r"\d|\w\w|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Matches a word that is more than a single letter, such as the s of a genitive."""
_LEAST_COMPOUND = 5
"""The least letters of a closed word that begins a compound: "Katzenhaarallergie"."""
_SPACELESS = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]")


class Ground:
    """The words that support claims.

    Args:
        texts: the lines as they were written.
        names: names of people, which need not occur in the lines; also the words of the attribute.
        said: the time of the lines, for dates without a year.
    """

    def __init__(self, texts: Iterable[str], names: Iterable[str], said: datetime) -> None:
        self._texts = tuple(texts)
        self._given = tuple(names)
        self._folded = fold(" \n ".join(self._texts))
        self._words = frozenset(_WORD.findall(self._folded))
        self._stems = frozenset(english_stem(word) for word in self._words)
        self._names = frozenset(word for name in self._given for word in _WORD.findall(fold(name)))
        self._groups = frozenset(group for word in self._words | self._names for group in groups_of(word))
        self._numbers = frozenset(_NUMBER.findall(self._folded)) | spelled_numbers(self._folded)
        self._said = said

    @property
    def text(self) -> str:
        """The lines, joined."""
        return "\n".join(self._texts)

    def with_words(self, text: str) -> Ground:
        """Return this ground extended by the words of a text."""
        return Ground(self._texts, (*self._given, text), self._said)

    def of(self, text: str) -> Ground:
        """Return the ground of another text of the same time."""
        return Ground([text], (), self._said)

    def feels_otherwise(self, words: Iterable[str]) -> bool:
        """Return whether the words express liking where the lines express hate."""
        liked = any(not LIKED.isdisjoint(groups_of(fold(word))) for word in words)
        return liked and not self._groups.isdisjoint(HATED) and self._groups.isdisjoint(LIKED)

    def has(self, word: str) -> bool:
        """Return whether a folded word is grounded, or needs no ground."""
        return word in _LIGHT or self.holds(word)

    def holds(self, word: str) -> bool:
        """Return whether a folded word is grounded, without exception for small words."""
        if word in self._words or word in self._names:
            return True
        if _NUMBER.fullmatch(word):
            return self.has_number(word)
        if _ISO.fullmatch(word):
            return all(map(self.has_part_of_date, word.split("-")))
        if _SPACELESS.search(word) and (word in self._folded or _shared_pairs(word, self._folded) >= LEAST_SHARE):
            return True
        if english_stem(word) in self._stems or not self._groups.isdisjoint(groups_of(word)):
            return True
        if is_closed(word):  # inflection would mislead: "grandmother" and "mother", "hermano" and "hermana"
            return len(word) >= _LEAST_COMPOUND and any(
                other.startswith(word) and not is_closed(other) for other in self._words
            )
        if spelled := spelled_numbers(word):
            return all(self.has_number(number) for number in spelled)
        return any(_inflected(word, other) for other in self._words | self._names if not is_closed(other))

    def has_number(self, number: str) -> bool:
        """Return whether the lines contain a number, in digits or spelled out, or mean the year."""
        plain = number.lstrip("0") or "0"
        if any(plain == (other.lstrip("0") or "0") for other in self._numbers):
            return True
        if any(plain in other for other in self._numbers if len(plain) >= 4):
            return True
        if any(str(NUMBERS[word]) == plain for word in self._words - _ARTICLES if word in NUMBERS):
            return True
        if len(plain) != 4:
            return False
        return plain == str(self._said.year) or any(plain == str(day.year) for day in self._dates())

    def has_part_of_date(self, number: str) -> bool:
        """Return whether the lines contain a number of a date, also as the name of a month."""
        plain = number.lstrip("0")
        return self.has_number(number) or any(str(MONTHS[word]) == plain for word in self._words if word in MONTHS)

    def has_date(self, text: str) -> bool:
        """Return whether the lines name a date: they contain its words, or an expression that means it."""
        iso = _ISO.match(text.strip())
        if iso is None:
            return all(self.has(word) for word in _WORD.findall(fold(text)))
        near = {(self._said + timedelta(days=days)).date() for days in (-1, 0, 1)}
        return any(day.isoformat().startswith(iso[0]) for day in near | self._dates())

    def _dates(self) -> set[date]:
        """Return the first and last days of all expressions of time in the lines."""
        stated_days: set[date] = set()
        for text in self._texts:
            for match in _EXPRESSION.finditer(" ".join(text.casefold().split())):
                for past in (False, True):
                    span = resolve_date(match[0], self._said, past=past)
                    if span is not None:
                        days = [moment.date() for moment in (span.start, span.end) if moment is not None]
                        stated_days.update(day - timedelta(days=back) for day in days for back in (0, 1))
        return stated_days

    def has_day(self, value: str) -> bool:
        """Return whether the lines name a day, given as ``1990-03-12`` or ``--03-12``."""
        day = value[-5:]
        return any(
            (stated_day := anniversary(piece, self._said)) is not None and stated_day[-5:] == day
            for text in self._texts
            for piece in _pieces(text)
        )


def value_is_grounded(value: str, ground: Ground) -> bool:
    """Return whether the value is grounded in the cited lines: all words of a short one, all names and numbers of a
    longer one.
    """
    if re.fullmatch(r"(?:\d{4}|-)-\d\d-\d\d", value.strip()):
        return ground.has_day(value.strip()) or all(map(ground.has_part_of_date, _NUMBER.findall(value)))
    words = _content_words(value)
    if not words:
        small = _WORD.findall(fold(value))
        return _UNBOUND.isdisjoint(small) and any(map(ground.holds, small))
    if len(words) >= LEAST_OF_A_SENTENCE:
        words = [word for word in words if fold(word) not in _REPORTING] or words
    if len(words) < LEAST_OF_A_SENTENCE:
        return all(ground.has(fold(word)) for word in words)
    if ground.feels_otherwise(words):
        return False
    return _names_are_grounded(words, ground) and _share(words, ground) >= LEAST_SHARE


def states_enough(text: str) -> bool:
    """Return whether a text has enough words to be a model's own wording."""
    return len(_content_words(text)) >= LEAST_OF_A_SENTENCE


def clause_is_grounded(clause: str, ground: Ground, *, strict: bool = False) -> bool:
    """Return whether the names, the closed words and most other words of a clause are grounded; of two words both.

    ``strict``: its verbs must be grounded, too.
    """
    words = [word for word in _content_words(clause) if fold(word) not in _REPORTING]
    if strict and not all(ground.has(fold(word)) for word in words if is_predicate(fold(word))):
        return False
    least = 1 if len(words) < LEAST_OF_A_SENTENCE else LEAST_SHARE
    return _names_are_grounded(words, ground) and _share(words, ground) >= least


def has_words_of(text: str, value: str, attribute: str, ground: Ground) -> bool:
    """Return whether a sentence contains most words of a value, in any form or language, without those of the
    attribute's name.
    """
    words = [word for word in _content_words(value) if fold(word) not in attribute]
    return _share(words, ground.of(text)) >= LEAST_SHARE


def content_is_grounded(content: str, ground: Ground) -> bool:
    """Return whether a sentence about a fact adds nothing to the lines: no other name, no other number."""
    words = _content_words(content)
    return _names_are_grounded(words, ground) and (not words or _share(words, ground) >= LEAST_CONTENT_SHARE)


def words_are_grounded(text: str, ground: Ground) -> bool:
    """Return whether every word of a keyword or tag is grounded."""
    return _share(_content_words(text), ground) == 1


def names_are_grounded(text: str, ground: Ground) -> bool:
    """Return whether every name and number of a text is grounded; a summary needs no more."""
    return _names_are_grounded(_content_words(text), ground)


def summary_is_grounded(summary: str, window: Window) -> bool:
    """Return whether every name and number of a summary occurs in its window."""
    texts = [line.text for line in (*window.context, *window.lines)]
    said = max((line.time for line in window.lines), default=None)
    return said is not None and names_are_grounded(summary, Ground([window.title, *texts], window.people, said))


def _content_words(text: str) -> Sequence[str]:
    return [word for word in _WORD.findall(text) if fold(word) not in _LIGHT and _SAYS_SOMETHING.search(word)]


def _names_are_grounded(words: Sequence[str], ground: Ground) -> bool:
    return all(ground.has(fold(word)) for word in words if _must_be_grounded(word))


def _must_be_grounded(word: str) -> bool:
    """Return whether a word must be grounded: a name, a number, or a word of a closed class."""
    folded = fold(word)
    return word[0].isupper() or word[0].isdigit() or is_closed(folded) or bool(spelled_numbers(folded))


def _share(words: Sequence[str], ground: Ground) -> float:
    return sum(ground.has(fold(word)) for word in words) / len(words) if words else 1.0


@lru_cache(maxsize=65_536)
def _inflected(word: str, other: str) -> bool:
    """Return whether two words are forms of one, or one is a part of the other as a compound."""
    short, long = sorted((word, other), key=len)
    if len(short) < 4:
        return False
    if len(short) >= 5 and (long.startswith(short) or long.endswith(short)):
        return True
    common = next((index for index, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    return common >= 4 and common >= 0.7 * len(long)


def _shared_pairs(word: str, text: str) -> float:
    pairs = [word[index : index + 2] for index in range(len(word) - 1)] or [word]
    return sum(pair in text for pair in pairs) / len(pairs)


def _pieces(text: str) -> Sequence[str]:
    """Return all runs of up to five words."""
    words = text.split()
    return [" ".join(words[start : start + size]) for start in range(len(words)) for size in range(1, 6)]
