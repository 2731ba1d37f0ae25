"""The journal's file: its tables, its opening with a look at every page, its text of a document, and what is saved of a damaged one."""

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
"""Patterns of what `salvage` leaves beside a journal, with their logs; the second where it was killed."""
_BESIDE = ("-wal", "-shm")
_SKIPPED = 10_000
"""Numbers that are tried behind a damaged page before the rest is taken for lost."""


def open_file(path: Path) -> sqlite3.Connection:
    """A connection to the journal at ``path``, which is made 0600 where it is missing.

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
        raise unusable(error) from error
    except MemdError:
        connection.close()
        raise
    return connection


def open_copy(path: Path) -> sqlite3.Connection:
    """A connection to a copy of the journal in memory, for where nothing can be written; nothing where there is no journal.

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


def close_file(connection: sqlite3.Connection) -> None:
    """An empty journal gives its room back, and with it the last traces of what passed through it."""
    try:
        # The purge stays due: more than rewriting may be left of a forgetting.
        sqlite_wal.rewrite(connection)
        (entries,) = connection.execute("SELECT count(*) FROM entries").fetchone()
        (free,) = connection.execute("PRAGMA freelist_count").fetchone()
        if free and not entries:
            connection.execute("VACUUM")
    except sqlite_wal.SQLITE_ERRORS:
        pass  # an upkeep that fails costs room on the disk and nothing else
    finally:
        connection.close()


def _prepare(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    # FULL and not NORMAL: in WAL mode NORMAL may lose the last commits with the power, and those were acknowledged.
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA secure_delete = ON")  # what was stored is not to be read here any more
    # Once a page and its index disagree, messages come back twice or not at all, and nothing that is written later tells.
    # What waits is bounded, and so is this look: a fraction of a second at most.
    if problem := damage_in(connection):
        raise sqlite3.DatabaseError(problem)
    prepare_tables(connection)


def damage_in(connection: sqlite3.Connection) -> str:
    """The first thing that SQLite finds wrong, without the heading that it may have."""
    (problem,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if sqlite_wal.is_read_error(str(problem)):
        raise sqlite3.OperationalError("disk I/O error")
    return "" if problem == "ok" else str(problem).splitlines()[-1][:200]


def salvage(path: Path) -> tuple[int, Path]:
    """Put a damaged journal aside and make a new one of what can be read of it; returns how many documents, and where
    the damaged file is now.

    Killed at any moment it leaves the damaged journal as it was, or a new one that is complete, which `open_file` puts in
    its place.

    Raises:
        StoreError: the new one cannot be written, and the damaged one stays where it is; or one of both cannot be renamed,
            which `open_file` tries again.
    """
    fresh = path.with_name(f"{path.name}.new")
    files = [fresh.with_name(fresh.name + suffix) for suffix in ("", *_BESIDE)]
    complete_salvage(path)  # an earlier one that was killed: what it kept must not be replaced
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
    """Write the readable entries of a journal into a new one, down to its database file; returns how many there are."""
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
    """Put the journal that `salvage` made in the place of the damaged one, where that is still to be done; returns where
    the damaged one is then.

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
        for suffix in (*_BESIDE, ""):  # the database last: while it has its name, the same number is found again
            with suppress(FileNotFoundError):
                path.with_name(path.name + suffix).rename(aside.with_name(aside.name + suffix))
        sync_folder(path.parent)  # a log must not be found beside a database that it is not of
        fresh.rename(path)
        sync_folder(path.parent)
    except OSError as error:
        raise unusable(error) from error
    return aside


def _salvaged(path: Path) -> Path:
    """A complete journal that is to take the place of the one at ``path``."""
    return path.with_name(f"{path.name}.salvaged")


def remove_set_aside(path: Path) -> None:
    """Remove the damaged journals that `salvage` put aside, and what it left where it was killed.

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
    """The entries of a damaged journal that are still documents, by number; a page that cannot be read ends a stretch."""
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
    """Whether a damaged journal says that a purge is due."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as damaged:
            return sqlite_wal.purge_owed(damaged)
    except sqlite_wal.SQLITE_ERRORS:
        return False


def _column(connection: sqlite3.Connection, name: str, instead: str) -> str:
    """A column of the entries, or what stands for it in a journal of an older format."""
    try:
        columns = [row[1] for row in connection.execute("PRAGMA table_info(entries)")]
    except sqlite_wal.SQLITE_ERRORS:
        return name
    return name if name in columns else instead


def _copy_tables(path: Path, fresh: sqlite3.Connection) -> None:
    """Copy what can be read of the tables beside the entries; in an older format there are none. What is lost of them
    is read again: of a source's files, all that are there are read anew, and what is stored is recognised.
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
    """The rows of a damaged table that can be read, with those of these columns that it has."""
    try:
        there = {row[1] for row in damaged.execute(f"PRAGMA table_info({table})")}
        names = [name for name in columns if name in there]
        if names:
            for row in damaged.execute(f"SELECT {', '.join(names)} FROM {table} NOT INDEXED"):  # noqa: S608 - ours
                yield dict(zip(names, row, strict=True))
    except sqlite_wal.SQLITE_ERRORS as error:
        log.warning("what is left of a table of the damaged journal cannot be read: %s", type(error).__name__)


def read_document(body: object, checksum: object) -> Document | None:
    """What `add` wrote, read back; through the rules of the wire, which an older memd may have read more widely."""
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
    """The disk did not give or take a page, which says nothing about what the file holds."""


def unusable(error: Exception) -> StoreError:
    """What SQLite says of the file, as an error of ours."""
    if isinstance(error, NotRegularError):
        return StoreError(f"{error.filename} cannot be used: {error.strerror}", hint=NOT_REGULAR)
    if isinstance(error, sqlite3.OperationalError) and str(error) == "disk I/O error":
        return DiskError(f"the journal cannot be used: {error}", hint="check the disk, then try again")
    # SQLite's own words name tables and files, never what is in them; those of its constraint errors name columns.
    words = "its tables are damaged" if isinstance(error, UnicodeDecodeError) else error
    return StoreError(
        f"the journal cannot be used: {words}",
        hint="is the disk full, or the file damaged? `memd doctor` tells, and mends with --repair",
    )
