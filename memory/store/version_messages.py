"""The messages that each version of each fact cites, by key, so that forgetting a message also deletes these versions."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import orjson

Pair = tuple[int, bytes]
"""A version's row id and a message key."""


def version_message_pairs(connection: sqlite3.Connection) -> Iterator[Pair]:
    """Yield the pairs from the bodies of all versions. Unreadable versions, which doctor reports, are skipped."""
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
    """Rebuild the table from the versions, in the caller's transaction."""
    connection.execute("DELETE FROM version_messages")
    connection.executemany("INSERT INTO version_messages VALUES (?, ?)", version_message_pairs(connection))


def count_wrong_pairs(connection: sqlite3.Connection) -> int:
    """Return the number of pairs that differ between the table and the versions."""
    return len(
        set(version_message_pairs(connection))
        ^ set(connection.execute("SELECT version, message FROM version_messages"))
    )
