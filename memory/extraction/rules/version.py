"""The version of the rules, without the rules: comparing it is all that most starts need, and compiling the table for it took
a tenth of a second of every command.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

ENGINE = "11"
"""Raised when code, not the table, makes other statements come out."""
TABLE = (
    "english.py",
    "german.py",
    "spanish.py",
    "endings.py",
    "questions.py",
    "lexicon.py",
    "pattern.py",
    "../calendar.py",
)
"""The modules that hold the rows, and what rows are made of."""


def table_hash(folder: Path = Path(__file__).parent) -> str:
    """Twelve digits that are others when a row, a fragment or a list of words is another. Of the source text: where only a
    comment changed, comparing the rows one by one finds nothing to read anew.

    Raises:
        OSError: the package is without its source.
    """
    digest = sha256()
    for name in TABLE:
        digest.update((folder / name).read_bytes())
    return digest.hexdigest()[:12]


VERSION = f"{ENGINE}-{table_hash()}"
NAME = "rules"
