"""The journal's file: opens it with an integrity check, encodes documents as text, and salvages a damaged journal."""

from __future__ import annotations

import logging
import os
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import orjson

from ...memory import sqlite_wal
from ...memory.file_errors import FullDiskError, is_full
from ...memory.private_files import (
    NOT_REGULAR,
    NotRegularError,
    open_private,
    require_regular_database,
    sync_folder,
)
from ...schemas import Document, Notice, Rejected, document_from_wire
from ...schemas.errors import MemdError, StoreError
from .schema import SALVAGED, prepare_tables

log = logging.getLogger(__name__)
_SET_ASIDE = ("{name}.damaged-*", "{name}.new*")
"""The patterns of files that `salvage` leaves beside a journal, with their logs; the second pattern after a kill."""
_BESIDE = ("-wal", "-shm")
_SKIPPED = 10_000
"""The maximum number of row numbers tried behind a damaged page before the rest counts as lost."""


def open_file(path: Path) -> sqlite3.Connection:
    """Return a connection to the journal at ``path``; a missing file is created with mode 0600.

    Raises:
        StoreError: the file is damaged, of a newer memd, or cannot be opened.
    """
    complete_salvage(path)
    return _opened(path)


def _opened(path: Path) -> sqlite3.Connection:
    try:
        # SQLite gives the files beside it (-wal, -shm) the mode of the database.
        os.close(open_private(path))
        require_regular_database(path)
        connection = sqlite3.connect(path, timeout=5.0, isolation_level=None, check_same_thread=False)
    except (OSError, *sqlite_wal.SQLITE_ERRORS) as error:
        raise unusable(error) from error
    try:
        _prepare(connection)
    except sqlite_wal.SQLITE_ERRORS as error:
        connection.close()
        # SQLite calls it an I/O error where its shared memory finds no room.
        raise (_full_disk() if is_full(path.parent) else unusable(error)) from error
    except MemdError:
        connection.close()
        raise
    return connection


def open_copy(path: Path) -> sqlite3.Connection:
    """Return a connection to a copy of the journal in memory, for a read-only disk; empty if there is no journal.

    Raises:
        StoreError: the file is damaged, of a newer memd, or cannot be read.
    """
    copy = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    try:
        require_regular_database(path)
        if path.exists():
            with closing(sqlite3.connect(sqlite_wal.reading_uri(path), uri=True)) as file:
                file.backup(copy)
        _prepare(copy)
    except (OSError, *sqlite_wal.SQLITE_ERRORS) as error:
        copy.close()
        raise unusable(error) from error
    except MemdError:
        copy.close()
        raise
    return copy


def may_wait(path: Path) -> bool:
    """Return whether documents wait in the journal at ``path``, which is not written; true also if it cannot be read."""
    try:
        require_regular_database(path)
        if not path.exists():
            return False
        with closing(sqlite3.connect(sqlite_wal.reading_uri(path), uri=True)) as file:
            return file.execute("SELECT 1 FROM entries WHERE state = 'queued' LIMIT 1").fetchone() is not None
    except (OSError, MemdError, *sqlite_wal.SQLITE_ERRORS):
        return True


def close_file(connection: sqlite3.Connection) -> None:
    """Close the connection. An empty journal is vacuumed first, which removes the last traces of its former contents."""
    try:
        # The purge stays due: a forgetting may need more than this rewrite.
        sqlite_wal.rewrite(connection)
        (entries,) = connection.execute("SELECT count(*) FROM entries").fetchone()
        (free,) = connection.execute("PRAGMA freelist_count").fetchone()
        if free and not entries:
            connection.execute("VACUUM")
    except sqlite_wal.SQLITE_ERRORS:
        pass  # failed upkeep costs disk space and nothing else
    finally:
        connection.close()


