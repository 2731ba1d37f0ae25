"""One story through each door of a running daemon: store, follow, ask, list facts, forget. curl at the socket and at an address, and the
Python client; the generated client is in `tests/daemon`, an agent's in `tests/mcp`.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from collections.abc import Callable
from typing import Any

import pytest

import memd as package
from memd.schemas import ConversationDocument
from memd.tests.e2e.conftest import Memd

pytestmark = pytest.mark.slow
DOCUMENT = {
    "id": "club:1",
    "conversation": {
        "source": "club",
        "people": ["Ann", "Bob"],
        "user": "Ann",
        "conversation": [
            {"speaker": "Ann", "content": "Where do you live now?", "time": "2024-01-15T12:00:00Z"},
            {"speaker": "Bob", "content": "I live in Lisbon", "time": "2024-01-15T12:01:00Z"},
        ],
    },
}
Door = Callable[[str, str, Any], str]
"""Sends a request: method, path, body (None, an object, or JSON lines as a text); returns the body of the answer."""


def over_http(ask: Door) -> None:
    """The story by requests alone."""
    stored = json.loads(ask("POST", "/v1/documents?source=story", json.dumps(DOCUMENT) + "\n"))
    assert stored["accepted"] == 2
    events = [
        line[6:] for line in ask("GET", f"/v1/progress?run={stored['run']}", None).splitlines() if line[:5] == "data:"
    ]
    assert json.loads(events[-1])["outcome"] == "ok"
    hits = json.loads(ask("POST", "/v1/query", {"text": "where does Bob live?"}))["hits"]
    assert hits[0]["text"] == "I live in Lisbon"
    while json.loads(ask("GET", "/v1/status", None))["reading"]["unread"]:
        time.sleep(0.05)
    facts = json.loads(ask("GET", "/v1/facts?subject=Bob", None))["facts"]
    assert [(fact["attribute"], fact["value"]) for fact in facts] == [("home", "Lisbon")]
    plan = json.loads(ask("POST", "/v1/forget", {"documents": ["club:1"]}).splitlines()[-1])["result"]
    done = ask("POST", "/v1/forget", {"documents": ["club:1"], "dry_run": False, "plan": plan["plan"]})
    assert json.loads(done.splitlines()[-1])["result"]["messages"] == 2
    assert json.loads(ask("POST", "/v1/query", {"text": "Lisbon"}))["hits"] == []


def curl(*arguments: str) -> Door:
    """A door that is curl with these arguments, the last of which is the beginning of the address."""
    *options, address = arguments

    def ask(method: str, path: str, body: Any) -> str:
        kind = "application/jsonl" if isinstance(body, str) else "application/json"
        data = body if isinstance(body, str) else None if body is None else json.dumps(body)
        sent = [] if data is None else ["-H", f"content-type: {kind}", "--data-binary", "@-"]
        words = ["curl", "-sS", "--fail-with-body", "-N", "-X", method, *options, *sent, f"{address}{path}"]
        done = subprocess.run(words, input=data or "", capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
        return done.stdout

    return ask


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_curl_at_the_socket_and_at_an_address(memd: Memd) -> None:
    """What was forgotten at one door is let in again at the other only where that is wanted."""
    memd.until_served(memd.start("serve", "--http", "127.0.0.1:0"))
    over_http(curl("--unix-socket", str(memd.socket), "http://memd"))
    token = (memd.data / "http.token").read_text(encoding="ascii").strip()
    address = memd.json("status")["http"]
    ask = curl("-H", f"authorization: Bearer {token}", f"http://{address}")
    assert json.loads(ask("POST", "/v1/documents", json.dumps(DOCUMENT) + "\n"))["accepted"] == 2
    assert json.loads(ask("POST", "/v1/query", {"text": "Lisbon"}))["hits"] == []
    assert json.loads(ask("POST", "/v1/documents?again=1", json.dumps(DOCUMENT) + "\n"))["accepted"] == 2


def test_the_python_client(memd: Memd) -> None:
    """The same, by `connect`; the daemon outlives it."""
    memd.until_served(memd.start("serve"))
    documents = [ConversationDocument.model_validate(DOCUMENT)]
    with package.connect(memd.socket) as memory:
        report = memory.store(documents)
        assert (report.added, report.documents) == (2, 1)
        assert memory.query("where does Bob live?").hits[0].text == "I live in Lisbon"
        while memory.status()["reading"]["unread"]:
            time.sleep(0.05)
        assert [(fact.attribute, fact.value) for fact in memory.facts(subject=["Bob"])] == [("home", "Lisbon")]
        assert memory.forget(documents=["club:1"])["messages"] == 2
        assert memory.query("Lisbon").hits == ()
    assert memd.json("health")["status"] == "ok"
