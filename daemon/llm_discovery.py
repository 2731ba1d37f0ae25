"""Finds language model servers on this machine: which of them answers, and which models it has.

Only loopback addresses are tried, without a proxy; another address only if the user names it.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from threading import Timer
from typing import Any, cast
from urllib.parse import urlsplit

from ..memory.openai_http.loopback import is_loopback

SERVERS: Mapping[str, str] = {
    "Ollama": "http://127.0.0.1:11434/v1",
    "llama.cpp": "http://127.0.0.1:8080/v1",
    "LM Studio": "http://127.0.0.1:1234/v1",
    "vLLM": "http://127.0.0.1:8000/v1",
}
"""The default address of each server, with the path of its OpenAI-compatible API."""
SECONDS = 3.0
"""The timeout of each wait for a list of models, which needs no loaded model."""
SECONDS_IN_ALL = 6.0
"""The timeout of the whole list: a process on the port may send single bytes for ever."""
ANSWER_BYTES = 4_000_000
_NO_CHAT = ("embed", "rerank", "whisper", "bge-", "e5-", "minilm", "tts")
"""The parts of model names that are not chat models."""


@dataclass(frozen=True, slots=True)
class ModelServer:
    """A server that answers."""

    name: str
    url: str
    models: tuple[str, ...]

    @property
    def chat_models(self) -> tuple[str, ...]:
        """Return its models, except those whose names show that they embed, rank, transcribe or speak."""
        return tuple(each for each in self.models if not any(part in each.casefold() for part in _NO_CHAT))


def local_servers(environ: Mapping[str, str] | None = None) -> list[ModelServer]:
    """Return the servers of this machine that answer, in the order of `SERVERS`.

    Args:
        environ: its ``OLLAMA_HOST`` is the address of Ollama, as for its own commands; one of another machine is
            ignored.
    """
    ollama = _ollama_address((os.environ if environ is None else environ).get("OLLAMA_HOST", ""))
    wanted = {**SERVERS, **({"Ollama": ollama} if ollama else {})}
    with ThreadPoolExecutor(len(wanted)) as threads:
        servers = threads.map(server_at, wanted.values(), [None] * len(wanted), wanted)
        return [server for server in servers if server is not None]


def _ollama_address(host: str) -> str:
    """Return the address of the API at ``HOST``, ``HOST:PORT`` or a URL; empty if that is not on this machine."""
    usual = urlsplit(SERVERS["Ollama"])
    try:
        parts = urlsplit(host if "://" in host else f"http://{host}")
        name = "127.0.0.1" if parts.hostname in (None, "0.0.0.0", "::") else parts.hostname  # noqa: S104 - "everywhere"
        port = parts.port or usual.port
    except ValueError:
        return ""
    url = f"http://{f'[{name}]' if ':' in name else name}:{port}{usual.path}"
    return url if host and is_loopback(url) else ""


def server_at(url: str, key: str | None = None, name: str = "") -> ModelServer | None:
    """Return the server at a base URL; None where nothing there lists models.

    Args:
        url: ends with ``/v1`` as a rule.
        key: sent as a bearer token.
        name: for people; by default host and port.
    """
    parts = urlsplit(url)
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    try:
        connection = kind(parts.hostname or "", parts.port, timeout=SECONDS)
        try:
            connection.connect()
            end = Timer(SECONDS_IN_ALL, _end, (connection.sock,))
            end.start()
            try:
                headers = {"Accept": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
                connection.request("GET", f"{parts.path.rstrip('/')}/models", headers=headers)
                answer = connection.getresponse()
                body = answer.read(ANSWER_BYTES) if answer.status == 200 else b""
            finally:
                end.cancel()
        finally:
            connection.close()
        models = _models(json.loads(body))
    except (OSError, HTTPException, ValueError, RecursionError):  # nothing listens, or it is another kind of server
        return None
    return None if models is None else ModelServer(name or parts.netloc.rpartition("@")[2], url, models)


def _end(connected: socket.socket) -> None:
    """End a connection from another thread: its reader gets the end of the answer."""
    with suppress(OSError):
        socket.socket.shutdown(
            connected, socket.SHUT_RDWR
        )  # the TLS socket's own method would take its state away from the reader


def _models(body: object) -> tuple[str, ...] | None:
    """Return the printable ids in ``{"data": [{"id": …}]}``, without repeats; None if the answer has another form."""
    data: object = cast("dict[str, Any]", body).get("data") if isinstance(body, dict) else None
    if data is None and isinstance(body, dict) and cast("dict[str, Any]", body).get("object") == "list":
        return ()  # Ollama without a model
    if not isinstance(data, list):
        return None
    names = [
        cast("dict[str, Any]", each).get("id") for each in cast("Sequence[object]", data) if isinstance(each, dict)
    ]
    return tuple(dict.fromkeys(name for name in names if isinstance(name, str) and name and name.isprintable()))
