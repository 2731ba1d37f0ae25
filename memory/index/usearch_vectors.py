"""The `VectorIndex` of one model, by usearch, on its snapshot and on what came since. Searched in worker threads, one at a time."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import anyio.to_thread
import numpy as np
from anyio import CapacityLimiter, Lock
from numpy.typing import NDArray

from ...schemas.errors import StoreError
from ..records import CheckResult
from ..search_types import Comparison, Vector
from ..store.filters import CompiledFilter
from .comparing import comparable
from .nearest import nearest
from .ports import RowFilter, VectorIndex
from .text_documents import FilterRow
from .usearch_index import RECENT, SNAPSHOT, UsearchIndex
from .vector_snapshot import whole

_LOG = logging.getLogger(__name__)
SLICE = 32
"""Vectors added at a time: a search waits for at most one slice, about 10 ms."""
MANY = 512
"""So many vectors at once are a rebuild, which takes all cores; fewer take one, beside the embedder."""
SNAPSHOT_AFTER = 10_000
"""Changes between two snapshots; so many are added again after a kill, at about 5,000 a second."""
REPAIR = "memd doctor --repair makes it anew"


class UsearchVectors:
    """One index. ``_turn`` is held by a search, and for as long as one slice of changes takes; it is fair.

    Args:
        directory: where the snapshot is.
        rows: tells which rows pass a filter; usearch has no filtered search.
        read_only: no snapshot is written.
    """

    def __init__(self, directory: Path, identity: str, dimension: int, rows: RowFilter, *, read_only: bool) -> None:
        self._directory = directory
        self._rows = rows
        self._read_only = read_only
        self._turn = Lock()
        self._writing, self._searching = CapacityLimiter(1), CapacityLimiter(1)
        self.unsaved = 0
        """Changes that no file holds."""
        self.index = UsearchIndex(identity, dimension)

    damaged = False
    failure: StoreError | None = None
    """There is no server that could fail."""

    async def open(self, newest: int) -> None:
        """Take the snapshot over."""
        await anyio.to_thread.run_sync(self.load, newest)

    async def begin(self) -> None:
        """Nothing to do: it is empty, and the first snapshot replaces the one that is kept."""

    async def abandon(self) -> None:
        """Nothing to do: it is in memory alone."""

    def load(self, newest: int) -> None:
        """Take the snapshot over, unless it knows a later change than ``newest``: then it is of another past."""
        if self.index.load(self._directory) and self.index.sequence > newest:
            self.index = UsearchIndex(self.index.identity, self.index.dimension)

    @property
    def identity(self) -> str:
        """The store's id and the model's."""
        return self.index.identity

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""
        return self.index.dimension

    @property
    def sequence(self) -> int:
        """The number of the last change that a search sees."""
        return self.index.sequence

    @property
    def needs_rebuild(self) -> bool:
        """Whether a fifth of the graph is removed nodes."""
        return self.index.needs_rebuild

    @property
    def needs_snapshot(self) -> bool:
        """Whether a tenth came or went since the snapshot, and not little."""
        return self.index.unmerged >= max(SNAPSHOT_AFTER, len(self.index) // 10)

    async def rows(self) -> set[int]:
        """All rows that have a vector here."""
        async with self._turn:
            return await anyio.to_thread.run_sync(self.index.rows, limiter=self._searching)

    async def update(
        self, gone: Sequence[int], rows: Sequence[int], vectors: NDArray[np.float32], sequence: int
    ) -> None:
        """Remove, then add, slice by slice."""
        threads = 0 if len(rows) >= MANY else 1
        place = {row: number for number, row in enumerate(rows)}
        for begin in range(0, len(gone), SLICE):
            part = gone[begin : begin + SLICE]
            added = [row for row in part if row in place]
            data = vectors[[place[row] for row in added]]
            async with self._turn:
                await anyio.to_thread.run_sync(self.index.update, part, added, data, threads, limiter=self._writing)
        self.index.sequence = sequence
        self.unsaved += len(gone)

    async def search(self, vector: Vector, where: CompiledFilter | None, limit: int) -> list[tuple[int, float]]:
        """The nearest rows that pass."""
        asked = comparable(vector, self.dimension)
        return await nearest(self, self._rows, asked, where, limit)

    def __len__(self) -> int:
        return len(self.index)

    async def nearest_of_all(self, vector: Vector, limit: int, *, exact: bool = False) -> list[tuple[int, float]]:
        """The nearest rows, whatever passes."""
        async with self._turn:
            return await anyio.to_thread.run_sync(self._search, vector, limit, exact, limiter=self._searching)

    def _search(self, vector: Vector, limit: int, exact: bool) -> list[tuple[int, float]]:
        return self.index.search(vector, limit, exact=exact)

    async def best_of(self, vector: Vector, rows: Sequence[int]) -> list[tuple[int, float]]:
        """The exact cosines of those of these rows that have a vector, best first."""
        async with self._turn:
            return await anyio.to_thread.run_sync(self.index.scores, vector, rows, limiter=self._searching)

    async def cosines(self, vector: Vector, rows: Sequence[int]) -> NDArray[np.float32]:
        """The exact cosine of each row."""
        asked = comparable(vector, self.dimension)
        async with self._turn:
            return await anyio.to_thread.run_sync(self.index.cosines, asked, rows, limiter=self._searching)

    async def compare(self, vector: Vector, rows: Sequence[int]) -> Comparison:
        """The exact cosine of each row with the vector, and with the mean of the rows."""
        asked = comparable(vector, self.dimension)
        async with self._turn:
            return await anyio.to_thread.run_sync(self.index.compare, asked, rows, limiter=self._searching)

    async def get(self, rows: Sequence[int]) -> list[Vector | None]:
        """What is held of these rows, rounded to 16 bits."""
        async with self._turn:
            return await anyio.to_thread.run_sync(self.index.get, rows, limiter=self._searching)

    async def differing(self, rows: Sequence[FilterRow]) -> None:
        """The store filters."""
        del rows

    async def save(self) -> None:
        """Write the snapshot. Searches go on, updates must wait."""
        if self._read_only or not (self.unsaved or self.index.unmerged):
            return
        await anyio.to_thread.run_sync(self.index.save, self._directory, limiter=self._writing)
        self.unsaved = 0

    async def leave(self) -> None:
        """Make what is in memory durable, for the next owner. Searches go on, updates must wait."""
        if self._read_only or not self.unsaved:
            return
        # The next owner may be a lone question, which must not find so much to do.
        write = self.index.save if self.needs_snapshot else self.index.leave
        await anyio.to_thread.run_sync(write, self._directory, limiter=self._writing)
        self.unsaved = 0

    async def purge(self) -> bool:
        """Take the vectors of removed rows out of the snapshot and of the index. Searches go on, updates must wait."""
        save = partial(self.index.save, self._directory, purged=True)
        try:
            await anyio.to_thread.run_sync(save, limiter=self._writing)
        except ValueError as error:
            _LOG.info("nothing can be purged from the vector index: %s", error)
            return False
        self.unsaved = 0
        return True

    async def finish(self) -> None:
        """What was removed while it was made may have been forgotten and purged since."""
        self.unsaved = 1
        if self.index.removed:
            await self.purge()

    async def check(self) -> list[CheckResult]:
        """The checksums of its files."""
        if not await anyio.to_thread.run_sync(self._whole):
            detail = "the snapshot of the vector index is damaged"
            return [CheckResult("vector_index", "error", detail, REPAIR, repairable=True)]
        return []

    async def close(self) -> None:
        """Let the snapshot go, behind the search that is under way."""
        async with self._turn:
            self.index.close()

    def _whole(self) -> bool:
        return all(whole(path) for name in (SNAPSHOT, RECENT) if (path := self._directory / name).exists())


if TYPE_CHECKING:
    _vector_index: type[VectorIndex] = UsearchVectors
