"""The priority of the writer: extraction and embedding wait while documents are on their way into the store."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import contextmanager

import anyio

from .backlog import Backlog
from .runs import Runs
from .stage_failures import StageFailures

HOLD_SECONDS = 30.0
"""The maximum seconds that extraction and embedding wait before each batch while documents come in: enough to store
some 100,000 messages. An endless source must not stop them.
"""
HOLD_STEP = 0.01
FED_SECONDS = 1.0


class WriterPriority:
    """Lets the writer go first: all workers want every core, and a message that is not stored cannot be found at all."""

    def __init__(self, backlog: Backlog, runs: Runs, failures: StageFailures) -> None:
        self._backlog = backlog
        self._runs = runs
        self._failures = failures
        self._suspensions = 0

    async def wait(self) -> None:
        """Wait until nothing is to be stored first, for at most `HOLD_SECONDS`."""
        with anyio.move_on_after(HOLD_SECONDS):
            while self._writer_first():  # noqa: ASYNC110 - also time alone ends it
                await anyio.sleep(HOLD_STEP)

    @contextmanager
    def suspended(self) -> Generator[None]:
        """Let nobody wait for the writer in this block."""
        self._suspensions += 1
        try:
            yield
        finally:
            self._suspensions -= 1

    def _writer_first(self) -> bool:
        """Return whether documents are to be stored first; False while the store fails, which may last."""
        if self._suspensions or "storing" in self._failures:
            return False
        return self._backlog.messages > self._backlog.held or self._being_fed()

    def _being_fed(self) -> bool:
        """Return whether a run received documents a moment ago, and expects more."""
        now = time.monotonic()
        return any(not run.finished and now - run.touched < FED_SECONDS for run in self._runs)
