"""Which words of a text match a question, for showing them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import lru_cache

from .analyzer import PIECE, combining_marks, fold, spaceless, stem_of

_APOSTROPHES = "'\u2019\u02bc\uff07"
_APOSTROPHE = re.compile(f"[{_APOSTROPHES}]")
_ASCII_WORD = re.compile("[A-Za-z0-9]+(?:'[A-Za-z0-9]+)*")
MOST_MATCHES = 200
"""Of one text; more would be a page of marks."""


@lru_cache(maxsize=1)
def _word() -> re.Pattern[str]:
    """A word of any writing, with its marks and what an apostrophe parts from it."""
    return re.compile(f"[^\\W_]+(?:[{combining_marks()}{_APOSTROPHES}]+[^\\W_]+)*")


class Highlighter:
    """Finds the words that are terms of a question: the word itself, its stem, or a compound that holds one.

    Args:
        terms: as `query_terms` gives them.
    """

    def __init__(self, terms: Collection[str]) -> None:
        self._terms = frozenset(term for term in terms if not term.startswith("_"))
        # A part of a compound has at least as many letters as a piece and one more, or "rest" would be in "restaurant".
        self._parts = tuple(term for term in self._terms if len(term) > PIECE and not term.isdigit())
        self._pairs = frozenset(term for term in self._terms if spaceless(term))
        self._known: dict[str, bool] = {}
        """By word, whether it matches: the hits of a question share most of their words."""

    def spans(self, text: str, start: int = 0, end: int | None = None) -> tuple[tuple[int, int], ...]:
        """The matching words between two offsets as (start, end), ascending and apart, in characters of the whole text."""
        found: list[tuple[int, int]] = []
        pattern = _ASCII_WORD if text.isascii() else _word()
        for match in pattern.finditer(text, start, len(text) if end is None else end):
            for first, last in self._in_word(match.group(), match.start()):
                if found and found[-1][1] >= first:
                    found[-1] = (found[-1][0], max(found[-1][1], last))
                else:
                    found.append((first, last))
            if len(found) >= MOST_MATCHES:
                break
        return tuple(found)

    def _in_word(self, word: str, at: int) -> Iterator[tuple[int, int]]:
        if self._pairs and not word.isascii() and any(map(spaceless, word)):
            yield from self._in_run(word, at)
            return
        matches = self._known.get(word)
        if matches is None:
            matches = self._known[word] = self._matches(fold(word))
        if matches:
            yield at, at + len(word)

    def _matches(self, folded: str) -> bool:
        bare = _APOSTROPHE.split(folded, maxsplit=1)[0]
        forms = {folded, bare, stem_of(folded), stem_of(bare)}
        return bool(forms & self._terms) or any(part in folded for part in self._parts)

    def _in_run(self, run: str, at: int) -> Iterator[tuple[int, int]]:
        """In writing without blanks: the pairs and the single characters that were asked for."""
        for index in range(len(run)):
            for length in (2, 1):
                if index + length <= len(run) and fold(run[index : index + length]) in self._pairs:
                    yield at + index, at + index + length
                    break
