"""The Weaviate of the tests: only who has its key gets in, and what it holds survives a stop."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from memd.tests.weaviate_server.node import VERSION, Node, why_not
from memd.tests.weaviate_server.serve import KEPT, node_of, told

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(why_not()), reason=why_not())]


def ask(node: Node, path: str, key: str | None, body: object = None) -> object:
    """What the server answers over HTTP."""
    headers = {"Content-Type": "application/json"} | ({} if key is None else {"Authorization": f"Bearer {key}"})
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{node.port}{path}", data, headers)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.loads(answer.read())


def test_a_node_takes_its_key_alone_and_keeps_its_data(tmp_path: Path) -> None:
    """It has the pinned version, refuses others, and is the same after a stop, on the same port."""
    with Node(tmp_path) as node:
        meta = ask(node, "/v1/meta", node.key)
        assert isinstance(meta, dict)
        assert meta["version"] == VERSION
        for wrong in (None, "other"):
            with pytest.raises(urllib.error.HTTPError) as refused:
                ask(node, "/v1/schema", wrong)
            assert refused.value.code == 401
            refused.value.close()
        ask(node, "/v1/schema", node.key, {"class": "Kept"})
        node.stop()
        assert not node.ready()
        node.start()
        schema = ask(node, "/v1/schema", node.key)
        assert isinstance(schema, dict)
        assert json.dumps(schema).count('"class": ') == 1


def test_a_folder_that_is_kept_has_the_ports_and_the_key_of_before(tmp_path: Path) -> None:
    """What `make weaviate FOLDER=…` says to paste is true of its next start, too; nobody else may read the key."""
    folder = tmp_path / "kept"
    said: list[str] = []
    for _ in range(2):
        with node_of(folder) as node:
            ask(node, "/v1/meta", node.key)
            said += [line for line in told(node, kept=True).splitlines() if "export" in line]
    assert said[:4] == said[4:]
    assert len(said) == 8
    assert (folder / KEPT).stat().st_mode & 0o077 == 0
