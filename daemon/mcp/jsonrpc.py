"""Messages of JSON-RPC 2.0 as the protocol allows them: parsed, told apart, answered. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple, cast

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
RESOURCE_NOT_FOUND = -32002
"""Up to 2025-11-25; later `INVALID_PARAMS`."""
HEADER_MISMATCH = -32020
MISSING_CAPABILITY = -32021
UNSUPPORTED_VERSION = -32022

Identifier = str | int
Json = dict[str, Any]


class ProtocolError(Exception):
    """A message that cannot be served; becomes an error response."""

    def __init__(self, code: int, message: str, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


class Message(NamedTuple):
    """A request (with id and method), a notification (without id) or a response (without method)."""

    identifier: Identifier | None
    method: str
    params: Json
    body: Json
    """The whole message."""

    @property
    def is_request(self) -> bool:
        """Return whether it wants an answer."""
        return bool(self.method) and self.identifier is not None


def object_of(value: object) -> Json | None:
    """Return a JSON object; None for anything else."""
    return cast("Json", value) if isinstance(value, dict) else None


def parse(text: bytes | str) -> Message:
    """Return the message.

    Raises:
        ProtocolError: it is not JSON, or no message.
    """
    try:
        body: Any = json.loads(text)
    except (ValueError, RecursionError):
        raise ProtocolError(PARSE_ERROR, "the message is not JSON") from None
    fields = object_of(body)
    if fields is None:
        what = "send the messages one by one: batches are not supported" if isinstance(body, list) else "no object"
        raise ProtocolError(INVALID_REQUEST, what)
    identifier, method, params = fields.get("id"), fields.get("method", ""), fields.get("params", {})
    if fields.get("jsonrpc") != "2.0":
        raise ProtocolError(INVALID_REQUEST, 'jsonrpc must be "2.0"')
    if "id" in fields and (not isinstance(identifier, str | int) or isinstance(identifier, bool)):
        raise ProtocolError(INVALID_REQUEST, "id must be a text or a whole number")
    if not isinstance(method, str) or not (method or "result" in fields or "error" in fields):
        raise ProtocolError(INVALID_REQUEST, "method must be a text")
    if not isinstance(params, dict):
        raise ProtocolError(INVALID_PARAMS, "params must be an object")
    return Message(identifier, method, cast("Json", params), fields)


def identifier_in(text: bytes | str) -> Identifier | None:
    """Return the id of a message that cannot be served, if it can be read."""
    try:
        body: Any = json.loads(text)
    except (ValueError, RecursionError):
        return None
    identifier: object = (object_of(body) or {}).get("id")
    return identifier if isinstance(identifier, str | int) and not isinstance(identifier, bool) else None


def result_message(identifier: Identifier, result: Mapping[str, Any]) -> Json:
    """Return the response with a result."""
    return {"jsonrpc": "2.0", "id": identifier, "result": result}


def error_message(identifier: Identifier | None, error: ProtocolError) -> Json:
    """Return the response with an error; without an id if that of the request could not be read."""
    body: Json = {"code": error.code, "message": error.message}
    if error.data is not None:
        body["data"] = error.data
    return {"jsonrpc": "2.0"} | ({} if identifier is None else {"id": identifier}) | {"error": body}


def line_of(message: Mapping[str, Any]) -> bytes:
    """Return a message as one line, without its end: ASCII, so that no separator and no lone surrogate stands in it."""
    return json.dumps(message, separators=(",", ":")).encode("ascii")
