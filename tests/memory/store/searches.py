"""Single searches and single rows of a store, as tests and benchmarks ask for them: by key, through the parts that an answer is made of."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence
from math import isnan
from typing import NamedTuple
from uuid import UUID

import numpy as np

from memd.memory.indexing.indexed_store import IndexedStore
from memd.memory.records import StoredChunk
from memd.memory.retrieval.candidates import compiled_filter
from memd.memory.search_types import ChunkRef, Filter, QuestionVectors, Vector
from memd.memory.store.chunks import chunk_refs, refs_beside
from memd.memory.store.codec import embed_text
from memd.memory.store.filters import passing
from memd.memory.store.hit_rows import HitRows, read_hits
from memd.memory.store.sql import rows_for
from memd.memory.store.vectors import compared_chunks, current_model
from memd.schemas import Arm


class Scored(NamedTuple):
    """A chunk and its raw score in one arm: a BM25 sum, or a cosine."""

    key: UUID
    score: float


async def search_words(
    store: IndexedStore,
    arm: Arm,
    terms: Sequence[str],
    where: Filter,
    limit: int,
    among: Collection[UUID] | None = None,
) -> list[Scored]:
    """The best chunks in one lexical field, best first; ``among`` restricts to these and scores each of them."""
    compiled = await compiled_filter(store, where)
    if among is None:
        return await _scored(store, (await store.text.search([arm], terms, compiled, limit))[arm])
    scores = (await store.text.scores([arm], terms, compiled, await rows_of(store, among)))[arm]
    return await _scored(store, sorted(scores.items(), key=lambda hit: (-hit[1], hit[0]))[:limit])


async def search_vectors(
    store: IndexedStore,
    vector: Vector,
    where: Filter,
    limit: int,
    among: Collection[UUID] | None = None,
    *,
    fallback: bool = False,
) -> list[Scored]:
    """The nearest chunks, best first; ``among`` restricts to these and scores each of them exactly. ``fallback``: in the
    space of the fallback.
    """
    index, compiled = (store.fallback if fallback else store.vectors).index, await compiled_filter(store, where)
    if index is None:
        return []
    if among is None:
        return await _scored(store, await index.search(vector, compiled, limit))
    rows = await rows_of(store, among)
    if compiled is not None:
        passed = await store.database.read(lambda connection: passing(connection, compiled, rows))
        rows = [row for row in rows if row in passed]
    cosines = (await store.database.read(compared_chunks, QuestionVectors(vector), rows)).cosines.tolist()
    found = [(row, cosine) for row, cosine in zip(rows, cosines, strict=True) if not isnan(cosine)]
    return await _scored(store, sorted(found, key=lambda each: -each[1])[:limit])


async def must_equal_brute_force(store: IndexedStore, vector: Vector, tolerance: float = 1e-5) -> None:
    """The rows and cosines of the vector arm are those of comparing all vectors of SQLite; the last of equal ones may be any.
    A server may round cosines, by ``tolerance``.

    Raises:
        AssertionError: they are not.
    """
    index = store.vectors.index
    if index is None:
        return
    cosines = await store.database.read(lambda connection: _all_cosines(connection, vector))
    best = sorted(cosines.values(), reverse=True)
    for limit in (1, 3, 1_000):
        found = await index.search(vector, None, limit)
        assert len({row for row, _ in found}) == len(found) == min(limit, len(cosines))
        np.testing.assert_allclose([score for _, score in found], best[: len(found)], atol=tolerance)
        np.testing.assert_allclose([cosines[row] for row, _ in found], best[: len(found)], atol=2 * tolerance)


def _all_cosines(connection: sqlite3.Connection, vector: Vector) -> dict[int, float]:
    """By row of each chunk with a vector of the present model."""
    statement = "SELECT c.id, v.vector FROM chunks c JOIN vectors v ON v.text = c.text WHERE v.model = ?"
    rows: list[tuple[int, bytes]] = connection.execute(statement, (current_model(connection),)).fetchall()
    if not rows:
        return {}
    matrix = np.frombuffer(b"".join(data for _, data in rows), "<f4").reshape(len(rows), -1)
    cosines = matrix @ vector / (np.linalg.norm(matrix, axis=1) * np.linalg.norm(vector))
    return {row: float(cosine) for (row, _), cosine in zip(rows, cosines, strict=True)}


async def rows_of(store: IndexedStore, keys: Collection[UUID]) -> list[int]:
    """The row ids of those of these chunks that exist."""
    statement = "SELECT id FROM chunks WHERE key IN ({})"
    found = await store.database.read(
        lambda connection: list(rows_for(connection, statement, {key.bytes for key in keys}))
    )
    return [row for (row,) in found]


async def chunks_of(store: IndexedStore, keys: Collection[UUID]) -> dict[UUID, StoredChunk]:
    """Chunks with all of their columns; what is embedded is put together as for an embedder."""
    statement = """SELECT c.key, d.key, m.key, c.ordinal, c.start, c."end", c.tokens, k.strategy, k.version, c.section, c.embed,
        s.name, coalesce(m.content, d.content) FROM chunks c JOIN documents d ON d.id = c.document JOIN makes k ON k.id = c.make
        LEFT JOIN messages m ON m.id = c.message LEFT JOIN speakers s ON s.id = m.speaker WHERE c.key IN ({})"""
    rows = await store.database.read(
        lambda connection: list(rows_for(connection, statement, {key.bytes for key in keys}))
    )
    found: dict[UUID, StoredChunk] = {}
    for (
        key,
        document,
        message,
        ordinal,
        start,
        end,
        tokens,
        strategy,
        version,
        section,
        embed,
        speaker,
        content,
    ) in rows:
        owner = None if message is None else UUID(bytes=message)
        text = embed_text(speaker, content[start:end]) if embed is None else embed
        chunk = StoredChunk(
            UUID(bytes=key), UUID(bytes=document), owner, ordinal, start, end, tokens, strategy, version, section, text
        )
        found[chunk.key] = chunk
    return found


async def refs(store: IndexedStore, keys: Collection[UUID]) -> dict[UUID, ChunkRef]:
    """What chunks are ranked by."""
    rows = await rows_of(store, keys)
    return _by_key(await store.database.read(lambda connection: chunk_refs(connection, rows)))


async def beside(store: IndexedStore, keys: Collection[UUID], reach: int) -> dict[UUID, ChunkRef]:
    """The chunks around these."""
    asked = (await refs(store, keys)).values()
    return _by_key(await store.database.read(lambda connection: refs_beside(connection, asked, reach)))


async def shown(store: IndexedStore, keys: Collection[UUID], context: int = 0) -> HitRows:
    """What hits on these chunks show."""
    asked = list((await refs(store, keys)).values())
    return await store.database.read(lambda connection: read_hits(connection, asked, context))


async def _scored(store: IndexedStore, found: Sequence[tuple[int, float]]) -> list[Scored]:
    places = await store.database.read(lambda connection: chunk_refs(connection, [row for row, _ in found]))
    keys = {place.row: UUID(bytes=place.key) for place in places}
    return [Scored(keys[row], score) for row, score in found if row in keys]


def _by_key(found: Sequence[ChunkRef]) -> dict[UUID, ChunkRef]:
    return {UUID(bytes=place.key): place for place in found}
