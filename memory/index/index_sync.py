"""How the derived indexes follow the change log of the store: in slices, from SQLite alone, behind `TextIndex` and `VectorIndex`."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Awaitable, Callable, Sequence

import numpy as np
from anyio import CancelScope, Lock

from ...schemas.errors import StoreError
from ..records import CheckResult
from ..search_types import Vector
from ..store.change_log import changes_after, sequence
from ..store.database import Database
from ..store.errors import DamagedIndexError, ExhaustedError
from ..store.filters import CompiledFilter, matching_chunks, passing
from ..store.invariants import checksum_matches
from ..store.sql import rows_for
from ..store.vectors import current_model, generation_of
from ..text import analyzer
from .errors import IndexServerError
from .ports import Indexes, TextIndex, VectorIndex
from .text_documents import FilterRow, TextRow, filter_rows, text_rows, with_shown

_LOG = logging.getLogger(__name__)
WORDS_SLICE = 5_000
"""Changes in one commit of the words index."""
WORDS_CHARACTERS = 2_000_000
"""Characters of the chunks in one commit: the terms of a chunk and its neighbourhood take about ten times as much memory."""
VECTORS_READ = 512
"""Changes read at a time."""
CHECKED_AT_ONCE = 2_000
REPAIR = "memd doctor --repair makes it anew"
LOOSE = 0.999
"""Cosine between a vector and what the index holds of it in 16 bits; rounding costs less than a thousandth."""


def _terms(text: str) -> str:
    return " ".join(analyzer.terms(text))


class RowReader:
    """The `StoreRows` of a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def passing(self, where: CompiledFilter, rows: Sequence[int]) -> set[int]:
        """Those of these rows that pass."""
        return await self._database.read(lambda connection: passing(connection, where, rows))

    async def matching(self, where: CompiledFilter, limit: int) -> list[int]:
        """At most so many rows that pass."""
        return await self._database.read(lambda connection: matching_chunks(connection, where, limit))

    async def filtered(self, rows: Sequence[int]) -> list[FilterRow]:
        """What filters look at of those of these rows that exist."""
        return await self._database.read(lambda connection: filter_rows(connection, rows))


