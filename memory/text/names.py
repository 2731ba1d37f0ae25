"""Compares names of people and chats. Pure, and quick to import."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable


def folded(name: str) -> str:
    """Return the form in which names are compared: without case and independent of the composition of accents."""
    if name.isascii():
        return name.casefold()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def spellings(names: Iterable[str]) -> frozenset[str]:
    """Return these names folded, in composed, decomposed and merely folded form: stores and tombstones of former
    versions hold the folded names of messages as they were written.
    """
    return frozenset(
        spelled
        for name in map(folded, names)
        for spelled in (unicodedata.normalize("NFC", name), unicodedata.normalize("NFD", name), name.casefold())
    )


class NamesOf:
    """All names of each person by any of them, across renames; see `spellings`. The pairs are read once, for any number
    of people.
    """

    def __init__(self, renames: Collection[tuple[str, str]]) -> None:
        self._groups: dict[str, set[str]] = {}
        for pair in renames:
            few, many = sorted((self._group(name) for name in pair), key=len)
            many |= few
            self._groups.update(dict.fromkeys([*few, *map(folded, pair)], many))

    def of(self, name: str) -> frozenset[str]:
        """Return all names of the person with this name."""
        return spellings(self._group(name))

    def _group(self, name: str) -> set[str]:
        alike = folded(name)
        return self._groups.get(alike) or {alike}


def all_names(names: Collection[str], renames: Collection[tuple[str, str]]) -> frozenset[str]:
    """Return these names with all names connected to them by renames; see `spellings`."""
    renames_of = NamesOf(renames)
    return frozenset(name for each in names for name in renames_of.of(each))
