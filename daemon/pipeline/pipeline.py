"""From acknowledged to stored to embedded: documents go through the journal, a writer and an embedder work beside.

Three tasks, each with one thing to wait for; all may be cancelled at any moment, since what they have not finished is
still in the journal, or still without a vector in the store.
"""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from itertools import groupby

import anyio
from anyio.abc import TaskGroup

from ...memory.embedding_queue import WINDOW_BATCHES
from ...memory.ingest.batching import size_of
from ...memory.memory import EvolvingMemory
from ...memory.supervision import PAUSES, Worker, Workers, described, survivable
from ...schemas import Document, StoreReport
from ...schemas.errors import BusyError, MemdError, ProcessingError, StoreError
from ..journal.journal import Depth, Entry, Journal, Removed
from ..logs import correlated
from .extraction_worker import ExtractionWorker
from .progress import ProgressHub
from .runs import Run, Runs

ROOM_SECONDS = 30.0
"""How long an `accept` waits for room before it gives up, in which case it has kept nothing."""
HOLD_SECONDS = 30.0
"""How long embedder and reader hold back before each batch while documents come in: as long as keeping some 100,000
messages takes. A feed that never ends must not stop them."""
HOLD_STEP = 0.01
FED_SECONDS = 1.0
ABANDONED_SECONDS = 600.0
"""A run that nobody sent anything to for so long is taken to be over."""
GIVEN_UP = 4
"""After so many failures of the store in a row, runs that wait for it are told so; what they gave stays journaled."""
CONCLUDE_SECONDS = 0.05
"""Between two looks at the end, whether every stored run has ended."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much is held at once."""

    batch_messages: int = 500
    batch_bytes: int = 4 * 1024 * 1024
    queue_messages: int = 20_000
    """Above this, `accept` waits: the back-pressure."""
    attempts: int = 3
    """How often a document is tried before it becomes a dead letter."""
    embed_batch: int = 256
    """Texts between two commits of vectors."""


