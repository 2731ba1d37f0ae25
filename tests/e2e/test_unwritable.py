"""Reading where nothing can be written: a full disk or a read-only one keeps nobody from asking what is stored."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from memd.tests import processes
from memd.tests.e2e.conftest import Memd
from memd.tests.e2e.unwritable import CHAT, EXPORT, LATER
from memd.tests.torture.disk import can_unshare

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(300),
    pytest.mark.skipif(not can_unshare(), reason="mounts of one's own are not allowed here"),
]
NOTED = ("uptime_s", "took_ms", "query_ms", "pid", "socket", "bytes", "embedding_cache")
"""What is another at each time of asking."""


@pytest.fixture(scope="module")
def memories(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A data directory whose owner ended in order, and one whose owner was killed: SQLite's logs stay where they are."""
    folder = tmp_path_factory.mktemp("memories")
    memd = Memd(folder, vectors=True)
    made = {name: folder / name for name in ("clean", "killed")}
    try:
        export = folder / EXPORT
        export.write_text(CHAT)
        memd.json("ingest", str(export), "--me", "Ann", "--zone", "UTC")
        shutil.copytree(memd.data, made["clean"])
        memd.until_served(memd.start("serve"))
        export.write_text(CHAT + LATER)
        memd.json("ingest", str(export), "--me", "Ann", "--zone", "UTC")
    finally:
        memd.end()
    memd.data.rename(made["killed"])
    return made


def told(place: Path, how: str, data: Path) -> dict[str, Any]:
    """What the commands answered, see `unwritable`."""
    place.mkdir()
    command = [sys.executable, "-P", "-m", "memd.tests.e2e.unwritable", str(place), how, str(data)]
    done = processes.run(command, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


def answer(given: dict[str, Any]) -> list[dict[str, Any]]:
    """The lines of an answer without what changes by itself."""
    lines = [json.loads(line) for line in given["out"].splitlines()]
    return [{name: value for name, value in line.items() if name not in NOTED} for line in lines]


@pytest.mark.parametrize("how", ["full", "read-only"])
def test_everything_is_answered_as_before(how: str, tmp_path: Path, memories: dict[str, Path]) -> None:
    """Word for word, with a word of why nothing is written, and nothing is; what must write says that it cannot."""
    found = told(tmp_path / "m", how, memories["clean"])
    assert not found["logs"]
    for before, after in zip(found["before"], found["after"], strict=True):
        assert (after["words"], after["code"]) == (after["words"], 0), after["err"]
        assert answer(before) == answer(after) != []
        assert "nothing can be written to the data directory" in after["err"]
        assert "nothing can be written" not in before["err"]
    assert found["codes"] == [6, 6, 0]
    checks = {each["check"]: each for each in found["findings"]}
    assert "it was only read" in checks["space"]["detail"]
    assert checks["database"]["severity"] == checks["journal"]["severity"] == "ok"
    databases = {f"{name}-{log}" for name in ("journal.db", "store/memory.db") for log in ("shm", "wal")}
    made = {"owner.lock", *databases} if how == "full" else set[str]()
    assert set(found["changed"]) <= made  # SQLite tries, before there is known to be no room


@pytest.mark.parametrize("how", ["full", "read-only"])
def test_what_a_killed_daemon_left_in_logs_is_read(how: str, tmp_path: Path, memories: dict[str, Path]) -> None:
    """Its last commits lie in the log of SQLite, which cannot be put into the file."""
    found = told(tmp_path / "m", how, memories["killed"])
    assert "store/memory.db-wal" in found["logs"]
    for after in found["after"]:
        assert (after["words"], after["code"]) == (after["words"], 0), after["err"]
    by_words = {" ".join(each["words"]): answer(each)[0] for each in found["after"]}
    assert by_words["stats"]["messages"] == 4
    assert by_words["chats"]["chats"][0]["messages"] == 4
    assert "the boat was sold" in json.dumps(by_words["query who has a boat?"])
