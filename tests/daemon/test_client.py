"""The client's side of the socket: what is sent again and what never is, a silent daemon, a full queue, exit codes."""

from __future__ import annotations

import argparse
import socket
import threading
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Literal

import pytest

from memd.daemon import client as client_module
from memd.daemon.cli import connect
from memd.daemon.client import Client, DaemonGoneError, DaemonTimeoutError, ForeignDaemonError, is_listening
from memd.daemon.exit_codes import MEANINGS, OF_CODE
from memd.daemon.operations import BELIEF, HEALTH, QUERY, RETRY, STATS, UNDO
from memd.schemas import errors

Deed = Literal["answer", "silence", "end"]
ANSWER = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 11\r\n\r\n" + b'{"ok":true}'


class Scripted:
    """A daemon that does as it is told with each request, one after the other, and notes on which connection it came."""

    def __init__(self, path: Path, deeds: Sequence[Deed]) -> None:
        self.path = path
        self.requests: list[tuple[int, str]] = []
        """The connection's number and the request's first two words."""
        self._deeds = list(deeds)
        self._open = ExitStack()
        self._listener = self._open.enter_context(socket.socket(socket.AF_UNIX))
        self._listener.bind(str(path))
        self._listener.listen()
        self._threads = [threading.Thread(target=self._listen, daemon=True)]
        self._threads[0].start()

    def seen(self, count: int) -> list[tuple[int, str]]:
        """The requests, when so many have come."""
        deadline = time.monotonic() + 60
        while len(self.requests) < count and time.monotonic() < deadline:
            time.sleep(0.01)
        return self.requests

    def close(self) -> None:
        """End everything."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._threads[0].join(60)
        self._open.close()

    def _listen(self) -> None:
        number = 0
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._open.enter_context(connection)
            threading.Thread(target=self._serve, args=(connection, number), daemon=True).start()
            number += 1

    def _serve(self, connection: socket.socket, number: int) -> None:
        with suppress(OSError), connection.makefile("rb") as stream:
            while request := stream.readline():
                size = 0
                while (line := stream.readline()) not in (b"\r\n", b""):
                    name, _, value = line.partition(b":")
                    size = int(value) if name.lower() == b"content-length" else size
                stream.read(size)
                self.requests.append((number, b" ".join(request.split(b" ")[:2]).decode()))
                deed = self._deeds.pop(0)
                if deed == "answer":
                    connection.sendall(ANSWER)
                elif deed == "end":
                    connection.shutdown(socket.SHUT_RDWR)


@contextmanager
def scripted(path: Path, *deeds: Deed) -> Generator[Scripted]:
    """Such a daemon at a path."""
    daemon = Scripted(path, deeds)
    try:
        yield daemon
    finally:
        daemon.close()


def arguments_for(tmp_path: Path) -> argparse.Namespace:
    """Of a command that finds the socket."""
    (tmp_path / "config.toml").touch()
    return argparse.Namespace(
        config=str(tmp_path / "config.toml"), data_dir=str(tmp_path / "d"), socket=str(tmp_path / "s"), log_level=None
    )


def test_exit_codes_are_those_of_the_errors() -> None:
    """The table has every code of the error envelope, and nothing else."""
    expected = {"UNEXPECTED"}
    for kind in vars(errors).values():
        if isinstance(kind, type) and issubclass(kind, errors.MemdError) and kind is not errors.MemdError:
            expected.add(kind.meaning.code)
    assert set(OF_CODE) == expected
    assert set(OF_CODE.values()) < set(MEANINGS)


@pytest.mark.parametrize(
    ("deed", "error"), [("silence", DaemonTimeoutError), ("end", DaemonGoneError)], ids=["silent", "ended"]
)
@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.slow
def test_a_request_without_an_answer_is_sent_once(
    tmp_path: Path, method: str, deed: Deed, error: type[Exception]
) -> None:
    """On a new connection: whether the daemon is silent or gone is told apart, and neither is a reason to send again."""
    with scripted(tmp_path / "s", deed) as daemon:
        client = Client(str(daemon.path), 0.2 if deed == "silence" else 60)
        with pytest.raises(error):
            client.ask(method, "/v1/ask")
        client.close()
        assert daemon.seen(1) == [(0, f"{method} /v1/ask")]


def test_it_is_known_whether_documents_are_without_an_answer(tmp_path: Path) -> None:
    """Somebody who ends the command meanwhile is not told that nothing was kept."""
    with scripted(tmp_path / "s", "silence") as daemon:
        client = Client(str(daemon.path), 0.2)
        with pytest.raises(DaemonTimeoutError):
            next(client.send_documents([b'{"id": "a"}\n']))
        assert client.unanswered
        client.close()


def test_only_what_is_idempotent_uses_a_kept_connection(tmp_path: Path) -> None:
    """The daemon may close one at the moment of sending: a GET is sent again then, and nothing that changes something
    can come into that situation.
    """
    with scripted(tmp_path / "s", "answer", "end", "answer", "answer", "answer") as daemon:
        client = Client(str(daemon.path), 60)
        for _ in range(2):
            client.call(HEALTH)
        client.call(RETRY)
        client.call(QUERY, {"text": "a"})
        client.close()
        assert daemon.requests == [
            (0, "GET /v1/health"),
            (0, "GET /v1/health"),
            (1, "GET /v1/health"),
            (2, "POST /v1/retry"),
            (2, "POST /v1/query"),
        ]


@pytest.mark.parametrize(("method", "idempotent", "times"), [("GET", False, 2), ("POST", True, 2), ("POST", False, 1)])
def test_a_command_asks_the_next_daemon_only_for_what_is_idempotent(
    tmp_path: Path, method: str, idempotent: bool, times: int
) -> None:
    """The daemon ends in the middle of the first request; the next one is there at once."""
    with scripted(tmp_path / "s", "end", "answer") as daemon:

        def ask() -> dict[str, Any]:
            operation = UNDO if method == "POST" else BELIEF
            return connect.request(arguments_for(tmp_path), operation, {"id": "1"}, idempotent=idempotent)

        if times == 1:
            with pytest.raises(DaemonGoneError):
                ask()
        else:
            assert ask() == {"ok": True}
        assert [request for _, request in daemon.requests] == [
            "POST /v1/undo" if method == "POST" else "GET /v1/undo/1"
        ] * times


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.slow
def test_a_command_does_not_ask_a_silent_daemon_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    """It may be at work on the first request still."""

    def impatient(path: str) -> Client:
        return Client(path, 0.2)

    monkeypatch.setattr(connect, "Client", impatient)
    with scripted(tmp_path / "s", "silence") as daemon:
        with pytest.raises(DaemonTimeoutError):
            connect.request(arguments_for(tmp_path), QUERY if method == "POST" else STATS, {})
        assert len(daemon.seen(1)) == 1


def test_a_full_queue_of_connections_is_no_absence(tmp_path: Path) -> None:
    """Linux refuses at once where the queue of a listener is full: the client waits for room, and knows that somebody is
    there.
    """
    path = str(tmp_path / "s")
    with ExitStack() as stack:
        listener = stack.enter_context(socket.socket(socket.AF_UNIX))
        listener.bind(path)
        listener.listen(0)
        _fill(lambda: stack.enter_context(socket.socket(socket.AF_UNIX)), path)
        assert is_listening(path)

        def serve() -> None:
            while True:
                connection = stack.enter_context(listener.accept()[0])
                if connection.recv(65536):
                    connection.sendall(ANSWER)
                    return

        client = Client(path, 60)
        with pytest.raises(DaemonTimeoutError):
            Client(path, 0.1).call(HEALTH)
        server = threading.Thread(target=serve, daemon=True)
        server.start()
        assert client.call(HEALTH) == {"ok": True}
        server.join(60)
        client.close()


def _fill(connection: Callable[[], socket.socket], path: str) -> None:
    """Connect until there is no room; each of these says goodbye at once."""
    while True:
        one = connection()
        one.setblocking(False)
        try:
            one.connect(path)
        except BlockingIOError:
            return
        one.shutdown(socket.SHUT_WR)


class _Credentials:
    """Of a peer that is another user."""

    size = 12

    @staticmethod
    def unpack(raw: bytes) -> tuple[int, int, int]:
        """The process, its user and its group."""
        del raw
        return 1, FOREIGN, FOREIGN


FOREIGN = 4242


def test_nothing_is_sent_to_another_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever can write into the folder may have put a socket there; neither a question nor a document reaches it."""
    monkeypatch.setattr(client_module, "_CREDENTIALS", _Credentials)
    tmp_path.chmod(0o777)
    with scripted(tmp_path / "s", "answer") as daemon:
        with pytest.raises(ForeignDaemonError, match=f"another user \\({FOREIGN}\\) listens at"):
            is_listening(str(daemon.path))
        with pytest.raises(ForeignDaemonError):
            Client(str(daemon.path)).call(QUERY, {"text": "a secret"})
        assert daemon.requests == []


def test_a_service_of_another_user_is_trusted_in_a_folder_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It shares its socket with a group of ours, and nobody else can make files there."""
    monkeypatch.setattr(client_module, "_CREDENTIALS", _Credentials)
    monkeypatch.setattr(Path, "parents", property(lambda _: ()))  # of folders of the tests all may be writable
    with scripted(tmp_path / "s", "answer", "answer") as daemon:
        tmp_path.chmod(0o755)
        assert is_listening(str(daemon.path))
        tmp_path.chmod(0o775)
        with pytest.raises(ForeignDaemonError):
            is_listening(str(daemon.path))
