"""`memd ask` by the real command: facts beside messages, sentences that are left out, and an answer that is not in memory."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from memd.tests.e2e.conftest import write_chat
from memd.tests.openai_server.chat import prompt_of
from memd.tests.openai_server.server import Server

if TYPE_CHECKING:
    from memd.tests.e2e.conftest import Memd

_FACT = re.compile(r"^(\d+)\| fact, said by Bob .*Oslo", re.MULTILINE)
_MESSAGE = re.compile(r"^(\d+)\| Bob [\d-]+ [\d:]+: I live in Oslo", re.MULTILINE)


@pytest.fixture
def server(memd: Memd, tmp_path: Path) -> Iterator[Server]:
    """A language model that answers as a test tells it; a chat is stored, and its facts are read by rules."""
    chat = write_chat(tmp_path / "WhatsApp Chat with Bob.txt", [("Ann", "hello you"), ("Bob", "I live in Oslo now")])
    memd("ingest", str(chat), "--me", "Ann")
    with Server() as server:
        memd.environment |= {
            "MEMD_LLM_MODEL": "small-model",
            "MEMD_LLM_BASE_URL": server.base_url,
            "MEMD_LLM_API_KEY_ENV": "",
        }
        yield server


def saying(*sentences: str, line: re.Pattern[str]) -> Any:
    """A model that says this, and cites the line of which the pattern holds."""

    def script(request: Mapping[str, Any]) -> Any:
        if "You answer a question" not in request["messages"][0]["content"]:
            return {"facts": [], "summary": ""}
        cited = line.search(prompt_of(request))
        assert cited is not None, prompt_of(request)
        return {"found": True, "sentences": [{"text": each, "lines": [int(cited[1])]} for each in sentences]}

    return script


@pytest.mark.slow
def test_a_fact_that_is_cited_leads_to_its_message(memd: Memd, server: Server) -> None:
    """The sentence has the message's number and, as JSON, the fact; a lie beside it is counted in one line."""
    server.script = saying("Bob lives in Oslo.", "Bob lives in Rome with his wife.", line=_FACT)
    done = memd("ask", "where does Bob live?")
    assert done.returncode == 0
    assert b"Bob lives in Oslo. [" in done.stdout
    assert b"Rome" not in done.stdout
    assert b"1 sentence left out: the messages that are cited do not say so" in done.stderr
    told = memd.json("ask", "where does Bob live?")
    (sentence,) = told["answer"]
    hits = {hit["id"]: hit["text"] for hit in told["hits"]}
    assert [hits[each] for each in sentence["ids"]] == ["I live in Oslo now"]
    assert sentence["facts"] == [fact["id"] for fact in told["facts"]]
    assert told["dropped"] == 1


@pytest.mark.slow
def test_an_answer_of_lies_is_not_in_memory(memd: Memd, server: Server) -> None:
    """Exit code 7, and the hits, which may tell more."""
    server.script = saying("Bob lives in Rome.", "Ann lives in Oslo.", line=_MESSAGE)
    done = memd("ask", "where does Bob live?")
    assert done.returncode == 7
    assert done.stdout.startswith(b"not in memory")
    assert b"I live in Oslo now" in done.stdout
    assert b"2 sentences left out" in done.stderr


@pytest.mark.slow
def test_a_note_of_a_source_that_is_kept_here_is_not_sent(memd: Memd, server: Server, tmp_path: Path) -> None:
    """Neither its pieces nor the question alone: the model gets the messages of others, and the answer says what was left
    out; of one that is sent, the audit log names the document.
    """
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "plan.md").write_text("# Plan\n\nBob lives in Oslo, says my note about wombats.\n")
    assert memd("ingest", str(notes)).returncode == 0
    source = next(hit["source"] for hit in memd.json("query", "wombats")["hits"] if hit["type"] == "chunk")
    server.script = saying("Bob lives in Oslo.", line=_MESSAGE)
    config = Path(memd.environment["MEMD_CONFIG"])
    config.write_text(f"[llm]\nkeep_sources = [{json.dumps(source)}]\n")
    told = memd.json("ask", "where does Bob live?")
    assert told["withheld"] >= 1
    assert all("wombats" not in prompt for prompt in server.prompts())
    config.write_text("")
    memd.json("ask", "where does Bob live, and who says so?")
    assert any("wombats" in prompt for prompt in server.prompts())
    memd("forget", "--source", source, "--yes")
    assert all("wombats" not in json.dumps(each) for each in memd.json("audit")["sent"])
