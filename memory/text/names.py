"""How names of people and chats are compared. Pure, and quick to import."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable


def folded(name: str) -> str:
    """A name as names are compared: neither case nor the composition of accents counts."""
    if name.isascii():
        return name.casefold()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def spellings(names: Iterable[str]) -> frozenset[str]:
    """These names folded, composed, decomposed, and as folding leaves them: stores of former versions hold the folded names of
    messages as they were written, and so do marks of what was forgotten.
    """
    return frozenset(
        spelled
        for name in map(folded, names)
        for spelled in (unicodedata.normalize("NFC", name), unicodedata.normalize("NFD", name), name.casefold())
    )


class NamesOf:
    """All names of each person by any of them, over any number of renames; see `spellings`. Pairs are read once, for any crowd."""

    def __init__(self, renames: Collection[tuple[str, str]]) -> None:
        self._groups: dict[str, set[str]] = {}
        for pair in renames:
            few, many = sorted((self._group(name) for name in pair), key=len)
            many |= few
            self._groups.update(dict.fromkeys([*few, *map(folded, pair)], many))

    def of(self, name: str) -> frozenset[str]:
        """The names of whoever has this one."""
        return spellings(self._group(name))

    def _group(self, name: str) -> set[str]:
        alike = folded(name)
        return self._groups.get(alike) or {alike}


def all_names(names: Collection[str], renames: Collection[tuple[str, str]]) -> frozenset[str]:
    """These names, and those that lead to them or from them by renames, over any number of steps; see `spellings`."""
    known = NamesOf(renames)
    return frozenset(name for each in names for name in known.of(each))
