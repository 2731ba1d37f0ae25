"""The table of owed rechecks in journal.db: selections whose people a model may mention again.

One row for each forgetting of people, until their documents were read for facts again and were searched for them. A row holds the names that were forgotten, and no longer than that takes: `settle` removes it and makes a purge due.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from pydantic import TypeAdapter

from ...memory import sqlite_wal
from ...memory.forgetting.selection import ForgetSelection

_SELECTION = TypeAdapter(ForgetSelection)
_DOCUMENTS = TypeAdapter(list[UUID])


@dataclass(frozen=True, slots=True)
class OwedRecheck:
    """One forgetting that is to be completed."""

    number: int
    selection: ForgetSelection
    documents: frozenset[UUID]
    """Keys of those that lost a part, or in which others told about the forgotten people."""


def owe(connection: sqlite3.Connection, selection: ForgetSelection, documents: Collection[UUID]) -> None:
    """Note in the caller's transaction what is to be looked for again."""
    connection.execute(
        "CREATE TABLE IF NOT EXISTS recheck_owed (number INTEGER PRIMARY KEY, selection TEXT NOT NULL, documents TEXT NOT NULL)"
    )
    texts = _SELECTION.dump_json(selection).decode(), _DOCUMENTS.dump_json(sorted(documents)).decode()
    connection.execute("INSERT INTO recheck_owed (selection, documents) VALUES (?, ?)", texts)


def owed(connection: sqlite3.Connection) -> list[OwedRecheck]:
    """Return the recorded rechecks, in the order of recording."""
    if connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'recheck_owed'").fetchone() is None:
        return []
    rows = connection.execute("SELECT number, selection, documents FROM recheck_owed ORDER BY number")
    return [
        OwedRecheck(number, _SELECTION.validate_json(selection), frozenset(_DOCUMENTS.validate_json(documents)))
        for number, selection, documents in rows
    ]


def settle(connection: sqlite3.Connection, done: Sequence[OwedRecheck]) -> None:
    """Remove notes in the caller's transaction; the file is to be purged of them."""
    connection.executemany("DELETE FROM recheck_owed WHERE number = ?", [(each.number,) for each in done])
    sqlite_wal.owe_purge(connection)
