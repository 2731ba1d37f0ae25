"""The store (memory.db) with its search indexes, and the tasks that update them after each write. SQLite is authoritative."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import anyio
from anyio import CancelScope, Lock, to_thread
from anyio.abc import TaskGroup

from ...schemas.errors import StoreError
from ..concurrency import Signal
from ..index.embedded import EmbeddedIndexes
from ..index.errors import IndexServerError
from ..index.ports import Indexes, TextIndex
from ..private_files import make_folders
from ..records import CheckResult, Generation, StoreStats
from ..store import fact_log, forget_rows, integrity
from ..store.change_log import last_change, sequence
from ..store.database import Database
from ..store.errors import database_errors
from ..store.invariants import check_forgotten
from ..store.migrations import copies
from ..store.vectors import begin_fallback, end_fallback, record_generation
from ..supervision import Worker, Workers
from ..write_batches import Removal
from .fact_sync import FactIndexSync
from .filling import Filling, Tell, fill_indexes
from .statistics import statistics
from .vector_sync import FALLBACK_FOLDER, FallbackIndexSync, VectorIndexSync
from .word_sync import TextIndexSync

_LOG = logging.getLogger(__name__)
WORDS_PAUSE = 0.25
"""Seconds for which the word index collects changes before it commits them."""
RETRY_AFTER = 5.0
"""Seconds before a failed index is tried again."""


class IndexedStore:
    """The database of one directory, ``memory.db``, with indexes that follow each of its changes; see `open_store`.

    Reads of ``database`` see every write that has returned; searches see it after `refresh_indexes` has returned. Every
    method may be cancelled, and raises ``StoreError`` when the store cannot be read or written, and nothing else unless
    it says so.

    Args:
        directory: the data directory.
        engine: makes the indexes.
        read_only: refuse every change.
    """

    def __init__(self, directory: Path, engine: Indexes, *, read_only: bool) -> None:
        self.engine = engine
        self._directory = directory
        self._words_due, self._vectors_due, self._facts_due = Signal(), Signal(), Signal()
        self._maintenance_due, self._purge_due = Signal(), Signal()
        self._indexed_writes = 0 if read_only else -1
        """The writes to the database whose words are searched, by its count; -1: not even those of earlier processes, perhaps."""
        self._maintained = 0
        """The number of times that the vector index was maintained, which may then find other neighbours."""
        self.on_change: Callable[[], None] = lambda: None
        """Called after each write."""
        self.database = Database.in_directory(directory, read_only=read_only)
        try:
            self.vectors = VectorIndexSync(self.database, engine, self._mend_vectors, self._note_stale)
            self.fallback = FallbackIndexSync(
                self.database, directory / FALLBACK_FOLDER, self._vectors_due.set, self._note_stale
            )
            """The index of the vectors of the model that stands in for the embedder; see `begin_fallback`."""
            self.words = TextIndexSync(self.database, engine, self._mend_words, self._note_stale)
            self.facts = FactIndexSync(
                self.database, engine, self._facts_due.set, self._note_stale, read_only=read_only
            )
        except BaseException:
            self.database.close()
            raise
        self._purging = Lock()
        self._purger = Worker("purging")
        self._rewritten = 0
        """The value of `forget_rows.unclean` for which the indexes are already purged, while the database is not."""
        self._compacted = 0
        """The value of `forget_rows.unclean` for which the database is already purged, while an index server is not."""

    async def open_indexes(self) -> None:
        """Open the indexes; a server that does not answer is asked again later."""
        await self.words.open()
        answers = self.text.failure is None
        await self.vectors.open(ask=answers)
        await self.fallback.open()
        await self.facts.open(ask=answers)

    def start(self, group: TaskGroup, workers: Workers) -> None:
        """Start the tasks that keep the indexes up to date."""
        if self.database.read_only:
            workers.start(group, "index server", self._reconnect)
            return
        self.database.on_write = self._follow_changes
        self._follow_changes()
        self._purge_due.set()  # an earlier process may have left something to purge
        workers.start(group, "words index", self._follow_words)
        workers.start(group, "vector index", self._follow_vectors)
        workers.start(group, "vector maintenance", self._maintain_vectors)
        workers.start(group, "purging", self._purge)
        if self.facts.index is not None:
            workers.start(group, "facts index", self._follow_facts)

    async def close(self) -> None:
        """Save the vector index and close every file; not interrupted by cancellation."""
        with CancelScope(shield=True):
            try:
                await self.vectors.save()
                await self.fallback.save()
            except StoreError as error:
                _LOG.warning("the vector index was not saved: %s; the next start takes the changes again", error)
            finally:
                try:
                    await self.fallback.close()
                    await self.vectors.close()
                    await self.words.close()
                except IndexServerError as error:
                    _LOG.warning("%s", error)
                finally:
                    await to_thread.run_sync(self.database.close)

    @property
    def state(self) -> tuple[int, ...]:
        """All that searches depend on, as numbers that never come back: the writes, and how far the indexes are."""
        reached = (self.words.reached, self.vectors.reached, self.fallback.reached, self.facts.reached)
        return (self.database.writes, self._maintained, *reached, self.words.rebuilds, self.vectors.rebuilds)

    # --- followers ------------------------------------------------------------------------------------------------

    async def words_behind(self) -> bool:
        """Return whether searches by words do not see all that is stored."""
        if self._indexed_writes == self.database.writes or self.index_failure is not None:
            return False
        return self.words.reached < await self.database.read(last_change, self.words.logs)

    async def catch_up_words(self, most: int, *, certain: bool = False) -> bool:
        """Let the word index follow the store at once, if it lacks at most so many changes. Return whether searches by
        words see all that is stored.

        Args:
            most: changes.
            certain: compare with the store also where no write has returned since the last comparison.
        """
        if (self._indexed_writes == self.database.writes and not certain) or self.index_failure is not None:
            return True
        writes, target = self.database.writes, await self.database.read(last_change, self.words.logs)
        if self.words.reached < target:
            if self.database.read_only or target - self.words.reached > most:
                return False
            try:
                await self.words.catch_up(target)
            except IndexServerError:
                return False  # the follower tells of it, and tries again
        self._indexed_writes = max(self._indexed_writes, writes)
        return True

    def _follow_changes(self) -> None:
        self.on_change()
        for due in (self._words_due, self._vectors_due, self._facts_due):
            due.set()

    def _mend_words(self) -> None:
        self._words_due.set()
        self._doubt_facts()

    def _mend_vectors(self) -> None:
        self._vectors_due.set()
        self._doubt_facts()

    def _doubt_facts(self) -> None:
        self.facts.doubt()
        self._facts_due.set()

    async def _follow_words(self, worker: Worker) -> None:
        async def update() -> None:
            writes = self.database.writes  # before the number of the last change, which may hold more
            await self.words.catch_up(await self.database.read(sequence))
            self._indexed_writes = max(self._indexed_writes, writes)

        await _repeat(worker, self._words_due, update, pause=WORDS_PAUSE)

    async def _follow_vectors(self, worker: Worker) -> None:
        async def update() -> None:
            target = await self.database.read(sequence)
            await self.vectors.catch_up(target)
            await self.fallback.catch_up(target)
            self._maintenance_due.set()

        await _repeat(worker, self._vectors_due, update)

    async def _maintain_vectors(self, worker: Worker) -> None:
        """Run the vector index's maintenance in a task of its own, so that new changes are indexed without delay."""

        async def maintain() -> None:
            await self.vectors.maintain()
            await self.fallback.maintain()
            self._maintained += 1

        await _repeat(worker, self._maintenance_due, maintain)

    async def _follow_facts(self, worker: Worker) -> None:
        async def update() -> None:
            await self.facts.catch_up(await self.database.read(sequence))

        await _repeat(worker, self._facts_due, update)

    async def _reconnect(self, worker: Worker) -> None:
        """Retry an index server that did not answer, for a read-only store, which has no followers."""
        while self.index_failure is not None or self.engine.name != EmbeddedIndexes.name:
            if self.index_failure is not None:
                await self.words.open()
                if self.text.failure is None:
                    await self.vectors.open()
            if (failure := self.index_failure) is None:
                worker.progressed()
            else:
                worker.failed(failure)
            await anyio.sleep(RETRY_AFTER)

    async def refresh_indexes(self) -> None:
        """Return when searches see everything written before this call, or when an index server fails: it catches up
        later and is not waited for.
        """
        writes = self.database.writes
        target = await self.database.read(sequence)
        for follower in (self.words, self.vectors, self.fallback, self.facts):
            try:
                await follower.catch_up(target)
            except IndexServerError as error:
                _LOG.warning("the index in a server is behind: %s", error.message)
                return
            if follower is self.words:
                self._indexed_writes = max(self._indexed_writes, writes)

    async def set_generation(self, generation: Generation) -> None:
        """Record the generation. Vectors of other models are kept but not searched."""
        with CancelScope(shield=True):  # between the two, the index would belong to another model than the store
            await self.vectors.renew(lambda: self.database.write(record_generation, generation))
            if self.fallback.index is not None:
                await self.fallback.renew(_nothing)

    async def begin_fallback(self, model: str, dimension: int) -> None:
        """Begin the space of a model that stands in for the current one, with an index of its own; does nothing if it
        is the current model.
        """
        with CancelScope(shield=True):
            await self.fallback.renew(lambda: self.database.write(begin_fallback, model, dimension))

    async def end_fallback(self) -> None:
        """Delete the space of the fallback, its vectors and its index, if there is one. Interrupted, the files are removed
        by the next `open_store`.
        """
        with CancelScope(shield=True):
            await self.fallback.renew(lambda: self.database.write(end_fallback))

    # --- forgetting -----------------------------------------------------------------------------------------------

    async def forget(self, removal: Removal) -> None:
        """Remove content and apply the accompanying changes; no search finds the content after the return.

        Chats and names without any reference left are deleted too; texts without any chunk left lose their vectors.
        """

        def work(connection: sqlite3.Connection) -> None:
            forget_rows.forget(connection, removal)
            check_forgotten(connection, removal)

        await self.database.write(work)
        try:
            await self.refresh_indexes()
        except BaseException:
            self._purge_due.set()
            raise

    async def purge(self) -> None:
        """Rewrite every file that may hold removed content: the indexes, the database, copies of older formats.

        Raises:
            StoreError: a file could not be rewritten; this is retried in the background.
        """
        try:
            await self._purge_files()
            self._purger.progressed()
        except BaseException:  # includes cancellation: the caller may leave, the purge still happens
            self._purge_due.set()
            raise

    async def _purge(self, worker: Worker) -> None:
        """Finish purges that an earlier process left or that failed."""
        self._purger = worker
        await _repeat(worker, self._purge_due, self._purge_files)

    async def _purge_files(self) -> None:
        async with self._purging:
            while number := await self.database.read(forget_rows.unclean):
                failure: IndexServerError | None = None
                if self._rewritten != number:
                    try:
                        await self._purge_indexes()
                        # A reader that blocks the log does not cause the indexes to be rewritten again.
                        self._rewritten = number
                    except IndexServerError as error:  # the files on this machine are purged nevertheless
                        failure = error
                if self._compacted != number:
                    await to_thread.run_sync(self._remove_copies)
                    await self.database.compact(number)
                    self._compacted = number
                if failure is not None:
                    raise failure
                await self.database.write(forget_rows.clean, number)
                self._rewritten = self._compacted = 0

    async def _purge_indexes(self) -> None:
        if self.engine.name != EmbeddedIndexes.name:  # embedded files from before may hold content forgotten since
            await EmbeddedIndexes(self._directory, read_only=False).remove(str(self.database.store))
        await self.words.purge()
        await self.vectors.purge()
        if self.fallback.index is not None:
            await self.fallback.purge()
        await self.facts.rebuild()

    def _remove_copies(self) -> None:
        with database_errors():
            for path in copies(self.database.path):
                path.unlink(missing_ok=True)

    async def _note_stale(self, logs: Collection[forget_rows.FollowedLog], number: int) -> None:
        """Mark the files as not purged if an index was not in use or not reached when something was forgotten: it may
        hold that.

        Args:
            logs: the change logs that the index follows.
            number: the last change that the index has applied, before it follows further.
        """

        def stale(connection: sqlite3.Connection) -> bool:
            if not forget_rows.forgotten_after(connection, logs, number):
                return False
            return forget_rows.unclean(connection) == self._rewritten  # else they will be rebuilt anyway

        if not self.database.read_only and await self.database.read(stale):
            await self.database.write(forget_rows.mark_unclean)
            self._purge_due.set()

    # --- state and upkeep -----------------------------------------------------------------------------------------

    @property
    def text(self) -> TextIndex:
        """The word index."""
        index = self.words.index
        assert index is not None  # `open_indexes` makes it
        return index

    @property
    def index_failure(self) -> StoreError | None:
        """The error that keeps the index server from answering; None if it answers or there is none."""
        return self.text.failure or (None if self.vectors.index is None else self.vectors.index.failure)

    async def stats(self) -> StoreStats:
        """Return counts and sizes from the store itself."""
        reached = {"words": self.words.reached, "vectors": self.vectors.reached}
        if self.facts.index is not None:
            reached["facts"] = self.facts.reached
        return await self.database.read(statistics, self._directory, reached)

    async def check(self) -> list[CheckResult]:
        """Check SQLite, and the indexes against it, after bringing the indexes up to date."""
        if (failure := self.database.in_place.failure()) is not None:
            return [CheckResult("database", "error", failure.message, failure.hint)]
        await self.refresh_indexes()
        await self.vectors.save()
        await self.fallback.save()
        results = await self.database.read(integrity.check_database, self.database.path)
        results += await self.words.check()
        results += await self.vectors.check()
        results += await self.fallback.check()
        if await self.other_index_kept():
            detail = (
                "a Weaviate server that is not in use may hold messages of this store: `memd forget` does not reach it"
            )
            hint = "memd migrate --index embedded --remove-other removes them there"
            results.append(CheckResult("other_index", "warning", detail, hint))
        return results + await self.facts.check()

    async def check_indexes(self) -> list[CheckResult]:
        """Check the indexes against SQLite, including the content of each row."""
        await self.refresh_indexes()
        if (failure := self.index_failure) is not None:
            raise type(failure)(failure.message, hint=failure.hint)
        await self.vectors.save()
        results = await self.words.check(contents=True)
        results += await self.vectors.check(contents=True)
        results += await self.fallback.check(contents=True)
        return results + await self.facts.check(contents=True)

    async def repair(self) -> None:
        """Rebuild derived data that was found wrong; the content of sources is not changed."""
        await self.database.write(integrity.repair)
        await self.words.rebuild()
        await self.vectors.rebuild()
        await self.fallback.rebuild()
        await self.facts.rebuild()

    async def fill(self, filling: Filling, tell: Tell) -> list[CheckResult] | None:
        """Fill another index engine than the one in use, and compare it with the store when it is full; embeds nothing.
        See `fill_indexes`.
        """
        async with self._purging:  # purging removes the files of indexes that are not in use
            return await fill_indexes(self.database, filling, tell)

    async def other_index_kept(self) -> bool:
        """Return whether a server was filled that is no longer in use and has not been emptied since."""
        return self.engine.name == EmbeddedIndexes.name and await self.database.read(fact_log.is_kept)

    async def remove_index(self, indexes: Indexes) -> None:
        """Remove the content of this store from an index engine that is not in use."""
        await indexes.remove(str(self.database.store))
        if indexes.facts(str(self.database.store), lambda: None) is not None:
            await self.database.write(fact_log.remove)


