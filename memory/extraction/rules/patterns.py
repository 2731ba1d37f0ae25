"""All patterns, and the version of each: what a former version read is read anew only where a changed row may find something."""

from __future__ import annotations

from dataclasses import astuple
from functools import cache
from hashlib import sha256

from ..extractor import RowVersions
from . import lexicon, questions
from .endings import ENDINGS
from .english import ENGLISH
from .german import GERMAN
from .pattern import FRAGMENTS, VALUES
from .prefilter import word_sums
from .spanish import SPANISH
from .version import ENGINE

PATTERNS = (*ENGLISH, *GERMAN, *SPANISH, *ENDINGS)


@cache
def row_versions() -> RowVersions:
    """The version of each row, and of what they share: fragments, lists of words, questions, and the code that reads.

    Computed once: it takes as long as storing a hundred messages.
    """
    shared = repr([ENGINE, [astuple(row) for row in questions.QUESTIONS], dict(FRAGMENTS), dict(VALUES), _lists()])
    rows = {_digest(repr(astuple(row)[:-1])): " ".join(sorted(word_sums(row.cues))) for row in PATTERNS}
    return RowVersions(_digest(shared), rows)


def _lists() -> dict[str, str]:
    return {name: text for name, text in vars(lexicon).items() if name.isupper()}


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:12]
