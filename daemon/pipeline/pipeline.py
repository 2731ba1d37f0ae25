"""The pipeline from acknowledged to stored to embedded: documents go through the journal to the store, and workers
complete the runs.

`accept` writes documents to the journal. `writer` stores them, `run_completion` makes runs searchable and waits for
their facts, `extraction_worker` extracts the facts, `embedding_worker` makes vectors. Each worker may be cancelled at
any moment.
"""

from __future__ import annotations

import sqlite3
import time
import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Sequence
from contextlib import AbstractContextManager, asynccontextmanager
from uuid import UUID

import anyio
from anyio.abc import TaskGroup

from ...memory.ingest.batching import concrete_document, size_of, write_batches_of
from ...memory.memory import EvolvingMemory
from ...memory.merge.plan import key_of
from ...memory.supervision import Worker, Workers
from ...schemas import Document, StoreReport
from ...schemas.errors import BusyError
from ..journal.journal import Journal, entry_key
from ..journal.memberships import MembershipChanges
from ..journal.note_files import NoteChanges
from ..journal.run_history import COMMAND, RunOrigin, processed_of
from .backlog import Backlog
from .embedding_worker import EmbeddingWorker
from .extraction_worker import ExtractionWorker
from .limits import PipelineLimits
from .measurements import Measurements
from .progress import ProgressHub
from .run_completion import RunCompletion
from .runs import Runs
from .stage_failures import StageFailures
from .writer import StoreWriter
from .writer_priority import WriterPriority

ROOM_SECONDS = 30.0
"""The time an `accept` waits for room before it gives up without having kept anything."""
ABANDONED_SECONDS = 3600.0
"""The silence in seconds after which a client's run counts as abandoned. A job ends its run itself, however long it
waits.
"""
ABANDONED_CHECK_SECONDS = 30.0
"""The seconds between two checks for such runs: a client may end in any way, and nothing else reports it."""
ABANDONED = "whoever sent it ended before everything was sent; send it again: what is there stays as it is"
"""The detail of such a run."""
UNCHANGED_MESSAGES = 1000
"""The number of messages that `accept` compares with the store at a time."""
CONCLUDE_SECONDS = 0.05
"""The seconds between two checks, at the end, whether every stored run has ended."""


