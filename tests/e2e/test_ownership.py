"""Who owns the memory, by real processes: daemons that wait for commands, commands that wait for daemons, several at once."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memd.tests import processes
from memd.tests.daemon.test_lifecycle import Manager
from memd.tests.daemon.test_ownership import holder
from memd.tests.e2e.conftest import write_chat

if TYPE_CHECKING:
    from memd.tests.e2e.conftest import Memd

pytestmark = pytest.mark.slow

NO_FACTS = '[facts]\nextractor = "off"\n'


@contextmanager
def open_ingest(memd: Memd) -> Generator[subprocess.Popen[bytes]]:
    """`memd ingest -`, which owns the memory until its standard input is closed."""
    words = [sys.executable, "-P", "-m", "memd.daemon.cli", "ingest", "-"]
    with processes.Popen(words, stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=memd.environment) as process:
        try:
            memd.until_served(process, 90)
            yield process
        finally:
            process.kill()


def chats(folder: Path, count: int, messages: int) -> list[Path]:
    """Different chats of so many messages each."""
    return [
        write_chat(
            folder / f"WhatsApp Chat with Group {number}.txt",
            [
                ("Ann" if n % 2 else "Bob", f"message {n} of chat {number} about {n * 7919 % 1013}")
                for n in range(messages)
            ],
        )
        for number in range(count)
    ]


def test_a_daemon_waits_for_a_command_and_says_so(memd: Memd) -> None:
    """It names the process to the log and to systemd, which also allows it more time; then it serves."""
    manager = Manager(memd.home / "notify")
    memd.environment["NOTIFY_SOCKET"] = str(memd.home / "notify")
    try:
        with open_ingest(memd) as ingest:
            daemon = memd.start("serve")
            told = manager.until("EXTEND_TIMEOUT_USEC")
            assert int(told["EXTEND_TIMEOUT_USEC"]) > 90_000_000
            assert str(ingest.pid) in told["STATUS"]
            assert memd("query", "anything").returncode == 0
            assert memd("health").returncode == 0
            assert daemon.poll() is None
            assert ingest.stdin is not None
            ingest.stdin.close()
            manager.until("READY")
        assert memd.json("status")["pid"] == daemon.pid
        daemon.send_signal(signal.SIGTERM)
        _, err = daemon.communicate(timeout=90)
        assert daemon.returncode == 0
        waits = [line for line in map(json.loads, err.splitlines()) if line["message"].startswith("waiting for")]
        assert [line["owner_pid"] for line in waits] == [ingest.pid]
    finally:
        manager.close()


def test_a_daemon_that_waits_ends_in_order_or_in_time(memd: Memd) -> None:
    """SIGTERM ends it with 0; the end of `--wait` with 5 and the owner's pid; a wrong number is refused."""
    manager = Manager(memd.home / "notify")
    memd.environment["NOTIFY_SOCKET"] = str(memd.home / "notify")
    try:
        with open_ingest(memd) as ingest:
            daemon = memd.start("serve", "--wait", "86400")
            manager.until("EXTEND_TIMEOUT_USEC")
            daemon.send_signal(signal.SIGTERM)
            daemon.communicate(timeout=90)
            assert daemon.returncode == 0
            done = memd("serve", "--wait", "0.2")
            assert done.returncode == 5
            assert str(ingest.pid) in done.stderr.decode().splitlines()[-2]
            wrong = memd("serve", "--wait", "soon")
            assert (wrong.returncode, b"--wait" in wrong.stderr) == (2, True)
    finally:
        manager.close()


def test_a_daemon_does_not_wait_for_another(memd: Memd) -> None:
    """The other goes on until somebody stops it: code 5 at once."""
    daemon = memd.start("serve")
    memd.until_served(daemon, 90)
    done = memd("serve", "--wait", "86400")
    assert (done.returncode, str(daemon.pid).encode() in done.stderr) == (5, True)


def test_commands_wait_for_a_daemon_that_starts(memd: Memd) -> None:
    """Longer than for any other lock; when the owner has gone without serving, they answer by themselves."""
    memd.data.mkdir(mode=0o700)
    with holder(memd.data, 8, "daemon", "starting"):
        for words in (("status", "--json"), ("query", "anything"), ("doctor",)):
            done = memd(*words)
            assert done.returncode == 0, (words, done.stderr.decode())


def test_health_is_for_scripts(memd: Memd) -> None:
    """One line and a code: 6 where nobody serves, 0 where somebody does; nothing is made by asking."""
    down = memd("health")
    assert (down.returncode, down.stdout, down.stderr) == (6, b"down\n", b"")
    assert not memd.data.exists()
    daemon = memd.start("serve")
    memd.until_served(daemon, 90)
    done = memd("health", "--json")
    assert (done.returncode, json.loads(done.stdout)["pid"]) == (0, daemon.pid)
    assert memd("health").stdout == b"ok\n"
    daemon.send_signal(signal.SIGTERM)
    daemon.communicate(timeout=90)
    assert memd("health").returncode == 6


def test_the_status_tells_that_nobody_serves(memd: Memd, chat: Path) -> None:
    """Code 0 and a sentence, with something stored, after a daemon ended in order, and after one was killed."""
    assert memd("ingest", str(chat)).returncode == 0
    for number in (None, signal.SIGTERM, signal.SIGKILL):
        if number is not None:
            daemon = memd.start("serve")
            memd.until_served(daemon, 90)
            assert memd.json("status")["pid"] == daemon.pid
            daemon.send_signal(number)
            daemon.communicate(timeout=90)
        done = memd("status")
        assert (done.returncode, b"no memd runs" in done.stderr) == (0, True), done.stderr.decode()
        assert memd.json("status")["pid"] is None
        assert memd("health").stdout == b"down\n"


