"""Stores refused proposals with the windows they came from; they are deleted with their documents."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

from ..extraction.records import RefusedLine, WindowRecord
from ..extraction.refusal import refusal_from_json, refusal_to_json
from .codec import uuid_of
from .errors import decoding


def put(connection: sqlite3.Connection, document: int, run: str, windows: Sequence[WindowRecord]) -> None:
    """Replace the refused proposals of the windows that were just extracted, keep those of windows left alone, and
    delete those of windows that no longer exist.
    """
    kept = {note.hash for note in windows if note.refusals is None}
    stored_windows = connection.execute("SELECT DISTINCT window FROM refused WHERE document = ?", (document,))
    connection.executemany(
        "DELETE FROM refused WHERE document = ? AND window = ?",
        [(document, digest) for (digest,) in stored_windows.fetchall() if digest not in kept],
    )
    connection.executemany(
        "INSERT INTO refused (document, window, run, reason, body) VALUES (?, ?, ?, ?, ?)",
        [
            (document, note.hash, run, refusal.reason, refusal_to_json(refusal))
            for note in windows
            for refusal in note.refusals or ()
        ],
    )


def forget_all(connection: sqlite3.Connection) -> None:
    """Delete all refused proposals: any may mention a forgotten person, in whatever words."""
    connection.execute("DELETE FROM refused")


def page(
    connection: sqlite3.Connection, reasons: Sequence[str], run: str, after: int, limit: int
) -> list[tuple[int, RefusedLine]]:
    """Return a page of refused proposals in their order, each with its row id to continue from."""
    conditions, bound = ["r.id > ?"], list[Any]([after])
    if reasons:
        conditions.append(f"r.reason IN ({','.join('?' * len(reasons))})")
        bound += reasons
    if run:
        conditions.append("r.run = ?")
        bound.append(run)
    statement = (
        "SELECT r.id, d.key, d.name, d.source, r.run, r.reason, r.body FROM refused r"  # noqa: S608 - values are bound
        f" JOIN documents d ON d.id = r.document WHERE {' AND '.join(conditions)} ORDER BY r.id LIMIT ?"
    )
    return [(row[0], _line(row[1:])) for row in connection.execute(statement, (*bound, limit))]


@decoding
def _line(row: Sequence[Any]) -> RefusedLine:
    key, name, source, run, reason, body = row
    return RefusedLine(uuid_of(key), name, source, run, refusal_from_json(reason, body))
