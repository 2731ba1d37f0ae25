"""The `VectorIndex` in a file beside the store: all codes are compared, and the best candidates again with SQLite's
vectors.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import anyio.to_thread
import numpy as np
from anyio import CancelScope, CapacityLimiter
from numpy.typing import NDArray

from ...schemas.errors import StoreError
from ..file_errors import file_errors, raise_if_exhausted
from ..records import REPAIR, CheckResult
from ..search_types import CompiledFilter, Vector, checked_question
from .errors import DamagedIndexError
from .ports import VectorIndex, VectorRows
from .rows import FilterRow
from .vector_codes import VectorCodes, read_head

T = TypeVar("T")
FILE = "vectors.codes"
FRESH = "vectors.fresh"
COMPARED = 128
"""The least number of best texts by code that are compared by their vectors; `MARGIN` times the requested rows if more.
"""
MARGIN = 4
"""At most half of the compared texts are returned: the other half covers errors in the order by code."""
FEW = 4_000
"""The most rows that a filter may leave for their texts to be looked up one by one, about 10 ms; beyond, the search
widens.
"""
SAVED_AFTER = 10_000
"""Changes between two saves; after a kill they are written again, in a tenth of a second."""


class ExactVectors:
    """One index: a `VectorCodes` by text, searched in worker threads, and the rows of the store.

    Args:
        directory: the folder of the file.
        identity: the ids of the store and of the model.
        dimension: numbers in a vector.
        rows: the vectors, and the chunks of their texts.
        on_damage: called when the file is found damaged, so that a task calls `open`.
        read_only: write no file.
        name: of the file.
    """

    failure: StoreError | None = None
    """Always None: there is no server that could fail."""

    def __init__(
        self,
        directory: Path,
        identity: str,
        dimension: int,
        rows: VectorRows,
        on_damage: Callable[[], None] = lambda: None,
        *,
        read_only: bool,
        name: str = FILE,
    ) -> None:
        self.damaged = False
        self._on_damage = on_damage
        self._directory = directory
        self._rows = rows
        self._read_only = read_only
        self._searching = CapacityLimiter(os.cpu_count() or 1)
        self._codes = VectorCodes(directory / name, identity, dimension, read_only=read_only)
        self._unsaved = 0

    @property
    def identity(self) -> str:
        """The ids of the store and of the model."""
        return self._codes.identity

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""
        return self._codes.dimension

    @property
    def sequence(self) -> int:
        """The number of the last change that a search sees."""
        return self._codes.sequence

    # --- the file -------------------------------------------------------------------------------------------------

    async def open(self, newest: int) -> None:
        """Open the existing file."""
        self._unsaved = 0
        await self._in_thread(self._open, newest)
        self.damaged = False

    def _open(self, newest: int) -> None:
        # Files left by a crash or an older version may hold content forgotten since.
        if not self._read_only:
            remove_files(self._directory, but=FILE)
        self._codes.open(newest)

    async def fresh(self) -> ExactVectors:
        """Return an empty index in a second file."""
        fresh = ExactVectors(
            self._directory, self.identity, self.dimension, self._rows, read_only=self._read_only, name=FRESH
        )
        await self._in_thread(fresh._codes.remove)
        return fresh

    async def change_over(self, fresh: ExactVectors) -> None:
        """Replace the file of this index by that of ``fresh``."""
        await fresh.purge()
        if not self._read_only:
            await self._in_thread(fresh._codes.move, self._directory / FILE)
        self._codes, fresh._codes = fresh._codes, self._codes
        self._unsaved = 0

    async def maintain(self) -> None:
        """Save after many changes; learn axes if there are many rows."""
        codes = self._codes
        if await self._in_thread(codes.needs_axes):
            learned = await self._in_thread(codes.learn)
            with CancelScope(shield=True):  # between the two, changes would go into a file that is never opened again
                if not self._read_only:
                    await self._in_thread(learned.move, codes.path)
                self._codes = learned
                await self._in_thread(codes.close)
            self._unsaved = 0
        elif self._unsaved >= SAVED_AFTER:
            await self.save()

    async def save(self) -> None:
        """Make every change durable."""
        if self._unsaved:
            await self._in_thread(self._codes.save)
            self._unsaved = 0

    async def purge(self) -> bool:
        """Overwrite the codes of texts that have no vector in the store."""
        kept = await self._rows.texts_with_vectors()
        await self._in_thread(lambda: self._codes.clear(np.setdiff1d(self._codes.texts(), kept)))
        await self._in_thread(self._codes.save)
        self._unsaved = 0
        return True

    async def close(self) -> None:
        """Close the file, and remove a second one."""
        await self._in_thread(self._codes.remove if self._codes.path.name == FRESH else self._codes.close)

    # --- changes --------------------------------------------------------------------------------------------------

    async def update(
        self,
        gone: Sequence[int],
        rows: Sequence[int],
        texts: Sequence[int],
        vectors: NDArray[np.float32],
        sequence: int,
    ) -> None:
        """Write the codes of the texts. A text whose chunks are gone is no longer found; `purge` erases its code."""
        del rows
        distinct, places = np.unique(np.array(texts, dtype=np.int64), return_index=True)
        await self._in_thread(self._codes.write, distinct, vectors[places])
        self._codes.sequence = sequence
        self._unsaved += len(gone)

    # --- searching ------------------------------------------------------------------------------------------------

    async def search(self, vector: Vector, where: CompiledFilter | None, limit: int) -> list[tuple[int, float]]:
        """Return the nearest passing rows. Searches the nearest texts first; if too few of them pass, compares all
        passing rows if they are few, otherwise four times as many texts, and so on.
        """
        codes = self._codes.pinned()
        query = checked_question(vector, self.dimension)
        if limit < 1:
            return []
        if where is not None and where.rows is not None:
            return await self._among(codes, query, await self._rows.matching(where, len(where.rows)), where, limit)
        text_count, matched_up_to = max(COMPARED, MARGIN * limit), 0
        while True:
            texts = await self._searched(partial(codes.nearest, query, text_count))
            whole = text_count >= len(codes)  # a damaged row may take a place, so the number of texts does not tell
            hits = await self._rows.nearest(query, texts, where, limit, len(texts) if whole else text_count // 2)
            if whole or len(hits) >= limit:
                return hits
            if where is not None and matched_up_to < max(FEW, text_count):
                matched_up_to = max(FEW, text_count)
                matching = await self._rows.matching(where, matched_up_to + 1)
                if len(matching) <= matched_up_to:
                    return await self._among(codes, query, matching, where, limit)
            text_count *= 4

    async def _among(
        self, codes: VectorCodes, query: Vector, rows: Sequence[int], where: CompiledFilter, limit: int
    ) -> list[tuple[int, float]]:
        """Return the nearest of these rows, all of which pass."""
        texts = np.array(list((await self._rows.texts(rows)).values()), dtype=np.int64)
        text_count = max(COMPARED, MARGIN * limit)
        best = await self._searched(partial(codes.among, query, texts, text_count))
        return await self._rows.nearest(query, best, where, limit, len(best))

    # --- checks ---------------------------------------------------------------------------------------------------

    async def rows(self) -> set[int]:
        """Return all rows whose text has a code and a vector: what a search may find."""
        chunks, texts = await self._rows.all_texts()
        stored = await self._rows.texts_with_vectors()
        return await self._in_thread(lambda: set(chunks[self._codes.held(texts) & np.isin(texts, stored)].tolist()))

    async def get(self, rows: Sequence[int]) -> list[Vector | None]:
        """Decode the codes of these rows."""
        texts_by_row = await self._rows.texts(rows)
        chunks, texts = np.array([*texts_by_row]), np.array([*texts_by_row.values()], np.int64)
        has_code = await self._in_thread(self._codes.held, texts)
        vectors = await self._in_thread(self._codes.get, texts[has_code])
        vectors_by_row = dict(zip(chunks[has_code].tolist(), vectors, strict=True))
        return [vectors_by_row.get(row) for row in rows]

    async def differing(self, rows: Sequence[FilterRow]) -> None:
        """Return None: the store evaluates filters."""

    async def check(self) -> list[CheckResult]:
        """Check the head of the file, and that every code's text has a vector in the store, unless a purge is due."""
        try:
            texts = await self._in_thread(self._codes.texts)
            whole = await self._in_thread(self._whole)
        except DamagedIndexError:
            texts, whole = np.empty(0, np.int64), False
        if not whole:
            detail = "the file of the vector index is damaged"
            return [CheckResult("vector_index", "error", detail, REPAIR, repairable=True)]
        more = np.setdiff1d(texts, await self._rows.texts_with_vectors())
        if len(more) and not await self._rows.purge_due():
            detail = f"the vector index holds {len(more)} texts of which the store has no vector"
            return [CheckResult("vector_index", "error", detail, REPAIR, repairable=True)]
        return []

    def _whole(self) -> bool:
        try:
            return not self._codes.path.exists() or read_head(self._codes.path) is not None
        except OSError as error:
            raise_if_exhausted(error)
            return False

    async def _searched(self, work: Callable[[], T]) -> T:
        return await self._in_thread(work, limiter=self._searching)

    async def _in_thread(self, work: Callable[..., T], *arguments: object, limiter: CapacityLimiter | None = None) -> T:
        try:
            return await anyio.to_thread.run_sync(work, *arguments, limiter=limiter)
        except DamagedIndexError:
            self.damaged = True
            self._on_damage()
            raise


def remove_files(directory: Path, but: str = "") -> None:
    """Remove the vector files in a directory except `but`, including those of the graph index of older versions, and
    folders in their places.
    """
    with file_errors():
        for path in [*directory.glob("vectors.*"), *directory.glob("vectors-recent.*")]:
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            elif path.name != but:
                path.unlink(missing_ok=True)


if TYPE_CHECKING:
    _vector_index: type[VectorIndex] = ExactVectors
