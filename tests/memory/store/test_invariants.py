"""Rules that are checked on both sides of the database: a breach is never written, and one that is read is told of as damage."""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from memd.memory.index.exact_vectors import FILE
from memd.memory.indexing.indexed_store import IndexedStore, open_store
from memd.memory.search_types import Filter
from memd.memory.store import documents_read, forget_rows, integrity
from memd.memory.store.documents_write import apply_changes
from memd.memory.store.invariants import GONE, IN_PLACE, IN_TIME, KEPT, WITHIN
from memd.memory.store.vectors import keep_vectors
from memd.memory.write_batches import Removal, WriteBatch
from memd.schemas.errors import StoreError
from memd.tests.memory.store.samples import (
    GENERATION,
    LINES,
    conversation,
    group,
    keys_of,
    text_group,
    vector_of,
    vectors_for,
)
from memd.tests.memory.store.searches import chunks_of, search_vectors, shown

FIRST = group(conversation("a"), LINES)
TEXT = text_group("n", ["alpha one", "beta two"])
DOCUMENT, CHUNK, MESSAGE = FIRST.documents[0], FIRST.chunks[0], FIRST.messages[0]
Use = Callable[[IndexedStore], Awaitable[object]]

UNWRITTEN: dict[str, tuple[WriteBatch, str]] = {
    "a chunk beyond its text": (WriteBatch(chunks=[replace(CHUNK, end=CHUNK.end + 1)]), WITHIN),
    "a chunk before its text": (WriteBatch(chunks=[replace(CHUNK, start=-1)]), WITHIN),
    "a chunk that ends first": (WriteBatch(chunks=[replace(CHUNK, start=3, end=2)]), WITHIN),
    "a message without a place": (WriteBatch(messages=[replace(MESSAGE, position=-1)]), IN_PLACE),
}
READ: dict[str, tuple[str, Use, str]] = {
    "a chunk beyond its text": ('UPDATE chunks SET "end" = 9999', lambda b: shown(b, [TEXT.chunks[0].key]), WITHIN),
    "a message without a place": (
        "UPDATE messages SET position = -1",
        lambda b: b.database.read(documents_read.messages, [DOCUMENT.key]),
        IN_PLACE,
    ),
    "a time beyond the years": (
        "UPDATE messages SET micros = 1 << 60",
        lambda b: b.database.read(documents_read.messages, [DOCUMENT.key]),
        IN_TIME,
    ),
}


async def _fill(store: IndexedStore) -> None:
    await store.set_generation(GENERATION)
    await store.database.write(apply_changes, FIRST)
    await store.database.write(apply_changes, TEXT)
    await store.database.write(keep_vectors, vectors_for(FIRST))
    await store.refresh_indexes()


def _harm(directory: Path, script: str) -> None:
    with closing(sqlite3.connect(directory / "memory.db", isolation_level=None)) as connection:
        connection.executescript(script)


@pytest.mark.anyio
@pytest.mark.parametrize("name", UNWRITTEN)
@pytest.mark.slow
async def test_a_breach_is_not_written(tmp_path: Path, name: str) -> None:
    """The rule is in the message, and nothing of the group is there."""
    changes, invariant = UNWRITTEN[name]
    async with open_store(tmp_path) as store:
        await _fill(store)
        before = await chunks_of(store, [CHUNK.key])
        with pytest.raises(StoreError, match=invariant):
            await store.database.write(apply_changes, changes)
        assert await chunks_of(store, [CHUNK.key]) == before


@pytest.mark.anyio
@pytest.mark.parametrize("name", READ)
@pytest.mark.slow
async def test_a_breach_that_is_read_is_damage(tmp_path: Path, name: str) -> None:
    """The rule is in the message, and the hint says what helps."""
    script, use, invariant = READ[name]
    async with open_store(tmp_path) as store:
        await _fill(store)
        _harm(tmp_path, script)
        with pytest.raises(StoreError, match=invariant) as caught:
            await use(store)
        assert "memd doctor" in caught.value.hint


@pytest.mark.anyio
async def test_a_damaged_vector_is_not_searched(tmp_path: Path) -> None:
    """Its chunk is found by words alone until doctor mends it; the others are found as before."""
    async with open_store(tmp_path) as store:
        await _fill(store)
    (tmp_path / FILE).unlink()
    _harm(tmp_path, "UPDATE vectors SET crc = crc + 1 WHERE text = 1")
    async with open_store(tmp_path) as store:
        await store.refresh_indexes()
        found = keys_of(await search_vectors(store, vector_of("q"), Filter(), 50))
        assert len(found) == len(FIRST.chunks) - 1
        assert "vectors" in {each.check for each in await store.check() if each.severity == "error"}


@pytest.mark.anyio
async def test_what_is_forgotten_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A forgetting that leaves something is rolled back and told of."""

    def nothing(*_: object) -> None:
        """Forget nothing."""

    async with open_store(tmp_path) as store:
        await _fill(store)
        monkeypatch.setattr(forget_rows, "forget", nothing)
        for removal in (Removal(messages=[MESSAGE.key]), Removal(documents=[DOCUMENT.key])):
            with pytest.raises(StoreError, match=GONE):
                await store.forget(removal)


@pytest.mark.anyio
async def test_repairing_takes_nothing_away_that_was_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A repair that would is rolled back and told of."""
    async with open_store(tmp_path) as store:
        await _fill(store)

        def too_much(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM digests")
            connection.execute("DELETE FROM people WHERE ordinal = 0")

        with monkeypatch.context() as patch:
            patch.setattr(integrity, "repair_fact_rows", too_much)
            with pytest.raises(StoreError, match=KEPT):
                await store.repair()
        assert (await store.database.read(documents_read.documents, [DOCUMENT.key]))[
            DOCUMENT.key
        ].people == DOCUMENT.people
        await store.repair()
        assert [each for each in await store.check() if each.severity == "error"] == []
