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

from ...schemas.errors import StoreBusyError, StoreError
from .tables import DATABASE, connect, create_or_check
from .wall import database_errors

T = TypeVar("T")
READERS = 5
LOG_SECONDS = 10.0
"""For readers of an older state to end before the write-ahead log is emptied. None of ours lasts so long."""
_LOG_PAUSE = 0.05
_LOG_WAIT_MS = 50
"""For one try, during which nobody else writes."""


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
        with self.snapshot() as connection:
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
        """Write the file anew without what was deleted; the write-ahead log may still hold it, see `empty_log`."""
        await anyio.to_thread.run_sync(self._compact_here, limiter=self._write_limiter)

    def _compact_here(self) -> None:
        with database_errors():
            self._writing().execute("VACUUM")

    async def empty_log(self) -> None:
        """Empty the write-ahead log. Others may write between two tries.

        Raises:
            StoreBusyError: somebody looks at an older state of the store for too long.
        """
        deadline = time.monotonic() + LOG_SECONDS
        while not await anyio.to_thread.run_sync(self._log_emptied, limiter=self._write_limiter):
            if time.monotonic() > deadline:
                raise StoreBusyError(
                    "the write-ahead log is in use", hint="another process reads memory.db; try again when it has ended"
                )
            await anyio.sleep(_LOG_PAUSE)

    def _log_emptied(self) -> bool:
        """Try once; whether it is empty."""
        with database_errors():
            connection = self._writing()
            (usual,) = connection.execute("PRAGMA busy_timeout").fetchone()
            connection.execute(f"PRAGMA busy_timeout = {_LOG_WAIT_MS}")
            try:
                (busy, _, _) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            finally:
                connection.execute(f"PRAGMA busy_timeout = {usual}")
            return not busy

    def _writing(self) -> sqlite3.Connection:
        if self._writer is None:
            raise StoreError("the store was opened for reading only", hint="the process that owns it can write")
        return self._writer

    def _write_here(self, work: Callable[[sqlite3.Connection], T]) -> T:
        connection = self._writing()
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
