"""Rewriting a SQLite file so that nothing deleted is left in it or its write-ahead log, and the durable note that this is due.

``secure_delete`` overwrites deleted rows, but a page that was split keeps copies of moved rows, and the write-ahead log
keeps every former state of its pages until a checkpoint truncates it, which a reader of an older state prevents.
"""

from __future__ import annotations

import sqlite3
import time

WAIT_SECONDS = 5.0
"""How long a purge waits for readers of an older state to end."""
_RETRY_SECONDS = 0.05


def owe_purge(connection: sqlite3.Connection) -> None:
    """Note in the caller's transaction that the file needs a `purge`; the note survives the process."""
    connection.execute("CREATE TABLE IF NOT EXISTS purge_owed (since REAL NOT NULL)")
    connection.execute("INSERT INTO purge_owed SELECT ? WHERE NOT EXISTS (SELECT 1 FROM purge_owed)", (time.time(),))


def purge_owed(connection: sqlite3.Connection) -> bool:
    """Whether a `purge` is due."""
    if connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'purge_owed'").fetchone() is None:
        return False
    return connection.execute("SELECT 1 FROM purge_owed").fetchone() is not None


def purge(connection: sqlite3.Connection) -> bool:
    """Write the file anew without what was deleted and truncate its log; outside of a transaction.

    Returns False when a reader still held the log after `WAIT_SECONDS`: the purge stays due.
    """
    connection.execute("VACUUM")
    if not truncate_wal(connection):
        return False
    if purge_owed(connection):
        connection.execute("DELETE FROM purge_owed")
    return True


def truncate_wal(connection: sqlite3.Connection) -> bool:
    """Copy the write-ahead log into the file and cut it to no bytes; returns whether that was done in `WAIT_SECONDS`."""
    (patience,) = connection.execute("PRAGMA busy_timeout").fetchone()
    deadline = time.monotonic() + WAIT_SECONDS
    try:
        # SQLite would wait in each attempt, in all many times as long.
        connection.execute("PRAGMA busy_timeout = 0")
        while True:
            (busy, _, _) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            if not busy:
                return True
            if time.monotonic() >= deadline:
                return False
            time.sleep(_RETRY_SECONDS)
    finally:
        connection.execute(f"PRAGMA busy_timeout = {int(patience)}")
