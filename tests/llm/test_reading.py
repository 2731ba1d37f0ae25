"""A whole memory that reads with a model: whatever goes wrong, the facts are the same in the end, and none is doubled."""

from __future__ import annotations

import random
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memd.memory import lookup
from memd.memory.embedding.bundled import BundledEmbedder
from memd.memory.extraction.llm import LLMExtractor
from memd.memory.indexing.indexed_store import open_store
from memd.memory.llm.store import LLMStore
from memd.memory.memory import EvolvingMemory
from memd.memory.search_types import FactFilter
from memd.schemas import ConversationDocument
from memd.schemas.errors import ExtractionError
from memd.tests.llm.places import Place, homes
from memd.tests.openai_server.faults import BROKEN, BUSY, CUT, DROPPED, GARBLED, LONG, WRONG_SCHEMA, Fault
from memd.tests.openai_server.server import CHAT, Server

START = datetime(2024, 1, 15, 12, 0, tzinfo=UTC)
CITIES = ("Oslo", "Rome", "Kiel", "Bonn", "Rome", "Lyon")
PASSING = (BUSY, BROKEN, CUT, DROPPED, Fault(status=404))
UNREADABLE = (GARBLED, WRONG_SCHEMA, LONG)
"""Once is repaired, or asked for in halves; twice in a row is given up and counted."""


def day(number: int) -> ConversationDocument:
    """A day on which Ann has moved."""
    said = [
        ("Ann", f"hello, I live in {CITIES[number]}"),
        ("Ben", "so you moved again, did you"),
        ("Ann", "yes, it is lovely"),
    ]
    return ConversationDocument.model_validate(
        {
            "id": f"chat:friends:{number}",
            "conversation": {
                "source": "chat",
                "people": ("Ann", "Ben"),
                "user": "Ann",
                "conversation": tuple(
                    {"speaker": speaker, "content": text, "time": START + timedelta(days=number, minutes=minute)}
                    for minute, (speaker, text) in enumerate(said)
                ),
            },
            "metadata": {"chat": "friends", "title": "Friends"},
        }
    )


@asynccontextmanager
async def memory_at(folder: Path, place: Place) -> AsyncGenerator[EvolvingMemory]:
    """A memory whose extractor asks the test server."""
    async with open_store(folder) as store:
        memory = EvolvingMemory(store, None, BundledEmbedder(), LLMExtractor(place.gateway))
        await memory.start()
        yield memory


async def facts(memory: EvolvingMemory) -> list[tuple[object, ...]]:
    """What is known, as far as it does not tell when it was learned."""
    found = [stored.fact for _, stored in await memory.fact_reader.facts(FactFilter())]
    return sorted(
        (fact.subject, fact.value, fact.status, fact.observed_at, str(fact.valid_to), len(fact.evidence))
        for fact in found
    )


@pytest.mark.slow
@pytest.mark.anyio
@pytest.mark.parametrize("seed", range(3))
async def test_trouble_changes_nothing_in_the_end(server: Server, tmp_path: Path, seed: int) -> None:
    """Every failure, in any order, at any call; documents stay unread until they are read, and are read once."""
    server.script = homes
    chance = random.Random(seed)
    wanted: list[tuple[object, ...]] = []
    for troubled in (False, True):
        folder = tmp_path / f"{troubled}"
        folder.mkdir()
        place = Place(server, LLMStore(folder))
        async with memory_at(folder / "memory", place) as memory:
            days = [day(number) for number in range(len(CITIES))]
            chance.shuffle(days)
            for document in days:
                await memory.store([document])
                if troubled:
                    server.heal()
                    server.fail(chance.choice(PASSING), chance.choice((*PASSING, *UNREADABLE)), path=CHAT)
                try:
                    await memory.fact_service.extract_pending("run")
                except ExtractionError:
                    assert troubled
            server.heal()
            while (await memory.fact_service.extract_pending("run")).documents:
                pass
            assert await memory.fact_service.pending_extraction_count() == 0
            if troubled:
                assert await facts(memory) == wanted
                assert all(
                    [
                        ((await lookup.find(memory.database, f"chat:friends:{number}")).document) == day(number)
                        for number in range(6)
                    ]
                )
            else:
                wanted = await facts(memory)
                assert [each[2] for each in wanted].count("active") == 1
        await place.model.aclose()
        place.store.close()


@pytest.mark.slow
@pytest.mark.anyio
async def test_a_rerun_makes_no_call(place: Place, server: Server, tmp_path: Path) -> None:
    """Another store made of the same documents is read from what was answered before: by one call for three short days."""
    server.script = homes
    for name in ("first", "second"):
        async with memory_at(tmp_path / name, place) as memory:
            await memory.store([day(number) for number in range(3)])
            while (await memory.fact_service.extract_pending(name)).documents:
                pass
            assert len(await facts(memory)) == 3
            assert len(server.requests) == 1
