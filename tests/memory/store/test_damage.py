"""The derived files may be missing, cut, flipped, old or another store's: the answers are right all the same."""

from __future__ import annotations

import contextlib
import errno
import os
import random
import resource
import shutil
import sqlite3
from collections.abc import Callable, Iterable
from pathlib import Path

import anyio
import pytest

from memd.daemon.journal.database import salvage
from memd.daemon.journal.journal import open_journal
from memd.memory.file_errors import ExhaustedError, file_error
from memd.memory.index.errors import DamagedIndexError, index_errors
from memd.memory.index.exact_vectors import FILE, FRESH, ExactVectors
from memd.memory.index.ports import TextRow
from memd.memory.index.tantivy_index import TantivyIndex
from memd.memory.index.tantivy_text import TantivyText
from memd.memory.indexing.indexed_store import open_store
from memd.memory.llm.store import LLMStore
from memd.memory.search_types import Filter
from memd.memory.store.documents_write import apply_changes
from memd.memory.store.vectors import keep_vectors
from memd.memory.write_batches import WriteBatch
from memd.schemas.errors import StoreBusyError, StoreError
from memd.tests.memory.store.samples import (
    GENERATION,
    LINES,
    conversation,
    group,
    keys_of,
    vector_of,
    vectors_for,
)
from memd.tests.memory.store.searches import search_vectors, search_words

FIRST = group(conversation("a"), LINES * 20)
SECOND = group(conversation("b"), [("Bob", f"second lamp {n}") for n in range(40)])


async def fill(directory: Path, *groups: WriteBatch) -> None:
    """Apply, embed, settle and close."""
    async with open_store(directory) as store:
        await store.set_generation(GENERATION)
        for changes in groups:
            await store.database.write(apply_changes, changes)
            await store.database.write(keep_vectors, vectors_for(changes))
        await store.refresh_indexes()


async def check(directory: Path, *groups: WriteBatch) -> None:
    """Each chunk of these groups, and no other, is found by words and by its vector."""
    chunks = [chunk for changes in groups for chunk in changes.chunks]
    async with open_store(directory) as store:
        await store.refresh_indexes()
        lamps = {chunk.key for chunk in chunks if "lamp" in chunk.embed_text}
        assert set(keys_of(await search_words(store, "lexical", ["lamp"], Filter(), 500))) == lamps
        assert set(keys_of(await search_vectors(store, vector_of("q"), Filter(), 500))) == {c.key for c in chunks}
        assert set((await store.stats()).lag.values()) == {0}


def _all_files(directory: Path) -> list[Path]:
    return sorted([*(directory / "words").iterdir(), *directory.glob("vectors.*")])


def _flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    for _ in range(3):
        data[random.Random(len(data)).randrange(len(data))] ^= 0x40
    path.write_bytes(data)


def _truncate(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])


