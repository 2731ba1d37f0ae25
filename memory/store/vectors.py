"""The vectors in SQLite, their generation, and the queue of texts that await one.

Rule 1: a text has a vector of the fallback only while it awaits one of the current model, so that no text is searched in
both spaces.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from ...schemas.errors import EmbeddingError
from ..records import Generation, PendingText, VectorSpace
from ..search_types import Comparison, CompiledFilter, QuestionVectors, Vector
from .change_log import record_changes
from .codec import embed_text, json_of
from .errors import row_errors
from .filters import passing
from .invariants import checksum_matches
from .row_counts import VECTORS, count_of
from .sql import rows_for

FALLBACK = "fallback"
"""The entry in ``meta`` for the space of the fallback; it is missing while there is none."""
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


def current_space(connection: sqlite3.Connection) -> VectorSpace | None:
    """Return the space of the current generation, or None."""
    generation = generation_of(connection)
    return (
        None if generation is None else VectorSpace(current_model(connection), generation.model, generation.dimension)
    )


def fallback_space(connection: sqlite3.Connection) -> VectorSpace | None:
    """Return the space of the model that stands in for the current one, or None."""
    row = connection.execute("SELECT value FROM meta WHERE name = ?", (FALLBACK,)).fetchone()
    if row is None:
        return None
    fields: dict[str, Any] = json_of(row[0])
    with row_errors():
        return VectorSpace(fields["id"], fields["model"], fields["dimension"])


def begin_fallback(connection: sqlite3.Connection, model: str, dimension: int) -> None:
    """Record the space of a fallback, unless its model is the current one; that of another fallback ends."""
    identifier = _model_row(connection, model, dimension)
    space = fallback_space(connection)
    if identifier == current_model(connection) or (space is not None and space.id == identifier):
        return
    end_fallback(connection)
    value = orjson.dumps({"id": identifier, "model": model, "dimension": dimension}).decode()
    connection.execute("INSERT INTO meta VALUES (?, ?)", (FALLBACK, value))


def end_fallback(connection: sqlite3.Connection) -> None:
    """Delete the space of the fallback with its vectors, if there is one."""
    space = fallback_space(connection)
    if space is not None:
        connection.execute("DELETE FROM vectors WHERE model = ?", (space.id,))
        connection.execute("DELETE FROM meta WHERE name = ?", (FALLBACK,))


def fallback_count(connection: sqlite3.Connection) -> tuple[VectorSpace, int] | None:
    """Return the space of the fallback with the number of its vectors, or None."""
    space = fallback_space(connection)
    return None if space is None else (space, count_of(connection, f"{VECTORS}{space.id}"))


def sizes_of_spaces(connection: sqlite3.Connection) -> dict[int, int]:
    """Return the bytes of a vector by the row id of the model, for the spaces in use."""
    spaces = (current_space(connection), fallback_space(connection))
    return {space.id: 4 * space.dimension for space in spaces if space is not None}


def _model_row(connection: sqlite3.Connection, model: str, dimension: int) -> int:
    name = f"{model}/{dimension}"
    connection.execute("INSERT OR IGNORE INTO models (name) VALUES (?)", (name,))
    (identifier,) = connection.execute("SELECT id FROM models WHERE name = ?", (name,)).fetchone()
    return int(identifier)


def record_generation(connection: sqlite3.Connection, generation: Generation) -> None:
    """Record a generation; if its model changed, queue every text without a vector of that model."""
    value = orjson.dumps(
        {"model": generation.model, "dimension": generation.dimension, "chunkers": sorted(generation.chunkers)}
    ).decode()
    connection.execute("INSERT OR REPLACE INTO meta VALUES ('generation', ?)", (value,))
    model = _model_row(connection, generation.model, generation.dimension)
    if model == current_model(connection):
        return
    space = fallback_space(connection)
    if space is not None and space.id == model:  # its vectors are now those of the store
        connection.execute("DELETE FROM meta WHERE name = ?", (FALLBACK,))
    elif space is not None:
        kept = "(SELECT text FROM vectors WHERE model = ?)"
        connection.execute(f"DELETE FROM vectors WHERE model = ? AND text IN {kept}", (space.id, model))  # noqa: S608 - ours
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


def checked_vectors(vectors: Mapping[bytes, Vector], generation: Generation | VectorSpace | None) -> dict[bytes, bytes]:
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
    """Insert or update vectors of the current generation in the place of the fallback's, and log their chunks for the
    vector index.
    """
    checked = checked_vectors(vectors, generation_of(connection))
    connection.executemany("INSERT OR IGNORE INTO texts (hash) VALUES (?)", [(digest,) for digest in checked])
    texts = dict(rows_for(connection, "SELECT hash, id FROM texts WHERE hash IN ({})", checked))
    new = _put_vectors(connection, current_model(connection), texts, checked)
    connection.executemany("DELETE FROM pending WHERE text = ?", [(text,) for text in new])
    if (space := fallback_space(connection)) is not None:
        connection.executemany("DELETE FROM vectors WHERE model = ? AND text = ?", [(space.id, text) for text in new])


def keep_fallback_vectors(connection: sqlite3.Connection, vectors: Mapping[bytes, Vector]) -> None:
    """Insert vectors of the fallback for those of these texts that still await one of the current model."""
    space = fallback_space(connection)
    if space is None:
        return
    checked = checked_vectors(vectors, space)
    statement = "SELECT t.hash, t.id FROM texts t JOIN pending p ON p.text = t.id WHERE t.hash IN ({})"
    texts = dict(rows_for(connection, statement, checked))
    _put_vectors(connection, space.id, texts, checked)


def _put_vectors(
    connection: sqlite3.Connection, model: int, texts: Mapping[bytes, int], checked: Mapping[bytes, bytes]
) -> list[int]:
    """Insert or update the vectors of these texts, and log their chunks; return the texts whose vector changed."""
    statement = "SELECT text, vector FROM vectors WHERE text IN ({}) AND model = ?"
    stored = dict(rows_for(connection, statement, texts.values(), model))
    rows = [(model, text, checked[digest]) for digest, text in texts.items() if stored.get(text) != checked[digest]]
    connection.executemany(
        "INSERT INTO vectors (model, text, vector, crc) VALUES (?, ?, ?, ?) ON CONFLICT (model, text)"
        " DO UPDATE SET vector = excluded.vector, crc = excluded.crc",
        [(*row, zlib.crc32(row[2])) for row in rows],
    )
    new = [row[1] for row in rows]
    chunks = rows_for(connection, "SELECT id FROM chunks WHERE text IN ({})", new)
    record_changes(connection, "vector_changes", sorted(row[0] for row in chunks))
    return new


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


def compared_chunks(connection: sqlite3.Connection, question: QuestionVectors, chunks: Sequence[int]) -> Comparison:
    """Compare the vectors of these chunks with those of a question, each in its space; a vector of another dimension
    than its space has compares with nothing.
    """
    empty = np.full(len(chunks), np.nan, np.float32)
    comparison = Comparison(empty, empty.copy(), np.zeros(len(chunks), np.int8))
    spaces = ((current_space, question.current), (fallback_space, question.fallback))
    for number, (space_of, query) in enumerate(spaces):
        space = None if query is None else space_of(connection)
        if query is None or space is None:
            continue
        vectors = chunk_vectors(connection, space.id, len(query), chunks)
        present = [place for place, chunk in enumerate(chunks) if chunk in vectors]
        if present:
            units = _units([vectors[chunks[place]] for place in present])
            mean = units.mean(axis=0, dtype=np.float32)
            comparison.cosines[present] = units @ (query / np.linalg.norm(query))
            comparison.typical[present] = units @ (mean / max(np.linalg.norm(mean), np.float32(1e-9)))
            comparison.spaces[present] = number
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
    """Delete the vectors of all models but the current one and the fallback, which ends by itself; return their number."""
    space = fallback_space(connection)
    kept = (current_model(connection), 0 if space is None else space.id)
    dropped = connection.execute("DELETE FROM vectors WHERE model NOT IN (?, ?)", kept).rowcount
    connection.execute("DELETE FROM models WHERE id NOT IN (?, ?)", kept)
    return int(dropped)


# Joins only the columns it needs: with the content of a long text in the sort, that text would be copied once for each
# of its chunks, which takes gigabytes for a text of some megabytes.
_PENDING = """
SELECT t.hash, c.embed, s.name, c.start, c."end", c.message, c.document
FROM (
    SELECT id, text FROM pending w
    WHERE NOT EXISTS (SELECT 1 FROM vectors v WHERE v.model = ? AND v.text = w.text) ORDER BY id LIMIT ?
) p
JOIN texts t ON t.id = p.text
JOIN chunks c ON c.id = (SELECT min(id) FROM chunks WHERE text = p.text)
LEFT JOIN messages m ON m.id = c.message
LEFT JOIN speakers s ON s.id = m.speaker
ORDER BY p.id
"""


def pending_texts(connection: sqlite3.Connection, limit: int, *, of_fallback: bool = False) -> list[PendingText]:
    """Return the texts that await a vector, oldest first; with ``of_fallback`` only those without one of the fallback."""
    space = fallback_space(connection) if of_fallback else None
    waiting: list[PendingText] = []
    owner: tuple[int | None, int] | None = None
    content = ""
    for digest, embed, speaker, start, end, message, document in connection.execute(
        _PENDING, (0 if space is None else space.id, limit)
    ).fetchall():
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
