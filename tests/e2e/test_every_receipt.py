"""An import of each format by the real command: its receipt is all that was read, and undoing it leaves what was before."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from memd.connectors.reading.registry import default_connectors
from memd.daemon.cli.dispatch import main
from memd.tests import processes
from memd.tests.command import memd_command
from memd.tests.e2e.conftest import EMBEDDING, Memd, write_chat
from memd.tests.fuzz.contract_samples import samples_by_format

FORMATS = sorted(each.name for each in default_connectors())
KEPT = ("added", "updated", "unchanged", "failed", "forgotten")
Run = Callable[..., Any]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memd]:
    """A daemon whose memory holds a chat with facts."""
    folder = tmp_path_factory.mktemp("receipts")
    memd = Memd(folder)
    try:
        with (folder / "log").open("wb") as log:  # a pipe that nobody reads would be full after some hundred requests
            daemon = processes.Popen(memd_command("serve"), env=memd.environment, stdout=log, stderr=log)
        memd.running.append(daemon)
        memd.until_served(daemon, seconds=120)
        talk = [("Ann", "I live in Oslo"), ("Ben", "I live in Rome"), ("Ann", "I moved: now I live in Kiel")]
        memd.json("ingest", str(write_chat(folder / "WhatsApp Chat with Ben.txt", talk)), "--me", "Ann")
        yield memd
    finally:
        memd.end()


@pytest.fixture
def run(served: Memd, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Run:
    """The command in this process, which begins hundreds of times here; what it tells in JSON."""
    for name in ("MEMD_DATA_DIR", "MEMD_SOCKET", "MEMD_CONFIG", EMBEDDING, "TZ"):
        monkeypatch.setenv(name, served.environment[name])

    def command(*words: str) -> Any:
        capsysbinary.readouterr()
        code = main([*words, "--json"])
        told = capsysbinary.readouterr()
        assert code == 0, told.err.decode()
        lines = [json.loads(line) for line in told.out.splitlines()]
        return lines if words[0] == "export" else lines[0]

    return command


def state(run: Run) -> dict[str, Any]:
    """Documents word for word, facts with their ids, people, chats, and how much there is of each."""
    stats = run("stats")
    return {
        "export": run("export"),
        "facts": run("facts", "--status", "all"),
        "people": run("people"),
        "chats": run("chats"),
        "counts": [stats[name] for name in ("documents", "messages", "chunks", "facts", "people")],
    }


def check(run: Run, folder: Path, told: Mapping[str, Any], format_name: str) -> None:
    """The receipt of this import: every file once, with its size and checksum; each message and each rejected record."""
    receipt = run("runs", told["run"])
    exports, skipped = receipt["exports"], receipt["skipped"]
    assert format_name in {each["format"] for each in exports}
    files = [file for each in exports for file in each["files"]]
    assert sorted([*(file["path"] for file in files), *(each["path"] for each in skipped)]) == sorted(
        str(path) for path in folder.rglob("*") if path.is_file()
    )
    for file in files:
        data = Path(file["path"]).read_bytes()
        assert (file["size"], file["sha256"]) == (len(data), hashlib.sha256(data).hexdigest())
    assert sum(each["messages"] for each in exports) == sum(told[name] for name in KEPT)
    assert sum(sum(each["rejected"].values()) for each in exports) == told["rejected"]
    for count in ("added", "updated"):
        assert sum(each[count] for each in exports) == told[count]
    for each in exports:
        known = [file["added"] for file in each["files"] if "added" in file]
        assert not known or sum(known) == each["added"]
        known = [file["messages"] for file in each["files"] if "messages" in file]
        assert not known or sum(known) == each["messages"]


@pytest.fixture(scope="module")
def last() -> list[dict[str, Any]]:
    """Holds the state that the last test asked for at its end, unless that test failed before."""
    return []


@pytest.mark.parametrize("name", FORMATS)
def test_a_receipt_is_whole_and_undone_the_import_leaves_nothing(
    name: str, run: Run, last: list[dict[str, Any]], tmp_path: Path
) -> None:
    """Whatever it read: documents word for word, facts, people, chats and counts are those of before."""
    before = last.pop() if last else state(run)
    brought = 0
    for number, files in enumerate(samples_by_format()[name][1]):
        folder = tmp_path / str(number)
        for path, data in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(data)
        told = run("ingest", str(folder), "--me", "Ann")
        check(run, folder, told, name)
        brought += told["added"]
        run("undo", told["run"], "--yes")
    assert brought
    last.append(state(run))
    assert last[-1] == before