def _prepare(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    # FULL, not NORMAL: in WAL mode NORMAL may lose the last commits in a power cut, and those were acknowledged.
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA secure_delete = ON")  # stored documents must not remain readable here
    # When a page and its index disagree, messages come back twice or not at all, and no later write reports it. The
    # queue is bounded, and so is the time of this check: a fraction of a second at most.
    if problem := damage_in(connection):
        raise sqlite3.DatabaseError(problem)
    prepare_tables(connection)


def damage_in(connection: sqlite3.Connection) -> str:
    """Return the first problem of SQLite's integrity check, without its heading; empty if there is none."""
    (problem,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if sqlite_wal.is_read_error(str(problem)):
        raise sqlite3.OperationalError("disk I/O error")
    return "" if problem == "ok" else str(problem).splitlines()[-1][:200]


def salvage(path: Path) -> tuple[int, Path]:
    """Set a damaged journal aside and make a new one of its readable entries; return the number of documents kept and
    the path of the damaged file.

    If killed at any moment, this leaves the damaged journal unchanged, or a complete new one that `open_file` puts in
    its place.

    Raises:
        StoreError: the new journal cannot be written, and the damaged one stays in place; or one of the two cannot be
            renamed, which `open_file` tries again.
    """
    fresh = path.with_name(f"{path.name}.new")
    files = [fresh.with_name(fresh.name + suffix) for suffix in ("", *_BESIDE)]
    complete_salvage(path)  # finish an earlier salvage that was killed: its new journal must not be replaced
    try:
        for file in files:
            file.unlink(missing_ok=True)
        connection = _opened(fresh)
        try:
            kept = _copy(path, connection)
        finally:
            connection.close()
        fresh.rename(_salvaged(path))
    except (OSError, *sqlite_wal.SQLITE_ERRORS) as error:
        raise unusable(error) from error
    return kept, complete_salvage(path)


def _copy(path: Path, fresh: sqlite3.Connection) -> int:
    """Write the readable entries of a journal into a new one, down to its database file; return their number."""
    kept = 0
    with fresh:
        fresh.execute("BEGIN IMMEDIATE")
        for row in _readable(path):
            fresh.execute(
                "INSERT INTO entries (run, key, body, messages, bytes, attempts, error, state, added, buffer, place, crc)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (*row, zlib.crc32(row[2])),
            )
            kept += 1
        _copy_tables(path, fresh)
        if _owed_purge(path):
            sqlite_wal.owe_purge(fresh)
    if not sqlite_wal.log_emptied(fresh):
        raise StoreError("the new journal is in use", hint="try again when no other process reads the data directory")
    return kept


def complete_salvage(path: Path) -> Path:
    """Replace the damaged journal with the one that `salvage` made, if that is still pending; return the path of the
    damaged one.

    Raises:
        StoreError: a file cannot be renamed.
    """
    number = 1
    while (aside := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    fresh = _salvaged(path)
    if not fresh.exists():
        return aside
    try:
        sync_folder(path.parent)
        for suffix in (*_BESIDE, ""):  # the database last: until it is renamed, the same number is chosen again
            with suppress(FileNotFoundError):
                path.with_name(path.name + suffix).rename(aside.with_name(aside.name + suffix))
        sync_folder(path.parent)  # a log must not end up beside another database
        fresh.rename(path)
        sync_folder(path.parent)
    except OSError as error:
        raise unusable(error) from error
    return aside


def _salvaged(path: Path) -> Path:
    """Return the path of the complete journal that is to replace the one at ``path``."""
    return path.with_name(f"{path.name}.salvaged")


def remove_set_aside(path: Path) -> None:
    """Remove the damaged journals that `salvage` set aside, and the files it left when it was killed.

    Raises:
        StoreError: one of them cannot be removed.
    """
    try:
        for pattern in _SET_ASIDE:
            for beside in path.parent.glob(pattern.format(name=path.name)):
                beside.unlink(missing_ok=True)
    except OSError as error:
        raise unusable(error) from error


def _readable(path: Path) -> Iterator[tuple[Any, ...]]:
    """Yield the entries of a damaged journal that are still valid documents, by number; skips unreadable pages."""
    try:
        damaged = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    except sqlite_wal.SQLITE_ERRORS:
        return
    try:
        last = 0
        skipped = 0
        checksum, buffer = _column(damaged, "crc", "NULL"), _column(damaged, "buffer", "''")
        place = _column(damaged, "place", "''")
        while skipped < _SKIPPED:
            try:
                row = damaged.execute(
                    f"SELECT seq, {checksum}, run, key, body, messages, bytes, attempts, error, state, added, {buffer},"  # noqa: S608 - ours
                    f" {place} FROM entries NOT INDEXED WHERE seq > ? ORDER BY seq LIMIT 1",
                    (last,),
                ).fetchone()
            except sqlite_wal.SQLITE_ERRORS:
                last, skipped = last + 1, skipped + 1
                continue
            if row is None:
                return
            last = int(row[0])
            if read_document(row[4], row[1]) is not None:
                yield row[2:]
    finally:
        damaged.close()


def _owed_purge(path: Path) -> bool:
    """Return whether a damaged journal says that a purge is due."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as damaged:
            return sqlite_wal.purge_owed(damaged)
    except sqlite_wal.SQLITE_ERRORS:
        return False


def _column(connection: sqlite3.Connection, name: str, instead: str) -> str:
    """Return the name of a column of the entries, or ``instead`` if an older format lacks it."""
    try:
        columns = [row[1] for row in connection.execute("PRAGMA table_info(entries)")]
    except sqlite_wal.SQLITE_ERRORS:
        return name
    return name if name in columns else instead


def _copy_tables(path: Path, fresh: sqlite3.Connection) -> None:
    """Copy the readable rows of the other tables; older formats have none. Lost rows are made again: all existing files
    of a source are read again, and stored documents are recognised.
    """
    try:
        damaged = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    except sqlite_wal.SQLITE_ERRORS:
        return
    with closing(damaged):
        for table, columns in SALVAGED.items():
            for row in _rows_of(damaged, table, columns):
                names, marks = ", ".join(row), ", ".join("?" * len(row))
                fresh.execute(f"INSERT OR IGNORE INTO {table} ({names}) VALUES ({marks})", tuple(row.values()))  # noqa: S608 - ours


def _rows_of(damaged: sqlite3.Connection, table: str, columns: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the readable rows of a damaged table, with those of ``columns`` that it has."""
    try:
        there = {row[1] for row in damaged.execute(f"PRAGMA table_info({table})")}
        names = [name for name in columns if name in there]
        if names:
            for row in damaged.execute(f"SELECT {', '.join(names)} FROM {table} NOT INDEXED"):  # noqa: S608 - ours
                yield dict(zip(names, row, strict=True))
    except sqlite_wal.SQLITE_ERRORS as error:
        log.warning("what is left of a table of the damaged journal cannot be read: %s", type(error).__name__)


def read_document(body: object, checksum: object) -> Document | None:
    """Decode a document that `add` wrote; None if it is invalid. The wire rules apply, which may be stricter than those
    of the memd that wrote it.
    """
    if not isinstance(body, bytes) or (checksum is not None and zlib.crc32(body) != checksum):
        return None
    try:
        data: object = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
    for record in document_from_wire(data, "journal"):
        if not isinstance(record, Notice | Rejected):
            return record
    return None


class DiskError(StoreError):
    """The disk failed to read or write a page, which says nothing about the file's contents."""


def unusable(error: Exception) -> StoreError:
    """Convert an SQLite error to an error of memd."""
    if isinstance(error, NotRegularError):
        return StoreError(f"{error.filename} cannot be used: {error.strerror}", hint=NOT_REGULAR)
    if isinstance(error, sqlite3.OperationalError) and str(error) == "disk I/O error":
        return DiskError(f"the journal cannot be used: {error}", hint="check the disk, then try again")
    if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL:
        return _full_disk()
    # SQLite's messages name tables, files and columns, never their contents.
    words = "its tables are damaged" if isinstance(error, UnicodeDecodeError) else error
    return StoreError(
        f"the journal cannot be used: {words}",
        hint="is the disk full, or the file damaged? `memd doctor` tells, and mends with --repair",
    )


def _full_disk() -> FullDiskError:
    hint = "free some space and try again: even to begin, SQLite needs some beside it"
    return FullDiskError("the journal cannot be used: the disk is full", hint=hint)
