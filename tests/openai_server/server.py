"""A small OpenAI-compatible server on a real loopback socket, in threads: right answers, and faults on demand.

A new endpoint is a function from a request's JSON to the answer's, entered in `Server.routes`. What is told in a chat is
up to `Server.script`; batches are answered by it too.
"""

from __future__ import annotations

import json
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler
from typing import Any, Self

from memd.tests.loopback_http import LoopbackHTTPServer
from memd.tests.openai_server.batches import Batches, Raw
from memd.tests.openai_server.chat import Script, completion, events, nothing, refusal_of
from memd.tests.openai_server.embeddings import DIMENSION, embeddings
from memd.tests.openai_server.faults import Fault

CHAT = "/v1/chat/completions"
Route = Callable[[Mapping[str, Any]], Any]


@dataclass(frozen=True)
class Request:
    """What somebody asked."""

    path: str
    headers: Mapping[str, str]
    body: Any
    method: str = "POST"


class Server:
    """Use it as a context manager; ``base_url`` is what a client is given.

    Args:
        key: refuse requests with another one; None takes any.
        dimension: components of a vector, where the request does not say.
        port: 0 for any that is free.
        script: what the chat model says.
        takes: ways of asking for an answer's form that it knows: ``json_schema``, ``json_object``.
        unknown: fields of a chat request that it refuses, such as ``temperature``.
    """

    def __init__(
        self,
        *,
        key: str | None = None,
        dimension: int = DIMENSION,
        port: int = 0,
        script: Script = nothing,
        takes: Collection[str] = ("json_schema", "json_object"),
        unknown: Collection[str] = (),
    ) -> None:
        self.key = key
        self.script = script
        self.takes = takes
        self.unknown = unknown
        self.batches: Batches | None = Batches(lambda body: completion(body, self.script))
        self.dimension = dimension
        self.requests: list[Request] = []
        self.models: list[str] | None = None
        """What it lists; None: it lists nothing."""
        self.every: tuple[int, Raw] | None = None
        """Answer all requests with this status and body."""
        self.routes: dict[str, Route] = {
            "/v1/embeddings": lambda body: embeddings(body, self.dimension),
            CHAT: lambda body: completion(body, self.script),
        }
        self._once: defaultdict[str, deque[Fault]] = defaultdict(deque)
        self._always: dict[str, Fault] = {}
        self._lock = threading.Lock()
        server = self

        class Handler(_Handler):
            house = server

        self._http = LoopbackHTTPServer(Handler, port)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)

    @property
    def port(self) -> int:
        """Where it listens."""
        return self._http.server_address[1]

    @property
    def base_url(self) -> str:
        """With ``/v1``."""
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def fail(self, *faults: Fault, path: str = "/v1/embeddings") -> None:
        """The next requests get these, one each."""
        with self._lock:
            self._once[path].extend(faults)

    def fail_always(self, fault: Fault, path: str = "/v1/embeddings") -> None:
        """All requests get this one, until `heal`."""
        with self._lock:
            self._always[path] = fault

    def heal(self) -> None:
        """Do everything right from now on."""
        with self._lock:
            self._once.clear()
            self._always.clear()

    def texts(self) -> list[str]:
        """All texts that were sent to be embedded, in their order, repeated ones too."""
        return [text for request in self.requests if request.path == "/v1/embeddings" for text in request.body["input"]]

    def prompts(self) -> list[str]:
        """What was sent to the chat model, each request's turns joined; without the client's own probes."""
        asked = [request.body["messages"] for request in self.requests if request.path == CHAT]
        texts = ["\n".join(message["content"] for message in messages) for messages in asked]
        return [text for text in texts if '{"ok": true}' not in text]

    def take_fault(self, path: str, body: Any) -> Fault:
        """What is wrong with the answer to this request."""
        with self._lock:
            waiting = self._once[path]
            fault = waiting[0] if waiting else self._always.get(path, Fault())
            if fault.when is not None and not fault.when(body):
                return Fault()
            if waiting:
                waiting.popleft()
            return fault


class _Handler(BaseHTTPRequestHandler):
    house: Server
    protocol_version = "HTTP/1.1"
    # Without it each small answer would wait for the client's delayed acknowledgement.
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the parent's name
        """Say nothing."""

    def do_POST(self) -> None:
        """Answer, or fail as told."""
        raw = self.rfile.read(int(self.headers.get("content-length", "0")))
        multipart = self.headers.get("content-type", "").startswith("multipart/")
        self._answered("POST", raw if multipart else json.loads(raw or b"null"))

    def do_GET(self) -> None:
        """Answer, or fail as told."""
        self._answered("GET", None)

    def do_DELETE(self) -> None:
        """Answer, or fail as told."""
        self._answered("DELETE", None)

    def _answered(self, method: str, body: Any) -> None:
        path = self.path.partition("?")[0]
        self.house.requests.append(Request(path, dict(self.headers.items()), body, method))
        fault = self.house.take_fault(path, body)
        time.sleep(fault.delay)
        if fault.drop:
            self.close_connection = True
            return
        status, answer = self._answer(fault, method, path, body)
        if fault.lose:
            self.close_connection = True
            return
        if status == 200 and path == CHAT and body.get("stream"):
            fault = replace(fault, headers={"Content-Type": "text/event-stream", **fault.headers})
            content = events(answer)
        else:
            content = answer.content if isinstance(answer, Raw) else json.dumps(answer).encode()
        if fault.cut:
            content = content[: len(content) // 2]
        self._send(status, content, fault)

    def _answer(self, fault: Fault, method: str, path: str, body: Any) -> tuple[int, Any]:
        if self.house.every is not None:
            return self.house.every
        if fault.status is not None:
            return fault.status, _error(fault.message, fault.code, fault.parameter)
        if self.house.key is not None and self.headers.get("authorization") != f"Bearer {self.house.key}":
            return 401, _error("wrong key", "invalid_api_key")
        if path == CHAT:
            refused = refusal_of(body, self.house.takes, self.house.unknown)
            if refused is not None:
                return 400, _error(f"{refused} is not supported", "unsupported_parameter", refused)
        if self.house.batches is not None and path.startswith(("/v1/files", "/v1/batches")):
            found = self.house.batches.handle(method, path, body, self.headers.get("content-type", ""))
            return (200, found) if found is not None else (404, _error("no such thing", None))
        if (method, path) == ("GET", "/v1/models") and self.house.models is not None:
            return 200, {"object": "list", "data": [{"id": name, "object": "model"} for name in self.house.models]}
        route = self.house.routes.get(path) if method == "POST" else None
        if route is None:
            return 404, _error("no such path", None)
        answer = route(body)
        return 200, fault.change(answer) if fault.change is not None else answer

    def _send(self, status: int, content: bytes, fault: Fault) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **fault.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if not fault.drip:
            self.wfile.write(content)
        else:
            for start in range(len(content)):
                self.wfile.write(content[start : start + 1])
                time.sleep(fault.drip)


def _error(message: str, code: str | None, parameter: str | None = None) -> dict[str, Any]:
    return {"error": {"message": message, "type": "error", "param": parameter, "code": code}}