@pytest.mark.parametrize("interrupted", ["owner", "other"])
def test_of_two_ingests_one_is_interrupted(memd: Memd, tmp_path: Path, interrupted: str) -> None:
    """The other completes, whoever owned the memory; the same command again completes the first; nothing is doubled."""
    first, second = chats(tmp_path, 2, 800)
    owner = memd.start("ingest", str(first), "--json")
    memd.until_served(owner, 90)
    other = memd.start("ingest", str(second), "--json")
    _until(lambda: len(memd.json("status")["running"]) == 2 or other.poll() is not None or owner.poll() is not None)
    stopped, stays = (owner, other) if interrupted == "owner" else (other, owner)
    stopped.send_signal(signal.SIGINT)
    out, err = stays.communicate(timeout=240)
    assert stays.returncode == 0, err.decode()
    done = json.loads(out)
    assert done["added"] + done["unchanged"] == 800
    _, err = stopped.communicate(timeout=240)
    assert stopped.returncode in (130, 0), err.decode()  # 0: it was done before the signal came
    assert b"Traceback" not in err
    again = memd.json("ingest", str(first if interrupted == "owner" else second), seconds=240)
    assert again["added"] + again["unchanged"] == 800
    assert memd.json("stats")["messages"] == 1600


@pytest.mark.usefixtures("vectors")
def test_a_run_whose_vectors_are_left_is_told_by_what_it_stored(memd: Memd, chat: Path) -> None:
    """Without a daemon `--no-wait` ends memd when all is stored; the next memd makes the vectors."""
    assert memd("ingest", str(chat), "--no-wait").returncode == 0
    (run,) = memd.json("runs")["runs"]
    assert (run["outcome"], run["added"], "detail" in run) == ("ok", 4, False)


@pytest.mark.usefixtures("vectors")
def test_an_ingest_beside_a_long_job_of_the_daemon(memd: Memd, tmp_path: Path) -> None:
    """While the daemon stores and embeds one chat and compares everything, another is ingested: all end well."""
    first, second = chats(tmp_path, 2, 250)
    daemon = memd.start("serve")
    memd.until_served(daemon, 90)
    assert memd("ingest", str(first), "--no-wait").returncode == 0
    doctor = memd.start("doctor")
    assert memd.json("ingest", str(second), seconds=240)["added"] == 250
    _, err = doctor.communicate(timeout=240)
    assert doctor.returncode == 0, err.decode()
    _until(lambda: not memd.json("status")["running"], 240)
    assert memd.json("stats")["messages"] == 500
    daemon.send_signal(signal.SIGTERM)
    daemon.communicate(timeout=90)
    assert daemon.returncode == 0


@pytest.mark.parametrize("questions", [15, pytest.param(50, marks=pytest.mark.long)])
def test_questions_while_a_daemon_comes_and_goes(memd: Memd, chat: Path, questions: int) -> None:
    """Questions one after another, while `memd serve` is started and stopped at random moments: each is answered."""
    Path(memd.environment["MEMD_CONFIG"]).write_text(NO_FACTS)
    assert memd.json("ingest", str(chat))["added"] == 4
    failed: list[tuple[int, str]] = []
    asked = threading.Event()

    def ask() -> None:
        try:
            for _ in range(questions):
                done = memd("query", "dentist", "--json", seconds=120)
                if done.returncode != 0 or not json.loads(done.stdout)["hits"]:
                    failed.append((done.returncode, done.stderr.decode()))
        finally:
            asked.set()

    chance = random.Random(7)
    asking = threading.Thread(target=ask)
    asking.start()
    codes: list[int] = []
    while not asked.is_set():
        daemon = memd.start("serve")
        if chance.random() < 0.7:
            _until(lambda daemon=daemon: (memd.home / "s").exists() or daemon.poll() is not None or asked.is_set(), 90)
        asked.wait(chance.uniform(0, 1.0))
        before = daemon.poll()
        assert before is None, daemon.communicate(timeout=60)[1].decode()
        daemon.send_signal(signal.SIGTERM)
        daemon.communicate(timeout=90)
        codes.append(daemon.returncode)
    asking.join()
    assert failed == []
    assert set(codes) <= {0, -signal.SIGTERM}, codes  # the signal may come before the daemon handles it
    assert 0 in codes


@pytest.mark.parametrize("count", [4, pytest.param(8, marks=pytest.mark.long)])
def test_ingests_while_a_daemon_comes_and_goes(memd: Memd, tmp_path: Path, count: int) -> None:
    """Each is kept once, whether the daemon or the command itself stored it; none fails because the owner changes."""
    Path(memd.environment["MEMD_CONFIG"]).write_text(NO_FACTS)
    paths = chats(tmp_path, count, 400)
    failed: list[tuple[int, str]] = []
    done = threading.Event()

    def ingest() -> None:
        try:
            for path in paths:
                result = memd("ingest", str(path), "--json", seconds=240)
                if result.returncode != 0:
                    failed.append((result.returncode, result.stderr.decode()))
        finally:
            done.set()

    ingesting = threading.Thread(target=ingest)
    ingesting.start()
    chance = random.Random(11)
    while not done.is_set():
        daemon = memd.start("serve")
        _until(lambda daemon=daemon: memd.socket.exists() or daemon.poll() is not None or done.is_set(), 120)
        done.wait(chance.uniform(0, 2.0))
        daemon.send_signal(signal.SIGTERM)
        daemon.communicate(timeout=120)
    ingesting.join()
    assert failed == []
    assert memd.json("stats")["messages"] == count * 400


def _until(holds: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.1)
