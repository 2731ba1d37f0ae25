"""The change sequence: the chunks that each derived index must update, in the order of their changes."""

# ruff: noqa: S608 - statements are put together of names and conditions of ours; every value is bound

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Literal

Log = Literal["word_changes", "vector_changes"]


def reserve_numbers(connection: sqlite3.Connection, counter: str, count: int) -> int:
    """Reserve `count` numbers of a counter in ``meta``; return the first."""
    (last,) = connection.execute("SELECT value FROM meta WHERE name = ?", (counter,)).fetchone()
    connection.execute("UPDATE meta SET value = ? WHERE name = ?", (last + count, counter))
    return int(last) + 1


def record_changes(connection: sqlite3.Connection, log: Log, chunks: Iterable[int]) -> None:
    """Give these chunks the next numbers of the sequence; the log keeps only the latest number of a chunk."""
    ordered = list(dict.fromkeys(chunks))
    if ordered:
        first = reserve_numbers(connection, "sequence", len(ordered))
        statement = f"INSERT OR REPLACE INTO {log} (sequence, chunk) VALUES (?, ?)"
        connection.executemany(statement, [(first + n, chunk) for n, chunk in enumerate(ordered)])


def sequence(connection: sqlite3.Connection) -> int:
    """Return the number of the last change."""
    (last,) = connection.execute("SELECT value FROM meta WHERE name = 'sequence'").fetchone()
    return int(last)


def last_change(connection: sqlite3.Connection, logs: Iterable[str]) -> int:
    """Return the number of the last change in any of these logs; 0 if they are empty."""
    numbers = [connection.execute(f"SELECT max(sequence) FROM {log}").fetchone()[0] for log in logs]
    return max(number or 0 for number in numbers)


def changes_after(connection: sqlite3.Connection, log: Log, number: int, limit: int) -> list[tuple[int, int]]:
    """Return up to `limit` changes after `number` as (sequence, chunk), in order."""
    statement = f"SELECT sequence, chunk FROM {log} WHERE sequence > ? ORDER BY sequence LIMIT ?"
    return connection.execute(statement, (number, limit)).fetchall()


def count_after(connection: sqlite3.Connection, log: Log, number: int) -> int:
    """Return the number of chunks whose latest change comes after `number`."""
    statement = f"SELECT count(*) FROM {log} WHERE sequence > ?"
    return int(connection.execute(statement, (number,)).fetchone()[0])
