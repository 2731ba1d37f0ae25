"""A memory in a real Weaviate that dies, one of three nodes that die, a full server, a killed memd: every message is there once at
the end, and the index is what the store says.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

from memd.tests.e2e.test_weaviate import found, until_caught_up, use_server
from memd.tests.weaviate_server.cluster import NODES, Cluster
from memd.tests.weaviate_server.node import Node, why_not

if TYPE_CHECKING:
    from memd.tests.e2e.conftest import Memd

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(bool(why_not()), reason=why_not()),
    pytest.mark.timeout(3600),
    pytest.mark.usefixtures("vectors"),
]
MESSAGES = 600
KILLS = int(os.environ.get("MEMD_KILLS", "100"))
SEED = int(os.environ.get("MEMD_SEED", "15"))
LATEST = 4.0
"""Seconds after its start within which a memd is killed; storing, sending and reading facts take about so long."""
SMALL = 160
"""MiB of the small file system."""
PATIENCE = 300
"""Seconds within which everything must have been caught up with."""


def is_whole(memd: Memd, messages: int) -> None:
    """Every message is stored once, and the indexes hold exactly what is stored, by their contents."""
    assert memd.json("stats")["messages"] == messages
    told = memd.json("migrate", "--index", "weaviate", seconds=PATIENCE)
    assert (told["complete"], told["in_use"]) == (True, True), told["findings"]
    assert {each["severity"] for each in told["findings"]} == {"ok"}, told["findings"]
    details = {each["check"]: each["detail"] for each in told["findings"]}
    assert details["words"] == f"the words index has all {messages} chunks, and holds each as the store does"
    ids = [json.loads(line)["id"] for line in memd("export").stdout.splitlines()]
    assert len(ids) == len(set(ids))


def until_stored(memd: Memd, messages: int) -> None:
    """Wait until so many are stored."""
    deadline = time.monotonic() + PATIENCE
    while memd.json("stats")["messages"] < messages:
        assert time.monotonic() < deadline


def test_the_only_node_is_killed_again_and_again(memd: Memd, node: Node, long_chat: Callable[[int], Path]) -> None:
    """While memd writes to it, each time started again; questions in between are answered."""
    node.start()
    use_server(memd, node)
    daemon = memd.start("serve")
    memd.until_served(daemon, PATIENCE)
    ingest = memd.start("ingest", str(long_chat(MESSAGES)), "--me", "Ann")
    for messages in (100, 300, 500):
        until_stored(memd, messages)
        node.kill()
        assert memd.json("query", "message 7 speaks of topic")["hits"]
        node.start()
    assert ingest.wait(PATIENCE) in (0, 4)
    until_caught_up(memd, PATIENCE)
    is_whole(memd, MESSAGES)


def test_a_server_whose_disk_is_gone_is_filled_again(memd: Memd, node: Node, long_chat: Callable[[int], Path]) -> None:
    """The only node comes back with nothing: the next question is answered without it, and what SQLite holds goes there again."""
    node.start()
    use_server(memd, node)
    daemon = memd.start("serve")
    memd.until_served(daemon, PATIENCE)
    assert memd.json("ingest", str(long_chat(MESSAGES)), "--me", "Ann", seconds=PATIENCE)["outcome"] == "ok"
    until_caught_up(memd, PATIENCE)
    node.kill()
    shutil.rmtree(node.folder / "data")
    node.start()
    deadline = time.monotonic() + PATIENCE
    while memd.json("query", "message 7 speaks of topic")[
        "degraded"
    ]:  # words and vectors each find out when they are asked
        assert time.monotonic() < deadline
    until_caught_up(memd, PATIENCE)
    assert found(memd, "message 7 speaks of topic")
    is_whole(memd, MESSAGES)


def test_one_of_three_nodes_is_killed_during_ingest_and_questions(
    memd: Memd, tmp_path: Path, long_chat: Callable[[int], Path]
) -> None:
    """Nothing waits for it for long; it comes back, another one loses its disk, and all is whole by any of them."""
    folder = tmp_path / "cluster"
    folder.mkdir()
    with Cluster(folder) as cluster:
        use_server(memd, cluster.nodes[0], replicas=NODES)
        daemon = memd.start("serve")
        memd.until_served(daemon, PATIENCE)
        ingest = memd.start("ingest", str(long_chat(MESSAGES)), "--me", "Ann")
        until_stored(memd, 200)
        cluster.nodes[2].kill()
        asked = 0
        while ingest.poll() is None or asked < 5:
            assert memd.json("query", f"message {asked} speaks of topic")["hits"]
            asked += 1
        assert ingest.returncode in (0, 4)
        until_caught_up(memd, PATIENCE)
        assert found(memd, "message 7 speaks of topic")
        cluster.nodes[2].start()
        cluster.nodes[1].kill()
        shutil.rmtree(cluster.nodes[1].folder / "data")
        cluster.nodes[1].start()
        until_caught_up(memd, PATIENCE)
        is_whole(memd, MESSAGES)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SMALL}m", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("NOT TESTED on a full disk: nothing may be mounted here")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.mark.parametrize(
    ("quota", "left", "sign"),
    [("90", 8, b"Set READONLY"), ("0", 0, b"no space left on device")],
    ids=["above its quota", "nothing left"],
)
def test_a_server_without_room_takes_everything_later(
    memd: Memd,
    tmp_path: Path,
    small_disk: Path,
    long_chat: Callable[[int], Path],
    quota: str,
    left: int,
    sign: bytes,
) -> None:
    """What is ingested is stored and told to be behind, questions are answered; with room again the server gets everything."""
    extra = {"PERSISTENCE_DATA_PATH": str(small_disk), "DISK_USE_READONLY_PERCENTAGE": quota}
    with Node(tmp_path, extra) as node:  # its log is elsewhere
        use_server(memd, node)
        daemon = memd.start("serve")
        memd.until_served(daemon, PATIENCE)
        assert memd.json("ingest", str(long_chat(300)), "--me", "Ann", seconds=PATIENCE)["outcome"] == "ok"
        until_caught_up(memd, PATIENCE)
        ballast = small_disk / "ballast"
        free = shutil.disk_usage(small_disk).free
        with ballast.open("wb") as file, suppress(OSError):
            file.write(bytes(free - left * 2**20))
        if left:
            until_said(node, sign)
        more = memd.json("ingest", str(long_chat(MESSAGES)), "--me", "Ann", seconds=PATIENCE)
        assert more["added"] == MESSAGES - 300
        until_said(node, sign)
        assert memd.json("stats")["messages"] == MESSAGES
        assert memd.json("query", "message 7 speaks of topic")["hits"]
        assert memd.json("status")["index"]["lag"]["words"] > 0
        ballast.unlink()
        node.kill()
        node.start()
        until_caught_up(memd, PATIENCE)
        is_whole(memd, MESSAGES)


def until_said(node: Node, words: bytes) -> None:
    """Wait until these words stand in the log of a server."""
    deadline = time.monotonic() + PATIENCE
    while words not in node.log.read_bytes():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_memd_is_killed_at_random_instants(memd: Memd, node: Node, long_chat: Callable[[int], Path]) -> None:
    """Beginning, storing, embedding, sending to the server, purging: at the end everything is there once. ``MEMD_SEED`` and
    ``MEMD_KILLS`` choose others.
    """
    node.start()
    use_server(memd, node)
    chance = Random(SEED)
    sizes = iter(range(1, KILLS + 1))
    acknowledged = 0
    for number in sizes:
        messages = 4 * number
        daemon = memd.start("serve")
        ingest = memd.start("ingest", str(long_chat(messages)), "--me", "Ann", "--json")
        time.sleep(chance.uniform(0.0, LATEST))
        daemon.send_signal(signal.SIGKILL)
        daemon.communicate(timeout=60)
        if ingest.poll() is None and chance.random() < 0.5:
            ingest.send_signal(signal.SIGKILL)  # else it goes on by itself, as the owner
        if ingest.wait(PATIENCE) == 0:
            acknowledged = messages
        ingest.communicate(timeout=60)
    stored = memd.json("stats")["messages"]
    assert stored >= acknowledged, f"seed {SEED}"
    last = 4 * KILLS
    assert memd.json("ingest", str(long_chat(last)), "--me", "Ann", seconds=PATIENCE)["outcome"] == "ok", f"seed {SEED}"
    until_caught_up(memd, PATIENCE)
    is_whole(memd, last)
