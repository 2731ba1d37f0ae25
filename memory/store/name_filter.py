"""Names resolved against the store: with the names that a chat knows for the same person, and those that were merged."""

# ruff: noqa: S608 - statements are put together of conditions of ours; every value is bound

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..text.names import folded, spellings
from .people_rows import members_of
from .sql import rows_for

Condition = tuple[str, list[Any]]
"""SQL of ours with placeholders, and the values bound to them."""


@dataclass(frozen=True, slots=True)
class NameFilter:
    """Folded names, as `spellings`, that match anywhere, those that match in one chat only, because somebody was renamed
    there, and those that match in one source only, because they were merged with another name of that person.
    """

    anywhere: frozenset[str]
    in_chats: tuple[tuple[bytes, frozenset[str]], ...] = ()
    in_sources: tuple[tuple[str, frozenset[str]], ...] = ()

    @property
    def every(self) -> list[str]:
        """All of these names, wherever they match."""
        return sorted(self.anywhere.union(*(names for _, names in (*self.in_chats, *self.in_sources))))


_Place = tuple[bytes | str | None, str]
"""A folded name, in a chat (its key), in a source, or anywhere."""


def name_filter(connection: sqlite3.Connection, names: Sequence[str]) -> NameFilter | None:
    """What these names mean in the store; None for no names, which filter nothing."""
    if not names:
        return None
    given = frozenset(map(folded, names))
    in_chats: dict[bytes, set[str]] = {}
    in_sources: dict[str, set[str]] = {}
    chats: dict[bytes, str] = {}
    frontier: set[_Place] = {(None, name) for name in given}
    while frontier:
        found: set[_Place] = set()
        wanted = spellings(name for _, name in frontier)
        for mine, other in (("old_folded", "new_folded"), ("new_folded", "old_folded")):
            statement = f"SELECT chat, source, {mine}, {other} FROM renames WHERE {mine} IN ({{}})"
            for chat, source, *pair in rows_for(connection, statement, wanted):
                name, alias = map(folded, pair)
                chats[chat] = source
                here = not frontier.isdisjoint(((None, name), (chat, name), (source, name)))
                if here and alias not in in_chats.setdefault(chat, set()):
                    in_chats[chat].add(alias)
                    found.add((chat, alias))
        for members in members_of(connection, wanted).values():
            if any(_is_member(members, *place, chats) for place in frontier):
                for source, name in members:
                    if name not in in_sources.setdefault(source, set()):
                        in_sources[source].add(name)
                        found.add((source, name))
        frontier = found
    elsewhere = {source: aliases - given for source, aliases in in_sources.items()}
    return NameFilter(
        spellings(given),
        tuple((chat, spellings(aliases)) for chat, aliases in sorted(in_chats.items()) if aliases),
        tuple((source, spellings(aliases)) for source, aliases in sorted(elsewhere.items()) if aliases),
    )


def _is_member(members: set[tuple[str, str]], place: bytes | str | None, name: str, chats: Mapping[bytes, str]) -> bool:
    """Whether a name in its place is a name of this person."""
    if place is None:
        return any(name == folded(alike) for _, alike in members)
    source = chats.get(place) if isinstance(place, bytes) else place
    return any(source == own and name == folded(alike) for own, alike in members)


def names_of_person(connection: sqlite3.Connection, name: str) -> NameFilter:
    """A name, with all names that any chat knows for the same person, wherever they match, and those that were merged."""
    found = name_filter(connection, [name]) or NameFilter(frozenset())
    everywhere = found.anywhere.union(*(aliases for _, aliases in found.in_chats))
    return NameFilter(everywhere, (), found.in_sources)


def any_name(names: NameFilter, condition: str) -> Condition:
    """SQL for a document ``d``; ``condition`` has braces where the names stand."""
    texts = [condition.replace("{}", marks(names.anywhere))]
    values: list[Any] = sorted(names.anywhere)
    for chat, aliases in names.in_chats:
        texts.append(f"(d.chat = ? AND {condition.replace('{}', marks(aliases))})")
        values += [chat, *sorted(aliases)]
    for source, aliases in names.in_sources:
        texts.append(f"(d.source = ? AND {condition.replace('{}', marks(aliases))})")
        values += [source, *sorted(aliases)]
    return f"({' OR '.join(texts)})", values


def marks(values: Sequence[str] | Sequence[bytes] | frozenset[str]) -> str:
    """So many placeholders."""
    return ",".join("?" * len(values))
