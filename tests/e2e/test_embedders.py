"""Other embedders, by the real command: an endpoint that fails and comes back, a model in a folder, keys."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from memd.tests.memory.small_models import write_bundled
from memd.tests.openai_server.faults import BROKEN, of_each_vector
from memd.tests.openai_server.server import Server

if TYPE_CHECKING:
    from memd.tests.e2e.conftest import Memd

pytestmark = pytest.mark.usefixtures("vectors")
KEY = "a-key-of-the-tests"


@pytest.fixture
def server() -> Iterator[Server]:
    """The test server, which wants a key."""
    with Server(key=KEY) as server:
        yield server


def use(memd: Memd, server: Server, **settings: object) -> None:
    """Set the command to the server, without a fallback."""
    given = {"provider": "openai", "model": "words", "base_url": server.base_url, "fallback": "none", **settings}
    lines = [f"{name} = {json.dumps(value)}" for name, value in given.items()]
    Path(memd.environment["MEMD_CONFIG"]).write_text("\n".join(["[embedding]", *lines]))
    memd.environment["OPENAI_API_KEY"] = KEY


def ingest(memd: Memd, chat: Path) -> tuple[int, Any]:
    """The exit code and the summary."""
    done = memd("ingest", str(chat), "--me", "Ann", "--json")
    return done.returncode, json.loads(done.stdout)


def until_embedded(memd: Memd) -> Any:
    """Wait until no vector is missing; returns the statistics."""
    deadline = time.monotonic() + 30
    while True:
        stats = memd.json("stats")
        if stats["vectors"]["pending"] == 0 and stats["vectors"]["done"]:
            return stats
        assert time.monotonic() < deadline, stats
        time.sleep(0.2)


@pytest.mark.wheel
def test_an_endpoint_is_used_like_the_bundled_model(memd: Memd, chat: Path, server: Server) -> None:
    """Its vectors are stored, found and named; a second ingest asks it for nothing."""
    use(memd, server)
    code, first = ingest(memd, chat)
    assert (code, first["outcome"], first["vectors"]["pending"]) == (0, "ok", 0)
    answer = memd.json("query", "sister Carla", "--explain")
    assert answer["degraded"] == []
    assert any("vector" in hit["scores"] for hit in answer["hits"])
    assert memd.json("stats")["generation"]["dimension"] == server.dimension
    assert memd.json("stats")["generation"]["model"].startswith("words@")
    asked = len(server.requests)
    assert ingest(memd, chat)[0] == 0
    assert len(server.requests) == asked


def test_words_go_on_without_the_endpoint(memd: Memd, chat: Path, server: Server) -> None:
    """A new store and an endpoint that fails: stored, found by words, honest; what needs no vector does not ask it.
    When it is back, the next owner catches up.
    """
    use(memd, server)
    server.fail_always(BROKEN)
    code, first = ingest(memd, chat)
    assert (code, first["outcome"], first["added"]) == (4, "partial", 4)
    assert first["vectors"]["pending"] > 0
    answer = memd.json("query", "dentist in Oslo")
    assert answer["degraded"] == ["vector"]
    assert answer["hits"][0]["text"] == "Carla stays in Oslo, she is a dentist there"
    asked = len(server.requests)
    memd.json("stats")
    memd.json("documents")
    memd("status")
    assert len(server.requests) == asked
    server.heal()
    assert ingest(memd, chat)[1]["vectors"]["pending"] == 0
    assert memd.json("query", "dentist in Oslo")["degraded"] == []


def test_a_daemon_catches_up_by_itself(memd: Memd, chat: Path, server: Server) -> None:
    """Begun without the endpoint, it serves words; when the endpoint is back, vectors follow without a restart."""
    use(memd, server, timeout_s=5)
    server.fail_always(BROKEN)
    daemon = memd.start("serve")
    memd.until_served(daemon)
    assert ingest(memd, chat)[1]["outcome"] == "partial"
    assert memd.json("query", "sister")["degraded"] == ["vector"]
    server.heal()
    stats = until_embedded(memd)
    assert stats["generation"]["dimension"] == server.dimension
    assert memd.json("query", "sister")["degraded"] == []
    # And down again: the store is known now, and answers by words what was not asked before.
    server.fail_always(BROKEN)
    assert memd.json("query", "her sister")["degraded"] == ["vector"]


def test_vectors_of_two_models_never_mix(memd: Memd, chat: Path, server: Server) -> None:
    """Another model, and one of another dimension under the same name: the store's own vectors stay, and it is told."""
    use(memd, server)
    assert ingest(memd, chat)[0] == 0
    before = memd.json("stats")
    use(memd, server, model="others")
    assert memd.json("query", "sister")["degraded"] == ["generation"]
    use(memd, server)
    server.fail_always(of_each_vector(lambda row: row[:100]))
    assert memd.json("query", "sister")["degraded"] == ["vector"]
    server.heal()
    assert memd.json("query", "sister")["degraded"] == []
    assert memd.json("stats")["vectors"] == before["vectors"]


