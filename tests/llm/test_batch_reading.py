"""Reading by batches: each document is looked at when it is new and when its answers came, however many of them wait."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import anyio
import pytest

from memd.memory.embedding.bundled import BundledEmbedder
from memd.memory.extraction.llm import LLMExtractionSettings, LLMExtractor
from memd.memory.extraction.window import Window
from memd.memory.facts.batch_extraction import BatchExtraction
from memd.memory.facts.service import ExtractionReport, FactService
from memd.memory.indexing.indexed_store import IndexedStore, open_store
from memd.memory.llm.ledger import LedgerSettings, Limit, Price
from memd.memory.llm.store import LLMStore
from memd.memory.memory import EvolvingMemory
from memd.schemas import ConversationDocument
from memd.tests.llm.places import NOON, Place, homes
from memd.tests.openai_server.server import Server

NEVER = 3600.0
"""A pause between two looks that no test outlasts."""


def day(number: int, city: str = "Oslo") -> ConversationDocument:
    """A day on which Ann tells where she lives."""
    said = {"speaker": "Ann", "content": f"hello, I live in {city}", "time": NOON + timedelta(days=number)}
    conversation = {"source": "chat", "people": ("Ann", "Ben"), "user": "Ann", "conversation": (said,)}
    return ConversationDocument.model_validate(
        {
            "id": f"chat:friends:{number}",
            "conversation": conversation,
            "metadata": {"chat": "friends", "title": "Friends"},
        }
    )


class Counted(FactService):
    """Counts the documents that it lists and cuts into windows."""

    listed = 0
    cut = 0

    async def pending_extraction(self, after: int = 0, limit: int = 500) -> list[tuple[int, UUID]]:
        """A page, counted."""
        page = await super().pending_extraction(after, limit)
        self.listed += len(page)
        return page

    async def new_windows(self, keys: Sequence[UUID]) -> dict[UUID, list[Window]]:
        """Windows, counted by document."""
        self.cut += len(keys)
        return await super().new_windows(keys)


class Home:
    """A memory that reads by batches."""

    def __init__(self, store: IndexedStore, place: Place) -> None:
        extractor = LLMExtractor(place.gateway, LLMExtractionSettings(packed=False))
        self.fact_service = Counted(store.database, extractor, len, anyio.Lock())
        self.reading = BatchExtraction(self.fact_service, extractor, place.batches, NEVER)

    async def look(self) -> list[UUID]:
        """Prepare, and poll before."""
        self.reading.pause = 0
        found = await self.prepare()
        self.reading.pause = NEVER
        return found

    async def prepare(self, without: Collection[UUID] = ()) -> list[UUID]:
        """The documents that can be read now."""
        found = await self.reading.prepare("run", 5, without)
        assert found is not None
        return found


@pytest.mark.slow
@pytest.mark.anyio
async def test_the_work_grows_with_the_documents_not_with_those_that_wait(
    server: Server, place: Place, tmp_path: Path
) -> None:
    """A look for each new document; the whole list once a minute; windows are cut when new and when answered."""
    server.script = homes
    assert server.batches is not None
    count = 12
    async with open_store(tmp_path / "memory") as store:
        memory = EvolvingMemory(
            store, None, BundledEmbedder(), LLMExtractor(place.gateway, LLMExtractionSettings(packed=False))
        )
        await memory.start()
        home = Home(store, place)
        for number in range(count):
            await memory.store([day(number)])
            assert await home.prepare() == []
        assert (home.fact_service.listed, home.fact_service.cut) == (count, count)
        assert await home.look() == []
        assert (home.fact_service.listed, home.fact_service.cut) == (2 * count, count)
        server.batches.work()
        done = 0
        found = await home.look()
        while found:
            done += (await home.fact_service.extract_documents("run", found)).documents
            found = await home.prepare()
        assert (done, await home.fact_service.pending_extraction_count()) == (count, 0)
        assert (home.fact_service.listed, home.fact_service.cut) == (3 * count, 2 * count)
    assert server.prompts() == []


@pytest.mark.slow
@pytest.mark.anyio
async def test_what_changed_while_it_waited_is_sent_as_a_batch_too(
    server: Server, place: Place, tmp_path: Path
) -> None:
    """And a document that cannot be read does not stand in the way of the others."""
    server.script = homes
    assert server.batches is not None
    async with open_store(tmp_path / "memory") as store:
        memory = EvolvingMemory(
            store, None, BundledEmbedder(), LLMExtractor(place.gateway, LLMExtractionSettings(packed=False))
        )
        await memory.start()
        home = Home(store, place)
        await memory.store([day(0), day(1), day(2)])
        assert await home.prepare() == []
        await memory.store([day(1, "Rome")])
        server.batches.work()
        first, third = await home.look()
        assert await home.prepare(without={first}) == [third]
        assert await home.fact_service.extract_documents("run", [first, third]) == ExtractionReport(2, 2, 2, 1)
        assert await home.prepare() == []
        server.batches.work()
        (second,) = await home.look()
        assert (await home.fact_service.extract_documents("run", [second])).documents == 1
        assert await home.fact_service.pending_extraction_count() == 0
    assert server.prompts() == []


@pytest.mark.anyio
@pytest.mark.slow
async def test_batches_under_way_are_taken_when_the_endpoint_offers_no_more(
    server: Server, place: Place, tmp_path: Path
) -> None:
    """What is new is read directly."""
    server.script = homes
    batches = server.batches
    assert batches is not None
    async with open_store(tmp_path / "memory") as store:
        memory = EvolvingMemory(
            store, None, BundledEmbedder(), LLMExtractor(place.gateway, LLMExtractionSettings(packed=False))
        )
        await memory.start()
        home = Home(store, place)
        await memory.store([day(0)])
        assert await home.prepare() == []
        assert await place.batches.under_way() == 1
        server.batches = None
        await memory.store([day(1, "Rome")])
        assert await home.reading.prepare("run", 5, ()) is None
        assert await place.batches.under_way() == 1
        server.batches = batches
        batches.work()
        assert await home.reading.prepare("run", 5, ()) is None
        assert await place.batches.under_way() == 1
        home.reading.pause = 0
        assert await home.reading.prepare("run", 5, ()) is None
        assert await place.batches.under_way() == 0


@pytest.mark.anyio
async def test_a_spent_budget_stops_the_asking_until_the_next_look(
    server: Server, store: LLMStore, tmp_path: Path
) -> None:
    """Nothing is asked directly, and all of it is asked when there is room again."""
    server.script = homes
    assert server.batches is not None
    poor = LedgerSettings({"small-model": Price(1.0, 1.0)}, Limit(money=1e-9))
    place = Place(server, store, ledger=poor)
    async with open_store(tmp_path / "memory") as indexed:
        memory = EvolvingMemory(
            indexed, None, BundledEmbedder(), LLMExtractor(place.gateway, LLMExtractionSettings(packed=False))
        )
        await memory.start()
        home = Home(indexed, place)
        await memory.store([day(0), day(1)])
        assert await home.look() == []
        assert "budget" in home.reading.trouble
        rich = Place(server, store)
        home = Home(indexed, rich)
        assert await home.look() == []
        assert home.reading.trouble == ""
        server.batches.work()
        assert len(await home.look()) == 2
        await rich.model.aclose()
    await place.model.aclose()
    assert server.prompts() == []
