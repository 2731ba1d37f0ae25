"""Proof for the watchdog of systemd that the daemon works: the store answers a read, and the socket answers a request."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio
from anyio import TASK_STATUS_IGNORED
from anyio.abc import TaskStatus

from ..schemas.errors import MemdError

log = logging.getLogger(__name__)
REST_SHARE = 0.5
"""The share of systemd's interval between two pings: sd_watchdog_enabled(3) recommends half of it."""
LATE_SHARE = 0.25
"""The share of the same interval after which the log reports the missing answer."""
CONNECT_AGAIN_SECONDS = 0.2
_REQUEST = b"GET /v1/health HTTP/1.1\r\nHost: memd\r\nConnection: close\r\n\r\n"


async def watch(
    read_store: Callable[[], Awaitable[object]], socket: Path, interval: float, ping: Callable[[], None]
) -> None:
    """Call ``ping`` repeatedly, each time only after the store and the socket have answered.

    The ping waits as long as they do: a thread that hangs in a file system cannot be cancelled, and systemd ends this
    process when no ping has come for the interval.

    Args:
        read_store: one cheap read by the path that every question takes.
        socket: where the daemon listens.
        interval: seconds that systemd allows between two pings.
        ping: notifies systemd.
    """
    while True:
        await _told("the store", interval, read_store)
        await _told("the socket", interval, lambda: answer_of(socket))
        ping()
        await anyio.sleep(interval * REST_SHARE)


async def _told(part: str, interval: float, probe: Callable[[], Awaitable[object]]) -> None:
    """Wait for a part's answer; log when it is late."""
    async with anyio.create_task_group() as tasks:
        await tasks.start(_report_late, part, interval * LATE_SHARE)
        try:
            await probe()
        except MemdError as error:
            # An error is an answer, too: a restart repairs no disk, and a running daemon reports the problem.
            log.warning("the watchdog's read failed: %s", error.message)
        tasks.cancel_scope.cancel()


async def _report_late(part: str, seconds: float, *, task_status: TaskStatus[None] = TASK_STATUS_IGNORED) -> None:
    task_status.started()
    await anyio.sleep(seconds)
    log.warning("%s has not answered the watchdog for %.1f seconds", part, seconds)


async def answer_of(socket: Path) -> bytes:
    """Return the first bytes that the daemon answers at its own socket; empty when it accepted and closed.

    Waits without a limit: a stuck accept loop is what the caller wants to detect.
    """
    while True:
        try:
            async with await anyio.connect_unix(socket) as stream:
                await stream.send(_REQUEST)
                return await stream.receive(64)
        except (anyio.EndOfStream, anyio.BrokenResourceError):
            return b""  # too many connections: accepted, answered, closed
        except OSError:  # the queue of the socket is full
            await anyio.sleep(CONNECT_AGAIN_SECONDS)
