"""Tests whether a server answers filtered searches correctly: version 1.35.2 loses hits in its default configuration.

With its newer ranking (block-max WAND), an index whose objects were flushed to disk and then replaced corrupts the list
of objects that pass a filter. A client cannot see which ranking a server uses, so this is tested once for each
connection, in a tenant of its own, which is closed and reopened in between to make the server flush.
"""

from __future__ import annotations

from uuid import uuid4

import weaviate
from weaviate.classes.query import Filter
from weaviate.classes.tenants import Tenant, TenantActivityStatus

from ..errors import IndexServerError
from . import schema
from .batches import Item, put
from .rows import object_id, row_of
from .server import Place, Properties, WeaviateServer

OBJECTS = 200


async def check_filtered_search(server: WeaviateServer) -> None:
    """Refuse a server with the fault.

    Raises:
        IndexServerError: it has it, or does not answer.
    """
    place = Place(schema.MESSAGES, f"memd-probe-{uuid4().hex}")
    await schema.make_tenant(server, place)
    try:
        rows = range(1, OBJECTS + 1)
        await put(server, place, [Item(object_id(row), _properties(row, "lamp")) for row in rows])
        for status in (TenantActivityStatus.INACTIVE, TenantActivityStatus.ACTIVE):
            await server.write(
                lambda client, s=status: client.collections.use(place.collection).tenants.update(
                    Tenant(name=place.tenant, activity_status=s)
                )
            )
        await put(server, place, [Item(object_id(row), _properties(row, "lamp lamp")) for row in rows if row % 2])
        hits = await server.read(lambda client: _found(server, client, place))
    finally:
        await schema.remove_tenants(server, [place])
    if hits != set(rows[1:]):
        raise IndexServerError(
            f"the Weaviate server at {server.address} loses hits of filtered searches: {len(hits)} of {OBJECTS - 1}",
            hint="start it with USE_BLOCKMAX_WAND=false, or take a version without that fault",
        )


def _properties(row: int, words: str) -> Properties:
    return {"row": row, "kind": "text", "lexical": words}


async def _found(server: WeaviateServer, client: weaviate.WeaviateAsyncClient, place: Place) -> set[int]:
    """The rows of a search among all but the first."""
    among = Filter.by_property("row").contains_any(list(range(2, OBJECTS + 1)))
    answer = await server.collection(client, place).query.bm25(
        "lamp", query_properties=["lexical"], filters=among, limit=OBJECTS, return_properties=["row"]
    )
    return {row_of(each.properties) for each in answer.objects}
