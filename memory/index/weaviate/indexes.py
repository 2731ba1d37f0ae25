"""The indexes of a store in a Weaviate server."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..ports import Indexes, RowsOf, VectorRows
from . import facts, schema, text
from .facts import WeaviateFacts
from .server import Place, WeaviateServer
from .settings import Connection
from .tenants import remove_index
from .text import WeaviateText
from .vectors import WeaviateVectors


class WeaviateIndexes:
    """The `Indexes` of one memory on a server; they share a connection."""

    name = "weaviate"
    holds_filters = True
    holds_texts = True

    def __init__(self, settings: Connection, *, read_only: bool = False) -> None:
        self.server = WeaviateServer(settings)
        self._read_only = read_only

    def text(self, identity: str, rows_of: RowsOf, on_damage: Callable[[], None]) -> WeaviateText:
        """Return the word index in the collection of messages."""
        del rows_of  # nothing is rewritten in place
        return WeaviateText(self.server, identity, on_damage, read_only=self._read_only)

    def vectors(
        self, identity: str, model: str, dimension: int, rows: VectorRows, on_damage: Callable[[], None]
    ) -> WeaviateVectors:
        """Return the vector index in the collection of the model."""
        return WeaviateVectors(self.server, identity, model, dimension, rows, on_damage, read_only=self._read_only)

    def facts(self, store: str, on_damage: Callable[[], None]) -> WeaviateFacts:
        """Return the index of facts in the collection of facts."""
        return WeaviateFacts(self.server, store, on_damage, read_only=self._read_only)

    async def remove(self, store: str) -> None:
        """Remove the tenants and the heads of the memory."""
        names = await self.server.read(lambda client: client.collections.list_all(simple=True))
        if schema.HEADS not in names or not await schema.has_tenant(
            self.server, Place(schema.HEADS, self.server.settings.memory)
        ):
            return
        for name in names:
            if name.startswith(schema.VECTORS):
                await remove_index(self.server, name, name, store)
        await remove_index(self.server, text.INDEX, schema.MESSAGES, store)
        await remove_index(self.server, facts.INDEX, schema.FACTS, store)

    async def close(self) -> None:
        """Close the connection."""
        await self.server.close()


if TYPE_CHECKING:
    _indexes: type[Indexes] = WeaviateIndexes
