"""Starting and stopping a daemon: signals, and notifications to systemd. The only module that handles signals."""

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
"""The seconds that systemd allows a start by default (DefaultTimeoutStartSec), counted from the end of the wait for
another owner.
"""
WAIT_REPORT_SECONDS = 5.0
"""The seconds between two reports to systemd about such a wait."""
EXTEND_SECONDS = 60.0
"""The seconds by which systemd is asked, each time, to extend a long start."""
OPENING_SECONDS = 3600.0
"""The maximum seconds for which a start is reported as in progress: a migration or the indexes of a large store may
take that long. After it systemd ends a start that hangs.
"""
ENDING_SECONDS = 60.0
"""The seconds, besides ``ingest.drain_s``, for an orderly end: answers in progress, snapshots of indexes, closing
databases.
"""
IDLE_PAUSE_SECONDS = 30.0
"""The seconds between two looks whether a daemon that nobody uses still has work."""
STATUS_SECONDS = 5.0
"""The seconds between two updates of the status line."""

T = TypeVar("T")


def serve(
    settings: Settings,
    reload: Callable[[], Settings] | None = None,
    embedder: EmbeddingModel | None = None,
    *,
    until_idle: bool = False,
) -> int:
    """Own the memory and answer at its socket until SIGTERM or SIGINT; return the exit code 0. With ``until_idle`` also
    until nothing was asked for ``server.idle_minutes``; sources are then read, and maintenance done, only on request.

    A second SIGINT ends the process at once: acknowledged documents are in the journal. SIGHUP calls ``reload`` and
    applies its log levels. ``embedder``: see `open_app`.

    Raises:
        MemdError: the application could not be opened.
    """

    async def main() -> None:
        with single_error():
            await _serve(settings, reload, embedder, until_idle=until_idle)

    anyio.run(main)
    return 0


def run(main: Callable[[], Awaitable[T]]) -> T:
    """Run ``main`` in an event loop; SIGINT or SIGTERM cancels it, and it ends in order; a second SIGINT ends the
    process at once.

    Raises:
        KeyboardInterrupt: a signal ended it.
        Exception: the exception of ``main``, unwrapped from task groups.
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
    """Unwrap an exception group: raise its only exception, or of several the first `MemdError`, else the group."""
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


async def _serve(
    settings: Settings, reload: Callable[[], Settings] | None, embedder: EmbeddingModel | None, *, until_idle: bool
) -> None:
    # Watched from the start: a signal during the start is not lost, and stops it.
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
                settings, wait=wait, kind="daemon", on_wait=on_wait, embedder=embedder, scheduled=not until_idle
            ) as service:
                # From here on a signal cancels nothing, and the end is orderly. Not shielded: a task that ends with an
                # error, which none should, ends the daemon instead of leaving a server that does nothing.
                serving = True
                start_report.cancel()
                reports = CancelScope()
                if not ended.is_set():
                    notify("READY=1", "STATUS=serving")
                    tasks.start_soon(_watchdog, service, ended)
                    tasks.start_soon(_report_status, service, reports)
                    if until_idle:
                        tasks.start_soon(_end_when_idle, service, settings.server.idle_minutes * 60, end, reports)
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
    ending = False
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT, *([signal.SIGHUP] if reload else [])) as received:
        task_status.started()
        async for number in received:
            if number == signal.SIGHUP:
                _reload(reload)
            elif ending and number == signal.SIGINT:
                os._exit(INTERRUPTED)
            else:
                ending = True
                end()


def _reload(reload: Callable[[], Settings] | None) -> None:
    """Apply the log levels of the present configuration; other settings need a restart."""
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
    """Ask systemd for more time as long as the start goes on and the event loop runs."""
    if not os.environ.get("NOTIFY_SOCKET"):
        return
    until = anyio.current_time() + OPENING_SECONDS
    with scope:
        while anyio.current_time() < until:
            await anyio.sleep(EXTEND_SECONDS / 4)
            notify(f"EXTEND_TIMEOUT_USEC={int(EXTEND_SECONDS * 1_000_000)}")


async def _report_status(service: Service, scope: CancelScope) -> None:
    """Report the daemon's status to systemd whenever it changes."""
    if not os.environ.get("NOTIFY_SOCKET"):
        return
    reported = ""
    with scope:
        while True:
            try:
                line = await service.status_line()
            except MemdError as error:
                line = f"serving; {error.message}"
            if line != reported:
                reported = line
                notify(f"STATUS={' '.join(line.split())}")
            await anyio.sleep(STATUS_SECONDS)


async def _end_when_idle(service: Service, seconds: float, end: Callable[[], None], scope: CancelScope) -> None:
    """Call ``end`` when nothing was asked for so many seconds and nothing is left to do."""
    with scope:
        # Only time ends idleness, and work announces its end nowhere.
        while (left := seconds - service.activity.idle_s) > 0 or await service.has_work():  # noqa: ASYNC110
            await anyio.sleep(max(left, min(IDLE_PAUSE_SECONDS, seconds)))
        log.info("not used for %g minutes; ending", seconds / 60)
        end()


async def _watchdog(service: Service, ended: anyio.Event) -> None:
    """Ping the watchdog of systemd, if it is on: while serving only after proof, at the end, while documents are
    stored, without.
    """
    microseconds = os.environ.get("WATCHDOG_USEC", "")
    if not microseconds.isdecimal() or os.environ.get("WATCHDOG_PID", str(os.getpid())) != str(os.getpid()):
        return
    interval = int(microseconds) / 1_000_000

    def ping() -> None:
        notify("WATCHDOG=1")

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(liveness.watch, service.read_store, Path(service.socket), interval, ping)
        await ended.wait()
        # The shutdown closes the socket and the store, and has a deadline of its own.
        tasks.cancel_scope.cancel()
    while True:
        ping()
        await anyio.sleep(interval * liveness.REST_SHARE)


class _OwnerWaitReport:
    """Reports to the log and to systemd which process the start waits for."""

    def __init__(self) -> None:
        self._logged: Owner | None = None
        self._notified_at = -math.inf

    def report(self, owner: Owner, left: float) -> None:
        """Report the owner once to the log, and every few seconds to systemd, with the time that the start may still
        take.
        """
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
    """Send one datagram to systemd (sd_notify(3)); do nothing if it does not listen."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")):
        return
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sender:
            sender.connect("\0" + address[1:] if address[0] == "@" else address)
            sender.sendall("\n".join(states).encode())
    except OSError as error:
        log.debug("systemd cannot be told: %s", error.strerror)
