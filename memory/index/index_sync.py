"""How the derived indexes follow the change sequence: in slices, in worker threads, from SQLite alone."""

from __future__ import annotations

import logging
import sqlite3
from pathlib import Path

import anyio.to_thread
import numpy as np
from anyio import CancelScope, CapacityLimiter, Lock

from ...schemas.errors import StoreError
from ..store.change_log import after, sequence
from ..store.database import Database
from ..store.errors import DamagedIndexError, ExhaustedError, index_errors
from ..store.invariants import whole
from ..store.sql import rows_for
from ..store.vectors import current_model, generation_of
from ..text import analyzer
from .tantivy_text import TantivyIndex
from .text_documents import word_rows
from .usearch_vectors import VectorIndex

_LOG = logging.getLogger(__name__)
WORDS_SLICE = 5_000
"""Changes in one commit of the words index."""
VECTORS_SLICE = 32
"""Vectors added at a time: a search waits for at most one slice, about 10 ms."""
VECTORS_READ = 512
"""Changes read at a time. So many waiting vectors are a rebuild, which takes all cores; else one, beside the embedder."""
SNAPSHOT_AFTER = 10_000
"""Changes between two snapshots; so many are added again after a kill, at about 3,000 a second."""


def _terms(text: str) -> str:
    return " ".join(analyzer.terms(text))


class TextIndexSync:
    """Owns the words index and brings it up to date."""

    def __init__(self, database: Database, directory: Path, *, read_only: bool) -> None:
        self._database = database
        self._directory = directory / "words"
        self._read_only = read_only
        self.turn = Lock()
        self._limiter = CapacityLimiter(1)
        self._broken = False
        self._rebuilding = Lock()
        self.index = self._open()

    def _open(self) -> TantivyIndex:
        identity = f"{self._database.store}/{analyzer.VERSION}"
        if not self._read_only:
            TantivyIndex.remove(self._beside)
        index = TantivyIndex(self._directory, identity, read_only=self._read_only)
        if index.sequence > self._database.read_here(sequence):
            index.close()
            index.discard()
            index = TantivyIndex(self._directory, identity, read_only=self._read_only)
        return index

    def mend(self) -> None:
        """The index could not be used: open it anew at the next turn, from SQLite if need be."""
        self._broken = True

    async def catch_up(self, target: int) -> None:
        """Return when the index holds every change up to ``target``.

        Raises:
            StoreError: it cannot be written; the next turn starts over with what is on disk.
        """
        async with self.turn:
            while self.index.sequence < target or self._broken:
                more = await anyio.to_thread.run_sync(self._advance, limiter=self._limiter)
                if not more:
                    return

    def _advance(self) -> bool:
        """One slice; whether there was anything to do."""
        if self._broken:
            self.index.close()
            self.index = self._open()
            self._broken = False
        return self._follow(self.index)

    def _follow(self, index: TantivyIndex) -> bool:
        with self._database.snapshot() as connection:
            changes = after(connection, "word_changes", index.sequence, WORDS_SLICE)
            if not changes:
                return False
            chunks = [chunk for _, chunk in changes]
            try:
                index.update(chunks, word_rows(connection, chunks, _terms), changes[-1][0])
            except DamagedIndexError:
                self._broken = self._broken or index is self.index
                raise
        return True

    @property
    def _beside(self) -> Path:
        return self._directory.with_name(f"{self._directory.name}.new")

    async def rebuild(self) -> None:
        """Make the index anew from SQLite beside the one in use, which answers meanwhile, and change over.

        Raises:
            StoreError: it cannot be written; the one in use stays.
        """
        identity = f"{self._database.store}/{analyzer.VERSION}"

        def begin() -> TantivyIndex:
            TantivyIndex.remove(self._beside)
            return TantivyIndex(self._beside, identity, read_only=False)

        async with self._rebuilding:
            fresh = await anyio.to_thread.run_sync(begin)
            try:
                while await anyio.to_thread.run_sync(self._follow, fresh):
                    pass
                async with self.turn:
                    while await anyio.to_thread.run_sync(self._follow, fresh):
                        pass
                    # Once begun, the change is carried through: half of it would leave no index at all.
                    with CancelScope(shield=True):
                        await anyio.to_thread.run_sync(self._change_over, fresh, limiter=self._limiter)
            finally:
                with CancelScope(shield=True):
                    await anyio.to_thread.run_sync(fresh.close)

    async def purge(self) -> None:
        """Take deleted documents out of the index's files; searches go on, updates wait.

        Where that cannot be done, the index is made anew.

        Raises:
            StoreError: it cannot be written.
        """
        purged = False
        async with self._rebuilding:
            # Once begun, it is carried through: in between the index has no writer.
            with CancelScope(shield=True):
                async with self.turn:
                    purged = await anyio.to_thread.run_sync(self._purge, limiter=self._limiter)
        if not purged:
            await self.rebuild()

    def _purge(self) -> bool:
        """Whether that could be done."""
        while self._advance():
            pass
        try:
            self.index.close()
            rows = self.index.smallest_rows(self._beside)
            if rows is not None:
                self._rewrite(rows)
            self.index.purge(self._beside)
        except ExhaustedError:
            raise  # the files are as good as they were: it is to be done again
        except StoreError as error:
            _LOG.info("the words index is made anew, for nothing can be purged from it: %s", error.__cause__ or error)
            return False
        finally:
            self._broken = True
            self.index.close()
            self.index = self._open()
            self._broken = False
        return True

    def _rewrite(self, rows: list[int]) -> None:
        """Write these rows into a new segment, which leaves the old one empty."""
        self.index = self._open()
        with self._database.snapshot() as connection:
            self.index.update(rows, word_rows(connection, rows, _terms), self.index.sequence)
        self.index.close()

    def _change_over(self, fresh: TantivyIndex) -> None:
        fresh.close()
        self._broken = True  # until another one is open: this one has no writer any more, and soon no files
        self.index.close()
        with index_errors("words"):
            self.index.discard()
            fresh.directory.rename(self._directory)
        self.index = self._open()
        self._broken = False

    def close(self) -> None:
        """Let the writer go."""
        self.index.close()


