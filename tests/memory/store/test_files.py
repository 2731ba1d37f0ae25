"""The files of a store and what it refuses to open."""

from __future__ import annotations

import gc
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import anyio
import pytest

from memd.memory.index.exact_vectors import ExactVectors
from memd.memory.index.tantivy_text import TantivyText
from memd.memory.indexing.indexed_store import open_store
from memd.memory.records import Generation
from memd.memory.search_types import Filter
from memd.memory.store import documents_read
from memd.memory.store.documents_write import apply_changes
from memd.memory.write_batches import WriteBatch
from memd.schemas.errors import StoreError
from memd.tests.memory.store.samples import LINES, conversation, group, keys_of
from memd.tests.memory.store.searches import search_words
from memd.tests.open_files import files_open_below


@pytest.mark.anyio
async def test_files_are_private(tmp_path: Path) -> None:
    """Directories are 0700, files 0600."""
    data = tmp_path / "data"
    async with open_store(data) as store:
        await store.database.write(apply_changes, group(conversation("a"), LINES))
        await store.refresh_indexes()
        assert data.stat().st_mode & 0o777 == 0o700
        for path in data.rglob("*"):
            expected = 0o700 if path.is_dir() else 0o600
            assert path.stat().st_mode & 0o777 == expected, path.name


@pytest.mark.anyio
async def test_names_that_were_folded_as_they_were_written_are_found(tmp_path: Path) -> None:
    """A store of a former version holds decomposed names decomposed."""
    apart = "Zoe\u0308"
    changes = group(conversation("a", people=("Ann", apart)), [(apart, "lamp one")])
    async with open_store(tmp_path) as store:
        await store.database.write(apply_changes, changes)
    with closing(sqlite3.connect(tmp_path / "memory.db")) as connection, connection:
        for table in ("people", "speakers"):
            cursor = connection.execute(f"UPDATE {table} SET folded = ? WHERE name = ?", (apart.casefold(), apart))
            assert cursor.rowcount == 1
    shutil.rmtree(tmp_path / "words")
    async with open_store(tmp_path) as store:
        await store.refresh_indexes()
        for where in (Filter(speakers=("zo\u00eb",)), Filter(people=("Zo\u00cb",))):
            found = await search_words(store, "lexical", ["lamp"], where, 10)
            assert keys_of(found) == [changes.chunks[0].key]
            assert len(await store.database.read(documents_read.listing, where, None, 10)) == 1


async def _written_once(folder: Path) -> None:
    async with open_store(folder) as store:
        await store.database.write(apply_changes, group(conversation("a"), LINES))
        await store.refresh_indexes()


@pytest.mark.anyio
@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="Linux alone tells what is mapped")
async def test_a_closed_store_maps_no_file(tmp_path: Path) -> None:
    """Without the collector's help: its files could not be unmounted, nor their room on the disk be used."""
    gc.disable()
    try:
        await _written_once(tmp_path / "data")
        with anyio.fail_after(60):
            while str(tmp_path) in Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace"):
                await anyio.sleep(0.02)
    finally:
        gc.enable()


@pytest.mark.anyio
async def test_a_newer_format_is_refused(tmp_path: Path) -> None:
    """A store of a later memd is not touched; the hint says what to do."""
    async with open_store(tmp_path):
        pass
    connection = sqlite3.connect(tmp_path / "memory.db")
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(StoreError, match="format 99") as caught:
        async with open_store(tmp_path):
            pass
    assert "newer" in caught.value.hint


@pytest.mark.anyio
async def test_what_is_no_database_is_refused(tmp_path: Path) -> None:
    """Neither garbage nor another program's database gives a raw error."""
    (tmp_path / "memory.db").write_bytes(b"no database at all " * 100)
    with pytest.raises(StoreError):
        async with open_store(tmp_path):
            pass
    (tmp_path / "memory.db").unlink()
    connection = sqlite3.connect(tmp_path / "memory.db")
    connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    with pytest.raises(StoreError, match="another program"):
        async with open_store(tmp_path):
            pass


