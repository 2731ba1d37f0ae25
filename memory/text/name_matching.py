"""Finds names by parts of them: ignoring case and accents, by a word or the beginning of a word. Pure."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection, Iterable
from difflib import SequenceMatcher

from .analyzer import fold
from .names import folded

_LONGEST = 200
"""The most characters of a name that are compared for misspellings."""
_ALIKE = 0.75
"""The least similarity, by difflib's measure, at which a name may be a misspelling of another."""


def plain(name: str) -> str:
    """Return a name as typed on any keyboard: no case, no accents, l for ł, single blanks between its words."""
    if name.isascii():
        return " ".join(name.casefold().split())
    parts = unicodedata.normalize("NFKD", fold(unicodedata.normalize("NFKD", name)))
    return " ".join("".join(each for each in parts if not unicodedata.combining(each)).split())


def _words(shape: str) -> str:
    """Return only the words of a plain name, separated by single blanks: `Oma "Hilde" (Kassel)` is three words.

    A name without any, such as a heart, is left as it is, and so is one in brackets: `(me)` is a reserved name, which nobody
    means who types the beginning of Mehmet. Marks of vowels are no letters to Unicode, so that what divides words is named:
    punctuation and symbols.
    """
    if shape.replace(" ", "").isalnum() or (shape.startswith("(") and shape.endswith(")")):
        return shape
    return " ".join("".join(" " if unicodedata.category(each)[0] in "PS" else each for each in shape).split()) or shape


class NameIndex:
    """Names for lookup by parts, each name once. Building it reads every name, a lookup their plain forms."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = list(dict.fromkeys(names))
        self._folded: dict[str, list[str]] = {}
        for name in self.names:
            self._folded.setdefault(folded(name), []).append(name)
        self._shapes: list[tuple[str, str, str]] = []
        """Each name with its plain form and its words; built on first use."""

    def __contains__(self, name: str) -> bool:
        """Return whether this is one of the names, ignoring case and the composition of accents."""
        return folded(name) in self._folded

    def as_stored(self, name: str) -> str:
        """Return the first stored spelling of this name, or the name itself."""
        names = self._folded.get(folded(name))
        return name if names is None or name in names else names[0]

    def matches(self, written_name: str) -> list[str]:
        """Return the names that match ``written_name``, by the first of these rules that any name satisfies.

        1. It is the name, whatever the case and the composition of accents.
        2. It is the name without its accents.
        3. It is the name without its punctuation, too: "anna lena" for Anna-Lena.
        4. It is a word of the name, or several in their order: "lena" for Lena Brandt and for Anna "Lena" Okafor.
        5. It is the beginning of such words: "len".
        """
        wanted = plain(written_name)
        if not wanted:
            return []
        if exact := self._folded.get(folded(written_name.strip())):
            return list(exact)
        if not self._shapes:
            self._shapes = [(name, shape, f" {_words(shape)} ") for name in self.names for shape in (plain(name),)]
        words = _words(wanted)
        rules: tuple[Callable[[str, str], bool], ...] = (
            lambda shape, _: shape == wanted,
            lambda _, name: name == f" {words} ",
            lambda _, name: f" {words} " in name,
            lambda _, name: f" {words}" in name,
        )
        for rule in rules:
            if exact := [name for name, shape, bare in self._shapes if rule(shape, bare)]:
                return exact
        return []


def alike(written_name: str, names: Collection[str], most: int) -> list[str]:
    """Return the names of which, or of a word of which, ``written_name`` may be a misspelling, nearest first."""
    wanted = plain(written_name[:_LONGEST])
    scored: list[tuple[float, str]] = []
    for name in dict.fromkeys(names):
        shape = plain(name)
        nearest = max((_share(wanted, each) for each in (shape, *_words(shape).split())), default=0.0)
        if wanted and nearest >= _ALIKE:
            scored.append((-nearest, name))
    return [name for _, name in sorted(scored)[:most]]


def _share(one: str, other: str) -> float:
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    likely = matcher.real_quick_ratio() >= _ALIKE and matcher.quick_ratio() >= _ALIKE
    return matcher.ratio() if likely else 0.0
