"""Filling indexes beside those in use: in turns, from where it stopped, and with nothing of what was forgotten meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import numpy as np
import pytest

from memd.memory.index.embedded import EmbeddedIndexes
from memd.memory.index.exact_vectors import FILE, ExactVectors
from memd.memory.index.ports import VectorRows
from memd.memory.index.vector_codes import Axes, VectorCodes, read_head
from memd.memory.indexing import filling as filling_module
from memd.memory.indexing import index_sync, vector_sync, word_sync
from memd.memory.indexing.filling import TWICE_OTHERWISE, Filling
from memd.memory.indexing.index_sync import RunningCheck
from memd.memory.indexing.indexed_store import IndexedStore, open_store
from memd.memory.records import CheckResult
from memd.memory.store.change_log import sequence
from memd.memory.store.database import Database
from memd.memory.store.documents_write import apply_changes
from memd.memory.store.vectors import keep_vectors
from memd.memory.write_batches import Removal, WriteBatch
from memd.schemas.errors import StoreError
from memd.tests.memory.store.samples import GENERATION, conversation, group, vector_of, vectors_for

pytestmark = pytest.mark.anyio
CHAT = group(conversation("a"), [("Ann" if n % 2 else "Bob", f"lamp canary{n}end") for n in range(60)])


def told(*_: object) -> None:
    """Nobody looks at the progress."""


def other(folder: Path) -> EmbeddedIndexes:
    """Indexes that are not in use."""
    (folder / "other").mkdir(exist_ok=True)
    return EmbeddedIndexes(folder / "other", read_only=False)


async def filled(store: IndexedStore, filling: Filling) -> list[CheckResult]:
    """What the last of as many turns as it takes finds."""
    with anyio.fail_after(60):
        while (found := await store.fill(filling, told)) is None:
            pass
    return found


TRACES = (b"canary3end", Axes().encode(vector_of("Ann: lamp canary3end")[None, :])[0].tobytes())
"""The word of the message that is forgotten, and the code of its vector."""


def holding(folder: Path) -> list[Path]:
    """The files that hold something of it."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [path for path in files if any(trace in path.read_bytes() for trace in TRACES)]


async def stored(store: IndexedStore, changes: WriteBatch = CHAT) -> None:
    """Keep messages and their vectors."""
    await store.set_generation(GENERATION)
    await store.database.write(apply_changes, changes)
    await store.database.write(keep_vectors, vectors_for(changes))


@pytest.fixture
def slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Turns of one small slice each."""
    monkeypatch.setattr(word_sync, "SLICE", 20)
    monkeypatch.setattr(vector_sync, "SLICE", 20)
    monkeypatch.setattr(index_sync, "CHECKED_AT_ONCE", 20)
    monkeypatch.setattr(filling_module, "TURN_SECONDS", 0.0)


@pytest.mark.usefixtures("slices")
@pytest.mark.slow
async def test_a_filling_goes_on_in_the_next_turn(tmp_path: Path) -> None:
    """Each turn does a part, and lets others in; the last one compares."""
    async with open_store(tmp_path) as store:
        await stored(store)
        turns, filling = 1, Filling(other(tmp_path))
        while (found := await store.fill(filling, told)) is None:
            turns += 1
        assert turns > 3
        assert [each.severity for each in found] == ["ok", "ok"]
        assert {each.detail for each in found} == {
            "the words index has all 60 chunks",
            "the vector index has all 60 vectors, and finds each of 60 that were looked for",
        }


@pytest.mark.usefixtures("slices")
@pytest.mark.slow
async def test_what_is_forgotten_between_two_turns_is_in_no_file(tmp_path: Path) -> None:
    """An index that held it is made anew, for what was removed stays in its files otherwise."""
    async with open_store(tmp_path) as store:
        await stored(store)
        filling = Filling(other(tmp_path))
        assert await store.fill(filling, told) is None
        assert await store.fill(filling, told) is None
        key = CHAT.messages[3].key
        await store.forget(Removal(messages=[key], tombstones={CHAT.documents[0].key: [key]}))
        await store.purge()
        assert {each.severity for each in await filled(store, filling)} == {"ok"}
    assert holding(tmp_path) == []


@pytest.mark.slow
async def test_an_index_that_was_away_when_something_was_forgotten_is_made_anew(tmp_path: Path) -> None:
    """By the store that takes it in use, too: it owes a purge from its start on."""
    async with open_store(tmp_path) as store:
        await stored(store)
        assert await filled(store, Filling(other(tmp_path)))
        assert holding(tmp_path / "other")
        key = CHAT.messages[3].key
        await store.forget(Removal(messages=[key], tombstones={CHAT.documents[0].key: [key]}))
        await store.purge()
    async with open_store(tmp_path, indexes=other(tmp_path)) as store:
        await store.purge()
        found = await store.check_indexes()
        assert {each.severity for each in found} == {"ok"}
    assert holding(tmp_path) == []


@pytest.mark.slow
async def test_a_filling_that_fails_lets_everything_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error is handed on, and the vectors are closed."""
    closed: list[bool] = []

    class Indexes(EmbeddedIndexes):
        def vectors(
            self, identity: str, model: str, dimension: int, rows: VectorRows, on_damage: Callable[[], None]
        ) -> ExactVectors:
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
    async with open_store(tmp_path) as store:
        await stored(store)
        with pytest.raises(StoreError, match="no room"):
            await store.fill(Filling(Indexes(tmp_path / "other", read_only=False)), told)
    assert closed == [True]


