"""What is known: the contract, and that no file keeps what was known of what is forgotten."""

from __future__ import annotations

from pathlib import Path

import pytest

from memd.memory.forgetting.selection import ForgetSelection
from memd.memory.indexing.indexed_store import open_store
from memd.tests.contracts.knowledge import (
    DAYS,
    TOGETHER,
    Homes,
    KnowledgeContract,
    Stores,
    essence,
    known,
    memory_in,
    read_all,
)
from memd.tests.memory.store.older_formats import FORMAT_4, made_older


class TestEmbeddedKnowledge(KnowledgeContract):
    """The whole suite."""

    @pytest.fixture
    def stores(self, tmp_path: Path) -> Stores:
        """A directory each."""
        return lambda name: lambda: open_store(tmp_path / name)


@pytest.mark.anyio
@pytest.mark.slow
async def test_no_file_keeps_what_was_known(tmp_path: Path) -> None:
    """Facts, their history, statements, windows and chunks: gone with the words that they rested on."""
    async with memory_in(lambda: open_store(tmp_path), Homes()) as (memory, _):
        await memory.write(DAYS)
        await read_all(memory)
        await memory.forget(await memory.forget_planner.plan(ForgetSelection(speakers=("Bob",))))
        await read_all(memory)
        assert {fact.fact.speaker for fact in await known(memory)} == {"Ann"}
        await memory.indexed.purge()
    held = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"Lisbon" not in held
    assert b"Bob" not in held


@pytest.mark.anyio
async def test_facts_of_format_4_come_along(tmp_path: Path) -> None:
    """They named linked facts as their context, and their links were stored; the same facts and links are shown."""
    async with memory_in(lambda: open_store(tmp_path), Homes()) as (memory, _):
        await memory.write(TOGETHER)
        await read_all(memory)
        expected = essence(await known(memory))
    made_older(tmp_path / "memory.db", FORMAT_4)
    async with memory_in(lambda: open_store(tmp_path), Homes()) as (memory, store):
        assert essence(await known(memory)) == expected
        assert [each for each in await store.check() if each.severity == "error"] == []
