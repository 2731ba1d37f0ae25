"""Useless answers in a row are counted and kept, and stop a model; a useful one begins anew."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memd.memory.extraction.llm import LLMExtractionSettings, LLMExtractor
from memd.memory.extraction.rules.engine import RulesExtractor
from memd.memory.llm.store import FILE, LLMStore
from memd.memory.llm.usefulness import MOST_USELESS, Usefulness
from memd.schemas.errors import ExtractionError
from memd.tests.llm.places import Place, homes, window
from memd.tests.openai_server.chat import nothing
from memd.tests.openai_server.faults import BROKEN, LONG, REFUSED, Fault
from memd.tests.openai_server.server import CHAT, Server

pytestmark = pytest.mark.anyio
SAID = (("Ann", "hello, I live in Oslo"), ("Ben", "so you moved again, did you"))
NAMES = "small-model gave no usable answer in"


def extractor_at(place: Place, usefulness: Usefulness) -> LLMExtractor:
    """One window at a time, with the rules where an answer is of no use."""
    settings = LLMExtractionSettings(concurrency=1, packed=False)
    return LLMExtractor(place.gateway, settings, RulesExtractor(), usefulness)


def _miscites(request: Any) -> Any:
    answer = homes(request)
    return {**answer, "facts": [{**fact, "lines": [99]} for fact in answer["facts"]]}


async def read(extractor: LLMExtractor, number: int) -> list[str]:
    """The makers of what one window states."""
    (extraction,) = await extractor.extract([window(*SAID, document=f"chat:{number}")])
    return [each.extractor.name for each in extraction.statements]


async def test_the_count_outlives_the_process_and_is_of_the_settings(store: LLMStore) -> None:
    """Other settings begin anew."""
    first = Usefulness(store, "m", "a")
    for _ in range(MOST_USELESS):
        first.require()
        await first.note_useless()
        first.note_empty()
    told = Usefulness(store, "m", "a").stopped
    assert told == f"m gave no usable answer in {MOST_USELESS} of {2 * MOST_USELESS - 1} windows"
    with pytest.raises(ExtractionError):
        first.require()
    assert Usefulness(store, "m", "b").stopped == ""
    await first.note_useful()
    assert first.stopped == Usefulness(store, "m", "a").stopped == ""


def test_a_file_of_the_former_format_is_taken_on(tmp_path: Path) -> None:
    """The table is added, and what was there stays."""
    store = LLMStore(tmp_path)
    store.close()
    with sqlite3.connect(tmp_path / FILE) as connection:
        connection.execute("DROP TABLE usefulness")
        connection.execute("INSERT INTO answers VALUES (x'01', 0, '{}')")
        connection.execute("PRAGMA user_version = 1")
    connection.close()
    store = LLMStore(tmp_path)
    assert Usefulness(store, "m", "a").stopped == ""
    assert store.run_here(lambda found: found.execute("SELECT count(*) FROM answers").fetchone()) == (1,)
    store.close()


@pytest.mark.slow
async def test_a_model_is_stopped_after_the_bound_and_the_rules_read_meanwhile(place: Place, server: Server) -> None:
    """Answers without a fact count for nothing; the one useful answer before them begins anew."""
    usefulness = Usefulness(place.store, "small-model", "a")
    extractor = extractor_at(place, usefulness)
    server.script = _miscites
    for number in range(MOST_USELESS - 1):
        assert await read(extractor, number) == ["rules"]
    server.script = nothing
    assert await read(extractor, 50) == []
    server.script = homes
    assert await read(extractor, 51) == ["llm"]
    server.script = _miscites
    for number in range(100, 100 + MOST_USELESS):
        assert await read(extractor, number) == ["rules"]
    calls = len(server.requests)
    with pytest.raises(ExtractionError, match=f"{NAMES} 7 of 7 windows"):
        await read(extractor, 200)
    assert len(server.requests) == calls


@pytest.mark.slow
@pytest.mark.parametrize(("fault", "counts"), [(LONG, True), (REFUSED, False), (BROKEN, False)])
async def test_what_is_not_the_models_doing_does_not_count(
    place: Place, server: Server, fault: Fault, counts: bool
) -> None:
    """An answer without an end does; a refusal and a failing endpoint do not."""
    usefulness = Usefulness(place.store, "small-model", "a")
    server.script = homes
    server.fail_always(replace(fault, when=_is_no_probe), path=CHAT)
    for number in range(MOST_USELESS):
        await read(extractor_at(place, usefulness), number)
    assert bool(usefulness.stopped) == counts


def _is_no_probe(body: object) -> bool:
    return '{"ok": true}' not in str(body).replace('\\"', '"')
