"""A model that babbles, by the real commands: it is told in one line and asked no more, the rules read, and a test or other settings ask again."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from memd.memory.extraction.llm_prompt import WORDINGS
from memd.memory.llm.usefulness import MOST_USELESS
from memd.tests.e2e.conftest import write_chat
from memd.tests.e2e.test_model_faults import readers
from memd.tests.llm.places import homes
from memd.tests.openai_server.server import Server

if TYPE_CHECKING:
    from memd.tests.e2e.conftest import Memd

NUMBER = 30
CONCURRENCY = 2
MOST_CALLS = 2 * (MOST_USELESS + CONCURRENCY - 1)
"""Each window takes one repair; those under way when the bound is met are waited for."""
_EXAMPLE = json.loads(re.findall(r'^\{"facts".*', WORDINGS["full"].system, re.MULTILINE)[-1])


def _copies_example(_: Any) -> Any:
    return _EXAMPLE


def _copies_a_reported_example(_: Any) -> Any:
    fact = {**_EXAMPLE["facts"][0], "lines": [2], "speaker": "", "subject": "I", "mode": "reported"}
    return {**_EXAMPLE, "facts": [{**fact, "quote": "I live in Rome", "value": "Rome"}]}


def _miscites(request: Any) -> Any:
    answer = homes(request)
    return {**answer, "facts": [{**fact, "quote": "I have lived in Atlantis"} for fact in answer["facts"]]}


def _prose(_: Any) -> Any:
    return "As a large language model I like to talk about this and that."


BABBLE: dict[str, Callable[[Any], Any]] = {
    "the example of the prompt": _copies_example,
    "an example of a trap": _copies_a_reported_example,
    "quotes that nobody said": _miscites,
    "no JSON": _prose,
}


@pytest.fixture
def model(memd: Memd) -> Iterator[Server]:
    """A model that the settings name."""
    with Server() as server:
        memd.environment |= {
            "MEMD_LLM_MODEL": "qwen3:0.6b",
            "MEMD_LLM_BASE_URL": server.base_url,
            "MEMD_LLM_API_KEY_ENV": "",
            "MEMD_LLM_CONFIRM": "false",
            "MEMD_LLM_CONCURRENCY": str(CONCURRENCY),
        }
        yield server


@pytest.fixture
def chats(tmp_path: Path) -> Path:
    """More chats than a model that babbles is asked about."""
    folder = tmp_path / "chats"
    folder.mkdir()
    for number in range(NUMBER):
        said = [("Ann", "hello you"), (f"Bob the {number}th", "I live in Graz, see")]
        write_chat(folder / f"WhatsApp Chat with {number}.txt", said)
    return folder


@pytest.mark.parametrize("kind", BABBLE)
def test_a_model_that_babbles_is_told_and_asked_no_more(memd: Memd, model: Server, chats: Path, kind: str) -> None:
    """After a bounded number of calls, also by later commands; everything is read by the rules. Other settings ask again."""
    model.script = BABBLE[kind]
    assert b"and is asked no more: `memd llm setup`" in memd("ingest", str(chats), "--me", "Ann").stderr
    calls = len(model.requests)
    assert MOST_USELESS <= calls <= MOST_CALLS
    status = memd.json("status")
    assert re.fullmatch(r"qwen3:0.6b gave no usable answer in (\d+) of \1 windows", status["reading"]["stopped"])
    assert "model" in status["degraded"]
    (line,) = [line for line in memd("status").stdout.decode().splitlines() if "gave no usable answer" in line]
    assert "qwen3:0.6b gave no usable answer" in line
    assert set(readers(memd).values()) == {"rules"}
    assert len(memd.json("facts", "--status", "all", "-k", "100")["facts"]) == NUMBER
    memd("ingest", str(chats), "--me", "Ann")
    daemon = memd.start("serve")
    memd.until_served(daemon)
    assert memd.json("health")["degraded"] == ["model"]
    assert memd("health", "--strict").returncode == 6
    daemon.terminate()
    daemon.wait(60)
    assert len(model.requests) == calls
    model.script = homes
    memd.environment["MEMD_LLM_MODEL"] = "larger"
    memd.json("ingest", str(chats), "--me", "Ann")
    assert set(readers(memd).values()) == {"llm"}
    assert memd.json("status")["reading"]["stopped"] == ""


def test_a_model_that_is_of_use_now_and_then_is_asked_on(memd: Memd, model: Server, chats: Path) -> None:
    """Every third answer is of use."""
    calls = 0

    def mixed(request: Any) -> Any:
        nonlocal calls
        calls += 1
        return _miscites(request) if calls % 3 else homes(request)

    model.script = mixed
    memd.json("ingest", str(chats), "--me", "Ann")
    assert memd.json("status")["reading"]["stopped"] == ""
    assert len(model.requests) == NUMBER
