"""The transport over HTTP: one path of the daemon's loopback address, where each message is a request of its own.

Not light: it runs inside the daemon, behind `http.loopback`, which asks for the token. Its tools reach the memory as those
of any other process do, through the socket, in threads. A response is JSON, or a stream of events if the request sends
something before it.
"""

from __future__ import annotations

import base64
import binascii
import secrets
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import anyio
import anyio.from_thread
import anyio.to_thread
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

from ..http.middleware import LimitsMiddleware
from . import jsonrpc
from .exchange import Exchange, Peer
from .jsonrpc import Json, Message, ProtocolError, error_message, identifier_in, line_of, parse
from .question import Question
from .server import CAPABILITIES_KEY, LEGACY, MODERN, VERSION_KEY, Server, meta_of

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

PATH = "/mcp"
BODY_BYTES = 64 * 1024 * 1024
"""The longest message, which is also the most of all unanswered messages together: `http.limits.BODIES_BYTES`."""
AT_ONCE = 32
"""Requests that are carried out at the same time."""
SESSIONS = 256
"""Sessions of the earlier era; the oldest are dropped, and their clients begin again."""
STATUS: Mapping[int, int] = {
    jsonrpc.PARSE_ERROR: 400,
    jsonrpc.INVALID_REQUEST: 400,
    jsonrpc.INVALID_PARAMS: 400,
    jsonrpc.HEADER_MISMATCH: 400,
    jsonrpc.MISSING_CAPABILITY: 400,
    jsonrpc.UNSUPPORTED_VERSION: 400,
    jsonrpc.METHOD_NOT_FOUND: 404,
}
"""The status of an error, by its code; a session's errors are answers like others."""
_NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_WORDS = ("=?base64?", "?=")
_JSON = b"application/json"
_EVENTS = b"text/event-stream"


class Session:
    """The state of a client of the earlier era."""

    def __init__(self) -> None:
        self.peer = Peer()
        self.questions: dict[str, Question] = {}

    def end(self) -> None:
        """Let nobody wait for its client any longer."""
        for question in list(self.questions.values()):
            question.answer({})