def _empty(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.slow
@pytest.mark.anyio
@pytest.mark.parametrize("harm", [Path.unlink, _flip, _truncate, _empty])
async def test_every_harmed_file_is_noticed(tmp_path: Path, harm: Callable[[Path], None]) -> None:
    """One file after the other is deleted, flipped, cut or emptied; after settling nothing is missing or wrong."""
    intact = tmp_path / "intact"
    await fill(intact, FIRST, SECOND)
    for number, name in enumerate([path.relative_to(intact) for path in _all_files(intact)]):
        data = tmp_path / str(number)  # threads of the closed index of words may still be at work in the last one
        shutil.copytree(intact, data)
        if (data / name).stat().st_size:
            harm(data / name)
        await check(data, FIRST, SECOND)


@pytest.mark.anyio
@pytest.mark.slow
async def test_a_folder_in_the_place_of_the_codes_is_replaced(tmp_path: Path) -> None:
    """At the next opening, and by a repair while the store is open."""
    await fill(tmp_path, FIRST)
    for path in (tmp_path / FILE, tmp_path / FRESH):
        path.unlink(missing_ok=True)
        path.mkdir()
        (path / "something").touch()
    await check(tmp_path, FIRST)
    assert (tmp_path / FILE).is_file()
    assert not (tmp_path / FRESH).exists()
    async with open_store(tmp_path) as store:
        (tmp_path / FILE).unlink()
        (tmp_path / FILE).mkdir()
        assert {each.check for each in await store.check() if each.severity == "error"} == {"vector_index"}
        await store.repair()
        assert {each.severity for each in await store.check()} == {"ok"}
    assert (tmp_path / FILE).is_file()


@pytest.mark.anyio
@pytest.mark.slow
@pytest.mark.parametrize("size", [0, 4_096, 4_200])
async def test_codes_that_are_cut_while_they_are_searched_end_nothing(tmp_path: Path, size: int) -> None:
    """Reading mapped pages that are gone would end the process: the search fails, the file is made anew, and nothing is lost."""
    await fill(tmp_path, FIRST)
    async with open_store(tmp_path) as store:
        os.truncate(tmp_path / FILE, size)
        with pytest.raises(DamagedIndexError):
            await search_vectors(store, vector_of("q"), Filter(), 5)
        with anyio.fail_after(30):
            while store.vectors.index is None or store.vectors.index.damaged or (await store.stats()).lag["vectors"]:
                await anyio.sleep(0.01)
        assert len(await search_vectors(store, vector_of("q"), Filter(), 500)) == len(FIRST.chunks)
        os.truncate(tmp_path / FILE, size)  # noticed by an update, which writes everything again
        await store.database.write(apply_changes, SECOND)
        await store.database.write(keep_vectors, vectors_for(SECOND))
        await store.refresh_indexes()
        assert {each.severity for each in await store.check()} == {"ok"}
        os.truncate(tmp_path / FILE, size)
        assert {each.check for each in await store.check() if each.severity == "error"} == {"vector_index"}
    await check(tmp_path, FIRST, SECOND)


@pytest.mark.anyio
@pytest.mark.slow
async def test_all_derived_files_may_be_lost(tmp_path: Path) -> None:
    """Without words/ and the file of the vector index both are made anew."""
    await fill(tmp_path, FIRST, SECOND)
    shutil.rmtree(tmp_path / "words")
    (tmp_path / FILE).unlink()
    await check(tmp_path, FIRST, SECOND)


@pytest.mark.anyio
@pytest.mark.slow
async def test_another_stores_indexes_are_not_believed(tmp_path: Path) -> None:
    """Indexes of a store with the same number of changes are recognised as foreign."""
    mine, theirs = tmp_path / "mine", tmp_path / "theirs"
    await fill(mine, FIRST)
    await fill(theirs, group(conversation("x"), [("Ann", f"foreign {n}") for n in range(len(FIRST.chunks))]))
    shutil.rmtree(mine / "words")
    shutil.copytree(theirs / "words", mine / "words")
    shutil.copy(theirs / FILE, mine / FILE)
    await check(mine, FIRST)


@pytest.mark.anyio
@pytest.mark.slow
async def test_old_indexes_catch_up(tmp_path: Path) -> None:
    """Indexes from before the last changes, deletions among them, are brought up to date."""
    data, old = tmp_path / "data", tmp_path / "old"
    await fill(data, FIRST)
    shutil.copytree(data, old)
    gone = [chunk.key for chunk in FIRST.chunks[:30]]
    await fill(data, WriteBatch(dropped_chunks=gone), SECOND)
    shutil.rmtree(data / "words")
    shutil.copytree(old / "words", data / "words")
    assert (data / FILE).read_bytes() != (old / FILE).read_bytes()
    shutil.copy(old / FILE, data / FILE)
    await check(data, WriteBatch(chunks=FIRST.chunks[30:]), SECOND)


@pytest.mark.anyio
@pytest.mark.slow
async def test_indexes_from_the_future_are_not_believed(tmp_path: Path) -> None:
    """When the database is an older copy, indexes that know more than it are made anew."""
    data, old = tmp_path / "data", tmp_path / "old"
    await fill(data, FIRST)
    shutil.copytree(data, old)
    await fill(data, SECOND)
    for path in data.glob("memory.db*"):
        path.unlink()
    shutil.copy(old / "memory.db", data / "memory.db")
    await check(data, FIRST)


@pytest.mark.anyio
async def test_files_lost_while_open_are_made_anew(tmp_path: Path) -> None:
    """When words/ disappears under an open store, the next turns bring it back."""
    await fill(tmp_path, FIRST)
    async with open_store(tmp_path) as store:
        shutil.rmtree(tmp_path / "words")
        await store.database.write(apply_changes, SECOND)
        await store.database.write(keep_vectors, vectors_for(SECOND))
        for _ in range(2):
            with contextlib.suppress(StoreError):  # the first turn may fail: it tells, and the next one mends
                await store.refresh_indexes()
        assert len(await search_words(store, "lexical", ["lamp"], Filter(), 500)) == 80
    await check(tmp_path, FIRST, SECOND)


@pytest.mark.slow
@pytest.mark.anyio
@pytest.mark.parametrize("method", ["search", "update"])
@pytest.mark.parametrize(
    ("error", "anew"),
    [
        (StoreBusyError("the store is in use"), False),
        (file_error(OSError(errno.ENOSPC, "no room")), False),
        (MemoryError(), False),
        (ValueError("a broken file"), True),
    ],
)
async def test_only_a_damaged_words_index_is_opened_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str, error: Exception, *, anew: bool
) -> None:
    """What else may fail in a search, or when it follows the store, says nothing about the files of the index."""

    def fail(*_: object) -> None:
        with index_errors("words"):
            raise error

    async with open_store(tmp_path) as store:
        await store.database.write(apply_changes, FIRST)
        await store.refresh_indexes()
        follower = store.words  # pyright: ignore[reportPrivateUsage] - which index it has tells
        assert isinstance(follower.index, TantivyText)
        before = follower.index.index
        with monkeypatch.context() as patch:
            patch.setattr(TantivyIndex, method, fail)
            if method == "update":
                await store.database.write(apply_changes, SECOND)
                with pytest.raises(StoreError):
                    await store.refresh_indexes()
            else:
                with pytest.raises(StoreError):
                    await search_words(store, "lexical", ["lamp"], Filter(), 10)
        await store.refresh_indexes()
        assert (follower.index.index is not before) == anew
        found = await search_words(store, "lexical", ["lamp"], Filter(), 500)
        assert len(found) == (80 if method == "update" else 40)


