"""Writes the chunks of a batch, and queues their texts for embedding where a vector is missing."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

from ...schemas.errors import StoreError
from ...schemas.keys import text_hash
from ..records import StoredChunk
from .change_log import record_changes, reserve_numbers
from .codec import embed_text, uuid_of
from .invariants import WITHIN, is_within, require_before_write
from .sql import rows_for
from .vectors import current_model, fallback_space

_OLD = """
SELECT key, id, document, message, ordinal, start, "end", tokens, make, section, text, embed FROM chunks WHERE key IN ({})
"""


def put_chunks(
    connection: sqlite3.Connection,
    chunks: Sequence[StoredChunk],
    documents: Mapping[UUID, int],
    pieces: dict[int, set[int]],
) -> list[int]:
    """Insert or update chunks; return the row ids of those that are new or changed. Adds the ordinals of changed chunks
    of text documents to `pieces`, by document row.
    """
    by_key = {chunk.key: chunk for chunk in chunks}
    if not by_key:
        return []
    owners = _owners(connection, by_key.values(), documents)
    texts = text_ids(connection, (text_hash(chunk.embed_text) for chunk in by_key.values()))
    makes = _makes(connection, {(chunk.strategy, chunk.version) for chunk in by_key.values()})
    stored = {uuid_of(row[0]): row[1:] for row in rows_for(connection, _OLD, (key.bytes for key in by_key))}
    next_id = reserve_numbers(connection, "chunk", len(by_key) - len(stored))
    touched: list[int] = []
    rows: list[tuple[Any, ...]] = []
    revectored: list[int] = []
    needed: list[int] = []
    orphaned: list[int] = []
    for key, chunk in by_key.items():
        message, speaker, content = owners[chunk.message or chunk.document]
        require_before_write(is_within(chunk.start, chunk.end, len(content)), WITHIN)
        usual = chunk.embed_text == embed_text(speaker, content[chunk.start : chunk.end])
        text = texts[text_hash(chunk.embed_text)]
        document = documents[chunk.document]
        make = makes[chunk.strategy, chunk.version]
        embed = None if usual else chunk.embed_text
        place = (document, message, chunk.index, chunk.start, chunk.end, chunk.token_count, make, chunk.section)
        row = (*place, text, embed)
        old = stored.get(key)
        if old is not None and old[1:] == row:
            continue
        if old is None:
            identifier, next_id = next_id, next_id + 1
        else:
            identifier = int(old[0])
            if old[2] is None:
                pieces.setdefault(old[1], set()).add(old[3])
        if old is None or old[9] != text:
            needed += [text] if chunk.embed_text else []
            revectored.append(identifier)
            orphaned += [] if old is None else [old[9]]
        if message is None:
            pieces.setdefault(document, set()).add(chunk.index)
        touched.append(identifier)
        rows.append((identifier, key.bytes, *row))
    _write(connection, rows)
    _await_vectors(connection, needed)
    _forget_texts(connection, orphaned)
    _note_vectors(connection, revectored)
    return touched


def drop_chunks(connection: sqlite3.Connection, keys: Iterable[UUID], pieces: dict[int, set[int]]) -> None:
    """Delete chunks; their row ids are never used again. Unknown keys are no error."""
    statement = "SELECT id, document, message, ordinal, text FROM chunks WHERE key IN ({})"
    rows = list(rows_for(connection, statement, {key.bytes for key in keys}))
    for _, document, message, ordinal, _ in rows:
        if message is None:
            pieces.setdefault(document, set()).add(ordinal)
    gone = [row[0] for row in rows]
    connection.executemany("DELETE FROM chunks WHERE id = ?", [(chunk,) for chunk in gone])
    _forget_texts(connection, [row[4] for row in rows])
    record_changes(connection, "word_changes", gone)
    record_changes(connection, "vector_changes", gone)


def text_ids(connection: sqlite3.Connection, hashes: Iterable[bytes]) -> dict[bytes, int]:
    """Return the row id of each hash, inserting missing hashes."""
    wanted = dict.fromkeys(hashes)
    connection.executemany("INSERT OR IGNORE INTO texts (hash) VALUES (?)", [(digest,) for digest in wanted])
    return dict(rows_for(connection, "SELECT hash, id FROM texts WHERE hash IN ({})", wanted))


def _owners(
    connection: sqlite3.Connection, chunks: Iterable[StoredChunk], documents: Mapping[UUID, int]
) -> dict[UUID, tuple[int | None, str | None, str]]:
    """Return (message row or None, speaker or None, content) by the key of the owner: the message, or the text
    document.
    """
    messages: set[UUID] = set()
    texts: set[UUID] = set()
    for chunk in chunks:
        (texts if chunk.message is None else messages).add(chunk.message or chunk.document)
    owners: dict[UUID, tuple[int | None, str | None, str]] = {}
    statement = (
        "SELECT m.key, m.id, s.name, m.content FROM messages m JOIN speakers s ON s.id = m.speaker WHERE m.key IN ({})"
    )
    for key, identifier, speaker, content in rows_for(connection, statement, (key.bytes for key in messages)):
        owners[uuid_of(key)] = (identifier, speaker, content)
    statement = "SELECT id, content FROM documents WHERE id IN ({})"
    contents = dict(rows_for(connection, statement, (documents[key] for key in texts)))
    owners |= {key: (None, None, contents[documents[key]] or "") for key in texts}
    if len(owners) < len(messages) + len(texts):
        raise StoreError("a chunk refers to a message that is not there", hint="a group must hold or follow its owners")
    return owners


def _makes(connection: sqlite3.Connection, pairs: set[tuple[str, str]]) -> dict[tuple[str, str], int]:
    connection.executemany("INSERT OR IGNORE INTO makes (strategy, version) VALUES (?, ?)", sorted(pairs))
    return {
        pair: connection.execute("SELECT id FROM makes WHERE strategy = ? AND version = ?", pair).fetchone()[0]
        for pair in pairs
    }


def _write(connection: sqlite3.Connection, rows: Sequence[tuple[Any, ...]]) -> None:
    connection.executemany(
        "INSERT INTO chunks VALUES (?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT (id) DO UPDATE SET document = excluded.document,"
        ' message = excluded.message, ordinal = excluded.ordinal, start = excluded.start, "end" = excluded."end",'
        " tokens = excluded.tokens, make = excluded.make, section = excluded.section, text = excluded.text,"
        " embed = excluded.embed",
        rows,
    )


def _await_vectors(connection: sqlite3.Connection, texts: Sequence[int]) -> None:
    """Queue the texts that have no vector of the current model."""
    model = current_model(connection)
    statement = "SELECT text FROM vectors WHERE text IN ({}) AND model = ?"
    done = {row[0] for row in rows_for(connection, statement, set(texts), model)}
    connection.executemany(
        "INSERT OR IGNORE INTO pending (text) VALUES (?)", [(text,) for text in texts if text not in done]
    )


def _forget_texts(connection: sqlite3.Connection, texts: Iterable[int]) -> None:
    """Remove texts from the embedding queue that no chunk has any more."""
    connection.executemany(
        "DELETE FROM pending WHERE text = ?1 AND NOT EXISTS (SELECT 1 FROM chunks WHERE text = ?1)",
        [(text,) for text in set(texts)],
    )


def _note_vectors(connection: sqlite3.Connection, chunks: Sequence[int]) -> None:
    """Log chunks whose vector exists already, or whose old vector must be removed from the index."""
    space = fallback_space(connection)
    ready = rows_for(
        connection,
        "SELECT c.id FROM chunks c CROSS JOIN vectors v ON v.text = c.text WHERE c.id IN ({}) AND v.model IN (?, ?)",
        chunks,
        current_model(connection),
        0 if space is None else space.id,
    )
    noted = rows_for(connection, "SELECT chunk FROM vector_changes WHERE chunk IN ({})", chunks)
    record_changes(connection, "vector_changes", sorted({row[0] for row in ready} | {row[0] for row in noted}))
