"""Keeps the vector indexes of the current model and of its fallback up to date; vectors of other models stay in SQLite
only.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
from anyio import to_thread
from numpy.typing import NDArray

from ..file_errors import file_errors
from ..index.embedded import EmbeddedIndexes
from ..index.ports import Indexes, VectorIndex
from ..index.rows import FilterRow
from ..private_files import make_folders
from ..records import CheckResult, VectorSpace
from ..search_types import CompiledFilter, Vector
from ..store.change_log import changes_after
from ..store.chunks import rows_apart
from ..store.database import Database
from ..store.filters import matching_chunks
from ..store.forget_rows import unclean
from ..store.invariants import checksum_matches
from ..store.sql import rows_for
from ..store.vectors import chunk_vectors, current_space, fallback_space, nearest_chunks, texts_with_vectors
from .index_sync import IndexSync, Opened, RunningCheck, ignore_opening
from .text_rows import filter_rows

SLICE = 512
"""Changes read at a time."""
FALLBACK_FOLDER = "fallback"
"""The folder of the files of the fallback's index, in that of the store."""
LOOSE = 0.999
"""The least cosine between a vector and the nearest one that the index returns for it."""
ROUNDED = 0.99
"""The least cosine between a vector and its 8- or 16-bit form in the index. Rounding costs less than a thousandth, or
half of a hundredth if one component is far larger than the others.
"""
LOOKED_FOR = 200
"""The number of stored vectors that a check searches for."""


