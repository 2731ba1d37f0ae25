"""The `FactIndex` of a memory in Weaviate: every version of every fact as an object that other tools read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING
from uuid import NAMESPACE_OID, UUID, uuid5

from weaviate.classes.query import Filter

from ...records import FactVersion
from ..ports import FactIndex
from . import schema
from .batches import Item, rows_in
from .server import Properties, WeaviateServer
from .tenant_index import TenantIndex
from .tenants import Epochs

INDEX = "facts"
"""The name of its head."""
FORMAT = 1
AT_ONCE = 100
"""Facts whose versions are read at a time."""


class WeaviateFacts(TenantIndex):
    """One index. It must be opened by `open`; a failure makes that necessary again.

    Args:
        server: the server that holds it.
        store: the store's id.
        on_damage: called when a call fails, so that a task calls `open`.
        read_only: create nothing on the server.
    """

    def __init__(
        self,
        server: WeaviateServer,
        store: str,
        on_damage: Callable[[], None] = lambda: None,
        *,
        read_only: bool = False,
    ) -> None:
        epochs = Epochs(server, INDEX, schema.FACTS, f"{store}/{FORMAT}", read_only=read_only)
        super().__init__(epochs, "facts_index", on_damage)

    async def update(self, facts: Sequence[bytes], versions: Sequence[FactVersion], sequence: int) -> None:
        """Put all versions of these facts, then remove their other versions."""

        async def work() -> None:
            await self._put(_items(versions))
            kept = {each.row for each in versions}
            for begin in range(0, len(facts), AT_ONCE):
                ids = [str(UUID(bytes=fact)) for fact in facts[begin : begin + AT_ONCE]]
                held = await rows_in(self._server, self._epochs.place, Filter.by_property("fact").contains_any(ids))
                await self._remove(sorted(held - kept))

        await self._update(work, sequence)

    async def differing(self, versions: Sequence[FactVersion]) -> set[int]:
        """Compare hashes of all properties."""
        return await self._differing(_items(versions))


def _items(versions: Sequence[FactVersion]) -> list[Item]:
    return [Item(_id(each.row), properties_of(each)) for each in versions]


def _id(row: int) -> UUID:
    return uuid5(NAMESPACE_OID, f"memd/fact/{row}")


def properties_of(version: FactVersion) -> Properties:
    """Return the properties of a version for other tools to read."""
    stored, fact = version.stored, version.stored.fact
    properties: Properties = {
        "row": version.row,
        "fact": str(fact.id),
        "version": version.number,
        "present": stored.replaced_at is None,
        "subject": fact.subject,
        "attribute": fact.attribute,
        "value": fact.value,
        "content": fact.content,
        "speaker": fact.speaker,
        "status": fact.status,
        "negated": fact.negated,
        "confidence": fact.confidence,
        "observed_at": fact.observed_at,
        "recorded_at": fact.recorded_at,
        "evidence": [str(key) for key in stored.messages],
    }
    times = {"valid_from": fact.valid_from, "valid_to": fact.valid_to, "replaced_at": stored.replaced_at}
    return properties | {name: value for name, value in times.items() if value is not None}


if TYPE_CHECKING:
    _fact_index: type[FactIndex] = WeaviateFacts