class McpEndpoint:
    """An application that answers at `PATH`; what is asked at other paths goes on to ``app``."""

    def __init__(self, app: ASGIApp, server: Server) -> None:
        self._app = app
        self._server = server
        self._sessions: dict[str, Session] = {}
        self._threads = anyio.CapacityLimiter(AT_ONCE)
        self._limited = LimitsMiddleware(self._answer, body_bytes=BODY_BYTES)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] != "http" or scope["path"] != PATH:
            await self._app(scope, receive, send)
        else:
            await self._limited(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        response = _Response(send)
        method = scope["method"]
        if method == "DELETE":
            session = self._sessions.pop(headers.get("mcp-session-id", ""), None)
            if session is not None:
                session.end()
            await response.empty(404 if session is None else 200)
            return
        if method != "POST":
            await response.empty(405, [(b"allow", b"POST, DELETE")])
            return
        body = await _body_of(receive)
        try:
            message = parse(body)
            session, modern = self._session_of(message, headers)
        except ProtocolError as error:
            await response.message(error_message(identifier_in(body), error), STATUS.get(error.code, 400))
            return
        if session is None:
            await response.message(error_message(message.identifier, _NO_SESSION), 404)
        elif message.is_request:
            await self._serve(message, session, modern, receive, response)
        else:
            if not message.method and (question := session.questions.get(str(message.identifier))) is not None:
                question.answer(message.body)
            await response.empty(202)

    def _session_of(self, message: Message, headers: Mapping[str, str]) -> tuple[Session | None, bool]:
        """Return the session that a message belongs to, a new one where it begins one or needs none, and whether it is
        of the later era; None for a session that has ended.

        Raises:
            ProtocolError: the headers contradict the message.
        """
        version = headers.get("mcp-protocol-version")
        if VERSION_KEY in meta_of(message.params) or (version is not None and version not in LEGACY):
            if message.is_request:
                _check_headers(message, headers)
            return Session(), True
        if message.method == "initialize":
            return Session(), False
        identifier = headers.get("mcp-session-id")
        if identifier is None:
            raise ProtocolError(jsonrpc.INVALID_REQUEST, "begin with initialize, or send the version in params._meta")
        return self._sessions.get(identifier), False

    async def _serve(
        self, message: Message, session: Session, modern: bool, receive: Receive, response: _Response
    ) -> None:
        sender, receiver = anyio.create_memory_object_stream[Mapping[str, Any]](16)
        waiting: set[str] = set()
        call = _Call(session, sender, waiting)

        async def work() -> None:
            async with sender:
                answer = await anyio.to_thread.run_sync(
                    self._server.answer,
                    message,
                    Exchange(session.peer, call.send, call.ask),
                    abandon_on_cancel=True,
                    limiter=self._threads,
                )
                await sender.send(answer)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(work)
            tasks.start_soon(_until_disconnected, receive, tasks.cancel_scope)
            try:
                await self._send_all(message, session, modern, receiver, response)
            finally:
                for identifier in waiting:
                    if (question := session.questions.get(identifier)) is not None:
                        question.answer({})
            tasks.cancel_scope.cancel()

    async def _send_all(
        self,
        message: Message,
        session: Session,
        modern: bool,
        receiver: MemoryObjectReceiveStream[Mapping[str, Any]],
        response: _Response,
    ) -> None:
        async with receiver:
            async for each in receiver:
                if "method" in each:
                    await response.event(each)
                elif response.streams:
                    await response.event(each, last=True)
                else:
                    status = STATUS.get(each["error"]["code"], 200) if modern and "error" in each else 200
                    headers: list[tuple[bytes, bytes]] = []
                    if message.method == "initialize" and "result" in each:
                        headers.append((b"mcp-session-id", self._kept(session).encode()))
                    await response.message(each, status, headers)

    def _kept(self, session: Session) -> str:
        identifier = secrets.token_urlsafe(24)
        self._sessions[identifier] = session
        while len(self._sessions) > SESSIONS:
            self._sessions.pop(next(iter(self._sessions))).end()
        return identifier


_NO_SESSION = ProtocolError(jsonrpc.INVALID_REQUEST, "that session has ended: begin with initialize")


class _Call:
    """The ways from the thread of a request to its client."""

    def __init__(self, session: Session, sender: MemoryObjectSendStream[Mapping[str, Any]], waiting: set[str]) -> None:
        self._session = session
        self._sender = sender
        self._waiting = waiting
        self._lock = threading.Lock()

    def send(self, message: Mapping[str, Any]) -> None:
        """Send a message before the response."""
        anyio.from_thread.run(self._sender.send, message)

    def ask(self, method: str, params: Mapping[str, Any]) -> Json:
        """Send a request; return its result when the client has sent it."""
        identifier = f"memd-{secrets.token_hex(8)}"
        question = self._session.questions[identifier] = Question()
        self._waiting.add(identifier)
        try:
            self.send({"jsonrpc": "2.0", "id": identifier, "method": method, "params": params})
            return question.result()
        finally:
            self._waiting.discard(identifier)
            del self._session.questions[identifier]


class _Response:
    """One HTTP response."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.streams = False
        """True if a stream of events has begun."""

    async def empty(self, status: int, headers: list[tuple[bytes, bytes]] | None = None) -> None:
        """Send a response without a body."""
        await self._start(status, [(b"content-length", b"0"), *(headers or [])])
        await self._send({"type": "http.response.body"})

    async def message(
        self, message: Mapping[str, Any], status: int, headers: list[tuple[bytes, bytes]] | None = None
    ) -> None:
        """Send a message as the whole response."""
        body = line_of(message)
        length = str(len(body)).encode()
        await self._start(status, [(b"content-type", _JSON), (b"content-length", length), *(headers or [])])
        await self._send({"type": "http.response.body", "body": body})

    async def event(self, message: Mapping[str, Any], *, last: bool = False) -> None:
        """Send a message as an event."""
        if not self.streams:
            self.streams = True
            await self._start(
                200, [(b"content-type", _EVENTS), (b"cache-control", b"no-store"), (b"x-accel-buffering", b"no")]
            )
        body = b"event: message\ndata: " + line_of(message) + b"\n\n"
        await self._send({"type": "http.response.body", "body": body, "more_body": not last})

    async def _start(self, status: int, headers: list[tuple[bytes, bytes]]) -> None:
        await self._send({"type": "http.response.start", "status": status, "headers": headers})


async def _body_of(receive: Receive) -> bytes:
    """Return the body of a request."""
    parts: list[bytes] = []
    more = True
    while more:
        message = await receive()
        parts.append(message.get("body", b""))
        more = message.get("more_body", False)
    return b"".join(parts)


async def _until_disconnected(receive: Receive, scope: anyio.CancelScope) -> None:
    """Cancel a request whose client has gone."""
    while (await receive())["type"] != "http.disconnect":
        pass
    scope.cancel()


def _check_headers(message: Message, headers: Mapping[str, str]) -> None:
    """Refuse a request of the later era whose headers say something else than it does.

    Raises:
        ProtocolError: they do; or its ``_meta`` lacks what it must hold, which is told first.
    """
    meta = meta_of(message.params)
    missing = [key for key in (VERSION_KEY, CAPABILITIES_KEY) if key not in meta]
    if missing:
        raise ProtocolError(jsonrpc.INVALID_PARAMS, f"params._meta lacks {', '.join(missing)}")
    if headers.get("mcp-protocol-version") != meta[VERSION_KEY]:
        raise ProtocolError(jsonrpc.HEADER_MISMATCH, "MCP-Protocol-Version is not the version in params._meta")
    if meta[VERSION_KEY] not in MODERN:
        return  # the server tells the versions that it serves
    if headers.get("mcp-method") != message.method:
        raise ProtocolError(jsonrpc.HEADER_MISMATCH, "Mcp-Method is not the method of the message")
    field = _NAMED.get(message.method)
    name = message.params.get(field) if field else None
    if name is not None and _decoded(headers.get("mcp-name")) != name:
        raise ProtocolError(jsonrpc.HEADER_MISMATCH, f"Mcp-Name is not params.{field}")


def _decoded(value: str | None) -> str | None:
    """Return the value of a header that may be encoded in base64; None if it is broken."""
    begin, end = _WORDS
    if value is None or not (value.startswith(begin) and value.endswith(end) and len(value) >= len(begin + end)):
        return value
    try:
        return base64.b64decode(value[len(begin) : -len(end)], validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None
