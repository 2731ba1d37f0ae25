"""The spine, by the real command: ingest, ask, look up, with nobody serving and with a daemon."""

from __future__ import annotations

import fcntl
import json
import signal
import socket
import stat
import subprocess
import termios
import threading
import time
from array import array
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import IO, TYPE_CHECKING

import pytest

from memd.tests import processes
from memd.tests.cases import check_all
from memd.tests.command import memd_command

if TYPE_CHECKING:
    from memd.tests.e2e.conftest import Memd

HIT_KEYS = [
    "kind", "speaker", "time", "chat", "message_ids", "scores", "tags", "chunk", "passage", "highlights", "context",
    "occurrences", "rank", "id", "source", "document_id", "score", "type", "text",
]  # fmt: skip
"""In the order in which they are written."""
STATS_KEYS = {
    "documents", "messages", "chunks", "facts", "people", "vectors", "bytes", "embedding_cache", "query_ms", "queue",
    "dead_letters",
}  # fmt: skip


@pytest.mark.usefixtures("vectors")
def test_ingest_ask_and_look_up(memd: Memd, chat: Path) -> None:
    """What was read is found with its citation, and the citation can be looked up; twice changes nothing."""
    first = memd.json("ingest", str(chat), "--me", "Ann")
    assert (first["outcome"], first["added"], first["rejected"]) == ("ok", 4, 0)
    assert first["vectors"]["pending"] == 0
    answer = memd.json("query", "where did Bob move to?", "-k", "2")
    assert set(answer) == {"query", "took_ms", "weak", "degraded", "hits", "facts", "did_you_mean"} | {
        "understood",
        "count",
        "summary",
        "notices",
    }
    assert list(answer["hits"][0]) == HIT_KEYS
    assert answer["hits"][0]["text"] == "I moved to Lisbon in March, near the river"
    assert answer["hits"][0]["speaker"] == "Bob"
    shown = memd.json("show", answer["hits"][0]["id"])
    assert shown["document"]["id"] == answer["hits"][0]["document_id"]
    again = memd.json("ingest", str(chat), "--me", "Ann")
    assert (again["added"], again["unchanged"]) == (0, 4)


def test_people_read_what_programs_read(memd: Memd, chat: Path) -> None:
    """Without --json: a summary on standard error, hits with their ids on standard output, no escape codes in a pipe."""
    done = memd("ingest", str(chat))
    assert done.returncode == 0
    assert b"4 messages of 1 document" in done.stderr
    assert b"user-unknown" in done.stderr
    assert done.stdout == b""
    found = memd("query", "dentist")
    assert b"Carla stays in Oslo" in found.stdout
    assert b"whatsapp" in found.stdout
    assert b"\x1b" not in done.stderr + found.stdout + found.stderr


def test_an_empty_store_answers(memd: Memd) -> None:
    """Nothing stored is no error: the answer says what to do next."""
    done = memd("query", "anything")
    assert done.returncode == 0
    assert b"no hits" in done.stdout
    assert memd.json("documents") == {"documents": []}


@pytest.mark.wheel
@pytest.mark.usefixtures("vectors")
def test_a_daemon_serves_everything(memd: Memd, chat: Path) -> None:
    """With `memd serve`, every command goes through it; its socket is private; it ends in order."""
    daemon = memd.start("serve")
    memd.until_served(daemon)
    assert stat.S_IMODE(memd.socket.stat().st_mode) == 0o600
    assert stat.S_IMODE(memd.data.stat().st_mode) == 0o700
    assert memd.json("ingest", str(chat), "--me", "Ann")["added"] == 4
    assert memd.json("query", "dentist")["hits"][0]["speaker"] == "Bob"
    assert memd.json("query", "dentist", "--speaker", "Ann")["hits"][0]["speaker"] == "Ann"
    assert len(memd.json("documents")["documents"]) == 1
    assert set(memd.json("stats")) >= STATS_KEYS
    status = memd.json("status")
    assert status["socket"] == str(memd.socket)
    assert status["data_dir"] == str(memd.data)
    assert memd("show", "nothing").returncode == 7
    assert memd("query", "x", "-k", "0").returncode == 2
    assert _raw(memd.socket, b"GET /v1/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").startswith(
        b"HTTP/1.1 200"
    )
    assert _raw(memd.socket, b"nonsense\r\n\r\n").startswith(b"HTTP/1.1 400")
    daemon.send_signal(signal.SIGTERM)
    assert daemon.wait(15) == 0
    assert not memd.socket.exists()


def test_documents_come_by_standard_input(memd: Memd, chat: Path) -> None:
    """`memd parse` writes what `memd ingest -` reads."""
    parsed = memd("parse", str(chat), "--me", "Ann")
    assert parsed.returncode == 0
    assert [json.loads(line)["id"] for line in parsed.stdout.splitlines()] == ["whatsapp:Two:2024-01-15"]
    assert memd.json("ingest", "-", stdin=parsed.stdout)["added"] == 4
    assert memd.json("ingest", str(chat), "--me", "Ann")["unchanged"] == 4


