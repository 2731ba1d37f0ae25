"""The reader of what is stored: works beside the writer and the embedder, as long as documents are unread."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable

import anyio
import anyio.to_thread

from ..memory.extraction.extractor import Extractor
from ..memory.understanding import Judging, Understanding
from ..schemas.errors import MemdError

PAUSES = (1.0, 10.0, 60.0, 600.0)
"""Seconds between attempts while the extractor fails: a model that is away, a budget that is spent."""

log = logging.getLogger(__name__)


class Learner:
    """Reads until nothing is unread, then sleeps until it is woken."""

    def __init__(
        self,
        understanding: Understanding,
        make: Callable[[], tuple[Extractor, Judging | None]],
        begin: Callable[[str], None] | None = None,
    ) -> None:
        self._understanding = understanding
        self._make = make
        """Imports and makes the extractor; not before it is wanted, for that takes half a second."""
        self._begin = begin
        """Is told for which run is read, whenever that changes."""
        self._wake = anyio.Event()
        self._idle = anyio.Event()
        self.run = uuid.uuid4().hex
        """What is read is noted under this run, or that of the ingest which woke us."""
        self.trouble = ""
        """Why it does not read now; without private text."""

    def wake(self, run: str = "") -> None:
        """Something was stored, by this run."""
        self.run = run or self.run
        self._idle = anyio.Event()
        self._wake.set()

    async def caught_up(self) -> None:
        """Return when nothing is unread, or when it cannot be read at present."""
        await self._idle.wait()

    async def work(self) -> None:
        """Until cancelled; what was being read then stays unread."""
        await self._understanding.use(*await anyio.to_thread.run_sync(self._make))
        troubles = 0
        while True:
            if self._begin is not None:
                self._begin(self.run)
            try:
                read = await self._understanding.read(self.run)
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
            troubles, self.trouble = 0, ""
            if not read.documents and not await self._understanding.waiting():
                self._idle.set()
                await self._wake.wait()
                self._wake = anyio.Event()
