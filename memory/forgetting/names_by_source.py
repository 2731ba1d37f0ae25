"""The names under which people are forgotten: given names in every source, and names merged with them in one source
only, each with the aliases that a chat knows for the same person. Pure.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from itertools import pairwise

from ..text.names import NamesOf, folded, spellings

MergedNames = tuple[tuple[str, str], ...]
"""Pairs of a source and a folded name there."""


class NamesBySource:
    """Names of people by source, built once for a selection and queried for each of its documents.

    Args:
        names: names that count in every source.
        merged: names that count in one source.
    """

    def __init__(self, names: Collection[str], merged: MergedNames = ()) -> None:
        self._anywhere = spellings(names)
        self._more: defaultdict[str, set[str]] = defaultdict(set)
        for source, name in merged:
            self._more[source] |= spellings([name])
        self._by_source: dict[str, frozenset[str]] = {}

    def of(self, source: str, aliases: Collection[tuple[str, str]] = ()) -> frozenset[str]:
        """Return all names in a chat of this source, folded; see `spellings`.

        Args:
            source: of the chat.
            aliases: older names of people with newer ones, in that chat.
        """
        names = self._by_source.get(source)
        if names is None:
            names = self._by_source[source] = self._anywhere | self._more.get(source, frozenset[str]())
        if not aliases:
            return names
        chat = NamesOf(aliases)
        renamed = {name for pair in aliases for name in map(folded, pair)}
        return names.union(*(chat.of(name) for name in renamed & names))


def one_person(names: Iterable[str]) -> list[tuple[str, str]]:
    """Return pairs that tell `NamesOf` that these names belong to one person."""
    return list(pairwise(sorted(names)))
