"""Resolves names against the store: adds the aliases known in a chat by renames, and the names merged by decisions."""

# ruff: noqa: S608 - statements are put together of conditions of ours; every value is bound

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from ..search_types import NameFilter
from ..text.names import folded, spellings
from .people_rows import members_of
from .sql import rows_for

Condition = tuple[str, list[Any]]
"""SQL with placeholders, and the values bound to them."""


_Place = tuple[bytes | str | None, str]
"""A folded name with its scope: a chat (its key), a source, or anywhere (None)."""


def name_filter(connection: sqlite3.Connection, names: Sequence[str]) -> NameFilter | None:
    """Resolve names against the store; None for no names, which filter nothing."""
    if not names:
        return None
    names_folded = frozenset(map(folded, names))
    in_chats: dict[bytes, set[str]] = {}
    in_sources: dict[str, set[str]] = {}
    chats: dict[bytes, str] = {}
    frontier: set[_Place] = {(None, name) for name in names_folded}
    while frontier:
        discovered: set[_Place] = set()
        folded_spellings = spellings(name for _, name in frontier)
        for mine, other in (("old_folded", "new_folded"), ("new_folded", "old_folded")):
            statement = f"SELECT chat, source, {mine}, {other} FROM renames WHERE {mine} IN ({{}})"
            for chat, source, *pair in rows_for(connection, statement, folded_spellings):
                name, alias = map(folded, pair)
                chats[chat] = source
                in_scope = not frontier.isdisjoint(((None, name), (chat, name), (source, name)))
                if in_scope and alias not in in_chats.setdefault(chat, set()):
                    in_chats[chat].add(alias)
                    discovered.add((chat, alias))
        for members in members_of(connection, folded_spellings).values():
            if any(_is_member(members, *place, chats) for place in frontier):
                for source, name in members:
                    if name not in in_sources.setdefault(source, set()):
                        in_sources[source].add(name)
                        discovered.add((source, name))
        frontier = discovered
    elsewhere = {source: aliases - names_folded for source, aliases in in_sources.items()}
    return NameFilter(
        spellings(names_folded),
        tuple((chat, spellings(aliases)) for chat, aliases in sorted(in_chats.items()) if aliases),
        tuple((source, spellings(aliases)) for source, aliases in sorted(elsewhere.items()) if aliases),
    )


def _is_member(members: set[tuple[str, str]], place: bytes | str | None, name: str, chats: Mapping[bytes, str]) -> bool:
    """Return whether a name in its scope is one of this person's names."""
    if place is None:
        return any(name == folded(member_name) for _, member_name in members)
    source = chats.get(place) if isinstance(place, bytes) else place
    return any(source == member_source and name == folded(member_name) for member_source, member_name in members)


def names_of_person(connection: sqlite3.Connection, name: str) -> NameFilter:
    """Resolve a name with all names known for the same person; aliases from chats match anywhere, merged names in their
    source.
    """
    resolved = name_filter(connection, [name]) or NameFilter(frozenset())
    everywhere = resolved.anywhere.union(*(aliases for _, aliases in resolved.in_chats))
    return NameFilter(everywhere, (), resolved.in_sources)


def any_name(names: NameFilter, condition: str) -> Condition:
    """Return SQL for a document ``d``; ``condition`` has braces in place of the names."""
    texts = [condition.replace("{}", marks(names.anywhere))]
    values: list[Any] = sorted(names.anywhere)
    for chat, aliases in names.in_chats:
        texts.append(f"(d.chat = ? AND {condition.replace('{}', marks(aliases))})")
        values += [chat, *sorted(aliases)]
    for source, aliases in names.in_sources:
        texts.append(f"(d.source = ? AND {condition.replace('{}', marks(aliases))})")
        values += [source, *sorted(aliases)]
    return f"({' OR '.join(texts)})", values


def marks(values: Sequence[str] | Sequence[bytes] | Sequence[int] | frozenset[str]) -> str:
    """Return as many placeholders as values."""
    return ",".join("?" * len(values))
