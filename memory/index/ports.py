"""The interfaces of a search index: `TextIndex` for words, `VectorIndex` for vectors, each with the life of an `Index`.
None needs transactions.

An index is derived from the store: it may lag, but never lie. It holds the number of the last change of the store that
it contains, and takes changes in the store's order; an update that fails or is cancelled may be repeated. Rows are
chunks, identified by their row id in the store, which is never reused. Scores are comparable within one answer only.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from ...schemas import Arm
from ...schemas.errors import StoreError
from ..records import CheckResult, FactVersion
from ..search_types import CompiledFilter, Vector
from .rows import FilterRow, TextRow

RowsOf = Callable[[Sequence[int]], Awaitable[Sequence[TextRow]]]
"""Returns the word index's rows for row ids that still exist."""
NO_SCORES: Mapping[Arm, Mapping[int, float]] = MappingProxyType({})


class Index(Protocol):
    """The life of one index in an engine. Methods raise ``StoreError``."""

    @property
    def sequence(self) -> int:
        """The number of the store's last change that a search sees."""
        ...

    @property
    def damaged(self) -> bool:
        """True if a call failed so that `open` must come before the next update."""
        ...

    @property
    def failure(self) -> StoreError | None:
        """The error while the index server does not answer; always None without a server."""
        ...

    async def open(self, newest: int) -> None:
        """Open the existing index, or start an empty one if it cannot be used or has a later change than ``newest``:
        then the store was replaced by an older copy. May be called again.
        """
        ...

    async def fresh(self) -> Self:
        """Return an empty index beside this one, to be filled and passed to `change_over`, and closed in any case."""
        ...

    async def change_over(self, fresh: Self) -> None:
        """Take over the content of ``fresh``, without any row removed meanwhile. Must not be cancelled."""
        ...

    async def purge(self) -> bool:
        """Erase removed rows from all files; return False if only a rebuild can do so."""
        ...

    async def rows(self) -> set[int]:
        """Return all rows that a search may find."""
        ...

    async def check(self) -> list[CheckResult]:
        """Return the problems of the files; an empty list if there are none."""
        ...

    async def close(self) -> None:
        """Close every file; remove an index that `change_over` did not take over."""
        ...


class TextIndex(Index, Protocol):
    """BM25 over the terms of a chunk and of its neighbourhood."""

    async def update(self, gone: Collection[int], rows: Sequence[TextRow], sequence: int) -> None:
        """Replace the content of the chunks ``gone`` by ``rows``; a search sees all of it on return."""
        ...

    async def search(
        self,
        fields: Sequence[Arm],
        terms: Sequence[str],
        where: CompiledFilter | None,
        limit: int,
    ) -> dict[Arm, list[tuple[int, float]]]:
        """Return by field the best rows that contain any of the terms, with their scores, best first."""
        ...

    async def scores(
        self,
        fields: Sequence[Arm],
        terms: Sequence[str],
        where: CompiledFilter | None,
        rows: Sequence[int],
        earlier: Mapping[Arm, Mapping[int, float]] = NO_SCORES,
    ) -> dict[Arm, dict[int, float]]:
        """Return by field the exact score of each of these rows that contains any of the terms and passes; ``earlier``
        scores are kept.
        """
        ...

    async def holding(self, groups: Sequence[Sequence[str]], where: CompiledFilter | None, limit: int) -> Sequence[int]:
        """Return passing rows whose own text has a term of each group; if there are more than ``limit``, those with the
        best scores.
        """
        ...

    async def differing(self, rows: Sequence[TextRow]) -> set[int] | None:
        """Return the subset of these rows whose content differs, by a hash; None if the content cannot be read back."""
        ...


