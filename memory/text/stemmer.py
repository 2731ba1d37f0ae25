"""Stems words by the Snowball algorithms, with a cache: a chat repeats few words many times."""

from __future__ import annotations

import threading
from functools import lru_cache
from importlib import import_module
from importlib.metadata import version
from typing import Any, Protocol

LONGEST_STEMMED = 40
"""The most characters of a word that is stemmed; longer strings are not words of a language."""
ALGORITHMS = {
    "ar": "arabic",
    "ca": "catalan",
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "et": "estonian",
    "eu": "basque",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "ne": "nepali",
    "nl": "dutch",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
    "yi": "yiddish",
}
"""The algorithms by ISO 639-1 code."""

# A Snowball stemmer is not thread-safe; only words missing from the cache come here.
_WORKING = threading.Lock()


class _Stemmer(Protocol):
    """The part of ``snowballstemmer`` in use; that library has no types."""

    def stemWord(self, word: str, /) -> str: ...  # noqa: N802 - its name


def stemmers() -> str:
    """Return the release of the stemmers: another one may cut other endings."""
    return version("snowballstemmer")


@lru_cache(maxsize=131_072)
def english_stem(word: str) -> str:
    """Return the Porter2 stem; a cached word takes less than 0.1 µs. The full cache takes 31 MB."""
    return stem(word, "en")


def porter_stem(word: str) -> str:
    """Return the stem of an English word in lower case by Porter's first algorithm, which published figures use."""
    if len(word) > LONGEST_STEMMED:
        return word
    with _WORKING:
        return _stemmer("porter").stemWord(word)


def stem(word: str, language: str) -> str:
    """Return the stem of a folded word, or the word if there is no algorithm for the language.

    Args:
        word: in lower case.
        language: an ISO 639-1 code; a longer tag (``en-GB``) counts by its first part.
    """
    algorithm = ALGORITHMS.get(language[:2].lower())
    if algorithm is None or len(word) > LONGEST_STEMMED:
        return word
    with _WORKING:
        stem = _stemmer(algorithm).stemWord(word)
    return stem or word


@lru_cache(maxsize=len(ALGORITHMS) + 1)
def _stemmer(algorithm: str) -> _Stemmer:
    snowball: Any = import_module("snowballstemmer")  # not for a process that stems nothing
    stemmer: _Stemmer = snowball.stemmer(algorithm)
    return stemmer
