"""The watchdog: no ping without an answer of the store and of the socket."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import anyio
import pytest

from memd.daemon.liveness import answer_of, watch
from memd.daemon.service.status_line import status_line
from memd.schemas import ProgressUpdate
from memd.schemas.errors import StoreError
from memd.tests import processes
from memd.tests.daemon.test_lifecycle import Manager, served

HANGING = """
import sys, threading
from pathlib import Path
from memd.daemon.service import service
from memd.daemon.cli import main
answer = service.generation_of
def generation_of(connection):
    if Path(sys.argv[1]).exists():
        threading.Event().wait()
    return answer(connection)
service.generation_of = generation_of
sys.exit(main(["serve"]))
"""
"""A daemon whose store hangs in a thread, as in a file system that does not answer, from the moment that a file exists."""


@pytest.mark.anyio
async def test_each_ping_follows_an_answer_of_both(tmp_path: Path) -> None:
    """The store first, then the socket, then the ping."""
    order: list[str] = []
    served_twice = anyio.Event()

    async def read() -> None:
        await anyio.lowlevel.checkpoint()
        order.append("store")

    async def answer(stream: anyio.abc.SocketStream) -> None:
        async with stream:
            assert (await stream.receive()).startswith(b"GET /v1/health ")
            order.append("socket")
            await stream.send(b"HTTP/1.1 200 OK\r\n\r\n")

    def ping() -> None:
        order.append("ping")
        if order.count("ping") == 2:
            served_twice.set()

    async with await anyio.create_unix_listener(tmp_path / "s") as listener, anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, answer)
        tasks.start_soon(watch, read, tmp_path / "s", 0.02, ping)
        with anyio.fail_after(60):
            await served_twice.wait()
        tasks.cancel_scope.cancel()
    assert order[:6] == ["store", "socket", "ping"] * 2


@pytest.mark.anyio
async def test_an_error_of_the_store_is_an_answer(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A restart mends no disk: the daemon lives, and the log says what is wrong."""
    pinged = anyio.Event()

    async def read() -> None:
        await anyio.lowlevel.checkpoint()
        raise StoreError("the disk is gone")

    async def close(stream: anyio.abc.SocketStream) -> None:
        await stream.aclose()

    async with await anyio.create_unix_listener(tmp_path / "s") as listener, anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, close)
        tasks.start_soon(watch, read, tmp_path / "s", 0.02, pinged.set)
        with anyio.fail_after(60):
            await pinged.wait()
        tasks.cancel_scope.cancel()
    assert "the disk is gone" in caplog.text


@pytest.mark.anyio
@pytest.mark.slow
async def test_a_socket_that_accepts_nothing_is_waited_for(tmp_path: Path) -> None:
    """The kernel completes connections to a listening socket; only an answer shows that somebody accepts them."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(str(tmp_path / "s"))
        listener.listen(1)
        for _ in range(2):
            with anyio.move_on_after(0.3) as scope:
                await answer_of(tmp_path / "s")
            assert scope.cancelled_caught


@pytest.mark.slow
def test_a_store_that_hangs_stops_the_pings(tmp_path: Path) -> None:
    """Pings while it answers; none once it hangs, and the log says what the watchdog waits for."""
    manager = Manager(tmp_path / "notify")
    with processes.Popen(
        [sys.executable, "-P", "-c", HANGING, str(tmp_path / "hang")],
        env={
            **os.environ,
            "MEMD_DATA_DIR": str(tmp_path / "d"),
            "MEMD_SOCKET": str(tmp_path / "s"),
            "MEMD_EMBEDDING_ENABLED": "false",
            "NOTIFY_SOCKET": str(tmp_path / "notify"),
            "WATCHDOG_USEC": "200000",
        },
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            manager.until("READY")
            manager.until("WATCHDOG")
            manager.until("WATCHDOG")
            (tmp_path / "hang").touch()
            assert process.stderr is not None
            for line in process.stderr:
                if b"the store has not answered the watchdog" in line:
                    break
            manager.drain()
            with pytest.raises(TimeoutError):
                manager.until("WATCHDOG", seconds=2)
        finally:
            process.kill()
            manager.close()


@pytest.mark.slow
def test_the_status_line_follows_what_goes_on(tmp_path: Path) -> None:
    """It is told once it changes, and the end asks for the time that it may take."""
    with served(tmp_path) as (process, manager):
        manager.until("READY")
        assert manager.until("STATUS")["STATUS"].startswith("serving")
        process.send_signal(signal.SIGTERM)
        assert int(manager.until("STOPPING")["EXTEND_TIMEOUT_USEC"]) > 60_000_000
        process.communicate(timeout=90)


def test_the_status_line_names_the_run() -> None:
    """Or, without one, the sources and when something is due."""
    storing = ProgressUpdate(run="r", stage="storing", source="/x/family.zip", processed=12300)
    embedding = ProgressUpdate(run="s", stage="embedding", source="a\nb", embedded=5, to_embed=1234)
    due = datetime(2026, 1, 2, 3, tzinfo=UTC)
    assert status_line([storing], 0, None, UTC) == "ingesting family.zip: 12,300 messages"
    assert status_line([storing, embedding], 0, None, UTC) == "making vectors of a b: 5 of 1,234 messages (and 1 more)"
    assert status_line([], 0, None, UTC) == "serving"
    assert status_line([], 0, None, UTC, model="m gave no usable answer") == "serving; m gave no usable answer"
    assert status_line([], 3, due, UTC) == "serving; 3 sources; next run 2026-01-02 03:00"
