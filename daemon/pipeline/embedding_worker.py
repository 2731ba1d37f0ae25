"""The embedding worker: embeds stored texts in batches, and ends runs whose texts all have vectors."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext

import anyio

from ...memory.embedding_queue import WINDOW_BATCHES
from ...memory.memory import EvolvingMemory
from ...memory.supervision import Worker, describe_error, pause_after
from ...memory.tracing import span
from ...schemas.errors import EmbeddingError
from ..logs import correlated
from .clearable_event import ClearableEvent
from .measurements import Measurements
from .runs import Run, Runs
from .stage_failures import StageFailures
from .writer_priority import WriterPriority


class EmbeddingWorker:
    """One worker. It may be cancelled at any moment: the store still lists the texts without a vector.

    Args:
        batch: texts between two commits of vectors.
    """

    def __init__(
        self,
        memory: EvolvingMemory,
        runs: Runs,
        failures: StageFailures,
        priority: WriterPriority,
        batch: int,
        measurements: Measurements,
    ) -> None:
        self._memory = memory
        self._runs = runs
        self._failures = failures
        self._priority = priority
        self._batch = batch
        self._measurements = measurements
        self._stopped = False
        self._scope = anyio.CancelScope()
        self.wake = ClearableEvent()
        """Set when texts may wait for vectors."""
        self.on_done: Callable[[], None] = lambda: None
        """Called when no text that could be embedded waits."""

    def stop(self) -> None:
        """Embed nothing more, even if the worker starts again."""
        self._stopped = True
        self._scope.cancel()

    async def work(self, worker: Worker) -> None:
        """Embed pending texts, until stopped or cancelled."""
        if self._stopped:
            return
        self.wake.set()
        with anyio.CancelScope() as self._scope:
            failures = 0
            while True:
                await self.wake.wait()
                self.wake.clear()
                await self._priority.wait()
                # Only runs that were complete before the store reported "nothing left" may end on that report.
                ready = self._read_runs()
                began = time.perf_counter()
                try:
                    with self._of_one_run(), span("embed") as counts:
                        made = counts["texts"] = await self._memory.embed_pending(self._batch)
                except BaseException as error:  # noqa: BLE001 - `record` raises what must end the worker
                    self._failures.record("embedding", error, worker)
                    self._measurements.embedding_failures += 1
                    failures += 1
                    await self._work_without(error, ready, anyio.current_time() + pause_after(failures), worker)
                    self.wake.set()
                    continue
                failures = 0
                if made:
                    self._measurements.stages["embed"].add(time.perf_counter() - began)
                self._failures.clear("embedding")
                worker.progressed()
                await self._end_complete(made, ready)

    def _read_runs(self) -> Sequence[Run]:
        return [run for run in self._runs if run.read]

    async def _work_without(self, error: BaseException, ready: Sequence[Run], until: float, worker: Worker) -> None:
        """Let the fallback embed what comes until the embedder is to be tried again, at least one batch, and end the runs
        that wait for the embedder alone.
        """
        fallback = self._memory.fallback if isinstance(error, EmbeddingError) else None
        while True:
            if fallback is not None:
                ready = self._read_runs()
                try:
                    while await fallback.embed(self._batch):
                        worker.progressed()
                        if anyio.current_time() >= until:
                            return
                    self._failures.clear("fallback")
                except BaseException as failure:  # noqa: BLE001 - `record` raises what must end the worker
                    self._failures.record("fallback", failure, worker)
                    fallback = None
            for run in ready:
                await self._runs.end(run, detail=f"some vectors are missing: {describe_error(error)}")
            with anyio.move_on_at(until):
                await (anyio.sleep_forever() if fallback is None else self.wake.wait())
            if anyio.current_time() >= until:
                return
            self.wake.clear()

    def _of_one_run(self) -> AbstractContextManager[None]:
        """Log and trace under a run if no other is in progress: texts do not say which run they are of."""
        runs = [run.run for run in self._runs]
        return correlated(runs[0]) if len(runs) == 1 else nullcontext()

    async def _end_complete(self, made: int, ready: Sequence[Run]) -> None:
        """End the runs whose texts have vectors, after a batch of ``made``; with 0, no text that could be embedded is
        pending.
        """
        if made:
            self.wake.set()
            for run in self._runs:
                self._runs.tell(run)
            # Texts are embedded oldest first, in windows: a run ends with its own texts, whatever others add after
            # them.
            done = self._memory.made - self._batch * WINDOW_BATCHES
            ready = [run for run in self._runs if run.read and done >= (run.made_after or 0)]
        else:
            self.on_done()
        for run in ready:
            await self._runs.end(run)