class TextIndexSync:
    """Owns the words index and brings it up to date."""

    def __init__(self, database: Database, indexes: Indexes, on_damage: Callable[[], None]) -> None:
        self._database = database
        self._shown = indexes.holds_texts
        self._turn = Lock()
        self._rebuilding = Lock()
        identity = f"{database.store}/{analyzer.VERSION}"
        self.index: TextIndex = indexes.text(identity, lambda: database.read_here(sequence), on_damage)
        self.rebuilds = 0
        """How often the index was made anew, or opened anew because it was damaged."""

    @property
    def reached(self) -> int:
        """The number of the last change that it holds."""
        return self.index.sequence

    async def ask(self) -> None:
        """Look at what is kept.

        Raises:
            StoreError: the server that keeps it fails.
        """
        if self.index.damaged:
            await self.index.reopen()

    async def open(self) -> None:
        """The same, but a server that does not answer is asked again later."""
        try:
            await self.ask()
        except IndexServerError as error:
            _LOG.warning("words are not searched yet: %s", error)

    async def catch_up(self, target: int) -> None:
        """Return when the index holds every change up to ``target``.

        Raises:
            StoreError: it cannot be written; the next turn starts over with what is on disk.
        """
        async with self._turn:
            while self.index.sequence < target or self.index.damaged:
                if not await self._advance():
                    return

    async def _advance(self) -> bool:
        """One slice; whether there was anything to do. A damaged index is opened anew, from SQLite if need be; where it is found
        out only now, that is done at once, since whoever waits for the index can do nothing about it.

        Raises:
            StoreError: it cannot be written, or is found damaged once more.
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

    async def _follow(self, index: TextIndex) -> bool:
        known = index.sequence
        changes, rows = await self._database.read(
            lambda connection: _text_changes(connection, known, shown=self._shown)
        )
        if changes:
            await index.update([chunk for _, chunk in changes], rows, changes[-1][0])
        return bool(changes)

    async def rebuild(self) -> None:
        """Make the index anew from SQLite beside the one in use, which answers meanwhile, and change over.

        Raises:
            StoreError: it cannot be written; the one in use stays.
        """
        async with self._rebuilding:
            fresh = await self.index.fresh()
            try:
                while await self._follow(fresh):
                    pass
                async with self._turn:
                    while await self._follow(fresh):
                        pass
                    # Once begun, the change is carried through: half of it would leave no index at all.
                    with CancelScope(shield=True):
                        await self.index.change_over(fresh)
                    self.rebuilds += 1
            finally:
                with CancelScope(shield=True):
                    await fresh.close()

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
                async with self._turn:
                    while await self._advance():
                        pass
                    purged = await self.index.purge(self._rows)
        if not purged:
            await self.rebuild()

    async def _rows(self, chunks: Sequence[int]) -> list[TextRow]:
        return await self._database.read(lambda connection: _text_rows(connection, chunks, shown=self._shown))

    async def check(self, *, contents: bool = False) -> list[CheckResult]:
        """The files of the index, and whether exactly the chunks are in it; with ``contents`` also whether all that is held of
        each is what the store says, by hashes, where the index can give it back.
        """
        async with self._turn:
            found = await self.index.check()
            if found:
                return found
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
            compared = await self._differing(sorted(stored & present)) if contents else None
        if present != stored:
            detail = f"the words index lacks {len(stored - present)} chunks and has {len(present - stored)} too many"
            return [CheckResult("words", "error", detail, REPAIR, repairable=True)]
        if compared:
            detail = f"the words index holds {len(compared)} chunks otherwise than the store"
            return [CheckResult("words", "error", detail, REPAIR, repairable=True)]
        whole = "" if compared is None else ", and holds each as the store does"
        return [CheckResult("words", "ok", f"the words index has all {len(stored)} chunks{whole}")]

    async def _differing(self, chunks: Sequence[int]) -> set[int] | None:
        """Those that the index holds otherwise; None where it cannot tell. What changed since its last update is no difference."""
        found: set[int] = set()
        for begin in range(0, len(chunks), CHECKED_AT_ONCE):
            part = await self.index.differing(await self._rows(chunks[begin : begin + CHECKED_AT_ONCE]))
            if part is None:
                return None
            found |= part
        changes = await self._database.read(lambda c: changes_after(c, "word_changes", self.index.sequence, -1))
        return found - {chunk for _, chunk in changes}

    async def close(self) -> None:
        """Let the writer go."""
        await self.index.close()


def _text_rows(connection: sqlite3.Connection, chunks: Sequence[int], *, shown: bool) -> list[TextRow]:
    rows = list(text_rows(connection, chunks, _terms))
    return with_shown(connection, rows) if shown else rows


def _text_changes(
    connection: sqlite3.Connection, number: int, *, shown: bool
) -> tuple[list[tuple[int, int]], list[TextRow]]:
    """The next changes, and the rows of those of their chunks that still exist."""
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


def _stored(connection: sqlite3.Connection, number: int) -> tuple[set[int], bool]:
    """All chunks, and whether changes stand after this number."""
    stored = {row[0] for row in connection.execute("SELECT id FROM chunks")}
    return stored, bool(changes_after(connection, "word_changes", number, 1))


class VectorIndexSync:
    """Owns the vector index and brings it up to date. ``_following`` is held by whoever changes the index or needs it
    to stay as it is.
    """

    def __init__(self, database: Database, indexes: Indexes, on_damage: Callable[[], None]) -> None:
        self._database = database
        self._indexes = indexes
        self._on_damage = on_damage
        self._following = Lock()
        self._rebuilding = Lock()
        self._rows = RowReader(database)
        self.index: VectorIndex | None = None
        self.rebuilds = 0
        """How often the index was made anew."""

    @property
    def reached(self) -> int:
        """The number of the last change that it holds; 0 without an index."""
        return 0 if self.index is None else self.index.sequence

    async def open(self, *, ask: bool = True) -> None:
        """Take over what is kept; a server that does not answer, or is not to be asked now, is asked again later."""
        self.index = await self._database.read(self._fresh)
        if self.index is not None and ask:
            await self._open(self.index)

    async def ask(self) -> None:
        """Take over what is kept.

        Raises:
            StoreError: the server that keeps it fails.
        """
        self.index = await self._database.read(self._fresh)
        if self.index is not None:
            await self.index.open(await self._database.read(sequence))

    async def _open(self, index: VectorIndex) -> None:
        try:
            await index.open(await self._database.read(sequence))
        except IndexServerError as error:
            _LOG.warning("vectors are not searched yet: %s", error)

    def _fresh(self, connection: sqlite3.Connection) -> VectorIndex | None:
        generation = generation_of(connection)
        if generation is None:
            return None
        identity = f"{self._database.store}/{current_model(connection)}"
        return self._indexes.vectors(identity, generation.model, generation.dimension, self._rows, self._on_damage)

    async def renew(self, record: Callable[[], Awaitable[None]]) -> None:
        """Record a generation, and start an empty index when its model is another one. Between the two nobody follows the
        store: vectors of the new model must not come into the index of the old one.
        """
        async with self._following:
            await record()
            fresh = await self._database.read(self._fresh)
            if fresh is not None and (self.index is None or self.index.identity != fresh.identity):
                await self._open(fresh)
                self.index = fresh

    async def catch_up(self, target: int) -> None:
        """Return when the index holds every change up to ``target``."""
        async with self._following:
            index = self.index
            if index is None:
                return
            if index.damaged:
                await index.open(await self._database.read(sequence))
            await self._advance(index, target)

    async def maintain(self) -> None:
        """Rebuild an index that needs it, or write a snapshot when enough has changed since the last.

        Raises:
            StoreError: the snapshot cannot be written.
        """
        if self.index is None:
            return
        if self.index.needs_rebuild:
            await self.rebuild()
        elif self.index.needs_snapshot:
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
            try:
                await fresh.begin()
                await self._advance(fresh, await self._database.read(sequence))
                async with self._following:
                    if self.index is not None and self.index.identity != fresh.identity:
                        return  # another model's by now, and as fresh as this one
                    await self._advance(fresh, await self._database.read(sequence))
                    with CancelScope(shield=True):
                        await fresh.finish()
                    self.index = fresh
                    self.rebuilds += 1
                    await fresh.save()
            finally:
                if self.index is not fresh:
                    with CancelScope(shield=True):
                        await fresh.abandon()

    async def purge(self) -> None:
        """Take the vectors of removed entries out of the snapshot and of the index. Searches go on, updates wait.

        Raises:
            StoreError: the snapshot cannot be written.
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
            known = index.sequence
            changes, vectors = await self._database.read(lambda connection, k=known: self._changes(connection, k))
            if not changes:
                return
            chunks = list(dict.fromkeys(chunk for _, chunk in changes))
            rows = [chunk for chunk in chunks if chunk in vectors]
            data = np.frombuffer(b"".join(vectors[chunk] for chunk in rows), dtype="<f4")
            await index.update(chunks, rows, data.reshape(len(rows), index.dimension), changes[-1][0])

    def _changes(self, connection: sqlite3.Connection, number: int) -> tuple[list[tuple[int, int]], dict[int, bytes]]:
        return _vector_changes(connection, number, filters=self._indexes.holds_filters)

    async def save(self) -> None:
        """Write the snapshot if something changed since the last one. Searches go on, updates wait."""
        async with self._following:
            if self.index is not None:
                await self.index.save()

    async def leave(self) -> None:
        """Make durable what the index has in memory alone, for the next owner. Searches go on, updates wait."""
        async with self._following:
            if self.index is not None:
                await self.index.leave()

    async def close(self) -> None:
        """Let every file go."""
        if self.index is not None:
            await self.index.close()

    async def check(self, *, contents: bool = False) -> list[CheckResult]:
        """The snapshot, whether exactly the chunks with a vector are in the index, and whether they are near; with ``contents``
        also whether filters see of each what the store says, by hashes, where the index filters by itself.
        """
        async with self._following:
            index = self.index
            if index is None:
                return [CheckResult("vector_index", "ok", "there is no vector index: nothing was embedded yet")]
            found = await index.check()
            if found:
                return found
            rows: list[int] = []
            behind = True
            while behind:  # the embedder may go on meanwhile: what it adds is no damage
                await self._advance(index, await self._database.read(sequence))
                rows, behind = await self._database.read(
                    lambda c: (
                        _rows_with_vectors(c, index.dimension),
                        bool(changes_after(c, "vector_changes", index.sequence, 1)),
                    )
                )
            missing, strange = 0, set[int]()
            for begin in range(0, len(rows), CHECKED_AT_ONCE):
                part = rows[begin : begin + CHECKED_AT_ONCE]
                data = await self._database.read(lambda c, part=part: _vectors_of(c, part))
                for row, vector in zip(part, await index.get(part), strict=True):
                    missing += vector is None
                    if vector is not None and row in data and not _near(data[row], vector):
                        strange.add(row)
                if contents:
                    strange |= await index.differing(await self._rows.filtered(part)) or set()
            if strange:
                strange -= await self._database.read(lambda c: _changed_since(c, index.sequence))
            extra = await index.count() - (len(rows) - missing)
        if missing or strange or extra:
            detail = f"the vector index lacks {missing} chunks, has {extra} too many and {len(strange)} that are not the store's"
            return [CheckResult("vector_index", "error", detail, REPAIR, repairable=True)]
        return [CheckResult("vector_index", "ok", f"the vector index has all {len(rows)} vectors")]


