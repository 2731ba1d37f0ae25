"""The word lists of the rules, read from the files of the folder ``words`` when one is first needed."""

from __future__ import annotations

from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent / "words"
LANGUAGES = {"en": "english", "de": "german", "es": "spanish"}


def listed(language: str, name: str) -> frozenset[str]:
    """Return the words of a list in lower case, such as the ``jobs`` of ``en``; an entry may be several words."""
    return _sections(LANGUAGES[language])[name]


def in_names(name: str) -> frozenset[str]:
    """Return a list of ``names.txt``, which has those of all languages together."""
    return _sections("names")[name]


@cache
def _sections(file: str) -> dict[str, frozenset[str]]:
    sections: dict[str, set[str]] = {}
    words: set[str] = set()
    for line in (FOLDER / f"{file}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            words = sections.setdefault(line.strip("[]"), set())
        elif not line.startswith("#"):
            words.update(word.replace("_", " ").casefold() for word in line.split())
    return {name: frozenset(each) for name, each in sections.items()}
