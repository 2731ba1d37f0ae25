"""Other memories that a question reads as well, from their data directories; nothing is ever written there.

A memory that a process owns is asked over that owner's socket. Any other is opened read-only for the length of the
question, under the shared lock of readers, so that an owner who wants to start waits for no longer than that.
"""

from __future__ import annotations

import os
import time
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread

from ...memory.concurrency import together
from ...memory.indexing.indexed_store import open_store
from ...memory.memory import EvolvingMemory
from ...memory.store.schema import DATABASE
from ...memory.supervision import is_recoverable
from ...schemas import Query, QueryResult
from ...schemas.errors import NotFoundError
from ..client import Client, DaemonError, DaemonGoneError
from ..config.paths import JOURNAL, LOCK, STORE, Owner, read_owner
from ..journal.database import may_wait
from ..lock import locked_now
from ..operations import QUERY
from .fusion import FoundHits, merged, order_of
from .statistics import QueryStatistics

if TYPE_CHECKING:
    from ...memory.embedding.embedder import EmbeddingModel

SECONDS = 5.0
"""The longest that a question waits for a mounted memory."""
QUIET_SECONDS = 60.0
"""The time in which a mounted memory that was too slow is not asked again: else each question would wait for it."""
LOOK_SECONDS = 0.5
"""The longest that a question waits to learn whether a kept answer is still that of the mounted memories."""
ASKED_AT_ONCE = 8
"""The most owners of mounted memories that are asked at one time: each takes a thread until it answers."""
THIS_ONE = "own"
"""The name of the memory that is asked, among those of its mounts."""
Resolver = Callable[[EvolvingMemory], Callable[[Query], Awaitable[Query]]]
"""Makes, for a memory, the function that gives the whole names that the filters of a question mean."""


@dataclass(frozen=True, slots=True)
class MountAnswer:
    """The answer of a mounted memory; None if it could not be asked."""

    name: str
    result: QueryResult | None


def other_memories(folders: Mapping[str, Path], data_dir: Path) -> dict[str, Path]:
    """Return the folders that are not this data directory, each once under its first name: it would be counted twice.
    By their paths alone: a disk that does not answer must not keep memd from starting.
    """
    paths = {os.path.normpath(data_dir)}
    others: dict[str, Path] = {}
    for name, folder in folders.items():
        if (path := os.path.normpath(folder)) not in paths:
            paths.add(path)
            others[name] = folder
    return others


class Mounts:
    """The mounted memories of one owner.

    Args:
        folders: their data directories by name.
        memory: the owner's own, whose embedder and clock they use.
        resolver: resolves names.
        statistics: counts the searches.
    """

    def __init__(
        self, folders: Mapping[str, Path], memory: EvolvingMemory, resolver: Resolver, statistics: QueryStatistics
    ) -> None:
        self._folders = folders
        self._memory = memory
        self._resolver = resolver
        self._statistics = statistics
        self._asking, self._looking = anyio.CapacityLimiter(ASKED_AT_ONCE), anyio.CapacityLimiter(ASKED_AT_ONCE)
        """Threads of their own: owners and disks that are silent keep nothing else from a thread."""
        self._quiet_until: dict[str, float] = {}
        """The end of the time, on the monotonic clock, in which a memory is not asked, by name."""

    @property
    def names(self) -> list[str]:
        """The names of the mounts."""
        return list(self._folders)

    def chosen(self, query: Query) -> list[str]:
        """Return the names of the mounts that a question asks."""
        return [name for name in self._folders if not query.memories or name in query.memories]

    async def state(self, query: Query) -> Hashable | None:
        """Return what changes whenever an answer of the memories that a question asks may change; None where an owner may
        change one at any time, or where the disk does not answer.
        """
        folders = [self._folders[name] for name in self.chosen(query)]
        if not folders:
            return ()
        with anyio.move_on_after(LOOK_SECONDS):
            return await anyio.to_thread.run_sync(_state_of, folders, abandon_on_cancel=True, limiter=self._looking)
        return None

    async def ask(self, query: Query) -> list[MountAnswer]:
        """Ask all at once; a memory that fails or is late has no result."""
        return list(await together(*(partial(self._asked, name, query) for name in self.chosen(query))))

    async def _asked(self, name: str, query: Query) -> MountAnswer:
        if self._quiet_until.get(name, 0.0) > time.monotonic():
            return MountAnswer(name, None)
        start = time.perf_counter()
        result: QueryResult | None = None
        alone = query.model_copy(update={"memories": (THIS_ONE,)})  # else two that mount each other would never end
        with anyio.move_on_after(SECONDS) as in_time:
            try:
                result = await self._answer(self._folders[name], alone)
            except NotFoundError:
                result = nothing(query)
            except BaseException as error:  # another memory's trouble is named in the answer, and costs nothing else
                if not is_recoverable(error):
                    raise
        if in_time.cancelled_caught:
            self._quiet_until[name] = time.monotonic() + QUIET_SECONDS
        if result is not None:
            self._statistics.add(f"mount:{name}", (time.perf_counter() - start) * 1000)
            hits = [hit.model_copy(update={"memory": name}) for hit in result.hits]
            result = result.model_copy(update={"hits": tuple(hits)})
        return MountAnswer(name, result)

    async def _answer(self, folder: Path, query: Query) -> QueryResult:
        data_dir = self._memory.database.path.parent.parent
        owner = await anyio.to_thread.run_sync(
            _other_owner, folder, data_dir, abandon_on_cancel=True, limiter=self._asking
        )
        if owner is None:
            return nothing(query)
        if owner.socket:
            with suppress(DaemonGoneError):  # a killed owner leaves its words
                return await _over_socket(owner.socket, query, self._asking)
        return await self._opened(folder, query)

    async def _opened(self, folder: Path, query: Query) -> QueryResult:
        """Answer from a memory that nobody owns."""
        memory = self._memory
        embedder: Any = memory.embedder
        async with AsyncExitStack() as stack:
            stack.enter_context(locked_now(folder, reading=True))
            store = await stack.enter_async_context(open_store(folder / STORE, read_only=True))
            usable: EmbeddingModel | None = embedder if embedder is not None and embedder.dimension else None
            fallback = None if memory.fallback is None else memory.fallback.model
            other = EvolvingMemory(store, usable, memory.tokenizer, now=lambda: memory.retriever.now, fallback=fallback)
            await other.start()
            whole = await store.catch_up_words(0, certain=True)
            whole &= not await anyio.to_thread.run_sync(may_wait, folder / JOURNAL)
            result = await other.query(await self._resolver(other)(query))
        return result if whole else result.model_copy(update={"degraded": (*result.degraded, "queue")})


