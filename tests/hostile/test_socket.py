"""A real daemon under attack at its socket: after each attack it answers, with the files and memory it had before."""

from __future__ import annotations

import json
import os
import random
import resource
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from itertools import chain, repeat
from pathlib import Path

import pytest

from memd.daemon import operations
from memd.daemon.client import Client, DaemonError, DaemonGoneError, DaemonTimeoutError
from memd.daemon.http.limits import CONNECTIONS, FOLLOWERS
from memd.tests.cases import check_all
from memd.tests.e2e.conftest import Memd

MIB = 1024 * 1024
HEALTH = b"GET /v1/health HTTP/1.1\r\nHost: x\r\n\r\n"
QUESTION = b"POST /v1/query HTTP/1.1\r\nHost: x\r\n"
LINES = b"POST /v1/documents HTTP/1.1\r\nHost: x\r\n"

GARBAGE = [
    random.Random(1).randbytes(100_000),
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500),  # a TLS greeting
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"GET /v1/health\r\n",  # HTTP/0.9
    b"GET /v1/health HTTP/0.9\r\n\r\n",
    b"GET /v1/health HTTP/9.9\r\nHost: x\r\n\r\n",
    b"\x00" * 100_000,
    b"\r\n" * 50_000,
    b"GET /" + b"a" * MIB + b" HTTP/1.1\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: x\r\n" + b"a: b\r\n" * 100_000 + b"\r\n",
    b"GET / HTTP/1.1\r\nHost: x\r\nx: " + b"a" * MIB + b"\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: x\r\nx: \x1b[2J\x00\r\n\r\n",
    b"GET / HTTP/1.1\r\n\r\n",
    QUESTION + b"Content-Length: -1\r\n\r\n",
    QUESTION + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
    QUESTION + b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n",
    QUESTION + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    QUESTION + b"Transfer-Encoding: chunked\r\n\r\n" + b"f" * 40 + b"\r\nhello",
    QUESTION + b"Transfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n",
    QUESTION + b"Transfer-Encoding: chunked\r\n\r\n0\r\n" + b"a: b\r\n" * 100_000,
    QUESTION + b"Transfer-Encoding: gzip\r\n\r\n",
    (
        b"GET /v1/health HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    ),
    b"CONNECT example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET http://example.org/v1/health HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET /v1/../../etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET /v1/documents/%00%ff%2e%2e%2f HTTP/1.1\r\nHost: x\r\n\r\n",
    b"\x1b[2J /v1/health HTTP/1.1\r\nHost: x\r\n\r\n",
]


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memd]:
    """A daemon with a few hundred messages."""
    command = Memd(tmp_path_factory.mktemp("d"))
    command.until_served(command.start("serve"))
    client = Client(str(command.socket))
    list(client.send_documents(document(number, "x" * 4000) for number in range(60)))
    client.close()
    yield command
    command.end()


@pytest.fixture(autouse=True)
def unharmed(daemon: Memd) -> Iterator[None]:
    """After every attack: the same process answers, soon, with as many open files as before and bounded memory."""
    answered(daemon)
    pid = daemon.running[0].pid
    before = files_of(pid)
    yield
    answered(daemon)
    assert daemon.running[0].poll() is None
    deadline = time.monotonic() + 30
    while files_of(pid) > before + 4:
        assert time.monotonic() < deadline, f"{files_of(pid)} files are open, {before} were"
        time.sleep(0.2)
    assert peak_of(pid) < 450 * MIB


def document(number: int, words: str = "nothing") -> bytes:
    """One text as a line."""
    return json.dumps({"id": f"note:{number}", "content": f"{number} {words}"}).encode() + b"\n"


def files_of(pid: int) -> int:
    """How many files a process has open."""
    return len(os.listdir(f"/proc/{pid}/fd"))


def peak_of(pid: int) -> int:
    """The most memory that a process has had, in bytes."""
    text = Path(f"/proc/{pid}/status").read_text()
    return int(text.partition("VmHWM:")[2].split()[0]) * 1024


def answered(daemon: Memd, seconds: float = 30) -> None:
    """Somebody who asks properly gets an answer; told to come back, it does."""
    deadline = time.monotonic() + seconds
    while True:
        client = Client(str(daemon.socket), seconds)
        try:
            assert client.call(operations.HEALTH)
            assert "hits" in client.call(operations.QUERY, {"text": "nothing"})
            return
        except (DaemonError, DaemonGoneError, DaemonTimeoutError):
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
        finally:
            client.close()


def attack(daemon: Memd) -> socket.socket:
    """A connection of somebody with bad intentions."""
    deadline = time.monotonic() + 60
    while True:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.settimeout(40)
        try:
            connection.connect(str(daemon.socket))
        except BlockingIOError:  # the kernel's queue is full
            connection.close()
            assert time.monotonic() < deadline
            time.sleep(0.01)
        else:
            return connection


