"""Retired texts: their files are gone. The row stays without content and chunks, and its inputs keep the words, so that
undoing the run brings the text back.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from uuid import UUID

from ..write_batches import WriteBatch
from .codec import uuid_of
from .documents_write import apply_changes
from .sql import rows_for

_INDEX = "documents_retired"


def retire(connection: sqlite3.Connection, changes: WriteBatch) -> None:
    """Apply changes that retire texts. The index by which they are counted is created with the first one, because most
    stores have none; an older memd ignores it.
    """
    connection.execute(f"CREATE INDEX IF NOT EXISTS {_INDEX} ON documents (id) WHERE kind = 'retired'")
    apply_changes(connection, changes)


def count_retired(connection: sqlite3.Connection) -> int:
    """Return the number of retired texts."""
    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (_INDEX,)).fetchone() is None:
        return 0
    return int(connection.execute("SELECT count(*) FROM documents WHERE kind = 'retired'").fetchone()[0])


def retired_among(connection: sqlite3.Connection, keys: Collection[UUID]) -> set[UUID]:
    """Return those of some documents that are retired texts."""
    statement = "SELECT key FROM documents WHERE key IN ({}) AND kind = 'retired'"
    return {uuid_of(key) for (key,) in rows_for(connection, statement, (key.bytes for key in keys))}
