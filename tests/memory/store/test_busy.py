"""A file of the store that somebody else uses for long is waited for, for a bounded time, and then tried again; nobody dies of it."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest

from memd.memory import sqlite_wal
from memd.memory.indexing import indexed_store as store_module
from memd.memory.indexing.indexed_store import IndexedStore, open_store
from memd.memory.indexing.vector_sync import VectorIndexSync
from memd.memory.search_types import Filter
from memd.memory.store import database as database_module
from memd.memory.store import documents_read, forget_rows
from memd.memory.store.change_log import sequence
from memd.memory.store.documents_write import apply_changes
from memd.memory.store.schema import DATABASE
from memd.memory.supervision import Workers
from memd.memory.write_batches import Removal
from memd.schemas.errors import BusyError, StoreBusyError, StoreError
from memd.tests.memory.store.samples import LINES, conversation, group
from memd.tests.memory.store.searches import search_words

FIRST = group(conversation("a"), LINES)
SECOND = group(conversation("b"), LINES)


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_wal, "WAIT_SECONDS", 0.2)
    monkeypatch.setattr(store_module, "RETRY_AFTER", 0.1)


@contextmanager
def _reading(directory: Path) -> Generator[None]:
    """Somebody who looks at one old state of the store all the while."""
    with closing(sqlite3.connect(directory / "memory.db", isolation_level=None)) as connection:
        connection.execute("BEGIN")
        connection.execute("SELECT count(*) FROM messages").fetchone()
        yield


@contextmanager
def _writing(directory: Path) -> Generator[None]:
    """Somebody who keeps the lock of writers."""
    with closing(sqlite3.connect(directory / "memory.db", isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield


async def _until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline, "it never came to pass"
        await anyio.sleep(0.02)


def _unclean(directory: Path) -> bool:
    with closing(sqlite3.connect(directory / "memory.db")) as connection:
        return connection.execute("SELECT 1 FROM meta WHERE name = 'purge'").fetchone() is not None


def test_a_busy_store_is_a_store_error_and_busy() -> None:
    """Whoever survives errors of the store survives this one; a client is told that it is busy."""
    error = StoreBusyError("in use")
    assert isinstance(error, StoreError)
    assert isinstance(error, BusyError)
    assert error.meaning == BusyError.meaning


@pytest.mark.anyio
@pytest.mark.slow
async def test_a_long_reader_holds_up_purging_alone(tmp_path: Path) -> None:
    """Purging tells in bounded time that it is not done, others write meanwhile, and it is done when the reader ends."""
    async with open_store(tmp_path) as store:
        await store.database.write(apply_changes, FIRST)
        with _reading(tmp_path):
            await store.forget(Removal(messages=[FIRST.messages[2].key]))
            with pytest.raises(StoreBusyError, match="log"):
                await store.purge()
            await store.database.write(apply_changes, SECOND)
            await store.refresh_indexes()
            assert await search_words(store, "lexical", ["lamp"], Filter(), 10)
            assert _unclean(tmp_path)
        await _until(lambda: not _unclean(tmp_path))


@pytest.mark.slow
@pytest.mark.anyio
async def test_a_purge_that_succeeds_ends_the_failure_that_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing fails any more once a file is purged, though the worker that failed has not tried again yet."""
    monkeypatch.setattr(store_module, "RETRY_AFTER", 3600)
    workers = Workers()
    async with open_store(tmp_path, workers=workers) as store:
        await store.database.write(apply_changes, FIRST)
        with _reading(tmp_path):
            await store.forget(Removal(messages=[FIRST.messages[2].key]))
            with pytest.raises(StoreBusyError, match="log"):
                await store.purge()
            await _until(lambda: bool(workers.failing()))
        await store.purge()
        assert not _unclean(tmp_path)
        assert workers.failing() == []


@pytest.mark.slow
@pytest.mark.anyio
async def test_what_an_earlier_owner_left_waits_for_a_long_reader(tmp_path: Path) -> None:
    """Opened beside a reader, the store works; what was to be purged is purged when the reader ends at the latest."""
    async with open_store(tmp_path) as store:
        await store.database.write(apply_changes, FIRST)
        await store.forget(Removal(messages=[FIRST.messages[2].key]))
    with _reading(tmp_path):
        async with open_store(tmp_path) as store:
            await anyio.sleep(0.5)  # some tries
            await store.database.write(apply_changes, SECOND)
            await store.refresh_indexes()
    async with open_store(tmp_path):
        await _until(lambda: not _unclean(tmp_path))


