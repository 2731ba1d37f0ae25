"""What a search index must offer: `TextIndex` for words, `VectorIndex` for vectors. Neither needs transactions.

An index is derived from the store: it may lag behind, it never lies. It holds the number of the last change of the
store that it contains, and takes changes in the store's order; an update that fails or is cancelled may be repeated.
Rows are chunks, named by their row id in the store, which is never used again. Scores compare within one answer only.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ...schemas import Arm
from ...schemas.errors import StoreError
from ..records import CheckResult
from ..search_types import Vector
from ..store.fact_log import FactVersion
from ..store.filters import CompiledFilter
from .text_documents import FilterRow, TextRow

RowsOf = Callable[[Sequence[int]], Awaitable[Sequence[TextRow]]]
"""From row ids to what the text index holds of those that still exist."""
NO_SCORES: Mapping[Arm, Mapping[int, float]] = MappingProxyType({})


class TextIndex(Protocol):
    """BM25 over the terms of a chunk and of its neighbourhood. Methods raise ``StoreError``."""

    @property
    def sequence(self) -> int:
        """The number of the store's last change that a search sees."""
        ...

    @property
    def damaged(self) -> bool:
        """Whether a call failed so that `reopen` must come before the next update."""
        ...

    @property
    def failure(self) -> StoreError | None:
        """Why it is not asked at present: its server does not answer. Always None where there is no server."""
        ...

    async def update(self, gone: Collection[int], rows: Sequence[TextRow], sequence: int) -> None:
        """Replace what is held of the chunks ``gone`` by ``rows``; a search sees all of it when this returns."""
        ...

    async def search(
        self,
        fields: Sequence[Arm],
        terms: Sequence[str],
        where: CompiledFilter | None,
        limit: int,
        among: Sequence[int] | None = None,
    ) -> dict[Arm, list[tuple[int, float]]]:
        """By field the best rows that hold any of the terms, with their scores, best first.

        ``among`` restricts the answer to these rows and scores each of them exactly.
        """
        ...

    async def scores(
        self,
        fields: Sequence[Arm],
        terms: Sequence[str],
        where: CompiledFilter | None,
        rows: Sequence[int],
        known: Mapping[Arm, Mapping[int, float]] = NO_SCORES,
    ) -> dict[Arm, dict[int, float]]:
        """By field the exact score of each of these rows that holds any of the terms and passes; ``known`` ones are kept."""
        ...

    async def holding(self, groups: Sequence[Sequence[str]], where: CompiledFilter | None, limit: int) -> Sequence[int]:
        """Rows that pass and whose own text has a term of each group; of more than ``limit`` those of the best scores."""
        ...

    async def rows(self) -> set[int]:
        """All rows that a search may find."""
        ...

    async def differing(self, rows: Sequence[TextRow]) -> set[int] | None:
        """Those of these rows that are held otherwise, by a hash of all that is held; None where that cannot be read back."""
        ...

    async def fresh(self) -> TextIndex:
        """An empty index beside this one, to be filled and handed to `change_over`, or closed."""
        ...

    async def change_over(self, fresh: TextIndex) -> None:
        """Hold what ``fresh`` holds. Must not be cancelled."""
        ...

    async def purge(self, rows_of: RowsOf) -> bool:
        """Leave nothing of removed rows in any file; False where only a rebuild does that. Must not be cancelled."""
        ...

    async def reopen(self) -> None:
        """Start over with what is on disk, with an empty index if that cannot be used."""
        ...

    async def check(self) -> list[CheckResult]:
        """What is wrong with the files; nothing where all is well."""
        ...

    async def close(self) -> None:
        """Let every file go."""
        ...


class RebuiltIndex(Protocol):
    """An index that is made anew beside the one in use. Methods raise ``StoreError``."""

    @property
    def sequence(self) -> int:
        """The number of the store's last change that a search sees."""
        ...

    @property
    def damaged(self) -> bool:
        """Whether a call failed so that `open` must come before the next update."""
        ...

    async def open(self, newest: int) -> None:
        """Take over what was kept, unless it knows a later change than ``newest``: then it is of another past."""
        ...

    async def begin(self) -> None:
        """Instead of `open`: be empty, beside what is kept, which `finish` replaces, and `abandon` keeps."""
        ...

    async def finish(self) -> None:
        """An index that was begun is complete: take the place of what is kept, with nothing of rows that were removed
        while it was made. Must not be cancelled.
        """
        ...

    async def abandon(self) -> None:
        """Of an index that was begun and will not be finished: leave nothing of it."""
        ...

    async def check(self) -> list[CheckResult]:
        """What is wrong with the files; nothing where all is well."""
        ...


