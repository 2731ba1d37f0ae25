"""A message is also found by the words of a fact that rests on it, once a model read the fact."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from memd.memory.extraction.rules.engine import RulesExtractor
from memd.memory.facts import fact_update_plan
from memd.memory.indexing.indexed_store import open_store
from memd.memory.memory import EvolvingMemory
from memd.memory.records import StoredFact
from memd.tests.contracts.knowledge import Homes, day, known, memory_in, read_all

CHAT = day(0, ("Ann", "hello"), ("Bob", "I live in Berlin"))


async def the_fact(memory: EvolvingMemory) -> StoredFact:
    """The only one; nothing is wrong in the store."""
    assert [each for each in await memory.check() if each.severity != "ok"] == []
    (fact,) = await known(memory)
    return fact


@pytest.mark.anyio
async def test_a_fact_by_rules_is_a_search_key_once_a_model_read_it(tmp_path: Path) -> None:
    """Rules say nothing that the message does not say; a model's words are another way to find it."""
    async with memory_in(lambda: open_store(tmp_path), None) as (memory, _):
        await memory.fact_service.set_extractor(RulesExtractor())
        await memory.write([CHAT])
        await read_all(memory)
        by_rules = await the_fact(memory)
        assert by_rules.fact.value == "Berlin"
        assert by_rules.chunks == ()
        await memory.fact_service.set_extractor(Homes())
        await read_all(memory)
        by_model = await the_fact(memory)
        assert (by_model.fact.id, len(by_model.chunks)) == (by_rules.fact.id, 1)
        await memory.fact_service.set_extractor(RulesExtractor())
        await read_all(memory)
        assert (await the_fact(memory)).chunks == ()


@pytest.mark.anyio
async def test_a_search_key_of_an_older_version_stays_and_is_mended_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Facts by rules had search keys: they are no fault, and repair does without one that is damaged."""
    monkeypatch.setattr(fact_update_plan, "OWN_WORDS", frozenset[str]())
    async with memory_in(lambda: open_store(tmp_path), None) as (memory, _):
        await memory.fact_service.set_extractor(RulesExtractor())
        await memory.write([CHAT])
        await read_all(memory)
        monkeypatch.undo()
        assert len((await the_fact(memory)).chunks) == 1
        assert len((await the_fact(memory)).chunks) == 1
        with sqlite3.connect(tmp_path / "memory.db") as connection:
            connection.execute("DELETE FROM chunks WHERE make = (SELECT id FROM makes WHERE strategy = 'fact')")
        connection.close()
        assert [each.check for each in await memory.check() if each.severity == "error"] != []
        await memory.repair()
        await read_all(memory)
        assert (await the_fact(memory)).chunks == ()
