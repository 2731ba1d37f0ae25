"""Forgetting across memory.db, journal.db and llm.db, which share no transaction.

The steps (`steps.STEPS`) remove content, each in a transaction of one file, and note durably what is still due. Then the
files are purged of the removed bytes. Last, documents that lost a part are read for facts again, and what a model tells
there about forgotten people is removed as well (the recheck). What is cut off is completed at the next start.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import anyio

from ...memory.forgetting.redaction import QuoteTreatment
from ...memory.forgetting.selection import ForgetPlan, ForgetSelection
from ...memory.memory import EvolvingMemory
from ...memory.supervision import Worker
from ...schemas.errors import BusyError, StoreError
from ..config.paths import JOURNAL
from ..operation_progress import OperationProgress, ReportProgress
from ..pipeline.pipeline import Pipeline
from . import owed_rechecks
from .active_answers import ActiveAnswers
from .disk_room import raise_if_full
from .file_erasure import FileErasure
from .journal_entries import JournalForgetPlan, JournalForgetting
from .owed_rechecks import OwedRecheck
from .steps import STEPS, ForgetRun, Stores

if TYPE_CHECKING:
    from ...memory.llm.factory import LLM

RECHECK_SECONDS = 60.0
"""The seconds between two attempts to read documents again in which others mention forgotten people."""
READING_SECONDS = 30.0
"""The seconds that whoever forgets or undoes waits for documents that are read again: those of rules take less."""


ON_THE_WAY = "messages on the way into the store may quote these words, and nobody looks for quotes in them"
ON_THE_WAY_HINT = "try again when they are stored; `memd retry` stores or drops what was given up"


class ForgetSaga:
    """Plans a forgetting, carries it out and completes it. Callers hold ``exclusive`` unless a method takes it."""

    def __init__(
        self,
        data_dir: Path,
        memory: EvolvingMemory,
        pipeline: Pipeline,
        answering: ActiveAnswers,
        llm: LLM | None,
        exclusive: anyio.Lock,
    ) -> None:
        entries = JournalForgetting(memory, pipeline)
        self.erasure = FileErasure(data_dir, memory, pipeline.journal, llm, entries.finish)
        self.stores = Stores(data_dir, memory, pipeline, entries, self.erasure, llm)
        pipeline.writer.on_kept_out = self.erasure.soon
        pipeline.runs.on_kept_out = self.erasure.take_out_names
        self._memory = memory
        self._pipeline = pipeline
        self._answering = answering
        self._exclusive = exclusive
        self._recheck_wanted = anyio.Event()

    async def plan(
        self, selection: ForgetSelection, quotes: QuoteTreatment, tell: ReportProgress
    ) -> tuple[ForgetPlan, JournalForgetPlan]:
        """Plan what a selection removes from the store and from the journal, and look for its words in what stays."""
        plan = await self._memory.forget_planner.plan(selection, quotes, _looking(tell))
        async with self._pipeline.paused():
            return plan, await self.stores.entries.plan(selection, plan.removal.tombstones)

    async def carry_out(
        self, selection: ForgetSelection, quotes: QuoteTreatment, token: str | None, tell: ReportProgress
    ) -> tuple[ForgetRun, list[str]] | None:
        """Carry the plan of that token out. Return the completed run and the files that are not purged yet; None, with
        nothing changed, if something else would be forgotten now.

        Raises:
            BusyError: quotes are to go, and messages are on the way that may hold some.
        """
        try:
            async with self.standstill():
                look = None if quotes == "keep" else quotes
                plan = await self._memory.forget_planner.plan(selection, look, _looking(tell))
                run = ForgetRun(self.stores, selection, plan)
                if run.plan.token != token:
                    return None
                if look is not None and await self._pipeline.journal.numbers():
                    raise BusyError(ON_THE_WAY, hint=ON_THE_WAY_HINT)
                tell(OperationProgress("forgetting", 0, run.plan.messages))
                for step in STEPS:
                    await step.perform(run)
            tell(OperationProgress("purging"))
            left = await self.erasure.purge()
            await self.read_again(tell)
            if self._pipeline.extraction_worker is not None:
                left = await self._recheck() or left
        except BaseException as error:  # the caller may have gone: the forgetting is completed all the same
            self.erasure.soon()
            self._recheck_wanted.set()
            if isinstance(error, StoreError):
                await anyio.to_thread.run_sync(raise_if_full, self.stores.data_dir, error)
            raise
        return run, left

    @asynccontextmanager
    async def standstill(self) -> AsyncGenerator[None]:
        """Pause storing, extraction and answers by a model in this block."""
        async with self._pipeline.paused(), self._unread(), self._answering.paused():
            yield

    @asynccontextmanager
    async def _unread(self) -> AsyncGenerator[None]:
        """Pause the extraction in this block, so that text forgotten in it does not come back from a model."""
        extraction_worker = self._pipeline.extraction_worker
        if extraction_worker is None:
            yield
        else:
            async with extraction_worker.paused():
                yield

    async def read_again(self, tell: ReportProgress) -> None:
        """Let the documents that lost a part be read again. A slow model with much to read is not waited for: the rest is
        read in the background, and `_recheck` waits for what it needs.
        """
        if (worker := self._pipeline.extraction_worker) is None:
            return
        tell(OperationProgress("reading"))
        with self._pipeline.background_work_first(), anyio.move_on_after(READING_SECONDS):
            worker.wake()
            await worker.caught_up()

    async def _recheck(self) -> list[str]:
        """Forget what others say about forgotten people, where reading it again brought it in, in whatever words; returns
        the files that are not purged of it yet.
        """
        journal = self._pipeline.journal
        if not (due := await journal.run(owed_rechecks.owed)):
            return []
        done: list[OwedRecheck] = []
        async with self._unread():
            for each in due:
                if await self._memory.fact_service.unfinished_among(each.documents):
                    self._recheck_wanted.set()  # a model that cannot be reached: the name waits in the journal for it
                    continue
                # Nothing would look for the name in what is read after this.
                await self._memory.fact_service.close_given_up(each.documents)
                again = await self._memory.forget_planner.plan(each.selection)
                if about := {reading.statement.document for reading in again.about} | each.documents:
                    await self.stores.forget_sent(set(), about)
                if again.about:
                    await self._memory.forget(ForgetPlan(about=again.about))
                done.append(each)
        if done:
            await journal.run(partial(owed_rechecks.settle, done=done))
        left = await self.erasure.purge()
        return left if len(done) == len(due) or JOURNAL in left else [*left, JOURNAL]

    async def complete(self, worker: Worker) -> None:
        """Complete forgettings that were interrupted or wait for a model, until cancelled."""
        extraction_worker = self._pipeline.extraction_worker
        while extraction_worker is not None:
            if await self._pipeline.journal.run(owed_rechecks.owed):
                await extraction_worker.caught_up()
                self._recheck_wanted = anyio.Event()
                async with self._exclusive:
                    await self._recheck()
                if self._recheck_wanted.is_set():
                    await anyio.sleep(RECHECK_SECONDS)
                    continue
            worker.progressed()
            await self._recheck_wanted.wait()


def _looking(tell: ReportProgress) -> Callable[[int, int], None]:
    return lambda done, total: tell(OperationProgress("looking for quotes", done, total))
