"""A thread that owns a memory and serves its socket, for a program that opens one without a daemon."""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from functools import partial

import anyio

from ..app import open_app
from ..config.resolution import resolve_settings
from ..lifecycle import single_error


class EmbeddedOwner:
    """Owns the memory until it is closed, garbage collected, or the process ends; acknowledged documents survive all of them.

    Args:
        flags: settings by dotted name, over environment and configuration; see `resolve_settings`.

    Raises:
        BusyError: another process owns the data directory.
        MemdError: the settings are wrong, or the memory cannot be opened.
    """

    def __init__(self, flags: Mapping[str, object]) -> None:
        started: Future[Callable[[], None]] = Future()
        self._thread = threading.Thread(target=_own, args=(dict(flags), started), name="memd", daemon=True)
        self._thread.start()
        self._stop = weakref.finalize(self, started.result())
        self._stop.atexit = False  # a closing memory starts threads, which an interpreter that ends refuses

    def close(self) -> None:
        """Store what is acknowledged, within ``ingest.drain_s`` of the settings, and release the memory."""
        self._stop()
        self._thread.join()


def _own(flags: Mapping[str, object], started: Future[Callable[[], None]]) -> None:
    """Serve until stopped; ``started`` gets the function that stops it, or the error of the start."""

    async def main() -> None:
        settings = resolve_settings(flags).settings
        stopped = anyio.Event()
        with single_error():
            async with open_app(settings, serve=True):
                started.set_result(partial(_set, asyncio.get_running_loop(), stopped))
                await stopped.wait()

    try:
        anyio.run(main)
    except BaseException as error:
        if started.done():
            raise
        started.set_exception(error)


def _set(loop: asyncio.AbstractEventLoop, stopped: anyio.Event) -> None:
    """Set an event of another thread's loop; returns at once, so that the garbage collector may call it anywhere."""
    with suppress(RuntimeError):  # the loop has ended
        loop.call_soon_threadsafe(stopped.set)
