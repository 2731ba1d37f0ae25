"""Filling indexes beside those in use: in turns, from where it stopped, and with nothing of what was forgotten meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memd.memory.index import filling, index_sync
from memd.memory.index.embedded import EmbeddedIndexes
from memd.memory.index.ports import StoreRows
from memd.memory.index.usearch_vectors import UsearchVectors
from memd.memory.store.sqlite_store import SQLiteStore
from memd.memory.write_batches import Removal, WriteBatch
from memd.schemas.errors import StoreError
from memd.tests.memory.store.samples import GENERATION, conversation, group, vectors_for

pytestmark = pytest.mark.anyio
CHAT = group(conversation("a"), [("Ann" if n % 2 else "Bob", f"lamp canary{n}end") for n in range(60)])


def told(*_: object) -> None:
    """Nobody looks at the progress."""


def other(folder: Path) -> EmbeddedIndexes:
    """Indexes that are not in use."""
    (folder / "other").mkdir(exist_ok=True)
    return EmbeddedIndexes(folder / "other", read_only=False)


async def stored(store: SQLiteStore, changes: WriteBatch = CHAT) -> None:
    """Keep messages and their vectors."""
    await store.set_generation(GENERATION)
    await store.apply(changes)
    await store.put_vectors(vectors_for(changes))


@pytest.fixture
def slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Turns of one small slice each."""
    monkeypatch.setattr(index_sync, "WORDS_SLICE", 20)
    monkeypatch.setattr(index_sync, "VECTORS_READ", 20)
    monkeypatch.setattr(filling, "TURN_SECONDS", 0.0)


@pytest.mark.usefixtures("slices")
async def test_a_filling_goes_on_in_the_next_turn(tmp_path: Path) -> None:
    """Each turn does a part, and lets others in; the last one compares."""
    async with SQLiteStore.open(tmp_path) as store:
        await stored(store)
        turns = 1
        while (found := await store.fill(other(tmp_path), told)) is None:
            turns += 1
        assert turns > 3
        assert [each.severity for each in found] == ["ok", "ok"]
        assert {each.detail for each in found} == {
            "the words index has all 60 chunks",
            "the vector index has all 60 vectors",
        }


@pytest.mark.usefixtures("slices")
async def test_what_is_forgotten_between_two_turns_is_in_no_file(tmp_path: Path) -> None:
    """An index that held it is made anew, for what was removed stays in its files otherwise."""
    async with SQLiteStore.open(tmp_path) as store:
        await stored(store)
        assert await store.fill(other(tmp_path), told) is None
        assert await store.fill(other(tmp_path), told) is None
        key = CHAT.messages[3].key
        await store.forget(Removal(messages=[key], tombstones={CHAT.documents[0].key: [key]}))
        await store.purge()
        while await store.fill(other(tmp_path), told) is None:
            pass
    holding = [path for path in tmp_path.rglob("*") if path.is_file() and b"canary3end" in path.read_bytes()]
    assert holding == []


async def test_an_index_that_was_away_when_something_was_forgotten_is_made_anew(tmp_path: Path) -> None:
    """By the store that takes it in use, too: it owes a purge from its start on."""
    async with SQLiteStore.open(tmp_path) as store:
        await stored(store)
        assert await store.fill(other(tmp_path), told)
        key = CHAT.messages[3].key
        await store.forget(Removal(messages=[key], tombstones={CHAT.documents[0].key: [key]}))
        await store.purge()
    async with SQLiteStore.open(tmp_path, indexes=other(tmp_path)) as store:
        await store.purge()
        found = await store.check_indexes()
        assert {each.severity for each in found} == {"ok"}
    holding = [path for path in tmp_path.rglob("*") if path.is_file() and b"canary3end" in path.read_bytes()]
    assert holding == []


async def test_a_filling_that_fails_lets_everything_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error is handed on, and the vectors are closed."""
    closed: list[bool] = []

    class Indexes(EmbeddedIndexes):
        def vectors(
            self, identity: str, model: str, dimension: int, rows: StoreRows, on_damage: Callable[[], None]
        ) -> UsearchVectors:
            found = super().vectors(identity, model, dimension, rows, on_damage)
            closing = found.close

            async def close() -> None:
                closed.append(True)
                await closing()

            async def refuse(*_: object) -> None:
                raise StoreError("no room")

            monkeypatch.setattr(found, "close", close)
            monkeypatch.setattr(found, "update", refuse)
            return found

    (tmp_path / "other").mkdir()
    async with SQLiteStore.open(tmp_path) as store:
        await stored(store)
        with pytest.raises(StoreError, match="no room"):
            await store.fill(Indexes(tmp_path / "other", read_only=False), told)
    assert closed == [True]
