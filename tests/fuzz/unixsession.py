"""`requests` over a Unix socket, for the tests that speak HTTP by our OpenAPI."""

from __future__ import annotations

import socket
from typing import Any

import requests
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection
from urllib3.connectionpool import HTTPConnectionPool

BASE = "http://memd"


class _Connection(HTTPConnection):
    """HTTP to a path."""

    def __init__(self, path: str) -> None:
        super().__init__("memd", timeout=30)
        self._path = path

    def connect(self) -> None:
        """Open the socket instead of a host."""
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(30)
        self.sock.connect(self._path)


class _Pool(HTTPConnectionPool):
    """Connections to one path."""

    def __init__(self, path: str) -> None:
        super().__init__("memd")
        self._path = path

    def _new_conn(self) -> Any:
        return _Connection(self._path)


class _Adapter(HTTPAdapter):
    """Every request of a session goes to one socket."""

    def __init__(self, path: str) -> None:
        self._pool = _Pool(path)
        super().__init__()

    def get_connection_with_tls_context(self, *_: Any, **__: Any) -> Any:
        """The one pool."""
        return self._pool

    def close(self) -> None:
        """Let go of the connections."""
        self._pool.close()
        super().close()


def session_at(path: str) -> requests.Session:
    """A session whose requests to ``BASE`` go to this socket."""
    session = requests.Session()
    session.trust_env = False
    session.mount(BASE, _Adapter(path))
    return session
