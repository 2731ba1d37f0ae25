"""An export over the socket: whole, or known not to be."""

from __future__ import annotations

import socket
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

import anyio
import anyio.to_thread
import orjson
import pytest

from memd.daemon.app import open_app
from memd.daemon.client import Client, DaemonError, DaemonGoneError
from memd.memory.memory import EvolvingMemory
from memd.schemas import StoreReport
from memd.schemas.errors import StoreError
from memd.tests.command import memd_command
from memd.tests.daemon.house import note, talk
from memd.tests.daemon.interruptions import SECONDS
from memd.tests.daemon.test_service import ingest, words_only

CHUNK = b'8\r\n{"id":1}\r\n1\r\n\n\r\n'
HEAD = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"


@contextmanager
def answering(path: Path, answer: bytes) -> Generator[Client]:
    """A daemon that says one thing and is gone."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(str(path))
        listener.listen()

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        yield Client(str(path), seconds=10)
        thread.join()


@pytest.mark.parametrize("end", [b"", b"0\r\n\r\n", b'4\r\n{"id', b"zz\r\n"], ids=["closed", "ended", "cut", "garbage"])
def test_an_export_that_was_cut_is_no_export(tmp_path: Path, end: bytes) -> None:
    """However it ended: without its last line not all of it came."""
    with answering(tmp_path / "s", HEAD + CHUNK + end) as client, pytest.raises(DaemonGoneError):
        list(client.documents())


@pytest.mark.parametrize("count", [0, 2])
def test_an_export_with_another_number_of_lines_is_no_export(tmp_path: Path, count: int) -> None:
    """The last line tells how many came before it."""
    last = b'{"result":{"documents":%d}}\n' % count
    answer = HEAD + CHUNK + b"%x\r\n" % len(last) + last + b"\r\n0\r\n\r\n"
    with answering(tmp_path / "s", answer) as client, pytest.raises(DaemonGoneError):
        list(client.documents())


def test_what_broke_off_says_why(tmp_path: Path) -> None:
    """The last line is the error."""
    last = b'{"error":{"code":"STORE","message":"the disk is gone"}}\n'
    answer = HEAD + CHUNK + b"%x\r\n" % len(last) + last + b"\r\n0\r\n\r\n"
    with answering(tmp_path / "s", answer) as client, pytest.raises(DaemonError, match="the disk is gone"):
        list(client.documents())


@pytest.mark.anyio
@pytest.mark.slow
async def test_a_real_export_ends_with_its_counts(tmp_path: Path) -> None:
    """Documents by source and id; ids and filters that make no sense are refused before anything is sent."""
    async with open_app(words_only(tmp_path / "d", socket=tmp_path / "s")) as service:
        await ingest(service, talk("b", 3), talk("a", 2), note("n", "a text"))

        told: list[Mapping[str, int]] = []

        def ask(parameters: dict[str, object]) -> list[str]:
            client = Client(str(tmp_path / "s"))
            return [orjson.loads(line)["id"] for line in client.documents(parameters, told.append)]

        async def asked(**parameters: object) -> list[str]:
            with anyio.fail_after(20):
                return await anyio.to_thread.run_sync(ask, parameters)

        assert await asked() == ["note:n", "talk:a", "talk:b"]
        assert told.pop() == {"documents": 3, "messages": 5, "waiting": 0}
        assert await asked(people=["Bob"], documents=["talk:b", "note:n"]) == ["talk:b"]
        for wrong, code in (({"documents": ["none"]}, "NOT_FOUND"), ({"since": "x"}, "VAL"), ({"shape": "x"}, "VAL")):
            with pytest.raises(DaemonError) as raised:
                await asked(**wrong)
            assert raised.value.code == code


@pytest.mark.slow
@pytest.mark.anyio
async def test_an_export_tells_what_waits_to_be_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty one is not to be taken for all there is; the command says so and does not end with 0."""

    async def refusing(*_: object) -> StoreReport:
        raise StoreError("the disk is full")

    config = tmp_path / "config.toml"
    config.touch()
    words = ["--config", str(config), "--data-dir", str(tmp_path / "d"), "--socket", str(tmp_path / "s"), "export"]
    monkeypatch.setattr(EvolvingMemory, "write", refusing)
    async with open_app(words_only(tmp_path / "d", socket=tmp_path / "s")) as service:
        run = await service.pipeline.begin("tests")
        await service.pipeline.accept(run, [note("n", "a text")])
        with anyio.fail_after(SECONDS):
            done = await anyio.run_process([*memd_command(), *words], check=False)
        assert (done.returncode, done.stdout) == (4, b"")
        assert b"1 document waits to be stored" in done.stderr
