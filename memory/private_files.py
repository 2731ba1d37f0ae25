"""Files and folders that hold private data: no symbolic link is followed to a file, files are 0600, folders 0700.

SQLite and the index libraries open files by name and follow links, and cannot be told not to: what they are about to
open is looked at before. The standard library alone, for the sake of commands that start fast.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress

_DATABASE_FILES = ("", "-wal", "-shm", "-journal")
"""The suffixes of the files that SQLite may open beside a database."""


_ROOM = 256 * 1024
"""The free bytes below which no databases can be opened in a folder."""
NOT_REGULAR = "remove it: memd follows no link to a file of its own; the data directory as a whole may be a link"
"""The hint of a `NotRegularError`."""


class NotRegularError(OSError):
    """A symbolic link, a pipe, a socket or a device lies where a file of ours belongs."""

    def __init__(self, path: str, kind: str) -> None:
        super().__init__(errno.ELOOP if "link" in kind else errno.EINVAL, f"it is {kind}", path)


class ForeignFolderError(OSError):
    """A folder for private data belongs to another user, or others may write into it."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(errno.EPERM, problem, path)


def open_private(path: str | os.PathLike[str], flags: int = os.O_RDWR | os.O_CREAT) -> int:
    """Return a descriptor of the regular file at ``path``, creating it with mode 0600 whatever the umask.

    Args:
        path: the folders on its way may be links, the file itself may not.
        flags: of `os.open`; never inherited, and never waiting for the other end of a pipe.

    Raises:
        NotRegularError: something else lies there.
        OSError: as `os.open`.
    """
    name = os.fspath(path)
    try:
        descriptor = os.open(name, flags | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, 0o600)
    except OSError:
        require_regular_file(name)  # which tells better what is wrong
        raise
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise NotRegularError(name, "no regular file")
    return descriptor


def create_anew(path: str | os.PathLike[str]) -> int:
    """Return a descriptor for writing a new, empty private file; an existing one is removed first, and a link is not
    followed.

    Raises:
        OSError: as `os.open` and `os.unlink`.
    """
    with suppress(FileNotFoundError):
        os.unlink(path)
    return open_private(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)


def require_regular_file(path: str | os.PathLike[str]) -> None:
    """Refuse a path at which anything but a regular file lies. Nothing at all is fine.

    Raises:
        NotRegularError: something else lies there.
        OSError: as `os.lstat`.
    """
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISREG(mode):
        kind = "a symbolic link" if stat.S_ISLNK(mode) else "no regular file"
        raise NotRegularError(os.fspath(path), kind)


def require_regular_database(path: str | os.PathLike[str]) -> None:
    """Apply `require_regular_file` to a SQLite database and the files that SQLite keeps beside it."""
    for suffix in _DATABASE_FILES:
        require_regular_file(os.fspath(path) + suffix)


def make_folders(path: str | os.PathLike[str]) -> None:
    """Create a folder and its missing parents, each 0700 whatever the umask; existing ones are not changed.

    Raises:
        OSError: as `os.mkdir`.
    """
    name = os.path.abspath(path)
    missing: list[str] = []
    while not os.path.isdir(name):
        missing.append(name)
        name = os.path.dirname(name)
    for folder in reversed(missing):
        try:
            os.mkdir(folder, 0o700)
        except FileExistsError:  # made by another process meanwhile, or no folder
            if not os.path.isdir(folder):
                raise


def restrict_to_owner(path: str | os.PathLike[str]) -> None:
    """Let only us into an existing folder for private data, which may be reached over a link.

    One of ours becomes 0700. One of another user is refused where that user, or anybody, could put files of theirs in the
    place of ours: always to root, who would otherwise follow that user's will, and to others where all may write.

    Raises:
        ForeignFolderError: it is such a folder.
        OSError: it cannot be looked at or changed.
    """
    name = os.fspath(path)
    status = os.stat(name)
    user = os.geteuid()
    if status.st_uid == user:
        if stat.S_IMODE(status.st_mode) & 0o077:
            os.chmod(name, 0o700)
    elif user == 0:
        raise ForeignFolderError(name, f"it belongs to another user ({status.st_uid}), and memd runs as root")
    elif status.st_mode & stat.S_IWOTH:
        raise ForeignFolderError(name, "it belongs to another user, and everybody may write into it")


def can_be_written(folder: str | os.PathLike[str]) -> bool:
    """Return whether a file with content can be created in a folder: not if the disk is full or read-only."""
    path = os.path.join(os.fspath(folder), f".room-{os.getpid()}")
    try:
        descriptor = create_anew(path)
    except OSError:
        return False
    try:
        os.posix_fallocate(descriptor, 0, _ROOM)
    except OSError:
        return False
    finally:
        os.close(descriptor)
        with suppress(OSError):
            os.unlink(path)
    return True


def sync_folder(path: str | os.PathLike[str]) -> None:
    """Write a folder's list of names to the disk: a file that was made or renamed keeps its name after a power cut.

    Raises:
        OSError: as `os.open` and `os.fsync`.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