def rest_of(connection: socket.socket) -> bytes:
    """Everything that comes until the other side closes."""
    answer = b""
    with suppress(ConnectionResetError):
        while part := connection.recv(65536):
            answer += part
    return answer


def sent(connection: socket.socket, pieces: Iterator[bytes]) -> int:
    """Send for as long as the other side takes it; returns the bytes."""
    count = 0
    with suppress(BrokenPipeError, ConnectionResetError):
        for piece in pieces:
            connection.sendall(piece)
            count += len(piece)
    return count


def test_garbage_is_refused_in_the_envelope(daemon: Memd) -> None:
    """What is no request, or no good one, gets an error in the usual shape, without a byte of what was sent."""

    def check(number: int) -> None:
        with attack(daemon) as connection:
            sent(connection, iter([GARBAGE[number]]))
            with suppress(OSError):
                connection.shutdown(socket.SHUT_WR)
            answers = rest_of(connection).split(b"HTTP/1.1 ")[1:]  # what begins like a request may hold two of them
        for answer in answers:
            status, body = answer[:3], answer.partition(b"\r\n\r\n")[2]
            assert b"\x1b" not in answer
            if status != b"200":
                assert status in (b"400", b"404", b"405", b"413")
                assert json.loads(body)["code"] in ("VAL", "NOT_FOUND")
        answered(daemon)

    check_all(range(len(GARBAGE)), check)


def test_half_requests_are_cut_off_and_nobody_waits_for_them(daemon: Memd) -> None:
    """Fifty of them stay ten seconds at the most; meanwhile others are answered."""
    halves = [
        b"",
        b"GET /v1/he",
        HEALTH[:-2],
        LINES + b"Content-Length: 100\r\n\r\n{",
        QUESTION + b"Content-Length: 9\r\n\r\n{",
    ]
    with ExitStack() as stack:
        connections = [stack.enter_context(attack(daemon)) for _ in range(50)]
        for number, connection in enumerate(connections):
            connection.sendall(halves[number % len(halves)])
        answered(daemon)
        for connection in connections:
            assert b" 200 " not in rest_of(connection)


def test_a_thousand_half_requests_are_gone_soon(daemon: Memd) -> None:
    """However many there are, and in whatever half they are: whoever is told to come back is answered when they are cut."""
    halves = [b"", HEALTH[:-2], LINES + b"Content-Length: 100\r\n\r\n{", QUESTION + b"Content-Length: 9\r\n\r\n{"]
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    room = 1000 if files == resource.RLIM_INFINITY else files - files_of(os.getpid()) - 50
    with ExitStack() as stack:
        for number in range(max(1, min(1000, room))):
            sent(stack.enter_context(attack(daemon)), iter([halves[number % len(halves)]]))
        answered(daemon, 60)


def test_dripping_requests_are_cut_off(daemon: Memd) -> None:
    """A byte now and then does not prolong the ten seconds: the hundred and fifty bytes are never all taken."""
    with ExitStack() as stack:
        connections = [stack.enter_context(attack(daemon)) for _ in range(10)]
        heads = [iter((QUESTION + b"x: " + b"a" * 150)[:150]) for _ in connections]
        open_still = set(range(len(connections)))
        while open_still:
            for number in list(open_still):
                byte = next(heads[number], None)
                assert byte is not None, "the daemon took every byte"
                try:
                    connections[number].sendall(bytes([byte]))
                except (BrokenPipeError, ConnectionResetError):
                    open_still.discard(number)
            time.sleep(0.2)
        answered(daemon)


@pytest.mark.parametrize("head", [QUESTION, LINES, HEALTH[:-2]], ids=["query", "documents", "health"])
@pytest.mark.parametrize("kind", ["chunked", "length", "lying"])
def test_an_endless_body_is_not_read_to_its_end(daemon: Memd, head: bytes, kind: str) -> None:
    """It is cut at the cap of a body, whatever its head says; a lie about the length is the next request, and wrong."""
    piece = b" " * 65536
    if kind == "chunked":
        head += b"Transfer-Encoding: chunked\r\n\r\n"
        piece = b"10000\r\n" + piece + b"\r\n"
    else:
        head += b"Content-Length: " + (str(10**15).encode() if kind == "length" else b"10") + b"\r\n\r\n"
    with attack(daemon) as connection:
        assert sent(connection, chain([head], repeat(piece, 1000 if b"/health" in head else 10_000))) < 80 * MIB


