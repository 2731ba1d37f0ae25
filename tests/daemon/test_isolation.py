"""A document at which something unforeseen fails keeps no other from being stored, embedded or read for facts."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from memd.daemon.service.requests import DeadLettersRequest, FactsRequest
from memd.memory.extraction.extractor import Extraction
from memd.memory.extraction.rules.engine import RulesExtractor
from memd.memory.extraction.window import Window
from memd.memory.memory import EvolvingMemory
from memd.schemas import ConversationDocument, Document, Query, StoreReport
from memd.tests.daemon.house import Letters, note
from memd.tests.daemon.interruptions import PRIVATE, PanicException, findings, hasten, ingest, opened, until

pytestmark = pytest.mark.anyio
POISON = "poison"


@pytest.fixture(autouse=True)
def hastened(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pauses that a test can wait for."""
    hasten(monkeypatch)


def said(name: str, *words: str, time: datetime = datetime(2024, 1, 15, 12, tzinfo=UTC)) -> ConversationDocument:
    """A conversation in which Bob says these words."""
    lines = [{"speaker": "Bob", "content": each, "time": time} for each in words]
    body = {"source": "tests", "people": ["Ann", "Bob"], "user": "Ann", "conversation": lines}
    return ConversationDocument.model_validate({"id": name, "conversation": body})


async def test_a_document_that_makes_an_extension_panic_becomes_a_dead_letter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The others are stored, the run ends, and what was given up is listed; nothing private is logged."""
    write = EvolvingMemory.write

    async def panicking(memory: EvolvingMemory, documents: Sequence[Document], *more: Any) -> StoreReport:
        if any(POISON in document.content for document in documents):
            raise PanicException(PRIVATE)
        return await write(memory, documents, *more)

    monkeypatch.setattr(EvolvingMemory, "write", panicking)
    async with opened(tmp_path / "d") as service:
        last = await ingest(service, note("a", "well"), note("b", POISON), note("c", "well too"))
        assert (last.outcome, last.added, last.failed) == ("partial", 2, 1)
        (letter,) = (await service.letters.listing(DeadLettersRequest()))["dead_letters"]
        assert (letter["document_id"], letter["reason"]) == ("note:b", "PanicException")
        assert service.health()["status"] == "ok"
    assert "PanicException" in caplog.text
    assert PRIVATE not in caplog.text


@pytest.mark.slow
async def test_a_document_that_cannot_be_read_for_facts_is_listed_and_the_others_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It is told by status, health and doctor and logged once; when reading it works again, all is told to be well."""
    caplog.set_level(logging.WARNING, "memd")
    read = RulesExtractor.read
    healed = False

    def failing(extractor: RulesExtractor, window: Window) -> Extraction:
        if not healed and any(POISON in line.text for line in window.lines):
            raise OverflowError(PRIVATE)
        return read(extractor, window)

    monkeypatch.setattr(RulesExtractor, "read", failing)
    async with opened(tmp_path / "d") as service:
        bad = said("bad", f"I live in Rome, {POISON}.", "I live in Rome.")
        assert (
            await ingest(service, said("one", "I live in Oslo."), bad, said("two", "My dog is Rex."))
        ).outcome == "ok"
        assert (await ingest(service, said("three", "I work at Acme."))).outcome == "ok"
        status = await service.status()
        assert status["reading"]["unread"] == 1
        (unreadable,) = status["reading"]["unreadable"]
        assert unreadable["id"] == "bad"
        assert unreadable["error"].startswith("OverflowError at tests/daemon/test_isolation.py:")
        assert "facts" in status["degraded"]
        assert service.health()["status"] == "degraded"
        found = await findings(service)
        assert "1 document cannot be read" in found["reading"]["detail"]
        known = {each["value"] for each in (await service.knowledge.facts(FactsRequest()))["facts"]}
        assert {"Oslo", "Acme"} <= known
        assert "Rome" not in known
        healed = True
        await until(lambda: service.health()["status"] == "ok")
        assert (await service.status())["reading"] == {
            "unread": 0,
            "batches": 0,
            "trouble": "",
            "by_rules": 0,
            "stopped": "",
            "unreadable": [],
            "given_up": 0,
        }
        assert "Rome" in {each["value"] for each in (await service.knowledge.facts(FactsRequest()))["facts"]}
    lines = [record for record in caplog.records if record.getMessage() == "a document cannot be read for facts"]
    assert len(lines) == 1
    assert PRIVATE not in caplog.text


async def test_a_lone_document_that_cannot_be_read_ends_its_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody waits for a reader that fails, also when there is nothing else to read."""

    def failing(_: RulesExtractor, window: Window) -> Extraction:
        raise PanicException(window.lines[0].text)

    monkeypatch.setattr(RulesExtractor, "read", failing)
    async with opened(tmp_path / "d") as service:
        assert (await ingest(service, said("bad", "I live in Rome."))).terminal
        await until(lambda: "facts" in service.health()["degraded"])
        assert "cannot be read" in (await service.reading())["trouble"]


async def test_a_text_that_cannot_be_embedded_is_found_by_its_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The texts beside it have their vectors, and the run ends."""
    embed = Letters.embed_documents

    async def failing(letters: Letters, texts: Sequence[str]) -> NDArray[np.float32]:
        if any(POISON in text for text in texts):
            raise PanicException(PRIVATE)
        return await embed(letters, texts)

    monkeypatch.setattr(Letters, "embed_documents", failing)
    async with opened(tmp_path / "d") as service:
        last = await ingest(service, note("a", "well"), note("b", f"{POISON} here"), note("c", "well too"))
        assert last.terminal
        stats = await service.stats()
        assert (stats["vectors"]["done"], stats["vectors"]["pending"]) == (2, 1)
        assert "note:b" in {hit.document_id for hit in (await service.query(Query(text=POISON))).hits}


@pytest.mark.slow
async def test_messages_at_both_ends_of_the_calendar_are_kept_read_and_shown(tmp_path: Path) -> None:
    """Also those whose moment has no name in UTC."""
    last = datetime(9999, 12, 31, 23, 59, tzinfo=timezone(timedelta(hours=-12)))
    first = datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14)))
    words = ("I'm moving to Berlin tomorrow.", "I live in Oslo since last week.", "Next Friday I fly to Rome.")
    async with opened(tmp_path / "d") as service:
        run = await ingest(service, said("far", *words, time=last), said("old", *words, time=first))
        assert (run.outcome, run.added) == ("ok", 6)
        assert service.health()["status"] == "ok"
        assert (await service.reading())["unread"] == 0
        person = await service.knowledge.person("Bob")
        assert person["messages"] == 6
        for identifier in ("far", "old"):
            assert (await service.document(identifier))["id"] == identifier
        assert (await findings(service))["healthy"]