class VectorIndex(RebuiltIndex, Protocol):
    """Cosines over the vectors of one model. Methods raise ``StoreError``."""

    @property
    def identity(self) -> str:
        """The store and the model that the vectors are of."""
        ...

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""
        ...

    @property
    def failure(self) -> StoreError | None:
        """Why it is not asked at present: its server does not answer. Always None where there is no server."""
        ...

    async def maintain(self) -> None:
        """What is to be done now and then, such as saving what a kill would make the index take again. Updates wait."""
        ...

    async def rows(self) -> set[int]:
        """All rows that have a vector here."""
        ...

    async def update(
        self,
        gone: Sequence[int],
        rows: Sequence[int],
        texts: Sequence[int],
        vectors: NDArray[np.float32],
        sequence: int,
    ) -> None:
        """Remove the rows ``gone``, and add ``rows``, which are among them, with the row ids of their texts and their vectors,
        which are those of the texts: shape (rows, dimension). Searches get in between.
        """
        ...

    async def search(self, vector: Vector, where: CompiledFilter | None, limit: int) -> list[tuple[int, float]]:
        """The nearest rows that pass, with their cosines, best first."""
        ...

    async def get(self, rows: Sequence[int]) -> list[Vector | None]:
        """What is held of these rows, perhaps rounded; None where there is nothing."""
        ...

    async def differing(self, rows: Sequence[FilterRow]) -> set[int] | None:
        """Those of these rows of which filters would look at something else, by a hash; None where the store filters."""
        ...

    async def save(self) -> None:
        """Make what is in memory durable, if anything changed since the last call."""
        ...

    async def purge(self) -> bool:
        """Leave nothing of removed rows anywhere; False where only a rebuild does that."""
        ...

    async def close(self) -> None:
        """Let every file go; nothing may be asked any more."""
        ...


class FactIndex(RebuiltIndex, Protocol):
    """All versions of all facts, for other tools to read. Methods raise ``StoreError``."""

    async def update(self, facts: Sequence[bytes], versions: Sequence[FactVersion], sequence: int) -> None:
        """Replace what is held of these facts by ``versions``; readers never miss one that stays."""
        ...

    async def versions(self) -> set[int]:
        """The rows of all versions."""
        ...

    async def differing(self, versions: Sequence[FactVersion]) -> set[int]:
        """The rows of those of these versions that are held otherwise, by a hash of all that is held."""
        ...


class StoreRows(Protocol):
    """What any index may ask of the store."""

    async def filtered(self, rows: Sequence[int]) -> Sequence[FilterRow]:
        """What filters look at of those of these rows that exist."""
        ...


class VectorRows(StoreRows, Protocol):
    """The vectors of one model in the store, and the chunks of their texts, for an index that holds neither."""

    async def matching(self, where: CompiledFilter, limit: int) -> list[int]:
        """Return at most so many rows that pass, in any order."""
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
        """Whether vectors were removed that the files of an index may still hold, until it is purged."""
        ...

    async def nearest(
        self, vector: Vector, texts: NDArray[np.int64], where: CompiledFilter | None, limit: int, most: int
    ) -> list[tuple[int, float]]:
        """Return the ``limit`` nearest rows that pass the filter, among the rows of the ``most`` nearest of these texts: row ids and
        exact cosines, best first, equal ones by row id.
        """
        ...


class Indexes(Protocol):
    """Makes the indexes of one store."""

    name: str
    """As the settings call it."""
    holds_filters: bool
    """Whether the vector index holds what filters look at, and so follows the changes of words, too."""
    holds_texts: bool
    """Whether the words index holds what others read."""

    def text(self, identity: str, newest: Callable[[], int], on_damage: Callable[[], None]) -> TextIndex:
        """The words index.

        Args:
            identity: the store's id, a slash and the version of the terms: an index of another is made anew.
            newest: the number of the store's last change: an index that knows a later one belongs to another past of it.
            on_damage: called when an index is found to need `reopen`, so that somebody calls it.
        """
        ...

    def vectors(
        self, identity: str, model: str, dimension: int, rows: VectorRows, on_damage: Callable[[], None]
    ) -> VectorIndex:
        """The vector index of a model, neither opened nor begun; ``identity`` is of a store and a model."""
        ...

    def facts(self, store: str, on_damage: Callable[[], None]) -> FactIndex | None:
        """The index of the facts of a store, neither opened nor begun; None where nobody else reads."""
        ...

    async def remove(self, store: str) -> None:
        """Remove everything that is held of a store. None of the indexes may be open.

        Raises:
            StoreError: something is left.
        """
        ...

    async def close(self) -> None:
        """Let go what the indexes share."""
        ...