def test_exit_codes(memd: Memd, tmp_path: Path, chat: Path) -> None:
    """Nothing readable is 3, partly readable is 4, a wrong command line is 2, and each says why."""
    garbage = tmp_path / "garbage.bin"
    garbage.write_bytes(b"\x00\x01\x02" * 100)
    for words, code in (
        (["parse", str(tmp_path / "none.zip")], 3),
        (["parse", str(garbage)], 3),
        (["parse", str(garbage), str(chat)], 4),
        (["parse", str(chat), "--zone", "Mars/Olympus"], 2),
        (["ingest", str(garbage)], 3),
        (["query", "x", "--since", "some day"], 2),
        (["query"], 2),
        (["query", ""], 2),
    ):
        done = memd(*words)
        assert done.returncode == code, (words, done.stderr.decode())
        assert done.stderr


def test_asking_makes_nothing_where_nothing_is(memd: Memd) -> None:
    """The status tells that nobody runs; what is asked is answered as by an empty memory."""
    status = memd("status")
    assert (status.returncode, b"no memd runs" in status.stderr) == (0, True)
    assert memd.json("stats")["documents"] == 0
    assert memd.json("query", "where does Bob live?")["hits"] == []
    assert memd("people", "Bob").returncode == 7
    assert memd("export").returncode == 0
    assert not memd.data.exists()
    assert not memd.socket.exists()


def test_a_data_directory_that_cannot_be_is_told(memd: Memd) -> None:
    """A file lies in its place, or in that of a folder above it."""
    memd.data.write_text("no folder")

    def check(case: tuple[str, list[str]]) -> None:
        place, words = case
        done = memd("--data-dir", str(memd.home / place), *words)
        assert (done.returncode, b"cannot be made" in done.stderr) == (6, True)

    check_all(product(["data", "data/below"], [["status"], ["stats"], ["query", "Bob"]]), check)


def test_parse_tells_notices_as_json_lines(memd: Memd, chat: Path) -> None:
    """What a reader should know is on standard error, each a JSON object with its type."""
    done = memd("parse", str(chat))
    told = [json.loads(line) for line in done.stderr.splitlines()]
    assert {record["type"] for record in told} == {"file", "notice"}
    assert {"user-unknown", "zone-assumed"} <= {record.get("code") for record in told}


def test_questions_are_answered_while_an_ingest_runs(
    memd: Memd, long_chat: Callable[[int], Path], held: threading.Event
) -> None:
    """Whoever ingests also serves: query, status and watch work from other processes until it is done."""
    ingest = memd.start("ingest", str(long_chat(300)), "--json")
    memd.until_served(ingest)
    _until(lambda: bool(memd.json("query", "what is 7?")["hits"]))
    assert memd.json("status")["socket"] == str(memd.socket)
    watch = memd.start("watch", "--json")
    assert watch.stdout is not None
    first = watch.stdout.readline()
    assert ingest.poll() is None
    held.set()
    out, err = ingest.communicate(timeout=120)
    assert ingest.returncode == 0, err.decode()
    assert (json.loads(out)["added"], json.loads(out)["vectors"]) == (300, {"done": 300, "pending": 0})
    seen, _ = watch.communicate(timeout=30)
    updates = [json.loads(line) for line in (first + seen).splitlines()]
    assert updates[-1]["outcome"] == "ok"


def test_what_ctrl_c_leaves_the_next_run_completes(
    memd: Memd, long_chat: Callable[[int], Path], held: threading.Event
) -> None:
    """Interrupted while vectors are missing: exit code 130, a sentence, and afterwards every message once with its vector."""
    path = long_chat(300)
    ingest = memd.start("ingest", str(path))
    memd.until_served(ingest)
    _until(lambda: memd.json("stats")["messages"] > 0)
    ingest.send_signal(signal.SIGINT)
    _, err = ingest.communicate(timeout=60)
    assert ingest.returncode == 130
    assert b"stopped while " in err
    assert b"Traceback" not in err
    held.set()
    done = memd.json("ingest", str(path), seconds=120)
    assert done["added"] + done["unchanged"] == 300
    assert memd.json("stats")["messages"] == 300
    assert memd.json("stats")["vectors"] == {"done": 300, "pending": 0}


def _until(holds: Callable[[], bool], seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def _unread(pipe: IO[bytes] | None) -> int:
    """The number of bytes in a pipe that its reader has not taken."""
    assert pipe is not None
    size = array("i", [0])
    fcntl.ioctl(pipe, termios.FIONREAD, size)
    return size[0]


def _raw(path: Path, request: bytes) -> bytes:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(20)
        connection.connect(str(path))
        connection.sendall(request)
        answer = b""
        while piece := connection.recv(65536):
            answer += piece
        return answer


def test_ctrl_c_ends_an_ingest_that_waits_for_standard_input(memd: Memd) -> None:
    """130, also while nothing comes from a pipe that stays open."""
    command = memd_command("ingest", "-")
    with processes.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=memd.environment) as ingest:
        try:
            assert ingest.stdin is not None
            ingest.stdin.write(b"{")
            ingest.stdin.flush()
            _until(lambda: _unread(ingest.stdin) == 0, 60)
            ingest.send_signal(signal.SIGINT)
            assert ingest.wait(60) == 130
            assert ingest.stderr is not None
            assert b"Fatal" not in ingest.stderr.read()
        finally:
            ingest.kill()
