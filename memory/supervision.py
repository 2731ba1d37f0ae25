"""Supervises background workers: an unforeseen error is logged once, counted and reported, and the worker restarts."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import anyio
from anyio.abc import TaskGroup

from ..schemas.errors import MemdError

PAUSES = (0.1, 0.5, 2.0, 5.0, 15.0, 30.0)
"""Seconds before a worker starts or tries again, by the number of consecutive failures."""
_PACKAGE = Path(__file__).resolve().parents[1]
_LOG = logging.getLogger(__name__)


def pause_after(failures: int) -> float:
    """Return the seconds before the next attempt, after `failures` consecutive failures (at least 1)."""
    return PAUSES[min(failures, len(PAUSES)) - 1]


def is_recoverable(error: BaseException) -> bool:
    """Return whether a worker may continue after this error: not after a cancellation, nor when the process is to end.

    Extensions written in Rust raise a panic as a ``BaseException``, which is survivable like any ``Exception``.
    """
    if isinstance(error, BaseExceptionGroup):
        return all(is_recoverable(each) for each in cast("BaseExceptionGroup[BaseException]", error).exceptions)
    ends = (anyio.get_cancelled_exc_class(), KeyboardInterrupt, SystemExit, GeneratorExit)
    return not isinstance(error, ends)


def code_location(error: BaseException) -> str:
    """Return ``file:line`` where an error was raised, relative to the package; the innermost error of a group."""
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return "?"
    path = Path(trace.tb_frame.f_code.co_filename)
    inside = path.relative_to(_PACKAGE) if path.is_relative_to(_PACKAGE) else Path(path.name)
    return f"{inside}:{trace.tb_lineno}"


def describe_error(error: BaseException) -> str:
    """Describe an error without private text: memd's own errors by their message, others by type and location."""
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    return error.message if isinstance(error, MemdError) else f"{type(error).__name__} at {code_location(error)}"


@dataclass(frozen=True, slots=True)
class Failure:
    """The current failure of a worker."""

    worker: str
    """The name of the worker."""
    error: str
    """The error without private text."""
    count: int
    """Failures since the worker last made progress."""


class Worker:
    """A background worker, as seen by its supervisor."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.failure: Failure | None = None

    def failed(self, error: BaseException) -> None:
        """Count a failure, and log it unless it equals the last one."""
        message = describe_error(error)
        last, count = ("", 0) if self.failure is None else (self.failure.error, self.failure.count)
        self.failure = Failure(self.name, message, count + 1)
        if message != last:
            _LOG.error("a worker failed and tries again", extra={"worker": self.name, "error": message})

    def progressed(self) -> None:
        """Record that the worker made progress, so that an earlier failure is over."""
        if self.failure is not None:
            _LOG.info("a worker works again", extra={"worker": self.name, "failures": self.failure.count})
        self.failure = None


class Workers:
    """The background workers of one process. A worker that returns has ended; one that raises is restarted."""

    def __init__(self) -> None:
        self._workers: dict[str, Worker] = {}

    def start(self, tasks: TaskGroup, name: str, work: Callable[[Worker], Awaitable[None]]) -> None:
        """Start a worker in a task group; it calls ``progressed`` whenever a part of its work is done."""
        tasks.start_soon(self.run, name, work, name=f"memd {name}")

    async def run(self, name: str, work: Callable[[Worker], Awaitable[None]]) -> None:
        """Run a worker until it returns or is cancelled."""
        worker = self._workers.setdefault(name, Worker(name))
        while True:
            try:
                await work(worker)
            except BaseException as error:  # a panic of an extension is no Exception
                if not is_recoverable(error):
                    raise
                worker.failed(error)
            else:
                worker.progressed()
                return
            count = 1 if worker.failure is None else worker.failure.count
            await anyio.sleep(pause_after(count))

    def failing(self) -> list[Failure]:
        """Return the failures of all workers that fail at present."""
        return [worker.failure for worker in self._workers.values() if worker.failure is not None]
