"""After a purge no file holds what was forgotten, and everything else is found as before; whatever happens meanwhile."""

from __future__ import annotations

import contextlib
import errno
import shutil
import threading
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from uuid import UUID

import anyio
import anyio.to_thread
import numpy as np
import pytest

from memd.memory.index import segments, tantivy_index, vector_codes
from memd.memory.index.exact_vectors import FILE
from memd.memory.indexing.indexed_store import IndexedStore, open_store
from memd.memory.indexing.vector_sync import VectorIndexSync
from memd.memory.indexing.word_sync import TextIndexSync
from memd.memory.search_types import Filter
from memd.memory.store import database as database_module
from memd.memory.store import forget_rows
from memd.memory.store.documents_write import apply_changes
from memd.memory.store.vectors import keep_vectors
from memd.memory.write_batches import Removal, WriteBatch
from memd.schemas import Arm
from memd.schemas.errors import StoreError
from memd.schemas.keys import text_hash
from memd.tests.memory.store.samples import (
    GENERATION,
    LINES,
    chunk_of,
    conversation,
    group,
    keys_of,
    vector_of,
    vectors_for,
)
from memd.tests.memory.store.searches import search_vectors, search_words
from memd.tests.memory.store.test_upkeep import sound

GONE = range(30, 45)
SPEAKERS = ("Ann", "Bob")


def _chat(name: str = "a", count: int = 120) -> WriteBatch:
    """Messages with words and a vector that no other one has."""
    return group(conversation(name), [(SPEAKERS[n % 2], f"lamp {name}canary{n}end") for n in range(count)])


CHAT = _chat()
REMOVAL = Removal(
    messages=[CHAT.messages[n].key for n in GONE],
    tombstones={CHAT.documents[0].key: [CHAT.messages[n].key for n in GONE]},
)


def _traces(changes: WriteBatch, numbers: range) -> list[bytes]:
    """The word, the vector in 16 and 32 bits, its code, and the hash of each of these messages."""
    traces: list[bytes] = []
    for chunk in (chunk_of(changes.messages[n]) for n in numbers):
        vector = vector_of(chunk.embed_text)
        unit = vector / np.linalg.norm(vector)
        traces += [chunk.embed_text.split()[-1].encode(), text_hash(chunk.embed_text)]
        traces += [array.astype(kind).tobytes() for array in (vector, unit) for kind in ("<f2", "<f4")]
        traces.append(vector_codes.Axes().encode(unit[None, :].astype(np.float32))[0].tobytes())
    return traces


def _holding(directory: Path, traces: list[bytes]) -> list[tuple[str, bytes]]:
    files = [(path.name, path.read_bytes()) for path in directory.rglob("*") if path.is_file()]
    return [(name, trace) for name, data in files for trace in traces if trace in data]


async def _fill(store: IndexedStore, *groups: WriteBatch) -> None:
    await store.set_generation(GENERATION)
    for changes in groups:
        await store.database.write(apply_changes, changes)
        await store.database.write(keep_vectors, vectors_for(changes))
        await store.refresh_indexes()


async def _check(store: IndexedStore) -> None:
    """Each message that is left is found by its words and its vector, and no other; the store is sound."""
    await store.refresh_indexes()
    left = {chunk.key for n, chunk in enumerate(CHAT.chunks) if n not in GONE}
    assert set(keys_of(await search_words(store, "lexical", ["lamp"], Filter(), 500))) == left
    assert set(keys_of(await search_vectors(store, vector_of("q"), Filter(), 500))) == left
    for number in (0, 29, 45, 119):
        chunk = chunk_of(CHAT.messages[number])
        found = await search_words(store, "lexical", [f"acanary{number}end"], Filter(), 5)
        assert keys_of(found) == [chunk.key]
        assert keys_of(await search_vectors(store, vector_of(chunk.embed_text), Filter(), 1)) == [chunk.key]
    assert sound(await store.check())