def test_a_model_in_a_folder_is_used(memd: Memd, chat: Path, tmp_path: Path) -> None:
    """By its path alone; a folder of no use is a mistake of the configuration."""
    write_bundled(tmp_path / "copy", "cls")
    memd.environment |= {"MEMD_EMBEDDING_PROVIDER": "onnx", "MEMD_EMBEDDING_MODEL": str(tmp_path / "copy")}
    assert ingest(memd, chat)[0] == 0
    answer = memd.json("query", "where does Bob live?")
    assert answer["degraded"] == []
    assert memd.json("stats")["generation"]["model"].startswith("copy@")
    memd.environment["MEMD_EMBEDDING_MODEL"] = str(tmp_path)
    done = memd("query", "where?")
    assert (done.returncode, b"no model.onnx" in done.stderr) == (2, True)


def test_the_key_stays_private(memd: Memd, chat: Path, server: Server) -> None:
    """From a file that is the user's alone; never in what is printed, whatever goes wrong."""
    key = memd.home / "key"
    key.write_text(f"{KEY}\n")
    key.chmod(0o644)
    use(memd, server, api_key_file=str(key))
    memd.environment["OPENAI_API_KEY"] = "a-wrong-key"
    memd.environment |= {"MEMD_LOG_LEVEL": "debug", "OPENAI_LOG": "debug"}
    shown = [memd("ingest", str(chat)), memd("config"), memd("config", "--json"), memd("query", "sister")]
    assert b"vectors" in shown[0].stderr
    assert b"is open to others" in shown[0].stderr
    os.chmod(key, 0o600)
    shown += [memd("ingest", str(chat)), memd("query", "sister")]
    assert shown[4].returncode == 0
    for done in shown:
        assert KEY.encode() not in done.stdout + done.stderr
        assert b"a-wrong-key" not in done.stdout + done.stderr
    assert b"I moved to Lisbon" not in b"".join(done.stderr for done in shown)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"model": ""}, b"embedding.model must be the name"),
        ({"base_url": "127.0.0.1:80/v1"}, b"must be an address"),
        ({"base_url": "http://me:secret@host/v1"}, b"must hold no key"),
        ({"provider": "onnx", "model": ""}, b"must name the folder"),
        ({"provider": "cohere"}, b"embedding.provider"),
        ({"tokenizer": "/nowhere"}, b"no tokenizer"),
    ],
)
def test_mistakes_of_the_settings_are_told(memd: Memd, server: Server, settings: dict[str, str], told: bytes) -> None:
    """With exit code 2, before anything is stored, and without what may be secret."""
    use(memd, server, **settings)
    done = memd("query", "anything")
    assert done.returncode == 2, done.stderr
    assert told in done.stderr
    assert b"secret@" not in done.stderr


def test_a_store_of_the_former_default_model_is_taken_over(memd: Memd, chat: Path) -> None:
    """It answers by words and says what to do; `memd reindex` makes its vectors anew while questions go on."""
    config = Path(memd.environment["MEMD_CONFIG"])
    config.write_text('[embedding]\nmodel = "bge-small-en-v1.5-int8"\n')
    memd.environment["PYTHONPATH"] = str(Path(__file__).parents[2] / "packages" / "bge-small-en")
    assert ingest(memd, chat)[0] == 0
    answer = memd.json("query", "sister Carla")
    assert (answer["degraded"], "vector" in answer["hits"][0]["scores"]) == ([], True)
    before = memd.json("stats")
    assert before["generation"]["model"] == "bge-small-en-v1.5-int8"
    del memd.environment["PYTHONPATH"]
    config.write_text("")
    memd.until_served(memd.start("serve"))
    answer = memd.json("query", "sister Carla")
    assert (answer["degraded"], "Carla" in answer["hits"][0]["text"]) == (["generation"], True)
    assert b"memd reindex" in memd("query", "sister Carla").stdout
    assert b"memd reindex" in memd("doctor").stdout
    assert memd.json("stats")["vectors"] == before["vectors"]
    reindex = memd.start("reindex")
    missing: set[str] = set()
    while reindex.poll() is None:
        answer = memd.json("query", "sister Carla")
        missing.update(answer["degraded"])
        assert "Carla" in answer["hits"][0]["text"]
    assert reindex.returncode == 0
    # `indexing` for the moment in which the vector index is opened anew with the dimension of the new model.
    assert missing <= {"generation", "indexing", "pending"}
    stats = until_embedded(memd)
    assert stats["generation"]["model"] == "multilingual-e5-small-int8"
    assert stats["vectors"]["done"] == before["vectors"]["done"]
    answer = memd.json("query", "sister Carla")
    assert (answer["degraded"], "vector" in answer["hits"][0]["scores"]) == ([], True)
