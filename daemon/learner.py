"""The reader of what is stored: works beside the writer and the embedder, as long as documents are unread."""

from __future__ import annotations

import logging
import math
import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection
from contextlib import asynccontextmanager
from typing import Protocol
from uuid import UUID

import anyio
import anyio.lowlevel
import anyio.to_thread

from ..memory.extraction.extractor import Extractor
from ..memory.understanding import Judging, Read, Understanding
from ..schemas.errors import MemdError

PAUSES = (1.0, 10.0, 60.0, 600.0)
"""Seconds between attempts while the extractor fails: a model that is away, a budget that is spent."""


class Preparing(Protocol):
    """Asks ahead for what reading needs, and holds documents back until it is there."""

    @property
    def pause(self) -> float:
        """Seconds between two looks, while something is held back."""
        ...

    @property
    def held(self) -> Collection[UUID]:
        """Documents that are not to be read yet."""
        ...

    @property
    def trouble(self) -> str:
        """Why some of them cannot be asked for; without private text."""
        ...

    async def prepare(self) -> None:
        """Look after what was asked for, and ask for what is new."""
        ...


log = logging.getLogger(__name__)


class Learner:
    """Reads until nothing is unread, then sleeps until it is woken."""

    def __init__(
        self,
        understanding: Understanding,
        make: Callable[[], tuple[Extractor, Judging | None]],
        begin: Callable[[str], None] | None = None,
        prepare: Callable[[], Preparing] | None = None,
    ) -> None:
        self._understanding = understanding
        self._make = make
        """Imports and makes the extractor; not before it is wanted, for that takes half a second."""
        self._begin = begin
        """Is told for which run is read, whenever that changes."""
        self.let_words_first: Callable[[], Awaitable[None]] = anyio.lowlevel.checkpoint
        """Returns when it may read on; who stores says so."""
        self._make_ahead = prepare
        self._ahead: Preparing | None = None
        self._wake = anyio.Event()
        self._idle = anyio.Event()
        self._turn = anyio.Lock()
        self._reading = anyio.CancelScope()
        self._standing = 0
        """How many want stillness."""
        self.run = uuid.uuid4().hex
        """What is read is noted under this run, or that of the ingest which woke us."""
        self.trouble = ""
        """Why it does not read now; without private text."""

    def wake(self, run: str = "") -> None:
        """Something was stored, by this run."""
        self.run = run or self.run
        if self._idle.is_set():  # else somebody waits for it: the same event tells of both
            self._idle = anyio.Event()
        self._wake.set()

    @property
    def held(self) -> int:
        """How many documents wait for answers that were asked for as a batch."""
        return len(self._ahead.held) if self._ahead is not None else 0

    async def caught_up(self) -> None:
        """Return when nothing is unread but what is held back, or when it cannot be read at present."""
        await self._idle.wait()

    @asynccontextmanager
    async def still(self) -> AsyncGenerator[None]:
        """Nothing is read in this block, and nothing is on its way to a model or back: what was, is given up."""
        self._standing += 1
        self._reading.cancel()
        try:
            async with self._turn:
                yield
        finally:
            self._standing -= 1
            self.wake()

    async def _read(self) -> Read | None:
        """Read some; None when it was given up, for somebody wants stillness."""
        async with self._turn:
            if not self._standing:
                with anyio.CancelScope() as self._reading:
                    if self._ahead is None:
                        return await self._understanding.read(self.run)
                    await self._ahead.prepare()
                    return await self._understanding.read(self.run, held=self._ahead.held)
        await anyio.lowlevel.checkpoint()
        return None

    async def work(self) -> None:
        """Until cancelled; what was being read then stays unread."""
        await self._understanding.use(*await anyio.to_thread.run_sync(self._make))
        if self._make_ahead is not None:
            self._ahead = await anyio.to_thread.run_sync(self._make_ahead)
        troubles = 0
        while True:
            await self.let_words_first()
            if self._begin is not None:
                self._begin(self.run)
            try:
                read = await self._read()
            except MemdError as error:
                if self.trouble != error.message:
                    log.warning("reading failed and is tried again: %s", error.message)
                self.trouble = error.message
                self._idle.set()
                troubles += 1
                with anyio.move_on_after(PAUSES[min(troubles, len(PAUSES)) - 1]):
                    await self._wake.wait()
                self._wake = anyio.Event()
                continue
            troubles, self.trouble = 0, self._ahead.trouble if self._ahead is not None else ""
            if read is not None and not read.documents and await self._understanding.waiting() <= self.held:
                if not self._wake.is_set():
                    self._idle.set()
                pause = self._ahead.pause if self._ahead is not None and self._ahead.held else math.inf
                with anyio.move_on_after(pause):
                    await self._wake.wait()
                self._wake = anyio.Event()
