"""The lock of a data directory's only owner; the kernel releases it with the process, however that ends."""

from __future__ import annotations

import errno
import fcntl
import json
import os
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Literal

import anyio
import anyio.to_thread

from ..memory.private_files import open_private
from ..schemas.errors import BusyError, StoreError
from .config.paths import LOCK, Owner, OwnerKind, make_private, read_owner
from .forked_children import files_kept_from_children

RETRY_SECONDS = 0.05
_HELD = {errno.EWOULDBLOCK, errno.EACCES, errno.EAGAIN}


class DataDirLock:
    """The lock, while it is held. The text in its file names the owner, for people and for clients."""

    def __init__(self, descriptor: int, path: Path, kind: OwnerKind) -> None:
        self._descriptor = descriptor
        self._kind = kind
        self._socket = ""
        self.path = path

    def announce(self, socket: str) -> None:
        """Write the socket into the lock file, for clients that know no path.

        Raises:
            StoreError: the file cannot be written.
        """
        self._socket = socket
        try:
            self._write("serving")
        except OSError as error:
            raise StoreError(
                f"the data directory cannot be written: {error.strerror}", hint="is the disk full?"
            ) from error

    def set_state(self, state: Literal["working", "starting", "stopping"]) -> None:
        """Write the state into the lock file, if the disk allows. Clients wait for an owner that is starting or
        stopping; one that is working serves no socket.
        """
        with suppress(OSError):
            self._write(state)

    def _write(self, state: str) -> None:
        body = {"pid": os.getpid(), "kind": self._kind, "state": state}
        text = json.dumps(body | ({"socket": self._socket} if self._socket else {})).encode()
        os.pwrite(self._descriptor, text, 0)
        os.ftruncate(self._descriptor, len(text))


@asynccontextmanager
async def lock_data_dir(
    data_dir: Path,
    *,
    wait: float = 0.0,
    kind: OwnerKind = "command",
    on_wait: Callable[[Owner, float], None] | None = None,
) -> AsyncGenerator[DataDirLock]:
    """Own ``data_dir``, which is created with mode 0700 if missing; wait up to ``wait`` seconds for another owner to
    release it.

    A daemon does not wait for another daemon that is not stopping, because that would not end.

    Args:
        data_dir: the folder.
        wait: seconds.
        kind: the kind of this process.
        on_wait: gets the owner and the seconds left, before each pause of `RETRY_SECONDS`.

    Raises:
        BusyError: another process owns it; the message names its pid.
        StoreError: the directory cannot be made or written.
    """
    await anyio.to_thread.run_sync(make_private, os.fspath(data_dir))
    path = data_dir / LOCK
    descriptor = _open(path)
    try:
        deadline = anyio.current_time() + wait
        before: Owner | None = None
        while not (_take(descriptor, path) and _is_at(descriptor, path)):
            if not _is_at(descriptor, path):  # a restore replaced an empty data directory with another
                descriptor, old = _open(path), descriptor
                os.close(old)
                continue
            owner = read_owner(os.fspath(path))
            left = deadline - anyio.current_time()
            # Read twice: a new owner has the lock a moment before it replaces the text of a killed one.
            if left <= 0 or (kind == "daemon" and owner == before and _stays(owner)):
                raise _busy(path, owner)
            before = owner
            if on_wait is not None and not (kind == "daemon" and _stays(owner)):
                on_wait(owner, left)
            await anyio.sleep(min(RETRY_SECONDS, left))
        # Libraries create files with the mask alone; with this mask they are private at once, even after a kill.
        mask = os.umask(0o077)
        try:
            ownership = DataDirLock(descriptor, path, kind)
            ownership.set_state("working")
            with files_kept_from_children(os.fspath(data_dir)):
                yield ownership
        finally:
            os.umask(mask)
            # The text is removed before the lock: a client must not be sent to a dead socket.
            os.ftruncate(descriptor, 0)
    finally:
        os.close(descriptor)


@contextmanager
def locked_now(data_dir: Path, *, reading: bool = False) -> Generator[None]:
    """Own an existing data directory, without waiting and without writing to the lock file.

    Args:
        data_dir: the folder.
        reading: share it with others that only read it; nothing is written for it.

    Raises:
        BusyError: another process owns it.
        StoreError: the lock cannot be opened.
    """
    path = data_dir / LOCK
    descriptor = _open(path, os.O_RDONLY) if reading else _open(path)
    try:
        if not (_take(descriptor, path, shared=reading) and _is_at(descriptor, path)):
            raise _busy(path, read_owner(os.fspath(path)))
        yield
    finally:
        os.close(descriptor)


def _is_at(descriptor: int, path: Path) -> bool:
    """Return whether a file is still the one under its name."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def _open(path: Path, flags: int = os.O_RDWR | os.O_CREAT) -> int:
    try:
        # The file is never removed: two processes could then hold locks of two files under the same name.
        return open_private(path, flags)
    except OSError as error:
        hint = "check who owns the data directory, or choose another with --data-dir"
        raise StoreError(f"{path} cannot be opened: {error.strerror}", hint=hint) from error


def _take(descriptor: int, path: Path, *, shared: bool = False) -> bool:
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _HELD:
            return False
        raise StoreError(
            f"{path} cannot be locked: {error.strerror}", hint="the file system must know locks"
        ) from error
    return True


def _stays(owner: Owner) -> bool:
    """Return whether the owner is a daemon that runs until it is stopped."""
    return owner.kind == "daemon" and owner.state in ("starting", "serving") and _is_alive(owner.pid)


def _is_alive(pid: int | None) -> bool:
    """Return whether the process exists, as far as this one can see."""
    if pid is None:
        return False
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except OSError:
        return False
    return True


def _busy(path: Path, owner: Owner) -> BusyError:
    end = f"end it (`kill {owner.pid}`)" if owner.pid else "end it"
    hint = f"it serves the same commands at its socket; {end}, or choose another --data-dir"
    return BusyError(f"{owner.name} owns {path.parent}", hint=hint)
