"""All patterns, the hash that changes with any of them, and the version of each."""

from __future__ import annotations

from dataclasses import astuple
from hashlib import sha256

from ..extractor import RowVersions
from . import lexicon, questions
from .endings import ENDINGS
from .english import ENGLISH
from .german import GERMAN
from .pattern import FRAGMENTS, VALUES
from .prefilter import word_sums
from .spanish import SPANISH

ENGINE = "10"
"""Raised when code, not the table, makes other statements come out."""
PATTERNS = (*ENGLISH, *GERMAN, *SPANISH, *ENDINGS)


def row_versions() -> RowVersions:
    """The version of each row, and of what they share: fragments, lists of words, questions, and the code that reads."""
    shared = repr([ENGINE, [astuple(row) for row in questions.QUESTIONS], dict(FRAGMENTS), dict(VALUES), _lists()])
    rows = {_digest(repr(astuple(row)[:-1])): " ".join(sorted(word_sums(row.cues))) for row in PATTERNS}
    return RowVersions(_digest(shared), rows)


def table_hash() -> str:
    """Twelve digits that are others when a row, a fragment or a list of words is another. Cues and examples are left out:
    they do not change what is found.
    """
    rows = [astuple(row)[:-2] for row in PATTERNS]
    return _digest(repr([rows, [astuple(row) for row in questions.QUESTIONS], dict(FRAGMENTS), dict(VALUES), _lists()]))


def _lists() -> dict[str, str]:
    return {name: text for name, text in vars(lexicon).items() if name.isupper()}


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:12]
