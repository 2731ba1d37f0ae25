"""Completion of runs: a run whose documents are stored becomes searchable, its facts are extracted, and it ends."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import anyio

from ...memory.memory import EvolvingMemory
from ...memory.supervision import Worker, describe_error, pause_after
from ..logs import correlated
from .clearable_event import ClearableEvent
from .extraction_worker import ExtractionWorker
from .measurements import Measurements
from .runs import Run, Runs
from .stage_failures import StageFailures


class RunCompletion:
    """Two workers: `make_searchable` and `extract_facts`. With ``embed`` a run also waits for its vectors.

    Args:
        refresh_indexes: returns when the words index contains everything that is stored.
        wake_embedder: called when texts may wait for vectors.
    """

    def __init__(
        self,
        memory: EvolvingMemory,
        runs: Runs,
        failures: StageFailures,
        extraction_worker: ExtractionWorker | None,
        *,
        refresh_indexes: Callable[[], Awaitable[None]],
        wake_embedder: Callable[[], None],
        embed: bool,
        measurements: Measurements,
    ) -> None:
        self._memory = memory
        self._runs = runs
        self._failures = failures
        self._learner = extraction_worker
        self._refresh_indexes = refresh_indexes
        self._wake_embedder = wake_embedder
        self._embed = embed
        self._measurements = measurements
        self.stored = ClearableEvent()
        """Set when a run has nothing left to store."""
        self._searchable = ClearableEvent()

    async def make_searchable(self, worker: Worker) -> None:
        """Make stored runs searchable by words; facts and vectors come later."""
        self.stored.set()
        while True:
            await self.stored.wait()
            self.stored.clear()
            for run in [run for run in self._runs if run.stored and not run.searchable]:
                try:
                    # A run counts as stored when it can be found: the indexes lag the store by a moment.
                    with correlated(run.run), self._measurements.timing("index"):
                        await self._refresh_indexes()
                    made, pending = await self._memory.vector_counts()
                except BaseException as error:  # noqa: BLE001 - `record` raises what must end the worker
                    await self._not_searchable(run, error, worker)
                    continue
                self._failures.clear("searching")
                worker.progressed()
                run.made_after = made + pending  # preliminary: extracting facts may add texts
                if self._learner is None and not (self._embed and pending):
                    await self._runs.end(run)
                    continue
                run.searchable = True
                self._runs.tell(run)
            self._wake_embedder()
            self._searchable.set()
            await self._retry(worker, self.stored)

    async def extract_facts(self, worker: Worker) -> None:
        """Wait for the facts of searchable runs, which add words and vectors to find them by. If no vectors are made,
        the run ends then.
        """
        self._searchable.set()
        while True:
            await self._searchable.wait()
            self._searchable.clear()
            for run in [run for run in self._runs if run.searchable and not run.read]:
                try:
                    if self._learner is not None:
                        if run.takes_up and not run.of_job:
                            await self._learner.take_up()
                        self._learner.wake(run.run)
                        await self._learner.caught_up()
                        await self._refresh_indexes()
                    made, pending = await self._memory.vector_counts()
                except BaseException as error:  # noqa: BLE001 - `record` raises what must end the worker
                    await self._not_searchable(run, error, worker)
                    continue
                worker.progressed()
                run.made_after = made + pending
                run.read = True
                if self._embed and pending:
                    self._runs.tell(run)
                else:
                    await self._runs.end(run)
            self._wake_embedder()
            await self._retry(worker, self._searchable)

    async def _not_searchable(self, run: Run, error: BaseException, worker: Worker) -> None:
        self._failures.record("searching", error, worker)
        await self._runs.end(run, detail=f"stored, not searchable yet: {describe_error(error)}")

    async def _retry(self, worker: Worker, wake: ClearableEvent) -> None:
        """After a failure, test at intervals whether it persists, until a run waits."""
        failures = 0
        while (worker.failure is not None or "searching" in self._failures) and not wake.is_set():
            failures += 1
            with anyio.move_on_after(pause_after(failures)):
                await wake.wait()
                return
            try:
                await self._refresh_indexes()
                await self._memory.vector_counts()
            except BaseException as error:  # noqa: BLE001 - `record` raises what must end the worker
                self._failures.record("searching", error, worker)
                continue
            self._failures.clear("searching")
            worker.progressed()
