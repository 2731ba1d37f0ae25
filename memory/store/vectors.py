"""The vectors in SQLite, their generation, and the queue of texts that await one."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from ...schemas.errors import EmbeddingError
from ..records import Generation, PendingText
from ..search_types import Comparison, CompiledFilter, Vector
from .change_log import record_changes
from .codec import embed_text, json_of
from .errors import row_errors
from .filters import passing
from .invariants import checksum_matches
from .sql import rows_for

_MORE_CHUNKS = 1_000
"""The number of chunks of one text that are filtered together after the first did not pass."""


def generation_of(connection: sqlite3.Connection) -> Generation | None:
    """Return the recorded generation, or None."""
    row = connection.execute("SELECT value FROM meta WHERE name = 'generation'").fetchone()
    if row is None:
        return None
    fields: dict[str, Any] = json_of(row[0])
    with row_errors():
        return Generation(fields["model"], fields["dimension"], tuple(fields["chunkers"]))


def current_model(connection: sqlite3.Connection) -> int:
    """Return the row id of the current generation's model and dimension; 0, which no row has, if there is none."""
    row = connection.execute("SELECT value FROM meta WHERE name = 'model'").fetchone()
    return 0 if row is None else int(row[0])


def record_generation(connection: sqlite3.Connection, generation: Generation) -> None:
    """Record a generation; if its model changed, queue every text without a vector of that model."""
    value = orjson.dumps(
        {"model": generation.model, "dimension": generation.dimension, "chunkers": sorted(generation.chunkers)}
    ).decode()
    connection.execute("INSERT OR REPLACE INTO meta VALUES ('generation', ?)", (value,))
    name = f"{generation.model}/{generation.dimension}"
    connection.execute("INSERT OR IGNORE INTO models (name) VALUES (?)", (name,))
    (model,) = connection.execute("SELECT id FROM models WHERE name = ?", (name,)).fetchone()
    if model == current_model(connection):
        return
    connection.execute("INSERT OR REPLACE INTO meta VALUES ('model', ?)", (model,))
    await_all(connection, model)


def await_all(connection: sqlite3.Connection, model: int) -> None:
    """Queue exactly the texts that have no vector of this model."""
    connection.execute("DELETE FROM pending")
    connection.execute(
        "INSERT INTO pending (text) SELECT text FROM chunks c WHERE coalesce(c.embed, ' ') <> '' AND NOT EXISTS"
        " (SELECT 1 FROM vectors v WHERE v.text = c.text AND v.model = ?) GROUP BY text ORDER BY min(id)",
        (model,),
    )


def checked_vectors(vectors: Mapping[bytes, Vector], generation: Generation | None) -> dict[bytes, bytes]:
    """Return the vectors as little-endian float32.

    Raises:
        EmbeddingError: a vector has the wrong dimension, is zero or is not finite, or there is no generation yet.
    """
    if generation is None:
        raise EmbeddingError("no generation is recorded that vectors could belong to", hint="set_generation first")
    checked: dict[bytes, bytes] = {}
    for digest, vector in vectors.items():
        array = np.asarray(vector, dtype="<f4")
        if array.shape != (generation.dimension,):
            raise EmbeddingError(
                f"a vector has the shape {array.shape}, not ({generation.dimension},)",
                hint="the embedder does not fit the store's generation",
            )
        norm = float(np.linalg.norm(array.astype(np.float64)))
        if not np.isfinite(norm) or norm == 0:
            raise EmbeddingError("a vector is zero or not finite", hint="the embedder's output cannot be used")
        checked[digest] = array.tobytes()
    return checked


def keep_vectors(connection: sqlite3.Connection, vectors: Mapping[bytes, Vector]) -> None:
    """Insert or update vectors of the current generation, and log their chunks for the vector index."""
    checked = checked_vectors(vectors, generation_of(connection))
    model = current_model(connection)
    connection.executemany("INSERT OR IGNORE INTO texts (hash) VALUES (?)", [(digest,) for digest in checked])
    texts = dict(rows_for(connection, "SELECT hash, id FROM texts WHERE hash IN ({})", checked))
    statement = "SELECT text, vector FROM vectors WHERE text IN ({}) AND model = ?"
    stored = dict(rows_for(connection, statement, texts.values(), model))
    rows = [(model, texts[digest], data) for digest, data in checked.items() if stored.get(texts[digest]) != data]
    connection.executemany(
        "INSERT INTO vectors (model, text, vector, crc) VALUES (?, ?, ?, ?) ON CONFLICT (model, text)"
        " DO UPDATE SET vector = excluded.vector, crc = excluded.crc",
        [(*row, zlib.crc32(row[2])) for row in rows],
    )
    new = [row[1] for row in rows]
    connection.executemany("DELETE FROM pending WHERE text = ?", [(text,) for text in new])
    chunks = rows_for(connection, "SELECT id FROM chunks WHERE text IN ({})", new)
    record_changes(connection, "vector_changes", sorted(row[0] for row in chunks))


def nearest_chunks(
    connection: sqlite3.Connection,
    model: int,
    query: Vector,
    texts: Sequence[int],
    where: CompiledFilter | None,
    limit: int,
    most: int,
) -> list[tuple[int, float]]:
    """Return the ``limit`` nearest passing chunks among those of the ``most`` nearest of these texts: row ids and exact
    cosines, best first, ties by row id. ``query`` has the model's dimension.
    """
    statement = "SELECT text, vector, crc FROM vectors WHERE text IN ({}) AND model = ? AND length(vector) = ?"
    rows = rows_for(connection, statement, texts, model, 4 * len(query))
    candidates: list[tuple[int, bytes]] = sorted(
        (text, vector) for text, vector, checksum in rows if checksum_matches(vector, checksum)
    )
    if not candidates:
        return []
    cosines = _units([vector for _, vector in candidates]) @ (query / np.linalg.norm(query))
    nearest: list[tuple[int, float]] = []
    for place in np.argsort(-cosines, kind="stable")[:most]:
        if len(nearest) >= limit:
            break
        text, _ = candidates[int(place)]
        chunks = _chunks_of(connection, text, where, limit - len(nearest))
        nearest += [(chunk, float(cosines[place])) for chunk in chunks]
    return sorted(nearest, key=lambda pair: (-pair[1], pair[0]))


