"""Where in a sentence a claim may begin, if nothing before makes it uncertain."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from ..assertions import LEAD, SEPARATOR
from ..dates import EXPRESSION
from .first_words import beginnings, first_word

_NO_WORD = re.compile(r"[\W_]*")
_TIMED = re.compile(rf"(?!today|tonight|this |heute|hoy|esta ){EXPRESSION}[\s,]+", re.IGNORECASE)
"""Words of time that a claim may stand behind: "since March I …"."""


def places_of(sentence: str) -> Iterator[tuple[int, int, str]]:
    """Where a claim may begin: after opening words, words of time, and each separator.

    Yields:
        where its clause begins, up to which `plain` tells whether it counts, where the claim may begin, and the word there.
    """
    leads, times = _starts()
    for begin in [0, *(match.end() for match in SEPARATOR.finditer(sentence))]:
        bare = _NO_WORD.match(sentence, begin)
        place = begin if bare is None else bare.end()
        word = first_word(sentence, place)
        yield begin, place, word
        lead = LEAD.match(sentence, begin) if word in leads else None
        if lead is not None and lead.end() != place:
            place = lead.end()
            word = first_word(sentence, place)
            yield begin, place, word
        timed = _TIMED.match(sentence, place) if word in times else None
        if timed is not None:
            yield begin, timed.end(), first_word(sentence, timed.end())


class _Starts:
    """The words that what a pattern matches may begin with: to look one up takes a tenth of the time of trying."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        begins = beginnings(pattern.pattern)
        self._words = begins.words | begins.parts
        self._open = tuple(begins.open)

    def __contains__(self, word: str) -> bool:
        return word in self._words or word.startswith(self._open)


@cache
def _starts() -> tuple[_Starts, _Starts]:
    """Of opening words, and of words of time."""
    return _Starts(LEAD), _Starts(_TIMED)
