"""The change log of facts: which of them an index of facts must look at again, in the order it happened.

It is there only where such an index is in use: `prepare` makes it, and the database itself keeps it from then on. Whoever
does not know it may write facts all the same.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from ..records import StoredFact
from .fact_rows import version_of
from .sql import rows_for

_NOTE = """
    UPDATE meta SET value = value + 1 WHERE name = 'sequence';
    INSERT OR REPLACE INTO fact_changes SELECT value, {row}.key FROM meta WHERE name = 'sequence';
END"""
_TRIGGERS = {"inserted": ("INSERT", "new"), "updated": ("UPDATE", "new"), "deleted": ("DELETE", "old")}


@dataclass(frozen=True, slots=True)
class FactVersion:
    """One version of a fact, for other tools to read."""

    row: int
    """In the store; never used again."""
    number: int
    """1 for the first version that is kept, and so on."""
    stored: StoredFact


def prepare(connection: sqlite3.Connection) -> None:
    """Begin the log unless there is one: with every fact, in the order of their last versions. Where a part of it was missing,
    changes may be too, and every fact is noted anew.
    """
    wanted = {"fact_changes", *(f"facts_{name}" for name in _TRIGGERS)}
    names = rows_for(connection, "SELECT name FROM sqlite_master WHERE name IN ({})", wanted)
    if wanted == {name for (name,) in names}:
        return
    connection.execute(
        "CREATE TABLE IF NOT EXISTS fact_changes (sequence INTEGER PRIMARY KEY, fact BLOB NOT NULL UNIQUE)"
    )
    for name, (event, row) in _TRIGGERS.items():
        note = _NOTE.format(row=row)
        connection.execute(f"CREATE TRIGGER IF NOT EXISTS facts_{name} AFTER {event} ON facts BEGIN{note}")
    renumber(connection)


def is_kept(connection: sqlite3.Connection) -> bool:
    """Whether there is a log: an index of facts was filled, and not removed since."""
    return connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'fact_changes'").fetchone() is not None


def remove(connection: sqlite3.Connection) -> None:
    """End the log: no index of facts is in use any more."""
    for name in _TRIGGERS:
        connection.execute(f"DROP TRIGGER IF EXISTS facts_{name}")
    connection.execute("DROP TABLE IF EXISTS fact_changes")


def renumber(connection: sqlite3.Connection) -> None:
    """Note every fact that there is anew, if there is a log."""
    if not is_kept(connection):
        return
    connection.execute("DELETE FROM fact_changes")
    (start,) = connection.execute("SELECT value FROM meta WHERE name = 'sequence'").fetchone()
    connection.execute(
        "INSERT INTO fact_changes SELECT ? + row_number() OVER (ORDER BY last), key"
        " FROM (SELECT key, max(id) AS last FROM facts GROUP BY key)",
        (start,),
    )
    (count,) = connection.execute("SELECT count(*) FROM fact_changes").fetchone()
    connection.execute("UPDATE meta SET value = ? WHERE name = 'sequence'", (start + count,))


def fact_changes_after(connection: sqlite3.Connection, number: int, limit: int) -> list[tuple[int, bytes]]:
    """The next changes as (sequence, key of the fact), in order."""
    statement = "SELECT sequence, fact FROM fact_changes WHERE sequence > ? ORDER BY sequence LIMIT ?"
    return connection.execute(statement, (number, limit)).fetchall()


def count_fact_changes_after(connection: sqlite3.Connection, number: int) -> int:
    """How many facts stand after this number."""
    return int(connection.execute("SELECT count(*) FROM fact_changes WHERE sequence > ?", (number,)).fetchone()[0])


def fact_versions(connection: sqlite3.Connection, facts: Sequence[bytes]) -> list[FactVersion]:
    """All versions of these facts, the oldest of each first."""
    statement = "SELECT id, cluster, run, replaced, body FROM facts WHERE key IN ({}) ORDER BY id"
    numbers: dict[UUID, int] = {}
    found: list[FactVersion] = []
    for row in rows_for(connection, statement, facts):
        stored = version_of(row)
        numbers[stored.fact.id] = numbers.get(stored.fact.id, 0) + 1
        found.append(FactVersion(row[0], numbers[stored.fact.id], stored))
    return found


def version_rows(connection: sqlite3.Connection) -> set[int]:
    """The rows of all versions of all facts."""
    return {row for (row,) in connection.execute("SELECT id FROM facts")}
