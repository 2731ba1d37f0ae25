"""Finds the words of a text that match a query, for highlighting."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from itertools import islice

from .analyzer import PIECE, combining_marks, fold, spaceless, stem_of
from .hyphens import hyphenated
from .numbers import SHORTEST, long_numbers
from .stopwords import LANGUAGES, stop_words

_APOSTROPHES = "'\u2019\u02bc\uff07"
_APOSTROPHE = re.compile(f"[{_APOSTROPHES}]")
_ASCII_WORD = re.compile("[A-Za-z0-9]+(?:'[A-Za-z0-9]+)*")
MOST_MATCHES = 200
"""The most matches in one text."""
SHORTEST_COMPOUND = 2 * PIECE
"""The least letters of a word of the query whose parts are marked."""


@lru_cache(maxsize=1)
def _word() -> re.Pattern[str]:
    """Return the pattern of a word in any script, with its marks and its parts around an apostrophe."""
    return re.compile(f"[^\\W_]+(?:[{combining_marks()}{_APOSTROPHES}]+[^\\W_]+)*")


@lru_cache(maxsize=8_192)
def _forms(word: str) -> tuple[str, ...]:
    """Return the forms that match a word: folded, without the part after an apostrophe, and the stems of both."""
    folded = fold(word)
    bare = _APOSTROPHE.split(folded, maxsplit=1)[0]
    return tuple(dict.fromkeys((folded, bare, stem_of(folded), stem_of(bare))))


class _Known(dict[str, bool]):
    """A cache of words with whether they match: the hits of a query share most of their words."""

    def __init__(self, terms: Collection[str], parts: Collection[str], compounds: Collection[str]) -> None:
        super().__init__()
        self._terms = frozenset(terms)
        self._parts = parts
        self._compounds = compounds

    def __missing__(self, word: str) -> bool:
        forms = _forms(word)
        is_match = not self._terms.isdisjoint(forms) or any(part in forms[0] for part in self._parts)
        if not is_match and len(forms[0]) > PIECE and any(forms[0] in each for each in self._compounds):
            is_match = not any(forms[0] in stop_words(each) for each in LANGUAGES)
        self[word] = is_match
        return is_match


class Highlighter:
    """Finds the words that match a query term: by the word itself, its stem, or as a compound that contains one.

    Args:
        terms: as `query_terms` gives them.
    """

    def __init__(self, terms: Collection[str]) -> None:
        self._terms = frozenset(term for term in terms if not term.startswith("_"))
        # A part of a compound must be one letter longer than a piece; otherwise "rest" would match "restaurant".
        self._parts = tuple(term for term in self._terms if len(term) > PIECE and not term.isdigit())
        self._pairs = frozenset(term for term in self._terms if spaceless(term))
        self._numbers = frozenset(term for term in self._terms if len(term) >= SHORTEST and term[-1:].isdigit())
        # The parts of a compound of the query match where its pieces are searched, in languages other than English.
        pieces = len(self._terms) < len(frozenset(terms))
        compounds = [term for term in self._parts if len(term) >= SHORTEST_COMPOUND] if pieces else []
        self._known = _Known(self._terms, self._parts, compounds)

    def spans(self, text: str, start: int = 0, end: int | None = None) -> tuple[tuple[int, int], ...]:
        """Return the matching words between two offsets as (start, end), ascending, without overlaps, in characters of
        the whole text.
        """
        last = len(text) if end is None else end
        if text.isascii():
            matches = self._known
            spans = (match.span() for match in _ASCII_WORD.finditer(text, start, last) if matches[match[0]])
        else:
            spans = self._in_any_writing(_word().finditer(text, start, last))
        if joined := [*self._long_numbers(text, start, last), *self._hyphenated(text, start, last)]:
            spans = sorted([*spans, *joined])
        elif text.isascii():
            return tuple(islice(spans, MOST_MATCHES))
        apart: list[tuple[int, int]] = []
        for begin, stop in spans:
            if apart and apart[-1][1] >= begin:
                apart[-1] = (apart[-1][0], max(apart[-1][1], stop))
            else:
                apart.append((begin, stop))
            if len(apart) >= MOST_MATCHES:
                break
        return tuple(apart)

    def _long_numbers(self, text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield the numbers of the query, whatever stands between their digits."""
        for number in long_numbers(text[start:end]) if self._numbers else ():
            if number.term in self._numbers:
                yield start + number.start, start + number.end

    def _hyphenated(self, text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield the hyphenated words that are words of the query without their hyphens."""
        for word, begin, stop in hyphenated(text[start:end]):
            if not self._terms.isdisjoint(_forms(word)):
                yield start + begin, start + stop

    def _in_any_writing(self, words: Iterable[re.Match[str]]) -> Iterator[tuple[int, int]]:
        for match in words:
            if self._pairs and not match[0].isascii() and any(map(spaceless, match[0])):
                yield from self._in_run(match[0], match.start())
            elif self._known[match[0]]:
                yield match.span()

    def _in_run(self, run: str, at: int) -> Iterator[tuple[int, int]]:
        """Yield the pairs and single characters of the query in a run without blanks."""
        for index in range(len(run)):
            for length in (2, 1):
                if index + length <= len(run) and fold(run[index : index + length]) in self._pairs:
                    yield at + index, at + index + length
                    break