@pytest.mark.anyio
async def test_reading_only(tmp_path: Path) -> None:
    """A reader finds everything and can write nothing; without a store it says so."""
    with pytest.raises(StoreError, match="no store"):
        async with open_store(tmp_path / "none", read_only=True):
            pass
    async with open_store(tmp_path) as store:
        await store.database.write(apply_changes, group(conversation("a"), LINES))
        await store.refresh_indexes()
    async with open_store(tmp_path, read_only=True) as store:
        assert len(await search_words(store, "lexical", ["lamp"], Filter(), 10)) == 2
        with pytest.raises(StoreError):
            await store.database.write(apply_changes, WriteBatch())


@pytest.mark.anyio
async def test_the_callers_error_comes_out_bare(tmp_path: Path) -> None:
    """An exception of the block is not wrapped in a group."""
    with pytest.raises(ZeroDivisionError):
        async with open_store(tmp_path):
            raise ZeroDivisionError


@pytest.mark.anyio
async def test_a_full_disk_is_an_error_with_a_hint(tmp_path: Path) -> None:
    """Nothing of the group that did not fit is there, and with room again it is applied."""
    async with open_store(tmp_path) as store:
        await store.database.write(apply_changes, group(conversation("a"), LINES))
        writer = store.database._writer  # pyright: ignore[reportPrivateUsage] - how a full disk is made
        assert writer is not None
        writer.execute("PRAGMA max_page_count = 1")  # SQLite raises it to the present size
        big = group(conversation("b"), LINES * 200)
        with pytest.raises(StoreError, match="disk is full") as caught:
            await store.database.write(apply_changes, big)
        assert caught.value.hint
        assert (await store.stats()).documents == 1
        writer.execute("PRAGMA max_page_count = 1000000")
        await store.database.write(apply_changes, big)
        assert (await store.stats()).documents == 2


@pytest.mark.slow
@pytest.mark.anyio
async def test_a_damaged_database_is_an_error_with_a_hint(tmp_path: Path) -> None:
    """Reading through overwritten pages gives a StoreError, never one of SQLite's own."""
    async with open_store(tmp_path) as store:
        await store.database.write(apply_changes, group(conversation("a"), LINES * 300))
    path = tmp_path / "memory.db"
    data = bytearray(path.read_bytes())
    data[8192:] = bytes(len(data) - 8192)
    path.write_bytes(data)

    async def use() -> None:
        async with open_store(tmp_path) as store:
            await store.database.read(documents_read.messages, [conversation("a").key])
            await store.stats()
            await store.refresh_indexes()

    with pytest.raises(StoreError) as caught:
        await use()
    assert caught.value.hint


@pytest.mark.anyio
@pytest.mark.parametrize("kind", [TantivyText, ExactVectors])
async def test_an_opening_that_is_cancelled_leaves_no_open_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: type[TantivyText | ExactVectors]
) -> None:
    """Also in the moment in which an index has opened its files and nobody has it yet, without a collection of garbage."""
    really_open = kind.open
    opened = anyio.Event()

    async def open_and_wait(index: Any, newest: int) -> None:
        await really_open(index, newest)
        opened.set()
        await anyio.sleep_forever()

    async with open_store(tmp_path) as store:
        await store.set_generation(Generation("m", 4, ()))
    monkeypatch.setattr(kind, "open", open_and_wait)
    held = gc.isenabled()
    gc.disable()
    try:
        async with anyio.create_task_group() as tasks:

            async def open_it() -> None:
                async with open_store(tmp_path):
                    pass

            tasks.start_soon(open_it)
            await opened.wait()
            assert files_open_below(tmp_path)
            tasks.cancel_scope.cancel()
        with anyio.fail_after(30):  # tantivy looks at its files once more
            while files_open_below(tmp_path):
                await anyio.sleep(0.02)
    finally:
        if held:
            gc.enable()
