"""Private temporary folders beside their target. A user of one locks it; folders that a killed process left are
removed.

All functions block; call them in a worker thread.
"""

from __future__ import annotations

import errno
import fcntl
import logging
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

log = logging.getLogger(__name__)


@contextmanager
def private_folder(target: Path, purpose: str) -> Generator[Path]:
    """Make a folder beside ``target`` that only this user may enter (0700), removed at the end unless it has been
    renamed.

    Raises:
        OSError: it cannot be made.
    """
    folder, descriptor = _made(target, purpose)
    try:
        yield folder
    finally:
        try:
            if _is(folder, descriptor):
                shutil.rmtree(folder, ignore_errors=True)
        finally:
            os.close(descriptor)


@contextmanager
def reading_folder() -> Generator[Path]:
    """Make a private folder in the system's temporary folder, for a command that reads exports itself; leftovers of
    killed commands are removed first.

    Raises:
        OSError: it cannot be made.
    """
    target = Path(tempfile.gettempdir()) / f"memd-{os.geteuid()}"
    remove_stale_folders(target, "reading")
    with private_folder(target, "reading") as folder:
        yield folder


def remove_stale_folders(target: Path, purpose: str) -> int:
    """Remove the folders that this user's killed processes left beside ``target``; return their number. Folders in use
    stay.
    """
    removed = 0
    name = re.compile(re.escape(_prefix(target, purpose)) + r"[a-z0-9_]{8}")
    try:
        folders = [path for path in target.parent.iterdir() if name.fullmatch(path.name)]
    except OSError:
        return 0  # the parent does not exist yet, or is not readable
    for folder in folders:
        try:
            removed += _removed(folder)
        except OSError as error:
            log.warning("%s was left by a process that was killed and cannot be removed: %s", folder, error.strerror)
    return removed


def _made(target: Path, purpose: str) -> tuple[Path, int]:
    while True:
        folder = Path(tempfile.mkdtemp(prefix=_prefix(target, purpose), dir=target.parent))
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            # A sweep may have removed it between the two lines, so that there is nothing to lock.
            if _locked(descriptor) and _is(folder, descriptor):
                return folder, descriptor
        except OSError:
            os.close(descriptor)
            folder.rmdir()
            raise
        os.close(descriptor)


def _removed(folder: Path) -> bool:
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        if error.errno in {errno.ENOENT, errno.ENOTDIR, errno.ELOOP}:
            return False
        raise
    try:
        status = os.fstat(descriptor)
        ours = status.st_uid == os.geteuid() and stat.S_IMODE(status.st_mode) == 0o700
        if not ours or not _locked(descriptor) or not _is(folder, descriptor):
            return False
        shutil.rmtree(folder)
        return True
    finally:
        os.close(descriptor)


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in {errno.EWOULDBLOCK, errno.EACCES, errno.EAGAIN}:
            return False
        raise
    return True


def _is(folder: Path, descriptor: int) -> bool:
    """Return whether the folder of that name is still the one that was opened."""
    try:
        status = folder.lstat()
    except FileNotFoundError:
        return False
    return os.path.samestat(status, os.fstat(descriptor))


def _prefix(target: Path, purpose: str) -> str:
    return f".{target.name}.{purpose}-"
