"""Migrating to a real Weaviate and back: a hundred questions, an identical export, and a migration that is killed again and again."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from memd.tests.e2e.conftest import write_chat
from memd.tests.e2e.test_weaviate import holding, use_server
from memd.tests.weaviate_server.node import Node, why_not

if TYPE_CHECKING:
    from memd.tests.e2e.conftest import Memd

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(why_not()), reason=why_not()),
    pytest.mark.timeout(3600),
    pytest.mark.usefixtures("vectors"),
]
QUESTIONS = [f"which message speaks of topic {number * 7919 % 1013}?" for number in range(0, 3000, 30)]
PATIENCE = 600
UNPROCESSABLE = 422


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    """A server, named in the settings."""
    folder = tmp_path / "weaviate"
    folder.mkdir()
    with Node(folder) as node:
        yield node


@contextmanager
def served(memd: Memd, index: str) -> Generator[None]:
    """A daemon that finds by this index."""
    memd.environment["MEMD_STORAGE_INDEX"] = index
    daemon = memd.start("serve")
    memd.until_served(daemon, PATIENCE)
    yield
    daemon.terminate()
    daemon.communicate(timeout=60)


def answers(memd: Memd, index: str) -> list[list[str]]:
    """The ids that each question finds."""
    with served(memd, index):
        told = [memd.json("query", question, "-k", "10") for question in QUESTIONS]
        assert all(answer["degraded"] == [] for answer in told)
        assert not any(memd.json("status")["index"]["lag"].values())
    return [[hit["id"] for hit in answer["hits"]] for answer in told]


def migrated(memd: Memd, index: str, *more: str) -> dict[str, Any]:
    """The result of a migration."""
    told = memd.json("migrate", "--index", index, *more, seconds=PATIENCE)
    assert told["complete"], told["findings"]
    return told


def overlap(some: list[list[str]], others: list[list[str]]) -> float:
    """The share of the hits that both found."""
    common = sum(len({*ours} & {*theirs}) for ours, theirs in zip(some, others, strict=True))
    return common / sum(map(len, others))


def asked(node: Node, query: str, *path: str) -> list[Any]:
    """What the server answers to GraphQL at a place of the answer; empty where there is none."""
    headers = {"Authorization": f"Bearer {node.key}", "Content-Type": "application/json"}
    url = f"http://127.0.0.1:{node.port}/v1/graphql"
    request = urllib.request.Request(url, json.dumps({"query": query}).encode(), headers)
    try:
        with urllib.request.urlopen(request) as answer:
            found: Any = json.load(answer)
    except urllib.error.HTTPError as refused:  # there is no collection at all yet
        refused.close()
        if refused.code != UNPROCESSABLE:
            raise
        return []
    for name in ("data", *path):
        found = None if found is None else found.get(name)
    return found or []


def heads(node: Node) -> dict[str, tuple[int, int]]:
    """By index the epoch, and the number of the last change in it."""
    told = asked(node, '{ Get { MemdHead(tenant: "memd") { index epoch sequence } } }', "Get", "MemdHead")
    return {each["index"]: (int(each["epoch"]), int(each["sequence"])) for each in told}


def count_of(node: Node, collection: str) -> int:
    """Objects in the first tenant of a collection; 0 where there is none."""
    query = f'{{ Aggregate {{ {collection}(tenant: "memd-1") {{ meta {{ count }} }} }} }}'
    return sum(int(each["meta"]["count"]) for each in asked(node, query, "Aggregate", collection))


def vectors_in(node: Node) -> int:
    """The same of the collection of vectors."""
    return sum(count_of(node, name) for name in heads(node) if name.startswith("MemdVector_"))


@pytest.mark.long
def test_a_migration_that_is_killed_goes_on(memd: Memd, node: Node, long_chat: Callable[[int], Path]) -> None:
    """At any time: among the words, among the vectors. The next one begins nothing anew, and is whole in the end; there and back a
    hundred questions find the same first hits, and the export is the same to the byte.
    """
    use_server(memd, node)
    memd.environment["MEMD_STORAGE_INDEX"] = "embedded"
    assert memd.json("ingest", str(long_chat(3000)), "--me", "Ann", seconds=PATIENCE)["outcome"] == "ok"
    vectors = memd.json("stats")["vectors"]
    before = answers(memd, "embedded")
    exported = memd("export").stdout
    assert exported.count(b"message 2999") == 1
    memd.environment["MEMD_STORAGE_INDEX"] = "embedded"
    for words, of_vectors in ((300, 0), (3000, 700), (3000, 1800)):
        running = memd.start("migrate", "--index", "weaviate")
        deadline = time.monotonic() + PATIENCE
        while True:
            assert running.poll() is None, running.communicate()[1].decode()
            assert time.monotonic() < deadline
            if count_of(node, "MemdMessage") >= words and vectors_in(node) >= of_vectors:
                break
            time.sleep(0.01)
        running.kill()
        running.communicate(timeout=60)
    left = heads(node)
    (collection,) = (name for name in left if name.startswith("MemdVector_"))
    assert left["words"][1] > 0
    assert left[collection][1] > 0
    there = migrated(memd, "weaviate")
    assert {name: epoch for name, (epoch, _) in heads(node).items()} == {
        name: epoch for name, (epoch, _) in left.items()
    }
    details = {each["check"]: each["detail"] for each in there["findings"]}
    assert details["words"] == "the words index has all 3000 chunks, and holds each as the store does"
    assert "the vector index has all 3000 vectors" in details["vector_index"]
    on_server = answers(memd, "weaviate")
    assert memd("export").stdout == exported
    assert overlap(on_server, before) >= 0.9
    migrated(memd, "weaviate", "--remove-other")
    assert not (memd.data / "store" / "words").exists()
    migrated(memd, "embedded")
    back = answers(memd, "embedded")
    assert [hits[0] for hits in back] == [hits[0] for hits in before]
    assert overlap(back, before) == 1.0
    migrated(memd, "embedded", "--remove-other")
    assert memd("export").stdout == exported
    assert memd.json("stats")["vectors"] == vectors
    node.stop()
    assert holding(node.folder / "data", b"speaks of topic") == []


def test_a_server_that_is_not_in_use_keeps_nothing_beyond_the_next_migration(memd: Memd, node: Node) -> None:
    """The server was filled, and not in use when something was forgotten: doctor tells so; the next migration makes it anew."""
    use_server(memd, node)
    memd.environment["MEMD_STORAGE_INDEX"] = "embedded"
    lines = [("Ann", f"the garden has {n} roses") for n in range(30)]
    export = write_chat(memd.home / "WhatsApp Chat with Two.txt", [*lines, ("Bob", "my zugzwang number"), *lines])
    assert memd.json("ingest", str(export), "--me", "Ann")["outcome"] == "ok"
    migrated(memd, "weaviate")
    warned = {each["check"]: each["severity"] for each in memd.json("doctor")["findings"]}
    assert warned["other_index"] == "warning"
    assert memd.json("status")["index"]["other"] == "weaviate"
    node.stop()
    assert holding(node.folder / "data", b"zugzwang")
    node.start()
    memd.json("forget", "--speaker", "Bob", "--yes")
    migrated(memd, "weaviate")
    node.stop()
    assert holding(node.folder / "data", b"zugzwang") == []
    assert holding(node.folder / "data", b"roses")
    node.start()
    assert memd.json("migrate", "--index", "embedded", "--remove-other")["removed"]
    assert "other_index" not in {each["check"] for each in memd.json("doctor")["findings"]}
    assert "other" not in memd.json("status")["index"]
