"""From acknowledged to stored to embedded: documents go through the journal, a writer and an embedder work beside.

Two tasks, each with one thing to wait for; both may be cancelled at any moment, since what they have not finished is
still in the journal, or still without a vector in the store.
"""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field

import anyio
from anyio.abc import TaskGroup

from ..memory.evolving import EvolvingMemory, size_of
from ..schemas import Document, Outcome, ProgressUpdate, Stage, StoreReport
from ..schemas.errors import BusyError, EmbeddingError, InvalidError, MemdError, NotFoundError, StoreError
from .journal import Entry, Journal
from .progress import ProgressHub

ROOM_SECONDS = 30.0
"""How long an `accept` waits for room before it gives up, in which case it has kept nothing."""
ABANDONED_SECONDS = 600.0
"""A run that nobody sent anything to for so long is taken to be over."""
PAUSES = (0.1, 0.5, 2.0, 5.0, 15.0, 30.0)
"""Seconds between attempts, while the store or the embedder is unwell."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much is held at once."""

    batch_messages: int = 500
    batch_bytes: int = 4 * 1024 * 1024
    queue_messages: int = 20_000
    """Above this, `accept` waits: the back-pressure."""


@dataclass(slots=True)
class _Run:
    run: str
    source: str
    touched: float
    report: StoreReport = field(default_factory=StoreReport)
    """What the store did, and what was rejected before it."""
    processed: int = 0
    waiting: int = 0
    """Documents in the journal."""
    finished: bool = False
    embedded: int = 0
    to_embed: int = 0
    done_before: int = 0
    """Vectors that were there when the run began."""

    @property
    def stored(self) -> bool:
        return self.finished and not self.waiting

    @property
    def stage(self) -> Stage:
        if not self.finished:
            return "reading"
        return "storing" if self.waiting else "embedding"

    def outcome(self) -> Outcome:
        if self.report.failed and self.report.failed >= self.processed:
            return "failed"
        return "partial" if self.report.failed or self.report.rejected else "ok"


