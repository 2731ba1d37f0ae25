"""Opens a private copy of a database that another program may be writing, or that may be malicious."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ...schemas.errors import SourceError
from ..connector import Member
from .open_source import FileMember
from .tracked_member import untracked

VALUE_CAP = 16 * 1024 * 1024
"""The maximum number of bytes of one row; a longer row is refused."""
_LOG = "-wal"
"""The suffix of SQLite's write-ahead log, which holds changes that are not in the database file yet."""
_ROW_STEPS = 2_000_000
"""The maximum number of SQLite steps for one row by its number; a few hundred are usual."""
_FREE_STEPS, _STEPS_A_BYTE = 20_000_000, 10
"""The SQLite steps for a walk over whole tables: a base, and a number for each byte of the file. A row takes about ten
steps and has at least ten bytes.
"""
_TICK = 100_000
_PAUSES = (0.0, 0.5, 2.0)
"""The seconds before each attempt to copy."""
_NO_TEXT = "a name or a message that is no text"


class Database:
    """Reads a copy. Every statement has a step limit, so that no view or damaged B-tree keeps it running forever."""

    def __init__(self, connection: sqlite3.Connection, size: int) -> None:
        self.size = size
        """Bytes of the file."""
        self._connection = connection
        self._walk = (_FREE_STEPS + size * _STEPS_A_BYTE) // _TICK
        self._left = 0
        connection.set_progress_handler(self._tick, _TICK)
        self.tables = self._columns()

    def has(self, table: str, *columns: str) -> bool:
        """Return whether the database has a table with these columns."""
        there = self.tables.get(table)
        return there is not None and there.issuperset(columns)

    def walk(self, statement: str, values: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a statement that may scan whole tables.

        Raises:
            sqlite3.Error: the statement cannot be completed.
        """
        self._left = self._walk
        with _text_errors():
            yield from self._connection.execute(statement, values)

    def run(self, statement: str, values: Sequence[object] = ()) -> None:
        """Run a statement that returns no rows.

        Raises:
            sqlite3.Error: the statement cannot be completed.
        """
        for _ in self.walk(statement, values):
            pass

    def row(self, statement: str, values: Sequence[object]) -> Mapping[str, Any] | None:
        """Return the first row that a statement finds by a number or an index, or None.

        Raises:
            sqlite3.Error: it is damaged or too long.
        """
        return next(iter(self.rows(statement, values)), None)

    def rows(self, statement: str, values: Sequence[object]) -> list[Mapping[str, Any]]:
        """Return the rows that a statement finds by a number or an index.

        Raises:
            sqlite3.Error: one is damaged or too long.
        """
        before, self._left = self._left, _ROW_STEPS // _TICK
        try:
            cursor = self._connection.execute(statement, values)
            names = [column[0] for column in cursor.description]
            return [dict(zip(names, row, strict=True)) for row in cursor]
        except UnicodeDecodeError as error:
            raise sqlite3.DatabaseError(_NO_TEXT) from error
        finally:
            self._left = before

    def _tick(self) -> int:
        self._left -= 1
        return int(self._left < 0)

    def _columns(self) -> dict[str, frozenset[str]]:
        """Return the columns of each table; views and virtual tables are left out."""
        result: dict[str, frozenset[str]] = {}
        names = list(self.walk("SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0"))
        for (name,) in names:
            if isinstance(name, str):
                rows = self.walk("SELECT name FROM pragma_table_info(?)", (name,))
                result[name] = frozenset(str(row[0]) for row in rows)
        return result


@contextmanager
def _text_errors() -> Generator[None]:
    """Turn a decoding error into a database error: ``sqlite3`` raises it if an error message about damage is not valid
    text.
    """
    try:
        yield
    except UnicodeDecodeError as error:
        raise sqlite3.DatabaseError(_NO_TEXT) from error


@contextmanager
def opened_copy(member: Member, log: Member | None, temporary: str | None = None) -> Generator[Database]:
    """Yield the database of a member, with the changes in its log. The copy, in the folder ``temporary``, is deleted
    afterwards.

    Raises:
        SourceError: it cannot be copied, also because it changes all the time, or cannot be read as a database at all.
    """
    with _private_folder(member.locator, temporary) as folder:
        path = Path(folder) / "copy.db"
        size = _copy(member, log, path)
        try:
            connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        except sqlite3.Error as error:
            raise _unreadable(member) from error
        try:
            with _text_errors():
                _harden(connection)
            database = Database(connection, size)
            # The connection keeps its files open; once deleted they are gone even if this process is killed.
            shutil.rmtree(folder, ignore_errors=True)
        except sqlite3.Error as error:
            connection.close()
            raise _unreadable(member) from error
        try:
            yield database
        finally:
            connection.close()


@contextmanager
def new_database(locator: str, temporary: str | None = None) -> Generator[sqlite3.Connection]:
    """Yield an empty private database in the folder ``temporary``, for records that must be sorted; it is deleted afterwards.

    Raises:
        SourceError: there is no place for it.
    """
    with _private_folder(locator, temporary) as folder:
        try:
            connection = sqlite3.connect(Path(folder) / "new.db", isolation_level=None, check_same_thread=False)
            for pragma in ("journal_mode = OFF", "synchronous = OFF", "temp_store = FILE"):
                connection.execute(f"PRAGMA {pragma}")
        except sqlite3.Error as error:
            raise no_place(locator) from error
        try:
            yield connection
        finally:
            connection.close()


def log_beside(member: Member, members: Sequence[Member]) -> Member | None:
    """Return the log of a database: another member, or the file beside a database that was given alone."""
    for other in members:
        if other.name == member.name + _LOG:
            return other
    member = untracked(member)
    if isinstance(member, FileMember) and Path(member.path + _LOG).is_file():
        size = Path(member.path + _LOG).stat().st_size
        return FileMember(member.name + _LOG, member.locator + _LOG, size, member.path + _LOG, member.limits)
    return None


def no_place(locator: str) -> SourceError:
    """Return the error that there is no space for a private copy."""
    return SourceError(f"{locator}: there is no place for a copy of it", hint="free some space")


@contextmanager
def _private_folder(locator: str, parent: str | None) -> Generator[str]:
    """Yield a temporary folder that only this user can read, and delete it afterwards."""
    try:
        folder = tempfile.mkdtemp(prefix="memd-", dir=parent)
    except OSError as error:
        raise no_place(locator) from error
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _copy(member: Member, log: Member | None, path: Path) -> int:
    """Copy a database and its log, and return the bytes of both.

    The copy is repeated if another program wrote meanwhile, because parts of two states are not a valid database.

    Raises:
        SourceError: another program wrote during each attempt.
    """
    for pause in _PAUSES:
        time.sleep(pause)
        before = _states(member)
        size = _copy_one(member, path)
        if log is not None:
            size += _copy_one(log, path.with_name(path.name + _LOG))
        if _states(member) == before:
            return size
    raise SourceError(
        f"{member.locator}: it was written each time that it was copied",
        hint="try it again while its program is closed",
    )


def _copy_one(member: Member, path: Path) -> int:
    with member.open() as stream:
        try:
            with path.open("wb") as copy:
                shutil.copyfileobj(stream, copy, 1024 * 1024)
                return copy.tell()
        except OSError as error:
            raise no_place(member.locator) from error


def _states(database_member: Member) -> list[tuple[int, int, int]]:
    """Return inode, size and modification time of a database file and of its log, if it exists; they differ after a
    write.
    """
    member = untracked(database_member)
    result: list[tuple[int, int, int]] = []
    if isinstance(member, FileMember):
        for path in (member.path, member.path + _LOG):
            with suppress(OSError):
                now = os.stat(path)  # noqa: PTH116 - the path is text that may hold anything
                result.append((now.st_ino, now.st_size, now.st_mtime_ns))
    return result


def _harden(connection: sqlite3.Connection) -> None:
    """Distrust the file: limit the length of values, run no functions of its schema, map no pages into memory."""
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, VALUE_CAP)
    connection.text_factory = _text
    for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0", "temp_store = FILE"):
        connection.execute(f"PRAGMA {pragma}")
    connection.execute("PRAGMA journal_mode")  # reads the header, and applies the log


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _unreadable(member: Member) -> SourceError:
    return SourceError(f"{member.locator}: a damaged database", hint="copy it again while its program is closed")
