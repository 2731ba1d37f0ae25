"""The change sequence: which chunks each derived index must look at again, in the order it happened."""

# ruff: noqa: S608 - statements are put together of names and conditions of ours; every value is bound

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Literal

Log = Literal["word_changes", "vector_changes"]


def reserve_numbers(connection: sqlite3.Connection, counter: str, count: int) -> int:
    """Reserve ``count`` numbers of a counter in ``meta``; returns the first."""
    (last,) = connection.execute("SELECT value FROM meta WHERE name = ?", (counter,)).fetchone()
    connection.execute("UPDATE meta SET value = ? WHERE name = ?", (last + count, counter))
    return int(last) + 1


def record_changes(connection: sqlite3.Connection, log: Log, chunks: Iterable[int]) -> None:
    """Give these chunks the next numbers of the sequence; a chunk keeps only its latest."""
    ordered = list(dict.fromkeys(chunks))
    if ordered:
        first = reserve_numbers(connection, "sequence", len(ordered))
        statement = f"INSERT OR REPLACE INTO {log} (sequence, chunk) VALUES (?, ?)"
        connection.executemany(statement, [(first + n, chunk) for n, chunk in enumerate(ordered)])


def sequence(connection: sqlite3.Connection) -> int:
    """The number of the last change."""
    (last,) = connection.execute("SELECT value FROM meta WHERE name = 'sequence'").fetchone()
    return int(last)


def last_change(connection: sqlite3.Connection, logs: Iterable[str]) -> int:
    """Return the number of the last change in any of these logs; 0 if they are empty."""
    found = [connection.execute(f"SELECT max(sequence) FROM {log}").fetchone()[0] for log in logs]
    return max(each or 0 for each in found)


def changes_after(connection: sqlite3.Connection, log: Log, number: int, limit: int) -> list[tuple[int, int]]:
    """The next changes as (sequence, chunk), in order."""
    statement = f"SELECT sequence, chunk FROM {log} WHERE sequence > ? ORDER BY sequence LIMIT ?"
    return connection.execute(statement, (number, limit)).fetchall()


def count_after(connection: sqlite3.Connection, log: Log, number: int) -> int:
    """How many chunks stand after this number."""
    statement = f"SELECT count(*) FROM {log} WHERE sequence > ?"
    return int(connection.execute(statement, (number,)).fetchone()[0])
