"""Where in a message the words stand that a value rests on, when its quote is taken from somewhere else. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from ..text.stemmer import english_stem
from .assertion_gate import ENDS, Quoted, plain_of, sentence_of

LEAST_WORDS_TO_PLACE = 4
"""Of a value that is looked for outside the sentences of its quote."""
LONGEST_SMALL_WORD = 3
"""Letters of words that stand in any sentence."""
CLEARLY_MORE = 2
"""Words by which another sentence must say more of a value than the quote's."""

_WORD = re.compile(r"[^\W_]+")


def told_at(quoted: Quoted, value: str) -> Quoted:
    """The quote, or of a long value the words that carry it, where another sentence has clearly more of them than the quote's: a
    model that quotes how a message begins is judged by what the value rests on. Whoever lies could have quoted that.
    """
    words = _WORD.findall(plain_of(value))
    if len(words) < LEAST_WORDS_TO_PLACE:
        return quoted
    stems = {english_stem(word) for word in words if len(word) > LONGEST_SMALL_WORD}
    shared = {span: _shared_words(quoted.text, span, stems) for span in _sentences(quoted.text)}
    first, last = sentence_of(quoted)
    own = [(begin, end) for begin, end in shared if first <= begin and end <= last]
    best = max(shared, key=lambda span: (len(shared[span]), span in own))
    if own == [best]:
        return quoted
    rivals = [span for span in own if span != best]
    if len(shared[best]) < CLEARLY_MORE + max((len(shared[span]) for span in rivals), default=0):
        return quoted
    places = shared[best].values()
    return Quoted(quoted.text, min(begin for begin, _ in places), max(end for _, end in places))


def _shared_words(text: str, span: tuple[int, int], stems: AbstractSet[str]) -> dict[str, tuple[int, int]]:
    """Which of the stems stand between two places of a text, and from where to where each goes."""
    found = ((english_stem(plain_of(word[0])), word.span()) for word in _WORD.finditer(text, *span))
    return {stem: place for stem, place in found if stem in stems}


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    """From where to where each sentence goes."""
    begin = 0
    for found in ENDS.finditer(text):
        if text[begin : found.start()].strip():
            yield begin, found.end()
            begin = found.end()
    if text[begin:].strip() or not begin:
        yield begin, len(text)
