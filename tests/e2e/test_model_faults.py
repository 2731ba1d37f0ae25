"""A model that answers badly, by the real commands: nothing is lost, what could not be read is listed, and read again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from memd.tests.e2e.conftest import write_chat
from memd.tests.llm.places import homes
from memd.tests.openai_server.faults import BROKEN, GARBLED, REFUSED, Fault
from memd.tests.openai_server.server import CHAT, Server

if TYPE_CHECKING:
    from memd.tests.e2e.conftest import Memd

CITIES = ("Oslo", "Rome", "Kiel")


@pytest.fixture
def model(memd: Memd, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A language model of ours, which the settings name."""
    monkeypatch.setattr("memd.memory.openai_http.failures.FIRST_PAUSE", 0.01)
    with Server(script=homes) as server:
        memd.environment |= {
            "MEMD_LLM_MODEL": "small-model",
            "MEMD_LLM_BASE_URL": server.base_url,
            "MEMD_LLM_API_KEY_ENV": "",
        }
        yield server


@pytest.fixture
def chats(tmp_path: Path) -> Path:
    """Three chats, each of them one window."""
    folder = tmp_path / "chats"
    folder.mkdir()
    for city in CITIES:
        said = [("Ann", "hello you"), (f"Bob of {city}", f"I live in {city}, see")]
        write_chat(folder / f"WhatsApp Chat with {city}.txt", said)
    return folder


def _names_kiel(body: object) -> bool:
    return "Kiel" in str(body)


def _at_kiel(fault: Fault) -> Fault:
    return replace(fault, when=_names_kiel)


def values(memd: Memd) -> set[str]:
    """What is known of homes."""
    return {fact["value"] for fact in memd.json("facts")["facts"]}


def readers(memd: Memd) -> dict[str, str]:
    """Who read each home that is known."""
    return {fact["value"]: fact["extractor"]["name"] for fact in memd.json("facts")["facts"]}


def listed(memd: Memd) -> list[dict[str, Any]]:
    """What could not be read."""
    return memd.json("retry", "--list")["windows"]


@pytest.mark.parametrize("way", ["ingest", "retry"])
def test_what_could_not_be_read_is_listed_and_read_when_the_endpoint_heals(
    memd: Memd, model: Server, chats: Path, way: str
) -> None:
    """By the next import, of whatever, or by `memd retry`; the rules read it meanwhile."""
    model.fail_always(_at_kiel(REFUSED), path=CHAT)
    memd.json("ingest", str(chats), "--me", "Ann")
    assert readers(memd) == {"Oslo": "llm", "Rome": "llm", "Kiel": "rules"}
    (window,) = listed(memd)
    assert (window["reason"], window["attempts"]) == ("refused", 1)
    assert "again_s" in window
    shown = memd("retry", "--list").stdout.decode()
    assert "refuses to read it" in shown
    assert "tried again in" in shown
    assert memd.json("status")["reading"]["unread"] == memd.json("status")["reading"]["by_rules"] == 1
    still = memd("retry", window["id"])
    assert (still.returncode, b"0 parts of conversations read for facts, 1 not" in still.stderr) == (4, True)
    model.heal()
    if way == "ingest":
        memd.json("ingest", str(chats), "--me", "Ann")
    else:
        done = memd.json("retry")
        assert (done["windows"], done["unread_windows"], done["outcome"]) == (1, 0, "ok")
    assert readers(memd) == dict.fromkeys(CITIES, "llm")
    assert listed(memd) == []
    assert memd.json("status")["reading"]["unread"] == memd.json("status")["reading"]["by_rules"] == 0
    assert b"nothing was given up" in memd("retry", "--list").stdout


def test_what_nobody_can_read_is_taken_for_read(memd: Memd, model: Server, chats: Path) -> None:
    """When somebody says so; what the rules read stays, and no command asks the model about it again."""
    model.fail_always(_at_kiel(GARBLED), path=CHAT)
    memd.json("ingest", str(chats), "--me", "Ann")
    (window,) = listed(memd)
    planned = memd.json("retry", "--discard", window["document_id"], "--dry-run")
    assert planned == {"documents": 0, "messages": 0, "windows": 1, "dry_run": True}
    assert memd.json("retry", "--discard", window["id"], "--yes")["windows"] == 1
    calls = len(model.requests)
    memd.json("ingest", str(chats), "--me", "Ann")
    assert listed(memd) == []
    assert len(model.requests) == calls
    assert readers(memd)["Kiel"] == "rules"
    assert memd.json("query", "Kiel")["hits"]


def test_an_endpoint_that_is_down_leaves_everything_to_the_next_import(memd: Memd, model: Server, chats: Path) -> None:
    """The rules read it meanwhile; the next import has the model read it all."""
    model.fail_always(BROKEN, path=CHAT)
    assert b"3 documents read for facts by rules alone" in memd("ingest", str(chats), "--me", "Ann").stderr
    assert readers(memd) == dict.fromkeys(CITIES, "rules")
    assert memd.json("status")["reading"]["unread"] == len(CITIES)
    model.heal()
    memd.json("ingest", str(chats), "--me", "Ann")
    assert readers(memd) == dict.fromkeys(CITIES, "llm")


def test_what_became_no_fact_is_listed_with_the_reason(memd: Memd, model: Server, chats: Path) -> None:
    """By reason and run, on the screen and as JSON; filters of facts do not go with it."""

    def lying(request: Any) -> Any:
        answer = homes(request)
        return {**answer, "facts": [{**fact, "value": "Atlantis"} for fact in answer.get("facts", ())]}

    model.script = lying
    run = memd.json("ingest", str(chats), "--me", "Ann")["run"]
    page = memd.json("facts", "--rejected")
    assert [each["reason"] for each in page["refused"]] == ["ungrounded-value"] * 3
    assert page["counts"] == {"ungrounded-value": 3}
    assert memd.json("facts", "--rejected", "--reason", "question")["refused"] == []
    assert len(memd.json("facts", "--rejected", "--run", run)["refused"]) == 3
    shown = memd("facts", "--rejected", "-k", "1")
    assert b"ungrounded-value: Bob of Kiel" in shown.stdout
    assert b"in all: 3 ungrounded-value" in shown.stderr
    assert b"--after" in shown.stderr
    assert memd("facts", "--rejected", "--subject", "Bob").returncode == 2
    assert memd("facts", "--reason", "question").returncode == 2
