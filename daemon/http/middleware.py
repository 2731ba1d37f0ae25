"""What every request passes before it reaches a route: a body cap, a limit of simultaneous work, one shape of errors.

Plain ASGI around the application, so that an answer is right also where no route was found.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import orjson
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from ...schemas.errors import BusyError, InvalidError, MemdError, NotFoundError, envelope, meaning_of
from ..logs import error_facts

if TYPE_CHECKING:
    from collections.abc import MutableMapping

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

BODY_BYTES = 16 * 1024 * 1024
"""The largest body of a request; clients send more documents in several requests."""

BODIES_BYTES = 4 * BODY_BYTES
"""What the bodies of all requests may take together: each lies in memory until its request is answered."""

SIMULTANEOUS = 32
"""Requests that are worked on at once. One does not count while it waits for its peer, to send or to read."""

FOLLOWERS = 32
"""Streams of progress at once: half of all connections, so that others can still ask."""

_ENVELOPE = {
    "description": "What went wrong: the error envelope",
    "content": {
        "application/json": {
            "schema": {
                "type": "object",
                "required": ["code", "message", "hint", "retryable", "correlation_id"],
                "properties": {
                    "code": {"type": "string", "description": "docs/formats.md lists them"},
                    "message": {"type": "string"},
                    "hint": {"type": "string"},
                    "retryable": {"type": "boolean"},
                    "correlation_id": {"type": "string"},
                    "problems": {"type": "array", "items": {"type": "string"}},
                },
            }
        }
    },
}
ERRORS: dict[int | str, dict[str, Any]] = {"4XX": _ENVELOPE, "5XX": _ENVELOPE}
"""How the API describes every error."""

CORRELATION = b"x-correlation-id"

log = logging.getLogger(__name__)


class TooLargeError(InvalidError):
    """The body of a request is larger than it may be."""


class CrowdedError(BusyError):
    """The bodies of all requests take more than they may."""


class LimitsMiddleware:
    """The outermost application: counts, caps, and turns everything that was raised into the error envelope."""

    def __init__(self, app: ASGIApp, *, body_bytes: int = BODY_BYTES, simultaneous: int = SIMULTANEOUS) -> None:
        self._app = app
        self._body_bytes = body_bytes
        self._simultaneous = simultaneous
        self.working = 0
        self.following = 0
        self.held = 0
        """Bytes of the bodies of all requests that are not answered yet."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through."""
        if scope["type"] != "http":
            return
        correlation = uuid.uuid4().hex[:12]
        state: MutableMapping[str, Any] = scope.setdefault("state", {})
        state["correlation_id"] = correlation
        load = _Load(self, scope, receive, send, correlation)
        with load:
            try:
                if self.working > self._simultaneous or self.following > FOLLOWERS:
                    raise BusyError("too many requests at once", hint="try again in a moment")
                self._refuse_large(scope)
                await self._app(scope, load.receive, load.send)
            except ClientDisconnect:
                log.debug("a client left before its request was whole", extra={"correlation_id": correlation})
            except Exception as error:  # noqa: BLE001 - whatever it is, the client gets the error envelope
                if not load.started:
                    await error_response(error, correlation)(scope, receive, load.send)
                elif not load.ended:  # too late for another answer; the server closes the connection
                    log.error("an answer broke off", extra={"correlation_id": correlation, **error_facts(error)})

    def check_held(self, size: int) -> None:
        """Refuse a body, or what all requests hold together, that is larger than it may be."""
        if size > self._body_bytes:
            raise self._too_large()
        if self.held > BODIES_BYTES:
            raise CrowdedError("too much is being sent at once", hint="try again in a moment")

    def _refuse_large(self, scope: Scope) -> None:
        for name, value in scope["headers"]:
            # By its length first: int() refuses thousands of digits.
            if name == b"content-length" and value.isdigit() and (len(value) > 18 or int(value) > self._body_bytes):
                raise self._too_large()

    def _too_large(self) -> TooLargeError:
        mebibytes = self._body_bytes // (1024 * 1024)
        return TooLargeError(f"the body is larger than {mebibytes} MiB", hint="send the documents in several requests")


class _Load:
    """What one request adds to the load: it is at work but while its peer is waited for, and holds its body to the end."""

    def __init__(self, gate: LimitsMiddleware, scope: Scope, receive: Receive, send: Send, correlation: str) -> None:
        self.started = False
        self.ended = False
        """The answer is whole; what is raised after it was logged with it."""
        self._gate = gate
        self._follows = scope["path"].startswith("/v1/progress")
        self._receive, self._send = receive, send
        self._correlation = correlation
        self._waits = 0
        self._held = 0
        self._whole = False

    def __enter__(self) -> None:
        self._gate.following += self._follows
        self._gate.working += not self._follows

    def __exit__(self, *error: object) -> None:
        self._gate.following -= self._follows
        self._gate.working -= not self._follows
        self._gate.held -= self._held

    async def receive(self) -> Message:
        """The next piece of the body, or, when it is whole, the end of the connection."""
        if self._whole:
            return await self._receive()
        with self._waiting():
            message = await self._receive()
        size = len(message.get("body", b""))
        self._whole = not message.get("more_body", False)
        self._held += size
        self._gate.held += size
        self._gate.check_held(self._held)
        return message

    async def send(self, message: Message) -> None:
        """A piece of the answer; returns when the peer has read enough of those before."""
        if message["type"] == "http.response.start":
            self.started = True
            message["headers"] = [*message.get("headers", ()), (CORRELATION, self._correlation.encode())]
        with self._waiting():
            await self._send(message)
        self.ended = message["type"] == "http.response.body" and not message.get("more_body", False)

    @contextmanager
    def _waiting(self) -> Generator[None]:
        self._waits += 1
        self._gate.working -= self._waits == 1 and not self._follows
        try:
            yield
        finally:
            self._gate.working += self._waits == 1 and not self._follows
            self._waits -= 1


def error_response(error: Exception, correlation: str) -> Response:
    """The answer to an error of any kind; one that nobody foresaw is logged by its place, never by its text."""
    headers: dict[str, str] = {}
    if isinstance(error, HTTPException):
        status, known = error.status_code, _of_http(error)
        headers.update(error.headers or {})
    else:
        status, known = meaning_of(error).status, error
        if isinstance(error, ClientDisconnect):
            log.debug("a client left before its request was whole", extra={"correlation_id": correlation})
        elif not isinstance(error, MemdError):
            log.error("unexpected error", extra={"correlation_id": correlation, **error_facts(error)})
    if isinstance(error, BusyError):
        headers["retry-after"] = "1"
    if isinstance(error, TooLargeError):
        status = 413
    if isinstance(error, TooLargeError | CrowdedError):
        headers["connection"] = "close"  # the rest of the body will not be read
    body = orjson.dumps(envelope(known, correlation))
    return Response(body, status, headers, media_type="application/json")


def _of_http(error: HTTPException) -> MemdError:
    if error.status_code == 404:
        return NotFoundError("there is nothing at this path", hint="GET /openapi.json lists what there is")
    if error.status_code == 405:
        return InvalidError("this path takes another method", hint="GET /openapi.json lists what there is")
    return InvalidError(str(error.detail))
