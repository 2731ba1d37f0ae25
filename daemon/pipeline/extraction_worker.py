"""The reader of what is stored: works beside the writer and the embedder, as long as documents are unread."""

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
from ...schemas.errors import ConfigError, ExtractionError, MemdError
from .measurements import Measurements

if TYPE_CHECKING:
    from ...memory.facts.batch_extraction import BatchExtraction
    from ...memory.facts.llm_judge import LLMJudge

PAUSES = (1.0, 10.0, 60.0, 600.0)
"""Seconds between attempts while the extractor fails: a model that is away, a budget that is spent."""
DOCUMENT_PAUSES = (60.0, 600.0, 3600.0)
"""Seconds before a document that cannot be read is tried again, beside the others."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Unreadable:
    """A document at which reading fails."""

    error: str
    count: int
    again: float
    """When it is tried again, by the monotonic clock."""


class ExtractionWorker:
    """Reads until nothing is unread, then sleeps until it is woken."""

    def __init__(
        self,
        fact_service: FactService,
        make: Callable[[], tuple[Extractor, LLMJudge | None, Extractor | None]],
        prepare: Callable[[], BatchExtraction] | None = None,
    ) -> None:
        self._fact_service = fact_service
        self._make = make
        """Imports and makes the extractor, its judge and its substitute; not before they are wanted, for that takes half a second."""
        self.let_words_first: Callable[[], Awaitable[None]] = anyio.lowlevel.checkpoint
        """Returns when it may read on; who stores says so."""
        self.measurements = Measurements()
        """Durations of batches; the pipeline's once it has started."""
        self._make_ahead = prepare
        self._ahead: BatchExtraction | None = None
        self._wake = anyio.Event()
        self._idle = anyio.Event()
        self._turn = anyio.Lock()
        self._reading = anyio.CancelScope()
        self._standing = 0
        """How many want stillness."""
        self.run = uuid.uuid4().hex
        """What is read is noted under this run: our own, or that of the ingest which stored or woke us last."""
        self._trouble = ""
        self._troubles = 0
        self._model_fails = False
        self._unreadable: dict[UUID, _Unreadable] = {}

    def wake(self, run: str = "") -> None:
        """Something was stored, by this run."""
        self.run = run or self.run
        if self._idle.is_set():  # else somebody waits for it: the same event tells of both
            self._idle = anyio.Event()
        self._wake.set()

    @property
    def trouble(self) -> str:
        """Why it does not read now, or not everything; without private text."""
        if self._trouble or not self._unreadable:
            return self._trouble
        count, error = len(self._unreadable), next(iter(self._unreadable.values())).error
        return f"{count} {'document' if count == 1 else 'documents'} cannot be read, which is tried again: {error}"

    @property
    def unreadable(self) -> Mapping[UUID, str]:
        """Documents at which reading fails, each by itself, and how; without private text."""
        return {key: each.error for key, each in self._unreadable.items()}

    def _held(self) -> set[UUID]:
        """Documents that are not to be read now, because they could not be read."""
        now = time.monotonic()
        return {key for key, each in self._unreadable.items() if each.again > now}

    async def _pause(self) -> float:
        """Seconds until something that is unread and cannot be read now may be read; what is due now is queued."""
        due = await self._fact_service.queue_due_windows()
        waiting = await self._fact_service.pending_extraction_count()
        pause = self._ahead.pause if self._ahead is not None and waiting else math.inf
        now = time.monotonic()
        held = [max(0.0, each.again - now) for each in self._unreadable.values()]
        return min([pause, *held, *([] if due is None else [due])])

    async def take_up(self) -> None:
        """Queue what could not be read, given up or not, but what was tried too often."""
        await self._fact_service.queue_unread_windows()

    async def caught_up(self) -> None:
        """Return when nothing is unread but what is held back, or when it cannot be read at present."""
        await self._idle.wait()

    @asynccontextmanager
    async def paused(self) -> AsyncGenerator[None]:
        """Nothing is read in this block, and nothing is on its way to a model or back: what was, is given up."""
        self._standing += 1
        self._reading.cancel()
        try:
            async with self._turn:
                yield
        finally:
            self._standing -= 1
            self._unreadable.clear()  # whoever wanted stillness may have changed what could not be read
            self._fact_service.look_again()
            self.wake()

    async def _read(self) -> ExtractionReport | None:
        """Read some; None when it was given up, for somebody wants stillness."""
        async with self._turn:
            if not self._standing:
                run = self.run  # who wakes us meanwhile pays for the next
                with anyio.CancelScope() as self._reading:
                    held = self._held()
                    ready = None if self._ahead is None else await self._ahead.prepare(run, DOCUMENTS_AT_ONCE, held)
                    if ready is None:
                        return await self._fact_service.extract_pending(run, held=held)
                    return await self._fact_service.extract_documents(run, ready)
        await anyio.lowlevel.checkpoint()
        return None

    async def _read_or_let_substitute(self) -> ExtractionReport | None:
        """As `_read`; where the model fails, the substitute reads before that is told."""
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
        """Until cancelled; what was being read then stays unread."""
        try:
            await self._fact_service.set_extractor(*await anyio.to_thread.run_sync(self._make))
            if self._make_ahead is not None:
                self._ahead = await anyio.to_thread.run_sync(self._make_ahead)
            while True:
                await self.let_words_first()
                await self._step(worker)
        except BaseException as error:
            if is_recoverable(error):
                self._idle.set()  # nobody is to wait for a reader that fails
            raise

    async def _step(self, worker: Worker) -> None:
        """Read some, and where nothing is left to read, wait."""
        began = time.perf_counter()
        try:
            if self._model_fails:  # its next failure may take minutes
                await self._read_provisionally()
            read = await self._read_or_let_substitute()
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
        if read.unreadable:
            self._set_aside(read.unreadable)
            if not read.documents:
                if len(read.unreadable) > 1:  # it may not be the documents' fault
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
        """Wait after a failure, longer each time, or until something is stored; nobody else waits for that."""
        self._idle.set()
        self._troubles += 1
        with anyio.move_on_after(PAUSES[min(self._troubles, len(PAUSES)) - 1]):
            await self._wake.wait()
        self._wake = anyio.Event()

    def _set_aside(self, failed: Mapping[UUID, BaseException]) -> None:
        """Hold these documents back for a while; each kind of error is logged once."""
        for key, error in failed.items():
            told, last = describe_error(error), self._unreadable.get(key)
            if told not in {each.error for each in self._unreadable.values()}:
                log.error("a document cannot be read for facts", extra={"document": str(key), "error": told})
            count = 1 if last is None else last.count + 1
            pause = DOCUMENT_PAUSES[min(count, len(DOCUMENT_PAUSES)) - 1]
            self._unreadable[key] = _Unreadable(told, count, time.monotonic() + pause)
