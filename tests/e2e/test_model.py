"""A model that costs something, by the real commands: batches, budgets, estimates, and what is never sent."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from memd.tests.e2e.conftest import write_chat
from memd.tests.llm.places import homes
from memd.tests.openai_server.server import Server

if TYPE_CHECKING:
    from memd.tests.e2e.conftest import Memd

CITIES = ("Oslo", "Rome", "Kiel")
READ: dict[str, Any] = {
    "unread": 0,
    "batches": 0,
    "trouble": "",
    "by_rules": 0,
    "stopped": "",
    "unreadable": [],
    "given_up": 0,
}
"""Of a status: nothing is left to read."""


@pytest.fixture
def model(memd: Memd) -> Iterator[Server]:
    """A language model of ours with a price, which the settings name."""
    with Server(script=homes) as server:
        memd.environment |= {
            "MEMD_LLM_MODEL": "small-model",
            "MEMD_LLM_BASE_URL": server.base_url,
            "MEMD_LLM_API_KEY_ENV": "",
            "MEMD_LLM_PRICE_PROMPT": "1000",
            "MEMD_LLM_PRICE_COMPLETION": "1000",
            "MEMD_LLM_BATCH_POLL_S": "0.2",
            "MEMD_LLM_CONFIRM": "false",  # each call here is one that reads
        }
        yield server


@pytest.fixture
def chats(tmp_path: Path) -> Path:
    """Three chats, each of them one window."""
    folder = tmp_path / "chats"
    folder.mkdir()
    for city in CITIES:
        write_chat(
            folder / f"WhatsApp Chat with {city}.txt",
            [("Ann", "hello you"), (f"Bob of {city}", f"I live in {city}, see")],
        )
    return folder


def values(memd: Memd) -> set[str]:
    """What is known of homes."""
    return {fact["value"] for fact in memd.json("facts", "--status", "all")["facts"]}


def ingest(memd: Memd, *paths: Path) -> Any:
    """The summary, whatever the outcome."""
    done = memd("ingest", *map(str, paths), "--me", "Ann", "--json")
    return json.loads(done.stdout)


def lines_of(server: Server) -> list[str]:
    """Every line of every batch that was ordered, by its id."""
    return [
        json.loads(line)["custom_id"]
        for request in server.requests
        if (request.method, request.path) == ("POST", "/v1/files")
        for line in bytes(request.body).splitlines()
        if line.startswith(b'{"custom_id"')
    ]


def until(memd: Memd, unread: int) -> None:
    """Wait until so many documents are unread."""
    deadline = time.monotonic() + 30
    while (now := memd.json("status")["reading"])["unread"] != unread:
        assert time.monotonic() < deadline, now
        time.sleep(0.2)


@pytest.mark.slow
def test_a_batch_outlives_the_process_that_sent_it(memd: Memd, model: Server, chats: Path) -> None:
    """Sent once, waited for by nobody, found again after kill -9 and by the next command, at half the price."""
    memd.environment["MEMD_LLM_BATCH"] = "true"
    assert model.batches is not None
    daemon = memd.start("serve")
    memd.until_served(daemon)
    told = ingest(memd, chats)
    assert (told["added"], told["reading"]["unread"], told["reading"]["batches"]) == (6, 3, 1)
    assert memd.json("status")["reading"] == {**READ, "unread": 3, "batches": 1}
    daemon.send_signal(signal.SIGKILL)
    daemon.wait(timeout=60)
    assert ingest(memd, chats)["reading"]["batches"] == 1
    daemon = memd.start("serve")
    memd.until_served(daemon)
    assert values(memd) == set()
    model.batches.work()
    until(memd, 0)
    assert values(memd) == set(CITIES)
    assert len(lines_of(model)) == len(set(lines_of(model))) == 3
    assert model.prompts() == []
    (total,) = memd.json("audit", "--spent", "model")["totals"]
    tokens = total["prompt_tokens"] + total["completion_tokens"]
    assert (total["calls"], total["money"]) == (3, pytest.approx(tokens * 0.0005))
    assert memd.json("status")["reading"]["batches"] == 0


def test_single_commands_send_and_take_in_a_batch(memd: Memd, model: Server, chats: Path) -> None:
    """Without a daemon; a line that failed is asked directly, the others are not asked again."""
    memd.environment["MEMD_LLM_BATCH"] = "true"
    assert model.batches is not None
    done = memd("ingest", str(chats), "--me", "Ann")
    assert b"3 documents to be read for facts when 1 batch" in done.stderr
    model.batches.work("expired", skip=lambda body: "Kiel" in json.dumps(body))
    assert ingest(memd, chats)["reading"] == READ
    assert values(memd) == set(CITIES)
    assert (len(lines_of(model)), len(model.prompts())) == (3, 1)


@pytest.mark.slow
def test_without_batches_at_the_endpoint_everything_is_asked_directly(memd: Memd, model: Server, chats: Path) -> None:
    """And nothing is waited for."""
    memd.environment["MEMD_LLM_BATCH"] = "true"
    model.batches = None
    assert ingest(memd, chats)["reading"]["unread"] == 0
    assert values(memd) == set(CITIES)
    assert len(model.prompts()) == 3


@pytest.mark.slow
def test_an_estimate_is_near_and_changes_nothing(memd: Memd, model: Server, chats: Path) -> None:
    """Calls, tokens, money; nothing sent, nothing stored; what was answered before costs nothing."""
    before = memd.json("ingest", str(chats), "--me", "Ann", "--estimate")
    assert (before["messages"], before["windows"], before["calls"], before["known"]) == (6, 3, 3, 0)
    assert before["money"] == pytest.approx((before["prompt_tokens"] + before["completion_tokens"]) * 0.001)
    assert before["money_by_batch"] == pytest.approx(before["money"] / 2)
    assert not model.requests
    assert not memd.data.exists() or not list(memd.data.iterdir())
    ingest(memd, chats)
    (total,) = memd.json("audit", "--spent", "model")["totals"]
    assert total["calls"] == before["calls"]
    after = memd.json("ingest", str(chats), "--me", "Ann", "--estimate")
    assert (after["known"], after["calls"], after["money"]) == (3, 0, 0)
    shown = memd("ingest", str(chats), "--me", "Ann", "--estimate").stdout
    assert b"of these 3 answered before" in shown
    memd.environment["MEMD_LLM_MODEL"] = ""
    assert b"no language model reads" in memd("ingest", str(chats), "--estimate").stdout


@pytest.mark.slow
def test_a_spent_budget_is_told_and_the_next_run_goes_on(memd: Memd, model: Server, chats: Path) -> None:
    """Nothing over the budget is asked; messages are stored all the same; a larger budget, and only the rest is asked."""
    memd.environment["MEMD_LLM_CALLS_PER_DAY"] = "2"
    memd.environment["MEMD_LLM_CONCURRENCY"] = "1"
    told = ingest(memd, chats)
    assert (told["outcome"], told["added"], told["reading"]["unread"]) == ("ok", 6, 3)
    assert told["reading"]["trouble"] == "the budget of today is spent"
    assert len(model.prompts()) == 2
    assert b"the budget of today is spent" in memd("ingest", str(chats), "--me", "Ann").stderr
    assert len(model.prompts()) == 2
    memd.environment["MEMD_LLM_CALLS_PER_DAY"] = "3"
    assert ingest(memd, chats)["reading"] == READ
    assert values(memd) == set(CITIES)
    assert len(model.prompts()) == len(set(model.prompts())) == 3


@pytest.mark.usefixtures("model")
def test_a_budget_in_money_wants_a_price(memd: Memd) -> None:
    """Said at once, with what to set."""
    memd.environment["MEMD_LLM_MONEY_PER_DAY"] = "1"
    del memd.environment["MEMD_LLM_PRICE_PROMPT"]
    done = memd("stats")
    assert done.returncode == 2
    assert b"llm.price_prompt" in done.stderr


@pytest.mark.slow
def test_of_an_opted_out_chat_nothing_is_ever_sent(memd: Memd, model: Server, tmp_path: Path) -> None:
    """By its title: neither read, nor judged, nor asked about, directly or by batch; the rules read it here."""
    chat = write_chat(
        tmp_path / "WhatsApp Chat with Secret.txt",
        [("Ann", "where do you live?"), ("Bob", "I live in Atlantis"), ("Bob", "Now I live in Lemuria")],
    )
    other = write_chat(tmp_path / "WhatsApp Chat with Open.txt", [("Ann", "hello you"), ("Bob", "I live in Rome, see")])
    Path(memd.environment["MEMD_CONFIG"]).write_text('[llm]\nkeep_conversations = ["Secret"]\n')
    for batch in ("false", "true"):
        memd.environment["MEMD_LLM_BATCH"] = batch
        ingest(memd, chat, other)
    assert {"Rome", "Lemuria"} <= values(memd)
    memd("ask", "Atlantis and Lemuria and where Bob lives")
    sent = json.dumps([repr(request.body) for request in model.requests])
    assert "Rome" in sent
    held = json.dumps(memd.json("audit")["sent"])
    for word in ("Lemuria and", "Atlantis and"):
        sent, held = sent.replace(word, ""), held.replace(word, "")  # the question's own
    assert "Atlantis" not in sent + held
    assert "Lemuria" not in sent + held
    Path(memd.environment["MEMD_CONFIG"]).write_text("")
    memd.environment["MEMD_LLM_BATCH"] = "false"
    ingest(memd, chat, other)
    asked = "".join(model.prompts())
    assert "Atlantis" in asked
    assert "earlier and a later statement" in asked  # so the pair would have been judged
