"""`AsyncMemory`: the methods of `Memory` for a program with an event loop. Requests run in worker threads."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from os import PathLike
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar, Unpack

import anyio
import anyio.from_thread
import anyio.to_thread
from anyio import CancelScope, CapacityLimiter

from ...memory.ports import ProgressSender
from ...schemas import Document, Fact, ProgressUpdate, Query, QueryResult, StoreReport
from .memory import Memory, connect
from .requests import FactFilters, FactOptions, Filters, GraphOptions, QueryOptions, Scope, Selection

if TYPE_CHECKING:
    from ..service.answers.graph import GraphAnswer
    from ..service.answers.questions import AddedFact, MessagesAnswer, ModelAnswer
    from ..service.answers.status import StatsAnswer, StatusAnswer
    from ..service.answers.upkeep import ForgetReport

T = TypeVar("T")
_END: Any = object()


class AsyncMemory:
    """A memory, as `Memory`: the same methods, arguments, results and errors. For asyncio.

    A cancelled request ends at once for the program; the owner may still carry it out.
    """

    def __init__(self, memory: Memory) -> None:
        """See `open` and `connect`."""
        self._memory = memory

    @classmethod
    async def open(
        cls,
        path: str | PathLike[str] | None = None,
        *,
        config: str | PathLike[str] | None = None,
        settings: Mapping[str, object] | None = None,
    ) -> Self:
        """See `Memory.open`: ``async with await AsyncMemory.open(path) as memory``."""
        opening = partial(Memory.open, path, config=config, settings=settings)
        return cls(await anyio.to_thread.run_sync(opening))  # not abandoned: what is opened must be closed by somebody

    @classmethod
    async def connect(
        cls, socket: str | PathLike[str] | None = None, *, config: str | PathLike[str] | None = None
    ) -> Self:
        """See `connect`: ``async with await AsyncMemory.connect() as memory``."""
        return cls(await anyio.to_thread.run_sync(partial(connect, socket, config=config)))

    async def aclose(self) -> None:
        """See `Memory.close`."""
        with CancelScope(shield=True):
            await anyio.to_thread.run_sync(self._memory.close)

    async def __aenter__(self) -> Self:
        """Return the memory, which the end of the block closes."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        await self.aclose()

    async def store(
        self,
        documents: Iterable[Document],
        progress: ProgressSender | None = None,
        *,
        source: str = "api",
        wait: bool = True,
    ) -> StoreReport:
        """See `Memory.store`. ``progress`` is called in the event loop; a `ProgressChannel` is one to read from."""
        sender = None if progress is None else _InLoop(progress)
        lane = self._memory.twin()
        return await _cancellable(lane, partial(lane.store, documents, sender, source=source, wait=wait))

    async def add(self, messages: Sequence[Mapping[str, Any]], **scope: Unpack[Scope]) -> MessagesAnswer:
        """See `Memory.add`."""
        return await _in_thread(partial(self._memory.add, messages, **scope))

    async def add_batch(self, lists: Sequence[Sequence[Mapping[str, Any]]], **scope: Unpack[Scope]) -> MessagesAnswer:
        """See `Memory.add_batch`."""
        return await _in_thread(partial(self._memory.add_batch, lists, **scope))

    async def add_fact(self, subject: str, attribute: str, value: str, **options: Unpack[FactOptions]) -> AddedFact:
        """See `Memory.add_fact`."""
        return await _in_thread(partial(self._memory.add_fact, subject, attribute, value, **options))

    async def query(self, query: str | Query, **options: Unpack[QueryOptions]) -> QueryResult:
        """See `Memory.query`."""
        return await _in_thread(partial(self._memory.query, query, **options))

    async def ask(self, query: str | Query, **options: Unpack[QueryOptions]) -> ModelAnswer:
        """See `Memory.ask`."""
        lane = self._memory.twin()
        return await _cancellable(lane, partial(lane.ask, query, **options))

    def facts(self, *, limit: int | None = None, **filters: Unpack[FactFilters]) -> AsyncGenerator[Fact]:
        """See `Memory.facts`."""
        return _stream(self._memory.twin(), lambda lane: lane.facts(limit=limit, **filters))

    async def graph(
        self, name: str | None = None, other: str | None = None, **options: Unpack[GraphOptions]
    ) -> GraphAnswer:
        """See `Memory.graph`."""
        return await _in_thread(partial(self._memory.graph, name, other, **options))

    async def document(self, identifier: str) -> Document:
        """See `Memory.document`."""
        return await _in_thread(partial(self._memory.document, identifier))

    async def stats(self) -> StatsAnswer:
        """See `Memory.stats`."""
        return await _in_thread(self._memory.stats)

    async def status(self) -> StatusAnswer:
        """See `Memory.status`."""
        return await _in_thread(self._memory.status)

    def watch(self, run: str | None = None) -> AsyncGenerator[ProgressUpdate]:
        """See `Memory.watch`."""
        return _stream(self._memory.twin(), lambda lane: lane.watch(run))

    async def forget(self, *, dry_run: bool = False, **selection: Unpack[Selection]) -> ForgetReport:
        """See `Memory.forget`."""
        lane = self._memory.twin()
        return await _cancellable(lane, partial(lane.forget, dry_run=dry_run, **selection))

    def export(self, **filters: Unpack[Filters]) -> AsyncGenerator[Document]:
        """See `Memory.export`."""
        return _stream(self._memory.twin(), lambda lane: lane.export(**filters))


class _InLoop:
    """Sends progress in the event loop, from the thread of a request."""

    def __init__(self, progress: ProgressSender) -> None:
        self._progress = progress

    def send(self, update: ProgressUpdate) -> None:
        """Send it, and wait until it is sent."""
        anyio.from_thread.run_sync(self._progress.send, update)


async def _in_thread(call: Callable[[], T]) -> T:
    # Not the loop's own limit of threads: streams wait in theirs as long as they are read, and others must go on.
    return await anyio.to_thread.run_sync(call, abandon_on_cancel=True, limiter=CapacityLimiter(1))


async def _cancellable(lane: Memory, call: Callable[[], T]) -> T:
    """Run a long call; when it is cancelled, its connection ends, and with it its thread."""
    try:
        return await _in_thread(call)
    finally:
        lane.close()


async def _stream(lane: Memory, begin: Callable[[Memory], Iterator[T]]) -> AsyncGenerator[T]:
    """Yield what an iterator yields in a worker thread; the end of the loop ends its connection."""
    iterator = begin(lane)
    try:
        while (item := await _in_thread(partial(next, iterator, _END))) is not _END:
            yield item
    finally:
        lane.close()
