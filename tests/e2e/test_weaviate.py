"""Memories that a real Weaviate finds, by the real command: the whole way, a server that is late, dies, takes nothing, and a memd
that is killed.
"""

from __future__ import annotations

import json
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memd.schemas.keys import text_hash
from memd.tests.e2e.conftest import write_chat
from memd.tests.weaviate_server.node import Node, why_not

if TYPE_CHECKING:
    from memd.tests.e2e.conftest import Memd

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(why_not()), reason=why_not()),
    pytest.mark.timeout(900),
    pytest.mark.usefixtures("vectors"),
]
QUESTIONS = ("where did Bob move to?", "who is a dentist?", "sister")


@pytest.fixture
def memd(memd: Memd, node: Node) -> Memd:
    """The command, with that server in its settings and the key in a variable."""
    use_server(memd, node)
    return memd


def use_server(memd: Memd, node: Node, *, replicas: int = 1) -> None:
    """Name a server in the settings, and its key in a variable."""
    Path(memd.environment["MEMD_CONFIG"]).write_text(
        f"""[storage]
index = "weaviate"
[weaviate]
url = "http://127.0.0.1:{node.port}"
grpc_port = {node.grpc_port}
replicas = {replicas}
"""
    )
    memd.environment["WEAVIATE_API_KEY"] = node.key


def found(memd: Memd, question: str, *more: str) -> list[str]:
    """The texts of the hits, found by the index."""
    answer = memd.json("query", question, *more)
    assert answer["degraded"] == []
    return [hit["text"] for hit in answer["hits"]]


def until_caught_up(memd: Memd, seconds: float = 120) -> None:
    """Wait until the owner says that the server holds all that is stored, and that no worker waits to try again."""
    deadline = time.monotonic() + seconds
    while True:
        status = memd.json("status")
        index, workers = status["index"], status["workers"]
        if not index["failure"] and not any(index["lag"].values()) and not workers:
            return
        assert time.monotonic() < deadline, (index, workers)
        time.sleep(0.2)


def test_the_whole_way(memd: Memd, node: Node, checkout: Path) -> None:
    """Ingest, ask, facts, forget; the same after the server was started again; and nothing is wrong for doctor."""
    node.start()
    daemon = memd.start("serve")
    memd.until_served(daemon)
    examples = sorted((checkout / "examples" / "whatsapp").iterdir())
    for export in examples:
        assert memd.json("ingest", str(export), "--me", "Jonas")["outcome"] == "ok"
    before = {question: found(memd, question) for question in ("Where does Priya live?", "Which train?", "hut")}
    assert all(before.values())
    facts = memd.json("facts")["facts"]
    assert facts
    assert found(memd, "Priya", "--source", "whatsapp")
    findings = memd.json("doctor")["findings"]
    assert [each for each in findings if each["severity"] == "error"] == []
    daemon.terminate()
    daemon.communicate(timeout=60)
    node.stop()
    node.start()
    assert {question: found(memd, question) for question in before} == before
    assert memd.json("ingest", str(examples[0]), "--me", "Jonas")["added"] == 0
    first = memd.json("query", "hut")["hits"][0]
    memd.json("forget", "--document", first["document_id"], "--yes")
    assert all(hit["document_id"] != first["document_id"] for hit in memd.json("query", "hut", "-k", "50")["hits"])
    status = memd.json("status")
    assert status["index"] == {"name": "weaviate", "failure": "", "lag": {"words": 0, "vectors": 0, "facts": 0}}


