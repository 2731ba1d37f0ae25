"""The socket and its wall: modes, peers, stale sockets, half and wrong requests, limits, a bounded end."""

from __future__ import annotations

import json
import os
import socket
import stat
import threading
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest

from memd.daemon.http.protocol import Peer, allowed
from memd.daemon.http.server import bound_socket, group_id, serve_path, serve_socket
from memd.schemas.errors import BusyError, ConfigError

pytestmark = pytest.mark.anyio


async def _echo(scope: Any, receive: Any, send: Any) -> None:
    """Answers with the body's length once it is complete; `/slow` takes for ever."""
    size = 0
    more = True
    while more:
        event = await receive()
        if event["type"] == "http.disconnect":
            return
        size += len(event["body"])
        more = event["more_body"]
    if scope["path"] == "/slow":
        await anyio.sleep_forever()
    body = json.dumps({"bytes": size}).encode()
    headers = [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


@asynccontextmanager
async def _served(path: Path, app: Any = _echo, **options: Any) -> AsyncGenerator[Path, None]:
    with bound_socket(path) as listener:
        async with anyio.create_task_group() as tasks:

            async def run(*, task_status: Any) -> None:
                await serve_socket(app, listener, task_status=task_status, **options)

            await tasks.start(run)
            yield path
            tasks.cancel_scope.cancel()


async def _raw(path: Path, *pieces: bytes, pause: float = 0.0) -> bytes:
    """Send bytes as they are and return everything that comes back until the other side closes."""
    async with await anyio.connect_unix(path) as stream:
        for index, piece in enumerate(pieces):
            if index:
                await anyio.sleep(pause)
            await stream.send(piece)
        answer = b""
        try:
            with anyio.fail_after(20):
                while True:
                    answer += await stream.receive()
        except (anyio.EndOfStream, anyio.BrokenResourceError):
            return answer


def _body(answer: bytes) -> dict[str, Any]:
    return json.loads(answer.partition(b"\r\n\r\n")[2])


CLOSE = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"


def test_only_the_owner_may_use_the_socket(tmp_path: Path) -> None:
    """The socket's mode is 0600 whatever the umask, and it is gone afterwards."""
    path = tmp_path / "new" / "m.sock"
    before = os.umask(0)
    try:
        with bound_socket(path):
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
            assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    finally:
        os.umask(before)
    assert not path.exists()


def test_a_group_may_use_the_socket_when_it_is_named(tmp_path: Path) -> None:
    """With a group, the socket is 0660 and belongs to it."""
    path = tmp_path / "m.sock"
    with bound_socket(path, group=os.getgid()):
        status = path.stat()
        assert (stat.S_IMODE(status.st_mode), status.st_gid) == (0o660, os.getgid())


def test_the_socket_of_a_dead_owner_is_replaced(tmp_path: Path) -> None:
    """A socket that nobody listens at is no obstacle."""
    path = tmp_path / "m.sock"
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
    assert path.exists()
    with bound_socket(path):
        assert path.exists()


def test_the_socket_of_a_living_owner_is_left_alone(tmp_path: Path) -> None:
    """Somebody who listens there keeps it, and the error says what to do."""
    path = tmp_path / "m.sock"
    with bound_socket(path):
        with (
            pytest.raises(BusyError, match=rf"another process \({os.getpid()}\) listens at ") as raised,
            bound_socket(path),
        ):
            pass
        assert "--socket" in raised.value.hint
        assert path.exists()


def test_a_socket_that_was_replaced_is_not_removed(tmp_path: Path) -> None:
    """Only our own socket is cleared away at the end."""
    path = tmp_path / "m.sock"
    with bound_socket(path):
        path.unlink()
        path.write_text("somebody else's")
    assert path.read_text() == "somebody else's"


@pytest.mark.parametrize("case", ["file", "long", "folder"])
def test_a_place_that_cannot_be_a_socket_is_a_configuration_error(tmp_path: Path, case: str) -> None:
    """A file in the way, a path too long for the kernel, a folder that cannot be made: a sentence and a hint."""
    blocker = tmp_path / "file"
    blocker.write_text("precious")
    path = {"file": blocker, "long": tmp_path / ("x" * 110), "folder": blocker / "m.sock"}[case]
    with pytest.raises(ConfigError) as raised, bound_socket(path):
        pass
    assert "--socket" in raised.value.hint
    assert blocker.read_text() == "precious"


def test_an_unknown_group_is_a_configuration_error() -> None:
    """A group that does not exist is named."""
    assert group_id(None) is None
    with pytest.raises(ConfigError, match="no-such-group"):
        group_id("no-such-group")


def test_who_may_ask() -> None:
    """The same user, root and the configured group; nobody else."""
    stranger = Peer(pid=1, uid=os.getuid() + 40_000, gid=40_000)
    assert allowed(Peer(1, os.getuid(), 40_000), None)
    assert allowed(Peer(1, 0, 0), None)
    assert not allowed(stranger, None)
    assert not allowed(stranger, 40_001)
    assert allowed(stranger, 40_000)


async def test_a_stranger_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another user's request is answered with 403 in the shape of every error."""

    def stranger(_: socket.socket) -> Peer:
        return Peer(1, os.getuid() + 40_000, 40_000)

    monkeypatch.setattr("memd.daemon.http.protocol.peer_of", stranger)
    async with _served(tmp_path / "m.sock") as path:
        answer = await _raw(path, CLOSE)
        assert answer.startswith(b"HTTP/1.1 403")
        assert _body(answer)["code"] == "VAL"


async def test_a_request_is_answered(tmp_path: Path) -> None:
    """A plain HTTP/1.1 request over the socket works."""
    async with _served(tmp_path / "m.sock") as path:
        assert _body(await _raw(path, CLOSE)) == {"bytes": 0}


@pytest.mark.parametrize(
    "garbage", [b"\x00\xff\xfe\r\n\r\n", b"GET\r\n\r\n", b"{}\n\n", b"GET / HTTP/1.1\r\n" + b"a" * 70_000]
)
@pytest.mark.slow
async def test_garbage_is_answered_and_closed(tmp_path: Path, garbage: bytes, caplog: pytest.LogCaptureFixture) -> None:
    """What is no HTTP gets 400 in the shape of every error, and the server goes on; nobody fills the log with it."""
    async with _served(tmp_path / "m.sock") as path:
        answer = await _raw(path, garbage)
        assert answer.startswith(b"HTTP/1.1 400")
        assert _body(answer)["code"] == "VAL"
        assert _body(await _raw(path, CLOSE.replace(b"close", b"close, Upgrade\r\nUpgrade: websocket"))) == {"bytes": 0}
    assert caplog.messages == []


@pytest.mark.parametrize(
    "half",
    [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: x\r\n", b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc"],
)
@pytest.mark.slow
async def test_half_a_request_does_not_stay(tmp_path: Path, half: bytes) -> None:
    """A request that does not arrive whole in its time is cut off without an answer."""
    async with _served(tmp_path / "m.sock", seconds=0.2) as path, await anyio.connect_unix(path) as stream:
        if half:
            await stream.send(half)
        with anyio.fail_after(30), pytest.raises((anyio.EndOfStream, anyio.BrokenResourceError)):
            await stream.receive()


@pytest.mark.slow
async def test_a_dripping_request_is_cut_off(tmp_path: Path) -> None:
    """A byte now and then does not keep a request alive."""
    drips = [b"GET / HTTP/1.1\r\nHost: x\r\n"] + [b"A: b\r\n"] * 6 + [b"\r\n"]
    async with _served(tmp_path / "m.sock", seconds=0.3) as path:
        answer = b""
        with suppress(anyio.BrokenResourceError):  # cut off between two bytes
            answer = await _raw(path, *drips, pause=0.25)
        assert answer == b""


@pytest.mark.slow
async def test_documents_may_take_longer_while_bytes_keep_coming(tmp_path: Path) -> None:
    """The body of an ingest is timed between its bytes, not as a whole."""
    head = b"POST /v1/documents HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 8\r\n\r\n"
    async with _served(tmp_path / "m.sock", seconds=1.5) as path:
        answer = await _raw(path, head, *[b"x"] * 8, pause=0.25)
        assert _body(answer) == {"bytes": 8}


@pytest.mark.slow
async def test_an_answer_may_take_longer_than_its_request(tmp_path: Path) -> None:
    """The clock is for what arrives; a long answer is not cut off."""
    async with _served(tmp_path / "m.sock", seconds=0.1) as path, await anyio.connect_unix(path) as stream:
        await stream.send(b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
        with anyio.move_on_after(0.5) as waited:
            await stream.receive()
        assert waited.cancelled_caught


async def test_two_requests_share_a_connection(tmp_path: Path) -> None:
    """Keep-alive and pipelining work through the wall."""
    first = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
    async with _served(tmp_path / "m.sock") as path:
        assert (await _raw(path, first + CLOSE)).count(b"200 OK") == 2


@pytest.mark.slow
async def test_too_many_connections_are_told_to_come_back(tmp_path: Path) -> None:
    """One more than the limit is answered BUSY, not left waiting."""
    async with _served(tmp_path / "m.sock", connections=2) as path:
        async with await anyio.connect_unix(path) as one, await anyio.connect_unix(path) as two:
            for each in (one, two):
                await each.send(b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
            answer = b""
            with anyio.fail_after(60):  # until both requests have been read
                while not answer.startswith(b"HTTP/1.1 409"):
                    answer = await _raw(path, CLOSE)
            assert _body(answer)["code"] == "BUSY"
            assert _body(answer)["retryable"]
            await one.aclose()
            await two.aclose()
        with anyio.fail_after(60):
            while (answer := await _raw(path, CLOSE)).startswith(b"HTTP/1.1 409"):
                await anyio.sleep(0.01)
        assert _body(answer) == {"bytes": 0}


async def test_the_end_is_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """An answer that never comes does not keep the server alive, and is no error in the log of whoever ended it."""
    monkeypatch.setattr("memd.daemon.http.server.GRACE_SECONDS", 0)
    with anyio.fail_after(30):
        async with _served(tmp_path / "m.sock") as path:
            stream = await anyio.connect_unix(path)
            await stream.send(b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
            await anyio.sleep(0.05)
    await stream.aclose()
    assert [each for each in caplog.records if each.levelname in ("WARNING", "ERROR")] == []


async def test_the_end_waits_for_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is closed after the server is used by no request's thread any more: closing a database under it ends the process."""
    monkeypatch.setattr("memd.daemon.http.server.GRACE_SECONDS", 0)
    begun, ended = anyio.Event(), threading.Event()

    def work() -> None:
        anyio.from_thread.run_sync(begun.set)
        time.sleep(0.3)
        ended.set()

    async def answer(_scope: Any, _receive: Any, _send: Any) -> None:
        await anyio.to_thread.run_sync(work)

    async with _served(tmp_path / "m.sock", answer) as path, await anyio.connect_unix(path) as stream:
        await stream.send(CLOSE)
        await begun.wait()
    assert ended.is_set()


async def test_a_client_that_does_not_read_is_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its connection is closed with the server: a transport that is left prints a traceback when the process ends."""
    monkeypatch.setattr("memd.daemon.http.server.GRACE_SECONDS", 0)
    answered, body = anyio.Event(), bytes(8_000_000)

    async def answer(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": body})
        answered.set()

    path, size = tmp_path / "m.sock", 0
    async with _served(path, answer):
        stream = await anyio.connect_unix(path)
        await stream.send(CLOSE)
        await answered.wait()
    async with stream:
        with suppress(anyio.EndOfStream, anyio.BrokenResourceError):
            while True:
                size += len(await stream.receive())
    assert size < len(body)


def test_a_folder_that_others_can_write_into_holds_no_socket(tmp_path: Path) -> None:
    """They could put theirs in its place; not so where everybody may remove only what is theirs."""
    tmp_path.chmod(0o777)
    with pytest.raises(ConfigError, match="everybody may write into it"), bound_socket(tmp_path / "m.sock"):
        pass
    tmp_path.chmod(0o1777)
    with bound_socket(tmp_path / "m.sock"):
        pass


@pytest.mark.anyio
async def test_a_removed_socket_is_made_anew(tmp_path: Path) -> None:
    """Connections that are open stay; what somebody else put in its place stays, too, as long as it is there."""
    path = tmp_path / "m.sock"
    async with anyio.create_task_group() as tasks:
        await tasks.start(partial(serve_path, _echo, path, seconds=0.01))
        async with await anyio.connect_unix(path) as kept:
            path.unlink()
            path.write_text("of somebody else")
            await anyio.sleep(0.1)
            assert path.read_text() == "of somebody else"
            path.unlink()
            with anyio.fail_after(60):
                while not path.is_socket():
                    await anyio.sleep(0.01)
                for stream in (kept, await anyio.connect_unix(path)):
                    await stream.send(b"GET / HTTP/1.1\r\nHost: memd\r\nConnection: close\r\n\r\n")
                    assert (await stream.receive()).startswith(b"HTTP/1.1 200")
                    await stream.aclose()
        tasks.cancel_scope.cancel()
    assert not path.exists()
