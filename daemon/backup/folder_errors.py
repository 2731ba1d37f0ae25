"""Errors of a backup's folder, and the translation of the file system's errors into them."""

from __future__ import annotations

import errno
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from ...schemas.errors import StoreError

_OF_THE_DEVICE = frozenset({errno.EIO, errno.ESTALE, errno.ENXIO, errno.ENODEV, errno.ETIMEDOUT})


class DamagedError(StoreError):
    """A part of a backup is missing, or differs from what was saved."""


class FolderError(StoreError):
    """A file operation failed. The file may be whole; the next operation may succeed."""


@contextmanager
def folder_errors(folder: Path) -> Generator[None]:
    """Raise `FolderError` instead of an ``OSError``."""
    try:
        yield
    except OSError as error:
        raise folder_error(folder, error) from error


def folder_error(folder: Path, error: OSError) -> FolderError:
    """Return the error of a failed file operation in a folder."""
    hint = "is there room, and may memd write there? a system service may write in its own folders only"
    if error.errno in _OF_THE_DEVICE:
        hint = "nothing was changed; try again, and check the disk or the connection to it"
    return FolderError(f"{folder} cannot be used: {error.strerror}", hint=hint)
