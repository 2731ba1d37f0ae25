"""The connections to memory.db: one writer, used by one thread at a time, and a few readers, all in worker threads."""

from __future__ import annotations

import logging
import os
import sqlite3
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from queue import LifoQueue
from typing import Concatenate, ParamSpec, TypeVar

import anyio.to_thread
from anyio import CapacityLimiter

from ...schemas.errors import StoreBusyError, StoreError
from .. import sqlite_wal
from ..file_in_place import FileInPlace
from .errors import database_errors
from .free_pages import zero_unused
from .schema import DATABASE, connect, create_or_check

_LOG = logging.getLogger(__name__)
P = ParamSpec("P")
T = TypeVar("T")
READERS = 5


class Database:
    """Runs functions on a connection, each in one transaction, outside the event loop.

    A database opened for reading only must not be written by any process while it is open; no file is created beside
    it.

    A cancelled ``write`` is applied completely or not at all: the thread finishes its transaction before the
    cancellation continues.
    """

    def __init__(self, path: Path, *, read_only: bool) -> None:
        self.path = path
        self.read_only = read_only
        self.store = create_or_check(path, read_only=read_only)
        self.in_place = FileInPlace(path)
        self.writes = 0
        """The number of transactions of this process, also of failed ones; what was read after a look at it holds as long as it is the same."""
        self.on_write: Callable[[], None] = lambda: None
        """Called after every write, in the event loop."""
        # A LIFO queue hands out the reader used last: each reader fills a page cache of its own, up to 8 MB.
        self._readers: LifoQueue[sqlite3.Connection] = LifoQueue()
        self._all: list[sqlite3.Connection] = []
        self._writer: sqlite3.Connection | None = None
        self._descriptor: int | None = None
        """A file descriptor of the database, for `compact`."""
        self._vacuumed = 0
        """The number of the last removal after which VACUUM rewrote the file."""
        try:
            if not read_only:
                self._writer = connect(path, read_only=False)
                self._all.append(self._writer)
            for _ in range(READERS):
                reader = connect(path, read_only=True, unwritten=read_only)
                self._all.append(reader)
                self._readers.put(reader)
        except BaseException:
            self.close()
            raise
        self._read_limiter = CapacityLimiter(READERS - 1)
        self._write_limiter = CapacityLimiter(1)

    @classmethod
    def in_directory(cls, directory: Path, *, read_only: bool) -> Database:
        """Open the ``memory.db`` of a data directory."""
        return cls(directory / DATABASE, read_only=read_only)

    def close(self) -> None:
        """Close every connection, the writer last: only a writer merges the write-ahead log into the file."""
        for connection in reversed(self._all):
            connection.close()
        self._all.clear()
        # After the connections: when a process closes any descriptor of a file, it loses all its locks on that file.
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)

    async def read(self, work: Callable[Concatenate[sqlite3.Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run `work` on a snapshot of the store, in a worker thread."""

        def bound(connection: sqlite3.Connection) -> T:
            return work(connection, *args, **kwargs)

        return await anyio.to_thread.run_sync(self.read_here, bound, limiter=self._read_limiter)

    def read_here(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run `work` on a snapshot in the calling thread, which must be a worker thread, not the event loop's."""
        with self.snapshot() as connection:
            return work(connection)

    @contextmanager
    def snapshot(self) -> Generator[sqlite3.Connection]:
        """Yield a connection that sees one snapshot of the store, for use by the calling thread."""
        with database_errors():
            connection = self._readers.get()
            try:
                connection.execute("BEGIN")
                try:
                    yield connection
                finally:
                    connection.execute("ROLLBACK")
            finally:
                self._readers.put(connection)

    async def write(
        self, work: Callable[Concatenate[sqlite3.Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run `work` in one transaction, which is durable on return and rolled back if `work` raises.

        Raises:
            StoreError: the write failed, or the file was deleted or replaced.
        """

        def bound(connection: sqlite3.Connection) -> T:
            return work(connection, *args, **kwargs)

        try:
            return await anyio.to_thread.run_sync(self._write_here, bound, limiter=self._write_limiter)
        finally:
            self.on_write()

    async def compact(self, removals: int) -> None:
        """Empty the write-ahead log and remove the bytes of deleted rows from the file. Others may write between two
        attempts.

        Args:
            removals: the number of the last removal to purge; a file that VACUUM already rewrote for it is not
        rewritten
                again.

        Raises:
            StoreBusyError: another process keeps reading an older snapshot for too long.
        """
        if not await sqlite_wal.wait_for_readers(lambda: self._try_compact(removals), self._write_limiter):
            raise StoreBusyError(
                "the write-ahead log is in use", hint="another process reads memory.db; try again when it has ended"
            )

    def _try_compact(self, removals: int) -> bool:
        with database_errors():
            if not sqlite_wal.log_emptied(self._writing()):
                return False
            if self._vacuumed >= removals:
                return True
            try:
                return self._zero_unused()
            except ValueError as error:
                _LOG.info("memory.db is written anew, for it has %s", error)
                self._writing().execute("VACUUM")
                self._vacuumed = removals
                return sqlite_wal.log_emptied(self._writing())

    def _zero_unused(self) -> bool:
        """Overwrite the unused bytes of the file, see `free_pages`; return False if another process has written
        meanwhile.

        Replaces the writer's connection: the page cache of the old one would write the deleted bytes back with the next
        change of a page.
        """
        connection = self._writing()
        connection.execute("BEGIN IMMEDIATE")
        try:
            log = self.path.with_name(f"{self.path.name}-wal")
            if log.exists() and log.stat().st_size:
                return False
            if self._descriptor is None:
                self._descriptor = os.open(self.path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
            zero_unused(self._descriptor)
            self._writer = connect(self.path, read_only=False)
        finally:
            connection.execute("ROLLBACK")
        self._all[self._all.index(connection)] = self._writer
        connection.close()
        return True

    def _writing(self) -> sqlite3.Connection:
        if self._writer is None:
            raise StoreError("the store was opened for reading only", hint="the process that owns it can write")
        return self._writer

    def _write_here(self, work: Callable[[sqlite3.Connection], T]) -> T:
        connection = self._writing()
        self.in_place.require()
        try:
            with database_errors(), connection:  # commits, or rolls back
                connection.execute("BEGIN IMMEDIATE")
                result = work(connection)
        finally:
            self.writes += 1  # behind the commit: whoever sees the new number sees the new rows
        self.in_place.require()
        return result
