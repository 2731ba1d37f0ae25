"""The epochs of an index: which tenant holds it, how one beside it is begun, taken over and removed.

All indexes of a memory are kept so. What was removed from a tenant stays in its files until the server merges them, which
nothing promises; so a purge is an index made anew in the next epoch, and the old tenant goes with all of its files.
"""

from __future__ import annotations

import logging
from dataclasses import replace

from anyio import fail_after

from ....schemas.errors import StoreError
from ...records import REPAIR, CheckResult
from ..errors import IndexServerError, UnreachableServerError
from . import schema
from .batches import count_objects
from .heads import Head, read_head, remove_head, tenant_of, write_head
from .probe import check_filtered_search
from .server import Place, WeaviateServer

_LOG = logging.getLogger(__name__)
CONFIRM_SECONDS = 2.0
"""The seconds for reading the head, which shows whether a failed query was itself the cause."""


class Epochs:
    """One index of a memory: its present tenant, and the number of the last change in it.

    Args:
        server: the server that holds it.
        index: the name of its head.
        collection: the name of its collection.
        identity: the store's id, a slash, and what the rows were made with; an index of anything else is made anew.
        read_only: nothing is made.
    """

    def __init__(
        self,
        server: WeaviateServer,
        index: str,
        collection: str,
        identity: str,
        *,
        read_only: bool,
    ) -> None:
        self.server = server
        self._index = index
        self._collection = collection
        self._identity = identity
        self._read_only = read_only
        self._epoch = 0
        self._beside = False
        self.sequence = 0
        self.failure: StoreError | None = UnreachableServerError(
            f"the Weaviate server at {server.address} was not reached yet", hint="try again in a moment"
        )
        """The reason why no query is allowed until `open` has returned."""

    @property
    def place(self) -> Place:
        """The present tenant."""
        return self._tenant(self._epoch)

    def _tenant(self, epoch: int) -> Place:
        return Place(self._collection, tenant_of(self.server.settings.memory, epoch))

    @property
    def head(self) -> Head:
        """The head that belongs to this state of the index."""
        return Head(self._identity, self._epoch, self.sequence)

    def require(self) -> None:
        """Refuse a call while the server does not answer, since every call would wait for it.

        Raises:
            StoreError: the failure.
        """
        if self.failure is not None:
            # Each time another one: an error that is raised again and again keeps what every question was about.
            raise type(self.failure)(self.failure.message, hint=self.failure.hint)

    async def judge(self, error: StoreError) -> bool:
        """Return whether every other call would fail like this one; then none is made until `open` returns. A question that is
        too slow, or that the server refuses, must not block the others, and a server that takes no more writes still answers.
        """
        if await self._is_whole():
            return False
        await self._fail(error)
        return True

    async def _is_whole(self) -> bool:
        try:
            with fail_after(CONFIRM_SECONDS):
                if not await schema.has_tenant(self.server, self.place):
                    return False
                head = await read_head(self.server, self._index)
        except (StoreError, TimeoutError):
            return False
        # The head may be ahead for a moment, while an update ends.
        expected = Head(self._identity, self._epoch, 0)
        return head is not None and replace(head, sequence=0) == expected and head.sequence >= self.sequence

    async def _fail(self, error: StoreError) -> None:
        self.failure = type(error)(error.message, hint=error.hint)
        self.server.checked.clear()
        await self.server.close()  # a channel that lost its server waits longer and longer before it tries again

    async def open(self, newest: int) -> None:
        """Read the state from the server, and create what is missing. An index with a later change than ``newest`` was filled
        from a store that was replaced by an older copy, and is begun anew.

        Raises:
            StoreError: it does not answer, is too old or faulty, or holds what is not this memory's.
        """
        try:
            await self._open(newest)
        except StoreError as error:
            await self._fail(error)
            raise
        self.failure = None

    async def _open(self, newest: int) -> None:
        server, memory = self.server, self.server.settings.memory
        await self._check()
        head = await read_head(server, self._index)
        if head is not None and head.store != self._identity.partition("/")[0]:
            raise IndexServerError(
                f"the memory {memory!r} of the Weaviate server at {server.address} is another one",
                hint="give this one a name of its own: `tenant` in [weaviate]",
            )
        usable_head = None if head is None or head.identity != self._identity or head.sequence > newest else head
        if usable_head is not None and await schema.has_tenant(server, self._tenant(usable_head.epoch)):
            self._epoch, self.sequence = usable_head.epoch, usable_head.sequence
            if not self._read_only and not self.sequence and await count_objects(server, self.place):
                # Of an owner that ended in its first batch, perhaps long ago: some may be of what was forgotten since.
                await schema.remove_tenants(server, [self.place])
                await schema.make_tenant(server, self.place)
            if not self._read_only:  # what an owner that was killed while it made the index anew left there
                beside = [self._tenant(self._epoch + n) for n in (-1, 1)]
                await schema.remove_tenants(server, [place for place in beside if place not in server.filling])
        else:
            await self._begin(self._epoch if head is None else head.epoch)

    async def _check(self) -> None:
        """Create the collections and the tenant of heads, and check the version and the filtered search of the server."""
        server = self.server
        if "version" not in server.checked:
            await schema.check_version(server)
            server.checked.add("version")
        if self._read_only:
            return
        # The probe searches messages, whatever this index holds.
        for name in dict.fromkeys((schema.HEADS, schema.MESSAGES, self._collection)):
            if name not in server.checked:
                await schema.ensure(server, name)
                server.checked.add(name)
        await schema.make_tenant(server, Place(schema.HEADS, server.settings.memory))
        if "searches" not in server.checked:
            await check_filtered_search(server)
            server.checked.add("searches")

    async def _begin(self, before: int) -> None:
        """Begin an empty index in the epoch after ``before``, whose tenant cannot be used and is removed."""
        if self._read_only:
            raise IndexServerError(
                f"the Weaviate server at {self.server.address} does not have this memory", hint="its owner brings it"
            )
        self._epoch, self.sequence = before + 1, 0
        while self.place in self.server.filling:
            self._epoch += 1
        await schema.remove_tenants(self.server, [self.place])
        await schema.make_tenant(self.server, self.place)
        await write_head(self.server, self._index, self.head)
        await schema.remove_tenants(self.server, [self._tenant(before)])

    async def written(self, sequence: int) -> None:
        """Record that the tenant holds every change up to this one.

        Raises:
            StoreError: the head cannot be written.
        """
        if not self._beside:
            await write_head(self.server, self._index, Head(self._identity, self._epoch, sequence))
        self.sequence = sequence

    async def beside(self) -> Epochs:
        """Return an empty index in the tenant of the next epoch, which no head names yet.

        Raises:
            StoreError: it cannot be made.
        """
        self.require()
        other = Epochs(self.server, self._index, self._collection, self._identity, read_only=self._read_only)
        other._epoch, other._beside, other.failure = self._epoch + 1, True, None
        self.server.filling.add(other.place)
        await schema.remove_tenants(self.server, [other.place])
        await schema.make_tenant(self.server, other.place)
        return other

    async def take_over(self) -> None:
        """Make this newly built tenant the one that the head names, and remove the former one.

        Raises:
            StoreError: the head cannot be written; the tenant stays beside.
        """
        await write_head(self.server, self._index, self.head)
        self._beside = False
        self.server.filling.discard(self.place)
        # The one in use may have been begun anew meanwhile, behind this one.
        await schema.remove_tenants(self.server, [self._tenant(self._epoch + n) for n in (-1, 1)])

    async def leave(self) -> None:
        """Remove a tenant that was made beside another one and never taken over."""
        if self._beside:
            self._beside = False
            self.server.filling.discard(self.place)
            try:
                await schema.remove_tenants(self.server, [self.place])
            except IndexServerError as error:
                _LOG.warning("a tenant that nobody uses stays until the next start: %s", error)

    async def check(self, part: str) -> list[CheckResult]:
        """Check that the collection has its columns, and that the head is that of this index."""
        if self.failure is not None:
            return [CheckResult(part, "error", self.failure.message, self.failure.hint)]
        try:
            missing = await schema.missing_columns(self.server, self._collection)
            head = await read_head(self.server, self._index)
        except StoreError as error:
            return [CheckResult(part, "error", error.message, error.hint)]
        if missing or head != self.head:
            detail = f"{self._collection} in the Weaviate server is not what memd filled"
            return [CheckResult(part, "error", detail, REPAIR, repairable=True)]
        return []


async def remove_index(server: WeaviateServer, index: str, collection: str, store: str) -> None:
    """Remove what a memory has in a collection that it does not use any more.

    Raises:
        StoreError: it cannot be removed.
    """
    head = await read_head(server, index)
    if head is not None and head.store == store:
        epochs = (head.epoch - 1, head.epoch, head.epoch + 1)
        places = [Place(collection, tenant_of(server.settings.memory, epoch)) for epoch in epochs]
        await schema.remove_tenants(server, places)
        await remove_head(server, index)
