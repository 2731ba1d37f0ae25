"""A daemon that a command starts, by real processes: it serves, ends when idle, survives races and kills."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from memd.daemon.config.paths import LOCK, read_owner
from memd.tests import processes
from memd.tests.command import memd_command
from memd.tests.e2e.conftest import LINES, Memd, write_chat

pytestmark = pytest.mark.slow


def daemons(memd: Memd) -> list[int]:
    """The processes of `memd serve` over this memory."""
    found: list[int] = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            words = path.read_bytes().split(b"\0")
            if b"serve" in words and os.fsencode(memd.data) in words:
                found.append(int(path.parent.name))
    return found


def wait_for(memd: Memd, count: int) -> list[int]:
    """Wait until so many run; return them."""
    deadline = time.monotonic() + 120
    while len(pids := daemons(memd)) != count:
        assert time.monotonic() < deadline, pids
        time.sleep(0.1)
    return pids


@pytest.fixture
def starting(memd: Memd) -> Iterator[Memd]:
    """The command with ``server.autostart = "yes"``; what it started is ended with the test."""
    memd.environment |= {"MEMD_SERVER_AUTOSTART": "yes", "XDG_STATE_HOME": str(memd.home / "state")}
    for name in ("NOTIFY_SOCKET", "JOURNAL_STREAM"):
        memd.environment.pop(name, None)
    yield memd
    for pid in daemons(memd):
        os.kill(pid, signal.SIGKILL)
    wait_for(memd, 0)


def test_it_is_started_once_and_ends_when_it_is_idle(starting: Memd) -> None:
    """The first command says so, the next uses it; unused it ends in order, and the next command starts another."""
    chat = write_chat(starting.home / "WhatsApp Chat with Bob.txt", LINES)
    first = starting("ingest", str(chat))
    assert first.returncode == 0, first.stderr.decode()
    assert first.stderr.count(b"started memd") == 1
    (pid,) = daemons(starting)
    assert read_owner(str(starting.data / LOCK)).pid == pid
    second = starting("query", "Lisbon")
    assert (second.returncode, b"started memd" in second.stderr) == (0, False)
    assert daemons(starting) == [pid]
    os.kill(pid, signal.SIGTERM)
    wait_for(starting, 0)
    starting.environment["MEMD_SERVER_IDLE_MINUTES"] = "0.02"
    assert b"I moved to Lisbon" in starting("query", "Lisbon").stdout
    wait_for(starting, 0)
    assert read_owner(str(starting.data / LOCK)).pid is None  # it gave the lock back
    assert b"ending" in (starting.home / "state" / "memd" / "autostart.log").read_bytes()


def test_commands_at_once_leave_one_daemon(starting: Memd) -> None:
    """Whichever starts are too many end by themselves; every command is answered."""
    starting.environment["MEMD_SERVER_AUTOSTART"] = "no"
    assert starting("ingest", str(write_chat(starting.home / "WhatsApp Chat with Bob.txt", LINES))).returncode == 0
    starting.environment["MEMD_SERVER_AUTOSTART"] = "yes"
    asking = [
        processes.Popen(
            memd_command("query", "Lisbon"),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=starting.environment,
        )
        for _ in range(4)
    ]
    for process in asking:
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err.decode()
        assert b"I moved to Lisbon" in out
    assert wait_for(starting, 1) == [read_owner(str(starting.data / LOCK)).pid]


def test_a_killed_one_is_replaced(starting: Memd) -> None:
    """Nothing that it had acknowledged is lost."""
    chat = write_chat(starting.home / "WhatsApp Chat with Bob.txt", LINES)
    assert starting("ingest", str(chat)).returncode == 0
    (pid,) = daemons(starting)
    os.kill(pid, signal.SIGKILL)
    done = starting("query", "Lisbon")
    assert (done.returncode, b"I moved to Lisbon" in done.stdout) == (0, True), done.stderr.decode()
    assert b"started memd" in done.stderr
    assert pid not in wait_for(starting, 1)


def test_one_that_cannot_start_costs_no_answer(starting: Memd) -> None:
    """The command says where the reason is, and is the owner itself."""
    chat = write_chat(starting.home / "WhatsApp Chat with Bob.txt", LINES)
    config = Path(starting.environment["MEMD_CONFIG"])
    config.write_text('[maintenance]\ndoctor_schedule = "never"\n')  # which only `memd serve` refuses
    done = starting("ingest", str(chat))
    assert done.returncode == 0, done.stderr.decode()
    assert b"memd could not be started" in done.stderr
    assert b"doctor_schedule" in (starting.home / "state" / "memd" / "autostart.log").read_bytes()
    assert daemons(starting) == []


def test_a_daemon_until_idle_reads_sources_only_on_request(starting: Memd) -> None:
    """Nobody asks it, and it ends with code 0; a nightly run without a daemon tells of a source that failed."""
    folder, told = starting.home / "exports", starting.home / "told"
    folder.mkdir()
    assert starting("sources", "add", "folder", str(folder), "--every", "1h").returncode == 0
    starting.environment["MEMD_SERVER_IDLE_MINUTES"] = "0.02"
    daemon = starting.start("serve", "--until-idle")
    assert daemon.wait(timeout=120) == 0
    assert starting.json("runs")["runs"] == []
    starting.environment["MEMD_NOTIFY_COMMAND"] = f"sh -c 'echo \"$MEMD_MESSAGE\" >> {told}'"
    assert starting.json("sync", "--nightly")["waited"]
    assert not told.exists()
    folder.rmdir()
    assert starting("sync", "--nightly").returncode != 0
    assert told.read_text() == "memd: the source exports has lost its folder; `memd status` says more\n"
    assert starting("sync", "--nightly", "exports").returncode == 2
