"""What is known, by the real commands: facts without any model and with one, history, undo, people, answers in words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from memd.tests.e2e.conftest import write_chat
from memd.tests.llm.places import homes
from memd.tests.openai_server.chat import prompt_of
from memd.tests.openai_server.faults import BROKEN
from memd.tests.openai_server.server import CHAT, Server

if TYPE_CHECKING:
    from memd.tests.e2e.conftest import Memd

TALK = [
    ("Ann", "I live in Oslo, near the harbour"),
    ("Ben", "I live in Rome"),
    ("Ann", "my card is 4111 1111 1111 1111, do not tell"),
    ("Ben", "I moved house: now I live in Milan"),
]


@pytest.fixture
def model(memd: Memd) -> Iterator[Server]:
    """A language model of ours, which the settings name."""

    def script(request: Any) -> Any:
        if "sentences" in json.dumps(request.get("response_format", {})) + request["messages"][0]["content"]:
            lines = [line for line in prompt_of(request).splitlines() if "Milan" in line]
            number = int("".join(filter(str.isdigit, lines[0].partition("|")[0])) or 1) if lines else 0
            said = [{"text": "Ben lives in Milan.", "lines": [number]}, {"text": "He is a spy.", "lines": [99]}]
            return {"found": bool(lines), "sentences": said if lines else []}
        return homes(request)

    with Server(script=script) as server:
        memd.environment |= {
            "MEMD_LLM_MODEL": "small-model",
            "MEMD_LLM_BASE_URL": server.base_url,
            "MEMD_LLM_API_KEY_ENV": "",
            "MEMD_LLM_LOCAL_ONLY": "true",
        }
        yield server


def told(memd: Memd, *words: str) -> set[tuple[str, str]]:
    """Status and value of what is known."""
    return {
        (fact.get("status", "active"), fact["value"]) for fact in memd.json("facts", "--status", "all", *words)["facts"]
    }


def test_a_question_for_facts_that_cannot_be_says_so(memd: Memd, tmp_path: Path) -> None:
    """An attribute, a reason or a run that does not exist is no empty answer; the nearest name is told."""
    memd.until_served(memd.start("serve"))
    chat = write_chat(tmp_path / "WhatsApp Chat with Two.txt", [TALK[0]])
    assert memd.json("ingest", str(chat), "--me", "Ann")["outcome"] == "ok"
    for words, code, hint in (
        (("--attribute", "hom"), 7, b"did you mean home?"),
        (("--attribute", "zzzzzz"), 7, b"birthday"),
        (("--rejected", "--run", "nope"), 7, b"memd runs"),
        (("--rejected", "--run", ""), 2, b"memd runs"),
        (("--rejected", "--reason", "questio"), 2, b"did you mean question?"),
    ):
        done = memd("facts", *words)
        assert (done.returncode, hint in done.stderr) == (code, True), done.stderr
    assert memd.json("facts", "--attribute", "diet")["facts"] == []
    assert memd.json("facts", "--rejected", "--reason", "question")["refused"] == []
    run = memd.json("runs")["runs"][0]["run"]
    assert memd.json("facts", "--rejected", "--run", run)["refused"] == []


def test_facts_without_any_model(memd: Memd, tmp_path: Path) -> None:
    """Superseded by a later message, with its history; undone and believed again; shown with people."""
    memd.until_served(memd.start("serve"))
    chat = write_chat(tmp_path / "WhatsApp Chat with Two.txt", [TALK[0], TALK[1], ("Ben", "I live in Milan now")])
    run = memd.json("ingest", str(chat), "--me", "Ann")["run"]
    homes_of_ben = told(memd, "--subject", "Ben", "--attribute", "home")
    assert homes_of_ben == {("superseded", "Rome"), ("active", "Milan")}
    (milan,) = memd.json("facts", "--subject", "ben", "--attribute", "home")["facts"]
    assert milan["evidence"][0]["quote"] in "I live in Milan now"
    versions = memd.json("history", milan["id"])["versions"]
    assert {version["value"] for version in versions} == {"Rome", "Milan"}
    assert ("ADD", "supersedes “Rome”") in {(version["action"], version["reason"]) for version in versions}
    assert "supersedes “Rome”".encode() in memd("history", milan["id"]).stdout
    undone = memd.json("undo", milan["id"])
    assert (undone["believed"], undone["statements"]) == (False, 1)
    assert told(memd, "--subject", "Ben", "--attribute", "home") == {("active", "Rome")}
    assert memd.json("undo", milan["id"])["believed"]
    assert told(memd, "--subject", "Ben", "--attribute", "home") == homes_of_ben
    of_run = memd.json("undo", run, "--facts")  # the run that `memd status` shows
    assert (of_run["believed"], of_run["statements"]) == (False, 3)
    assert memd.json("undo", run, "--facts")["believed"]
    ben = memd.json("people", "be")
    assert (ben["messages"], ben["contacts"][0]["name"]) == (2, "Ann")
    answer = memd.json("query", "where does Ben live?")
    assert "Milan" in {fact["value"] for fact in answer["facts"]}
    both = memd.json("query", "where does Ben live?", "--superseded")
    assert {"Milan", "Rome"} <= {fact["value"] for fact in both["facts"]}
    assert memd.json("query", "where does Ben live?", "--as-of", "1999-01-01")["facts"] == []
    shown = memd("query", "where does Ben live?").stdout.splitlines()
    assert (b"words alone" in shown[0], shown[1:3]) == (True, [b"said:", b"Ben lives in Milan."])
    assert memd("history", "nothing").returncode == 7
    assert memd("people", "Nobody").returncode == 7
    refused = memd("ask", "where does Ben live?")
    assert (refused.returncode, b"memd llm setup" in refused.stderr) == (2, True)
    assert memd.json("audit")["sent"] == []
    memd.json("forget", "--speaker", "Ben", "--yes")
    assert told(memd) == {("active", "Oslo, near the harbour")} or told(memd) == {("active", "Oslo")}


def test_what_undoing_a_fact_would_change(memd: Memd, tmp_path: Path) -> None:
    """A dry run tells what would change and changes nothing; the beginning of an id will do where it means nothing else."""
    memd.until_served(memd.start("serve"))
    chat = write_chat(tmp_path / "WhatsApp Chat with Two.txt", [TALK[1], ("Ben", "I live in Milan now")])
    run = memd.json("ingest", str(chat), "--me", "Ben")["run"]
    (milan,) = memd.json("facts", "--attribute", "home")["facts"]
    before = told(memd)
    for words in ((milan["id"][:9],), (run[:9], "--facts")):
        planned = memd("undo", *words, "--dry-run")
        assert b"would change" in planned.stderr
        assert b"nothing was changed" in planned.stderr
        assert told(memd) == before
    plan = memd.json("undo", milan["id"][:9], "--dry-run")
    assert (plan["dry_run"], plan["id"], plan["statements"]) == (True, milan["id"], 1)
    assert {fact["value"] for fact in plan["facts"]} == {"Rome", "Milan"}
    done = memd.json("undo", milan["id"][:9])
    assert [fact["value"] for fact in done["facts"]] == [fact["value"] for fact in plan["facts"]]
    assert told(memd) == {("active", "Rome")}
    assert memd.json("undo", milan["id"][:9])["believed"]
    assert memd.json("undo", run[:9], "--facts")["statements"] == 2
    shown = memd("facts")
    assert (b"memd ingest" in shown.stderr, b"2 statements undone" in shown.stderr) == (False, True)
    assert memd.json("undo", run[:9], "--facts")["believed"]
    short = memd("undo", milan["id"][:3])
    assert (short.returncode, b"4 characters" in short.stderr) == (7, True)
    assert b"4 characters" in memd("history", milan["id"][:3]).stderr
    assert memd("undo", "").returncode == 7


@pytest.mark.wheel
def test_facts_and_answers_by_a_model(memd: Memd, model: Server, tmp_path: Path) -> None:
    """Read once, cited, without secrets; a second ingest asks nothing; what was sent can be seen and goes with its words."""
    chat = write_chat(tmp_path / "WhatsApp Chat with Two.txt", TALK)
    memd.json("ingest", str(chat), "--me", "Ann")
    assert ("active", "Milan") in told(memd)
    assert {fact.get("sentiment") for fact in memd.json("facts")["facts"]} == {0.5}
    (document,) = memd.json("documents")["documents"]
    summaries = memd.json("show", document["id"])["summaries"]
    assert [each["text"] for each in summaries] == document["summaries"]
    calls = len(model.requests)
    assert calls
    memd.json("ingest", str(chat), "--me", "Ann")
    memd.json("stats")
    assert len(model.requests) == calls
    sent = memd.json("audit")["sent"]
    assert sent
    texts = " ".join(each["text"] for each in sent)  # times and ports beside them hold any four digits
    assert ("[card-1]" in texts, "4111" in texts) == (True, False)
    latest = memd.json("audit", "--limit", "1")
    assert latest["sent"] == sent[:1]
    assert memd.json("audit", "--before", str(latest["next"]))["sent"] == sent[1:] != sent
    assert memd.json("audit", "--spent", "model")["totals"][0]["calls"] == calls
    answer = memd.json("ask", "where does Ben live now?")
    assert [sentence["text"] for sentence in answer["answer"]] == ["Ben lives in Milan."]
    cited = {hit["id"]: hit["text"] for hit in answer["hits"]}
    assert "Milan" in cited[answer["answer"][0]["ids"][0]]
    assert answer["dropped"] == 1
    assert memd("ask", "what is the capital of Peru?", "--speaker", "Nobody").returncode == 7
    del memd.environment["MEMD_LLM_MODEL"]  # what was sent stays to be seen, whatever the settings say later
    assert len(memd.json("audit")["sent"]) > len(sent)
    assert memd.json("audit", "--spent", "model")["totals"][0]["calls"] > calls
    memd.json("forget", "--source", "whatsapp", "--yes")
    assert memd.json("audit")["sent"] == []
    held = b"".join(path.read_bytes() for path in memd.data.rglob("*") if path.is_file())
    assert b"harbour" not in held
    assert b"Milan" not in held


def test_a_model_that_is_away_loses_nothing(memd: Memd, model: Server, tmp_path: Path) -> None:
    """Words and messages are there; what is unread is read when the model is back."""
    model.fail_always(BROKEN, CHAT)
    chat = write_chat(tmp_path / "WhatsApp Chat with Two.txt", TALK)
    done = memd("ingest", str(chat), "--me", "Ann", "--json", seconds=120)
    assert json.loads(done.stdout)["added"] == len(TALK)
    assert memd.json("query", "harbour")["hits"]
    assert memd.json("facts")["unread"] == 1
    model.heal()
    memd.json("ingest", str(chat), "--me", "Ann")
    assert ("active", "Milan") in told(memd)
