"""Sources by the real commands: without a daemon, by a daemon that watches, and after it was killed."""

from __future__ import annotations

import os
import signal
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from memd.tests.e2e.conftest import Memd

pytestmark = pytest.mark.slow
PATIENCE = 90.0


def put(folder: Path, name: str, *texts: str) -> Path:
    """An export of a chat, moved into the folder at once."""
    folder.mkdir(exist_ok=True)
    path, unfinished = folder / f"WhatsApp Chat with {name}.txt", folder / f".{name}.part"
    lines = [f"15/01/2024, 12:{number:02} - {name}: {text}" for number, text in enumerate(texts)]
    unfinished.write_text("15/01/2024, 11:59 - Ann: hello\n" + "\n".join(lines) + "\n")
    os.utime(unfinished, (time.time() - 60, time.time() - 60))
    return unfinished.rename(path)


def until(what: Callable[[], Any], why: str) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + PATIENCE
    while not what():
        assert time.monotonic() < deadline, why
        time.sleep(0.2)


def messages(memd: Memd) -> int:
    """How many are stored."""
    return int(memd.json("stats")["messages"])


def test_sources_without_a_daemon(memd: Memd, tmp_path: Path) -> None:
    """Added, read by `memd sync`, which waits; listed with their runs; exit codes say what came of it."""
    folder = tmp_path / "exports"
    put(folder, "Bob", "I moved to Lisbon", "in spring")
    added = memd.json("sources", "add", "folder", str(folder), "--every", "6h", "--me", "Ann")
    assert (added["name"], added["schedule"], added["last"]) == ("exports", "every 6h", None)
    done = memd("sync")
    assert (done.returncode, done.stdout) == (0, b"exports  ok: 3 added\n")
    assert memd.json("query", "Lisbon")["hits"][0]["speaker"] == "Bob"
    (folder / "x.bin").write_bytes(bytes(range(256)) * 9)
    os.utime(folder / "x.bin", (5, 5))
    put(folder, "Eve", "my dog is called Rex")
    (folder / "y.zip").write_bytes(b"PK\3\4 and no more")
    os.utime(folder / "y.zip", (5, 5))
    done = memd("sync", "exports")
    assert (done.returncode, b"x.bin: not recognised" in done.stderr) == (4, True)
    shown = memd("sources", "show", "exports").stdout.decode()
    assert "left out: x.bin: not recognised" in shown
    assert "cannot be read: y.zip: " in shown
    assert [each["trigger"] for each in memd.json("runs", "--source", "exports")["runs"]] == ["sync", "sync"]
    status = memd.json("status")
    assert (status["pid"], status["sources"][0]["flags"]) == (None, ["incomplete", "unreadable"])
    assert memd("sync", "nobody").returncode == 7
    assert memd("sources", "show", "nobody").returncode == 7
    assert memd("sources", "add", "folder", str(folder)).returncode == 2
    assert memd("sources", "add", "folder", str(folder), "--every", "never", "--name", "y").returncode == 2
    assert memd("sources", "remove", "exports").returncode == 0
    assert memd.json("sources")["sources"] == []
    assert messages(memd) == 5


def test_sync_tells_what_was_assumed(memd: Memd, tmp_path: Path) -> None:
    """On standard error, behind the outcome, once for each source; in JSON with its source."""
    for name in ("one", "two"):
        club = put(tmp_path / name, f"Club {name}", "I moved to Lisbon")
        with club.open("a") as file:
            file.write("15/01/2024, 12:30 - Eve: and I to Porto\n")
        os.utime(club, (time.time() - 60, time.time() - 60))
        memd.json("sources", "add", "folder", str(tmp_path / name), "--yes")
    done = memd("sync", "one", "--wait")
    assert (done.returncode, done.stdout) == (0, b"one  ok: 3 added\n")
    lines = done.stderr.decode().splitlines()
    assert [line.partition(": ")[2][:5] for line in lines if line.startswith("note: ")] == ["one: "] * 2
    assert sum("[zone-assumed]" in line for line in lines) == sum("[user-unknown]" in line for line in lines) == 1
    (source,) = memd.json("sync", "two")["sources"]
    assert {each["code"] for each in source["notices"]} == {"zone-assumed", "user-unknown"}
    assert b"note: " not in memd("sync").stderr