def _changed_since(connection: sqlite3.Connection, number: int) -> set[int]:
    """The chunks whose vectors, or what filters look at, changed after this number."""
    logs = ("vector_changes", "word_changes")
    return {chunk for log in logs for _, chunk in changes_after(connection, log, number, -1)}


def _near(data: bytes, vector: Vector) -> bool:
    truth = np.frombuffer(data, dtype="<f4")
    norms = float(np.linalg.norm(truth) * np.linalg.norm(vector))
    return bool(norms) and float(truth @ vector) / norms >= LOOSE


def _rows_with_vectors(connection: sqlite3.Connection, dimension: int) -> list[int]:
    """The chunks with a vector of the present model; a vector of another length is damaged, and not followed."""
    statement = (
        "SELECT c.id FROM chunks c CROSS JOIN vectors v ON v.text = c.text"
        " WHERE v.model = ? AND length(v.vector) = ? ORDER BY c.id"
    )
    return [row for (row,) in connection.execute(statement, (current_model(connection), dimension * 4))]


def _vectors_of(connection: sqlite3.Connection, rows: Sequence[int]) -> dict[int, bytes]:
    """The vectors of chunks, by row; without those that have none any more."""
    statement = (
        "SELECT c.id, v.vector FROM chunks c CROSS JOIN vectors v ON v.text = c.text WHERE c.id IN ({}) AND v.model = ?"
    )
    return dict(rows_for(connection, statement, rows, current_model(connection)))


def _vector_changes(
    connection: sqlite3.Connection, number: int, *, filters: bool
) -> tuple[list[tuple[int, int]], dict[int, bytes]]:
    """The next changes, and the vectors of those of their chunks that have one."""
    changes = changes_after(connection, "vector_changes", number, VECTORS_READ)
    if filters:
        # Of two logs in one order, the first of both are the first of all.
        changes = sorted([*changes, *changes_after(connection, "word_changes", number, VECTORS_READ)])[:VECTORS_READ]
    # CROSS JOIN keeps the order: the planner would rather visit every vector of the model.
    statement = (
        "SELECT c.id, v.vector, v.crc FROM chunks c CROSS JOIN vectors v ON v.text = c.text WHERE c.id IN ({}) AND v.model = ?"
        " AND length(v.vector) = ?"
    )
    generation = generation_of(connection)
    # A damaged one is doctor's, and must not stop the rest.
    size = 0 if generation is None else generation.dimension * 4
    rows = rows_for(connection, statement, (chunk for _, chunk in changes), current_model(connection), size)
    return changes, {chunk: vector for chunk, vector, checksum in rows if checksum_matches(vector, checksum)}
