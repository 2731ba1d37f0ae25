"""Proposals that became no statement, in SQLite: written with the windows they were made of, gone with their documents."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

from ..extraction.refusal import refusal_from_json, refusal_to_json
from ..records import RefusedLine, WindowRecord
from .codec import uuid_of
from .errors import decoding


def put(connection: sqlite3.Connection, document: int, run: str, windows: Sequence[WindowRecord]) -> None:
    """Keep those of the windows that were read just now, and of the others what is there; of no other window any."""
    kept = {note.hash for note in windows if note.refusals is None}
    there = connection.execute("SELECT DISTINCT window FROM refused WHERE document = ?", (document,))
    connection.executemany(
        "DELETE FROM refused WHERE document = ? AND window = ?",
        [(document, digest) for (digest,) in there.fetchall() if digest not in kept],
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
    """Remove all of them: any may tell of somebody who is forgotten, in whatever words."""
    connection.execute("DELETE FROM refused")


def page(
    connection: sqlite3.Connection, reasons: Sequence[str], run: str, after: int, limit: int
) -> list[tuple[int, RefusedLine]]:
    """Some, in the order they were refused, with a number that grows."""
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