def test_a_daemon_reads_what_is_dropped_in(memd: Memd, tmp_path: Path) -> None:
    """Moved in, copied slowly, replaced by a later export; the folder goes and comes back; SIGTERM ends it in order."""
    folder = tmp_path / "exports"
    put(folder, "Bob", "I moved to Lisbon")
    memd.json("sources", "add", "folder", str(folder), "--watch")
    daemon = memd.start("serve")
    memd.until_served(daemon)
    until(lambda: messages(memd) == 2, "what was there before is not read")
    put(folder, "Eve", "my dog is called Rex")
    until(lambda: messages(memd) == 4, "what was moved in is not read")
    put(folder, "Bob", "I moved to Lisbon", "by train")
    until(lambda: messages(memd) == 5, "a later export is not read")
    slow = folder / "WhatsApp Chat with Kim.txt"
    for number in range(20):
        with slow.open("a") as file:
            file.write(f"15/01/2024, 12:{number:02} - Kim: part {number}\n")
        time.sleep(0.1)
    until(lambda: messages(memd) == 25, "what was copied slowly is not read")
    folder.rename(tmp_path / "elsewhere")
    assert memd("sync", "--wait").returncode == 3
    (source,) = memd.json("status")["sources"]
    assert (source["flags"], "mounted" in source["trouble"]) == (["absent", "failing"], True)
    (tmp_path / "elsewhere").rename(folder)
    assert memd("sync", "--wait").returncode == 0
    assert memd.json("status")["sources"][0]["flags"] == []
    assert memd.json("sources")["sources"][0]["next"]
    daemon.send_signal(signal.SIGTERM)
    assert daemon.wait(60) == 0
    assert messages(memd) == 25


def test_what_was_missed_or_cut_off_is_made_up_at_the_start(memd: Memd, tmp_path: Path) -> None:
    """A night while memd was off; a run that SIGKILL ended. Each once."""
    folder = tmp_path / "exports"
    put(folder, "Bob", *(f"text {number}" for number in range(50)))
    memd.json("sources", "add", "folder", str(folder))
    with closing(sqlite3.connect(memd.data / "journal.db")) as journal, journal:
        journal.execute("UPDATE jobs SET due = due - 200000 WHERE job = 'source:exports'")
    daemon = memd.start("serve")
    memd.until_served(daemon)
    until(lambda: messages(memd) == 51, "the missed run is not made up")
    until(lambda: memd.json("sources")["sources"][0]["last"], "the run does not end")
    daemon.kill()
    daemon.wait(60)
    assert [each["trigger"] for each in memd.json("runs", "--source", "exports")["runs"]] == ["schedule"]
    put(folder, "Eve", "my dog is called Rex")
    with closing(sqlite3.connect(memd.data / "journal.db")) as journal, journal:
        journal.execute("UPDATE jobs SET interrupted = 1 WHERE job = 'source:exports'")
    daemon = memd.start("serve")
    memd.until_served(daemon)
    until(lambda: messages(memd) == 53, "the run that was cut off is not made up")
    until(lambda: not memd.json("sources")["sources"][0]["doing"], "the run does not end")
    daemon.send_signal(signal.SIGTERM)
    assert daemon.wait(60) == 0
    assert [each["trigger"] for each in memd.json("runs", "--source", "exports")["runs"]] == ["resume", "schedule"]


def test_declared_sources_and_maintenance(memd: Memd, tmp_path: Path) -> None:
    """From the configuration: read, listed as declared, not removable; a bad schedule stops the start with its reason."""
    folder = tmp_path / "exports"
    put(folder, "Bob", "I moved to Lisbon")
    config = tmp_path / "memd.toml"
    table = f'[[sources]]\nname = "mine"\npath = "{folder}"\n'
    config.write_text(f'[maintenance]\nbackup_to = "{tmp_path / "backups"}"\n{table}')
    assert memd("sync", "--config", str(config)).returncode == 0
    listed = memd.json("sources", "--config", str(config))
    assert [each["declared"] for each in listed["sources"]] == [True]
    assert [each["name"] for each in listed["maintenance"]] == ["backup", "doctor", "prune"]
    refused = memd("sources", "remove", "mine", "--config", str(config))
    assert (refused.returncode, b"configuration" in refused.stderr) == (2, True)
    config.write_text(table + 'schedule = "at noon"\n')
    (shown,) = memd.json("sources", "--config", str(config))["sources"]
    assert (shown["flags"], "no schedule" in shown["trouble"]) == (["schedule"], True)
    config.write_text(table + "pth = 1\n")
    refused = memd("sync", "--config", str(config))
    assert (refused.returncode, b"pth" in refused.stderr) == (2, True)


def test_the_history_counts_what_a_command_could_not_read(memd: Memd, tmp_path: Path) -> None:
    """Beside what it sent, and where it sent nothing."""
    nothing, documents = tmp_path / "WhatsApp Chat with Eve.txt", tmp_path / "documents.jsonl"
    nothing.write_text("no message\n")
    assert memd("ingest", str(nothing), "--format", "whatsapp").returncode == 3
    documents.write_text(
        '{"id": "n", "content": "I moved to Lisbon", "metadata": {"source": "tests"}}\n{"id": "damaged"\n'
    )
    done = memd("ingest", str(documents))
    assert done.returncode == 4, done.stderr
    last, first = memd.json("runs")["runs"]
    assert (first["outcome"], first["rejected"], first["added"]) == ("partial", 1, 0)
    assert (last["outcome"], last["rejected"], last["added"]) == ("partial", 1, 1)
