"""Finds the names in a question that stand where it speaks of a person, and that nobody in the store has: Zebulon in
"what did Zebulon say on Thursday?". Pure. A wrong notice is worse than none: the words around a name must say that it is
one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from ..extraction.equivalents import groups_of
from ..text.analyzer import fold
from ..text.languages import LANGUAGES
from .asking import patterns_of
from .people import capitals
from .time_lexicon import lexicon
from .times import silent_words

SHORTEST = 3
"""The fewest letters of a name."""
MOST_ENDING = 3
"""The most letters of an ending."""


def unknown_people(question: str, languages: Sequence[str], names: Collection[str]) -> tuple[str, ...]:
    """Return the names of people whom nobody knows.

    Args:
        question: the original question.
        languages: the likely ones.
        names: the folded words of the known names.
    """
    capital = {word for word in capitals(question) if not word.isupper()}
    if not capital:
        return ()
    # Letters of which folding makes two stay as they are, so that the places are those of the question.
    folded = "".join(each if len(each := fold(letter)) == 1 else letter for letter in question)
    codes = [code for code in languages if code in LANGUAGES] or [*LANGUAGES]
    places = dict.fromkeys(place for code in codes for place in _places(folded, code))
    candidates = dict.fromkeys(question[start:end] for start, end in places)
    return tuple(
        word
        for word in candidates
        if word in capital and _is_no_other_word(fold(word)) and not _is_known(fold(word), names)
    )


def _places(folded: str, code: str) -> Iterator[tuple[int, int]]:
    for pattern in patterns_of(code, "of_person"):
        for match in pattern.finditer(folded):
            yield match.span("words")


def _is_known(word: str, names: Collection[str]) -> bool:
    """Return whether a word is a name, its beginning, or a form of it: Tobi, and "Annas"."""
    if word in names:
        return True
    stem = word[: max(SHORTEST, len(word) - MOST_ENDING)]
    return any(name.startswith(stem) or (len(name) >= SHORTEST and word.startswith(name)) for name in names)


def _is_no_other_word(word: str) -> bool:
    times = any(word in lexicon(code).contents for code in LANGUAGES)
    return len(word) >= SHORTEST and not times and word not in silent_words() and not groups_of(word)