async def _nothing() -> None:
    """Record nothing: the space has changed already."""


async def _repeat(worker: Worker, due: Signal, work: Callable[[], Awaitable[None]], *, pause: float = 0.0) -> None:
    """Do some work whenever it is due, with a pause after it; work that fails is tried again."""
    while True:
        await due.wait()
        try:
            await work()
        except BaseException as error:
            due.set()  # a restarted task finds the work still to be done
            if not isinstance(error, StoreError):
                raise
            worker.failed(error)
            await anyio.sleep(RETRY_AFTER)
        else:
            worker.progressed()
            await anyio.sleep(pause)


@asynccontextmanager
async def open_store(
    directory: Path, *, read_only: bool = False, workers: Workers | None = None, indexes: Indexes | None = None
) -> AsyncGenerator[IndexedStore]:
    """Open the store of a directory, creating it if necessary; no background task outlives the block.

    Args:
        directory: the data directory.
        read_only: write nothing, not even beside the files; no other process may write meanwhile.
        workers: the supervisor of the tasks that update the indexes.
        indexes: the index engine; by default files of the directory.

    Raises:
        StoreError: the store has a newer format, is damaged, missing (``read_only``) or not accessible.
    """
    failure: Exception | None = None
    async with AsyncExitStack() as stack:
        engine = indexes or EmbeddedIndexes(directory, read_only=read_only)
        stack.push_async_callback(engine.close)
        store = await to_thread.run_sync(lambda: _in_directory(directory, engine, read_only=read_only))
        stack.push_async_callback(store.close)
        await store.open_indexes()
        async with anyio.create_task_group() as group:
            store.start(group, workers or Workers())
            try:
                yield store
            except Exception as error:  # noqa: BLE001 - re-raised outside the task group, which would wrap it
                failure = error
            finally:
                group.cancel_scope.cancel()
    if failure is not None:
        raise failure


def _in_directory(directory: Path, indexes: Indexes, *, read_only: bool) -> IndexedStore:
    if not read_only:
        try:
            make_folders(directory)
        except OSError as error:
            raise StoreError("the data directory cannot be made", hint="check --data-dir") from error
    return IndexedStore(directory, indexes, read_only=read_only)
