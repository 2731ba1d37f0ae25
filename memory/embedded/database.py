"""The connections to memory.db: one writer, used by one thread at a time, and a few readers; all work in worker threads."""

from __future__ import annotations

import logging
import os
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
from .pages import zero_unused
from .tables import DATABASE, connect, create_or_check
from .wall import database_errors

_LOG = logging.getLogger(__name__)
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
        self._descriptor: int | None = None
        """Of the file, for `compact`."""
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
        # Not before the connections: a process that closes any descriptor of a file loses all its locks on it.
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)

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
        """Empty the write-ahead log, and leave nothing of deleted rows in the file. Others may write between two tries.

        Raises:
            StoreBusyError: somebody looks at an older state of the store for too long.
        """
        deadline = time.monotonic() + LOG_SECONDS
        while not await anyio.to_thread.run_sync(self._compact_here, limiter=self._write_limiter):
            if time.monotonic() > deadline:
                raise StoreBusyError(
                    "the write-ahead log is in use", hint="another process reads memory.db; try again when it has ended"
                )
            await anyio.sleep(_LOG_PAUSE)

    def _compact_here(self) -> bool:
        """Try once; whether it is done."""
        with database_errors():
            if not self._log_emptied():
                return False
            try:
                return self._zero_unused()
            except ValueError as error:
                _LOG.info("memory.db is written anew, for it has %s", error)
                self._writing().execute("VACUUM")
                return self._log_emptied()

    def _zero_unused(self) -> bool:
        """Overwrite what the file holds beside its content, as `pages` tells; False where somebody has written since.

        The writer's connection is another one afterwards: its cache would bring the bytes back with the next change
        of a page.
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
