"""The translation of errors: what SQLite, the file system and the index libraries raise becomes a StoreError with a hint, here and nowhere else."""

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
    # SQLite reports a page that the disk does not give as damage, too: memd doctor reads the file.
    sqlite3.SQLITE_CORRUPT: (
        "memory.db cannot be read: it is damaged, or the disk fails",
        "memd doctor tells which; a damaged one is restored from a backup, or its sources are ingested again",
    ),
    sqlite3.SQLITE_NOTADB: ("memory.db is no database", "restore it from a backup, or move it away and ingest again"),
}


@contextmanager
def database_errors() -> Generator[None]:
    """Turn every sqlite3 error into ours; no text of a row can be in it."""
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
    """Turn what the decoding of a row raises into a StoreError: a time beyond all years, broken JSON, a missing value.

    SQLite has no checksums; a changed byte of a page that is still well-formed shows here first, or to ``memd doctor``.
    Only the decoding of rows belongs inside: an error of any other code must stay what it is.
    """
    try:
        yield
    except _OF_ROWS as error:
        raise damaged() from error


def decoding(decode: Callable[P, T]) -> Callable[P, T]:
    """`row_errors` around a function that does nothing but decode a row; it costs a row nothing."""

    @wraps(decode)
    def guarded(*values: P.args, **named: P.kwargs) -> T:
        try:
            return decode(*values, **named)
        except _OF_ROWS as error:
            raise damaged() from error

    return guarded


def damaged(invariant: str = "") -> StoreError:
    """The StoreError of a row that memd never wrote; ``invariant`` says what is true of those that it wrote."""
    return StoreError(f"{DAMAGED}: {invariant}" if invariant else DAMAGED, hint=DAMAGED_HINT)


class ExhaustedError(StoreError):
    """The process or the machine is out of memory or of descriptors, which says nothing of the files."""


_EXHAUSTED = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM})
_NO_DESCRIPTOR = re.compile(rf"\bcode: (?:{errno.EMFILE}|{errno.ENFILE}),")
"""What tantivy tells of the system's error, in words alone."""
_TOO_MANY_FILES = "too many files are open"
_MORE_FILES = "try again; `ulimit -n` tells how many may be open"


class DamagedIndexError(StoreError):
    """An index library cannot work on the files of its index, which are to be opened or made anew."""


_ROOM_BYTES = 1024 * 1024
"""With less than this on the disk no index can be written."""


@contextmanager
def index_errors(part: str, directory: Path | None = None) -> Generator[None]:
    """Turn what an index library raises into a StoreError: into a `DamagedIndexError` unless the file system or a lack of
    memory is to blame. They raise ValueError, RuntimeError, OSError and kin.

    Args:
        part: which index.
        directory: where its files are written, so that a full disk is told: what tantivy raises then does not tell it.
    """
    try:
        yield
    except OSError as error:
        raise file_error(error) from error
    except MemoryError as error:
        raise ExhaustedError(f"there is not enough memory for the {part} index", hint="try again") from error
    except BaseException as error:
        # A damaged file makes tantivy's Rust code panic, which arrives as a BaseException of no public name.
        expected = isinstance(error, ValueError | RuntimeError | TypeError | KeyError)
        if not expected and type(error).__name__ != "PanicException":
            raise
        if _NO_DESCRIPTOR.search(str(error)):
            raise ExhaustedError(_TOO_MANY_FILES, hint=_MORE_FILES) from error
        if directory is not None and _is_full(directory):
            # Its writer has ended, so it is opened anew as after damage.
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
    """Raise the `ExhaustedError` of an operation that failed for want of memory or descriptors: it says nothing of the file."""
    if error.errno in _EXHAUSTED:
        raise file_error(error) from error


def _raise_if_no_descriptor() -> None:
    """Raise the `ExhaustedError` if no file at all can be opened at present, which SQLite does not tell."""
    try:
        os.close(os.open(os.devnull, os.O_RDONLY))
    except OSError as error:
        raise_if_exhausted(error)


def file_error(error: OSError) -> StoreError:
    """The StoreError of a failed file operation."""
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