@pytest.mark.slow
@pytest.mark.anyio
async def test_files_are_made_anew_once_while_a_reader_keeps_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Emptying the log is tried again and again; both indexes are written once."""
    written: list[str] = []
    plain = VectorIndexSync.purge

    async def counted(follower: VectorIndexSync) -> None:
        written.append("vectors")
        await plain(follower)

    monkeypatch.setattr(VectorIndexSync, "purge", counted)
    async with open_store(tmp_path) as store:
        await store.database.write(apply_changes, FIRST)
        with _reading(tmp_path):
            await store.forget(Removal(messages=[FIRST.messages[2].key]))
            for _ in range(3):
                with pytest.raises(StoreBusyError):
                    await store.purge()
        await _until(lambda: not _unclean(tmp_path))
        assert written == ["vectors"]
        await store.forget(Removal(messages=[FIRST.messages[3].key]))
        await store.purge()
        assert written == ["vectors"] * 2


@pytest.mark.slow
@pytest.mark.anyio
async def test_the_database_is_vacuumed_once_while_a_reader_keeps_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file whose unused bytes cannot be overwritten is written anew once; what is left is emptying the log."""
    said: list[str] = []
    reader = sqlite3.connect(tmp_path / DATABASE, isolation_level=None, check_same_thread=False)

    def refuse(_: int) -> int:
        if "VACUUM" not in said:  # whose result this reader keeps out of the file
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM messages").fetchone()
        raise ValueError("another layout")

    monkeypatch.setattr(database_module, "zero_unused", refuse)
    async with open_store(tmp_path) as store:
        with closing(reader):
            await store.database.write(apply_changes, FIRST)
            writer = store.database._writer  # pyright: ignore[reportPrivateUsage] - what it is asked is counted
            assert writer is not None
            writer.set_trace_callback(said.append)
            await store.forget(Removal(messages=[FIRST.messages[2].key]))
            for _ in range(3):
                with pytest.raises(StoreBusyError):
                    await store.purge()
            reader.execute("ROLLBACK")
            await _until(lambda: not _unclean(tmp_path))
            assert said.count("VACUUM") == 1


@pytest.mark.anyio
async def test_a_foreign_writer_is_told_of_and_survived(tmp_path: Path) -> None:
    """A write that has to wait too long is refused as busy; afterwards everything goes on."""
    async with open_store(tmp_path) as store:
        await store.database.write(apply_changes, FIRST)
        writer = store.database._writer  # pyright: ignore[reportPrivateUsage] - how patience is made short
        assert writer is not None
        writer.execute("PRAGMA busy_timeout = 50")
        with _writing(tmp_path), pytest.raises(StoreBusyError):
            await store.database.write(apply_changes, SECOND)
        await store.database.write(apply_changes, SECOND)
        await store.refresh_indexes()
        assert (await store.stats()).documents == 2


@pytest.mark.anyio
async def test_followers_survive_a_busy_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that finds the store in use tries again until it is not; the owner's block goes on."""
    refused: list[str] = []
    plain = database_module.Database.read
    troubled = True

    async def read(database: database_module.Database, work: Callable[..., object], *arguments: object) -> object:
        if troubled and work is sequence:
            refused.append("sequence")
            raise StoreBusyError("the store is in use")
        return await plain(database, work, *arguments)

    async with open_store(tmp_path) as store:
        monkeypatch.setattr(database_module.Database, "read", read)
        await store.database.write(apply_changes, FIRST)
        await _until(lambda: len(refused) >= 4)
        troubled = False
        await store.refresh_indexes()
        assert await search_words(store, "lexical", ["lamp"], Filter(), 10)


@pytest.mark.anyio
@pytest.mark.slow
async def test_a_purge_leaves_the_mark_of_what_it_has_not_seen(tmp_path: Path) -> None:
    """Something is forgotten after a purge has read how much there is: the mark stays until another purge."""
    async with open_store(tmp_path) as store:
        await store.database.write(apply_changes, FIRST)
        await store.forget(Removal(messages=[FIRST.messages[2].key]))
        with closing(sqlite3.connect(tmp_path / DATABASE, isolation_level=None)) as connection:
            seen = forget_rows.unclean(connection)
            await store.forget(Removal(messages=[FIRST.messages[3].key]))
            forget_rows.clean(connection, seen)
            assert forget_rows.unclean(connection) > seen > 0
        await store.purge()
        assert not _unclean(tmp_path)


@pytest.mark.anyio
async def test_whoever_forgets_may_leave(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cancelled behind the transaction, before the files were purged: they are purged by themselves."""
    async with open_store(tmp_path) as store:
        await store.database.write(apply_changes, FIRST)
        with anyio.CancelScope() as scope:

            async def leave(_: IndexedStore) -> None:
                scope.cancel()
                await anyio.lowlevel.checkpoint()

            with monkeypatch.context() as patched:
                patched.setattr(IndexedStore, "refresh_indexes", leave)
                await store.forget(Removal(messages=[FIRST.messages[2].key]))
        assert scope.cancelled_caught
        await _until(lambda: not _unclean(tmp_path))
        assert FIRST.messages[2].key not in {
            row.key
            for row in (await store.database.read(documents_read.messages, [FIRST.documents[0].key]))[
                FIRST.documents[0].key
            ]
        }
