"""The middleware of every request: limits on bodies, and one format for errors.

Plain ASGI around the application, so that an answer is right also where no route was found.
"""

from __future__ import annotations

import logging
import uuid
from typing import TYPE_CHECKING, Any

import orjson
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from ...memory.tracing import span
from ...schemas.errors import BusyError, InvalidError, MemdError, NotFoundError, envelope, error_info
from ..activity import Activity
from ..logs import correlated, error_fields
from .limits import BODIES_BYTES, BODY_BYTES, FOLLOWED, FOLLOWERS

if TYPE_CHECKING:
    from collections.abc import MutableMapping

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

CORRELATION = b"x-correlation-id"
METHOD, ROUTE, STATUS = "http.request.method", "http.route", "http.response.status_code"
"""The attributes of a request's span, as in OpenTelemetry's semantic conventions for HTTP."""
_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
_OTHER = "_OTHER"
"""The method of a span where the client made up a word, by the same conventions."""

log = logging.getLogger(__name__)


class TooLargeError(InvalidError):
    """The body of a request exceeds the limit."""


class CrowdedError(BusyError):
    """The bodies of all requests together exceed the limit."""


class LimitsMiddleware:
    """The outermost application: limits bodies, and turns every exception into the error envelope."""

    def __init__(self, app: ASGIApp, *, body_bytes: int = BODY_BYTES, activity: Activity | None = None) -> None:
        self._app = app
        self._activity = activity or Activity()
        self._body_bytes = body_bytes
        self.held = 0
        """The bytes of the bodies of all unanswered requests."""
        self.followers = 0
        """The number of open progress streams."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] != "http":
            return
        with self._activity.request():
            await self._answer(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        correlation = uuid.uuid4().hex[:12]
        state: MutableMapping[str, Any] = scope.setdefault("state", {})
        state["correlation_id"] = correlation
        exchange = _Exchange(self, receive, send, correlation)
        method = scope["method"] if scope["method"] in _METHODS else _OTHER
        with correlated(correlation), span("request", **{METHOD: method}) as attributes:
            await self._complete(scope, exchange, correlation)
            attributes[ROUTE] = state.get("route", "")
            attributes[STATUS] = exchange.status

    async def _complete(self, scope: Scope, exchange: _Exchange, correlation: str) -> None:
        follows = scope["path"].encode() == FOLLOWED
        self.followers += follows
        try:
            if follows and self.followers > FOLLOWERS:
                raise BusyError("too many streams of progress at once", hint="close one, or try again in a moment")
            self._refuse_large(scope)
            await self._app(scope, exchange.receive, exchange.send)
        except ClientDisconnect:
            log.debug("a client left before its request was whole", extra={"correlation_id": correlation})
        except Exception as error:  # noqa: BLE001 - whatever it is, the client gets the error envelope
            if not exchange.started:
                await error_response(error, correlation)(scope, exchange.receive, exchange.send)
            elif not exchange.ended:  # too late for another answer; the server closes the connection
                log.error("an answer broke off", extra={"correlation_id": correlation, **error_fields(error)})
        finally:
            self.held -= exchange.held
            self.followers -= follows

    def check_held(self, size: int) -> None:
        """Refuse a body that is too large, or that makes the total too large."""
        if size > self._body_bytes:
            raise self._too_large()
        if self.held > BODIES_BYTES:
            raise CrowdedError("too much is being sent at once", hint="try again in a moment")

    def _refuse_large(self, scope: Scope) -> None:
        for name, value in scope["headers"]:
            # Check the length first: int() refuses thousands of digits.
            if name == b"content-length" and value.isdigit() and (len(value) > 18 or int(value) > self._body_bytes):
                raise self._too_large()

    def _too_large(self) -> TooLargeError:
        mebibytes = self._body_bytes // (1024 * 1024)
        return TooLargeError(f"the body is larger than {mebibytes} MiB", hint="send the documents in several requests")


class _Exchange:
    """A request and its answer: the bytes of the body that are held, and the state of the answer."""

    def __init__(self, limits: LimitsMiddleware, receive: Receive, send: Send, correlation: str) -> None:
        self.started = False
        self.status = 0
        """The status of the answer; 0 before it is sent."""
        self.ended = False
        """True if the answer is complete; a later exception has been logged already."""
        self.held = 0
        self._limits = limits
        self._receive, self._send = receive, send
        self._correlation = correlation

    async def receive(self) -> Message:
        """Return the next piece of the body or, after the body, the end of the connection."""
        message = await self._receive()
        if size := len(message.get("body", b"")):
            self.held += size
            self._limits.held += size
            self._limits.check_held(self.held)
        return message

    async def send(self, message: Message) -> None:
        """Send a piece of the answer; returns when the peer has read enough of the earlier ones."""
        if message["type"] == "http.response.start":
            self.started = True
            self.status = int(message["status"])
            message["headers"] = [*message.get("headers", ()), (CORRELATION, self._correlation.encode())]
        await self._send(message)
        self.ended = message["type"] == "http.response.body" and not message.get("more_body", False)


def error_response(error: Exception, correlation: str) -> Response:
    """Return the answer to any error; an unexpected one is logged by its place in the code, never by its text."""
    headers: dict[str, str] = {}
    if isinstance(error, HTTPException):
        status, api_error = error.status_code, _of_http(error)
        headers.update(error.headers or {})
    else:
        status, api_error = error_info(error).status, error
        if isinstance(error, ClientDisconnect):
            log.debug("a client left before its request was whole", extra={"correlation_id": correlation})
        elif not isinstance(error, MemdError):
            log.error("unexpected error", extra={"correlation_id": correlation, **error_fields(error)})
    if isinstance(error, BusyError):
        headers["retry-after"] = "1"
    if isinstance(error, TooLargeError):
        status = 413
    if isinstance(error, TooLargeError | CrowdedError):
        headers["connection"] = "close"  # the rest of the body will not be read
    body = orjson.dumps(envelope(api_error, correlation))
    return Response(body, status, headers, media_type="application/json")


def _of_http(error: HTTPException) -> MemdError:
    if error.status_code == 404:
        return NotFoundError("there is nothing at this path", hint="GET /openapi.json lists what there is")
    if error.status_code == 405:
        return InvalidError("this path takes another method", hint="GET /openapi.json lists what there is")
    return InvalidError(str(error.detail))