class Pipeline:
    """Takes documents in, for one owner at a time; `start` begins the work in a task group that the caller holds."""

    def __init__(
        self,
        memory: EvolvingMemory,
        journal: Journal,
        hub: ProgressHub,
        bounds: PipelineLimits | None = None,
        *,
        refresh_indexes: Callable[[], Awaitable[None]],
        embed: bool = True,
        extraction_worker: ExtractionWorker | None = None,
        workers: Workers | None = None,
    ) -> None:
        bounds = bounds or PipelineLimits()
        self._memory = memory
        self.journal = journal
        self._embed = embed
        self.extraction_worker = extraction_worker
        self.workers = workers or Workers()
        self._closed = False
        self.measurements = Measurements()
        self.runs = Runs(journal, hub, lambda: memory.made, self.measurements)
        self.trouble = StageFailures()
        self._backlog = Backlog(bounds.queue_messages)
        self._priority = WriterPriority(self._backlog, self.runs, self.trouble)
        self._embedding = EmbeddingWorker(
            memory, self.runs, self.trouble, self._priority, bounds.embed_batch, self.measurements
        )
        self._completion = RunCompletion(
            memory,
            self.runs,
            self.trouble,
            extraction_worker,
            refresh_indexes=refresh_indexes,
            wake_embedder=self.embed_more,
            embed=embed,
            measurements=self.measurements,
        )
        self.writer = StoreWriter(
            memory,
            journal,
            self.runs,
            self._backlog,
            self.trouble,
            bounds,
            extraction_worker,
            on_stored=self.embed_more,
            on_run_stored=self._completion.stored.set,
            measurements=self.measurements,
        )

    async def start(self, tasks: TaskGroup) -> None:
        """Continue with the queue of an earlier owner, and wait for more."""
        await self.journal.runs.end_abandoned()
        await self.count_waiting()
        self.workers.start(tasks, "storing", self.writer.work)
        self.workers.start(tasks, "searching", self._completion.make_searchable)
        self.workers.start(tasks, "concluding", self._completion.extract_facts)
        self.workers.start(tasks, "ending abandoned runs", self._watch_for_abandoned)
        if self.extraction_worker is not None:
            self.extraction_worker.let_words_first = self._priority.wait
            self.extraction_worker.on_read = self.embed_more
            self.extraction_worker.measurements = self.measurements
            self.workers.start(tasks, "reading", self.extraction_worker.work)
        if self._embed:
            self.workers.start(tasks, "embedding", self._embedding.work)

    async def count_waiting(self) -> None:
        """Count the queue of an earlier owner, so that answers can say that it is not stored yet."""
        for left in await self.journal.runs.queued():
            run = self.runs.add(left.run, left.source)
            run.processed, run.waiting, run.finished = left.messages + processed_of(left.done), left.documents, True
            run.trouble = left.detail
            run.report = left.done
            self._backlog.add(left.messages)
            self.runs.tell(run)

    def stop_accepting(self) -> None:
        """Accept no more documents and make no more vectors: memd is shutting down."""
        self._closed = True
        self._backlog.notify()
        self._embedding.stop()

    async def begin(self, source: str, origin: RunOrigin = COMMAND, *, whole: bool = False) -> str:
        """Start a run; return its id.

        Args:
            source: the source that it is reported under.
            origin: the job, trigger and due time.
            whole: one `accept` brings everything. Any other run is interrupted if memd is killed before its `finish`.

        Raises:
            BusyError: the daemon is shutting down.
        """
        self._refuse_when_closed()
        name = uuid.uuid4().hex
        # Recorded before it is added to the runs: if cancelled here, nothing would end the run.
        await self.journal.runs.begin(name, source, origin, whole=whole)
        self.runs.tell(self.runs.add(name, source, of_job=bool(origin.job), whole=whole))
        return name

    async def accept(
        self,
        run: str,
        documents: Sequence[Document],
        *,
        rejected: int = 0,
        again: bool = False,
        buffers: Sequence[str] = (),
        places: Sequence[str] = (),
        along: Callable[[sqlite3.Connection], None] | None = None,
        memberships: MembershipChanges | NoteChanges | None = None,
    ) -> StoreReport:
        """Write documents to the journal; acknowledged when it returns. ``added`` of the report: messages that now wait
        to be stored.

        Args:
            run: the run that they belong to.
            documents: in the order in which they are to be stored.
            rejected: records beside them that could not be read.
            again: forgotten messages among them may come back.
            buffers: for each document the buffer that holds it back until `release`, or empty.
            places: the place where each document was read, if known; see `receipts.PlaceCounts`.
            along: a function that writes more to the journal in the same transaction, such as the cursor of the source.
            memberships: the folders of an account, or the files of a mirrored folder, that contain them; written in the same
                transaction.

        Raises:
            NotFoundError: there is no such run.
            InvalidError: the run was finished.
            BusyError: there was no room for too long, or the daemon is shutting down; nothing was kept.
            StoreError: nothing was kept.
        """
        self._refuse_when_closed()
        state = self.runs.open(run)
        state.touched = time.monotonic()  # it may wait for room for long
        if again:
            await self._memory.allow_again(documents)
        unchanged = await self._unchanged(documents)
        fresh = [document for document, same in zip(documents, unchanged, strict=True) if not same]
        forgotten = 0
        if len(fresh) < len(documents):
            stored = [document for document, is_same in zip(documents, unchanged, strict=True) if is_same]
            await self._memory.note_unchanged(stored, run)
            forgotten = await self._memory.forgotten_since(stored)
        if memberships is not None:
            keys = {
                key_of(concrete_document(each)) for each, is_same in zip(documents, unchanged, strict=True) if is_same
            }
            along = _with_memberships(along, memberships, run, keys)
        messages = sum(size_of(document) for document in fresh)
        same = sum(size_of(document) for document, is_same in zip(documents, unchanged, strict=True) if is_same)
        kept_already = StoreReport(
            documents=len(documents) - len(fresh), unchanged=same - forgotten, forgotten=forgotten, rejected=rejected
        )
        if fresh:
            await self._wait_for_room()
            self.runs.open(run)
            fresh_buffers = (
                [buffer for buffer, same in zip(buffers, unchanged, strict=True) if not same] if buffers else ""
            )
            fresh_places = [place for place, same in zip(places, unchanged, strict=True) if not same] if places else ()
            await self._journal_documents(run, fresh, messages, fresh_buffers, fresh_places, along, kept_already)
        elif along is not None or documents or rejected:
            with anyio.CancelScope(shield=True):
                await self.journal.add(run, (), along=along, counted=kept_already)
        if memberships is not None and memberships.noted:
            state.checking = True  # before the run is finished, so that it does not count as stored
            self.writer.check_sources()
        state.touched = time.monotonic()
        state.processed += messages + same
        state.report += kept_already
        self.measurements.count(kept_already)
        self.runs.tell(state)
        return StoreReport(documents=len(documents), added=messages, unchanged=same, rejected=rejected)

    async def _unchanged(self, documents: Sequence[Document]) -> list[bool]:
        """Return for each document whether storing it would change nothing. A text is what it was read as last, so one that
        another version precedes, in the journal or here, is stored behind that.
        """
        texts = [place for place, document in enumerate(documents) if not document.is_conversation()]
        busy = self.has_backlog
        unchanged = await self._stored_alike(documents)
        waiting: set[str] = set()
        if busy and any(unchanged[place] for place in texts):
            waiting = await self.journal.waiting_keys()
            unchanged = await self._stored_alike(documents)  # what waits no longer is stored by now
        for place in texts:
            key = entry_key(documents[place])
            unchanged[place] &= key not in waiting
            if not unchanged[place]:
                waiting.add(key)
        return unchanged

    async def _stored_alike(self, documents: Sequence[Document]) -> list[bool]:
        unchanged: list[bool] = []
        for part in write_batches_of(
            documents, UNCHANGED_MESSAGES
        ):  # in parts, so that a query need not wait for thousands of digests
            unchanged += await self._memory.unchanged(part)
        return unchanged

    async def _journal_documents(
        self,
        run: str,
        documents: Sequence[Document],
        messages: int,
        buffer: str | Sequence[str],
        places: Sequence[str],
        along: Callable[[sqlite3.Connection], None] | None,
        counted: StoreReport,
    ) -> None:
        # Counted before the commit: the writer may be faster, and must not count below zero.
        state = self.runs.open(run)
        state.waiting += len(documents)
        self._backlog.add(messages)
        try:
            # A commit cannot be undone; shielded, its outcome is known.
            with anyio.CancelScope(shield=True), self.measurements.timing("journal"):
                await self.journal.add(run, documents, buffer=buffer, places=places, along=along, counted=counted)
        except BaseException:
            state.waiting -= len(documents)
            self._backlog.remove(messages)
            raise
        self.writer.wake.set()

    async def withdraw(self, run: str) -> None:
        """Withdraw a run of which nothing was kept, as if it had never begun; a run that kept something is finished
        instead.
        """
        state = self.runs.get(run)
        if state is None:
            return
        if state.processed or state.waiting or state.checking:
            await self.finish(run)
        else:
            with anyio.CancelScope(shield=True):
                await self.runs.withdraw(run)

    async def finish(self, run: str, trouble: str = "", *, broken: bool = False) -> None:
        """Close a run to further documents; repeating it changes nothing.

        Args:
            run: its id.
            trouble: the reason if it is incomplete, without private text.
            broken: it ended with an error, and counts as failed if nothing came at all.
        """
        state = self.runs.get(run)
        if state is not None and not state.finished:
            state.finished = True
            state.trouble, state.broken = trouble, broken
            await self.runs.note_complete(state)
            self.runs.tell(state)
            self._completion.stored.set()

    async def _watch_for_abandoned(self, worker: Worker) -> None:
        """Finish the runs of clients that have been silent for too long. A job finishes its own runs."""
        while True:
            for run in self.runs:
                silent = time.monotonic() - run.touched
                if not run.of_job and not run.finished and silent > ABANDONED_SECONDS:
                    await self.finish(run.run, ABANDONED)
            worker.progressed()
            await anyio.sleep(ABANDONED_CHECK_SECONDS)

    @property
    def closed(self) -> bool:
        """Return whether no more documents are accepted."""
        return self._closed

    async def release(self, numbers: Sequence[int]) -> None:
        """Let the writer store entries that a buffer held back."""
        await self.journal.release(numbers)
        self.writer.wake.set()

    def note_held(self, messages: int) -> bool:
        """Set the number of messages that buffers hold back, which back-pressure ignores. Return whether it is too
        many.
        """
        self._backlog.hold(messages)
        return self._backlog.buffers_full

    @property
    def has_backlog(self) -> bool:
        """Return whether an acknowledged document is not in the store yet."""
        return self._backlog.messages > 0

    def degraded(self) -> list[str]:
        """Return the parts that do not work now: ``storing`` while the store fails, ``journal`` while nothing can be
        written to the journal, so that nothing comes in, ``vector`` while the embedder fails, or ``embedder`` if the
        fallback stands in for it, ``facts`` while documents cannot be read for facts, and ``workers`` while a background
        worker fails.
        """
        failing = {each.worker for each in self.workers.failing()}
        fallback = self._memory.fallback
        stands_in = fallback is not None and fallback.active and "fallback" not in self.trouble
        embedding = "embedding" in failing or "embedding" in self.trouble
        parts = {
            "storing": "storing" in self.trouble,
            "journal": bool(self.journal.failure()),
            "vector": embedding and not stands_in,
            "embedder": embedding and stands_in,
            "facts": self.extraction_worker is not None and bool(self.extraction_worker.unreadable),
            "workers": bool(failing),
        }
        return [name for name, fails in parts.items() if fails]

    async def drain(self) -> None:
        """Wait until every acknowledged document is in the store."""
        await self._backlog.wait_until_empty()

    async def conclude(self) -> None:
        """Wait until stored documents are searchable and the runs that need nothing else have ended. The outcomes of
        runs whose vectors and facts are left to the next owner are recorded both before and after the wait, because the
        indexes may not catch up in time.
        """
        await self.runs.note_stored()
        while any(run.ending or (run.stored and not run.searchable) for run in self.runs):  # noqa: ASYNC110 - asked once, at the end
            await anyio.sleep(CONCLUDE_SECONDS)
        await self.runs.note_stored()

    def close(self) -> None:
        """Publish a last state of every run to its followers; unfinished work goes on with the next owner."""
        self.runs.close()

    def _refuse_when_closed(self) -> None:
        if self._closed:
            raise BusyError("memd is about to end", hint="send the rest again when it runs; what was kept is safe")

    async def _wait_for_room(self) -> None:
        with anyio.move_on_after(ROOM_SECONDS):
            while not self._backlog.has_room:
                await self._backlog.changed()
                self._refuse_when_closed()
            return
        why = self.trouble.get("storing")
        raise BusyError(
            f"the queue is full{': ' + why if why else ''}", hint="nothing of this was kept; try again later"
        )

    @asynccontextmanager
    async def paused(self) -> AsyncGenerator[Journal]:
        """Move nothing from the journal to the store in this block; the journal may still take documents in."""
        async with self.writer.turn:
            yield self.journal

    async def requeue(self, source: str, revive: Callable[[str], Awaitable[tuple[int, int]]]) -> str:
        """Make a run of documents that are already in the journal: ``revive`` gets the run's id, queues documents, and
        returns the number of documents and of messages. Return the run's id.

        Raises:
            BusyError: the daemon is shutting down.
        """
        run = await self.begin(source, whole=True)
        state = self.runs.open(run)
        state.takes_up = False
        try:
            # The writer is paused, so that nothing is counted out before it was counted in. Shielded, as in `accept`.
            async with self.writer.turn:
                with anyio.CancelScope(shield=True):
                    documents, messages = await revive(run)
                    state.waiting += documents
                    state.processed += messages
                    self._backlog.add(messages)
        except BaseException:
            await self.withdraw(run)
            raise
        finally:
            await self.finish(run)
            self.writer.wake.set()
        return run

    def embed_more(self) -> None:
        """Wake the embedder, because new texts may wait for a vector."""
        self._embedding.wake.set()

    def when_embedded(self, tell: Callable[[], None]) -> None:
        """Have ``tell`` called whenever no text is left that could be embedded."""
        self._embedding.on_done = tell

    def background_work_first(self) -> AbstractContextManager[None]:
        """Read and embed in this block without waiting for documents that come in."""
        return self._priority.suspended()


def _with_memberships(
    along: Callable[[sqlite3.Connection], None] | None,
    memberships: MembershipChanges | NoteChanges,
    run: str,
    stored: Collection[UUID],
) -> Callable[[sqlite3.Connection], None]:
    def work(connection: sqlite3.Connection) -> None:
        memberships.save(connection, run, stored)
        if along is not None:
            along(connection)

    return work
