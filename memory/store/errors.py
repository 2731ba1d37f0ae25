"""Translates errors of SQLite, the file system and the index libraries into a StoreError with a hint; nothing else
does.
"""

from __future__ import annotations

import errno
import os
import re
import sqlite3
import zlib
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

from ...schemas.errors import StoreBusyError, StoreError
from ..private_files import NOT_REGULAR, NotRegularError

P = ParamSpec("P")
T = TypeVar("T")
_HINTS = {
    sqlite3.SQLITE_FULL: ("the disk is full", "free some space and try again; nothing of this group was written"),
    sqlite3.SQLITE_READONLY: ("the store cannot be written", "check the permissions of the data directory"),
    sqlite3.SQLITE_CANTOPEN: ("the store cannot be opened", "check that the data directory exists and is yours"),
    sqlite3.SQLITE_PERM: ("the store cannot be opened", "check the permissions of the data directory"),
    sqlite3.SQLITE_IOERR: ("the disk does not answer as it should", "check the disk's health and its free space"),
    # SQLite also reports a page that the disk cannot read as damage; memd doctor distinguishes the two.
    sqlite3.SQLITE_CORRUPT: (
        "memory.db cannot be read: it is damaged, or the disk fails",
        "memd doctor tells which; a damaged one is restored from a backup, or its sources are ingested again",
    ),
    sqlite3.SQLITE_NOTADB: ("memory.db is no database", "restore it from a backup, or move it away and ingest again"),
}


@contextmanager
def database_errors() -> Generator[None]:
    """Turn every sqlite3 error into a StoreError that contains no text of a row."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", None)
        primary = code & 0xFF if isinstance(code, int) else None
        if primary in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise StoreBusyError("the store is in use", hint="another process is writing; try again") from error
        if primary == sqlite3.SQLITE_CANTOPEN:
            _raise_if_no_descriptor()
        message, hint = _HINTS.get(
            primary if primary is not None else -1,
            ("the database refused an operation", "`memd doctor` tells more"),
        )
        raise StoreError(message, hint=hint) from error
    except UnicodeDecodeError as error:  # SQLite's message quotes the damaged schema
        message, hint = _HINTS[sqlite3.SQLITE_CORRUPT]
        raise StoreError(message, hint=hint) from error
    except OSError as error:
        raise file_error(error) from error


_OF_ROWS = (ValueError, OverflowError, TypeError, LookupError, AttributeError, zlib.error)
DAMAGED = "the database holds what memd never wrote"
DAMAGED_HINT = "memd doctor tells more; restore a backup, or ingest again"


@contextmanager
def row_errors() -> Generator[None]:
    """Turn the errors of decoding a row into a StoreError: a year out of range, broken JSON, a missing value.

    SQLite has no checksums; a flipped byte in a well-formed page shows first here, or to ``memd doctor``. Put only the
    decoding of rows inside: errors of any other code must not be translated.
    """
    try:
        yield
    except _OF_ROWS as error:
        raise damaged() from error


def decoding(decode: Callable[P, T]) -> Callable[P, T]:
    """Apply `row_errors` to a function that only decodes a row, at no cost per row."""

    @wraps(decode)
    def guarded(*values: P.args, **named: P.kwargs) -> T:
        try:
            return decode(*values, **named)
        except _OF_ROWS as error:
            raise damaged() from error

    return guarded


def damaged(invariant: str = "") -> StoreError:
    """Return the StoreError for a row that memd cannot have written; `invariant` is the rule that the row breaks."""
    return StoreError(f"{DAMAGED}: {invariant}" if invariant else DAMAGED, hint=DAMAGED_HINT)


class ExhaustedError(StoreError):
    """The process or the machine is out of memory or file descriptors; the files may be intact."""


_EXHAUSTED = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM})
_NO_DESCRIPTOR = re.compile(rf"\bcode: (?:{errno.EMFILE}|{errno.ENFILE}),")
"""The pattern of tantivy's message for a system error; it has no error code."""
_TOO_MANY_FILES = "too many files are open"
_MORE_FILES = "try again; `ulimit -n` tells how many may be open"


class DamagedIndexError(StoreError):
    """An index library cannot use its files; they must be reopened or rebuilt."""


_ROOM_BYTES = 1024 * 1024
"""The free disk space in bytes below which no index can be written."""


@contextmanager
def index_errors(part: str, directory: Path | None = None) -> Generator[None]:
    """Turn errors of an index library into a `DamagedIndexError`, or into another StoreError if the file system or a
    lack of memory is the cause. The libraries raise ValueError, RuntimeError, OSError and others.

    Args:
        part: the name of the index.
        directory: the folder of its files, to recognise a full disk, which tantivy's errors do not mention.
    """
    try:
        yield
    except OSError as error:
        raise file_error(error) from error
    except MemoryError as error:
        raise ExhaustedError(f"there is not enough memory for the {part} index", hint="try again") from error
    except BaseException as error:
        # A damaged file makes tantivy's Rust code panic, which arrives as a BaseException without a public name.
        expected = isinstance(error, ValueError | RuntimeError | TypeError | KeyError)
        if not expected and type(error).__name__ != "PanicException":
            raise
        if _NO_DESCRIPTOR.search(str(error)):
            raise ExhaustedError(_TOO_MANY_FILES, hint=_MORE_FILES) from error
        if directory is not None and _is_full(directory):
            # Its writer is gone, so the index is reopened as after damage.
            raise DamagedIndexError(
                f"the disk is full: the {part} index cannot be written", hint="free some space and try again"
            ) from error
        raise DamagedIndexError(
            f"the {part} index cannot be used", hint="it is rebuilt from the database by itself; try again"
        ) from error


def _is_full(directory: Path) -> bool:
    try:
        disk = os.statvfs(directory)
    except OSError:
        return False
    return disk.f_bavail * disk.f_frsize < _ROOM_BYTES


def raise_if_exhausted(error: OSError) -> None:
    """Raise an `ExhaustedError` if the operation failed for lack of memory or descriptors; the file may be intact."""
    if error.errno in _EXHAUSTED:
        raise file_error(error) from error


def _raise_if_no_descriptor() -> None:
    """Raise an `ExhaustedError` if no file can be opened at present; SQLite's error does not tell."""
    try:
        os.close(os.open(os.devnull, os.O_RDONLY))
    except OSError as error:
        raise_if_exhausted(error)


def file_error(error: OSError) -> StoreError:
    """Return the StoreError for a failed file operation."""
    if isinstance(error, NotRegularError):
        return StoreError(f"{error.filename} cannot be used: {error.strerror}", hint=NOT_REGULAR)
    if error.errno in _EXHAUSTED:
        if error.errno == errno.ENOMEM:
            return ExhaustedError("there is not enough memory", hint="try again")
        return ExhaustedError(_TOO_MANY_FILES, hint=_MORE_FILES)
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return StoreError("the disk is full", hint="free some space and try again")
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return StoreError("the store cannot be written", hint="check the permissions of the data directory")
    return StoreError("a file of the store cannot be used", hint="check the data directory and the disk")
