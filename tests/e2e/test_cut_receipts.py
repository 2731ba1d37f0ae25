"""Receipts of imports of which something was refused: the command was killed, the daemon is older, a document is too large."""

from __future__ import annotations

import json
import signal
import sys
import time
from pathlib import Path

import pytest

from memd.tests import processes
from memd.tests.e2e.conftest import Memd

pytestmark = pytest.mark.slow
_KILLED = """
import os, signal, sys
from memd.daemon.cli import receipt_parts
from memd.daemon.cli.commands import ingest
from memd.daemon.cli.dispatch import main

def parts(receipt):
    for number, part in enumerate(receipt_parts.receipt_parts(receipt, 200)):
        if number == {sent}:
            os.kill(os.getpid(), signal.SIGKILL)
        yield part

ingest.receipt_parts = parts
main(["ingest", sys.argv[1], "--me", "Ann"])
"""
"""Sends so many parts of a receipt, and is killed."""
_OLDER = """
import sys
from memd.daemon.cli.dispatch import main
from memd.daemon.service import receipts

del receipts.ReceiptFile.model_fields["sha256"]
receipts.ReceiptFile.model_rebuild(force=True)
receipts.ReadExport.model_rebuild(force=True)
from memd.daemon.service import requests

requests.ReceiptRequest.model_rebuild(force=True)
main(["serve"])
"""
"""A daemon that does not know one of the fields of a receipt."""


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A folder of nine notes."""
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(9):
        (folder / f"{number}.md").write_text(f"# Note {number}\n\nThe boat number {number} is blue.\n")
    return folder


@pytest.mark.parametrize("sent", [0, 1, 3])
def test_a_receipt_whose_command_was_killed_is_told_as_incomplete(memd: Memd, notes: Path, sent: int) -> None:
    """Nothing of what is missing looks as if it had not been read; the next ingest tells all of it."""
    memd.until_served(memd.start("serve"))
    command = [sys.executable, "-P", "-c", _KILLED.format(sent=sent), str(notes)]
    killed = processes.run(command, env=memd.environment, capture_output=True, timeout=60, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr.decode()
    deadline = time.monotonic() + 60
    while not (ended := memd.json("runs")["runs"]):  # the daemon goes on with what it was sent
        assert time.monotonic() < deadline
    first = ended[0]["run"]
    cut = memd.json("runs", first)
    assert cut["incomplete"] is True
    assert "complete_in" not in cut
    assert sum(len(each["files"]) for each in cut["exports"]) < 9
    assert b"\nincomplete: " in memd("runs", first).stdout

    again = memd.json("ingest", str(notes), "--me", "Ann")
    whole = memd.json("runs", again["run"])
    assert "incomplete" not in whole
    assert sum(len(each["files"]) for each in whole["exports"]) == 9
    cut = memd.json("runs", first)
    assert cut["incomplete"] is True
    assert cut.get("complete_in") == (again["run"] if sent else None)
    assert (again["run"].encode() in memd("runs", first).stdout) == bool(sent)


def test_a_daemon_of_another_version_keeps_all_but_the_receipt(memd: Memd, notes: Path) -> None:
    """The command says what to do, and not which field the daemon does not know."""
    command = [sys.executable, "-P", "-c", _OLDER]
    with (notes.parent / "log").open("wb") as log:
        daemon = processes.Popen(command, env=memd.environment, stdout=log, stderr=log)
    memd.running.append(daemon)
    memd.until_served(daemon)
    told = memd("ingest", str(notes), "--me", "Ann")
    assert told.returncode == 4
    assert b"no receipt was kept of this run" in told.stdout + told.stderr
    assert b"systemctl --user restart memd" in told.stdout + told.stderr
    assert b"unknown key" not in told.stdout + told.stderr
    body = json.loads(memd("ingest", str(notes), "--me", "Ann", "--json").stdout)
    assert "start it again" in body["receipt_refused"]
    assert memd.json("stats")["documents"] == 9
    assert memd.json("runs", body["run"])["incomplete"] is True


@pytest.mark.parametrize("as_source", [False, True])
def test_a_document_that_no_request_holds_is_rejected_alone(memd: Memd, tmp_path: Path, *, as_source: bool) -> None:
    """Its messages are rejected and not read, too; those of other documents are read."""
    path = tmp_path / "exports" / "documents.jsonl"
    path.parent.mkdir()
    with path.open("w") as file:
        for name, size, count in (("small", 10, 2), ("large", 3 << 20, 6), ("last", 10, 1)):
            time = "2024-01-1{}T10:00:0{}Z"
            said = [
                {"speaker": "Ann", "content": f"{number} " + "boat " * (size // 5), "time": time.format(count, number)}
                for number in range(count)
            ]
            talk = {"source": "tests", "people": ["Ann", "Bo"], "user": "Ann", "conversation": said}
            file.write(json.dumps({"id": f"talk:{name}", "conversation": talk}) + "\n")
    memd.until_served(memd.start("serve"))
    if as_source:
        memd.json("sources", "add", "folder", str(path.parent), "--name", "Exports")
        memd("sync", "Exports", "--wait")
        run = memd.json("runs")["runs"][0]
        run, rejected = run["run"], run["rejected"]
    else:
        done = memd("ingest", str(path), "--json")
        assert done.returncode == 4
        body = json.loads(done.stdout)
        run, rejected = body["run"], body["rejected"]
        assert body["files"] == [{"path": str(path), "format": "documents", "messages": 3}]
    [export] = memd.json("runs", run)["exports"]
    [file] = export["files"]
    assert (export["documents"], export["messages"], sum(export["rejected"].values())) == (2, 3, 6)
    assert (file["messages"], sum(file["rejected"].values()), rejected) == (3, 6, 6)
    assert export["last"].startswith("2024-01-12")