class VectorIndex(Index, Protocol):
    """Cosine search over the vectors of one model."""

    @property
    def identity(self) -> str:
        """The ids of the store and the model of the vectors."""
        ...

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""
        ...

    async def update(
        self,
        gone: Sequence[int],
        rows: Sequence[int],
        texts: Sequence[int],
        vectors: NDArray[np.float32],
        sequence: int,
    ) -> None:
        """Remove the rows ``gone``, then add ``rows`` (a subset of them) with the row ids of their texts and their
        vectors, shape (rows, dimension). Searches may run in between.
        """
        ...

    async def search(self, vector: Vector, where: CompiledFilter | None, limit: int) -> list[tuple[int, float]]:
        """Return the nearest rows that pass, with their cosines, best first."""
        ...

    async def get(self, rows: Sequence[int]) -> list[Vector | None]:
        """Return the stored vectors of these rows, perhaps rounded; None for a row without one."""
        ...

    async def differing(self, rows: Sequence[FilterRow]) -> set[int] | None:
        """Return the subset of these rows whose filter columns differ, by a hash; None if the store evaluates filters."""
        ...

    async def save(self) -> None:
        """Make changes in memory durable, if there are any since the last call."""
        ...

    async def maintain(self) -> None:
        """Run periodic maintenance, such as saving changes that a crash would lose. Updates wait."""
        ...


class FactIndex(Index, Protocol):
    """All versions of all facts, for other tools to read; its rows are versions."""

    async def update(self, facts: Sequence[bytes], versions: Sequence[FactVersion], sequence: int) -> None:
        """Replace the content of these facts by ``versions``; readers never miss a version that stays."""
        ...

    async def differing(self, versions: Sequence[FactVersion]) -> set[int]:
        """Return the row ids of the subset of these versions whose content differs, by a hash."""
        ...


class VectorRows(Protocol):
    """The vectors of one model in the store, and the chunks of their texts, for an index that stores neither."""

    async def filtered(self, rows: Sequence[int]) -> Sequence[FilterRow]:
        """Return the filter columns of the given rows; missing rows are omitted."""
        ...

    async def matching(self, where: CompiledFilter, limit: int) -> list[int]:
        """Return at most `limit` rows that pass, in any order."""
        ...

    async def texts(self, rows: Sequence[int]) -> dict[int, int]:
        """Return the text of each of these rows, as row ids; missing rows are omitted."""
        ...

    async def all_texts(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return all rows and the row ids of their texts, two arrays of one length."""
        ...

    async def texts_with_vectors(self) -> NDArray[np.int64]:
        """Return the row ids of all texts with a vector, ascending."""
        ...

    async def purge_due(self) -> bool:
        """Return whether vectors were removed that the files of an index may still hold until it is purged."""
        ...

    async def nearest(
        self, vector: Vector, texts: NDArray[np.int64], where: CompiledFilter | None, limit: int, most: int
    ) -> list[tuple[int, float]]:
        """Return the ``limit`` nearest rows that pass the filter, among the rows of the ``most`` nearest of these
        texts: row ids and exact cosines, best first, ties by row id.
        """
        ...


class Indexes(Protocol):
    """Creates the indexes of one store."""

    name: str
    """The name of the engine in the settings."""
    holds_filters: bool
    """True if the vector index stores the filter columns, and so follows the word log too."""
    holds_texts: bool
    """True if the word index stores texts for other tools to read."""

    def text(self, identity: str, rows_of: RowsOf, on_damage: Callable[[], None]) -> TextIndex:
        """Return the word index, not opened yet.

        Args:
            identity: the store's id, a slash and the version of the terms; an index of another identity is rebuilt.
            rows_of: reads rows of the store, for files that are rewritten.
            on_damage: called when an index is found to need `open`, so that a task calls it.
        """
        ...

    def vectors(
        self, identity: str, model: str, dimension: int, rows: VectorRows, on_damage: Callable[[], None]
    ) -> VectorIndex:
        """Return the vector index of a model, not opened yet; ``identity`` names the store and the model."""
        ...

    def facts(self, store: str, on_damage: Callable[[], None]) -> FactIndex | None:
        """Return the index of a store's facts, not opened yet; None if the engine has no index of facts."""
        ...

    async def remove(self, store: str) -> None:
        """Remove all content of a store. None of the indexes may be open.

        Raises:
            StoreError: some content is left.
        """
        ...

    async def close(self) -> None:
        """Close the resources that the indexes share."""
        ...