class VectorIndexSync:
    """Owns the vector index and brings it up to date.

    ``_following`` is held by whoever changes the index or needs it to stay as it is; ``turn`` by a search, and for as
    long as one slice of changes takes. It is fair, so that searches get in.
    """

    def __init__(self, database: Database, directory: Path, *, read_only: bool) -> None:
        self._database = database
        self._directory = directory
        self._read_only = read_only
        self._following = Lock()
        self._limiter = CapacityLimiter(1)
        self._unsaved = 0
        self._rebuilding = Lock()
        self.turn = Lock()
        self.index: VectorIndex | None = database.read_here(self._fresh)
        if self.index is not None and self.index.load(directory):
            self._verify()

    def _verify(self) -> None:
        if self.index is not None and self.index.sequence > self._database.read_here(sequence):
            self.index = self._database.read_here(self._fresh)

    def _fresh(self, connection: sqlite3.Connection) -> VectorIndex | None:
        generation = generation_of(connection)
        if generation is None:
            return None
        return VectorIndex(f"{self._database.store}/{current_model(connection)}", generation.dimension)

    async def renew(self) -> None:
        """Start an empty index when the generation's model is another one now."""
        async with self._following:
            fresh = await self._database.read(self._fresh)
            async with self.turn:
                if fresh is not None and (self.index is None or self.index.identity != fresh.identity):
                    self.index, self._unsaved = fresh, 0

    async def catch_up(self, target: int) -> None:
        """Return when the index holds every change up to ``target``."""
        async with self._following:
            if self.index is not None:
                await self._advance(self.index, target)

    async def maintain(self) -> None:
        """Rebuild a worn index, or write a snapshot when enough has changed since the last.

        Raises:
            StoreError: the snapshot cannot be written.
        """
        if self.index is None:
            return
        if self.index.worn:
            await self.rebuild()
        elif self._unsaved >= max(SNAPSHOT_AFTER, len(self.index) // 10):
            await self.save()

    async def rebuild(self) -> None:
        """Make the index anew from SQLite beside the one in use, change over, and write the snapshot.

        Meanwhile the one in use answers and is brought up to date.

        Raises:
            StoreError: the snapshot cannot be written.
        """
        async with self._rebuilding:
            fresh = await self._database.read(self._fresh)
            if fresh is None:
                return
            await self._advance(fresh, await self._database.read(sequence))
            async with self._following:
                if self.index is not None and self.index.identity != fresh.identity:
                    return  # another model's by now, and as fresh as this one
                await self._advance(fresh, await self._database.read(sequence))
                await self._change_over(fresh)

    async def _change_over(self, fresh: VectorIndex) -> None:
        """Use a rebuilt index. What was removed from it while it was made may have been forgotten and purged since."""
        unsaved = 1
        if fresh.removed:
            try:
                fresh = await anyio.to_thread.run_sync(fresh.purged, self._directory, limiter=self._limiter)
                unsaved = 0
            except ValueError as error:
                _LOG.info("nothing can be purged from the vector index: %s", error)
        async with self.turn:
            self.index, self._unsaved = fresh, unsaved
        await self._save()

    async def purge(self) -> None:
        """Take the vectors of removed entries out of the snapshot and of the index. Searches go on, updates wait.

        Raises:
            StoreError: the snapshot cannot be written.
        """
        async with self._following:
            if self.index is None:
                return
            await self._advance(self.index, await self._database.read(sequence))
            try:
                fresh = await anyio.to_thread.run_sync(self.index.purged, self._directory, limiter=self._limiter)
            except ValueError as error:
                _LOG.info("the vector index is rebuilt, for nothing can be purged from it: %s", error)
            else:
                async with self.turn:
                    self.index, self._unsaved = fresh, 0
                return
        await self.rebuild()

    async def _advance(self, index: VectorIndex, target: int) -> None:
        while index.sequence < target:
            changes, vectors = await self._database.read(lambda connection: _vector_changes(connection, index.sequence))
            if not changes:
                return
            for begin in range(0, len(changes), VECTORS_SLICE):
                chunks = [chunk for _, chunk in changes[begin : begin + VECTORS_SLICE]]
                await self._apply(index, chunks, vectors)
            index.sequence = changes[-1][0]
            if index is self.index:
                self._unsaved += len(changes)

    async def _apply(self, index: VectorIndex, chunks: list[int], vectors: dict[int, bytes]) -> None:
        """One slice; searches wait for it if it is of the index in use."""
        if index is self.index:
            async with self.turn:
                await anyio.to_thread.run_sync(_update, index, chunks, vectors, limiter=self._limiter)
        else:
            await anyio.to_thread.run_sync(_update, index, chunks, vectors)

    async def save(self) -> None:
        """Write the snapshot if something changed since the last one. Searches go on, updates wait."""
        async with self._following:
            await self._save()

    async def _save(self) -> None:
        if self._read_only or not self._unsaved or self.index is None:
            return
        await anyio.to_thread.run_sync(self.index.save, self._directory, limiter=self._limiter)
        self._unsaved = 0


def _update(index: VectorIndex, chunks: list[int], vectors: dict[int, bytes]) -> None:
    rows = [chunk for chunk in chunks if chunk in vectors]
    data = b"".join(vectors[chunk] for chunk in rows)
    threads = 0 if len(vectors) == VECTORS_READ else 1
    index.update(chunks, rows, np.frombuffer(data, dtype="<f4").reshape(len(rows), index.dimension), threads)


def _vector_changes(connection: sqlite3.Connection, number: int) -> tuple[list[tuple[int, int]], dict[int, bytes]]:
    """The next changes, and the vectors of those of their chunks that have one."""
    changes = after(connection, "vector_changes", number, VECTORS_READ)
    # CROSS JOIN keeps the order: the planner would rather visit every vector of the model.
    statement = (
        "SELECT c.id, v.vector, v.crc FROM chunks c CROSS JOIN vectors v ON v.text = c.text WHERE c.id IN ({}) AND v.model = ?"
        " AND length(v.vector) = ?"
    )
    generation = generation_of(connection)
    # A damaged one is doctor's, and must not stop the rest.
    size = 0 if generation is None else generation.dimension * 4
    rows = rows_for(connection, statement, (chunk for _, chunk in changes), current_model(connection), size)
    return changes, {chunk: vector for chunk, vector, checksum in rows if whole(vector, checksum)}