@pytest.fixture
def _nothing_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Making an index anew fails: what is tested must not fall back to it."""

    async def refuse(_: object) -> None:
        raise AssertionError("an index was made anew")

    monkeypatch.setattr(TextIndexSync, "rebuild", refuse)
    monkeypatch.setattr(VectorIndexSync, "rebuild", refuse)


@pytest.mark.anyio
@pytest.mark.usefixtures("_nothing_anew")
@pytest.mark.slow
async def test_no_file_holds_what_was_purged(tmp_path: Path) -> None:
    """No word, vector or hash of it: not afterwards, not after later changes, not after a restart."""
    traces = _traces(CHAT, GONE)
    async with open_store(tmp_path) as store:
        await _fill(store, CHAT)
        await store.forget(REMOVAL)
        await store.purge()
        assert _holding(tmp_path, traces) == []
        await _check(store)
        await store.database.write(apply_changes, group(conversation("later"), LINES))
        await store.refresh_indexes()
        assert _holding(tmp_path, traces) == []
    assert _holding(tmp_path, traces) == []
    async with open_store(tmp_path) as store:
        assert sound(await store.check())
    assert _holding(tmp_path, traces) == []


@pytest.mark.anyio
@pytest.mark.parametrize("gone", [range(5, 8), range(17, 20)], ids=["amid others", "the last ones"])
@pytest.mark.slow
async def test_words_of_what_was_forgotten_find_nothing(tmp_path: Path, gone: range) -> None:
    """Not the messages around it either, which were found by them before."""
    changes = _chat(count=20)
    arms: tuple[Arm, ...] = ("lexical", "wide", "near")
    async with open_store(tmp_path) as store:
        await _fill(store, changes)
        asked: list[tuple[Arm, str]] = [(arm, f"acanary{number}end") for number in gone for arm in arms]
        found = [await search_words(store, arm, [word], Filter(), 5) for arm, word in asked]
        assert all(found)
        await store.forget(Removal(messages=[changes.messages[number].key for number in gone]))
        await store.refresh_indexes()
        found = [await search_words(store, arm, [word], Filter(), 5) for arm, word in asked]
        assert not any(found)


@pytest.mark.anyio
@pytest.mark.usefixtures("_nothing_anew")
@pytest.mark.slow
async def test_searches_find_what_they_find_in_indexes_made_anew(tmp_path: Path) -> None:
    """The same messages with the same cosines; BM25 sums differ by what a deleted mark counts among all documents."""
    async with open_store(tmp_path) as store:
        await _fill(store, CHAT, group(conversation("b"), LINES * 3), _chat("c", 40))
        await store.forget(REMOVAL)
        await store.purge()
        purged = await _answers(store)
    (tmp_path / FILE).unlink()
    shutil.rmtree(tmp_path / "words")
    async with open_store(tmp_path) as store:
        await store.refresh_indexes()
        anew = await _answers(store)
    assert [answer.keys() for answer in purged] == [answer.keys() for answer in anew]
    for one, other in zip(purged, anew, strict=True):
        assert one == pytest.approx(other, rel=0.05)


async def _answers(store: IndexedStore) -> list[dict[UUID, float]]:
    words: list[tuple[Arm, str]] = [
        ("lexical", "acanary45end"),
        ("wide", "ferry"),
        ("near", "acanary29end"),
        ("wide", "cabin"),
    ]
    found = [await search_words(store, arm, [word], Filter(), 500) for arm, word in words]
    found += [await search_vectors(store, vector_of(word), Filter(), 500) for _, word in words]
    return [{scored.key: scored.score for scored in each} for each in found]


@pytest.mark.slow
@pytest.mark.anyio
@pytest.mark.usefixtures("_nothing_anew")
@pytest.mark.parametrize("count", [1, 3, 9, 40])
async def test_segments_of_all_sizes_can_be_purged(tmp_path: Path, count: int) -> None:
    """One that is left empty, one too small for a merge, and larger ones; and all of them once more."""
    chats = [_chat(name, count) for name in "bcd"]
    numbers = range(count // 2, count // 2 + 1)
    async with open_store(tmp_path) as store:
        await _fill(store, *chats)
        for changes in chats:
            await store.forget(Removal(messages=[changes.messages[n].key for n in numbers]))
            await store.purge()
            assert _holding(tmp_path, _traces(changes, numbers)) == []
        for changes in chats[:2]:
            await store.forget(Removal(documents=[changes.documents[0].key]))
            await store.purge()
            assert _holding(tmp_path, _traces(changes, range(count))) == []
        assert len(await search_words(store, "lexical", ["lamp"], Filter(), 500)) == count - 1
        assert sound(await store.check())


STEPS: list[tuple[object, str]] = [
    (segments, "_merged"),
    (segments, "_change_over"),
    (segments, "_replace"),
    (segments, "_sweep"),
    (segments, "record_footers"),
    (vector_codes.VectorCodes, "clear"),
    (vector_codes.VectorCodes, "save"),
    (vector_codes, "_write_whole"),
    (database_module, "zero_unused"),
    (forget_rows, "clean"),
]


@pytest.mark.slow
@pytest.mark.anyio
async def test_a_purge_that_was_killed_is_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files as they are before each step and after it: the next owner opens them, purges them, and all is found."""
    home = tmp_path / "home"
    copies: dict[bytes, Path] = {}
    taken: set[str] = set()

    def copy(name: str) -> None:
        digest = sha256()
        for path in sorted(each for each in home.rglob("*") if each.is_file() and not each.name.endswith("-shm")):
            digest.update(b"%s %d\n" % (bytes(path.relative_to(home)), path.stat().st_size) + path.read_bytes())
        if digest.digest() not in copies:  # as they were after another step, else
            copies[digest.digest()] = tmp_path / f"copy-{len(copies)}-{name}"
            shutil.copytree(home, copies[digest.digest()], ignore=shutil.ignore_patterns("*-shm"))

    def watched(name: str, plain: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object, **options: object) -> object:
            taken.add(name)
            copy(f"before-{name}")
            result = plain(*arguments, **options)
            copy(f"after-{name}")
            return result

        return call

    async with open_store(home) as store:
        await _fill(store, CHAT)
        await store.forget(REMOVAL)
        with monkeypatch.context() as patch:
            for owner, name in STEPS:
                patch.setattr(owner, name, watched(name, getattr(owner, name)))
            await store.purge()
    assert taken == {name for _, name in STEPS}
    for each in copies.values():
        async with open_store(each) as store:
            await store.purge()
            await _check(store)
            assert _holding(each, _traces(CHAT, GONE)) == [], each
        assert not (each / "words.new").exists()


