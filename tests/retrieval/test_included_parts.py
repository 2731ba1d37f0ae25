"""Answers without messages, without pieces of texts, without facts: left out inside every way of finding."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memd.memory.embedding.bundled import BundledEmbedder
from memd.memory.extraction.rules.deferred import DeferredRulesExtractor
from memd.memory.indexing.indexed_store import open_store
from memd.memory.memory import EvolvingMemory
from memd.schemas import ConversationDocument, Document, Query, TextDocument

pytestmark = pytest.mark.anyio
START = datetime(2026, 3, 2, 9, tzinfo=UTC)
QUESTIONS = (
    "pump",
    "the latest about the pump",
    "the pump in March 2026",
    "“the pump”",
    "pump from Bert",
    "note about the pump",
)


def talks() -> list[Document]:
    """Forty messages and twelve notes about a pump."""
    messages = [
        {
            "speaker": ("Bert", "Ann")[number % 2],
            "content": f"the pump again, part {number}",
            "time": START + timedelta(hours=number),
        }
        for number in range(40)
    ]
    talk = {"source": "chat", "people": ["Ann", "Bert"], "user": "Ann", "conversation": messages}
    notes = [
        TextDocument.model_validate(
            {
                "id": f"{number}.md",
                "content": f"The pump of boat {number} was bought at Jessen's.",
                "timestamp": START + timedelta(days=number),
                "metadata": {"source": "notes", "title": f"Boat {number}"},
            }
        )
        for number in range(12)
    ]
    return [ConversationDocument.model_validate({"id": "chat:1", "conversation": talk}), *notes]


@asynccontextmanager
async def opened(folder: Path, *, vectors: bool = False) -> AsyncGenerator[EvolvingMemory]:
    """The memory of these, with or without vectors."""
    embedder = BundledEmbedder()
    async with open_store(folder) as store:
        extractor = DeferredRulesExtractor()
        memory = EvolvingMemory(
            store, embedder if vectors else None, embedder, extractor, now=lambda: START + timedelta(days=30)
        )
        await memory.start()
        await memory.store(talks())
        await store.refresh_indexes()
        yield memory


@pytest.mark.slow
@pytest.mark.parametrize("vectors", [False, True])
async def test_the_limit_is_filled_with_the_type_that_is_left(tmp_path: Path, *, vectors: bool) -> None:
    """Without messages ten of twelve notes come, though forty messages match; without chunks ten messages."""
    async with opened(tmp_path, vectors=vectors) as memory:
        for text in QUESTIONS:
            notes = await memory.query(Query(text=text, include_messages=False))
            assert {hit.type for hit in notes.hits} <= {"chunk"}, text
            messages = await memory.query(Query(text=text, include_chunks=False))
            assert {hit.type for hit in messages.hits} <= {"message"}, text
            nothing = await memory.query(Query(text=text, include_chunks=False, include_messages=False))
            assert nothing.hits == ()
        for arms in ((), ("lexical",), ("vector",) if vectors else ("near",)):
            for part in ("include_messages", "include_chunks"):
                query = Query.model_validate({"text": "the pump", "arms": arms, part: False})
                assert len((await memory.query(query)).hits) == 10, (arms, part)


async def test_all_parts_are_there_by_default(tmp_path: Path) -> None:
    """With all three flags true an answer is the one without flags."""
    async with opened(tmp_path) as memory:
        for text in QUESTIONS:
            plain = await memory.query(Query(text=text, limit=60))
            flags = await memory.query(
                Query(text=text, limit=60, include_messages=True, include_chunks=True, include_knowledge=True)
            )
            assert plain.model_copy(update={"took_ms": 0.0}) == flags.model_copy(update={"took_ms": 0.0})


async def test_facts_are_left_out(tmp_path: Path) -> None:
    """The facts of an answer depend on their own flag alone, not on those of the hits."""
    line = {"speaker": "Bert", "content": "I live in Rome.", "time": START}
    talk = {"source": "chat", "people": ["Ann", "Bert"], "user": "Ann", "conversation": [line]}
    async with opened(tmp_path) as memory:
        await memory.store([ConversationDocument.model_validate({"id": "chat:2", "conversation": talk})])
        await memory.fact_service.extract_pending("run")
        await memory.indexed.refresh_indexes()
        asked = "where does Bert live?"
        assert [fact.value for fact in (await memory.query(asked)).facts] == ["Rome"]
        without = await memory.query(Query(text=asked, include_knowledge=False))
        assert without.facts == ()
        assert without.hits
        alone = await memory.query(Query(text=asked, include_messages=False, include_chunks=False))
        assert [fact.value for fact in alone.facts] == ["Rome"]
        assert alone.hits == ()
