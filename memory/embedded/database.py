"""The connections to memory.db: one writer, used by one thread at a time, and a few readers; all work in worker threads."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from typing import TypeVar

import anyio
import anyio.to_thread
from anyio import CapacityLimiter

from ...schemas.errors import BusyError, StoreError
from .tables import DATABASE, connect, create_or_check
from .wall import database_errors, row_errors

T = TypeVar("T")
READERS = 5
CHECKPOINT_TRIES = 200


class Database:
    """Runs functions of a connection, each in one transaction, off the event loop.

    A cancelled ``write`` is either whole or nothing: the thread finishes its transaction before the cancellation
    goes on.
    """

    def __init__(self, path: Path, *, read_only: bool) -> None:
        self.path = path
        self.read_only = read_only
        self.store = create_or_check(path, read_only=read_only)
        self._readers: SimpleQueue[sqlite3.Connection] = SimpleQueue()
        self._all: list[sqlite3.Connection] = []
        self._writer: sqlite3.Connection | None = None
        try:
            if not read_only:
                self._writer = connect(path, read_only=False)
                self._all.append(self._writer)
            for _ in range(READERS):
                reader = connect(path, read_only=True)
                self._all.append(reader)
                self._readers.put(reader)
        except BaseException:
            self.close()
            raise
        self._read_limiter = CapacityLimiter(READERS - 1)
        self._write_limiter = CapacityLimiter(1)

    @classmethod
    def in_directory(cls, directory: Path, *, read_only: bool) -> Database:
        """Open ``memory.db`` of a data directory."""
        return cls(directory / DATABASE, read_only=read_only)

    def close(self) -> None:
        """Close every connection, the writer last: only a writer folds the write-ahead log into the file."""
        for connection in reversed(self._all):
            connection.close()
        self._all.clear()

    async def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run ``work`` on one snapshot of the store."""
        return await anyio.to_thread.run_sync(self.read_here, work, limiter=self._read_limiter)

    def read_here(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run ``work`` on one snapshot, in the calling thread (a worker's, never the event loop's)."""
        with self.snapshot() as connection, row_errors():
            return work(connection)

    @contextmanager
    def snapshot(self) -> Generator[sqlite3.Connection]:
        """One snapshot of the store, for the calling thread."""
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

    async def write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run ``work`` in one transaction; it is durable when this returns, and nothing is left when it raises."""
        return await anyio.to_thread.run_sync(self._write_here, work, limiter=self._write_limiter)

    async def compact(self) -> None:
        """Write the file anew without what was deleted, and empty the write-ahead log."""
        await anyio.to_thread.run_sync(self._compact_here, limiter=self._write_limiter)

    def _compact_here(self) -> None:
        with database_errors():
            if self._writer is None:
                raise StoreError("the store was opened for reading only", hint="the process that owns it can write")
            self._writer.execute("VACUUM")
            for _ in range(CHECKPOINT_TRIES):
                (busy, _, _) = self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
                if not busy:
                    return
                time.sleep(0.05)  # a reader still looks at an older state; none does so for long
            raise BusyError("the write-ahead log is in use", hint="try again in a moment")

    def _write_here(self, work: Callable[[sqlite3.Connection], T]) -> T:
        connection = self._writer
        if connection is None:
            raise StoreError("the store was opened for reading only", hint="the process that owns it can write")
        with database_errors():
            connection.execute("BEGIN IMMEDIATE")
            try:
                result = work(connection)
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
            return result