async def _over_socket(socket: str, query: Query, threads: anyio.CapacityLimiter) -> QueryResult:
    """Ask the owner of a memory.

    Raises:
        NotFoundError: nobody there has a name of the filters.
    """
    fields = query.model_dump(mode="json", exclude_defaults=True)
    fields |= {"limit": query.limit, "context": query.context}  # there, others may be the defaults
    client = Client(socket, SECONDS)

    def ask() -> dict[str, Any]:
        try:
            return client.call(QUERY, fields, idempotent=True)
        except DaemonError as error:
            if error.code == NotFoundError.meaning.code:
                raise NotFoundError("nobody has this name") from None
            raise
        finally:
            client.close()

    try:
        answer = await anyio.to_thread.run_sync(ask, abandon_on_cancel=True, limiter=threads)
    finally:
        client.end()  # else the thread would stay as long as a byte came now and then
    return QueryResult.model_validate(answer, extra="ignore")


def with_mounts(query: Query, answer: QueryResult, others: Sequence[MountAnswer]) -> QueryResult:
    """Return the answer of all memories: hits of each, numbers added; the rest is the memory's own."""
    results = [each.result for each in others if each.result is not None]
    sources = [FoundHits(each.hits, each.weak) for each in (answer, *results)]
    plan = next((each.understood for each in (answer, *results) if each.understood is not None), None)
    counts = [each.count for each in (answer, *results) if each.count is not None]
    degraded = [f"mount:{each.name}" for each in others if each.result is None]
    degraded += [
        f"mount:{each.name}/{part}"
        for each in others
        if each.result
        for part in each.result.degraded
        if part not in answer.degraded
    ]
    return answer.model_copy(
        update={
            "hits": merged(sources, order_of(query, plan), query.limit),
            "weak": all(source.weak or not source.hits for source in sources),
            "degraded": (*answer.degraded, *degraded),
            "count": sum(counts) if counts else None,
            "summary": answer.summary if not any(each.hits for each in results) else None,
            "understood": plan,
        }
    )


def nothing(query: Query) -> QueryResult:
    """Return an answer without hits."""
    return QueryResult(query=query.text, took_ms=0.0, weak=True)


def _other_owner(folder: Path, data_dir: Path) -> Owner | None:
    """Return what the lock of a mounted memory says of its owner; None if it is this data directory, by another path."""
    with suppress(OSError):
        if folder.samefile(data_dir):
            return None
    return read_owner(os.fspath(folder / LOCK))


def _state_of(folders: Sequence[Path]) -> Hashable | None:
    if any(read_owner(os.fspath(folder / LOCK)).pid is not None for folder in folders):
        return None
    files = (f"{STORE}/{DATABASE}", f"{STORE}/{DATABASE}-wal", LOCK)
    return tuple(_file_state(folder / file) for folder in folders for file in files)


def _file_state(path: Path) -> tuple[int, ...]:
    try:
        state = path.stat()
    except OSError:
        return ()
    return state.st_ino, state.st_size, state.st_mtime_ns