@pytest.mark.slow
@pytest.mark.anyio
@pytest.mark.parametrize(
    ("owner", "name"),
    [pytest.param(*step, id=step[1].strip("_")) for step in STEPS if step[0] is not vector_codes.VectorCodes],
)
async def test_a_purge_that_fails_is_done_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner: object, name: str
) -> None:
    """A disk that is full at one of the steps, for once: the store goes on, and in the end nothing is left."""
    plain: Callable[..., object] = getattr(owner, name)
    failures = 0

    def full(*arguments: object, **options: object) -> object:
        nonlocal failures
        if not failures:
            failures += 1
            raise OSError(errno.ENOSPC, "no space")
        return plain(*arguments, **options)

    async with open_store(tmp_path) as store:
        await _fill(store, CHAT)
        await store.forget(REMOVAL)
        monkeypatch.setattr(owner, name, full)
        with contextlib.suppress(StoreError):
            await store.purge()
        assert failures
        assert len(await search_words(store, "lexical", ["lamp"], Filter(), 500)) == 105
        await store.purge()
        await _check(store)
        assert _holding(tmp_path, _traces(CHAT, GONE)) == []


@pytest.mark.slow
@pytest.mark.anyio
@pytest.mark.parametrize(
    ("owner", "name"),
    [(tantivy_index, "purge_segments"), (database_module, "zero_unused")],
)
async def test_what_cannot_be_overwritten_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner: object, name: str
) -> None:
    """Files of another layout: an index is rebuilt, the database left behind by VACUUM."""

    def refuse(*_: object) -> int:
        raise ValueError("another layout")

    async with open_store(tmp_path) as store:
        await _fill(store, CHAT)
        await store.forget(REMOVAL)
        monkeypatch.setattr(owner, name, refuse)
        await store.purge()
        await _check(store)
        assert _holding(tmp_path, _traces(CHAT, GONE)) == []


@pytest.mark.anyio
@pytest.mark.slow
async def test_files_that_no_segment_has_are_removed(tmp_path: Path) -> None:
    """What a kill or a merge left in the folder of the words index may hold anything."""
    async with open_store(tmp_path) as store:
        await _fill(store, CHAT)
        left = tmp_path / "words" / f"{'0' * 32}.term"
        left.write_bytes(b"acanary30end")
        await store.forget(REMOVAL)
        await store.purge()
        assert not left.exists()
        await _check(store)


@pytest.mark.anyio
@pytest.mark.parametrize(("owner", "name"), [(segments, "_merged"), (vector_codes.VectorCodes, "clear")])
@pytest.mark.slow
async def test_questions_are_answered_during_a_purge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner: object, name: str
) -> None:
    """By words and by vectors, while an index is being rewritten; and nothing of what is forgotten is found."""
    plain: Callable[..., object] = getattr(owner, name)
    begun, answered = threading.Event(), threading.Event()

    def slow(*arguments: object) -> object:
        begun.set()
        assert answered.wait(120)
        return plain(*arguments)

    async with open_store(tmp_path) as store:
        await _fill(store, CHAT)
        await store.forget(REMOVAL)
        monkeypatch.setattr(owner, name, slow)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(store.purge)
            try:
                await anyio.to_thread.run_sync(begun.wait, 120)
                assert begun.is_set()
                with anyio.fail_after(100):
                    assert len(await search_words(store, "lexical", ["lamp"], Filter(), 500)) == 105
                    assert len(await search_vectors(store, vector_of("q"), Filter(), 500)) == 105
            finally:
                answered.set()
        await _check(store)
        assert _holding(tmp_path, _traces(CHAT, GONE)) == []


def test_a_list_of_segments_is_not_written_through_a_link(tmp_path: Path) -> None:
    """Something else under the name of the file on its way is removed, and what it leads to stays."""
    outside = tmp_path / "outside"
    outside.write_bytes(b"of another")
    (tmp_path / "meta.json.new").symlink_to(outside)
    segments._replace(tmp_path / "meta.json", b"{}")  # pyright: ignore[reportPrivateUsage] - the way it is written
    assert outside.read_bytes() == b"of another"
    assert (tmp_path / "meta.json").read_bytes() == b"{}"
    assert not (tmp_path / "meta.json").is_symlink()