class Pipeline:
    """Takes documents in, one owner at a time; `start` begins the work in a task group that the caller holds."""

    def __init__(
        self,
        memory: EvolvingMemory,
        journal: Journal,
        hub: ProgressHub,
        bounds: Bounds | None = None,
        *,
        settle: Callable[[], Awaitable[None]],
        embed: bool = True,
        learner: ExtractionWorker | None = None,
        workers: Workers | None = None,
    ) -> None:
        self._memory = memory
        self._journal = self.journal = journal
        self._bounds = bounds or Bounds()
        self._settle_search = settle
        self._embed = embed
        self.learner = learner
        self.workers = workers or Workers()
        self._embedding = anyio.CancelScope()
        self._closed = False
        self.runs = Runs(journal, hub, lambda: memory.made)
        self._queued = 0
        """Messages in the journal, and those of accepted documents on their way into it."""
        self._hurried = 0
        """How many want all read at once."""
        self._room = anyio.Event()
        self._write_wake = anyio.Event()
        self._stored_wake = anyio.Event()
        self._searchable_wake = anyio.Event()
        self._embed_wake = anyio.Event()
        self._idle = anyio.Event()
        self._turn = anyio.Lock()
        """Held while a batch goes from the journal to the store."""
        self.when_kept_out: Callable[[], None] = _nothing
        """Called when something forgotten came in again and was kept out of the store: the journal held it until now."""
        self._batch_error = ""
        """What was logged of a batch that could not be stored as a whole; empty since one could."""
        self.trouble: dict[str, str] = {}
        """What is unwell now, by ``storing`` and ``embedding``, without private text."""

    async def start(self, tasks: TaskGroup) -> None:
        """Go on with what an earlier owner left, and wait for more."""
        await self._journal.end_abandoned()
        for left in await self._journal.waiting():
            run = self.runs.add(left.run, left.source)
            run.processed, run.waiting, run.finished = left.messages, left.documents, True
            self._queued += left.messages
            self.runs.tell(run)
        self.workers.start(tasks, "storing", self._writer)
        self.workers.start(tasks, "searching", self._finisher)
        self.workers.start(tasks, "concluding", self._reader)
        if self.learner is not None:
            self.learner.let_words_first = self._let_words_first
            self.workers.start(tasks, "reading", self.learner.work)
        if self._embed:
            self.workers.start(tasks, "embedding", self._embedder)

    def turn_away(self) -> None:
        """Take no more documents in and make no more vectors: the end is near."""
        self._closed = True
        self._room.set()
        self._embedding.cancel()

    # --- in ---------------------------------------------------------------------------------------------------------

    async def begin(self, source: str) -> str:
        """Start a run; returns its id.

        Raises:
            BusyError: the daemon is about to end.
        """
        self._refuse_when_closed()
        for run in self.runs:
            if not run.finished and time.monotonic() - run.touched > ABANDONED_SECONDS:
                await self.finish(run.run)
        name = uuid.uuid4().hex
        await self._journal.begin(name, source)  # before it is a run: cancelled here, nobody would know to end it
        self.runs.tell(self.runs.add(name, source))
        return name

    async def accept(
        self, run: str, documents: Sequence[Document], *, rejected: int = 0, again: bool = False
    ) -> StoreReport:
        """Keep documents; acknowledged when it returns. ``added`` of the report: messages that now wait to be stored.

        ``again``: what was forgotten of them may come back.

        Raises:
            NotFoundError: there is no such run.
            InvalidError: the run was finished.
            BusyError: there was no room for too long, or the daemon is about to end; nothing was kept.
            StoreError: nothing was kept.
        """
        self._refuse_when_closed()
        state = self.runs.open(run)
        if again:
            await self._memory.allow_again(documents)
        known: list[bool] = []
        for part in _parts(documents):  # so that a question need not wait until thousands of digests are made
            known += await self._memory.unchanged(part)
        fresh = [document for document, same in zip(documents, known, strict=True) if not same]
        messages = sum(size_of(document) for document in fresh)
        same = sum(size_of(document) for document, is_same in zip(documents, known, strict=True) if is_same)
        if fresh:
            await self._wait_for_room()
            self.runs.open(run)
            # Counted before the commit, so that the writer, which may be faster, never counts below zero.
            state.waiting += len(fresh)
            self._queued += messages
            try:
                # A commit cannot be called back; shielded, we know how it ended.
                with anyio.CancelScope(shield=True):
                    await self._journal.add(run, fresh)
            except BaseException:
                state.waiting -= len(fresh)
                self._queued -= messages
                self._room.set()  # for others who saw the higher number
                raise
            self._write_wake.set()
        state.touched = time.monotonic()
        state.processed += messages + same
        state.report += StoreReport(documents=len(documents) - len(fresh), unchanged=same, rejected=rejected)
        self.runs.tell(state)
        return StoreReport(documents=len(documents), added=messages, unchanged=same, rejected=rejected)

    async def withdraw(self, run: str) -> None:
        """Take a run back of which nothing was kept, as if it had never begun; one that holds something is finished."""
        state = self.runs.get(run)
        if state is None:
            return
        if state.processed or state.waiting:
            await self.finish(run)
        else:
            with anyio.CancelScope(shield=True):
                await self.runs.withdraw(run)

    async def finish(self, run: str) -> None:
        """No more comes in this run; repeating it changes nothing."""
        state = self.runs.get(run)
        if state is not None and not state.finished:
            state.finished = True
            self.runs.tell(state)
            self._stored_wake.set()

    async def queue(self) -> Depth:
        """How much waits."""
        return await self._journal.depth()

    @property
    def waits(self) -> bool:
        """Whether something acknowledged is not in the store yet."""
        return self._queued > 0

    def degraded(self) -> list[str]:
        """What does not work now: ``vector`` while the embedder fails, ``facts`` while documents cannot be read for them,
        and ``workers`` while a background worker fails.
        """
        failing = {each.worker for each in self.workers.failing()}
        found = {
            "vector": "embedding" in failing or "embedding" in self.trouble,
            "facts": self.learner is not None and bool(self.learner.unreadable),
            "workers": bool(failing),
        }
        return [name for name, fails in found.items() if fails]

    async def drain(self) -> None:
        """Return when everything that was acknowledged is in the store."""
        while self._queued > 0:
            self._idle = anyio.Event()
            await self._idle.wait()

    async def conclude(self) -> None:
        """Return when what is stored is searchable, and the runs have ended that wait for nothing else."""
        while any(run.ending or (run.stored and not run.searchable) for run in self.runs):  # noqa: ASYNC110 - asked once, at the end
            await anyio.sleep(CONCLUDE_SECONDS)

    def close(self) -> None:
        """Tell every follower how its run stands; what is left goes on with the next owner."""
        self.runs.close()

    def _refuse_when_closed(self) -> None:
        if self._closed:
            raise BusyError("memd is about to end", hint="send the rest again when it runs; what was kept is safe")

    async def _wait_for_room(self) -> None:
        with anyio.move_on_after(ROOM_SECONDS):
            while self._queued >= self._bounds.queue_messages:
                if self._room.is_set():  # one event for all who wait
                    self._room = anyio.Event()
                await self._room.wait()
                self._refuse_when_closed()
            return
        why = self.trouble.get("storing", "")
        raise BusyError(
            f"the queue is full{': ' + why if why else ''}", hint="nothing of this was kept; try again later"
        )

    # --- upkeep -----------------------------------------------------------------------------------------------------

    @asynccontextmanager
    async def still(self) -> AsyncGenerator[Journal]:
        """Nothing goes from the journal to the store in this block, though the journal may take more in."""
        async with self._turn:
            yield self._journal

    def forgotten(self, removed: Sequence[Removed]) -> None:
        """So much was taken out of the journal."""
        for each in removed:
            if each.queued:
                self._queued -= each.messages
                run = self.runs.get(each.run)
                if run is not None:
                    run.waiting -= each.whole
                    run.report += StoreReport(documents=int(each.whole), forgotten=each.messages)
                    self.runs.tell(run)
                    if run.stored:
                        self._stored_wake.set()
        if self._queued < self._bounds.queue_messages:
            self._room.set()
        self._write_wake.set()

    async def requeue(self, source: str, revive: Callable[[str], Awaitable[tuple[int, int]]]) -> str:
        """A run of what the journal holds already: ``revive`` gets the run's id, queues what is to go, and returns how
        many documents and messages. Returns the run's id.

        Raises:
            BusyError: the daemon is about to end.
        """
        run = await self.begin(source)
        state = self.runs.open(run)
        try:
            # The writer stands still: nothing can be counted out before it was counted in. Shielded, as in `accept`.
            async with self._turn:
                with anyio.CancelScope(shield=True):
                    documents, messages = await revive(run)
                    state.waiting += documents
                    state.processed += messages
                    self._queued += messages
        except BaseException:
            await self.withdraw(run)
            raise
        finally:
            await self.finish(run)
            self._write_wake.set()
        return run

    def embed_more(self) -> None:
        """Texts wait for a vector that did not before."""
        self._embed_wake.set()

    # --- to the store -----------------------------------------------------------------------------------------------

    async def _writer(self, worker: Worker) -> None:
        troubles = 0
        while True:
            entries: list[Entry] = []
            try:
                async with self._turn:
                    entries = await self._journal.take(self._bounds.batch_messages, self._bounds.batch_bytes)
                    well = await self._write(entries) if entries else True
            except BaseException as error:  # noqa: BLE001 - `_unwell` raises what must end the worker
                self._unwell("storing", error, worker)
                well = False
            if not well:
                troubles += 1
                if troubles >= GIVEN_UP and "storing" in self.trouble:
                    await self._tell_of_trouble()
                await anyio.sleep(PAUSES[min(troubles, len(PAUSES)) - 1])
                continue
            troubles = 0
            self.trouble.pop("storing", None)
            worker.progressed()
            if not entries:
                self._idle.set()
                await self._write_wake.wait()
                self._write_wake = anyio.Event()

    async def _tell_of_trouble(self) -> None:
        """Nobody is to wait for a store that takes nothing: the runs end, what they gave is tried on."""
        for run in [run for run in self.runs if run.finished and run.waiting]:
            await self.runs.end(run, detail=f"kept, not stored yet: {self.trouble['storing']}")

    async def _write(self, entries: Sequence[Entry]) -> bool:
        """One batch; returns whether the store is well."""
        documents = [entry.document for entry in entries if entry.document is not None]
        if len(documents) == len(entries):
            try:
                # Counts by run need a call for each stretch of one run; a batch hardly ever holds two. In their
                # order, so that the newest version of a document is stored last.
                for run, stretch in groupby(entries, key=lambda entry: entry.run):
                    mine = list(stretch)
                    with correlated(run):
                        report = await self._store(run, [each.document for each in mine if each.document is not None])
                        await self._stored(run, mine, report)
            except BaseException as error:
                if not survivable(error):
                    raise
                if isinstance(error, MemdError):
                    self._unwell("storing", error)
                elif self._batch_error != (told := described(error)):
                    self._batch_error = told
                    log.warning("a batch failed and each of its documents is tried: %s", told)
                return await self._write_each(entries)  # which document it was is found one by one
            self._batch_error = ""
            return True
        return await self._write_each(entries)

    async def _write_each(self, entries: Sequence[Entry]) -> bool:
        """Each document by itself; returns whether the store is well. While it takes nothing, no attempt is counted."""
        left = {entry.seq for entry in await self._journal.take(self._bounds.batch_messages, self._bounds.batch_bytes)}
        troubled: list[tuple[Entry, BaseException]] = []
        behind: set[str] = set()
        stored = 0
        for entry in entries:
            if not stored and len(troubled) >= GIVEN_UP and _all_refused(troubled):
                break  # the store takes nothing: hundreds of others would not fare better
            # A later version must not be stored before an earlier one of the same document.
            if entry.seq not in left or entry.key in behind:
                continue
            try:
                if entry.document is None:
                    raise ProcessingError("the journal's text is no document")
                report = await self._store(entry.run, [entry.document])
            except BaseException as error:  # whatever a document does, the others go on
                if not survivable(error):
                    raise
                troubled.append((entry, error))
                behind.add(entry.key)
                continue
            stored += 1
            await self._stored(entry.run, [entry], report)
        # What the store refuses while it takes nothing else says nothing about the document: the disk may be full.
        if troubled and not stored and _all_refused(troubled):
            return False
        for entry, error in troubled:
            await self._failed(entry, error)
        if troubled:
            await anyio.sleep(PAUSES[0])
        return True

    async def _store(self, run: str, documents: Sequence[Document]) -> StoreReport:
        if self.learner is not None:  # it may read them at once, and notes what it reads under a run that can be undone
            self.learner.run = run
        return await self._memory.write(documents)

    async def _stored(self, run: str, entries: Sequence[Entry], report: StoreReport) -> None:
        await self._journal.done(entries, purge=report.forgotten > 0)
        if report.forgotten:
            self.when_kept_out()
        self._embed_wake.set()
        await self._left(run, entries, report)

    async def _failed(self, entry: Entry, error: BaseException) -> None:
        reason = error.message if isinstance(error, MemdError) else type(error).__name__
        if await self._journal.failed(entry, reason, self._bounds.attempts):
            extra = {"correlation_id": entry.run, "seq": entry.seq, "error": described(error)}
            log.warning("a document was given up: %s", reason, extra=extra)
            await self._left(entry.run, [entry], StoreReport(documents=1, failed=entry.messages))

    async def _left(self, run: str, entries: Sequence[Entry], report: StoreReport) -> None:
        """These are not in the queue any more."""
        self._queued -= sum(entry.messages for entry in entries)
        if self._queued < self._bounds.queue_messages:
            self._room.set()
        state = self.runs.get(run)
        if state is not None:
            state.waiting -= len(entries)
            state.report += report
            self.runs.tell(state)
            if state.stored:
                self._stored_wake.set()

    async def _finisher(self, worker: Worker) -> None:
        """A run whose documents are stored becomes searchable by words; whatever else is made of them comes later."""
        self._stored_wake.set()
        while True:
            await self._stored_wake.wait()
            self._stored_wake = anyio.Event()
            for run in [run for run in self.runs if run.stored and not run.searchable]:
                try:
                    # Stored means found: the indexes follow the store by a moment.
                    await self._settle_search()
                    made, pending = await self._memory.tally()
                except BaseException as error:  # noqa: BLE001 - `_unwell` raises what must end the worker
                    await self._not_searchable(run, error, worker)
                    continue
                self.trouble.pop("searching", None)
                worker.progressed()
                run.made_after = made + pending  # as far as is known until all is read
                if self.learner is None and not (self._embed and pending):
                    await self.runs.end(run)
                    continue
                run.searchable = True
                self.runs.tell(run)
            self._embed_wake.set()
            self._searchable_wake.set()
            await self._try_again(worker, self._stored_wake)

    async def _reader(self, worker: Worker) -> None:
        """What the messages of a searchable run say gives them more words and vectors to be found by; where nobody makes
        vectors, the run ends with that.
        """
        self._searchable_wake.set()
        while True:
            await self._searchable_wake.wait()
            self._searchable_wake = anyio.Event()
            for run in [run for run in self.runs if run.searchable and not run.read]:
                try:
                    if self.learner is not None:
                        self.learner.wake(run.run)
                        await self.learner.caught_up()
                        await self._settle_search()
                    made, pending = await self._memory.tally()
                except BaseException as error:  # noqa: BLE001 - `_unwell` raises what must end the worker
                    await self._not_searchable(run, error, worker)
                    continue
                worker.progressed()
                run.made_after = made + pending
                run.read = True
                if self._embed and pending:
                    self.runs.tell(run)
                else:
                    await self.runs.end(run)
            self._embed_wake.set()
            await self._try_again(worker, self._searchable_wake)

    async def _not_searchable(self, run: Run, error: BaseException, worker: Worker) -> None:
        self._unwell("searching", error, worker)
        await self.runs.end(run, detail=f"stored, not searchable yet: {described(error)}")

    async def _try_again(self, worker: Worker, wake: anyio.Event) -> None:
        """After a failure see now and then whether it is over; not while a run waits."""
        troubles = 0
        while (worker.failure is not None or "searching" in self.trouble) and not wake.is_set():
            troubles += 1
            with anyio.move_on_after(PAUSES[min(troubles, len(PAUSES)) - 1]):
                await wake.wait()
                return
            try:
                await self._settle_search()
                await self._memory.tally()
            except BaseException as error:  # noqa: BLE001 - `_unwell` raises what must end the worker
                self._unwell("searching", error, worker)
                continue
            self.trouble.pop("searching", None)
            worker.progressed()

    # --- vectors ----------------------------------------------------------------------------------------------------

    async def _embedder(self, worker: Worker) -> None:
        if self._closed:
            return
        self._embed_wake.set()
        with anyio.CancelScope() as self._embedding:
            troubles = 0
            while True:
                await self._embed_wake.wait()
                self._embed_wake = anyio.Event()
                await self._let_words_first()
                # Only what was stored before the store said "nothing left" is done with it.
                ready = [run for run in self.runs if run.read]
                try:
                    made = await self._memory.embed_pending(self._bounds.embed_batch)
                except BaseException as error:  # noqa: BLE001 - `_unwell` raises what must end the worker
                    self._unwell("embedding", error, worker)
                    for run in ready:
                        await self.runs.end(run, detail=f"some vectors are missing: {described(error)}")
                    troubles += 1
                    await anyio.sleep(PAUSES[min(troubles, len(PAUSES)) - 1])
                    self._embed_wake.set()
                    continue
                troubles = 0
                self.trouble.pop("embedding", None)
                worker.progressed()
                await self._embedded(made, ready)

    async def _let_words_first(self) -> None:
        """Words never wait for vectors and facts: while documents are on their way into the store both hold back, for a while.

        All want every core, and what is not stored cannot be found at all.
        """
        with anyio.move_on_after(HOLD_SECONDS):
            while self._holding():  # noqa: ASYNC110 - also time alone ends it
                await anyio.sleep(HOLD_STEP)

    def _holding(self) -> bool:
        """Not while the store refuses what waits, which may last, nor while somebody wants all read."""
        if self._hurried or "storing" in self.trouble:
            return False
        return self._queued > 0 or self._being_fed()

    @contextmanager
    def hurried(self) -> Generator[None]:
        """What is stored is read and embedded in this block whatever else comes in."""
        self._hurried += 1
        try:
            yield
        finally:
            self._hurried -= 1

    def _being_fed(self) -> bool:
        """Whether some run had documents a moment ago, and expects more."""
        now = time.monotonic()
        return any(not run.finished and now - run.touched < FED_SECONDS for run in self.runs)

    async def _embedded(self, made: int, ready: Sequence[Run]) -> None:
        """So many texts more were embedded; with none, nothing waits that could be."""
        if made:
            self._embed_wake.set()
            for run in self.runs:
                self.runs.tell(run)
            # The oldest windows of texts come first: a run ends with its own, whatever others add behind them.
            done = self._memory.made - self._bounds.embed_batch * WINDOW_BATCHES
            ready = [run for run in self.runs if run.read and done >= (run.made_after or 0)]
        for run in ready:
            await self.runs.end(run)

    def _unwell(self, what: str, error: BaseException, worker: Worker | None = None) -> None:
        """Note what fails; an unforeseen error is the ``worker``'s, and logged as such. Raises what must not be survived."""
        if not survivable(error):
            raise error
        told = described(error)
        if worker is not None and not isinstance(error, MemdError):
            worker.failed(error)
        elif self.trouble.get(what) != told:
            log.warning("%s failed and is tried again: %s", what, told)
        self.trouble[what] = told


def _nothing() -> None:
    pass


def _all_refused(troubled: Sequence[tuple[Entry, BaseException]]) -> bool:
    return all(isinstance(error, StoreError) for _, error in troubled)


def _parts(documents: Sequence[Document], messages: int = 1000) -> Iterator[list[Document]]:
    """The documents in groups of about so many messages."""
    part: list[Document] = []
    size = 0
    for document in documents:
        part.append(document)
        size += size_of(document)
        if size >= messages:
            yield part
            part, size = [], 0
    if part:
        yield part
