"""Document expansion: what a model proposed and no check let pass leads to the message that it cites, and says nothing itself."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memd.memory.embedding.bundled import BundledEmbedder
from memd.memory.extraction.proposal import Proposal
from memd.memory.extraction.refusal import refusal_of
from memd.memory.extraction.rejection import MISCITED, Reason
from memd.memory.extraction.window import Line, Window
from memd.memory.forgetting.selection import ForgetSelection
from memd.memory.memory import EvolvingMemory
from memd.memory.records import EXPANSION_STRATEGY
from memd.memory.store.sqlite_store import SQLiteStore
from memd.schemas import ConversationDocument, Query
from memd.schemas.fact import ExtractorInfo
from memd.schemas.keys import uuid5
from memd.tests.contracts.knowledge import day, read_all
from memd.tests.memory.test_forgetting_facts import Gossip

DAY = day(0, ("Bob", "I live in Berlin"), ("Ann", "hello there"), ("Bob", "the weather is fine"))


def _words(connection: sqlite3.Connection) -> set[str]:
    statement = "SELECT c.embed FROM chunks c JOIN makes k ON k.id = c.make WHERE k.strategy = ?"
    return {words for (words,) in connection.execute(statement, (EXPANSION_STRATEGY,))}


@pytest.mark.anyio
@pytest.mark.parametrize("by_vectors", [False, True])
async def test_a_message_is_found_by_what_was_refused_of_it(tmp_path: Path, by_vectors: bool) -> None:
    """By words alone and with vectors; never in a hit's text, among the facts, nor as a phrase that somebody said."""
    async with SQLiteStore.open(tmp_path) as backend:
        embedder = BundledEmbedder()
        memory = EvolvingMemory(backend, embedder if by_vectors else None, embedder, Gossip())
        await memory.start()
        await memory.store([DAY])
        await backend.refresh_indexes()
        question = Query(text="who owns a gondola?", limit=1, context=0)
        assert bool((await memory.query(question)).hits) == by_vectors
        await read_all(memory)
        while by_vectors and await memory.embed_pending():
            pass
        await backend.refresh_indexes()
        assert await backend.read(_words) == {"ConjectureBob owns a gondola in Berlin"}
        (hit,) = (await memory.query(question)).hits
        assert hit.text == "I live in Berlin"
        found = await memory.query(question.model_copy(update={"limit": 10, "superseded": True}))
        assert "gondola" not in found.model_copy(update={"query": ""}).model_dump_json()
        assert not (await memory.query(Query(text='"owns a gondola"'))).hits
        assert [each.detail for each in await memory.check() if each.severity != "ok"] == []


def with_ids(city: str) -> ConversationDocument:
    """A day of which the first message was edited, if it names another city than before."""
    body = day(0, ("Bob", f"I live in {city}"), ("Ann", "hello there")).model_dump()
    for number, message in enumerate(body["conversation"]["conversation"]):
        message["id"] = f"m{number}"
    return ConversationDocument.model_validate(body)


@pytest.mark.anyio
async def test_they_go_with_what_they_rest_on(tmp_path: Path) -> None:
    """An edited message has those of its new words; one that is forgotten has none."""
    async with SQLiteStore.open(tmp_path) as backend:
        memory = EvolvingMemory(backend, None, BundledEmbedder(), Gossip())
        await memory.start()
        await memory.write([with_ids("Berlin")])
        await read_all(memory)
        assert await backend.read(_words) == {"ConjectureBob owns a gondola in Berlin"}
        await memory.write([with_ids("Rome")])
        await read_all(memory)
        assert await backend.read(_words) == {"ConjectureBob owns a gondola in Rome"}
        await memory.forget(await memory.plan_forget(ForgetSelection(people=("Bob",))))
        assert await backend.read(_words) == set()
        await read_all(memory)
        assert await backend.read(_words) == set()
        assert [each.detail for each in await memory.check() if each.severity == "error"] == []


@pytest.mark.parametrize("reason", Reason)
def test_only_a_model_that_cites_rightly_expands(reason: Reason) -> None:
    """Rules say nothing that the lines do not say, and of a wrong citation nobody knows what it speaks of."""
    moment = datetime(2024, 1, 15, tzinfo=UTC)
    line = Line(1, uuid5("message", "1"), "1", "Bob", "I live in Berlin", moment)
    window = Window(uuid5("document", "1"), "1", "chat", "", "Ann", ("Ann", "Bob"), (line,))
    proposal = Proposal(
        lines=(1,), subject="Bob", attribute="home", value="Rome", content="Bob lives in Rome.", quote="I live in"
    )
    by_model = refusal_of(proposal, reason, window, ExtractorInfo(name="llm", model="small"))
    assert by_model.expands == (() if reason in MISCITED else (str(line.message),))
    assert refusal_of(proposal, reason, window, ExtractorInfo(name="rules")).expands == ()
