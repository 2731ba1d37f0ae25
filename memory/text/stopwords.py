"""Words that say nothing in a question, by language. They also tell in which language a text is: see `language`.

Written as people write them; `stop_words` gives them as `analysis.fold` leaves them (``don't`` is ``dont``, ``für``
is ``fur``). The lists are memd's own: pronouns, articles, prepositions, auxiliaries, question words, particles.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from .word_files import sections

_LISTS = sections(Path(__file__).with_suffix(".txt"))
LANGUAGES = tuple(_LISTS)
"""The ISO 639-1 codes of the lists."""
ENGLISH = frozenset(" ".join(_LISTS["en"]).split())
"""English stop words, without may, will and like: a month, a name, and a frequent subject of queries."""


def stop_words(language: str) -> frozenset[str]:
    """Return the folded stop words of a language; empty if there are none."""
    if language == "en":
        return ENGLISH
    # A language without a list takes no place of the cache: it would push out one that has one.
    return _folded(language) if language in _LISTS else frozenset()


@lru_cache(maxsize=len(LANGUAGES))
def _folded(language: str) -> frozenset[str]:
    from .analyzer import fold

    return frozenset(fold(word) for word in " ".join(_LISTS[language]).split())
