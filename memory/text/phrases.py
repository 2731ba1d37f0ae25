"""Quoted phrases of a query, and the test whether a text contains them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from .analyzer import combining_marks, fold, spaceless, terms_of_phrase

_QUOTED = re.compile(
    r'(?<![^\W_])"(?=\S)([^"]+)(?<=\S)"(?![^\W_])|\u201c([^\u201c\u201d]+)\u201d|\u201e([^\u201c\u201d\u201e]+)[\u201c\u201d]|\u00ab([^\u00ab\u00bb]+)\u00bb'
    r"|\u300c([^\u300c\u300d]+)\u300d|\u300e([^\u300e\u300f]+)\u300f|\uff02([^\uff02]+)\uff02"
)
MOST_PHRASES = 8
"""The most phrases of a query; further ones count as ordinary words."""


class Phrase:
    """Words that must be adjacent and in order, ignoring case, accents and the punctuation between them.

    Args:
        text: the words; a phrase without any letter, digit or symbol is in no text.
    """

    def __init__(self, text: str) -> None:
        self.text = " ".join(text.split())
        self.terms = terms_of_phrase(self.text)
        """For each word, the terms of which a text with the phrase has at least one."""
        self._folded = fold(self.text)
        self._words = re.findall(f"[^\\W_]+(?:[{combining_marks()}]+[^\\W_]*)*", self._folded)

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        words = self._words
        if not words:
            return re.compile(r"\s*".join(map(re.escape, self._folded.split())) or "(?!)")
        before = "" if spaceless(words[0][0]) else r"(?<![^\W_])"
        after = "" if spaceless(words[-1][-1]) else r"(?![^\W_])"
        return re.compile(before + r"[\W_]+".join(map(re.escape, words)) + after)

    def is_in(self, text: str) -> bool:
        """Return whether the text contains the phrase."""
        folded = fold(text)
        # Most texts lack one of the words; this check is cheaper than building the pattern.
        return all(word in folded for word in self._words) and self._pattern.search(folded) is not None


def quoted(question: str) -> tuple[str, ...]:
    """Return the quoted phrases, distinct and in order; unclosed quotes are ignored."""
    candidates = (next(filter(None, match.groups())) for match in _QUOTED.finditer(question))
    return tuple(dict.fromkeys(text for text in candidates if terms_of_phrase(text)))[:MOST_PHRASES]


def phrases_in(question: str) -> Iterator[tuple[int, int]]:
    """Yield the ranges of the quoted phrases of several words: a name in one names nobody."""
    for match in _QUOTED.finditer(question):
        if len(match.group().split()) > 1:
            yield match.span()


def hold_all(text: str, phrases: Sequence[Phrase]) -> bool:
    """Return whether a text contains all phrases."""
    return all(phrase.is_in(text) for phrase in phrases)
