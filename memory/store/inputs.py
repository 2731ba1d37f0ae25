"""What each run brought of a document: its inputs in their order, so that a run can be undone by merging the others anew.

One row for each run and document, 60 bytes or so. The words of an input are kept, compressed, only where a document had
different inputs: of one that came but once they are the document itself.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections import defaultdict
from collections.abc import Collection, Iterable
from uuid import UUID

from ..write_batches import DocumentInput, UndoneRun
from .codec import uuid_of
from .sql import rows_for

TABLES = """
CREATE TABLE inputs (
    document INTEGER NOT NULL REFERENCES documents, number INTEGER NOT NULL, run TEXT NOT NULL, digest BLOB NOT NULL,
    body BLOB, PRIMARY KEY (document, number)
) WITHOUT ROWID;
CREATE INDEX inputs_by_run ON inputs (run);
"""
"""``body`` is the compressed JSON of the input, where the document had others; empty: it cannot be told from the rest."""


def put_inputs(connection: sqlite3.Connection, inputs: Iterable[DocumentInput]) -> None:
    """Note what a run brought. A run that brings the same again is noted once."""
    for each in inputs:
        row = connection.execute("SELECT id FROM documents WHERE key = ?", (each.document.bytes,)).fetchone()
        if row is None:
            continue  # all of it was forgotten
        (document,) = row
        (count,) = connection.execute("SELECT count(*) FROM inputs WHERE document = ?", (document,)).fetchone()
        if each.before is not None:
            body = _packed(each.before)
            if not count:  # of a memd that noted no runs
                connection.execute("INSERT INTO inputs VALUES (?, 0, '', x'', ?)", (document, body))
            else:
                connection.execute(
                    "UPDATE inputs SET body = ?1 WHERE document = ?2 AND body IS NULL AND number ="
                    " (SELECT min(number) FROM inputs WHERE document = ?2)"
                    " AND NOT EXISTS (SELECT 1 FROM inputs WHERE document = ?2 AND body IS NOT NULL)",
                    (body, document),
                )
        body = _packed(each.body)
        connection.execute(
            "INSERT INTO inputs (document, number, run, digest, body)"
            " SELECT ?1, (SELECT coalesce(max(number), 0) + 1 FROM inputs WHERE document = ?1), ?2, ?3, ?4"
            " WHERE NOT EXISTS (SELECT 1 FROM inputs WHERE document = ?1 AND run = ?2 AND digest = ?3)",
            (document, each.run, each.digest, body),
        )


def documents_of(connection: sqlite3.Connection, run: str) -> list[UUID]:
    """The documents that a run brought something of."""
    rows = connection.execute(
        "SELECT DISTINCT d.key FROM inputs i JOIN documents d ON d.id = i.document WHERE i.run = ? ORDER BY d.id",
        (run,),
    )
    return [uuid_of(key) for (key,) in rows]


def inputs_of(connection: sqlite3.Connection, documents: Collection[UUID]) -> dict[UUID, list[DocumentInput]]:
    """The inputs of documents, each in their order, with what is kept of them."""
    found: defaultdict[UUID, list[DocumentInput]] = defaultdict(list)
    statement = (
        "SELECT d.key, i.run, i.digest, i.body FROM documents d JOIN inputs i ON i.document = d.id WHERE d.key IN ({})"
        " ORDER BY i.document, i.number"
    )
    for key, run, digest, body in rows_for(connection, statement, [key.bytes for key in documents]):
        words = None if body is None else (zlib.decompress(body) if body else b"")
        found[uuid_of(key)].append(DocumentInput(uuid_of(key), run, digest, words))
    return found


def seal(connection: sqlite3.Connection, documents: Collection[int]) -> None:
    """Keep no words of the inputs of these documents, of which something was forgotten."""
    connection.executemany("UPDATE inputs SET body = x'' WHERE document = ?", [(each,) for each in documents])


def apply_undo(connection: sqlite3.Connection, undone: UndoneRun) -> None:
    """Forget that a run brought anything: the inputs of others stay, and digests of inputs that nobody else brought go."""
    for key, left in undone.left.items():
        (document,) = connection.execute("SELECT id FROM documents WHERE key = ?", (key.bytes,)).fetchone()
        connection.execute("DELETE FROM inputs WHERE document = ?", (document,))
        connection.executemany(
            "INSERT INTO inputs VALUES (?, ?, ?, ?, ?)",
            [
                (document, number, each.run, each.digest, _packed(each.body))
                for number, each in enumerate(left, start=1)
            ],
        )
    for key, gone in undone.digests.items():
        connection.executemany(
            "DELETE FROM digests WHERE document = (SELECT id FROM documents WHERE key = ?) AND digest = ?",
            [(key.bytes, digest) for digest in gone],
        )


def _packed(body: bytes | None) -> bytes | None:
    """Compressed; what is empty stays so."""
    return zlib.compress(body) if body else body