def test_a_server_that_comes_late_catches_up_by_itself(memd: Memd, node: Node, chat: Path) -> None:
    """What is ingested before there is a server is stored, found by its words meanwhile, and found by the server later."""
    daemon = memd.start("serve")
    memd.until_served(daemon)
    assert memd.json("ingest", str(chat), "--me", "Ann")["added"] == 4
    for question in QUESTIONS:
        answer = memd.json("query", question)
        assert "index" in answer["degraded"]
        assert answer["hits"]
    quoted = memd.json("query", '"near the river"')
    assert [hit["text"] for hit in quoted["hits"]] == ["I moved to Lisbon in March, near the river"]
    status = memd.json("status")
    assert f"127.0.0.1:{node.port} does not answer" in status["index"]["failure"]
    assert status["index"]["lag"]["words"] > 0
    assert b"does not answer" in memd("status").stdout
    node.start()
    until_caught_up(memd)
    assert found(memd, QUESTIONS[0])[0] == "I moved to Lisbon in March, near the river"
    assert memd.json("query", QUESTIONS[1])["hits"][0]["scores"].keys() >= {"vector"}


def test_a_killed_server_loses_nothing(memd: Memd, node: Node, long_chat: Callable[[int], Path]) -> None:
    """Killed while memd writes to it, and started again: it holds every message once, whatever was asked meanwhile."""
    node.start()
    daemon = memd.start("serve")
    memd.until_served(daemon)
    ingest = memd.start("ingest", str(long_chat(300)), "--me", "Ann")
    deadline = time.monotonic() + 60
    while memd.json("stats")["messages"] < 150:
        assert time.monotonic() < deadline
    node.kill()
    answer = memd.json("query", "message 7 speaks of topic")
    assert answer["hits"]
    assert ingest.wait(120) in (0, 4)
    assert memd.json("stats")["messages"] == 300
    node.start()
    until_caught_up(memd)
    checked = {each["check"]: each for each in memd.json("doctor")["findings"]}
    assert checked["words"]["detail"] == "the words index has all 300 chunks"
    assert checked["vector_index"]["severity"] == "ok"


def test_a_killed_memd_goes_on(memd: Memd, node: Node, long_chat: Callable[[int], Path]) -> None:
    """Killed again and again while it writes to the server: at the end every message is there once."""
    node.start()
    export = str(long_chat(150))
    ingests: list[subprocess.Popen[bytes]] = []
    for messages in (1, 75, 150):
        daemon = memd.start("serve")
        memd.until_served(daemon)
        ingests.append(memd.start("ingest", export, "--me", "Ann"))
        deadline = time.monotonic() + 60
        while memd.json("stats")["messages"] < messages:
            assert time.monotonic() < deadline
        daemon.send_signal(signal.SIGKILL)
        daemon.wait(30)
    for ingest in ingests:  # one whose daemon is gone stores what is left itself, and owns the memory meanwhile
        ingest.communicate(timeout=120)
    assert memd.json("ingest", export, "--me", "Ann")["outcome"] == "ok"
    checked = {each["check"]: each for each in memd.json("doctor")["findings"]}
    assert checked["words"]["detail"] == "the words index has all 150 chunks"
    assert checked["vector_index"]["severity"] == "ok"


def test_a_key_is_not_sent_in_the_clear(memd: Memd, chat: Path) -> None:
    """To another machine it goes encrypted, or not at all; the hint says what to change."""
    memd.environment["MEMD_WEAVIATE_URL"] = "http://weaviate.example.org:8080"
    done = memd("ingest", str(chat), "--me", "Ann", "--json")
    assert done.returncode == 2
    error = json.loads(done.stderr or done.stdout)
    assert "in the clear" in json.dumps(error)
    assert "https://" in json.dumps(error)
    assert memd.environment["WEAVIATE_API_KEY"] not in json.dumps(error)


def test_migrating_without_a_server_says_what_to_do(memd: Memd, node: Node, chat: Path) -> None:
    """One line of what failed and one of what helps, without a line of the log; nothing is changed."""
    memd.environment["MEMD_STORAGE_INDEX"] = "embedded"
    assert memd.json("ingest", str(chat), "--me", "Ann")["added"] == 4
    done = memd("migrate", "--index", "weaviate")
    assert done.returncode == 6
    told = done.stderr.decode().splitlines()
    assert f"127.0.0.1:{node.port} does not answer" in told[0]
    assert "start it" in done.stderr.decode()
    assert "Error" not in done.stderr.decode()
    assert len(told) == 2, told
    assert found(memd, "dentist")


