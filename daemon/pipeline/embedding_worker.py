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
                ready = [run for run in self._runs if run.read]
                began = time.perf_counter()
                try:
                    with self._of_one_run(), span("embed") as counts:
                        made = counts["texts"] = await self._memory.embed_pending(self._batch)
                except BaseException as error:  # noqa: BLE001 - `record` raises what must end the worker
                    self._failures.record("embedding", error, worker)
                    self._measurements.embedding_failures += 1
                    for run in ready:
                        await self._runs.end(run, detail=f"some vectors are missing: {describe_error(error)}")
                    failures += 1
                    await anyio.sleep(pause_after(failures))
                    self.wake.set()
                    continue
                failures = 0
                if made:
                    self._measurements.stages["embed"].add(time.perf_counter() - began)
                self._failures.clear("embedding")
                worker.progressed()
                await self._end_complete(made, ready)

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
