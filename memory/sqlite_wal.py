"""Rewriting a SQLite file so that nothing deleted is left in it or its write-ahead log, and the durable note that this is due.

``secure_delete`` overwrites deleted rows, but a page that was split keeps copies of moved rows, and the write-ahead log
keeps every former state of its pages until a checkpoint truncates it, which a reader of an older state prevents.

journal.db and llm.db are rewritten by VACUUM: they are small, nobody misses them for that moment, and they give their
room back. memory.db may be larger than all else together; VACUUM would write it three times while nobody else writes, so
`store.free_pages` overwrites its unused bytes in place. Emptying the log, and the patience with its readers, is the same
for all three, and stands here.
"""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

import anyio
import anyio.to_thread
from anyio import CapacityLimiter

SQLITE_ERRORS = (sqlite3.Error, UnicodeDecodeError)
"""The errors of Python's sqlite3: its own class, or the failure to decode SQLite's message, which quotes the schema, if
damage has changed the bytes of a name in it.
"""
_ERROR_CODE = re.compile(r"error code=(\d+)")
WAIT_SECONDS = 10.0
"""The seconds that a purge waits for readers of an older state; none of memd's own takes so long."""
_PAUSE = 0.05
_READ_BYTES = 1024 * 1024
_TRY_MS = 50
"""Milliseconds for one attempt to empty the log, during which no other connection writes."""
_REMOVING, _REWRITING, _EMPTYING = "removal_owed", "purge_owed", "emptying_owed"
"""Tables whose single row records pending work: removing rows, rewriting the file and emptying its log, or only the
latter.
"""


def is_read_error(problem: str) -> bool:
    """Return whether a line of ``PRAGMA integrity_check`` reports that the disk failed to read a page, which is no
    damage of the file.
    """
    code = _ERROR_CODE.search(problem)
    return code is not None and int(code[1]) & 0xFF == sqlite3.SQLITE_IOERR


def disk_failure(path: Path) -> OSError | None:
    """Read a file to its end; return the error of the disk, which SQLite may report as damage of the file, or None."""
    try:
        with path.open("rb", buffering=0) as file:
            while file.read(_READ_BYTES):
                pass
    except OSError as error:
        return error
    return None


def reading_uri(path: Path) -> str:
    """Return the URI of a database that no process writes while it is open, and beside which no file can be created.

    SQLite reads a file in WAL mode through the log's index, which it creates beside the file. Without a log, the file
    is complete and is read without locks and without an index (``immutable``). If a crash left a log, its index is
    beside it too: SQLite reads both, and builds an index of its own in memory (``readonly_shm``).
    """
    log = path.with_name(f"{path.name}-wal")
    has_log = log.exists() and log.stat().st_size > 0
    return f"{path.absolute().as_uri()}?mode=ro&{'readonly_shm=1' if has_log else 'immutable=1'}"


def owe_purge(connection: sqlite3.Connection) -> None:
    """Record in the caller's transaction that the file needs a `purge`; the record survives the process."""
    _note(connection, _REWRITING)


def owe_removal(connection: sqlite3.Connection) -> None:
    """Record in the caller's transaction that rows must be removed, and the file purged then; a running purge does not
    clear this record.
    """
    _note(connection, _REMOVING)


def note_removed(connection: sqlite3.Connection) -> None:
    """Record in the caller's transaction that the removal is done and the `purge` is due."""
    if _noted(connection, _REMOVING):
        _note(connection, _REWRITING)
        connection.execute(f"DELETE FROM {_REMOVING}")  # noqa: S608 - ours


def purge_owed(connection: sqlite3.Connection) -> bool:
    """Return whether a `purge` is due, perhaps after a removal."""
    return any(_noted(connection, each) for each in (_REMOVING, _REWRITING, _EMPTYING))


async def purge(connection: sqlite3.Connection, limiter: CapacityLimiter, *, stays_due: bool = False) -> bool:
    """Rewrite the file without deleted content if due, and empty its log.

    Returns False when a reader still held the log after `WAIT_SECONDS`: that stays due.

    Args:
        connection: outside of a transaction.
        limiter: of whoever uses the connection; free between two tries.
        stays_due: emptying the log stays due even when it succeeds, for the note stands for other files as well.

    Raises:
        sqlite3.Error: the file cannot be written.
    """
    return await wait_for_readers(lambda: _try_purge(connection, stays_due=stays_due), limiter)


def rewrite(connection: sqlite3.Connection) -> None:
    """Rewrite the file if due, in the calling thread; emptying the log remains due."""
    if not _noted(connection, _REWRITING):
        return
    connection.execute("VACUUM")
    # The new content is in the log, before this record: after a crash the file need not be rewritten.
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        _note(connection, _EMPTYING)
        connection.execute(f"DELETE FROM {_REWRITING}")  # noqa: S608 - ours


def _try_purge(connection: sqlite3.Connection, *, stays_due: bool) -> bool:
    """Run `purge` with a single attempt to empty the log."""
    rewrite(connection)
    if not _noted(connection, _EMPTYING):
        return True
    if not log_emptied(connection):
        return False
    if not stays_due:
        connection.execute(f"DELETE FROM {_EMPTYING}")  # noqa: S608 - ours
    return True


async def wait_for_readers(attempt: Callable[[], bool], limiter: CapacityLimiter) -> bool:
    """Repeat ``attempt`` in a worker thread until it succeeds; returns False when it did not within `WAIT_SECONDS`.

    Others may use the file between two tries.
    """
    deadline = time.monotonic() + WAIT_SECONDS
    while not await anyio.to_thread.run_sync(attempt, limiter=limiter):
        if time.monotonic() > deadline:
            return False
        await anyio.sleep(_PAUSE)
    return True


def log_emptied(connection: sqlite3.Connection) -> bool:
    """Try once to copy the write-ahead log into the file and truncate it; return whether that succeeded."""
    (usual,) = connection.execute("PRAGMA busy_timeout").fetchone()
    # SQLite waits this long for each of several locks.
    connection.execute(f"PRAGMA busy_timeout = {_TRY_MS}")
    try:
        (busy, _, _) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    finally:
        connection.execute(f"PRAGMA busy_timeout = {int(usual)}")
    return not busy


def _note(connection: sqlite3.Connection, table: str) -> None:
    connection.execute(f"CREATE TABLE IF NOT EXISTS {table} (since REAL NOT NULL)")
    connection.execute(f"INSERT INTO {table} SELECT ? WHERE NOT EXISTS (SELECT 1 FROM {table})", (time.time(),))  # noqa: S608 - ours


def _noted(connection: sqlite3.Connection, table: str) -> bool:
    if connection.execute("SELECT 1 FROM sqlite_schema WHERE name = ?", (table,)).fetchone() is None:
        return False
    return connection.execute(f"SELECT 1 FROM {table}").fetchone() is not None  # noqa: S608 - ours
