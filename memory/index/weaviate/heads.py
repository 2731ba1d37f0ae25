"""The head of an index: the number of the last change that the index contains, and its current tenant.

A tenant is a memory and its epoch. A rebuilt index is written to the tenant of the next epoch; writing the head
switches to it, and only then the old tenant is removed with all its files.
"""

from __future__ import annotations

from dataclasses import dataclass
from uuid import NAMESPACE_OID, UUID, uuid5

from ..errors import IndexServerError
from . import schema
from .batches import Item, put
from .server import Place, Properties, WeaviateServer


@dataclass(frozen=True, slots=True)
class Head:
    """The head of one index."""

    identity: str
    """The store, and what its rows were made with."""
    epoch: int
    sequence: int

    @property
    def store(self) -> str:
        """The id of the store."""
        return self.identity.partition("/")[0]


def tenant_of(memory: str, epoch: int) -> str:
    """Return the name of the tenant of an epoch of a memory."""
    return f"{memory}-{epoch}"


def _id(memory: str, index: str) -> UUID:
    return uuid5(NAMESPACE_OID, f"memd/{memory}/{index}")


async def read_head(server: WeaviateServer, index: str) -> Head | None:
    """Return the head of an index of the memory; None if there is none.

    Raises:
        IndexServerError: it cannot be read.
    """
    memory = server.settings.memory

    reply = await server.query(
        Place(schema.HEADS, memory), lambda collection: collection.query.fetch_object_by_id(_id(memory, index))
    )
    if reply is None:  # pyright: ignore[reportUnnecessaryComparison]
        return None
    properties = reply.properties
    epoch, sequence = properties.get("epoch"), properties.get("sequence")
    if not isinstance(epoch, int | float) or not isinstance(sequence, int | float):
        raise IndexServerError(
            f"the head of the memory {memory!r} in the Weaviate server at {server.address} is not memd's",
            hint="give this one a name of its own: `tenant` in [weaviate]",
        )
    return Head(str(properties.get("identity")), int(epoch), int(sequence))  # numbers come back as floats


async def write_head(server: WeaviateServer, index: str, head: Head) -> None:
    """Write the head of an index.

    Raises:
        IndexServerError: it cannot be written.
    """
    memory = server.settings.memory
    properties: Properties = {
        "index": index,
        "identity": head.identity,
        "epoch": head.epoch,
        "sequence": head.sequence,
    }
    await put(server, Place(schema.HEADS, memory), [Item(_id(memory, index), properties)])


async def remove_head(server: WeaviateServer, index: str) -> None:
    """Remove the head of an index.

    Raises:
        IndexServerError: it cannot be removed.
    """
    memory = server.settings.memory
    await server.change(Place(schema.HEADS, memory), lambda heads: heads.data.delete_by_id(_id(memory, index)))
