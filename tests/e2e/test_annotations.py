"""Keywords and links of messages by the real daemon: made while it serves, shown, undone, and gone when switched off."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memd.tests.e2e.conftest import write_chat
from memd.tests.llm.test_annotating import answering, oracle
from memd.tests.openai_server.server import Server

if TYPE_CHECKING:
    from memd.tests.e2e.conftest import Memd

pytestmark = pytest.mark.usefixtures("vectors")


def until(check: Callable[[], object]) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + 60
    while not check():
        assert time.monotonic() < deadline
        time.sleep(0.2)


def raised_by(memd: Memd, word: str) -> set[str]:
    """The messages whose place a word's letters raise."""
    hits = memd.json("query", word, "-k", "5", "--explain")["hits"]
    return {hit["text"] for hit in hits if hit["explain"]["shares"].get("lexical", 0) > 0}


def test_a_daemon_annotates_what_is_stored(memd: Memd, tmp_path: Path) -> None:
    """A message is found by a keyword that it does not hold, `memd show` tells keywords and links, `memd undo` takes them
    back, and a start without the setting deletes them; without a model the setting is refused.
    """
    chat = write_chat(
        tmp_path / "WhatsApp Chat with Bob.txt", [("Ann", "hello you there"), ("Bob", "the pump is broken")]
    )
    assert memd("ingest", str(chat), "--me", "Ann").returncode == 0
    (hit, *_) = memd.json("query", "pump")["hits"]
    memd.environment |= {"MEMD_EVOLUTION_NOTES": "true", "MEMD_FACTS_EXTRACTOR": "rules"}
    assert b"evolution.notes" in memd("query", "pump").stderr
    with Server(script=answering(oracle)) as server:
        memd.environment |= {
            "MEMD_LLM_MODEL": "small-model",
            "MEMD_LLM_BASE_URL": server.base_url,
            "MEMD_LLM_API_KEY_ENV": "",
        }
        daemon = memd.start("serve")
        memd.until_served(daemon)
        until(lambda: raised_by(memd, "quagmire") == {"the pump is broken"})
        annotation = memd.json("show", hit["id"])["annotation"]
        assert annotation["keywords"] == ["quagmire"]
        assert b"keywords: quagmire" in memd("show", hit["id"]).stdout
        assert {each["purpose"] for each in memd.json("audit")["sent"]} == {"annotate"}
        done = memd("undo", annotation["run"], "--facts", "--json")
        assert json.loads(done.stdout)["believed"] is False
        assert raised_by(memd, "quagmire") == set()
        assert "annotation" not in memd.json("show", hit["id"])
        assert memd("undo", annotation["run"], "--facts").returncode == 0
        assert raised_by(memd, "quagmire") == {"the pump is broken"}
        daemon.send_signal(signal.SIGTERM)
        daemon.communicate(timeout=60)
    memd.environment["MEMD_EVOLUTION_NOTES"] = "false"
    daemon = memd.start("serve")
    memd.until_served(daemon)
    assert "annotation" not in memd.json("show", hit["id"])
    assert raised_by(memd, "quagmire") == set()
