"""The database llm.db of costs, answers and sent prompts: a separate file that may be deleted. SQLite, in worker
threads.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import AsyncGenerator, Callable, Collection, Generator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TypeVar

from anyio import CapacityLimiter, to_thread

from ...schemas.errors import StoreBusyError, StoreError
from .. import sqlite_wal
from ..private_files import NOT_REGULAR, NotRegularError, open_private, require_regular_database

T = TypeVar("T")
FILE = "llm.db"
VERSION = 2
_TABLES = """
CREATE TABLE spent (
    id INTEGER PRIMARY KEY,
    at REAL NOT NULL,
    day TEXT NOT NULL,
    run TEXT NOT NULL,
    source TEXT NOT NULL,
    model TEXT NOT NULL,
    purpose TEXT NOT NULL,
    calls INTEGER NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    nanos INTEGER,
    batch TEXT
);
CREATE INDEX spent_by_day ON spent (day);
CREATE INDEX spent_by_run ON spent (run);
CREATE TABLE answers (key BLOB PRIMARY KEY, at REAL NOT NULL, body TEXT NOT NULL);
CREATE TABLE answer_documents (
    key BLOB NOT NULL REFERENCES answers ON DELETE CASCADE,
    document BLOB NOT NULL,
    PRIMARY KEY (key, document)
) WITHOUT ROWID;
CREATE INDEX answer_by_document ON answer_documents (document);
CREATE TABLE sent (
    id INTEGER PRIMARY KEY,
    at REAL NOT NULL,
    place TEXT NOT NULL,
    model TEXT NOT NULL,
    purpose TEXT NOT NULL,
    run TEXT NOT NULL,
    digest BLOB NOT NULL,
    hidden INTEGER NOT NULL,
    body TEXT NOT NULL
);
CREATE TABLE sent_documents (
    id INTEGER NOT NULL REFERENCES sent ON DELETE CASCADE,
    document BLOB NOT NULL,
    PRIMARY KEY (id, document)
) WITHOUT ROWID;
CREATE INDEX sent_by_document ON sent_documents (document);
CREATE TABLE batches (
    id TEXT PRIMARY KEY,
    remote TEXT,
    file TEXT,
    place TEXT NOT NULL,
    model TEXT NOT NULL,
    at REAL NOT NULL,
    run TEXT NOT NULL,
    state TEXT NOT NULL
);
CREATE TABLE batch_items (
    batch TEXT NOT NULL REFERENCES batches ON DELETE CASCADE,
    key BLOB NOT NULL,
    document BLOB NOT NULL,
    source TEXT NOT NULL,
    purpose TEXT NOT NULL,
    PRIMARY KEY (batch, key, document)
) WITHOUT ROWID;
CREATE INDEX item_by_key ON batch_items (key);
CREATE INDEX item_by_document ON batch_items (document);
"""
_USEFULNESS = """
CREATE TABLE usefulness (settings TEXT PRIMARY KEY, windows INTEGER NOT NULL, useless INTEGER NOT NULL)
"""


class LLMStore:
    """The database: one connection, used by one thread at a time.

    Raises:
        StoreError: it cannot be opened, or was written by a newer memd.
    """

    def __init__(self, directory: Path) -> None:
        self.path = directory / FILE
        self._limiter = CapacityLimiter(1)
        with _errors():
            # Set the permissions before anything is written: the file will hold private text.
            os.close(open_private(self.path))
            require_regular_database(self.path)
            self._connection = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False, timeout=5.0)
            try:
                self._open()
            except BaseException:
                self._connection.close()
                raise

    def _open(self) -> None:
        connection = self._connection
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA secure_delete = ON")  # overwrite deleted text instead of only unlinking it
        with connection:  # commits, or rolls back
            connection.execute("BEGIN IMMEDIATE")
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            if version > VERSION:
                raise StoreError("llm.db was written by a newer memd", hint="use that one, or move the file away")
            if version == 0:
                for statement in _TABLES.split(";"):
                    connection.execute(statement)
            if version < VERSION:
                connection.execute(_USEFULNESS)
                connection.execute(f"PRAGMA user_version = {VERSION}")

    def close(self) -> None:
        """Close the database."""
        self._connection.close()

    async def run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run ``work`` in one transaction: durable when this returns, rolled back if it raises."""
        return await to_thread.run_sync(self.run_here, work, limiter=self._limiter)

    def run_here(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run ``work`` as `run` does, in the caller's thread; not while another thread uses the connection."""
        connection = self._connection
        with _errors(), connection:  # commits, or rolls back
            connection.execute("BEGIN IMMEDIATE")
            return work(connection)

    async def forget(self, documents: Collection[bytes], answered: Collection[bytes] = ()) -> int:
        """Erase the requests and answers of these documents, and the answers alone of those in ``answered``; return the
        number of deleted entries.

        The ledger stays: it contains no text.
        """
        count = await self.run(lambda connection: _forget(connection, documents, answered))
        await self.purge()
        return count

    async def purge(self) -> bool:
        """Rewrite the file without the forgotten data and empty its log, if a purge is due.

        Return False if a reader of an older snapshot held the log: the purge stays due, also after a restart.
        """
        with _errors():
            return await sqlite_wal.purge(self._connection, self._limiter)


async def forget_in(directory: Path, documents: Collection[bytes], answered: Collection[bytes] = ()) -> int:
    """Erase as `LLMStore.forget` does, while no model is in use; without an llm.db there is nothing to erase."""
    async with records_in(directory) as store:
        return 0 if store is None or not (documents or answered) else await store.forget(documents, answered)


async def purge_in(directory: Path) -> bool:
    """Purge as `LLMStore.purge` does, while no model is in use."""
    async with records_in(directory) as store:
        return store is None or await store.purge()


@asynccontextmanager
async def records_in(directory: Path) -> AsyncGenerator[LLMStore | None]:
    """Open the llm.db of a directory while no model is in use; yield None if the file does not exist."""
    if not await to_thread.run_sync((directory / FILE).exists):
        yield None
        return
    store = await to_thread.run_sync(LLMStore, directory)
    try:
        yield store
    finally:
        store.close()


_ANSWERS = ("answers", "answer_documents", "key")
_SENT = ("sent", "sent_documents", "id")


def _forget(connection: sqlite3.Connection, documents: Collection[bytes], answered: Collection[bytes]) -> int:
    sqlite_wal.owe_purge(connection)
    count = sum(_delete(connection, document, _ANSWERS) for document in answered)
    for document in documents:
        count += sum(_delete(connection, document, each) for each in (_ANSWERS, _SENT))
        of = "SELECT key FROM batch_items WHERE document = ?"
        count += connection.execute(f"DELETE FROM batch_items WHERE key IN ({of})", (document,)).rowcount  # noqa: S608 - as above
    return count


def _delete(connection: sqlite3.Connection, document: bytes, what: tuple[str, str, str]) -> int:
    table, joined, name = what
    of = f"SELECT {name} FROM {joined} WHERE document = ?"  # noqa: S608 - both names are written above
    return connection.execute(f"DELETE FROM {table} WHERE {name} IN ({of})", (document,)).rowcount  # noqa: S608 - as above


@contextmanager
def _errors() -> Generator[None]:
    """Convert SQLite's exceptions into memd's, without any text of a row."""
    try:
        yield
    except sqlite_wal.SQLITE_ERRORS as error:
        code = getattr(error, "sqlite_errorcode", None)
        if isinstance(code, int) and code & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise StoreBusyError("llm.db is in use", hint="another process is writing; try again") from error
        if isinstance(code, int) and code & 0xFF == sqlite3.SQLITE_FULL:
            raise StoreError("the disk is full", hint="free some space and try again") from error
        hint = "check the disk and the permissions; without llm.db only what was spent and answered is unknown"
        raise StoreError("llm.db cannot be used", hint=hint) from error
    except NotRegularError as error:
        raise StoreError(f"{error.filename} cannot be used: {error.strerror}", hint=NOT_REGULAR) from error
    except OSError as error:
        raise StoreError("llm.db cannot be opened", hint="check the data directory and its permissions") from error