class Pipeline:
    """Takes documents in, one owner at a time; `start` begins the work in a task group that the caller holds."""

    def __init__(
        self,
        memory: EvolvingMemory,
        journal: Journal,
        hub: ProgressHub,
        bounds: Bounds | None = None,
        *,
        embed: bool = True,
    ) -> None:
        self._memory = memory
        self._journal = journal
        self._hub = hub
        self._bounds = bounds or Bounds()
        self._embed = embed
        self._runs: dict[str, _Run] = {}
        self._queued = 0
        """Messages in the journal, and those of accepted documents on their way into it."""
        self._room = anyio.Event()
        self._write_wake = anyio.Event()
        self._embed_wake = anyio.Event()
        self._idle = anyio.Event()
        self._done, self._pending = 0, 0
        self.trouble: dict[str, str] = {}
        """What is unwell now, by ``storing`` and ``embedding``, without private text."""

    async def start(self, tasks: TaskGroup) -> None:
        """Go on with what an earlier owner left, and wait for more."""
        await self._look()
        for left in await self._journal.waiting():
            run = self._add_run(left.run, left.source)
            run.processed, run.waiting, run.finished = left.messages, left.documents, True
            self._queued += left.messages
        self._write_wake.set()
        self._embed_wake.set()
        tasks.start_soon(self._writer)
        if self._embed:
            tasks.start_soon(self._embedder)

    # --- in ---------------------------------------------------------------------------------------------------------

    async def begin(self, source: str) -> str:
        """Start a run; returns its id."""
        for run in list(self._runs.values()):
            if not run.finished and time.monotonic() - run.touched > ABANDONED_SECONDS:
                await self.finish(run.run)
        run = self._add_run(uuid.uuid4().hex, source)
        await self._journal.begin(run.run, source)
        self._tell(run)
        return run.run

    async def accept(self, run: str, documents: Sequence[Document], *, rejected: int = 0) -> StoreReport:
        """Keep documents; acknowledged when it returns. ``added`` of the report: messages that now wait to be stored.

        Raises:
            NotFoundError: there is no such run.
            InvalidError: the run was finished.
            BusyError: there was no room for too long; nothing was kept.
            StoreError: nothing was kept.
        """
        state = self._open_run(run)
        known = await self._memory.unchanged(documents) if documents else []
        fresh = [document for document, same in zip(documents, known, strict=True) if not same]
        messages = sum(size_of(document) for document in fresh)
        same = sum(size_of(document) for document, is_same in zip(documents, known, strict=True) if is_same)
        if fresh:
            await self._wait_for_room()
            self._open_run(run)
            # Counted before the commit, so that the writer, which may be faster, never counts below zero.
            state.waiting += len(fresh)
            self._queued += messages
            try:
                await self._journal.add(run, fresh)
            except BaseException:
                await self._recount(state, messages, len(fresh))
                raise
            self._write_wake.set()
        state.touched = time.monotonic()
        state.processed += messages + same
        state.report += StoreReport(documents=len(documents) - len(fresh), unchanged=same, rejected=rejected)
        self._tell(state)
        return StoreReport(documents=len(documents), added=messages, unchanged=same, rejected=rejected)

    async def finish(self, run: str) -> None:
        """No more comes in this run; repeating it changes nothing."""
        state = self._runs.get(run)
        if state is not None and not state.finished:
            state.finished = True
            self._tell(state)
            await self._settle(state)

    def activity(self) -> list[dict[str, object]]:
        """The runs that go on."""
        return [update.to_wire() for update in self._hub.active()]

    async def drain(self) -> None:
        """Return when everything that was acknowledged is in the store."""
        while any(run.waiting for run in self._runs.values()):
            self._idle = anyio.Event()
            await self._idle.wait()

    def close(self) -> None:
        """Tell every follower how its run stands; what is left goes on with the next owner."""
        for run in list(self._runs.values()):
            left = run.waiting or not run.finished or run.embedded < run.to_embed
            update = self._update(run, "done", outcome="partial" if left else run.outcome())
            self._hub.publish(update.model_copy(update={"detail": "stopped; what was kept goes on at the next start"}))
        self._runs.clear()
        self._hub.close()

    def _add_run(self, run: str, source: str) -> _Run:
        state = self._runs[run] = _Run(run, source, time.monotonic(), done_before=self._done)
        return state

    def _open_run(self, run: str) -> _Run:
        state = self._runs.get(run)
        if state is None:
            raise NotFoundError("there is no such run", hint="send the documents again, without `run`")
        if state.finished:
            raise InvalidError("the run is finished", hint="send the documents without `run` to begin another")
        return state

    async def _wait_for_room(self) -> None:
        with anyio.move_on_after(ROOM_SECONDS):
            while self._queued >= self._bounds.queue_messages:
                self._room = anyio.Event()
                await self._room.wait()
            return
        why = self.trouble.get("storing", "")
        raise BusyError(
            f"the queue is full{': ' + why if why else ''}", hint="nothing of this was kept; try again later"
        )

    async def _recount(self, state: _Run, messages: int, documents: int) -> None:
        """After a commit whose end nobody saw: what does the journal hold?"""
        with anyio.CancelScope(shield=True):
            try:
                left = {waiting.run: waiting for waiting in await self._journal.waiting()}
            except StoreError:
                left = {}
        held = left[state.run].documents if state.run in left else 0
        if state.waiting > held:
            state.waiting -= documents
            self._queued -= messages
        self._write_wake.set()

    # --- to the store -----------------------------------------------------------------------------------------------

    async def _writer(self) -> None:
        troubles = 0
        while True:
            try:
                entries = await self._journal.take(self._bounds.batch_messages, self._bounds.batch_bytes)
                if not entries:
                    self._idle.set()
                    await self._write_wake.wait()
                    self._write_wake = anyio.Event()
                    continue
                well = await self._write(entries)
            except StoreError as error:
                self._unwell("storing", error)
                well = False
            troubles = 0 if well else troubles + 1
            if well:
                self.trouble.pop("storing", None)
            else:
                await anyio.sleep(PAUSES[min(troubles, len(PAUSES)) - 1])

    async def _write(self, entries: Sequence[Entry]) -> bool:
        """One batch; returns whether the store is well."""
        documents = [entry.document for entry in entries if entry.document is not None]
        if len(documents) == len(entries):
            try:
                # Counts by run need one call for each run; a batch hardly ever holds two.
                for run in dict.fromkeys(entry.run for entry in entries):
                    mine = [entry for entry in entries if entry.run == run]
                    report = await self._memory.write([entry.document for entry in mine if entry.document is not None])
                    await self._stored(run, mine, report)
            except Exception as error:  # noqa: BLE001 - which document it was, and whether it is one, is found one by one
                self._unwell("storing", error)
                return await self._write_each(entries)
            return True
        return await self._write_each(entries)

    async def _write_each(self, entries: Sequence[Entry]) -> bool:
        """Each document by itself. Attempts are not counted while the store refuses all of several documents."""
        left = {entry.seq for entry in await self._journal.take(self._bounds.batch_messages, self._bounds.batch_bytes)}
        troubled: list[tuple[Entry, Exception]] = []
        behind: set[str] = set()
        stored = 0
        for entry in entries:
            # A later version must not be stored before an earlier one of the same document.
            if entry.seq not in left or entry.key in behind:
                continue
            try:
                if entry.document is None:
                    raise StoreError("the journal's text is no document")
                report = await self._memory.write([entry.document])
            except Exception as error:  # noqa: BLE001 - whatever a document does, the others go on
                troubled.append((entry, error))
                behind.add(entry.key)
                continue
            stored += 1
            await self._stored(entry.run, [entry], report)
        refused = not stored and len(troubled) > 1 and all(isinstance(error, StoreError) for _, error in troubled)
        if not refused:
            for entry, error in troubled:
                await self._failed(entry, error)
        return not troubled

    async def _stored(self, run: str, entries: Sequence[Entry], report: StoreReport) -> None:
        await self._journal.done(entries)
        self._embed_wake.set()
        await self._left(run, entries, report)

    async def _failed(self, entry: Entry, error: Exception) -> None:
        reason = error.message if isinstance(error, MemdError) else type(error).__name__
        if await self._journal.failed(entry, reason):
            log.warning("a document was given up: %s", reason, extra={"run": entry.run, "seq": entry.seq})
            await self._left(entry.run, [entry], StoreReport(documents=1, failed=entry.messages))

    async def _left(self, run: str, entries: Sequence[Entry], report: StoreReport) -> None:
        """These are not in the queue any more."""
        self._queued -= sum(entry.messages for entry in entries)
        if self._queued < self._bounds.queue_messages:
            self._room.set()
        state = self._runs.get(run)
        if state is not None:
            state.waiting -= len(entries)
            state.report += report
            self._tell(state)
            await self._settle(state)

    async def _settle(self, run: _Run) -> None:
        """A run that is stored waits for vectors, or ends where nobody makes them."""
        if run.stored:
            if self._embed:
                self._embed_wake.set()
            else:
                await self._look()
                await self._end(run)

    # --- vectors ----------------------------------------------------------------------------------------------------

    async def _embedder(self) -> None:
        troubles = 0
        while True:
            await self._embed_wake.wait()
            self._embed_wake = anyio.Event()
            # Only what was stored before the store said "nothing left" is done with it.
            ready = [run for run in self._runs.values() if run.stored]
            try:
                made = await self._memory.embed_pending()
                await self._look()
            except (EmbeddingError, StoreError) as error:
                self._unwell("embedding", error)
                for run in ready:
                    await self._end(run, detail=f"some vectors are missing: {error.message}")
                troubles += 1
                await anyio.sleep(PAUSES[min(troubles, len(PAUSES)) - 1])
                self._embed_wake.set()
                continue
            troubles = 0
            self.trouble.pop("embedding", None)
            if made:
                self._embed_wake.set()
                for run in self._runs.values():
                    self._tell(run)
            else:
                for run in ready:
                    await self._end(run)

    async def _look(self) -> None:
        vectors = (await self._memory.stats())["vectors"]
        if isinstance(vectors, dict):
            self._done, self._pending = int(vectors["done"]), int(vectors["pending"])  # pyright: ignore[reportUnknownArgumentType]

    async def _end(self, run: _Run, *, detail: str = "") -> None:
        if self._runs.pop(run.run, None) is None:
            return
        outcome = run.outcome()
        outcome = "partial" if detail and outcome == "ok" else outcome
        try:
            await self._journal.end(run.run, outcome)
        except StoreError as error:
            log.warning("the end of a run was not noted: %s", error.message, extra={"run": run.run})
        self._hub.publish(self._update(run, "done", outcome=outcome, detail=detail))

    # --- progress ---------------------------------------------------------------------------------------------------

    def _tell(self, run: _Run) -> None:
        self._hub.publish(self._update(run, run.stage))

    def _update(self, run: _Run, stage: Stage, *, outcome: Outcome | None = None, detail: str = "") -> ProgressUpdate:
        if stage in {"embedding", "done"}:
            run.embedded = max(run.embedded, self._done - run.done_before)
            run.to_embed = max(run.to_embed, run.embedded + self._pending)
            if not self._pending:
                run.embedded = run.to_embed
        return ProgressUpdate(
            run=run.run,
            stage=stage,
            source=run.source,
            processed=run.processed,
            total=run.processed if run.finished else None,
            added=run.report.added,
            updated=run.report.updated,
            unchanged=run.report.unchanged,
            rejected=run.report.rejected,
            failed=run.report.failed,
            documents=run.report.documents,
            embedded=run.embedded,
            to_embed=run.to_embed,
            outcome=outcome,
            detail=detail,
        )

    def _unwell(self, what: str, error: Exception) -> None:
        told = error.message if isinstance(error, MemdError) else type(error).__name__
        if self.trouble.get(what) != told:
            log.warning("%s failed and is tried again: %s", what, told)
        self.trouble[what] = told
