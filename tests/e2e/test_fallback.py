"""The fallback of an endpoint across kills, backups and doctor, by the real command."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from memd.tests.e2e.test_embedders import KEY, ingest, use
from memd.tests.openai_server.faults import BROKEN, Fault
from memd.tests.openai_server.server import Server

if TYPE_CHECKING:
    from memd.tests.e2e.conftest import Memd

pytestmark = pytest.mark.usefixtures("vectors")


@pytest.fixture
def server() -> Iterator[Server]:
    """The test server, which wants a key."""
    with Server(key=KEY) as server:
        yield server


def wait(memd: Memd, true: Callable[[Any], bool]) -> Any:
    """Return the statistics once it holds of them."""
    deadline = time.monotonic() + 60
    while not true(stats := memd.json("stats")):
        assert time.monotonic() < deadline, stats
    return stats


def errors(memd: Memd) -> list[Any]:
    """Return the findings of doctor that are errors, but for the endpoint's."""
    found = json.loads(memd("doctor", "--json").stdout)["findings"]
    return [each for each in found if each["severity"] == "error" and each["check"] != "embedder"]


def test_a_kill_at_any_time_loses_nothing_and_leaves_nothing_twice(memd: Memd, chat: Path, server: Server) -> None:
    """Killed while the fallback stands in, and while the endpoint takes its place: each text has one vector or waits, both
    spaces are sound, and a backup has both.
    """
    use(memd, server, fallback="bundled", batch=1)
    server.fail_always(BROKEN)
    daemon = memd.start("serve")
    memd.until_served(daemon)
    assert ingest(memd, chat)[1]["outcome"] == "partial"
    total = memd.json("stats")["vectors"]["pending"]
    assert memd.json("stats")["fallback"] == {"model": "multilingual-e5-small-int8", "vectors": total}
    daemon.send_signal(signal.SIGKILL)
    daemon.wait()
    assert errors(memd) == []
    answer = memd.json("query", "who cares for teeth?")
    assert answer["degraded"] == ["embedder"]
    assert answer["hits"][0]["text"] == "Carla stays in Oslo, she is a dentist there"
    assert memd("backup", str(memd.home / "backup")).returncode == 0
    server.heal()
    server.fail_always(Fault(delay=0.3))
    daemon = memd.start("serve")
    memd.until_served(daemon)
    wait(memd, lambda stats: 0 < stats["vectors"]["done"] < total)
    daemon.send_signal(signal.SIGKILL)
    daemon.wait()
    stats = memd.json("stats")
    assert stats["vectors"]["done"] + stats["fallback"]["vectors"] == total
    assert errors(memd) == []
    server.heal()
    daemon = memd.start("serve")
    memd.until_served(daemon)
    stats = wait(memd, lambda stats: not stats["vectors"]["pending"] and stats["fallback"] is None)
    assert stats["vectors"]["done"] == total
    assert memd.json("query", "who cares for teeth?")["degraded"] == []
    assert errors(memd) == []
    memd.environment |= {"MEMD_DATA_DIR": str(memd.home / "copy"), "MEMD_SOCKET": str(memd.home / "t")}
    assert memd("restore", str(memd.home / "backup")).returncode == 0
    server.fail_always(BROKEN)
    assert memd.json("stats")["fallback"]["vectors"] == total
    assert memd.json("query", "who cares for teeth?")["hits"][0]["text"].startswith("Carla stays in Oslo")
    assert errors(memd) == []
