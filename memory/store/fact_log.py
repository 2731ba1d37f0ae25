"""The change log of facts: the facts that an index of facts must update, in the order of their changes.

The log exists only while such an index is in use. `prepare` creates it together with triggers that keep it, so code
that writes facts need not know of it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from uuid import UUID

from ..records import FactVersion
from .fact_rows import version_of
from .sql import rows_for

_NOTE = """
    UPDATE meta SET value = value + 1 WHERE name = 'sequence';
    INSERT OR REPLACE INTO fact_changes SELECT value, {row}.key FROM meta WHERE name = 'sequence';
END"""
_TRIGGERS = {"inserted": ("INSERT", "new"), "updated": ("UPDATE", "new"), "deleted": ("DELETE", "old")}


def prepare(connection: sqlite3.Connection) -> None:
    """Create the log if it is missing or incomplete, and log every fact in the order of its last version: where a part
    of the log was missing, changes may be missing too.
    """
    required = {"fact_changes", *(f"facts_{name}" for name in _TRIGGERS)}
    names = rows_for(connection, "SELECT name FROM sqlite_master WHERE name IN ({})", required)
    if required == {name for (name,) in names}:
        return
    connection.execute(
        "CREATE TABLE IF NOT EXISTS fact_changes (sequence INTEGER PRIMARY KEY, fact BLOB NOT NULL UNIQUE)"
    )
    for name, (event, row) in _TRIGGERS.items():
        note = _NOTE.format(row=row)
        connection.execute(f"CREATE TRIGGER IF NOT EXISTS facts_{name} AFTER {event} ON facts BEGIN{note}")
    renumber(connection)


def is_kept(connection: sqlite3.Connection) -> bool:
    """Return whether the log exists, which means that an index of facts was filled and not removed since."""
    return connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'fact_changes'").fetchone() is not None


def remove(connection: sqlite3.Connection) -> None:
    """Delete the log when no index of facts is in use any more."""
    for name in _TRIGGERS:
        connection.execute(f"DROP TRIGGER IF EXISTS facts_{name}")
    connection.execute("DROP TABLE IF EXISTS fact_changes")


def renumber(connection: sqlite3.Connection) -> None:
    """Log every existing fact anew, if there is a log."""
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
    """Return up to `limit` changes after `number` as (sequence, key of the fact), in order."""
    statement = "SELECT sequence, fact FROM fact_changes WHERE sequence > ? ORDER BY sequence LIMIT ?"
    return connection.execute(statement, (number, limit)).fetchall()


def count_fact_changes_after(connection: sqlite3.Connection, number: int) -> int:
    """Return the number of facts whose latest change comes after `number`."""
    return int(connection.execute("SELECT count(*) FROM fact_changes WHERE sequence > ?", (number,)).fetchone()[0])


def fact_versions(connection: sqlite3.Connection, facts: Sequence[bytes]) -> list[FactVersion]:
    """Return all versions of these facts, the oldest of each first."""
    statement = "SELECT id, cluster, run, replaced, body FROM facts WHERE key IN ({}) ORDER BY id"
    numbers: dict[UUID, int] = {}
    versions: list[FactVersion] = []
    for row in rows_for(connection, statement, facts):
        stored = version_of(row)
        numbers[stored.fact.id] = numbers.get(stored.fact.id, 0) + 1
        versions.append(FactVersion(row[0], numbers[stored.fact.id], stored))
    return versions


def version_rows(connection: sqlite3.Connection, after: int = 0, limit: int = -1) -> list[int]:
    """Return the row ids of the next versions of facts, ascending; all of them if ``limit`` is -1."""
    rows = connection.execute("SELECT id FROM facts WHERE id > ? ORDER BY id LIMIT ?", (after, limit))
    return [row for (row,) in rows]