def compared_chunks(connection: sqlite3.Connection, query: Vector, chunks: Sequence[int]) -> Comparison:
    """Compare the vectors of these chunks with the vector of a query, which has the current model's dimension."""
    vectors = chunk_vectors(connection, current_model(connection), len(query), chunks)
    present = [place for place, chunk in enumerate(chunks) if chunk in vectors]
    comparison = Comparison(np.full(len(chunks), np.nan, np.float32), np.full(len(chunks), np.nan, np.float32))
    if present:
        units = _units([vectors[chunks[place]] for place in present])
        mean = units.mean(axis=0, dtype=np.float32)
        comparison.cosines[present] = units @ (query / np.linalg.norm(query))
        comparison.typical[present] = units @ (mean / max(np.linalg.norm(mean), np.float32(1e-9)))
    return comparison


def _units(vectors: Sequence[bytes]) -> NDArray[np.float32]:
    """Return the vectors with length 1, shape (vectors, dimension)."""
    matrix = np.frombuffer(b"".join(vectors), "<f4").reshape(len(vectors), -1)
    return np.asarray(matrix / np.sqrt(np.einsum("ij,ij->i", matrix, matrix))[:, None], np.float32)


def _chunks_of(connection: sqlite3.Connection, text: int, where: CompiledFilter | None, limit: int) -> list[int]:
    """Return the first ``limit`` chunks of a text that pass."""
    statement = "SELECT id FROM chunks WHERE text = ? AND id > ? ORDER BY id LIMIT ?"
    passed: list[int] = []
    after, page = 0, limit
    while len(passed) < limit:
        chunks = [row for (row,) in connection.execute(statement, (text, after, page))]
        if not chunks:
            break
        passing_ones = None if where is None else passing(connection, where, chunks)
        passed += [chunk for chunk in chunks if passing_ones is None or chunk in passing_ones]
        after, page = chunks[-1], _MORE_CHUNKS
    return passed[:limit]


def chunk_vectors(
    connection: sqlite3.Connection, model: int, dimension: int, chunks: Sequence[int]
) -> dict[int, bytes]:
    """Return the vectors of chunks by row id; missing and damaged ones, and those of another dimension, are omitted."""
    # CROSS JOIN fixes the order; the planner would rather visit every vector of the model.
    statement = (
        "SELECT c.id, v.vector, v.crc FROM chunks c CROSS JOIN vectors v ON v.text = c.text WHERE c.id IN ({}) AND v.model = ?"
        " AND length(v.vector) = ?"
    )
    rows = rows_for(connection, statement, chunks, model, 4 * dimension)
    return {chunk: vector for chunk, vector, checksum in rows if checksum_matches(vector, checksum)}


def texts_with_vectors(connection: sqlite3.Connection, model: int) -> NDArray[np.int64]:
    """Return the row ids of the texts with a vector of a model, ascending."""
    rows = connection.execute("SELECT text FROM vectors WHERE model = ? ORDER BY text", (model,))
    return np.fromiter((text for (text,) in rows), np.int64)


def drop_others(connection: sqlite3.Connection) -> int:
    """Delete the vectors of all models but the current one; return their number."""
    model = current_model(connection)
    dropped = connection.execute("DELETE FROM vectors WHERE model <> ?", (model,)).rowcount
    connection.execute("DELETE FROM models WHERE id <> ?", (model,))
    return int(dropped)


# Joins only the columns it needs: with the content of a long text in the sort, that text would be copied once for each
# of its chunks, which takes gigabytes for a text of some megabytes.
_PENDING = """
SELECT t.hash, c.embed, s.name, c.start, c."end", c.message, c.document
FROM (SELECT id, text FROM pending ORDER BY id LIMIT ?) p
JOIN texts t ON t.id = p.text
JOIN chunks c ON c.id = (SELECT min(id) FROM chunks WHERE text = p.text)
LEFT JOIN messages m ON m.id = c.message
LEFT JOIN speakers s ON s.id = m.speaker
ORDER BY p.id
"""


def pending_texts(connection: sqlite3.Connection, limit: int) -> list[PendingText]:
    """Return the texts that await a vector, oldest first."""
    waiting: list[PendingText] = []
    owner: tuple[int | None, int] | None = None
    content = ""
    for digest, embed, speaker, start, end, message, document in connection.execute(_PENDING, (limit,)).fetchall():
        if embed is None and owner != (message, document):  # chunks of one text are adjacent in the queue
            owner, content = (message, document), _content_of(connection, message, document)
        with row_errors():
            text = embed if embed is not None else embed_text(speaker, content[start:end])
        waiting.append(PendingText(digest, text))
    return waiting


def _content_of(connection: sqlite3.Connection, message: int | None, document: int) -> str:
    table, identifier = ("documents", document) if message is None else ("messages", message)
    row = connection.execute(f"SELECT content FROM {table} WHERE id = ?", (identifier,)).fetchone()  # noqa: S608 - ours
    content: str | None = row[0] if row is not None else None
    return content or ""
