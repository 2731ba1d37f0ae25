"""Which messages each version of each fact rested on, by key: what a message takes along when it is forgotten."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import orjson

Pair = tuple[int, bytes]
"""A version and a message."""


def version_message_pairs(connection: sqlite3.Connection) -> Iterator[Pair]:
    """What all versions say themselves. A version that cannot be read, which doctor tells of, says nothing."""
    for version, body in connection.execute("SELECT id, body FROM facts ORDER BY id"):
        for key in sorted(_messages(body)):
            yield version, key


def _messages(body: str) -> set[bytes]:
    try:
        held: dict[str, Any] = orjson.loads(body)
        return {UUID(each).bytes for each in held["messages"]}
    except (ValueError, TypeError, LookupError, AttributeError):
        return set()


def rebuild_version_messages(connection: sqlite3.Connection) -> None:
    """Note it all anew, in the caller's transaction."""
    connection.execute("DELETE FROM version_messages")
    connection.executemany("INSERT INTO version_messages VALUES (?, ?)", version_message_pairs(connection))


def count_wrong_pairs(connection: sqlite3.Connection) -> int:
    """How many are noted and not told, or the other way round."""
    return len(
        set(version_message_pairs(connection))
        ^ set(connection.execute("SELECT version, message FROM version_messages"))
    )