@pytest.mark.parametrize(
    ("blocks", "told"), [(0, "the disk is full: the words index cannot be written"), (10**9, "cannot be used")]
)
def test_a_full_disk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, blocks: int, told: str) -> None:
    """Tantivy says only that its writer was killed; who reads it should free some space, not try again."""

    def disk(_: object) -> os.statvfs_result:
        return os.statvfs_result((4096, 4096, 10**9, blocks, blocks, 0, 0, 0, 0, 255))

    index = TantivyIndex(tmp_path / "words", "store", read_only=False)
    try:
        monkeypatch.setattr("memd.memory.index.tantivy_index.tantivy.Document", fail_as_tantivy)
        monkeypatch.setattr(os, "statvfs", disk)
        with pytest.raises(DamagedIndexError, match=told):
            index.update([1], [], 1)
    finally:
        index.close()


def fail_as_tantivy() -> None:
    """What its writer says when it could not write."""
    raise ValueError("An error occurred in a thread: 'An index writer was killed.'")


def test_a_words_index_is_not_made_anew_for_want_of_descriptors(tmp_path: Path) -> None:
    """Which says nothing of its files: opening it fails as long as that lasts."""
    directory = tmp_path / "words"
    made = TantivyIndex(directory, "store", read_only=False)
    made.update([], [], 5)
    made.close()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    failures = 0
    for free in range(20):
        held: list[int] = []
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (512, hard))
            with contextlib.suppress(OSError):
                while True:
                    held.append(os.open(os.devnull, os.O_RDONLY))
            for _ in range(free):
                os.close(held.pop())
            try:
                index = TantivyIndex(directory, "store", read_only=False)
            except StoreError as error:
                failures += 1
                assert "too many files" in error.message  # noqa: PT017 - the later ones must not fail
            else:
                assert index.sequence == 5
                index.close()
        finally:
            for descriptor in held:
                os.close(descriptor)
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert 0 < failures < 20


@pytest.mark.slow
@pytest.mark.anyio
@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENFILE, errno.ENOMEM])
async def test_no_index_counts_as_damaged_for_want_of_descriptors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """A check tells of the want, not of damage; a purge and the opening of codes fail, and nothing is made anew."""
    await fill(tmp_path, FIRST)
    error = OSError(number, "no more")

    def refuse(*_: object, **__: object) -> None:
        with index_errors("words"):
            raise error

    def lack(*_: object, **__: object) -> None:
        raise error

    async with open_store(tmp_path) as store:
        follower = store.words  # pyright: ignore[reportPrivateUsage] - what it does with its files tells
        vectors = store.vectors.index  # pyright: ignore[reportPrivateUsage] - so does it
        assert isinstance(vectors, ExactVectors)
        opening = "memd.memory.index.vector_codes.require_regular_file"
        for name, failing in (
            ("memd.memory.index.tantivy_text.check_footers", lack),
            ("memd.memory.index.tantivy_index.TantivyIndex.rows", refuse),
            (opening, lack),
        ):
            with monkeypatch.context() as patch:
                patch.setattr(name, failing)
                with pytest.raises(ExhaustedError):
                    await store.check()
        with monkeypatch.context() as patch:
            patch.setattr(TantivyIndex, "purge", refuse)
            patch.setattr(type(follower), "rebuild", lack)
            with pytest.raises(ExhaustedError):
                await follower.purge()
        with monkeypatch.context() as patch:
            patch.setattr(opening, lack)
            with pytest.raises(ExhaustedError):
                await vectors.open(0)
        assert {each.severity for each in await store.check()} == {"ok"}
    await check(tmp_path, FIRST)


