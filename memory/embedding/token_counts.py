"""Counts tokens word by word with a cache: a chat repeats few words many times."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

MOST_WORDS = 100_000
MOST_CHARACTERS = 4_000_000
LONGEST_TEXT = 4_000
"""The length in characters above which a text is counted whole, so that no very long word is cached."""

# The blanks at which tokenizers of BERT's kind always cut. Other blanks stay inside a piece and are left to the
# tokenizer.
_PIECE = re.compile(r"[^ \t\n\r]+")


class WordCounts:
    """Counts the tokens of texts from cached counts of their words.

    Args:
        count: the tokenizer's own count, for a tokenizer whose tokens never reach over a blank.
    """

    def __init__(self, count: Callable[[Sequence[str]], list[int]]) -> None:
        self._count = count
        self._known: dict[str, int] = {}
        self._characters = 0

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text. Safe to call from several threads."""
        if self._characters > MOST_CHARACTERS or len(self._known) > MOST_WORDS:
            self._known, self._characters = {}, 0
        cached = self._known  # stays whole for this call, whatever others do
        pieces = [_PIECE.findall(text) if len(text) <= LONGEST_TEXT else None for text in texts]
        fresh = list({piece for words in pieces if words for piece in words}.difference(cached))
        if fresh:
            cached.update(zip(fresh, self._count(fresh), strict=True))
            self._characters += sum(map(len, fresh))
        long = iter(self._count([text for text in texts if len(text) > LONGEST_TEXT]))
        return [next(long) if words is None else sum(map(cached.__getitem__, words)) for words in pieces]
