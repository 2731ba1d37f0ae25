"""The `VectorIndex` of one model in Weaviate: a search compares all vectors that pass its filter, by codes and then exactly.

An object holds the vector and what filters look at, so it follows the changes of both. Nothing is saved or merged here: what
the server answered to, it keeps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from weaviate.classes.query import Filter, MetadataQuery
from weaviate.exceptions import WeaviateQueryError

from ...concurrency import together
from ...search_types import CompiledFilter, Vector, checked_question
from ..ports import VectorIndex, VectorRows
from ..rows import FilterRow
from . import schema
from .batches import Item, count_objects, put
from .filters import NothingPasses, all_of, conditions_of
from .rows import distinct, filter_properties, object_id, row_of
from .server import Collection, WeaviateServer
from .tenant_index import GIVEN, MOST, TenantIndex
from .tenants import Epochs, remove_index

FORMAT = 1
NO_VECTOR = "quantizer not initialized"
"""The words of a server that is asked for the nearest in a tenant that never had a vector."""


class WeaviateVectors(TenantIndex):
    """One index. It must be opened by `open`; a failure makes that necessary again.

    Args:
        server: the server that holds it.
        identity: begins with the store's id and a slash.
        model: the name of the model of the vectors.
        rows: reads the filter columns from the store.
        on_damage: called when a call fails, so that a task calls `open`.
        read_only: create nothing on the server.
    """

    def __init__(
        self,
        server: WeaviateServer,
        identity: str,
        model: str,
        dimension: int,
        rows: VectorRows,
        on_damage: Callable[[], None] = lambda: None,
        *,
        read_only: bool = False,
    ) -> None:
        self.identity = identity
        self.dimension = dimension
        self._filters = rows
        self._collection = schema.vectors_of(model)
        made = f"{identity.partition('/')[0]}/{FORMAT}/{dimension}/{model}"
        self._read_only = read_only
        epochs = Epochs(server, self._collection, self._collection, made, read_only=read_only)
        super().__init__(epochs, "vector_index", on_damage)

    async def open(self, newest: int) -> None:
        """Read the state from the server; an index that begins anew replaces those of other models and of older definitions."""
        await super().open(newest)
        if not self.sequence and not self._read_only:
            await self._remove_others()

    async def change_over(self, fresh: TenantIndex) -> None:
        """Take over the tenant of ``fresh``; the old one goes with its files, and so do vectors of other models."""
        await super().change_over(fresh)
        await self._remove_others()

    async def _remove_others(self) -> None:
        names = await self._server.read(lambda client: client.collections.list_all(simple=True))
        for name in names:
            if name.startswith(schema.VECTORS) and name != self._collection:
                await remove_index(self._server, name, name, self.identity.partition("/")[0])

    async def update(
        self,
        gone: Sequence[int],
        rows: Sequence[int],
        texts: Sequence[int],
        vectors: NDArray[np.float32],
        sequence: int,
    ) -> None:
        """Remove, add or replace objects, then write the number of the change into the head."""
        del texts
        place = {row: number for number, row in enumerate(rows)}
        fields = await self._filters.filtered(list(place))
        items = [
            Item(object_id(each.chunk), filter_properties(each), vectors[place[each.chunk]].tolist()) for each in fields
        ]
        kept = {each.chunk for each in fields}

        async def work() -> None:
            await self._remove(row for row in gone if row not in kept)
            await self._put(items)
            # A server flushes the log of a batch before it writes its vectors, and those of the batch before with it.
            await put(self._server, self._epochs.place, items[-1:])

        await self._update(work, sequence)

    async def search(self, vector: Vector, where: CompiledFilter | None, limit: int) -> list[tuple[int, float]]:
        """Return the nearest rows that pass."""
        query_vector = checked_question(vector, self.dimension)
        try:
            condition = all_of(conditions_of(where))
        except NothingPasses:
            return []
        if limit < 1:
            return []

        async def work(collection: Collection) -> list[tuple[int, float]]:
            try:
                reply = await collection.query.near_vector(
                    query_vector.tolist(),
                    filters=condition,
                    limit=min(limit, MOST),
                    return_properties=["row"],
                    return_metadata=MetadataQuery(distance=True),
                )
            except WeaviateQueryError as error:
                if NO_VECTOR in error.message and not await count_objects(self._server, self._epochs.place):
                    return []
                raise
            return [(row_of(each.properties), 1.0 - (each.metadata.distance or 0.0)) for each in reply.objects]

        return await self._ask(lambda: self._server.query(self._epochs.place, work))

    async def get(self, rows: Sequence[int]) -> list[Vector | None]:
        """Return the vectors of these rows."""
        wanted = distinct(rows)

        async def part(begin: int) -> dict[int, Vector]:
            ids = [object_id(row) for row in wanted[begin : begin + GIVEN]]
            reply = await self._server.query(
                self._epochs.place,
                lambda collection: collection.query.fetch_objects(
                    filters=Filter.by_id().contains_any(ids),
                    limit=len(ids),
                    include_vector=True,
                    return_properties=["row"],
                ),
            )
            return {
                row_of(each.properties): np.asarray(each.vector["default"], dtype=np.float32)
                for each in reply.objects
                if "default" in each.vector
            }

        parts = [partial(part, begin) for begin in range(0, len(wanted), GIVEN)]
        vectors = {row: held for each in await self._ask(lambda: together(*parts)) for row, held in each.items()}
        return [vectors.get(row) for row in rows]

    async def differing(self, rows: Sequence[FilterRow]) -> set[int]:
        """Compare hashes of the filter columns."""
        return await self._differing([Item(object_id(row.chunk), filter_properties(row)) for row in rows])

    async def save(self) -> None:
        """Do nothing: the server keeps what it answered to."""

    async def maintain(self) -> None:
        """Do nothing, as `save`."""


if TYPE_CHECKING:
    _vector_index: type[VectorIndex] = WeaviateVectors
