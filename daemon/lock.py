"""One owner for a data directory: a lock that the kernel releases with the process, whatever ended it."""

from __future__ import annotations

import errno
import fcntl
import json
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import anyio.to_thread

from ..memory.private_files import open_private
from ..schemas.errors import BusyError, StoreError
from .config.paths import LOCK, make_private, owner_of

RETRY_SECONDS = 0.05
_HELD = {errno.EWOULDBLOCK, errno.EACCES, errno.EAGAIN}


class DataDirLock:
    """The lock, while it is held."""

    def __init__(self, descriptor: int, path: Path) -> None:
        self._descriptor = descriptor
        self.path = path

    def announce(self, socket: str) -> None:
        """Write down who we are and where we listen, for people and for clients without a path of their own."""
        text = json.dumps({"pid": os.getpid(), "socket": socket}).encode()
        try:
            os.pwrite(self._descriptor, text, 0)
            os.ftruncate(self._descriptor, len(text))
        except OSError as error:
            raise StoreError(
                f"the data directory cannot be written: {error.strerror}", hint="is the disk full?"
            ) from error


@asynccontextmanager
async def lock_data_dir(data_dir: Path, *, wait: float = 0.0) -> AsyncGenerator[DataDirLock]:
    """Own ``data_dir``, which is made 0700 where it is missing; waits up to ``wait`` seconds for another to let go.

    Raises:
        BusyError: another process owns it; the message names its pid.
        StoreError: the directory cannot be made or written.
    """
    await anyio.to_thread.run_sync(make_private, os.fspath(data_dir))
    path = data_dir / LOCK
    descriptor = _open(path)
    try:
        deadline = anyio.current_time() + wait
        while not _take(descriptor, path):
            if anyio.current_time() >= deadline:
                raise _busy(path)
            await anyio.sleep(RETRY_SECONDS)
        # Libraries make files by the mask alone; what they make is private from its first moment, killed or not.
        before = os.umask(0o077)
        try:
            yield DataDirLock(descriptor, path)
        finally:
            os.umask(before)
            # The text goes before the lock: a client must not be sent to a socket that nobody serves.
            os.ftruncate(descriptor, 0)
    finally:
        os.close(descriptor)


def _open(path: Path) -> int:
    try:
        # The file is never removed: two processes could then hold locks of two files under the same name.
        return open_private(path)
    except OSError as error:
        hint = "check who owns the data directory, or choose another with --data-dir"
        raise StoreError(f"{path} cannot be opened: {error.strerror}", hint=hint) from error


def _take(descriptor: int, path: Path) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _HELD:
            return False
        raise StoreError(
            f"{path} cannot be locked: {error.strerror}", hint="the file system must know locks"
        ) from error
    return True


def _busy(path: Path) -> BusyError:
    pid = owner_of(os.fspath(path)).get("pid")
    who = f"process {pid}" if isinstance(pid, int) else "another process"
    hint = "it serves the same commands at its socket; end it, or choose another --data-dir"
    return BusyError(f"{who} owns {path.parent}", hint=hint)
