"""A Bot API of our own on a loopback socket: keeps updates until they are confirmed, and limits, refuses, cuts as it is told.

What it does follows https://core.telegram.org/bots/api: an update stays until a request with a greater offset came; without
an offset the earliest is given first; a request with a timeout waits for the next update, until another request ends it; errors
are JSON with ``error_code``, ``description`` and ``parameters``.
"""

from __future__ import annotations

import json
import threading
from collections import deque
from http.server import BaseHTTPRequestHandler
from typing import Any, Self
from urllib.parse import parse_qs

from memd.tests.loopback_http import LoopbackHTTPServer

TOKEN = "12345:AAH-secret-token-of-a-test"
BOT = 12345
GROUP = {"id": -1001234567890, "type": "supergroup", "title": "Boats", "is_forum": True}
BOB = {"id": 7, "is_bot": False, "first_name": "Bob", "last_name": "Reed", "username": "bobreed"}
START = 1_705_320_000
"""2024-01-15 12:00:00 UTC."""


CONFLICT = (409, {"ok": False, "error_code": 409, "description": "Conflict: terminated by other getUpdates request"})


class BotApi:
    """The server. Use as a context manager."""

    def __init__(self) -> None:
        self.updates: list[dict[str, Any]] = []
        self.next_id = 1000
        self.privacy = True
        self.token = TOKEN
        self.faults: deque[str] = deque()
        """What happens to the next requests: ``limit``, ``conflict``, ``cut``, ``garbage``, ``error``, ``list``; empty: nothing."""
        self.asked: list[dict[str, Any]] = []
        """The parameters of each ``getUpdates``."""
        self.waiting = 0
        """Requests that wait for an update."""
        self.ended = 0
        """Requests that waited when another one came."""
        self._changed = threading.Condition()
        self._server = LoopbackHTTPServer(_handler_of(self))
        self._server.daemon_threads = True

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def push(self, **update: Any) -> int:
        """An update; returns its id."""
        with self._changed:
            self.next_id += 1
            self.updates.append({"update_id": self.next_id, **update})
            self._changed.notify_all()
            return self.next_id

    def say(self, number: int, text: str, **more: Any) -> int:
        """A message of Bob in the group, a minute after the one before."""
        return self.push(message=message(number, text=text, **more))

    def answer(self, method: str, given: dict[str, Any]) -> tuple[int, Any]:
        """The status and the body of an answer."""
        if method.lower() == "getme":
            rights = {"can_join_groups": True, "can_read_all_group_messages": not self.privacy}
            me = {"id": BOT, "is_bot": True, "first_name": "Keeper", "username": "keeper_bot", **rights}
            return 200, {"ok": True, "result": {**me, "supports_inline_queries": False}}
        if method.lower() != "getupdates":
            return 404, {"ok": False, "error_code": 404, "description": "Not Found"}
        self.asked.append(given)
        fault = self.faults.popleft() if self.faults else ""
        if fault == "limit":
            more = {"parameters": {"retry_after": 7}}
            return 429, {"ok": False, "error_code": 429, "description": "Too Many Requests: retry after 7", **more}
        if fault == "conflict":
            return CONFLICT
        if fault == "error":
            return 502, {"ok": False, "error_code": 502, "description": "Bad Gateway"}
        if fault == "list":
            return 200, {"ok": True, "result": {"no": "list"}}
        with self._changed:
            number = len(self.asked)
            self._changed.notify_all()
            if offset := int(given.get("offset", 0)):
                self.updates = [each for each in self.updates if each["update_id"] >= offset]
            self.waiting += 1
            ended = lambda: len(self.asked) > number  # noqa: E731
            self._changed.wait_for(lambda: self.updates or ended(), float(given.get("timeout", 0)))
            self.waiting -= 1
            if ended() and not self.updates:
                self.ended += 1
                return CONFLICT
            return 200, {"ok": True, "result": self.updates[: int(given.get("limit", 100))]}


def message(number: int, **more: Any) -> dict[str, Any]:
    """A message of Bob in the group."""
    return {"message_id": number, "date": START + 60 * number, "chat": GROUP, "from": BOB, **more}


def _handler_of(api: BotApi) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            given = {key: value[0] for key, value in parse_qs(body.decode()).items()}
            _, bot, method = self.path.split("/")
            if bot != f"bot{api.token}":
                self._send(401, json.dumps({"ok": False, "error_code": 401, "description": "Unauthorized"}).encode())
                return
            if api.faults and method.lower() == "getupdates" and api.faults[0] in ("cut", "garbage"):
                if api.faults.popleft() == "cut":
                    self.close_connection = True
                    self.connection.close()
                else:
                    self._send(200, b"<html>")
                return
            status, answer = api.answer(method, given)
            self._send(status, json.dumps(answer).encode())

        def _send(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the library
            """Nothing is written."""

    return Handler