async def test_a_later_forgetting_of_facts_hides_no_earlier_one_of_messages(tmp_path: Path) -> None:
    """Each index is judged by what was forgotten of that which it holds."""
    async with open_store(tmp_path) as store:
        await stored(store)
        assert await filled(store, Filling(other(tmp_path)))
        assert holding(tmp_path / "other")
        key = CHAT.messages[3].key
        await store.forget(Removal(messages=[key], tombstones={CHAT.documents[0].key: [key]}))
        await store.forget(Removal(subjects=["a zoo"]))
        await store.purge()
        assert await filled(store, Filling(other(tmp_path)))
    assert holding(tmp_path) == []


@pytest.mark.slow
@pytest.mark.usefixtures("slices")
async def test_an_index_that_is_made_anew_is_filled_and_compared_in_turns(tmp_path: Path) -> None:
    """No forgetting waits for the whole of it, and each turn goes on where the one before was."""
    async with open_store(tmp_path) as store:
        await stored(store)
        await filled(store, Filling(other(tmp_path)))
        key = CHAT.messages[3].key
        await store.forget(Removal(messages=[key], tombstones={CHAT.documents[0].key: [key]}))
        turns, filling = 0, Filling(other(tmp_path))
        with anyio.fail_after(60):
            while await store.fill(filling, told) is None:
                turns += 1
        assert turns > 2 * 60 / 20 + 3  # words and vectors are filled, and vectors compared
        again = 0
        while await store.fill(filling, told) is None:
            again += 1
        assert again == 0


@pytest.mark.slow
async def test_an_index_that_differs_is_made_anew_once(tmp_path: Path) -> None:
    """It is not in use, and so nobody else repairs it."""
    async with open_store(tmp_path) as store:
        await stored(store)
        await filled(store, Filling(other(tmp_path)))
        path = tmp_path / "other" / FILE
        head = read_head(path)
        assert head
        codes = VectorCodes(path, head["identity"], GENERATION.dimension, read_only=False)
        codes.open(head["sequence"])
        codes.clear(np.array([5]))
        codes.save()
        codes.close()
        filling = Filling(other(tmp_path))
        found = await filled(store, filling)
        assert {each.severity for each in found} == {"ok"}
        assert filling.mended == {"vectors"}


@pytest.mark.slow
async def test_an_index_that_differs_again_is_told_of(tmp_path: Path) -> None:
    """With what can be done about it."""

    class Forgetful(EmbeddedIndexes):
        def vectors(
            self, identity: str, model: str, dimension: int, rows: VectorRows, on_damage: Callable[[], None]
        ) -> ExactVectors:
            found = super().vectors(identity, model, dimension, rows, on_damage)
            update = found.update

            async def without_one(gone: Any, rows: Any, texts: Any, vectors: Any, sequence: int) -> None:
                await update(gone, rows[1:], texts[1:], vectors[1:], sequence)

            found.update = without_one  # type: ignore[method-assign]
            return found

    (tmp_path / "other").mkdir()
    async with open_store(tmp_path) as store:
        await stored(store)
        found = await filled(store, Filling(Forgetful(tmp_path / "other", read_only=False)))
        assert {each.check: (each.severity, each.hint) for each in found if each.severity != "ok"} == {
            "vector_index": ("error", TWICE_OTHERWISE)
        }


@pytest.mark.usefixtures("slices")
@pytest.mark.slow
async def test_what_comes_between_two_steps_of_a_check_is_no_difference(tmp_path: Path) -> None:
    """Nobody waits for the whole check: an update gets in, and is followed."""
    async with open_store(tmp_path) as store:
        await stored(store)
    database = Database.in_directory(tmp_path, read_only=False)
    indexes = EmbeddedIndexes(tmp_path, read_only=True)
    vectors = vector_sync.VectorIndexSync(database, indexes, lambda: None)
    more = group(conversation("b"), [("Ann", f"kayak {n}") for n in range(30)])
    running = RunningCheck(contents=True)
    try:
        await vectors.ask()
        steps = 0
        while running.findings is None:
            await vectors.check_step(running)
            steps += 1
            if steps == 2:
                async with open_store(tmp_path) as store:
                    await stored(store, more)
                    await store.forget(Removal(messages=[CHAT.messages[1].key, CHAT.messages[50].key]))
                await vectors.catch_up(await database.read(sequence))
    finally:
        await vectors.close()
        database.close()
    told = "the vector index has all 88 vectors, and finds each of 88 that were looked for"
    assert [each.detail for each in running.findings] == [told]
    assert steps > 5
