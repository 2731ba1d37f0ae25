"""Windows whose extraction failed: the reason, the number of attempts, and the time of the next attempt.

A document with such windows leaves the queue of unread documents until it is queued again: when a window is due, by an
import, or by `memd retry`. Written in the caller's transaction.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Collection, Sequence
from uuid import UUID

import orjson

from ..extraction.records import UnreadWindow, UnreadWindowLine
from .codec import uuid_of
from .sql import rows_for

PAUSES = (60.0, 600.0, 3600.0)
"""Seconds between an attempt and the next; after the attempt that follows the last pause, a window is given up."""
MOST_ATTEMPTS = 20
"""The most attempts of a window that imports trigger; `memd retry` resets the count."""


def put(connection: sqlite3.Connection, document: int, windows: Sequence[UnreadWindow]) -> None:
    """Replace the failed windows of a document, and count one more attempt for each of them."""
    now = time.time()
    before: dict[bytes, int] = dict(
        connection.execute("SELECT hash, attempts FROM unread_windows WHERE document = ?", (document,))
    )
    connection.execute("DELETE FROM unread_windows WHERE document = ?", (document,))
    for window in windows:
        attempts = before.get(window.hash, 0) + 1
        due = now + PAUSES[attempts - 1] if attempts <= len(PAUSES) else None
        connection.execute(
            "INSERT INTO unread_windows VALUES (?, ?, ?, ?, ?, ?)",
            (document, window.hash, window.reason, attempts, now, due),
        )


def queue_due(connection: sqlite3.Connection) -> float | None:
    """Queue the documents of windows that are due; return the seconds until the next one is: 0 if some were queued,
    None if none will be due.
    """
    now = time.time()
    queued = connection.execute(
        "INSERT OR IGNORE INTO unread SELECT DISTINCT document FROM unread_windows WHERE due <= ?", (now,)
    ).rowcount
    if queued > 0:
        return 0.0
    statement = "SELECT min(due) FROM unread_windows WHERE due > ?"
    due = connection.execute(statement, (now,)).fetchone()[0]
    return None if due is None else float(due) - now


def queue_all(connection: sqlite3.Connection) -> int:
    """Queue the documents of all windows below the most attempts; return the number of documents."""
    statement = "SELECT DISTINCT document FROM unread_windows WHERE attempts < ?"
    documents = connection.execute(statement, (MOST_ATTEMPTS,)).fetchall()
    connection.executemany("INSERT OR IGNORE INTO unread VALUES (?)", documents)
    return len(documents)


def queue_again(connection: sqlite3.Connection, windows: Collection[bytes]) -> int:
    """Queue the documents of these windows with their attempts reset; return the number of documents."""
    names = _json(windows)
    connection.execute(
        "UPDATE unread_windows SET attempts = 0 WHERE hex(hash) IN (SELECT value FROM json_each(?))", (names,)
    )
    documents = connection.execute(
        "SELECT DISTINCT document FROM unread_windows WHERE hex(hash) IN (SELECT value FROM json_each(?))", (names,)
    ).fetchall()
    connection.executemany("INSERT OR IGNORE INTO unread VALUES (?)", documents)
    return len(documents)


def give_up(connection: sqlite3.Connection, windows: Collection[bytes], extractor: str) -> int:
    """Record these windows as extracted, with the reason, and keep the rules' results; return their number."""
    names = _json(windows)
    rows = connection.execute(
        "SELECT document, hash, reason FROM unread_windows WHERE hex(hash) IN (SELECT value FROM json_each(?))",
        (names,),
    ).fetchall()
    return _take_for_read(connection, rows, extractor)


def close_given_up(connection: sqlite3.Connection, documents: Collection[UUID], extractor: str) -> int:
    """Apply `give_up` to the windows of these documents that have no further attempt; return their number."""
    statement = """
        SELECT w.document, w.hash, w.reason FROM unread_windows w JOIN documents d ON d.id = w.document
        WHERE d.key IN ({}) AND w.due IS NULL AND w.document NOT IN (SELECT document FROM unread)"""
    rows = list(rows_for(connection, statement, [key.bytes for key in documents]))
    return _take_for_read(connection, rows, extractor)


def _take_for_read(connection: sqlite3.Connection, rows: Sequence[tuple[int, bytes, str]], extractor: str) -> int:
    connection.executemany(  # deleted first, because the counts of rejections follow insertions and deletions
        "DELETE FROM windows WHERE document = ? AND hash = ?", [(document, digest) for document, digest, _ in rows]
    )
    connection.executemany(
        "INSERT INTO windows VALUES (?, ?, ?, ?, NULL)",
        [(document, digest, extractor, orjson.dumps({reason: 1}).decode()) for document, digest, reason in rows],
    )
    connection.executemany(
        "DELETE FROM unread_windows WHERE document = ? AND hash = ?",
        [(document, digest) for document, digest, _ in rows],
    )
    return len(rows)


def unfinished_among(connection: sqlite3.Connection, documents: Collection[UUID]) -> set[UUID]:
    """Return the subset of these documents that await extraction or have a window with another automatic attempt."""
    statement = """
        SELECT d.key FROM documents d WHERE d.key IN ({}) AND (d.id IN (SELECT document FROM unread)
        OR d.id IN (SELECT document FROM unread_windows WHERE due IS NOT NULL))"""
    return {uuid_of(key) for (key,) in rows_for(connection, statement, [key.bytes for key in documents])}


def waits(connection: sqlite3.Connection) -> bool:
    """Return whether a window has another automatic attempt."""
    return connection.execute("SELECT 1 FROM unread_windows WHERE due IS NOT NULL LIMIT 1").fetchone() is not None


def total(connection: sqlite3.Connection) -> int:
    """Return the number of failed windows."""
    return int(connection.execute("SELECT count(*) FROM unread_windows").fetchone()[0])


def listing(connection: sqlite3.Connection, limit: int = -1) -> list[UnreadWindowLine]:
    """Return the first failed windows by document; all with a limit of -1."""
    statement = """
        SELECT d.key, d.name, d.source, w.hash, w.reason, w.attempts, w.at, w.due FROM unread_windows w
        JOIN documents d ON d.id = w.document ORDER BY w.document, w.hash LIMIT ?"""
    return [
        UnreadWindowLine(uuid_of(key), name, source, digest, reason, attempts, at, due)
        for key, name, source, digest, reason, attempts, at, due in connection.execute(statement, (limit,))
    ]


def count(connection: sqlite3.Connection) -> tuple[int, int]:
    """Return (windows given up, documents that wait for another attempt and are not queued)."""
    given_up = connection.execute("SELECT count(*) FROM unread_windows WHERE due IS NULL").fetchone()[0]
    waiting = connection.execute(
        "SELECT count(DISTINCT document) FROM unread_windows WHERE due IS NOT NULL"
        " AND document NOT IN (SELECT document FROM unread)"
    ).fetchone()[0]
    return int(given_up), int(waiting)


def _json(windows: Collection[bytes]) -> str:
    return orjson.dumps([digest.hex().upper() for digest in windows]).decode()
