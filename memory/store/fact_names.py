"""Finds facts by names of people: a given name counts everywhere, another name of that person only in its chat or
source.
"""

# ruff: noqa: S608 - statements are put together of conditions of ours; every value is bound

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import orjson

from ..search_types import NameFilter
from .name_filter import name_filter

_DOCUMENTS = (
    "EXISTS (SELECT 1 FROM version_messages v CROSS JOIN documents d ON d.id = coalesce((SELECT document FROM messages"
    " WHERE key = v.message), (SELECT id FROM documents WHERE key = v.message)) WHERE v.version = {} AND d.{} = ?)"
)


def of_source(version: str) -> str:
    """Return the SQL condition that a version (a column) rests on a document of a source, which is bound to it."""
    return _DOCUMENTS.format(version, "source")


class NamedIn(NamedTuple):
    """Folded names with the SQL condition for where they count and its bound values; an empty condition means
    everywhere.
    """

    names: list[str]
    condition: str = ""
    bound: tuple[str | bytes, ...] = ()


def places(connection: sqlite3.Connection, names: Sequence[str]) -> list[NamedIn]:
    """Return where these names, and other names of the same people, count; an empty list for no names, which filter
    nothing.
    """
    resolved: NameFilter | None = name_filter(connection, names)
    return [] if resolved is None else list(_places(resolved))


def _places(resolved: NameFilter) -> Iterator[NamedIn]:
    yield NamedIn(sorted(resolved.anywhere))
    for chat, aliases in resolved.in_chats:
        yield NamedIn(sorted(aliases - resolved.anywhere), _DOCUMENTS.format("facts.id", "chat"), (chat,))
    for source, aliases in resolved.in_sources:
        yield NamedIn(sorted(aliases - resolved.anywhere), of_source("facts.id"), (source,))


def condition(column: str, among: Sequence[NamedIn]) -> tuple[str, list[Any]]:
    """Return the SQL condition for facts with one of these names in a column, written so that the column's index is not
    used.
    """
    texts: list[str] = []
    bound: list[Any] = []
    for group in among:
        texts.append(
            f"(+{column} IN (SELECT value FROM json_each(?))" + (f" AND {group.condition})" if group.condition else ")")
        )
        bound += [orjson.dumps(group.names).decode(), *group.bound]
    return f"({' OR '.join(texts)})", bound
