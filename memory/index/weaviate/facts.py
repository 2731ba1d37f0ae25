"""The `FactIndex` of a memory in Weaviate: every version of every fact as an object that other tools read."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING
from uuid import NAMESPACE_OID, UUID, uuid5

from ....schemas.errors import StoreError
from ...records import CheckResult
from ...store.fact_log import FactVersion
from ..ports import FactIndex
from . import schema
from .batches import Item, differing_items, put, remove_rows, rows_in, rows_where
from .server import Properties, WeaviateServer
from .tenants import Epochs

INDEX = "facts"
"""The name of its head."""
FORMAT = 1
FOREVER = 2**62
AT_ONCE = 100
"""Facts whose versions are read at a time."""


class WeaviateFacts:
    """One index. It must be opened by `open` or `begin`; a failure makes that necessary again.

    Args:
        server: where it is.
        store: the store's id.
        on_damage: called when a call fails, so that somebody calls `open`.
        read_only: nothing is made.
    """

    def __init__(
        self,
        server: WeaviateServer,
        store: str,
        on_damage: Callable[[], None] = lambda: None,
        *,
        read_only: bool = False,
    ) -> None:
        self._server = server
        self._on_damage = on_damage
        self._epochs = Epochs(server, INDEX, schema.FACTS, f"{store}/{FORMAT}", read_only=read_only)

    @property
    def sequence(self) -> int:
        """The number of the last change that it contains."""
        return self._epochs.sequence

    @property
    def damaged(self) -> bool:
        """Whether the server failed, or was not asked yet."""
        return self._epochs.failure is not None

    async def open(self, newest: int) -> None:
        """Look at what the server holds."""
        await self._epochs.open(newest)

    async def begin(self) -> None:
        """Be empty, in the tenant of the next epoch."""
        await self._epochs.open(FOREVER)
        self._epochs = await self._epochs.beside()

    async def abandon(self) -> None:
        """Remove the tenant of the next epoch."""
        await self._epochs.leave()

    async def finish(self) -> None:
        """Let the head name this tenant; the old one goes with its files."""
        await self._epochs.take_over()

    async def update(self, facts: Sequence[bytes], versions: Sequence[FactVersion], sequence: int) -> None:
        """Put all versions of these facts, then remove what is left of others."""

        async def work() -> None:
            place = self._epochs.place
            await put(self._server, place, _items(versions))
            kept = {each.row for each in versions}
            for begin in range(0, len(facts), AT_ONCE):
                held = await self._rows_of([str(UUID(bytes=fact)) for fact in facts[begin : begin + AT_ONCE]])
                await remove_rows(self._server, place, sorted(held - kept))
            await self._epochs.written(sequence)

        await self._asked(work)

    async def _rows_of(self, facts: Sequence[str]) -> set[int]:
        return await rows_where(self._server, self._epochs.place, "fact", facts)

    async def _asked(self, work: Callable[[], Awaitable[None]]) -> None:
        self._epochs.require()
        try:
            await work()
        except StoreError as error:
            if await self._epochs.judge(error):
                self._on_damage()
            raise

    async def versions(self) -> set[int]:
        """The rows of all versions, a page at a time."""
        self._epochs.require()
        return await rows_in(self._server, self._epochs.place)

    async def differing(self, versions: Sequence[FactVersion]) -> set[int]:
        """By a hash of all properties."""
        self._epochs.require()
        return await differing_items(self._server, self._epochs.place, _items(versions))

    async def check(self) -> list[CheckResult]:
        """The collection, and its head."""
        return await self._epochs.check("facts_index")


def _items(versions: Sequence[FactVersion]) -> list[Item]:
    return [Item(_id(each.row), properties_of(each)) for each in versions]


def _id(row: int) -> UUID:
    return uuid5(NAMESPACE_OID, f"memd/fact/{row}")


def properties_of(version: FactVersion) -> Properties:
    """What other tools read of a version."""
    stored, fact = version.stored, version.stored.fact
    found: Properties = {
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
    return found | {name: value for name, value in times.items() if value is not None}


if TYPE_CHECKING:
    _fact_index: type[FactIndex] = WeaviateFacts
