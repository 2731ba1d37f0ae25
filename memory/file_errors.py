"""Translates errors of the file system into a StoreError with a hint."""

from __future__ import annotations

import errno
import os
from collections.abc import Generator
from contextlib import contextmanager

from ..schemas.errors import StoreError
from .private_files import NOT_REGULAR, NotRegularError


class ExhaustedError(StoreError):
    """The process or the machine is out of memory or file descriptors; the files may be intact."""


class FullDiskError(StoreError):
    """There is no space left on the disk; nothing is damaged."""


ROOM_BYTES = 1024 * 1024
"""The free disk space in bytes below which no database and no index can be changed."""
_EXHAUSTED = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM})
TOO_MANY_FILES = "too many files are open"
MORE_FILES = "try again; `ulimit -n` tells how many may be open"


def is_full(directory: str | os.PathLike[str]) -> bool:
    """Return whether the disk has too little room for any change of a database or an index, whatever error says so."""
    try:
        disk = os.statvfs(directory)
    except OSError:
        return False
    return disk.f_bavail * disk.f_frsize < ROOM_BYTES


def raise_if_exhausted(error: OSError) -> None:
    """Raise an `ExhaustedError` if the operation failed for lack of memory or descriptors; the file may be intact."""
    if error.errno in _EXHAUSTED:
        raise file_error(error) from error


def file_error(error: OSError) -> StoreError:
    """Return the StoreError for a failed file operation."""
    if isinstance(error, NotRegularError):
        return StoreError(f"{error.filename} cannot be used: {error.strerror}", hint=NOT_REGULAR)
    if error.errno in _EXHAUSTED:
        if error.errno == errno.ENOMEM:
            return ExhaustedError("there is not enough memory", hint="try again")
        return ExhaustedError(TOO_MANY_FILES, hint=MORE_FILES)
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return FullDiskError("the disk is full", hint="free some space and try again")
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return StoreError("the store cannot be written", hint="check the permissions of the data directory")
    return StoreError("a file of the store cannot be used", hint="check the data directory and the disk")


@contextmanager
def file_errors() -> Generator[None]:
    """Turn an OSError into the StoreError that `file_error` returns."""
    try:
        yield
    except OSError as error:
        raise file_error(error) from error
