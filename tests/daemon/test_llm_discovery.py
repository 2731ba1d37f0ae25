"""What listens where a server of language models is looked for, and is none."""

from __future__ import annotations

import io
import json
import socket
from collections.abc import Iterator
from threading import Thread

import pytest

from memd.daemon import llm_discovery
from memd.daemon.cli.render.prompts import SHOWN, choose
from memd.daemon.llm_discovery import server_at

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


@pytest.fixture
def listening() -> Iterator[socket.socket]:
    """A socket that listens on loopback."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


def answered(server: socket.socket, *parts: bytes, for_ever: bytes = b"") -> llm_discovery.ModelServer | None:
    """What is found where one request is answered with these bytes, the last of them again and again."""

    def answer() -> None:
        connection, _ = server.accept()
        with connection:
            try:
                connection.recv(65536)
                connection.sendall(b"".join(parts))
                while for_ever:
                    connection.sendall(for_ever)
            except OSError:
                return  # whoever asked is gone

    thread = Thread(target=answer)
    thread.start()
    found = server_at(f"http://127.0.0.1:{server.getsockname()[1]}/v1")
    thread.join()
    return found


def body(content: bytes) -> bytes:
    """A whole answer."""
    return HEAD + b"Content-Length: %d\r\n\r\n" % len(content) + content


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"\x00\xff\r\n",
        body(b"[" * 200_000),
        body(b'{"data": ' * 100_000),
        body(b'{"data": [{"id": ' + b"1" * 5_000 + b"}]}"),
        body(b"\xff\xfe\xd8"),
        b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/v1/models\r\nContent-Length: 0\r\n\r\n",
    ],
    ids=["nothing", "bytes", "deep lists", "deep objects", "a long number", "no UTF-8", "another address"],
)
def test_what_lists_no_models_is_no_server(listening: socket.socket, answer: bytes) -> None:
    """Whatever it sends, nothing is raised."""
    assert answered(listening, answer) is None


@pytest.mark.parametrize(
    ("begin", "rest"),
    [(HEAD + b"Content-Length: 1000000000\r\n\r\n", b" "), (b"", b"HTTP/1.1 100 Continue\r\n\r\n")],
    ids=["a body", "heads"],
)
def test_an_answer_without_an_end_is_left(
    listening: socket.socket, monkeypatch: pytest.MonkeyPatch, begin: bytes, rest: bytes
) -> None:
    """The wait for each byte is short, so that only a bound of the whole ends it."""
    monkeypatch.setattr(llm_discovery, "SECONDS_IN_ALL", 0.2)
    monkeypatch.setattr(llm_discovery, "ANSWER_BYTES", 1_000_000_000)
    assert answered(listening, begin, for_ever=rest) is None


def test_names_that_cannot_be_printed_are_left_out(listening: socket.socket) -> None:
    """They would move the cursor, or stop what is sent to the model; a name stands once."""
    names = ["a", "b\x1b[31m", "c\u202e", "d\ud800", "a", "qwen3:4b", "\u732b"]
    found = answered(listening, body(json.dumps({"data": [{"id": name} for name in names]}).encode()))
    assert found is not None
    assert found.models == ("a", "qwen3:4b", "\u732b")


def test_of_many_models_the_first_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    """A list of thousands leaves the screen readable; any number may be typed."""
    assert choose("Which one?", [f"m{number}" for number in range(10_000)], io.StringIO("9999\n")) == 9998
    told = capsys.readouterr().err
    assert len(told.splitlines()) < SHOWN + 5
    assert "9,980 more" in told
