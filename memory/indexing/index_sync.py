"""Updates the derived indexes from the change log of the store, in slices, through `TextIndex` and `VectorIndex`."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Sequence
from contextlib import asynccontextmanager

import numpy as np
from anyio import CancelScope, Lock
from numpy.typing import NDArray

from ...schemas.errors import StoreError
from ..file_errors import ExhaustedError
from ..index.errors import DamagedIndexError, IndexServerError
from ..index.ports import Indexes, TextIndex, VectorIndex
from ..index.rows import FilterRow, TextRow
from ..records import CheckResult
from ..search_types import CompiledFilter, Vector
from ..store.change_log import changes_after, last_change, sequence
from ..store.chunks import rows_apart
from ..store.database import Database
from ..store.filters import matching_chunks
from ..store.forget_rows import FollowedLog, unclean
from ..store.invariants import checksum_matches
from ..store.sql import rows_for
from ..store.vectors import chunk_vectors, current_model, generation_of, nearest_chunks, texts_with_vectors
from ..text import analyzer
from .checking import CHECKED_AT_ONCE, RunningCheck, checked
from .text_rows import filter_rows, text_rows, with_shown

_LOG = logging.getLogger(__name__)
WORDS_SLICE = 5_000
"""Changes in one commit of the word index."""
WORDS_CHARACTERS = 2_000_000
"""Characters of the chunks in one commit: the terms of a chunk and its neighbourhood take about ten times as much
memory.
"""
VECTORS_READ = 512
"""Changes read at a time."""
REPAIR = "memd doctor --repair makes it anew"
LOOSE = 0.999
"""The least cosine between a vector and the nearest one that the index returns for it."""
ROUNDED = 0.99
"""The least cosine between a vector and its 8- or 16-bit form in the index. Rounding costs less than a thousandth, or
half of a hundredth if one component is far larger than the others.
"""
LOOKED_FOR = 200
"""The number of stored vectors that a check searches for."""


Opened = Callable[[Collection[FollowedLog], int], Awaitable[None]]
"""Receives the logs that an index follows and the change it had reached when it was opened, before it continues."""


async def ignore_opening(logs: Collection[FollowedLog], number: int) -> None:
    """Do nothing when an index is opened."""


def _terms(text: str) -> str:
    return " ".join(analyzer.terms(text))


class RowReader:
    """The `VectorRows` of a database; ``model`` is the row id of the vectors' model."""

    def __init__(self, database: Database, model: int = 0, dimension: int = 0) -> None:
        self._database = database
        self._model = model
        self._dimension = dimension

    async def matching(self, where: CompiledFilter, limit: int) -> list[int]:
        """Return at most `limit` rows that pass."""
        return await self._database.read(lambda connection: matching_chunks(connection, where, limit))

    async def filtered(self, rows: Sequence[int]) -> list[FilterRow]:
        """Return the filter columns of the given rows; missing rows are omitted."""
        return await self._database.read(lambda connection: filter_rows(connection, rows))

    async def texts(self, rows: Sequence[int]) -> dict[int, int]:
        """Return the text of each of these rows, as row ids; missing rows are omitted."""
        statement = "SELECT id, text FROM chunks WHERE id IN ({})"
        return await self._database.read(lambda connection: dict(rows_for(connection, statement, rows)))

    async def all_texts(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return all rows and the row ids of their texts."""
        statement = "SELECT id, text FROM chunks"
        pairs = await self._database.read(
            lambda connection: np.array(connection.execute(statement).fetchall(), np.int64)
        )
        return pairs.reshape(-1, 2)[:, 0], pairs.reshape(-1, 2)[:, 1]

    async def texts_with_vectors(self) -> NDArray[np.int64]:
        """Return the row ids of all texts with a vector, ascending."""
        return await self._database.read(lambda connection: texts_with_vectors(connection, self._model))

    async def purge_due(self) -> bool:
        """Return whether vectors were removed that the files of an index may still hold."""
        return bool(await self._database.read(unclean))

    async def nearest(
        self, vector: Vector, texts: NDArray[np.int64], where: CompiledFilter | None, limit: int, most: int
    ) -> list[tuple[int, float]]:
        """Return the nearest rows that pass, among those of the nearest texts."""
        return await self._database.read(
            lambda c: nearest_chunks(c, self._model, vector, texts.tolist(), where, limit, most)
        )


class TextIndexSync:
    """Owns the word index and keeps it up to date."""

    logs: tuple[FollowedLog, ...] = ("word_changes",)

    def __init__(
        self, database: Database, indexes: Indexes, on_damage: Callable[[], None], on_open: Opened = ignore_opening
    ) -> None:
        self._database = database
        self._on_open = on_open
        self._shown = indexes.holds_texts
        self._turn = Lock()
        self._rebuilding = Lock()
        identity = f"{database.store}/{analyzer.VERSION}"
        self.index: TextIndex = indexes.text(identity, lambda: database.read_here(sequence), on_damage)
        self._newest = 0
        self.rebuilds = 0
        """The number of times the index was rebuilt, or reopened because it was damaged."""

    @property
    def reached(self) -> int:
        """The number of the last change in the index."""
        return self.index.sequence

    async def ask(self) -> None:
        """Open the index again if it is damaged.

        Raises:
            StoreError: its server fails.
        """
        if self.index.damaged:
            await self.index.reopen()
        await self._opened()

    async def _opened(self) -> None:
        self._newest = await self._database.read(lambda connection: last_change(connection, self.logs))
        await self._on_open(self.logs, self.reached)

    @property
    def filling(self) -> bool:
        """True until the index holds every change that was stored when it was opened."""
        return self.reached < self._newest

    async def open(self) -> None:
        """Open the index; a server that does not answer is asked again later."""
        try:
            await self.ask()
        except IndexServerError as error:
            _LOG.warning("words are not searched yet: %s", error)

    async def catch_up(self, target: int) -> None:
        """Return when the index holds every change up to ``target``.

        Raises:
            StoreError: the index cannot be written; the next call starts from the state on disk.
        """
        async with self._turn:
            while self.index.sequence < target or self.index.damaged:
                if not await self._advance():
                    break
            self._newest = 0 if target >= self._newest else self._newest

    async def _advance(self) -> bool:
        """Apply one slice of changes; return whether there were any. A damaged index is reopened, from SQLite if
        necessary, and the slice is tried once more at once, since callers that wait for the index cannot repair it.

        Raises:
            StoreError: the index cannot be written, or is damaged again.
        """
        if self.index.damaged:
            await self._reopen()
        try:
            return await self._follow(self.index)
        except DamagedIndexError:
            await self._reopen()
            return await self._follow(self.index)

    async def _reopen(self) -> None:
        self.rebuilds += 1
        await self.index.reopen()
        await self._opened()

    async def _follow(self, index: TextIndex) -> bool:
        applied = index.sequence
        changes, rows = await self._database.read(
            lambda connection: _text_changes(connection, applied, shown=self._shown)
        )
        if changes:
            await index.update([chunk for _, chunk in changes], rows, changes[-1][0])
        return bool(changes)

    async def rebuild(self) -> None:
        """Rebuild the index from SQLite beside the current one, which answers meanwhile, and replace that.

        Raises:
            StoreError: the index cannot be written; the current one stays.
        """
        async with self._rebuilding, self._fresh() as fresh:
            while await self._follow(fresh):
                pass
            async with self._turn:
                while await self._follow(fresh):
                    pass
                await self._change_over(fresh)

    async def restart(self) -> None:
        """Empty the index, leaving nothing of its content; `catch_up` fills it again.

        Raises:
            StoreError: the index cannot be written; it stays unchanged.
        """
        async with self._rebuilding, self._fresh() as fresh, self._turn:
            await self._change_over(fresh)

    @asynccontextmanager
    async def _fresh(self) -> AsyncGenerator[TextIndex]:
        """Yield an empty index beside the current one; it is closed at the end unless it became the current one."""
        fresh = await self.index.fresh()
        try:
            yield fresh
        finally:
            with CancelScope(shield=True):
                await fresh.close()

    async def _change_over(self, fresh: TextIndex) -> None:
        """Replace the index; shielded from cancellation, because half of the change would leave no index at all."""
        with CancelScope(shield=True):
            await self.index.change_over(fresh)
        self.rebuilds += 1

    async def purge(self) -> None:
        """Remove deleted documents from the index's files, rebuilding the index if necessary; searches continue,
        updates wait.

        Raises:
            StoreError: the index cannot be written.
        """
        purged = False
        async with self._rebuilding:
            # Shielded from cancellation: in between the index has no writer.
            with CancelScope(shield=True):
                async with self._turn:
                    while await self._advance():
                        pass
                    purged = await self.index.purge(self._rows)
        if not purged:
            await self.rebuild()

    async def _rows(self, chunks: Sequence[int]) -> list[TextRow]:
        return await self._database.read(lambda connection: _text_rows(connection, chunks, shown=self._shown))

    async def check(self, *, contents: bool = False) -> list[CheckResult]:
        """Check the files of the index, and that it holds exactly the chunks; with ``contents`` also compare the
        content of each, by hashes, if the index can return it.
        """
        return await checked(self.check_step, contents=contents)

    async def check_step(self, running: RunningCheck) -> None:
        """Run the next step of a check: the files, the content of some chunks, or finally the set of chunks."""
        async with self._turn:
            if not running.begun:
                running.begun, running.compared = True, not running.contents
                running.findings = await self.index.check() or None
            elif not running.compared:
                await self._compare(running)
            else:
                running.findings = await self._compare_rows(running)

    async def _compare(self, running: RunningCheck) -> None:
        """Compare the content of the next chunks. Changes since the last update of the index are not differences."""
        chunks = await self._database.read(lambda c: _chunks_after(c, running.after, CHECKED_AT_ONCE))
        differing = await self.index.differing(await self._rows(chunks)) if chunks else set[int]()
        if differing is None:  # the index cannot tell
            running.contents, running.compared = False, True
            return
        if differing:
            changes = await self._database.read(lambda c: changes_after(c, "word_changes", self.index.sequence, -1))
            running.differing |= differing - {chunk for _, chunk in changes}
        running.compared = not chunks
        running.after = max(chunks, default=running.after)

    async def _compare_rows(self, running: RunningCheck) -> list[CheckResult]:
        stored: set[int] = set()
        behind = True
        while behind:
            while await self._advance():
                pass
            stored, behind = await self._database.read(lambda c: _stored(c, self.index.sequence))
        try:
            present = await self.index.rows()
        except ExhaustedError:
            raise
        except StoreError as error:
            return [CheckResult("words", "error", error.message, REPAIR, repairable=True)]
        if present != stored:
            detail = f"the words index lacks {len(stored - present)} chunks and has {len(present - stored)} too many"
            return [CheckResult("words", "error", detail, REPAIR, repairable=True)]
        if compared := running.differing & stored:
            detail = f"the words index holds {len(compared)} chunks otherwise than the store"
            return [CheckResult("words", "error", detail, REPAIR, repairable=True)]
        whole = ", and holds each as the store does" if running.contents else ""
        return [CheckResult("words", "ok", f"the words index has all {len(stored)} chunks{whole}")]

    async def close(self) -> None:
        """Close the writer."""
        await self.index.close()


def _text_rows(connection: sqlite3.Connection, chunks: Sequence[int], *, shown: bool) -> list[TextRow]:
    rows = list(text_rows(connection, chunks, _terms))
    return with_shown(connection, rows) if shown else rows


def _text_changes(
    connection: sqlite3.Connection, number: int, *, shown: bool
) -> tuple[list[tuple[int, int]], list[TextRow]]:
    """Return the next changes, and the rows of their chunks that still exist."""
    changes = changes_after(connection, "word_changes", number, WORDS_SLICE)
    statement = 'SELECT id, "end" - start FROM chunks WHERE id IN ({})'
    length = dict(rows_for(connection, statement, (chunk for _, chunk in changes)))
    total = 0
    for place, (_, chunk) in enumerate(changes):
        total += length.get(chunk, 0)
        if total > WORDS_CHARACTERS:
            changes = changes[: place + 1]
            break
    return changes, _text_rows(connection, [chunk for _, chunk in changes], shown=shown)


def _chunks_after(connection: sqlite3.Connection, chunk: int, limit: int) -> list[int]:
    rows = connection.execute("SELECT id FROM chunks WHERE id > ? ORDER BY id LIMIT ?", (chunk, limit))
    return [row for (row,) in rows]


def _stored(connection: sqlite3.Connection, number: int) -> tuple[set[int], bool]:
    """Return all chunks, and whether there are changes after this number."""
    stored = {row[0] for row in connection.execute("SELECT id FROM chunks")}
    return stored, bool(changes_after(connection, "word_changes", number, 1))


class VectorIndexSync:
    """Owns the vector index and keeps it up to date. Hold ``_following`` to change the index or to keep it unchanged."""

    def __init__(
        self, database: Database, indexes: Indexes, on_damage: Callable[[], None], on_open: Opened = ignore_opening
    ) -> None:
        self._database = database
        self._indexes = indexes
        self._on_damage = on_damage
        self._on_open = on_open
        # Filters inside the index depend on the columns that the word log follows.
        self.logs: tuple[FollowedLog, ...] = (
            ("vector_changes", "word_changes") if indexes.holds_filters else ("vector_changes",)
        )
        self._following = Lock()
        self._rebuilding = Lock()
        self._rows = RowReader(database)
        self.index: VectorIndex | None = None
        self._newest = 0
        self.rebuilds = 0
        """The number of times the index was rebuilt."""

    @property
    def reached(self) -> int:
        """The number of the last change in the index; 0 without an index."""
        return 0 if self.index is None else self.index.sequence

    @property
    def filling(self) -> bool:
        """True until the index holds every change that was stored when it was opened."""
        return self.index is not None and self.reached < self._newest

    async def open(self, *, ask: bool = True) -> None:
        """Open the index; a server that does not answer, or must not be asked now, is asked again later."""
        self.index = await self._database.read(self._fresh)
        if self.index is not None and ask:
            await self._try(self.index)

    async def ask(self) -> None:
        """Open the index.

        Raises:
            StoreError: its server fails.
        """
        self.index = await self._database.read(self._fresh)
        if self.index is not None:
            await self._open(self.index)

    async def _open(self, index: VectorIndex) -> None:
        await index.open(await self._database.read(sequence))
        self._newest = await self._database.read(lambda connection: last_change(connection, self.logs))
        await self._on_open(self.logs, index.sequence)

    async def _try(self, index: VectorIndex) -> None:
        try:
            await self._open(index)
        except IndexServerError as error:
            _LOG.warning("vectors are not searched yet: %s", error)

    def _fresh(self, connection: sqlite3.Connection) -> VectorIndex | None:
        generation = generation_of(connection)
        if generation is None:
            return None
        model = current_model(connection)
        rows = RowReader(self._database, model, generation.dimension)
        identity = f"{self._database.store}/{model}"
        return self._indexes.vectors(identity, generation.model, generation.dimension, rows, self._on_damage)

    async def renew(self, record: Callable[[], Awaitable[None]]) -> None:
        """Record a generation and start an empty index if the model changed. No update runs in between: vectors of the
        new model must not enter the old model's index.
        """
        async with self._rebuilding, self._following:  # opening an index removes the files of one being rebuilt
            await record()
            fresh = await self._database.read(self._fresh)
            if fresh is not None and (self.index is None or self.index.identity != fresh.identity):
                await self._try(fresh)
                former, self.index = self.index, fresh
                if former is not None:
                    await former.close()

    async def catch_up(self, target: int) -> None:
        """Return when the index holds every change up to ``target``."""
        async with self._following:
            index = self.index
            if index is None:
                return
            if index.damaged:
                await self._open(index)
            await self._advance(index, target)
            self._newest = 0 if target >= self._newest else self._newest

    async def maintain(self) -> None:
        """Run the periodic maintenance of the index. Searches continue, updates wait.

        Raises:
            StoreError: the index cannot be written.
        """
        async with self._following:
            if self.index is not None:
                await self.index.maintain()

    async def rebuild(self) -> None:
        """Rebuild the index from SQLite beside the current one, which answers meanwhile, and replace that.

        Raises:
            StoreError: the index cannot be written; the current one stays.
        """
        await self._replace(filled=True)

    async def restart(self) -> None:
        """Empty the index, leaving nothing of its content; `catch_up` fills it again.

        Raises:
            StoreError: the index cannot be written; it stays unchanged.
        """
        await self._replace(filled=False)

    async def _replace(self, *, filled: bool) -> None:
        async with self._rebuilding:
            fresh = await self._database.read(self._fresh)
            if fresh is None:
                return
            try:
                await fresh.begin()
                if filled:
                    await self._advance(fresh, await self._database.read(sequence))
                async with self._following:
                    if self.index is not None and self.index.identity != fresh.identity:
                        return  # the current index belongs to another model by now, and is as fresh as this one
                    if filled:
                        await self._advance(fresh, await self._database.read(sequence))
                    with CancelScope(shield=True):
                        await fresh.finish()
                        former, self.index = self.index, fresh
                        if former is not None:
                            await former.close()
                    self.rebuilds += 1
                    await fresh.save()
            finally:
                if self.index is not fresh:
                    with CancelScope(shield=True):
                        await fresh.abandon()

    async def purge(self) -> None:
        """Erase all removed rows from the index. Searches continue, updates wait.

        Raises:
            StoreError: the index cannot be written.
        """
        async with self._following:
            if self.index is None:
                return
            await self._advance(self.index, await self._database.read(sequence))
            purged = await self.index.purge()
        if not purged:
            await self.rebuild()

    async def _advance(self, index: VectorIndex, target: int) -> None:
        while index.sequence < target:
            applied = index.sequence
            changes, vectors = await self._database.read(lambda connection, k=applied: self._changes(connection, k))
            if not changes:
                return
            chunks = list(dict.fromkeys(chunk for _, chunk in changes))
            rows = [chunk for chunk in chunks if chunk in vectors]
            data = np.frombuffer(b"".join(vectors[chunk][1] for chunk in rows), dtype="<f4")
            texts = [vectors[chunk][0] for chunk in rows]
            await index.update(chunks, rows, texts, data.reshape(len(rows), index.dimension), changes[-1][0])

    def _changes(
        self, connection: sqlite3.Connection, number: int
    ) -> tuple[list[tuple[int, int]], dict[int, tuple[int, bytes]]]:
        return _vector_changes(connection, number, filters=self._indexes.holds_filters)

    async def save(self) -> None:
        """Make every change durable. Searches continue, updates wait."""
        async with self._following:
            if self.index is not None:
                await self.index.save()

    async def close(self) -> None:
        """Close every file."""
        if self.index is not None:
            await self.index.close()

    async def check(self, *, contents: bool = False) -> list[CheckResult]:
        """Check the file, that exactly the chunks with a vector are in the index, and that their vectors agree; with
        ``contents`` also compare the filter columns, by hashes, if the index evaluates filters itself.
        """
        return await checked(self.check_step, contents=contents)

    async def check_step(self, running: RunningCheck) -> None:
        """Run the next step of a check: the file, the vectors of some chunks, or finally the set of chunks."""
        async with self._following:
            index = self.index
            if index is None:
                detail = "there is no vector index: nothing was embedded yet"
                running.findings = [CheckResult("vector_index", "ok", detail)]
            elif not running.begun:
                running.begun = True
                running.findings = await index.check() or None
            elif not running.compared:
                await self._compare(index, running)
            else:
                running.findings = await self._compare_rows(index, running)

    async def _compare(self, index: VectorIndex, running: RunningCheck) -> None:
        """Compare the next vectors. Changes since the last update of the index are not differences."""
        rows = await self._database.read(
            lambda c: _rows_with_vectors(c, index.dimension, running.after, CHECKED_AT_ONCE)
        )
        data = await self._database.read(lambda c: chunk_vectors(c, current_model(c), index.dimension, rows))
        index_vectors = await index.get(rows) if rows else []
        differing = {
            row
            for row, vector in zip(rows, index_vectors, strict=True)
            if vector is not None and row in data and not _near(data[row], vector)
        }
        if running.contents and rows:
            differing |= await index.differing(await self._rows.filtered(rows)) or set()
        if differing:
            differing -= await self._database.read(lambda c: _changed_since(c, index.sequence))
            running.differing |= differing
        running.compared = not rows
        running.after = max(rows, default=running.after)

    async def _compare_rows(self, index: VectorIndex, running: RunningCheck) -> list[CheckResult]:
        stored: set[int] = set()
        behind = True
        while behind:  # vectors that the embedder adds meanwhile are no damage
            await self._advance(index, await self._database.read(sequence))
            stored, behind = await self._database.read(
                lambda c: (
                    set(_rows_with_vectors(c, index.dimension)),
                    bool(changes_after(c, "vector_changes", index.sequence, 1)),
                )
            )
        present = await index.rows()
        changed = await self._database.read(lambda c: _changed_since(c, index.sequence))
        missing, extra = stored - present - changed, present - stored - changed
        strange = running.differing & stored & present
        if missing or strange or extra:
            detail = (
                f"the vector index lacks {len(missing)} chunks, has {len(extra)} too many"
                f" and {len(strange)} that are not the store's"
            )
            return [CheckResult("vector_index", "error", detail, REPAIR, repairable=True)]
        sample_size, missed = await self._found_by_themselves(index)
        if missed:
            detail = f"the vector index does not find {missed} of {sample_size} texts by their own vectors"
            return [CheckResult("vector_index", "error", detail, REPAIR, repairable=True)]
        detail = f"the vector index has all {len(stored)} vectors, and finds each of {sample_size} that were looked for"
        return [CheckResult("vector_index", "ok", detail)]

    async def _found_by_themselves(self, index: VectorIndex) -> tuple[int, int]:
        """Search for a sample of stored vectors; return the size of the sample and the number that were not found."""
        vectors = await self._database.read(
            lambda c: chunk_vectors(c, current_model(c), index.dimension, rows_apart(c, LOOKED_FOR))
        )
        await self._advance(
            index, await self._database.read(sequence)
        )  # vectors that the embedder added before that read are no damage
        missed = 0
        for data in vectors.values():
            hits = await index.search(np.frombuffer(data, dtype="<f4"), None, 1)
            missed += not hits or hits[0][1] < LOOSE
        return len(vectors), missed


def _changed_since(connection: sqlite3.Connection, number: int) -> set[int]:
    """Return the chunks whose vectors or filter columns changed after this number."""
    logs = ("vector_changes", "word_changes")
    return {chunk for log in logs for _, chunk in changes_after(connection, log, number, -1)}


def _near(data: bytes, vector: Vector) -> bool:
    truth = np.frombuffer(data, dtype="<f4")
    norms = float(np.linalg.norm(truth) * np.linalg.norm(vector))
    return bool(norms) and float(truth @ vector) / norms >= ROUNDED


def _rows_with_vectors(connection: sqlite3.Connection, dimension: int, after: int = 0, limit: int = -1) -> list[int]:
    """Return the next chunks with a vector of the current model; a vector of another length is damaged and skipped."""
    statement = (
        "SELECT c.id FROM chunks c CROSS JOIN vectors v ON v.text = c.text"
        " WHERE c.id > ? AND v.model = ? AND length(v.vector) = ? ORDER BY c.id LIMIT ?"
    )
    rows = connection.execute(statement, (after, current_model(connection), dimension * 4, limit))
    return [row for (row,) in rows]


def _vector_changes(
    connection: sqlite3.Connection, number: int, *, filters: bool
) -> tuple[list[tuple[int, int]], dict[int, tuple[int, bytes]]]:
    """Return the next changes, and by chunk the text's row id and the vector, for chunks that have one."""
    changes = changes_after(connection, "vector_changes", number, VECTORS_READ)
    if filters:
        # Both logs are numbered in one order, so the first changes of the two together are the first of all.
        changes = sorted([*changes, *changes_after(connection, "word_changes", number, VECTORS_READ)])[:VECTORS_READ]
    # CROSS JOIN fixes the order; the planner would rather visit every vector of the model.
    statement = (
        "SELECT c.id, c.text, v.vector, v.crc FROM chunks c CROSS JOIN vectors v ON v.text = c.text"
        " WHERE c.id IN ({}) AND v.model = ?"
        " AND length(v.vector) = ?"
    )
    generation = generation_of(connection)
    # A damaged vector is reported by doctor and must not stop the others.
    size = 0 if generation is None else generation.dimension * 4
    rows = rows_for(connection, statement, (chunk for _, chunk in changes), current_model(connection), size)
    return changes, {
        chunk: (text, vector) for chunk, text, vector, checksum in rows if checksum_matches(vector, checksum)
    }
