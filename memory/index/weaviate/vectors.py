"""The `VectorIndex` of one model in Weaviate: HNSW over the vectors that memd made, with filters inside the search.

An object holds the vector and what filters look at, so it follows the changes of both. Nothing is saved or merged here: what
the server answered to, it keeps.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import weaviate
from numpy.typing import NDArray
from weaviate.classes.query import Filter, MetadataQuery

from ....schemas.errors import StoreError
from ...concurrency import together
from ...records import CheckResult
from ...search_types import Vector
from ...store.filters import CompiledFilter
from ...store.vectors import checked_question
from ..ports import StoreRows, VectorIndex
from ..text_documents import FilterRow
from . import schema
from .batches import Item, differing_items, put, remove_rows, rows_in
from .filters import NothingPasses, all_of, conditions_of
from .rows import distinct, filter_properties, object_id, row_of
from .server import WeaviateServer
from .tenants import Epochs, remove_index

T = TypeVar("T")
FORMAT = 1
MOST = 10_000
"""Objects that a server gives at a time."""
FOREVER = 2**62
GIVEN = 1_000
"""Objects that are asked for by their ids at a time."""


class WeaviateVectors:
    """One index. It must be opened by `open` or `begin`; a failure makes that necessary again.

    Args:
        server: where it is.
        identity: begins with the store's id and a slash.
        model: whose vectors they are.
        rows: tells what filters look at.
        on_damage: called when a call fails, so that somebody calls `open`.
        read_only: nothing is made.
    """

    def __init__(
        self,
        server: WeaviateServer,
        identity: str,
        model: str,
        dimension: int,
        rows: StoreRows,
        on_damage: Callable[[], None] = lambda: None,
        *,
        read_only: bool = False,
    ) -> None:
        self.identity = identity
        self.dimension = dimension
        self._rows = rows
        self._on_damage = on_damage
        self._server = server
        store = identity.partition("/")[0]
        collection = schema.vectors_of(model)
        made = f"{store}/{FORMAT}/{dimension}/{model}"
        self._epochs = Epochs(server, collection, collection, made, read_only=read_only)
        self._collection = collection
        self._read_only = read_only

    @property
    def sequence(self) -> int:
        """The number of the last change that a search sees."""
        return self._epochs.sequence

    async def open(self, newest: int) -> None:
        """Look at what the server holds; what begins anew is of another model than before, whose vectors go."""
        await self._epochs.open(newest)
        if not self.sequence and not self._read_only:
            await self._remove_other_models()

    async def begin(self) -> None:
        """Be empty, in the tenant of the next epoch."""
        await self._epochs.open(FOREVER)
        self._epochs = await self._epochs.beside()

    @property
    def damaged(self) -> bool:
        """Whether the server failed, or was not asked yet."""
        return self._epochs.failure is not None

    @property
    def failure(self) -> StoreError | None:
        """What the server said, or that it does not answer."""
        return self._epochs.failure

    async def abandon(self) -> None:
        """Remove the tenant of the next epoch."""
        await self._epochs.leave()

    async def _asked(self, calls: Sequence[Callable[[], Awaitable[T]]]) -> list[T]:
        self._epochs.require()
        try:
            return list(await together(*calls))
        except StoreError as error:
            if await self._epochs.judge(error):
                self._on_damage()
            raise

    async def rows(self) -> set[int]:
        """All rows, a page at a time."""
        (found,) = await self._asked([lambda: rows_in(self._server, self._epochs.place)])
        return found

    async def update(
        self,
        gone: Sequence[int],
        rows: Sequence[int],
        texts: Sequence[int],
        vectors: NDArray[np.float32],
        sequence: int,
    ) -> None:
        """Remove, add or replace, then say so in the head."""
        del texts
        place = {row: number for number, row in enumerate(rows)}
        fields = await self._rows.filtered(list(place))
        items = [
            Item(object_id(each.chunk), filter_properties(each), vectors[place[each.chunk]].tolist()) for each in fields
        ]
        kept = {each.chunk for each in fields}
        removed = [row for row in distinct(gone) if row not in kept]

        async def work() -> None:
            await remove_rows(self._server, self._epochs.place, removed)
            await put(self._server, self._epochs.place, items)
            await self._epochs.written(sequence)

        await self._asked([work])

    async def search(self, vector: Vector, where: CompiledFilter | None, limit: int) -> list[tuple[int, float]]:
        """The nearest rows that pass."""
        asked = checked_question(vector, self.dimension)
        try:
            condition = all_of(conditions_of(where))
        except NothingPasses:
            return []
        if limit < 1:
            return []
        place = self._epochs.place

        async def work(client: weaviate.WeaviateAsyncClient) -> list[tuple[int, float]]:
            found = await self._server.collection(client, place).query.near_vector(
                asked.tolist(),
                filters=condition,
                limit=min(limit, MOST),
                return_properties=["row"],
                return_metadata=MetadataQuery(distance=True),
            )
            return [(row_of(each.properties), 1.0 - (each.metadata.distance or 0.0)) for each in found.objects]

        (hits,) = await self._asked([lambda: self._server.read(work)])
        return hits

    async def get(self, rows: Sequence[int]) -> list[Vector | None]:
        """The vectors of these rows."""
        place = self._epochs.place
        wanted = distinct(rows)

        async def part(begin: int) -> dict[int, Vector]:
            ids = [object_id(row) for row in wanted[begin : begin + GIVEN]]

            async def work(client: weaviate.WeaviateAsyncClient) -> dict[int, Vector]:
                found = await self._server.collection(client, place).query.fetch_objects(
                    filters=Filter.by_id().contains_any(ids),
                    limit=len(ids),
                    include_vector=True,
                    return_properties=["row"],
                )
                return {
                    row_of(each.properties): np.asarray(each.vector["default"], dtype=np.float32)
                    for each in found.objects
                    if "default" in each.vector
                }

            return await self._server.read(work)

        found: dict[int, Vector] = {}
        for each in await self._asked([lambda b=begin: part(b) for begin in range(0, len(wanted), GIVEN)]):
            found |= each
        return [found.get(row) for row in rows]

    async def differing(self, rows: Sequence[FilterRow]) -> set[int]:
        """By a hash of what filters look at."""
        items = [Item(object_id(row.chunk), filter_properties(row)) for row in rows]
        (found,) = await self._asked([lambda: differing_items(self._server, self._epochs.place, items)])
        return found

    async def save(self) -> None:
        """Nothing to do: the server keeps what it answered to."""

    async def maintain(self) -> None:
        """Nothing to do, as for `save`."""

    async def purge(self) -> bool:
        """Only another tenant holds nothing of what was removed."""
        return False

    async def finish(self) -> None:
        """Let the head name this tenant; the old one goes with its files, and so do vectors of other models."""
        await self._epochs.take_over()
        await self._remove_other_models()

    async def _remove_other_models(self) -> None:
        names = await self._server.read(lambda client: client.collections.list_all(simple=True))
        for name in names:
            if name.startswith(schema.VECTORS) and name != self._collection:
                await remove_index(self._server, name, name, self.identity.partition("/")[0])

    async def close(self) -> None:
        """Nothing to do: there is no file."""

    async def check(self) -> list[CheckResult]:
        """The collection, and its head."""
        return await self._epochs.check("vector_index")


if TYPE_CHECKING:
    _vector_index: type[VectorIndex] = WeaviateVectors