class StoredVectors:
    """The `VectorRows` of a database; ``model`` is the row id of the vectors' model. Of a ``passing`` space vectors are
    removed one by one, whose codes the index keeps until it is purged.
    """

    def __init__(self, database: Database, model: int, *, passing: bool = False) -> None:
        self._read = database.read
        self._model = model
        self._passing = passing

    async def matching(self, where: CompiledFilter, limit: int) -> list[int]:
        """Return at most `limit` rows that pass."""
        return await self._read(lambda connection: matching_chunks(connection, where, limit))

    async def filtered(self, rows: Sequence[int]) -> list[FilterRow]:
        """Return the filter columns of the given rows; missing rows are omitted."""
        return await self._read(lambda connection: filter_rows(connection, rows))

    async def texts(self, rows: Sequence[int]) -> dict[int, int]:
        """Return the text of each of these rows, as row ids; missing rows are omitted."""
        statement = "SELECT id, text FROM chunks WHERE id IN ({})"
        return await self._read(lambda connection: dict(rows_for(connection, statement, rows)))

    async def all_texts(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return all rows and the row ids of their texts."""
        rows = await self._read(lambda connection: connection.execute("SELECT id, text FROM chunks").fetchall())
        pairs = np.array(rows, np.int64).reshape(-1, 2)
        return pairs[:, 0], pairs[:, 1]

    async def texts_with_vectors(self) -> NDArray[np.int64]:
        """Return the row ids of all texts with a vector, ascending."""
        return await self._read(lambda connection: texts_with_vectors(connection, self._model))

    async def purge_due(self) -> bool:
        """Return whether vectors were removed that the files of an index may still hold."""
        return self._passing or bool(await self._read(unclean))

    async def nearest(
        self, vector: Vector, texts: NDArray[np.int64], where: CompiledFilter | None, limit: int, most: int
    ) -> list[tuple[int, float]]:
        """Return the nearest rows that pass, among those of the nearest texts."""
        return await self._read(lambda c: nearest_chunks(c, self._model, vector, texts.tolist(), where, limit, most))


class VectorIndexSync(IndexSync[VectorIndex]):
    """Owns the vector index of the current model and keeps it up to date."""

    part = "vector_index"
    title = "the vector index"
    unreachable = "vectors are not searched yet"
    passing = False
    """True if the space ends while the store goes on."""

    def __init__(
        self, database: Database, indexes: Indexes, on_damage: Callable[[], None], on_open: Opened = ignore_opening
    ) -> None:
        super().__init__(database, indexes, on_damage, on_open)
        # Filters inside the index depend on the columns that the word log follows.
        self.logs = ("vector_changes", "word_changes") if indexes.holds_filters else ("vector_changes",)

    def _space(self, connection: sqlite3.Connection) -> VectorSpace | None:
        """Return the space whose vectors the index holds."""
        return current_space(connection)

    async def _make(self) -> VectorIndex | None:
        space = await self._database.read(self._space)
        if space is None:
            return None
        rows = StoredVectors(self._database, space.id, passing=self.passing)
        identity = f"{self._database.store}/{space.id}"
        return self._indexes.vectors(identity, space.model, space.dimension, rows, self._on_damage)

    async def renew(self, record: Callable[[], Awaitable[None]]) -> None:
        """Record a change of the space, and start an empty index if it is another one, or none if it ended. No update runs
        in between: vectors of the new model must not enter the old model's index.
        """
        async with self._rebuilding, self._turn:  # opening an index removes the files of one being rebuilt
            await record()
            fresh = await self._make()
            if fresh is not None and (self.index is None or self.index.identity != fresh.identity):
                await self._try(fresh)
                former, self.index = self.index, fresh
                if former is not None:
                    await former.close()
            elif fresh is None and self.index is not None:
                former, self.index = self.index, None
                await former.close()

    async def maintain(self) -> None:
        """Run the periodic maintenance of the index. Searches continue, updates wait.

        Raises:
            StoreError: the index cannot be written.
        """
        async with self._turn:
            if self.index is not None:
                await self.index.maintain()

    async def save(self) -> None:
        """Make every change durable. Searches continue, updates wait."""
        async with self._turn:
            if self.index is not None:
                await self.index.save()

    async def _update(self, index: VectorIndex, number: int) -> bool:
        changes, vectors = await self._database.read(lambda connection: self._changes(connection, number))
        if changes:
            chunks = list(dict.fromkeys(chunk for _, chunk in changes))
            rows = [chunk for chunk in chunks if chunk in vectors]
            data = np.frombuffer(b"".join(vectors[chunk][1] for chunk in rows), dtype="<f4")
            texts = [vectors[chunk][0] for chunk in rows]
            await index.update(chunks, rows, texts, data.reshape(len(rows), index.dimension), changes[-1][0])
        return bool(changes)

    def _changes(
        self, connection: sqlite3.Connection, number: int
    ) -> tuple[list[tuple[int, int]], dict[int, tuple[int, bytes]]]:
        """Return the next changes, and by chunk the text's row id and the vector, for chunks that have one."""
        changes = changes_after(connection, "vector_changes", number, SLICE)
        if self._indexes.holds_filters:
            # Both logs are numbered in one order, so the first changes of the two together are the first of all.
            changes = sorted([*changes, *changes_after(connection, "word_changes", number, SLICE)])[:SLICE]
        # CROSS JOIN fixes the order; the planner would rather visit every vector of the model.
        statement = (
            "SELECT c.id, c.text, v.vector, v.crc FROM chunks c CROSS JOIN vectors v ON v.text = c.text"
            " WHERE c.id IN ({}) AND v.model = ? AND length(v.vector) = ?"
        )
        chunks = [chunk for _, chunk in changes]
        rows = rows_for(connection, statement, chunks, *self._model_and_size(connection))
        # A damaged vector is reported by doctor and must not stop the others.
        return changes, {
            chunk: (text, vector) for chunk, text, vector, checksum in rows if checksum_matches(vector, checksum)
        }

    def _rows_after(self, connection: sqlite3.Connection, row: int, limit: int) -> list[int]:
        """Return the next chunks with a vector of the current model; a vector of another length is damaged and skipped."""
        statement = (
            "SELECT c.id FROM chunks c CROSS JOIN vectors v ON v.text = c.text"
            " WHERE c.id > ? AND v.model = ? AND length(v.vector) = ? ORDER BY c.id LIMIT ?"
        )
        rows = connection.execute(statement, (row, *self._model_and_size(connection), limit))
        return [row for (row,) in rows]

    def _model_and_size(self, connection: sqlite3.Connection) -> tuple[int, int]:
        """Return the row id of the model and the bytes of a vector; zeros without a model."""
        space = self._space(connection)
        return (0, 0) if space is None else (space.id, space.dimension * 4)

    def _vectors_of(self, connection: sqlite3.Connection, index: VectorIndex, rows: Sequence[int]) -> dict[int, bytes]:
        model, _ = self._model_and_size(connection)
        return chunk_vectors(connection, model, index.dimension, rows)

    def _changed_after(self, connection: sqlite3.Connection, number: int) -> set[int]:
        """Return the chunks whose vectors or filter columns changed after this number."""
        logs = ("vector_changes", "word_changes")
        return {chunk for log in logs for _, chunk in changes_after(connection, log, number, -1)}

    # --- checks ---------------------------------------------------------------------------------------------------

    def _without_index(self) -> list[CheckResult]:
        return [CheckResult(self.part, "ok", "there is no vector index: nothing was embedded yet")]

    async def _differing(self, index: VectorIndex, rows: Sequence[int], *, contents: bool) -> set[int]:
        """Compare the vectors, and with ``contents`` the filter columns."""
        data = await self._database.read(self._vectors_of, index, rows)
        vectors = zip(rows, await index.get(rows), strict=True)
        differing = {
            row for row, vector in vectors if vector is not None and row in data and not _near(data[row], vector)
        }
        if contents:
            columns = await self._database.read(lambda connection: filter_rows(connection, rows))
            differing |= await index.differing(columns) or set()
        return differing

    async def _verdict(self, index: VectorIndex, stored: set[int], running: RunningCheck) -> CheckResult:
        """Compare the set of rows, and search for some of them by their own vectors."""
        present = await index.rows()
        changed = await self._database.read(lambda c: self._changed_after(c, index.sequence))
        missing, extra = stored - present - changed, present - stored - changed
        strange = running.differing & stored & present
        if missing or strange or extra:
            return self._error(
                f"the vector index lacks {len(missing)} chunks, has {len(extra)} too many"
                f" and {len(strange)} that are not the store's"
            )
        sample_size, missed = await self._search_for_stored(index)
        if missed:
            return self._error(f"the vector index does not find {missed} of {sample_size} texts by their own vectors")
        detail = f"the vector index has all {len(stored)} vectors, and finds each of {sample_size} that were looked for"
        return CheckResult(self.part, "ok", detail)

    async def _search_for_stored(self, index: VectorIndex) -> tuple[int, int]:
        """Search for a sample of stored vectors; return the size of the sample and the number that were not found."""
        vectors = await self._database.read(lambda c: self._vectors_of(c, index, rows_apart(c, LOOKED_FOR)))
        await self._advance_all(index)  # vectors that the embedder added before that read are no damage
        missed = 0
        for data in vectors.values():
            hits = await index.search(np.frombuffer(data, dtype="<f4"), None, 1)
            missed += not hits or hits[0][1] < LOOSE
        return len(vectors), missed


class FallbackIndexSync(VectorIndexSync):
    """Owns the vector index of the fallback while there is one. Its files are beside the store, whatever engine the
    others are in: it is small, and is removed when the endpoint is back.

    Args:
        database: as of `IndexSync`.
        directory: of its files, which nothing else is in.
        on_damage: as of `IndexSync`.
        on_open: as of `IndexSync`.
    """

    part = "fallback_index"
    title = "the index of the fallback's vectors"
    passing = True

    def __init__(
        self, database: Database, directory: Path, on_damage: Callable[[], None], on_open: Opened = ignore_opening
    ) -> None:
        self._directory = directory
        super().__init__(database, EmbeddedIndexes(directory, read_only=database.read_only), on_damage, on_open)

    def _space(self, connection: sqlite3.Connection) -> VectorSpace | None:
        return fallback_space(connection)

    def _without_index(self) -> list[CheckResult]:
        return []

    async def _make(self) -> VectorIndex | None:
        index = await super()._make()
        if index is not None and not self._database.read_only:  # a backup has no folder
            with file_errors():
                await to_thread.run_sync(make_folders, self._directory)
        return index

    async def open(self, *, ask: bool = True) -> None:
        """Open the index of a fallback that an earlier process began; remove the files of one that has ended."""
        await super().open(ask=ask)
        await self._remove_if_ended()

    async def renew(self, record: Callable[[], Awaitable[None]]) -> None:
        """Record the beginning or the end of the fallback, and begin or remove its index."""
        await super().renew(record)
        await self._remove_if_ended()

    async def _remove_if_ended(self) -> None:
        if self.index is None and not self._database.read_only:
            with file_errors(), suppress(FileNotFoundError):
                await to_thread.run_sync(shutil.rmtree, self._directory)


def _near(data: bytes, vector: Vector) -> bool:
    truth = np.frombuffer(data, dtype="<f4")
    norms = float(np.linalg.norm(truth) * np.linalg.norm(vector))
    return bool(norms) and float(truth @ vector) / norms >= ROUNDED
