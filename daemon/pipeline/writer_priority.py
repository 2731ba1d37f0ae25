"""Priority of the writer: extraction and embedding hold back while documents are on their way into the store."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import contextmanager

import anyio

from .backlog import Backlog
from .runs import Runs
from .stage_failures import StageFailures

HOLD_SECONDS = 30.0
"""How long extraction and embedding hold back before each batch while documents come in: as long as it takes to store some
100,000 messages. A source that never ends must not stop them."""
HOLD_STEP = 0.01
FED_SECONDS = 1.0


class WriterPriority:
    """Words never wait for vectors and facts: all of them want every core, and a message that is not stored cannot be
    found at all.
    """

    def __init__(self, backlog: Backlog, runs: Runs, failures: StageFailures) -> None:
        self._backlog = backlog
        self._runs = runs
        self._failures = failures
        self._suspensions = 0

    async def wait(self) -> None:
        """Return when nothing is to be stored first, or after `HOLD_SECONDS`."""
        with anyio.move_on_after(HOLD_SECONDS):
            while self._writer_first():  # noqa: ASYNC110 - also time alone ends it
                await anyio.sleep(HOLD_STEP)

    @contextmanager
    def suspended(self) -> Generator[None]:
        """In this block nobody holds back, whatever comes in."""
        self._suspensions += 1
        try:
            yield
        finally:
            self._suspensions -= 1

    def _writer_first(self) -> bool:
        """Not while the store refuses what waits, which may last."""
        if self._suspensions or "storing" in self._failures:
            return False
        return self._backlog.messages > self._backlog.held or self._being_fed()

    def _being_fed(self) -> bool:
        """Whether some run had documents a moment ago, and expects more."""
        now = time.monotonic()
        return any(not run.finished and now - run.touched < FED_SECONDS for run in self._runs)
