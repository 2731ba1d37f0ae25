"""An account on a server of our own, over a real socket, that does what it is told: answers, limits, refuses, cuts, hangs.

The server speaks HTTP/1.1: ``GET /events?after=N&limit=M`` with a bearer token answers ``{"events": […], "last": N}``. The
connector reads it the way a connector of a real service would.
"""

from __future__ import annotations

import http.client
import json
import threading
from collections import deque
from collections.abc import AsyncGenerator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

import anyio.to_thread

from memd.connectors.errors import AuthorizationError, RateLimitError, UnavailableError
from memd.connectors.live.contract import Batch
from memd.schemas import ConversationDocument, Notice, Rejected
from memd.tests.loopback_http import LoopbackHTTPServer

START = datetime(2024, 1, 15, 12, 0, tzinfo=UTC)


class ScriptedAccount:
    """The server, and what is in the account. Use as a context manager."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []
        self.faults: deque[tuple[str, float]] = deque()
        """What happens to the next requests: ``limit`` (429, Retry-After), ``cut``, ``hang`` (seconds), ``garbage``, ``error``."""
        self.token = "secret"
        self.requests = 0
        self.overlap = 0
        """So many events before the cursor are given again."""
        self._server = LoopbackHTTPServer(_handler_of(self))
        self._server.daemon_threads = True
        self.port = int(self._server.server_address[1])

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def say(self, text: str, speaker: str = "Bob") -> str:
        """A new message; returns its id."""
        number = sum(each["type"] == "message" for each in self.events)
        self.events.append({"type": "message", "id": f"m{number}", "speaker": speaker, "text": text, "minute": number})
        return f"m{number}"

    def edit(self, message: str, text: str) -> None:
        """The message has another text."""
        old = next(each for each in self.events if each.get("id") == message)
        self.events.append({**old, "type": "edit", "text": text})

    def delete(self, message: str) -> None:
        """The message was deleted."""
        old = next(each for each in self.events if each.get("id") == message)
        self.events.append({**old, "type": "delete", "text": ""})

    def damage(self) -> None:
        """An event that cannot be read."""
        self.events.append({"type": "message", "id": "?", "speaker": "", "text": "", "minute": 0})

    def connector(self, *, token: str | None = None, size: int = 3) -> ScriptedConnector:
        """What reads the account."""
        return ScriptedConnector(self.port, self.token if token is None else token, size)


class ScriptedConnector:
    """Reads a scripted account, a page at a time; the cursor is the number of the last event."""

    name = "scripted"

    def __init__(self, port: int, token: str, size: int, patience_s: float = 2.0) -> None:
        self._port = port
        self._token = token
        self._size = size
        self._patience = patience_s

    async def pull(self, cursor: str | None) -> AsyncGenerator[Batch, None]:
        """Pages until there is no more."""
        after = int(cursor or 0)
        while True:
            page = await anyio.to_thread.run_sync(self._page, after, abandon_on_cancel=True)
            if not page["events"]:
                return
            documents, rejected = _documents(page["events"])
            after = page["last"]
            notices = tuple(Notice(code="no-speaker", locator=each.locator, hint="left out") for each in rejected)
            yield Batch(tuple(documents), notices, tuple(rejected), cursor=str(after))

    def _page(self, after: int) -> dict[str, Any]:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=self._patience)
        try:
            headers = {"authorization": f"Bearer {self._token}"}
            connection.request("GET", f"/events?after={after}&limit={self._size}", headers=headers)
            answer = connection.getresponse()
            body = answer.read()
        except (OSError, http.client.HTTPException) as error:
            raise UnavailableError(f"the server cannot be reached: {type(error).__name__}") from error
        finally:
            connection.close()
        if answer.status == 429:
            raise RateLimitError("too many requests", retry_after_s=float(answer.headers["retry-after"]))
        if answer.status == 401:
            raise AuthorizationError("the token is not valid", hint="renew it")
        try:
            if answer.status != 200:
                raise ValueError(answer.status)
            return dict(json.loads(body))
        except ValueError as error:
            raise UnavailableError("the server answers nonsense") from error


def _documents(events: list[dict[str, Any]]) -> tuple[list[ConversationDocument], list[Rejected]]:
    """One document for the one day, as every event leaves it."""
    rejected = [Rejected(locator=f"event {each['id']}", reason="no speaker") for each in events if not each["speaker"]]
    states: dict[str, dict[str, Any]] = {}
    for event in events:
        if not event["speaker"]:
            continue
        message: dict[str, Any] = {
            "id": event["id"],
            "speaker": event["speaker"],
            "content": event["text"] or "[deleted]",
            "time": START + timedelta(minutes=event["minute"]),
        }
        if event["type"] == "delete":
            message |= {"deleted": True, "kind": "deleted"}
        if event["type"] == "edit":
            message |= {"edited": True}
        states[event["id"]] = message
    if not states:
        return [], rejected
    messages = sorted(states.values(), key=lambda each: each["time"])
    people = tuple(dict.fromkeys(["Ann", *(each["speaker"] for each in messages)]))
    conversation = {"source": "scripted", "people": people, "user": "Ann", "conversation": messages}
    plain = {"id": "scripted:one:2024-01-15", "conversation": conversation, "metadata": {"chat": "one", "title": "one"}}
    return [ConversationDocument.model_validate(plain)], rejected


def _handler_of(account: ScriptedAccount) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            """One page, or what the script says."""
            account.requests += 1
            fault, value = account.faults.popleft() if account.faults else ("", 0.0)
            if fault == "cut":
                self.wfile.write(b'HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n{"ev')
                self.close_connection = True
                return
            if fault == "hang":
                threading.Event().wait(value)
                self.close_connection = True
                return
            if fault == "limit":
                self._answer(429, b"", {"retry-after": str(value)})
            elif fault == "garbage":
                self._answer(200, b"<html>")
            elif fault == "error":
                self._answer(503, b"")
            elif self.headers.get("authorization") != f"Bearer {account.token}":
                self._answer(401, b"")
            else:
                self._answer(200, self._page())

        def _page(self) -> bytes:
            asked = parse_qs(urlsplit(self.path).query)
            after, limit = int(asked["after"][0]), int(asked["limit"][0])
            events = account.events[after : after + limit]
            again = account.events[max(0, after - account.overlap) : after] if events else []
            return json.dumps({"events": again + events, "last": after + len(events)}).encode()

        def _answer(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
            self.send_response(status)
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - as the library names it
            """Quiet."""

    return Handler