@pytest.mark.anyio
async def test_an_index_that_cannot_be_changed_over_is_made_anew_at_the_next_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The old one is removed and the new one cannot be renamed: whoever settles next has an index."""
    async with open_store(tmp_path) as store:
        await store.database.write(apply_changes, FIRST)
        await store.refresh_indexes()
        with monkeypatch.context() as patch:

            def refuse(*_: object) -> None:
                raise OSError(errno.EIO, "no")

            patch.setattr(Path, "rename", refuse)
            with pytest.raises(StoreError):
                await store.repair()
        await store.refresh_indexes()
        assert (tmp_path / "words").exists()
        assert {each.severity for each in await store.check()} == {"ok"}
        assert await search_words(store, "lexical", ["lamp"], Filter(), 10)


@pytest.mark.anyio
@pytest.mark.slow
async def test_one_file_of_another_index_is_not_believed(tmp_path: Path) -> None:
    """Whole in itself, with a right checksum of its own: our record of what was written knows better."""
    await fill(tmp_path / "a", FIRST)
    await fill(tmp_path / "b", SECOND)
    ours, theirs = (next((tmp_path / name / "words").glob("*.term")) for name in "ab")
    shutil.copyfile(theirs, ours)
    await check(tmp_path / "a", FIRST)


@pytest.mark.anyio
async def test_an_emptied_database_is_no_new_one(tmp_path: Path) -> None:
    """A file of no bytes beside an index was more; without an index it is what a kill leaves of the first moment."""
    await fill(tmp_path / "a", FIRST)
    (tmp_path / "a" / "memory.db").write_bytes(b"")
    with pytest.raises(StoreError, match="empty"):
        async with open_store(tmp_path / "a"):
            pass
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "memory.db").write_bytes(b"")
    await fill(tmp_path / "b", FIRST)
    await check(tmp_path / "b", FIRST)


def _spoil_a_name(path: Path) -> None:
    """A name in the schema gets bytes that are no UTF-8, and its statement no sense, so that SQLite's message quotes them."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(
            "UPDATE sqlite_master SET name = cast(x'cc41cc' AS TEXT), sql = 'CREATE TABLE' WHERE rowid ="
            " (SELECT max(rowid) FROM sqlite_master)"
        )


@pytest.mark.slow
@pytest.mark.anyio
async def test_a_damaged_name_in_the_schema_is_told_as_damage(tmp_path: Path) -> None:
    """Of the store, the journal and llm.db: Python cannot even decode what SQLite says of it."""
    await fill(tmp_path / "store", FIRST)
    async with open_journal(tmp_path / "journal.db"):
        pass
    LLMStore(tmp_path).close()
    for path in (tmp_path / "store" / "memory.db", tmp_path / "journal.db", tmp_path / "llm.db"):
        _spoil_a_name(path)
        with contextlib.closing(sqlite3.connect(path)) as connection, pytest.raises(UnicodeDecodeError):
            connection.execute("SELECT count(*) FROM sqlite_master")
    with pytest.raises(StoreError, match="damaged"):
        async with open_store(tmp_path / "store"):
            pass
    with pytest.raises(StoreError, match="damaged"):
        async with open_journal(tmp_path / "journal.db"):
            pass
    assert salvage(tmp_path / "journal.db")[0] == 0
    with pytest.raises(StoreError, match=r"llm\.db"):
        LLMStore(tmp_path)


@pytest.mark.anyio
async def test_damage_that_an_update_meets_is_mended_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who waits for the words index, as doctor does, is told of damage only where opening it anew does not help."""
    update, failures = TantivyIndex.update, 1

    def damaged(index: TantivyIndex, gone: Iterable[int], rows: Iterable[TextRow], sequence: int) -> None:
        nonlocal failures
        if failures:
            failures -= 1
            raise DamagedIndexError("the words index cannot be used")
        update(index, gone, rows, sequence)

    async with open_store(tmp_path) as store:
        monkeypatch.setattr(TantivyIndex, "update", damaged)
        await store.database.write(apply_changes, group(conversation("a"), LINES))
        await store.refresh_indexes()
        assert not failures
        assert [each for each in await store.check() if each.severity == "error"] == []
    async with open_store(tmp_path) as store:
        failures = 1000
        await store.database.write(apply_changes, group(conversation("b"), LINES))
        with pytest.raises(DamagedIndexError):
            await store.refresh_indexes()