def test_another_memory_of_the_same_name_is_refused(memd: Memd, node: Node, chat: Path) -> None:
    """A second data directory that names the same tenant finds nothing of the first, and says why."""
    node.start()
    assert memd.json("ingest", str(chat), "--me", "Ann")["added"] == 4
    memd.environment["MEMD_DATA_DIR"] = str(memd.home / "other")
    own = write_chat(memd.home / "WhatsApp Chat with Dee.txt", [("Dee", "my dentist is in Rome")])
    assert memd.json("ingest", str(own), "--me", "Dee")["added"] == 1
    other = memd.json("query", "dentist")
    assert "index" in other["degraded"]
    assert [hit["speaker"] for hit in other["hits"]] == ["Dee"]
    assert "is another one" in memd.json("status")["index"]["failure"]
    memd.environment["MEMD_WEAVIATE_TENANT"] = "other"
    assert found(memd, "dentist") == ["my dentist is in Rome"]


def holding(folder: Path, words: bytes) -> list[str]:
    """The files of the server that hold these bytes, in any case."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [str(path) for path in files if words.lower() in path.read_bytes().lower()]


def test_nothing_of_what_was_forgotten_stays_in_the_server(memd: Memd, node: Node) -> None:
    """Not its words, nor its vector, in any file; what was not forgotten is still there, and found."""
    node.start()
    lines = [("Ann", f"the garden has {n} roses") for n in range(30)]
    export = write_chat(
        memd.home / "WhatsApp Chat with Two.txt", [*lines, ("Bob", "my zugzwang number is quixotic"), *lines]
    )
    assert memd.json("ingest", str(export), "--me", "Ann")["outcome"] == "ok"
    (vector,) = vectors_of(memd, "Bob: my zugzwang number is quixotic")
    node.stop()  # what is in memory alone is written
    data = node.folder / "data"
    assert holding(data, b"zugzwang")
    assert holding(data, vector)
    node.start()
    memd.json("forget", "--speaker", "Bob", "--yes")
    assert found(memd, "roses")
    node.stop()
    assert holding(data, b"zugzwang") == []
    assert holding(data, vector) == []
    assert holding(data, b"roses")


def vectors_of(memd: Memd, text: str) -> list[bytes]:
    """The vectors of a text, as SQLite has them."""
    with closing(sqlite3.connect(memd.data / "store" / "memory.db")) as connection:
        statement = "SELECT v.vector FROM vectors v JOIN texts t ON t.id = v.text WHERE t.hash = ?"
        return [row[0] for row in connection.execute(statement, (text_hash(text),))]


def run_block(block: str, node: Node) -> str:
    """What a program of the documentation prints, with this node in the place of its."""
    for text, ours in (
        ("port=8080, grpc_port=50051", f"port={node.port}, grpc_port={node.grpc_port}"),
        ("127.0.0.1:8080", f"127.0.0.1:{node.port}"),
        ("KEY", node.key),
    ):
        block = block.replace(text, ours)
    done = subprocess.run([sys.executable, "-c", block], capture_output=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def test_other_tools_read_messages_and_facts(memd: Memd, node: Node, checkout: Path) -> None:
    """The programs of docs/weaviate.md print what memd knows; a fact that changes, and one that is forgotten, do so there, too."""
    node.start()
    page = (checkout / "docs" / "weaviate.md").read_text(encoding="utf-8")
    of_messages, now, by_graphql, over = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    first = write_chat(
        memd.home / "WhatsApp Chat with Priya.txt",
        [("Priya Raman", "I live in Berlin"), ("Bob", "good to know"), ("Bob", "I live in Oslo")],
    )
    assert memd.json("ingest", str(first), "--me", "Bob")["outcome"] == "ok"
    assert "good to know" in run_block(of_messages, node)
    told = run_block(now, node)
    assert "Priya Raman lives in Berlin" in told
    assert "Oslo" not in told
    (evidence,) = re.findall(r"\['([0-9a-f-]{36})'\]", told)
    assert memd.json("query", '"I live in Berlin"')["hits"][0]["id"] == evidence
    assert run_block(over, node) == ""
    later = write_chat(
        memd.home / "WhatsApp Chat with Priya.txt",
        [
            ("Priya Raman", "I live in Berlin"),
            ("Bob", "good to know"),
            ("Bob", "I live in Oslo"),
            ("Priya Raman", "I moved to Lisbon"),
        ],
    )
    assert memd.json("ingest", str(later), "--me", "Bob")["outcome"] == "ok"
    assert "Lisbon" in run_block(now, node)
    assert "Berlin" not in run_block(now, node)
    assert "Berlin" in run_block(over, node)
    assert {line.split()[0] for line in run_block(by_graphql, node).splitlines()} == {"active", "superseded"}
    checked = {each["check"]: each for each in memd.json("doctor")["findings"]}
    assert checked["facts_index"]["severity"] == "ok"
    memd.json("forget", "--speaker", "Priya Raman", "--yes")
    assert run_block(now, node) == ""
    node.stop()
    assert holding(node.folder / "data", b"Lisbon") == []


def test_migrating_there_and_back_changes_nothing(memd: Memd, node: Node, long_chat: Callable[[int], Path]) -> None:
    """Both ways the other index is filled and compared, without a vector made; answers and the export are what they were."""
    node.start()
    memd.environment["MEMD_STORAGE_INDEX"] = "embedded"
    assert memd.json("ingest", str(long_chat(100)), "--me", "Ann")["outcome"] == "ok"
    vectors = memd.json("stats")["vectors"]
    questions = [f"which message speaks of topic {n * 7919 % 1013}?" for n in range(0, 100, 25)]

    def state() -> tuple[list[list[str]], bytes]:
        answers = [memd.json("query", question, "-k", "10") for question in questions]
        assert [answer["degraded"] for answer in answers] == [[]] * len(questions)
        export = memd("export")
        assert export.returncode == 0
        return [[hit["id"] for hit in answer["hits"]] for answer in answers], export.stdout

    before, exported = state()
    refused = memd("migrate", "--index", "weaviate", "--remove-other")
    assert (refused.returncode, b"in use" in refused.stderr) == (2, True)
    there = memd.json("migrate", "--index", "weaviate")
    assert (there["complete"], there["in_use"], there["removed"]) == (True, False, False)
    whole = "the words index has all 100 chunks, and holds each as the store does"
    assert whole in {each["detail"] for each in there["findings"]}
    assert memd.json("migrate", "--index", "weaviate") == there
    memd.environment["MEMD_STORAGE_INDEX"] = "weaviate"
    assert memd.json("status")["index"]["lag"] == {"words": 0, "vectors": 0, "facts": 0}
    told = memd("migrate", "--index", "weaviate", "--remove-other")
    assert (told.returncode, b"removed" in told.stderr) == (0, True)
    assert not (memd.data / "store" / "words").exists()
    on_server, export = state()
    assert export == exported
    assert [hits[0] for hits in on_server] == [hits[0] for hits in before]
    common = sum(len({*ours} & {*theirs}) for ours, theirs in zip(on_server, before, strict=True))
    assert common >= 0.9 * sum(map(len, before))
    assert memd.json("migrate", "--index", "embedded")["complete"]
    memd.environment["MEMD_STORAGE_INDEX"] = "embedded"
    assert memd.json("migrate", "--index", "embedded", "--remove-other")["removed"]
    node.stop()
    assert holding(node.folder / "data", b"speaks of topic") == []
    back, export = state()
    assert (back, export) == (before, exported)
    assert memd.json("stats")["vectors"] == vectors
