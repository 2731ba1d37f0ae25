"""The common part of the indexes of a memory in a server: calls, failures, updates that survive a server crash, and
epochs.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from copy import copy
from dataclasses import replace
from typing import Self, TypeVar

from anyio import CancelScope

from ....schemas.errors import StoreError
from ...records import CheckResult
from .batches import Item, differing_items, put, remove_rows, rows_in
from .rows import distinct
from .tenants import Epochs

T = TypeVar("T")
GIVEN = 1_000
"""Objects that are asked for by their ids at a time."""
MOST = 10_000
"""Objects that a server gives at a time."""


class TenantIndex:
    """One index in the present tenant of its epochs. It must be opened before anything else, and again after a failure.

    Args:
        epochs: its tenants.
        part: the name of the index in findings of a check.
        on_damage: called when a call fails and all others would, so that a task opens the index again.
    """

    def __init__(self, epochs: Epochs, part: str, on_damage: Callable[[], None]) -> None:
        self._server = epochs.server
        self._epochs: Epochs = epochs
        self._part = part
        self._on_damage = on_damage
        self._half_written = False
        """True if the server may have crashed during the last update."""

    @property
    def sequence(self) -> int:
        """The number of the last change that a search sees."""
        return self._epochs.sequence

    @property
    def damaged(self) -> bool:
        """True if the server failed or has not been called yet."""
        return self._epochs.failure is not None

    @property
    def failure(self) -> StoreError | None:
        """The server's error, or that it does not answer."""
        return self._epochs.failure

    async def _ask(self, call: Callable[[], Awaitable[T]]) -> T:
        """Return the result of a call. After a failure of all calls the server is not asked until the index is opened again.

        Raises:
            StoreError: what the server said.
        """
        self._epochs.require()
        try:
            return await call()
        except StoreError as error:
            if await self._epochs.judge(error):
                self._on_damage()
            raise

    async def open(self, newest: int) -> None:
        """Read the state of the index from the server."""
        await self._epochs.open(newest)
        self._half_written = self.sequence > 0  # a tenant without a change is empty

    async def fresh(self) -> Self:
        """Return an empty index in the tenant of the next epoch."""
        beside = copy(self)
        beside._epochs = await self._epochs.beside()  # noqa: SLF001 - of the same class
        beside._half_written = False  # noqa: SLF001 - an empty tenant holds nothing that was cut off
        return beside

    async def change_over(self, fresh: TenantIndex) -> None:
        """Let the head name the tenant of ``fresh``; the old one goes with its files."""
        await fresh._epochs.take_over()
        self._epochs, self._half_written = fresh._epochs, False

    async def purge(self) -> bool:
        """Return False: only another tenant holds nothing of what was removed."""
        return False

    async def close(self) -> None:
        """Remove a tenant that was not taken over."""
        with CancelScope(shield=True):
            await self._epochs.leave()

    async def _update(self, work: Callable[[], Awaitable[None]], sequence: int) -> None:
        """Change the objects by ``work``, then write the number of the change into the head."""

        async def written() -> None:
            await work()
            await self._epochs.written(sequence)

        try:
            await self._ask(written)
        except BaseException:
            self._half_written = True
            raise
        self._half_written = False

    async def _put(self, items: Sequence[Item]) -> None:
        """Add or replace objects.

        A server that was killed within a batch keeps objects without their entries in its inverted and vector indexes: no search
        finds them. It skips an object that equals the one it has, so each is put with another vector before: that is indexed anew.
        """
        if self._half_written:
            others = [[-number for number in item.vector or [1.0]] for item in items]
            marked = [replace(item, vector=other) for item, other in zip(items, others, strict=True)]
            await put(self._server, self._epochs.place, marked)
        await put(self._server, self._epochs.place, items)

    async def _remove(self, rows: Iterable[int]) -> None:
        await remove_rows(self._server, self._epochs.place, distinct(rows))

    async def rows(self) -> set[int]:
        """Return all rows, read page by page."""
        return await self._ask(lambda: rows_in(self._server, self._epochs.place))

    async def _differing(self, items: Sequence[Item]) -> set[int]:
        return await self._ask(lambda: differing_items(self._server, self._epochs.place, items))

    async def check(self) -> list[CheckResult]:
        """Check the collection and the head."""
        return await self._epochs.check(self._part)
