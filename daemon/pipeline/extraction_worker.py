"""The extraction worker: extracts facts from stored documents, beside the writer and the embedder."""

from __future__ import annotations

import logging
import math
import time
import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

import anyio
import anyio.lowlevel
import anyio.to_thread

from ...memory.extraction.extractor import Extractor
from ...memory.facts.service import DOCUMENTS_AT_ONCE, ExtractionReport, FactService
from ...memory.supervision import Worker, describe_error, is_recoverable
from ...memory.tracing import span
from ...schemas.errors import ConfigError, ExtractionError, MemdError
from ..logs import correlated
from .measurements import Measurements

if TYPE_CHECKING:
    from ...memory.facts.batch_extraction import BatchExtraction
    from ...memory.facts.llm_judge import LLMJudge

PAUSES = (1.0, 10.0, 60.0, 600.0)
"""The seconds between attempts while the extractor fails, for example because the model is unreachable or the budget is
spent.
"""
DOCUMENT_PAUSES = (60.0, 600.0, 3600.0)
"""The seconds before an unreadable document is tried again, while others are read."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Unreadable:
    """A document whose reading fails."""

    error: str
    count: int
    again: float
    """The time of the next attempt, by the monotonic clock."""


class ExtractionWorker:
    """Extracts facts until no document is unread, then sleeps until woken."""

    def __init__(
        self,
        fact_service: FactService,
        make: Callable[[], tuple[Extractor, LLMJudge | None, Extractor | None]],
        prepare: Callable[[], BatchExtraction] | None = None,
    ) -> None:
        self._fact_service = fact_service
        self._make = make
        """Imports and makes the extractor, its judge and its substitute; called only when they are needed, because it
        takes half a second.
        """
        self.let_words_first: Callable[[], Awaitable[None]] = anyio.lowlevel.checkpoint
        """Waits until reading may continue; set by the pipeline, whose writer comes first."""
        self.on_read: Callable[[], None] = lambda: None
        """Called when facts were stored, which may have texts without a vector; set by the pipeline."""
        self.measurements = Measurements()
        """The durations of batches; replaced by the pipeline's once it has started."""
        self._make_ahead = prepare
        self._ahead: BatchExtraction | None = None
        self._wake = anyio.Event()
        self._idle = anyio.Event()
        self._turn = anyio.Lock()
        self._reading = anyio.CancelScope()
        self._standing = 0
        """The number of callers that want reading to pause."""
        self.run = uuid.uuid4().hex
        """The run under which extracted facts are recorded: the worker's own, or the ingest that stored or woke it
        last.
        """
        self._trouble = ""
        self._troubles = 0
        self._model_fails = False
        self._unreadable: dict[UUID, _Unreadable] = {}

    def wake(self, run: str = "") -> None:
        """Wake the worker after ``run`` has stored something."""
        self.run = run or self.run
        if self._idle.is_set():  # else somebody is waiting on it: the same event covers both
            self._idle = anyio.Event()
        self._wake.set()

    @property
    def trouble(self) -> str:
        """Return the reason why nothing, or not everything, is being read; without private text."""
        if self._trouble or not self._unreadable:
            return self._trouble
        count, error = len(self._unreadable), next(iter(self._unreadable.values())).error
        return f"{count} {'document' if count == 1 else 'documents'} cannot be read, which is tried again: {error}"

    @property
    def unreadable(self) -> Mapping[UUID, str]:
        """Return the error of each document whose reading fails; without private text."""
        return {key: each.error for key, each in self._unreadable.items()}

    def _held(self) -> set[UUID]:
        """Return the documents that are not tried now because their reading failed."""
        now = time.monotonic()
        return {key for key, each in self._unreadable.items() if each.again > now}

    async def _pause(self) -> float:
        """Return the seconds until an unread document that cannot be read now may be tried; queues the windows that are
        due now.
        """
        due = await self._fact_service.queue_due_windows()
        waiting = await self._fact_service.pending_extraction_count()
        pause = self._ahead.pause if self._ahead is not None and waiting else math.inf
        now = time.monotonic()
        held = [max(0.0, each.again - now) for each in self._unreadable.values()]
        return min([pause, *held, *([] if due is None else [due])])

    async def take_up(self) -> None:
        """Queue the windows that could not be read, given up or not, except those tried too often."""
        await self._fact_service.queue_unread_windows()

    async def caught_up(self) -> None:
        """Wait until nothing is unread except documents held back, or until reading fails."""
        await self._idle.wait()

    @asynccontextmanager
    async def paused(self) -> AsyncGenerator[None]:
        """Pause reading in this block; requests to a model that are in progress are cancelled."""
        self._standing += 1
        self._reading.cancel()
        try:
            async with self._turn:
                yield
        finally:
            self._standing -= 1
            self._unreadable.clear()  # the caller may have changed the documents that could not be read
            self._fact_service.look_again()
            self.wake()

    async def _read(self) -> ExtractionReport | None:
        """Read a batch; return None when it was cancelled for a pause."""
        async with self._turn:
            if not self._standing:
                run = self.run  # a wake-up during the batch counts for the next one
                with anyio.CancelScope() as self._reading:
                    held = self._held()
                    ready = None if self._ahead is None else await self._ahead.prepare(run, DOCUMENTS_AT_ONCE, held)
                    if ready is None:
                        return await self._fact_service.extract_pending(run, held=held)
                    return await self._fact_service.extract_documents(run, ready)
        await anyio.lowlevel.checkpoint()
        return None

    async def _read_or_let_substitute(self) -> ExtractionReport | None:
        """Do as `_read`; if the model fails, let the substitute read before the error is raised."""
        try:
            read = await self._read()
        except (ExtractionError, ConfigError):
            self._model_fails = True
            await self._read_provisionally()
            raise
        self._model_fails = False
        return read

    async def _read_provisionally(self) -> None:
        """Let the substitute read what the extractor cannot read at present.

        Raises:
            StoreError: nothing can be stored.
        """
        report = ExtractionReport(seen=1)
        while report.seen:
            await self.let_words_first()
            async with self._turn:
                report = ExtractionReport()
                if not self._standing:
                    with anyio.CancelScope() as self._reading:
                        report = await self._fact_service.extract_provisionally(self.run, held=self._held())

    async def work(self, worker: Worker) -> None:
        """Read until cancelled; documents in progress then stay unread."""
        try:
            await self._fact_service.set_extractor(*await anyio.to_thread.run_sync(self._make))
            if self._make_ahead is not None:
                self._ahead = await anyio.to_thread.run_sync(self._make_ahead)
            while True:
                await self.let_words_first()
                await self._step(worker)
        except BaseException as error:
            if is_recoverable(error):
                self._idle.set()  # nobody may wait for a worker that fails
            raise

    async def _step(self, worker: Worker) -> None:
        """Read a batch, or wait if nothing is left to read."""
        began = time.perf_counter()
        try:
            with correlated(self.run), span("extract") as counts:
                if self._model_fails:  # the model's next failure may take minutes
                    await self._read_provisionally()
                read = await self._read_or_let_substitute()
                counts["documents"] = 0 if read is None else read.documents
        except MemdError as error:
            if self._trouble != error.message:
                log.warning("reading failed and is tried again: %s", error.message)
            self._trouble = error.message
            await self._rest()
            return
        if read is None:
            return
        if read.documents:
            self.measurements.stages["extract"].add(time.perf_counter() - began)
            self.on_read()
        if read.unreadable:
            self._set_aside(read.unreadable)
            if not read.documents:
                if len(read.unreadable) > 1:  # perhaps not the documents are at fault
                    worker.failed(next(iter(read.unreadable.values())))
                await self._rest()
                return
        self._troubles, self._trouble = 0, self._ahead.trouble if self._ahead is not None else ""
        if read.documents or not self._unreadable:
            worker.progressed()
        if not read.documents and not read.changed:
            unread = await self._fact_service.pending_extraction_among(self._unreadable)
            self._unreadable = {key: each for key, each in self._unreadable.items() if key in unread}
            pause = await self._pause()
            if not self._wake.is_set():
                self._idle.set()
            with anyio.move_on_after(pause):
                await self._wake.wait()
            self._wake = anyio.Event()

    async def _rest(self) -> None:
        """Wait after a failure, longer each time, or until something is stored; callers of `caught_up` do not wait for
        that.
        """
        self._idle.set()
        self._troubles += 1
        with anyio.move_on_after(PAUSES[min(self._troubles, len(PAUSES)) - 1]):
            await self._wake.wait()
        self._wake = anyio.Event()

    def _set_aside(self, failed: Mapping[UUID, BaseException]) -> None:
        """Hold these documents back for a while; each kind of error is logged once."""
        for key, error in failed.items():
            description, last = describe_error(error), self._unreadable.get(key)
            if description not in {each.error for each in self._unreadable.values()}:
                log.error("a document cannot be read for facts", extra={"document": str(key), "error": description})
            count = 1 if last is None else last.count + 1
            pause = DOCUMENT_PAUSES[min(count, len(DOCUMENT_PAUSES)) - 1]
            self._unreadable[key] = _Unreadable(description, count, time.monotonic() + pause)
