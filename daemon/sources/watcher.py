"""Watches folders: a change in one requests a run, which then finds out whether there is anything new."""

# watchfiles types its stop event with two libraries, one of which is not here.
# pyright: reportUnknownVariableType=false

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from pathlib import Path

import anyio
import anyio.to_thread
from watchfiles import awatch

from ...memory.supervision import Worker

LOOK_SECONDS = 10.0
"""The seconds between two checks whether the folder is still the watched one: another file system may be mounted over
it.
"""
ABSENT_SECONDS = 30.0
"""The seconds between two checks whether a missing folder has appeared."""
POLL_SECONDS = 300.0
"""The seconds between two runs for a folder that the system cannot watch."""

log = logging.getLogger(__name__)


async def watch_folder(path: Path, changed: Callable[[], None], worker: Worker) -> None:
    """Call ``changed`` at the start, whenever something in the folder changes, and whenever the folder reappears.

    A folder that cannot be watched, on some network file systems or beyond the system's limit of watches, is read at
    intervals.
    """
    while True:
        identity = await anyio.to_thread.run_sync(_identity, path)
        if identity is None:
            await anyio.sleep(ABSENT_SECONDS)
            continue
        changed()
        try:
            await _watch(path, identity, changed)
            worker.progressed()
        except (OSError, RuntimeError) as error:  # watchfiles raises either, by the system's error
            reason = getattr(error, "strerror", None) or type(error).__name__
            log.warning("a folder cannot be watched and is read at intervals: %s", reason)
            await anyio.sleep(POLL_SECONDS)


async def _watch(path: Path, identity: tuple[int, int], changed: Callable[[], None]) -> None:
    """Watch until the folder is replaced or gone."""
    watching = awatch(
        path,
        watch_filter=None,
        rust_timeout=int(LOOK_SECONDS * 1000),
        yield_on_timeout=True,
        ignore_permission_denied=True,
    )
    async for changes in watching:
        if changes:
            changed()
        if await anyio.to_thread.run_sync(_identity, path) != identity:
            return


def _identity(path: Path) -> tuple[int, int] | None:
    """Return the identity of a folder (device and inode); None if it is not a folder."""
    try:
        status = os.stat(path)  # noqa: PTH116 - two numbers of it
    except OSError:
        return None
    return (status.st_dev, status.st_ino) if path.is_dir() else None
