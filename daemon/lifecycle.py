"""Starting and stopping a daemon: signals, and what systemd is told. The only module that touches signals."""

from __future__ import annotations

import logging
import math
import os
import signal
import socket
import time
from collections.abc import Awaitable, Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

import anyio
from anyio import CancelScope
from anyio.abc import TaskStatus

from ..memory.embedding.embedder import EmbeddingModel
from ..schemas.errors import ConfigError, MemdError
from . import liveness, logs
from .app import open_app
from .config.paths import Owner
from .config.settings import Settings
from .exit_codes import INTERRUPTED

if TYPE_CHECKING:
    from .service.service import Service

log = logging.getLogger(__name__)
START_SECONDS = 90.0
"""What systemd allows a start by default (DefaultTimeoutStartSec), counted from the end of the wait for another owner."""
WAIT_REPORT_SECONDS = 5.0
"""Seconds between two reports to systemd about such a wait."""
EXTEND_SECONDS = 60.0
"""How much longer systemd is asked to wait, each time, for a start that takes long."""
OPENING_SECONDS = 3600.0
"""For so long a start is reported as going on: the migration or the indexes of a large store may take that long. A start
that hangs is ended by systemd after it."""
ENDING_SECONDS = 60.0
"""Beside ``ingest.drain_s``, for an orderly end: answers under way, snapshots of indexes, closing databases."""
STATUS_SECONDS = 5.0
"""Between two looks at what the status line should say."""

T = TypeVar("T")


def serve(
    settings: Settings, reload: Callable[[], Settings] | None = None, embedder: EmbeddingModel | None = None
) -> int:
    """Own the memory and answer at its socket until SIGTERM or SIGINT; returns the exit code 0.

    A second SIGINT ends the process at once: what was acknowledged is in the journal. SIGHUP calls ``reload`` and takes
    over its log levels. ``embedder``: see `open_app`.

    Raises:
        MemdError: the application could not be opened.
    """

    async def main() -> None:
        with single_error():
            await _serve(settings, reload, embedder)

    anyio.run(main)
    return 0


def run(main: Callable[[], Awaitable[T]]) -> T:
    """Run ``main`` in an event loop; SIGINT or SIGTERM cancels it, and it ends in order; a second SIGINT does not wait.

    Raises:
        KeyboardInterrupt: a signal ended it.
        Exception: what ``main`` raised, unwrapped where task groups wrapped it.
    """
    results: list[T] = []

    async def watched() -> None:
        with single_error():
            async with anyio.create_task_group() as tasks:
                work = CancelScope()
                await tasks.start(_watch_signals, work.cancel, None)
                with work:
                    results.append(await main())
                tasks.cancel_scope.cancel()

    anyio.run(watched)
    if not results:
        raise KeyboardInterrupt
    return results[0]


@contextmanager
def single_error() -> Generator[None]:
    """Raise what an exception group of one holds; of several the first that memd foresaw, else the group."""
    error: BaseException | None = None
    try:
        yield
    except BaseExceptionGroup as group:
        error = _innermost(group)
    if error is not None:
        raise error


def _innermost(error: BaseException) -> BaseException:
    leaves = list(_leaves(error))
    foreseen = [leaf for leaf in leaves if isinstance(leaf, MemdError)]
    if len(leaves) > 1 and not foreseen:
        return error
    return (foreseen or leaves)[0]


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for inside in cast("BaseExceptionGroup[BaseException]", error).exceptions:
            yield from _leaves(inside)
    else:
        yield error


async def _serve(settings: Settings, reload: Callable[[], Settings] | None, embedder: EmbeddingModel | None) -> None:
    # From the first moment on: a signal during the start is not lost, and stops what has begun.
    ended = anyio.Event()
    opening = CancelScope()
    serving = False

    def end() -> None:
        ended.set()
        if not serving:
            opening.cancel()

    async with anyio.create_task_group() as tasks:
        await tasks.start(_watch_signals, end, reload)
        start_report = CancelScope()
        tasks.start_soon(_extend_start, start_report)
        with opening:
            wait, on_wait = settings.server.owner_wait_s, _OwnerWaitReport().report
            async with open_app(
                settings, wait=wait, kind="daemon", on_wait=on_wait, embedder=embedder, scheduled=True
            ) as service:
                # From here on a signal cancels nothing and the end is an orderly one. Not shielded: a task that ends by
                # an error, which none should, ends the daemon instead of leaving a server that does nothing.
                serving = True
                start_report.cancel()
                reports = CancelScope()
                if not ended.is_set():
                    notify("READY=1", "STATUS=serving")
                    tasks.start_soon(_watchdog, service, ended)
                    tasks.start_soon(_report_status, service, reports)
                    about = {"pid": os.getpid(), "version": service.health()["version"], "socket": service.socket}
                    log.info("serving", extra=about)
                    await ended.wait()
                reports.cancel()
                longest = int((settings.ingest.drain_s + ENDING_SECONDS) * 1_000_000)
                notify("STOPPING=1", "STATUS=storing what was accepted", f"EXTEND_TIMEOUT_USEC={longest}")
        tasks.cancel_scope.cancel()


