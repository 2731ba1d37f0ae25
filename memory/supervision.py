"""Supervision of background workers: an unforeseen error is logged once, counted and shown, and the worker starts again."""

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
"""Seconds before a worker starts or tries again, by the number of its failures in a row."""
_PACKAGE = Path(__file__).resolve().parents[1]
_LOG = logging.getLogger(__name__)


def pause_after(failures: int) -> float:
    """Seconds before the next attempt, after so many failures in a row (at least 1)."""
    return PAUSES[min(failures, len(PAUSES)) - 1]


def is_recoverable(error: BaseException) -> bool:
    """Whether a worker may go on after this error: not after a cancellation, nor when the process is to end.

    Extensions written in Rust raise a panic as a ``BaseException``, which is survivable like any ``Exception``.
    """
    if isinstance(error, BaseExceptionGroup):
        return all(is_recoverable(each) for each in cast("BaseExceptionGroup[BaseException]", error).exceptions)
    ends = (anyio.get_cancelled_exc_class(), KeyboardInterrupt, SystemExit, GeneratorExit)
    return not isinstance(error, ends)


def code_location(error: BaseException) -> str:
    """``file:line`` where an error was raised, relative to the package; the innermost error of a group."""
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
    """An error without private text: the message of one that memd foresaw, else its type and its place."""
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    return error.message if isinstance(error, MemdError) else f"{type(error).__name__} at {code_location(error)}"


@dataclass(frozen=True, slots=True)
class Failure:
    """What a worker fails with at present."""

    worker: str
    error: str
    """Without private text."""
    count: int
    """Failures since the worker made progress last."""


class Worker:
    """One background worker, as its supervisor knows it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.failure: Failure | None = None

    def failed(self, error: BaseException) -> None:
        """Count a failure; it is logged unless it is the same as the last one."""
        told = describe_error(error)
        last, count = ("", 0) if self.failure is None else (self.failure.error, self.failure.count)
        self.failure = Failure(self.name, told, count + 1)
        if told != last:
            _LOG.error("a worker failed and tries again", extra={"worker": self.name, "error": told})

    def progressed(self) -> None:
        """Record that the worker does its work, so that an earlier failure is over."""
        if self.failure is not None:
            _LOG.info("a worker works again", extra={"worker": self.name, "failures": self.failure.count})
        self.failure = None


class Workers:
    """The background workers of one process. One that returns has ended; one that raises is started again."""

    def __init__(self) -> None:
        self._workers: dict[str, Worker] = {}

    def start(self, tasks: TaskGroup, name: str, work: Callable[[Worker], Awaitable[None]]) -> None:
        """Begin a worker in a task group; it calls ``progressed`` whenever a part of its work is done."""
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
        """The workers that fail at present."""
        return [worker.failure for worker in self._workers.values() if worker.failure is not None]
