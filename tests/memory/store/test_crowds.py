"""A document with very many people costs as much as its messages and people, and is found by each of them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from memd.memory.indexing.indexed_store import IndexedStore, open_store
from memd.memory.indexing.text_rows import text_rows
from memd.memory.records import Rename
from memd.memory.search_types import CROWD, Filter
from memd.memory.store.documents_write import apply_changes
from memd.memory.write_batches import WriteBatch
from memd.schemas.keys import document_key
from memd.tests.memory.store.samples import conversation, group
from memd.tests.memory.store.searches import search_words

CHAT = document_key("chat", "", "the chat")


def _crowded(name: str, count: int) -> WriteBatch:
    """A document of so many speakers, each with one message."""
    people = tuple(f"Person {n}" for n in range(count))
    return group(conversation(name, chat=CHAT, user=people[0], people=people), [(who, "a lamp") for who in people])


async def _found(store: IndexedStore, *people: str) -> int:
    return len(await search_words(store, "lexical", ["lamp"], Filter(people=people), 10_000))


def _entries(directory: Path) -> int:
    """How much the words index takes of a store."""
    with closing(sqlite3.connect(directory / "memory.db")) as connection:
        chunks = [row[0] for row in connection.execute("SELECT id FROM chunks")]
        return sum(1 + len(row.document.people) for row in text_rows(connection, chunks, str))


@pytest.mark.anyio
@pytest.mark.slow
async def test_twice_the_speakers_cost_twice(tmp_path: Path) -> None:
    """What is written into the words index grows with messages and people, not with their product."""
    costs: list[int] = []
    for count in (2 * CROWD, 4 * CROWD):
        async with open_store(tmp_path / str(count)) as store:
            await store.database.write(apply_changes, _crowded("a", count))
        costs.append(_entries(tmp_path / str(count)))
    assert costs == [2 * CROWD, 4 * CROWD]


@pytest.mark.anyio
@pytest.mark.parametrize("count", [CROWD, CROWD + 1])
@pytest.mark.slow
async def test_a_crowd_is_found_by_its_people(tmp_path: Path, count: int) -> None:
    """All of a document is found by each of its people and nobody else, in every spelling of case, as without a crowd."""
    async with open_store(tmp_path) as store:
        await store.database.write(apply_changes, _crowded("a", count))
        await store.database.write(apply_changes, group(conversation("b"), [("Ann", "a lamp")]))
        await store.refresh_indexes()
        assert await _found(store, "Person 0") == count
        assert await _found(store, f"PERSON {count - 1}") == count
        assert await _found(store, "Ann") == 1
        assert await _found(store, "Ann", "Person 1") == count + 1
        assert await _found(store, "Nobody") == 0


@pytest.mark.anyio
@pytest.mark.slow
async def test_a_document_that_becomes_a_crowd_is_found(tmp_path: Path) -> None:
    """Newcomers turn a document into a crowd, and back; it is found by who is in it."""
    small, large = _crowded("a", CROWD), _crowded("a", CROWD + 20)
    async with open_store(tmp_path) as store:
        for changes in (small, large):
            await store.database.write(apply_changes, changes)
            await store.refresh_indexes()
            assert await _found(store, "Person 3") == len(changes.messages)
        await store.database.write(
            apply_changes, WriteBatch(documents=[replace(small.documents[0], user="Person 3", people=("Person 3",))])
        )
        await store.refresh_indexes()
        assert await _found(store, "Person 3") == len(large.messages)
        assert await _found(store, "Person 4") == 0


@pytest.mark.anyio
async def test_a_crowd_is_found_by_a_former_name(tmp_path: Path) -> None:
    """Who was renamed in the chat of a crowd is found by the other name there, and there alone."""
    crowd, other = _crowded("a", CROWD + 5), _crowded("b", CROWD + 5)
    other = replace(other, documents=[replace(other.documents[0], chat=document_key("chat", "", "another"))])
    async with open_store(tmp_path) as store:
        await store.database.write(
            apply_changes, replace(crowd, renames=[Rename(CHAT, "chat", "Old name", "Person 7")])
        )
        await store.database.write(apply_changes, other)
        await store.refresh_indexes()
        assert await _found(store, "old NAME") == len(crowd.messages)
