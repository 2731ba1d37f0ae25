"""Starting and stopping a daemon: signals, and what systemd is told. The only module that touches signals."""

from __future__ import annotations

import logging
import os
import signal
import socket

import anyio
from anyio.abc import TaskGroup

from ..schemas.errors import ConfigError
from . import logs
from .app import open_app
from .config import Settings, resolve

log = logging.getLogger(__name__)
WATCHDOG_SHARE = 0.5
"""Of the interval that systemd allows: sd_watchdog_enabled(3) recommends half of it."""


def serve(settings: Settings) -> int:
    """Own the memory and answer at its socket until SIGTERM or SIGINT; returns the exit code 0.

    A second signal ends the process at once. SIGHUP reads the log levels anew.

    Raises:
        MemdError: the application could not be opened.
    """
    anyio.run(_serve, settings)
    return 0


async def _serve(settings: Settings) -> None:
    # From the first moment on: a signal during the start is not lost, and stops what has begun.
    async with anyio.create_task_group() as tasks:
        ended = anyio.Event()
        await tasks.start(_watch_signals, tasks, ended)
        async with open_app(settings) as service:
            notify("READY=1", "STATUS=serving")
            tasks.start_soon(_watchdog)
            log.info("serving", extra={"pid": os.getpid(), "version": service.health()["version"]})
            await ended.wait()
            notify("STOPPING=1", "STATUS=stopping")
        tasks.cancel_scope.cancel()


async def _watch_signals(tasks: TaskGroup, ended: anyio.Event, *, task_status: anyio.abc.TaskStatus[None]) -> None:
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT, signal.SIGHUP) as received:
        task_status.started()
        async for number in received:
            if number == signal.SIGHUP:
                _reload()
            elif ended.is_set():
                tasks.cancel_scope.cancel()
            else:
                ended.set()


def _reload() -> None:
    """Take over the log levels of the configuration as it is now; the rest needs a restart."""
    notify("RELOADING=1")
    try:
        fresh = resolve().settings
        logs.configure(fresh.log.level, fresh.log.modules)
        log.info("settings read again")
    except ConfigError as error:
        log.warning("the configuration is wrong, nothing was changed: %s", error.message)
    notify("READY=1")


async def _watchdog() -> None:
    """Tell systemd that the event loop still turns, where it asked for that."""
    microseconds = os.environ.get("WATCHDOG_USEC", "")
    if not microseconds.isdecimal() or os.environ.get("WATCHDOG_PID", str(os.getpid())) != str(os.getpid()):
        return
    while True:
        notify("WATCHDOG=1")
        await anyio.sleep(int(microseconds) / 1_000_000 * WATCHDOG_SHARE)


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