def test_bodies_together_are_bounded(daemon: Memd) -> None:
    """Forty bodies just below the cap, none of them ever whole: together they are refused before memory is."""
    piece = b" " * MIB

    def send() -> None:
        with attack(daemon) as connection:
            sent(connection, iter([LINES + b"Content-Length: 16777216\r\n\r\n", *[piece] * 15]))
            time.sleep(3)

    senders = [threading.Thread(target=send) for _ in range(40)]
    for sender in senders:
        sender.start()
    for sender in senders:
        sender.join()


def test_pipelined_requests_that_nobody_reads(daemon: Memd) -> None:
    """Ten thousand of them: the daemon stops reading when its answers are not taken."""
    with attack(daemon) as connection:
        connection.settimeout(3)
        with suppress(TimeoutError):
            sent(connection, iter([HEALTH * 100] * 100))
        answered(daemon)


def test_answers_that_nobody_reads(daemon: Memd) -> None:
    """Exports and streams of progress that are never read hold up nobody as long as there are places."""
    with ExitStack() as stack:
        for path in (b"/v1/export", b"/v1/progress", b"/v1/documents?limit=1000"):
            connections = [stack.enter_context(attack(daemon)) for _ in range(20)]
            for connection in connections:
                connection.sendall(b"GET " + path + b" HTTP/1.1\r\nHost: x\r\n\r\n")
            assert connections[-1].recv(1), "no answer begins"
        answered(daemon)
        client = Client(str(daemon.socket))
        assert [answer.accepted for answer in client.send_documents([document(1000)])] == [1]
        client.close()


def test_more_followers_than_places(daemon: Memd) -> None:
    """Some are told to come back, and others get their answers meanwhile."""
    with ExitStack() as stack:
        refused = 0
        for _ in range(FOLLOWERS + 50):
            connection = stack.enter_context(attack(daemon))
            with suppress(BrokenPipeError):
                connection.sendall(b"GET /v1/progress HTTP/1.1\r\nHost: x\r\n\r\n")
            refused += connection.recv(12) == b"HTTP/1.1 409"
        assert refused >= 50
        answered(daemon, 60)


@pytest.mark.parametrize("path", [b"/v1/progress", b"/v1/export", b"/openapi.json"])
def test_head_is_not_carried_out(daemon: Memd, path: bytes) -> None:
    """A stream without an end would run for nobody to see."""
    with attack(daemon) as connection:
        connection.sendall(b"HEAD " + path + b" HTTP/1.1\r\nHost: x\r\n\r\n")
        assert connection.recv(12) == b"HTTP/1.1 405"


def test_five_hundred_connections_at_once(daemon: Memd) -> None:
    """Most are told to come back, none stays, and who asks meanwhile is answered."""
    with ExitStack() as stack:
        for _ in range(500):
            stack.enter_context(attack(daemon))
        deadline = time.monotonic() + 20  # it has to take each of them out of the queue to refuse it
        while files_of(daemon.running[0].pid) >= CONNECTIONS + 100:
            assert time.monotonic() < deadline
            time.sleep(0.1)
        answered(daemon, 60)


def test_connections_that_come_and_go(daemon: Memd) -> None:
    """Opened and closed at once, in the middle of a request, or reset before the answer."""
    for number in range(300):
        with attack(daemon) as connection:
            connection.sendall([b"", b"GET ", HEALTH, QUESTION + b"Content-Length: 50\r\n\r\n{"][number % 4])


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
def test_another_user_is_refused(daemon: Memd) -> None:
    """Also where the socket's mode and the folders around it would let that user in; root and the same user are not."""
    script = (
        "import os, socket, sys\n"
        "s = socket.socket(socket.AF_UNIX); s.settimeout(10)\n"
        "os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
        "try:\n    s.connect(sys.argv[1])\n"
        "except PermissionError:\n    print('no entry'); sys.exit()\n"
        "try:\n    s.sendall(b'GET /v1/stats HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n')\n"
        "except BrokenPipeError:\n    pass\n"
        "said = b''\n"
        "try:\n    while part := s.recv(65536): said += part\n"
        "except ConnectionResetError:\n    pass\n"
        "print(said.decode())\n"
    )

    def ask() -> str:
        words = [sys.executable, "-I", "-c", script, str(daemon.socket)]
        return subprocess.run(words, capture_output=True, text=True, timeout=30, check=True).stdout

    assert "no entry" in ask()
    opened = [daemon.socket, *daemon.socket.parents]
    modes = [path.stat().st_mode for path in opened]
    try:
        for path, mode in zip(opened, modes, strict=True):
            path.chmod(mode | 0o777)
        answer = ask()
    finally:
        for path, mode in zip(opened, modes, strict=True):
            path.chmod(mode)
    assert answer.startswith("HTTP/1.1 403 ")
    assert "another user" in answer
    assert "messages" not in answer.partition("\r\n\r\n")[2].replace("another user", "")
