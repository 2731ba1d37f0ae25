"""What every request passes before it reaches a route: a body cap, a limit of simultaneous work, one shape of errors.

Plain ASGI around the application, so that an answer is right also where no route was found.
"""

from __future__ import annotations

import logging
import uuid
from typing import TYPE_CHECKING, Any

import orjson
from starlette.exceptions import HTTPException
from starlette.responses import Response

from ..schemas.errors import BusyError, InvalidError, MemdError, NotFoundError, envelope, meaning_of

if TYPE_CHECKING:
    from collections.abc import MutableMapping

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

BODY_BYTES = 16 * 1024 * 1024
"""The largest body of a request; clients send more documents in several requests."""

SIMULTANEOUS = 32
"""Requests that are worked on at once; streams of progress do not count, they cost nothing while they wait."""

CORRELATION = b"x-correlation-id"

log = logging.getLogger(__name__)


class TooLargeError(InvalidError):
    """The body of a request is larger than it may be."""


class Gate:
    """The outermost application: counts, caps, and turns everything that was raised into the error envelope."""

    def __init__(self, app: ASGIApp, *, body_bytes: int = BODY_BYTES, simultaneous: int = SIMULTANEOUS) -> None:
        self._app = app
        self._body_bytes = body_bytes
        self._simultaneous = simultaneous
        self._working = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through."""
        if scope["type"] != "http":
            return
        correlation = uuid.uuid4().hex[:12]
        state: MutableMapping[str, Any] = scope.setdefault("state", {})
        state["correlation_id"] = correlation
        started = False

        async def send_marked(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                message["headers"] = [*message.get("headers", ()), (CORRELATION, correlation.encode())]
            await send(message)

        counted = not scope["path"].startswith("/v1/progress")
        try:
            if counted and self._working >= self._simultaneous:
                raise BusyError("too many requests at once", hint="try again in a moment")
            self._working += counted
            try:
                await self._app(scope, self._capped(scope, receive), send_marked)
            finally:
                self._working -= counted
        except Exception as error:  # noqa: BLE001 - the wall: whatever it is, the asker gets the one shape
            if not started:
                await error_response(error, correlation)(scope, receive, send_marked)
            else:  # too late for another answer; the server closes the connection if this one is not whole
                log.error("an answer broke off", extra={"correlation_id": correlation, **place_of(error)})

    def _capped(self, scope: Scope, receive: Receive) -> Receive:
        for name, value in scope["headers"]:
            if name == b"content-length" and value.isdigit() and int(value) > self._body_bytes:
                raise self._too_large()
        seen = 0

        async def receive_capped() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > self._body_bytes:
                raise self._too_large()
            return message

        return receive_capped

    def _too_large(self) -> TooLargeError:
        mebibytes = self._body_bytes // (1024 * 1024)
        return TooLargeError(f"the body is larger than {mebibytes} MiB", hint="send the documents in several requests")


def error_response(error: Exception, correlation: str) -> Response:
    """The answer to an error of any kind; one that nobody foresaw is logged by its place, never by its text."""
    headers: dict[str, str] = {}
    if isinstance(error, HTTPException):
        status, known = error.status_code, _of_http(error)
        headers.update(error.headers or {})
    else:
        status, known = meaning_of(error).status, error
        if not isinstance(error, MemdError):
            log.error("unexpected error", extra={"correlation_id": correlation, **place_of(error)})
    if isinstance(error, BusyError):
        headers["retry-after"] = "1"
    if isinstance(error, TooLargeError):
        status = 413
        headers["connection"] = "close"  # the rest of the body will not be read
    body = orjson.dumps(envelope(known, correlation))
    return Response(body, status, headers, media_type="application/json")


def place_of(error: BaseException) -> dict[str, str]:
    """What kind of error and where it came from; its message may quote private text and stays out."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace is not None else "?"
    return {"error": type(error).__name__, "where": where}


def _of_http(error: HTTPException) -> MemdError:
    if error.status_code == 404:
        return NotFoundError("there is nothing at this path", hint="GET /openapi.json lists what there is")
    if error.status_code == 405:
        return InvalidError("this path takes another method", hint="GET /openapi.json lists what there is")
    return InvalidError(str(error.detail))
