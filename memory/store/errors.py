"""Translates errors of SQLite and of rows into a StoreError with a hint; nothing else does."""

from __future__ import annotations

import os
import sqlite3
import zlib
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import wraps
from typing import ParamSpec, TypeVar

from ...schemas.errors import StoreBusyError, StoreError
from ..file_errors import FullDiskError, file_error, raise_if_exhausted

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
        raise (FullDiskError if primary == sqlite3.SQLITE_FULL else StoreError)(message, hint=hint) from error
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


def _raise_if_no_descriptor() -> None:
    """Raise an `ExhaustedError` if no file can be opened at present; SQLite's error does not tell."""
    try:
        os.close(os.open(os.devnull, os.O_RDONLY))
    except OSError as error:
        raise_if_exhausted(error)
