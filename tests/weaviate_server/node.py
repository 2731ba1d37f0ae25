"""A real Weaviate on loopback, with a data folder of its own and free ports: for the tests, and for `make weaviate`.

The server is built once by `make weaviate-server`, see `install.py`. Its port for gRPC and the one between nodes listen on all
addresses of the machine, whatever is set: so there is no access without the key of the node, which is new each time.
"""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

VERSION = "1.35.2"
TRIES = 3
"""Another process may take a port between its choice and its use."""
READY_WITHIN = 60.0
"""Seconds; a start takes 2 to 8 on an idle machine."""

SETTINGS = {
    "AUTHENTICATION_ANONYMOUS_ACCESS_ENABLED": "false",
    "AUTHENTICATION_APIKEY_ENABLED": "true",
    "AUTHENTICATION_APIKEY_USERS": "memd",
    "AUTOSCHEMA_ENABLED": "false",  # only memd makes collections and properties
    "DEFAULT_VECTORIZER_MODULE": "none",  # memd brings the vectors
    "DISABLE_TELEMETRY": "true",
    "GO_PROFILING_DISABLE": "true",  # or another port is opened
    "USE_BLOCKMAX_WAND": "false",  # 1.35.2 loses hits of filtered searches with it
    "PERSISTENCE_MEMTABLES_FLUSH_DIRTY_AFTER_SECONDS": "5",  # what is not flushed is searched slowly
    "GOMEMLIMIT": "2GiB",
}
"""What memd wants of a server."""
_LOOPBACK = {
    "CLUSTER_BIND_ADDR": "127.0.0.1",
    "CLUSTER_ADVERTISE_ADDR": "127.0.0.1",  # of itself it may choose an IPv6 address, and then does not start
    "CLUSTER_IN_LOCALHOST": "true",
    "RAFT_BOOTSTRAP_EXPECT": "1",
}


def binary() -> Path:
    """Where `install` puts the server."""
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(cache) / "memd" / f"weaviate-{VERSION}" / "weaviate-server"


def why_not() -> str:
    """Why these tests cannot run here; empty where they can.

    Raises:
        RuntimeError: they cannot, and ``MEMD_SERVERS=required`` says that they must.
    """
    if binary().exists():
        return ""
    reason = "NOT TESTED against a real Weaviate: `make weaviate-server` builds one"
    if os.environ.get("MEMD_SERVERS") == "required":
        raise RuntimeError(reason)
    return reason


def free_ports(count: int) -> list[int]:
    """So many ports, one behind the other, that nobody listens at."""
    while True:
        listeners = [socket.socket() for _ in range(count)]
        try:
            first = 0
            for number, listener in enumerate(listeners):
                listener.bind(("127.0.0.1", first + number if first else 0))
                first = first or int(listener.getsockname()[1])
        except (OSError, OverflowError):
            continue
        finally:
            for listener in listeners:
                listener.close()
        return list(range(first, first + count))


@dataclass
class Node:
    """One server. Use as a context manager; it may be stopped, killed and started again in between.

    Args:
        folder: holds its data and its log.
        extra: settings beside, and before, those of `SETTINGS`.
    """

    folder: Path
    extra: dict[str, str] = field(default_factory=dict[str, str])
    key: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)
    port: int = 0
    grpc_port: int = 0
    process: subprocess.Popen[bytes] | None = None

    @property
    def log(self) -> Path:
        """What the server says."""
        return self.folder / "weaviate.log"

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def choose_ports(self) -> None:
        """Take the ports that `start` will use, before there is a server."""
        self.port, self.grpc_port = free_ports(2)

    def start(self) -> None:
        """Start, on the ports of before if there were any, and return when it answers.

        Raises:
            RuntimeError: it does not.
        """
        for _ in range(TRIES):
            if self._started():
                return
        self.stop()
        raise RuntimeError(self.log.read_text(errors="replace")[-2000:])

    def _started(self) -> bool:
        # On one machine Weaviate expects the second of each pair right behind the first.
        gossip, data, raft, raft_calls, *own = free_ports(6)
        if not self.port:
            self.port, self.grpc_port = own
        password = secrets.token_urlsafe(24)
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            **SETTINGS,
            **_LOOPBACK,
            "AUTHENTICATION_APIKEY_ALLOWED_KEYS": self.key,
            "CLUSTER_BASIC_AUTH_USERNAME": "node",
            "CLUSTER_BASIC_AUTH_PASSWORD": password,
            "CLUSTER_HOSTNAME": "node1",
            "CLUSTER_GOSSIP_BIND_PORT": str(gossip),
            "CLUSTER_DATA_BIND_PORT": str(data),
            "GRPC_PORT": str(self.grpc_port),
            "RAFT_PORT": str(raft),
            "RAFT_INTERNAL_RPC_PORT": str(raft_calls),
            "PERSISTENCE_DATA_PATH": str(self.folder / "data"),
            **self.extra,
        }
        command = [str(binary()), "--host", "127.0.0.1", "--port", str(self.port), "--scheme", "http"]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                command, env=environment, cwd=self.folder, stdout=log, stderr=log, start_new_session=True
            )
        ends = time.monotonic() + READY_WITHIN
        while time.monotonic() < ends and self.process.poll() is None:
            if self.ready():
                return True
            time.sleep(0.05)
        if self.process.poll() is None:
            self.kill()
        return False

    def ready(self) -> bool:
        """Whether it says that it takes requests."""
        url = f"http://127.0.0.1:{self.port}/v1/.well-known/ready"
        try:
            with urllib.request.urlopen(url, timeout=2) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def stop(self) -> None:
        """Let it end by itself, which writes what it has in memory."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.kill()

    def pause(self) -> None:
        """Let it answer nobody, with all its connections open, until `resume`."""
        if self.process is not None:
            self.process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let it answer again."""
        if self.process is not None:
            self.process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        """End it at once."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
