"""Being the owner for as long as one command takes, in the very application that `memd serve` runs.

The command asks over the socket that this process serves: one path for every request, whoever owns the memory. Its work
runs in a thread beside the event loop; the loop's cancellation (Ctrl-C) closes the socket, which ends the work.
"""

from __future__ import annotations

import argparse
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

import anyio
import anyio.from_thread
import anyio.lowlevel

from ..client import Client

T = TypeVar("T")


async def in_thread(work: Callable[[], T]) -> T:
    """Run blocking work in a thread that never holds up the end of the process, unlike those of a pool."""
    done = anyio.Event()
    token = anyio.lowlevel.current_token()
    results: list[T] = []
    errors: list[BaseException] = []

    def body() -> None:
        try:
            results.append(work())
        except BaseException as error:  # noqa: BLE001 - whatever it is belongs to the caller, not to this thread
            errors.append(error)
        with suppress(anyio.RunFinishedError):  # the caller was cancelled and has gone
            anyio.from_thread.run_sync(done.set, token=token)

    threading.Thread(target=body, name="command", daemon=True).start()
    await done.wait()
    if errors:
        raise errors[0]
    return results[0]


def work_alone(arguments: argparse.Namespace, work: Callable[[Client], T], *, lone: bool) -> T:
    """Own the memory, serve its socket, and do the work over it.

    Raises:
        BusyError: another process owns it.
        MemdError: it cannot be opened.
    """
