"""Objects of a server: written in batches, each taken as a whole or sent again, removed, counted and compared."""

from __future__ import annotations

import logging
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

import anyio
from weaviate.classes.data import DataObject
from weaviate.classes.query import Filter, Sort
from weaviate.collections.classes.filters import _Filters as Condition  # pyright: ignore[reportPrivateUsage]
from weaviate.exceptions import WeaviateInsertManyAllFailedError

from ..errors import IndexServerError
from . import schema
from .rows import content_hash, row_of
from .server import Collection, Place, Properties, WeaviateServer
from .server_messages import own_words

_LOG = logging.getLogger(__name__)
BATCH = 200
"""Objects in a batch; a message's words and those around it take a few kilobytes."""
ATTEMPTS = 3
LONGEST_WAIT = 10.0
"""Seconds between two attempts, at most."""
PAGE = 1_000
"""Objects read at a time."""
UNKNOWN = "for a reason of its own"
REMOVED_AT_ONCE = 2_000
"""Rows in the filter of one removal; a server removes 10,000 objects at a time, and no row is held twice."""


@dataclass(frozen=True, slots=True)
class Item:
    """One object."""

    id: UUID
    properties: Properties
    vector: Sequence[float] | None = field(default=None, repr=False)


async def put(server: WeaviateServer, place: Place, items: Sequence[Item]) -> None:
    """Add or replace objects; each is there when this returns.

    Raises:
        IndexServerError: some are not, after several attempts; the others may be.
    """
    for begin in range(0, len(items), BATCH):
        part = items[begin : begin + BATCH]
        for attempt in range(1, ATTEMPTS + 1):
            failure = await _send(server, place, part)
            if not failure:
                break
            if attempt == ATTEMPTS:
                raise IndexServerError(
                    f"the Weaviate server at {server.address} did not take a batch of {len(part)} objects: {failure}",
                    hint="they are sent again by themselves; its log tells more",
                )
            _LOG.info("Weaviate did not take a batch of %s; again", place.collection)
            await anyio.sleep(min(LONGEST_WAIT, 2.0**attempt * random.uniform(0.25, 0.5)))  # noqa: S311 - a pause


async def _send(server: WeaviateServer, place: Place, items: Sequence[Item]) -> str:
    """Send one batch; return why the server did not take it, empty if it took every object.

    One error is an error of the whole batch: a read-only server refuses all objects and reports the first alone.
    """
    objects = [DataObject(properties=each.properties, uuid=each.id, vector=each.vector) for each in items]

    async def work(collection: Collection) -> str:
        try:
            done = await collection.data.insert_many(objects)
        except WeaviateInsertManyAllFailedError as error:
            return own_words(str(error)) or UNKNOWN
        return next((own_words(each.message) or UNKNOWN for each in done.errors.values()), "")

    return await server.change(place, work)


async def remove_rows(server: WeaviateServer, place: Place, rows: Sequence[int]) -> None:
    """Remove the objects of these rows; missing ones are no error.

    Raises:
        IndexServerError: some are still there.
    """
    for begin in range(0, len(rows), REMOVED_AT_ONCE):
        condition = Filter.by_property("row").contains_any(list(rows[begin : begin + REMOVED_AT_ONCE]))
        removal = await server.change(place, lambda collection, each=condition: collection.data.delete_many(each))
        if removal.failed:
            raise IndexServerError(
                f"the Weaviate server at {server.address} did not remove {removal.failed} objects",
                hint="they are removed again by themselves; its log tells more",
            )


async def count_objects(server: WeaviateServer, place: Place) -> int:
    """Return the number of objects that a tenant holds."""
    total = await server.query(place, lambda collection: collection.aggregate.over_all(total_count=True))
    return total.total_count or 0


async def rows_in(server: WeaviateServer, place: Place, wanted: Condition | None = None) -> set[int]:
    """Return the rows of all objects, or of those that meet a condition, a page at a time.

    A server takes no filter beside a cursor, and offsets up to a bound: so pages of a condition go on by row.

    Raises:
        IndexServerError: they cannot be read, or the pages do not go on.
    """
    rows: set[int] = set()
    last: tuple[UUID, int] | None = None
    while True:

        async def work(collection: Collection, last: tuple[UUID, int] | None = last) -> list[tuple[UUID, int]]:
            query = collection.query
            if wanted is None:
                page = await query.fetch_objects(limit=PAGE, after=last and last[0], return_properties=["row"])
            else:
                beyond = wanted & Filter.by_property("row").greater_than(last[1] if last else -1)
                page = await query.fetch_objects(
                    limit=PAGE, filters=beyond, sort=Sort.by_property("row"), return_properties=["row"]
                )
            return [(each.uuid, row_of(each.properties)) for each in page.objects]

        page = await server.query(place, work)
        if not page:
            return rows
        count = len(rows)
        rows.update(row for _, row in page)
        if len(rows) == count:  # it would never end
            raise IndexServerError(
                f"the Weaviate server at {server.address} gives the same objects again and again",
                hint="try again; `memd doctor` tells more",
            )
        last = page[-1]


async def differing_items(server: WeaviateServer, place: Place, items: Sequence[Item]) -> set[int]:
    """Return the rows of the objects that the server lacks or holds with other properties, by their hashes.

    Raises:
        IndexServerError: they cannot be read.
    """
    names = [column.name for column in schema.columns_of(place.collection)]
    rows: set[int] = set()
    for begin in range(0, len(items), BATCH):
        part = items[begin : begin + BATCH]
        condition = Filter.by_id().contains_any([each.id for each in part])
        answer = await server.query(
            place,
            lambda collection, each=condition: collection.query.fetch_objects(
                filters=each, limit=BATCH, return_properties=names
            ),
        )
        held = {each.uuid: content_hash(each.properties) for each in answer.objects}
        rows |= {row_of(each.properties) for each in part if held.get(each.id) != content_hash(each.properties)}
    return rows
