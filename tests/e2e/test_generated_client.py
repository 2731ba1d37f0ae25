"""A client that a generator makes of the description by OpenAPI tells a whole story to a real daemon over its socket."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from memd.tests import processes

if TYPE_CHECKING:
    from memd.tests.e2e.conftest import Memd

PACKAGE = "memd_generated"
CONFIG = f"""\
project_name_override: memd-generated
package_name_override: {PACKAGE}
post_hooks: []
content_type_overrides:
  application/jsonl: application/octet-stream
"""
CHAT = {
    "id": "chat:ann-bob",
    "conversation": {
        "source": "example",
        "people": ["Ann", "Bob"],
        "user": "Ann",
        "conversation": [
            {"speaker": "Ann", "content": "Where do you live now?", "time": "2024-01-15T12:00:00Z"},
            {"speaker": "Bob", "content": "I live in Lisbon, near the river", "time": "2024-01-15T12:01:00Z"},
        ],
    },
    "metadata": {"chat": "Bob"},
}
NOTE = {"id": "note:1", "content": "The heating was repaired.", "metadata": {"source": "notes"}}


@pytest.fixture
def generated(memd: Memd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[httpx.Client]:
    """Make the client from what a running daemon says of itself; returns the connection that it is to use."""
    memd.until_served(memd.start("serve"))
    transport = httpx.HTTPTransport(uds=str(memd.socket))
    with httpx.Client(transport=transport, base_url="http://memd", timeout=60) as connection:
        (tmp_path / "openapi.json").write_bytes(connection.get("/openapi.json").content)
        (tmp_path / "generator.yml").write_text(CONFIG)
        words = ["--path", "openapi.json", "--config", "generator.yml", "--output-path", PACKAGE, "--meta", "none"]
        done = processes.run(
            [sys.executable, "-P", "-m", "openapi_python_client", "generate", "--fail-on-warning", *words],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stdout.decode()
        monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
        yield connection
    for name in [each for each in sys.modules if each.partition(".")[0] == PACKAGE]:
        del sys.modules[name]


def _lines(body: Any) -> list[Any]:
    """Parse the lines of a stream, which the client hands over as a file."""
    return [json.loads(line) for line in body.payload.read().splitlines()]


@pytest.mark.slow
def test_a_generated_client_tells_the_whole_story(generated: httpx.Client) -> None:
    """It stores, follows the run, asks, reads facts, forgets and asks again, all by types of its own."""
    models, types = import_module(f"{PACKAGE}.models"), import_module(f"{PACKAGE}.types")
    client: Any = import_module(PACKAGE).Client(base_url="http://memd", raise_on_unexpected_status=True)
    client.set_httpx_client(generated)

    def call(path: str, **fields: Any) -> Any:
        sync: Callable[..., Any] = import_module(f"{PACKAGE}.api.{path}").sync
        return sync(client=client, **fields)

    body = "".join(json.dumps(each) + "\n" for each in (CHAT, NOTE)).encode()
    stored = call("documents.store", body=types.File(payload=io.BytesIO(body)))
    assert isinstance(stored, models.StoreAnswer)
    assert (stored.accepted, stored.rejected) == (3, 0)

    events = [line[5:] for line in call("runs.progress", run=stored.run).splitlines() if line.startswith("data:")]
    last = models.ProgressUpdate.from_dict(json.loads(events[-1]))
    assert (last.run, last.stage.value, last.outcome.value, last.added) == (stored.run, "done", "ok", 3)

    question = models.QueryRequest(text="where does Bob live?", speakers=["Bob"])
    answer = call("questions.query", body=question)
    assert isinstance(answer, models.QueryResult)
    assert [hit.text for hit in answer.hits] == ["I live in Lisbon, near the river"]
    assert answer.hits[0].time.isoformat() == "2024-01-15T12:01:00+00:00"

    page = call("facts.facts", subject=["Bob"])
    (fact,) = page.facts
    assert (fact.attribute, fact.value, fact.evidence[0].document_id) == ("home", "Lisbon", CHAT["id"])
    (version,) = call("facts.history", id=str(fact.id)).versions
    assert version.action.value == "ADD"

    plan = _lines(call("removal.forget", body=models.ForgetRequest(people=["Bob"])))[-1]
    planned = models.ForgetResultLine.from_dict(plan).result
    assert (planned.dry_run, planned.messages, planned.documents.partly) == (True, 1, 1)
    request = models.ForgetRequest(people=["Bob"], dry_run=False, plan=planned.plan)
    result = models.ForgetResultLine.from_dict(_lines(call("removal.forget", body=request))[-1]).result
    assert (result.dry_run, result.messages) == (False, 1)
    assert call("questions.query", body=models.QueryRequest(text="Lisbon")).hits == []
    assert call("facts.facts").facts == []

    documents = _lines(call("documents.export"))
    assert [each["id"] for each in documents[:-1]] == [CHAT["id"], NOTE["id"]]
    assert models.ExportResultLine.from_dict(documents[-1]).result.messages == 1

    refused = call("questions.query", body=models.QueryRequest(text="x", limit=1000))
    assert isinstance(refused, models.ErrorAnswer)
    assert (refused.code.value, refused.message) == ("VAL", "limit must be 1-100")
    assert call("documents.document", id="nothing").code.value == "NOT_FOUND"
