"""Socket activation: a passed descriptor is checked, served and left where it is."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from memd.daemon.http.activation import passed_socket
from memd.schemas.errors import ConfigError
from memd.tests.daemon.test_lifecycle import Manager

ACTIVATED = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.set_inheritable(3, True)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1", LISTEN_FDNAMES="memd.socket")
os.execv(sys.executable, [sys.executable, "-P", "-m", "memd.daemon.cli", "serve"])
"""
"""What systemd does between fork and exec."""


def listening(path: Path) -> socket.socket:
    """A listening socket at a path, as systemd makes one."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(str(path))
    listener.listen(16)
    return listener


def announced(count: int = 1) -> dict[str, str]:
    """The variables of sd_listen_fds(3), for this process."""
    return {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": str(count), "LISTEN_FDNAMES": "memd.socket", "OTHER": "x"}


def test_a_passed_socket_is_taken(tmp_path: Path) -> None:
    """It gets close-on-exec, does not block, and the variables are gone for children."""
    path = tmp_path / "s"
    with listening(path) as listener:
        descriptor = os.dup(listener.fileno())
        os.set_inheritable(descriptor, True)
        variables = announced()
        with passed_socket(path, variables, descriptor) or pytest.fail("not taken") as taken:
            assert taken.fileno() == descriptor
            assert not os.get_inheritable(descriptor)
            assert not taken.getblocking()
            assert variables == {"OTHER": "x"}
    assert path.exists()


@pytest.mark.parametrize(
    "variables",
    [{}, {"LISTEN_PID": "1", "LISTEN_FDS": "1"}, {"LISTEN_FDS": "1"}, {"LISTEN_PID": "x", "LISTEN_FDS": "1"}],
)
def test_a_socket_for_another_process_is_left_alone(tmp_path: Path, variables: dict[str, str]) -> None:
    """A child of an activated process inherits the variables; they do not name it."""
    assert passed_socket(tmp_path / "s", dict(variables), 1_000_000) is None


@pytest.mark.parametrize("count", ["0", "", "-1", "many"])
def test_no_descriptor_is_no_activation(tmp_path: Path, count: str) -> None:
    """A count that is none passes nothing."""
    assert passed_socket(tmp_path / "s", announced() | {"LISTEN_FDS": count}) is None


def test_several_sockets_are_refused(tmp_path: Path) -> None:
    """Nobody could tell which of them clients mean."""
    with listening(tmp_path / "s") as listener, listening(tmp_path / "t") as other:
        first = os.dup(listener.fileno())
        second = os.dup(other.fileno())
        numbers = sorted((first, second))
        try:
            if numbers[1] == numbers[0] + 1:
                with pytest.raises(ConfigError, match="passed 2 sockets"):
                    passed_socket(tmp_path / "s", announced(2), numbers[0])
        finally:
            os.close(first)
            os.close(second)


@pytest.mark.parametrize("kind", ["file", "datagram", "idle", "internet", "elsewhere"])
def test_another_descriptor_is_refused(tmp_path: Path, kind: str) -> None:
    """Only a listening Unix stream socket at the path where clients look is served; the message says what it is."""
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM if kind == "datagram" else socket.SOCK_STREAM) as made:
        if kind in ("datagram", "idle"):
            made.bind(str(path))
            descriptor = os.dup(made.fileno())
        elif kind == "internet":
            with socket.create_server(("127.0.0.1", 0)) as server:
                descriptor = os.dup(server.fileno())
        elif kind == "elsewhere":
            with listening(tmp_path / "other") as server:
                descriptor = os.dup(server.fileno())
        else:
            descriptor = os.open(tmp_path, os.O_RDONLY)
        with pytest.raises(ConfigError, match="cannot be used"):
            passed_socket(path, announced(), descriptor)
        if kind == "file":
            os.close(descriptor)


@pytest.mark.slow
def test_a_daemon_serves_a_passed_socket(tmp_path: Path) -> None:
    """Who connects before the daemon is ready gets an answer; the socket's file is there after its end."""
    path = tmp_path / "s"
    manager = Manager(tmp_path / "notify")
    with listening(path) as listener, socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        client.settimeout(90)
        client.connect(str(path))
        client.sendall(b"GET /v1/health HTTP/1.1\r\nHost: memd\r\nConnection: close\r\n\r\n")
        inode = path.stat().st_ino
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", ACTIVATED, str(listener.fileno())],
            env={
                **os.environ,
                "MEMD_DATA_DIR": str(tmp_path / "d"),
                "MEMD_SOCKET": str(path),
                "MEMD_EMBEDDING_ENABLED": "false",
                "NOTIFY_SOCKET": str(tmp_path / "notify"),
            },
            pass_fds=[listener.fileno()],
            stdin=subprocess.DEVNULL,
        )
        try:
            assert client.recv(4096).startswith(b"HTTP/1.1 200")
            manager.until("READY")
            process.send_signal(signal.SIGTERM)
            assert process.wait(90) == 0
        finally:
            if process.poll() is None:
                process.kill()
                process.wait(90)
            manager.close()
        assert path.stat().st_ino == inode