async def _watch_signals(
    end: Callable[[], None], reload: Callable[[], Settings] | None, *, task_status: TaskStatus[None]
) -> None:
    told = False
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT, *([signal.SIGHUP] if reload else [])) as received:
        task_status.started()
        async for number in received:
            if number == signal.SIGHUP:
                _reload(reload)
            elif told and number == signal.SIGINT:
                os._exit(INTERRUPTED)
            else:
                told = True
                end()


def _reload(reload: Callable[[], Settings] | None) -> None:
    """Take over the log levels of the configuration as it is now; the rest needs a restart."""
    if reload is None:
        return
    notify("RELOADING=1", f"MONOTONIC_USEC={time.monotonic_ns() // 1000}")
    try:
        fresh = reload()
        logs.configure(fresh.log.level, fresh.log.modules)
        log.info("settings read again")
    except ConfigError as error:
        log.warning("the configuration is wrong, nothing was changed: %s", error.message)
    notify("READY=1")


async def _extend_start(scope: CancelScope) -> None:
    """Ask systemd for more time as long as the start goes on and the event loop turns."""
    if not os.environ.get("NOTIFY_SOCKET"):
        return
    until = anyio.current_time() + OPENING_SECONDS
    with scope:
        while anyio.current_time() < until:
            await anyio.sleep(EXTEND_SECONDS / 4)
            notify(f"EXTEND_TIMEOUT_USEC={int(EXTEND_SECONDS * 1_000_000)}")


async def _report_status(service: Service, scope: CancelScope) -> None:
    """Tell systemd what the daemon does, whenever that changes."""
    if not os.environ.get("NOTIFY_SOCKET"):
        return
    told = ""
    with scope:
        while True:
            try:
                line = await service.status_line()
            except MemdError as error:
                line = f"serving; {error.message}"
            if line != told:
                told = line
                notify(f"STATUS={' '.join(line.split())}")
            await anyio.sleep(STATUS_SECONDS)


async def _watchdog(service: Service, ended: anyio.Event) -> None:
    """Ping the watchdog of systemd, where it has one: after proof while serving, plainly while what was accepted is stored."""
    microseconds = os.environ.get("WATCHDOG_USEC", "")
    if not microseconds.isdecimal() or os.environ.get("WATCHDOG_PID", str(os.getpid())) != str(os.getpid()):
        return
    interval = int(microseconds) / 1_000_000

    def ping() -> None:
        notify("WATCHDOG=1")

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(liveness.watch, service.read_store, Path(service.socket), interval, ping)
        await ended.wait()
        # The end closes the socket and the store, and has a deadline of its own.
        tasks.cancel_scope.cancel()
    while True:
        ping()
        await anyio.sleep(interval * liveness.REST_SHARE)


class _OwnerWaitReport:
    """Tells the log and systemd which process the start waits for."""

    def __init__(self) -> None:
        self._logged: Owner | None = None
        self._notified_at = -math.inf

    def report(self, owner: Owner, left: float) -> None:
        """Tell of the owner once in the log, and systemd every few seconds, with the time that the start may still take."""
        if self._logged is None or self._logged.pid != owner.pid:
            self._logged = owner
            extra = {"owner_pid": owner.pid, "seconds_left": round(left, 1)}
            log.warning("waiting for %s, which owns the data directory", owner.name, extra=extra)
        if time.monotonic() - self._notified_at >= WAIT_REPORT_SECONDS:
            self._notified_at = time.monotonic()
            microseconds = int((left + START_SECONDS) * 1_000_000)
            notify(
                f"EXTEND_TIMEOUT_USEC={microseconds}", f"STATUS=waiting for {owner.name}, which owns the data directory"
            )


def notify(*states: str) -> None:
    """sd_notify(3): one datagram to systemd; nothing where it does not listen."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")):
        return
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sender:
            sender.connect("\0" + address[1:] if address[0] == "@" else address)
            sender.sendall("\n".join(states).encode())
    except OSError as error:
        log.debug("systemd cannot be told: %s", error.strerror)
