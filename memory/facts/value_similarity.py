"""Compares two values: equal, more or less detailed, or undecidable without understanding them. Pure."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Literal

from ..text.stemmer import english_stem

Relation = Literal["same", "narrower", "wider", "near", "other"]
"""The relation of a value to an earlier one. ``near``: they have much in common, and a model may be asked."""

_WORD = re.compile(r"[^\W_]+")
_EMPTY = frozenset(
    [
        "a", "an", "the", "my", "our", "your", "his", "her", "their", "its", "in", "at", "on", "of", "to", "for",
        "with", "and", "or", "is", "am", "are", "be", "been", "was", "were", "this", "that", "some", "really", "very",
        "so", "now", "currently", "just", "near", "still", "here", "there", "from", "der", "die", "das", "ein", "eine",
        "im", "zu", "von", "mit", "und", "la", "el", "le", "les", "los", "las", "un", "une", "una", "en", "de", "del",
        "du", "des", "au", "aux", "y", "et", "e", "i", "il", "lo", "di", "da",
    ]
)  # fmt: skip
"""Words without significance in a value, in English, German, French, Spanish and Italian; folded."""


@lru_cache(maxsize=4096)
def terms_of(value: str) -> frozenset[str]:
    """Return the stems of the significant words of a value; of all words if there are no others."""
    folded = "".join(c for c in unicodedata.normalize("NFKD", value.casefold()) if not unicodedata.combining(c))
    words = _WORD.findall(folded)
    stems = frozenset(english_stem(word) for word in words if word not in _EMPTY)
    return stems or frozenset(words)


def normalized_value(value: str) -> str:
    """Return the form of a value that clusters are named by: its terms in alphabetical order."""
    return " ".join(sorted(terms_of(value)))


def relation(value: str, earlier: str) -> Relation:
    """Return the relation of ``value`` to ``earlier``: the same words in another order or form, more, fewer, or other
    words.
    """
    new, old = terms_of(value), terms_of(earlier)
    if new == old:
        return "same"
    if not new or not old:
        return "other"
    if old < new:
        return "narrower"
    if new < old:
        return "wider"
    return "near" if overlap(value, earlier) >= NEAR else "other"


def overlap(value: str, earlier: str) -> float:
    """Return the share of common terms in the terms of both values, 0 to 1."""
    new, old = terms_of(value), terms_of(earlier)
    return len(new & old) / max(1, len(new | old))


NEAR = 0.25
"""The share of common terms from which on two values may mean one thing."""
