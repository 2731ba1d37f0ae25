"""The writer: takes the oldest documents from the journal in batches, stores them, and removes them from the journal."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Sequence
from functools import partial
from itertools import groupby
from uuid import UUID

import anyio

from ...memory.memory import EvolvingMemory, Homes
from ...memory.supervision import Worker, describe_error, is_recoverable, pause_after
from ...memory.write_batches import QueuedEntries
from ...schemas import StoreReport
from ...schemas.errors import MemdError, ProcessingError, StoreError
from ..journal import memberships, note_files
from ..journal.journal import Journal, JournalEntry, RemovedEntry
from ..logs import correlated
from .backlog import Backlog
from .clearable_event import ClearableEvent
from .extraction_worker import ExtractionWorker
from .limits import PipelineLimits
from .measurements import Measurements
from .runs import Runs
from .stage_failures import StageFailures

GIVEN_UP = 4
"""The number of failures of the store in a row after which finished runs that wait for it end as partial; their
documents stay journaled.
"""

log = logging.getLogger(__name__)


class StoreWriter:
    """One worker. It may be cancelled at any moment: unfinished documents are still in the journal.

    Args:
        on_stored: called after documents were stored.
        on_run_stored: called when a run has nothing left to store.
    """

    def __init__(
        self,
        memory: EvolvingMemory,
        journal: Journal,
        runs: Runs,
        backlog: Backlog,
        failures: StageFailures,
        bounds: PipelineLimits,
        extraction_worker: ExtractionWorker | None,
        *,
        on_stored: Callable[[], None],
        on_run_stored: Callable[[], None],
        measurements: Measurements,
    ) -> None:
        self._memory = memory
        self._journal = journal
        self._runs = runs
        self._backlog = backlog
        self._failures = failures
        self._bounds = bounds
        self._learner = extraction_worker
        self._on_stored = on_stored
        self._on_run_stored = on_run_stored
        self._measurements = measurements
        self.on_kept_out: Callable[[], None] = _nothing
        """Called when forgotten messages came in again and were kept out of the store: the journal held them until now.
        """
        self.wake = ClearableEvent()
        """Set when the journal has new documents."""
        self.turn = anyio.Lock()
        """The lock that is held while a batch goes from the journal to the store."""
        self._checks = True
        """True if checks may be pending, also those of an earlier owner."""
        self._batch_error = ""
        """The error logged for the last batch that could not be stored as a whole; empty after a success."""

    async def work(self, worker: Worker) -> None:
        """Store the documents of the journal, until cancelled."""
        failures = 0
        while True:
            entries: list[JournalEntry] = []
            try:
                async with self.turn:
                    entries = await self._take()
                    works = await self._write(entries) if entries else True
                    if works and self._checks:
                        await self._check_sources()
            except BaseException as error:  # noqa: BLE001 - `record` raises what must end the worker
                self._failures.record("storing", error, worker)
                works = False
            if not works:
                failures += 1
                if failures >= GIVEN_UP and "storing" in self._failures:
                    await self._end_waiting_runs()
                await anyio.sleep(pause_after(failures))
                continue
            failures = 0
            self._failures.clear("storing")
            worker.progressed()
            if not entries:
                await self.wake.wait()
                self.wake.clear()

    def check_sources(self) -> None:
        """Request the checks that a source recorded, because messages have moved, or files with notes are gone."""
        self._checks = True
        self.wake.set()

    async def _check_sources(self) -> None:
        """Process some pending checks. The rest waits behind newly arrived documents, because a folder may hold very many
        mails.
        """
        self._checks = False
        try:
            if await self._check_tags() or await self._check_notes():
                self._checks = True
                self.wake.set()
                return
            waiting = await self._journal.run(memberships.runs_with_checks)
            waiting |= await self._journal.run(note_files.runs_with_checks)
        except BaseException:
            self._checks = True
            raise
        self._checks |= bool(waiting)
        for state in self._runs:
            if state.checking and state.run not in waiting:
                state.checking = False
                self._runs.tell(state)
                if state.stored:
                    self._on_run_stored()

    async def _check_tags(self) -> bool:
        """Add tags of folders that contain a message of the document, and remove those of folders that no longer do; return
        whether there were any checks.
        """
        checks = await self._journal.run(memberships.due_checks)
        for run, some in groupby(checks, key=lambda check: check.run):
            tags_by_document: dict[UUID, dict[str, bool]] = {}
            for each in some:
                tags_by_document.setdefault(each.document, {})[each.tag] = each.given
            with correlated(run):
                await self._memory.set_tags(tags_by_document, run, partial(self._lasting, run=run))
        if checks:
            await self._journal.run(partial(memberships.end_checks, checks=checks))
        return bool(checks)

    async def _check_notes(self) -> bool:
        """Retire notes whose files are gone; return whether there were any checks."""
        checks = await self._journal.run(note_files.due_checks)
        for run, some in groupby(checks, key=lambda check: check.run):
            gone = [each.document for each in some if not each.held]
            job = await self._journal.run(partial(note_files.job_of, run=run))
            with correlated(run):
                await self._memory.retirement.retire(gone, run, partial(self._lasting_of_notes, job=job))
        if checks:
            await self._journal.run(partial(note_files.end_checks, checks=checks))
        return bool(checks)

    async def _lasting_of_notes(self, runs: Collection[str], job: str) -> Collection[str]:
        return await self._journal.run(partial(note_files.lasting_runs, runs=runs, job=job))

    async def _lasting(self, runs: Collection[str], run: str) -> Collection[str]:
        return await self._journal.run(partial(memberships.lasting_runs, runs=runs, run=run))

    def removed(self, removed: Sequence[RemovedEntry]) -> None:
        """Count out the documents and messages that a forgetting removed from the journal."""
        for each in removed:
            if each.queued:
                report = StoreReport(documents=int(each.whole), forgotten=each.messages)
                self._count_out(each.run, int(each.whole), each.messages, report)
        self.wake.set()

    async def _take(self) -> list[JournalEntry]:
        return await self._journal.take(self._bounds.batch_messages, self._bounds.batch_bytes)

    async def _end_waiting_runs(self) -> None:
        """End finished runs as partial while the store fails; their documents stay queued."""
        for run in [run for run in self._runs if run.finished and (run.waiting or run.checking)]:
            await self._runs.end(run, detail=f"kept, not stored yet: {self._failures['storing']}")

    async def _write(self, entries: Sequence[JournalEntry]) -> bool:
        """Store one batch; return whether the store works."""
        if any(entry.document is None for entry in entries):
            return await self._write_each(entries)
        try:
            # Counts by run need one call per stretch of a run; a batch hardly ever has two. The order is kept, so that
            # the newest version of a document is stored last.
            for run, stretch in groupby(entries, key=lambda entry: entry.run):
                batch = list(stretch)
                with correlated(run):
                    await self._stored(run, batch, *await self._store(run, batch, entries))
        except BaseException as error:
            if not is_recoverable(error):
                raise
            if isinstance(error, MemdError):
                self._failures.record("storing", error)
            elif self._batch_error != (description := describe_error(error)):
                self._batch_error = description
                log.warning("a batch failed and each of its documents is tried: %s", description)
            return await self._write_each(entries)  # the failing document is found one by one
        self._batch_error = ""
        return True

    async def _write_each(self, entries: Sequence[JournalEntry]) -> bool:
        """Store each document by itself; return whether the store works. While it refuses all, no attempt is counted."""
        left = {entry.seq for entry in await self._take()}
        failed: list[tuple[JournalEntry, BaseException]] = []
        failed_keys: set[str] = set()
        stored = 0
        for entry in entries:
            if not stored and len(failed) >= GIVEN_UP and _all_refused(failed):
                break  # the store accepts nothing: hundreds of others would fare no better
            # A later version must not be stored before an earlier one of the same document.
            if entry.seq not in left or entry.key in failed_keys:
                continue
            try:
                report, reports = await self._store(entry.run, [entry], entries)
            except BaseException as error:  # whatever one document causes, the others continue
                if not is_recoverable(error):
                    raise
                failed.append((entry, error))
                failed_keys.add(entry.key)
                continue
            stored += 1
            await self._stored(entry.run, [entry], report, reports)
        # A refusal while the store accepts nothing says nothing about the document: the disk may be full.
        if failed and not stored and _all_refused(failed):
            return False
        for entry, error in failed:
            await self._failed(entry, error)
        if failed:
            await anyio.sleep(pause_after(1))
        return True

    async def _store(
        self, run: str, entries: Sequence[JournalEntry], batch: Sequence[JournalEntry]
    ) -> tuple[StoreReport, Sequence[StoreReport]]:
        """Store entries; return the store's report on all and on each. ``batch``: all entries that may be in both the
        store and the journal.
        """
        documents = [entry.document for entry in entries if entry.document is not None]
        if len(documents) < len(entries):
            raise ProcessingError("the journal's text is no document")
        if self._learner is not None:  # it may read them at once, and records facts under a run that can be undone
            self._learner.run = run
        homes: Homes = {}
        reports: list[StoreReport] = []
        with self._measurements.timing("store"):
            names = QueuedEntries([(each.run, each.seq) for each in entries], [(each.run, each.seq) for each in batch])
            report = await self._memory.write(documents, run, homes, reports, names)
        if homes:  # before the entries are done: after an interruption both are repeated
            await self._journal.run(partial(memberships.move, homes=memberships.moves_of(homes)))
        return report, reports

    async def _stored(
        self, run: str, entries: Sequence[JournalEntry], report: StoreReport, reports: Sequence[StoreReport]
    ) -> None:
        await self._journal.done(entries, reports, purge=report.forgotten > 0)
        if report.forgotten:
            self.on_kept_out()
        self._on_stored()
        self._count_out(run, len(entries), sum(entry.messages for entry in entries), report)

    async def _failed(self, entry: JournalEntry, error: BaseException) -> None:
        reason = error.message if isinstance(error, MemdError) else type(error).__name__
        if await self._journal.failed(entry, reason, self._bounds.attempts):
            extra = {"correlation_id": entry.run, "seq": entry.seq, "error": describe_error(error)}
            log.warning("a document was given up: %s", reason, extra=extra)
            self._count_out(entry.run, 1, entry.messages, StoreReport(documents=1, failed=entry.messages))

    def _count_out(self, run: str, documents: int, messages: int, report: StoreReport) -> None:
        """Count documents and messages of a run out of the queue, with their results."""
        self._backlog.remove(messages)
        self._measurements.count(report)
        state = self._runs.get(run)
        if state is not None:
            state.waiting -= documents
            state.report += report
            self._runs.tell(state)
            if state.stored:
                self._on_run_stored()


def _nothing() -> None:
    pass


def _all_refused(failed: Sequence[tuple[JournalEntry, BaseException]]) -> bool:
    return all(isinstance(error, StoreError) for _, error in failed)
