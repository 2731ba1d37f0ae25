"""Facts by names of people: a name that was given counts everywhere, another one of the same person in its chat or source alone."""

# ruff: noqa: S608 - statements are put together of conditions of ours; every value is bound

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import orjson

from .name_filter import NameFilter, name_filter

_DOCUMENTS = (
    "EXISTS (SELECT 1 FROM version_messages v CROSS JOIN documents d ON d.id = coalesce((SELECT document FROM messages"
    " WHERE key = v.message), (SELECT id FROM documents WHERE key = v.message)) WHERE v.version = {} AND d.{} = ?)"
)


def of_source(version: str) -> str:
    """SQL for a version (a column) that rests on something of a source, which is bound to it."""
    return _DOCUMENTS.format(version, "source")


class NamedIn(NamedTuple):
    """Folded names with SQL for where they count, and what is bound to it; no SQL: everywhere."""

    names: list[str]
    condition: str = ""
    bound: tuple[str | bytes, ...] = ()


def places(connection: sqlite3.Connection, names: Sequence[str]) -> list[NamedIn]:
    """Where these names, and the others of the same people, count; nothing for no names, which filter nothing."""
    found: NameFilter | None = name_filter(connection, names)
    return [] if found is None else list(_places(found))


def _places(found: NameFilter) -> Iterator[NamedIn]:
    yield NamedIn(sorted(found.anywhere))
    for chat, aliases in found.in_chats:
        yield NamedIn(sorted(aliases - found.anywhere), _DOCUMENTS.format("facts.id", "chat"), (chat,))
    for source, aliases in found.in_sources:
        yield NamedIn(sorted(aliases - found.anywhere), of_source("facts.id"), (source,))


def condition(column: str, among: Sequence[NamedIn]) -> tuple[str, list[Any]]:
    """SQL for facts that have one of these names in a column, without the use of its index."""
    texts: list[str] = []
    bound: list[Any] = []
    for each in among:
        texts.append(
            f"(+{column} IN (SELECT value FROM json_each(?))" + (f" AND {each.condition})" if each.condition else ")")
        )
        bound += [orjson.dumps(each.names).decode(), *each.bound]
    return f"({' OR '.join(texts)})", bound
