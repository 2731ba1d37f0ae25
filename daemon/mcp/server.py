"""The protocol without a transport: both eras, versions, the methods that every server has. Pure but for its methods.

A request with the protocol's version in its ``_meta`` is served by itself (2026-07-28); ``initialize`` begins a session
of an earlier version. Both may come over one connection.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from . import jsonrpc
from .exchange import Exchange, InputRequiredError
from .jsonrpc import Json, Message, ProtocolError, object_of

MODERN = ("2026-07-28",)
"""The versions that are told with each request."""
LEGACY = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""The versions that begin with ``initialize``, the latest first."""

META = "io.modelcontextprotocol/"
VERSION_KEY = f"{META}protocolVersion"
CAPABILITIES_KEY = f"{META}clientCapabilities"

Method = Callable[[Json, Exchange], Json]
"""Serves a request's params; returns the result."""

_LEGACY_ONLY = frozenset({"initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"})
_TAKES_INPUT = frozenset({"tools/call", "resources/read", "prompts/get"})
_CACHED = frozenset(
    {"tools/list", "resources/list", "resources/templates/list", "resources/read", "prompts/list", "server/discover"}
)
"""The methods whose results say how long they may be kept."""


def meta_of(params: Json) -> Json:
    """Return the metadata of a request; empty without any."""
    return object_of(params.get("_meta")) or {}


class Server:
    """One server: its name, its capabilities, and its methods."""

    def __init__(
        self,
        methods: Mapping[str, Method],
        capabilities: Mapping[str, Any],
        *,
        version: str,
        instructions: str = "",
        lasting: Mapping[str, int] | None = None,
    ) -> None:
        self.capabilities = capabilities
        self.methods: dict[str, Method] = {
            "initialize": self._initialize,
            "ping": lambda _params, _exchange: {},
            "server/discover": self._discover,
            **methods,
        }
        self._info = {"name": "memd", "title": "memd", "version": version}
        self._instructions = instructions
        self._lasting = {"server/discover": 3_600_000, **(lasting or {})}
        """Milliseconds that a client may keep a result, by method; others are stale at once."""

    def answer(self, message: Message, exchange: Exchange) -> Json:
        """Return the response to a request."""
        identifier = 0 if message.identifier is None else message.identifier
        try:
            return jsonrpc.result_message(identifier, self.result(message, exchange))
        except ProtocolError as error:
            return jsonrpc.error_message(identifier, error)
        except Exception:  # noqa: BLE001 - whatever it is, the client gets an error, and none of its words
            return jsonrpc.error_message(identifier, ProtocolError(jsonrpc.INTERNAL_ERROR, "unexpected error"))

    def result(self, message: Message, exchange: Exchange) -> Json:
        """Return the result of a request.

        Raises:
            ProtocolError: it cannot be served.
        """
        self._begin(message, exchange)
        method = self.methods.get(message.method)
        if method is None or (exchange.modern and message.method in _LEGACY_ONLY):
            raise ProtocolError(jsonrpc.METHOD_NOT_FOUND, f"there is no method {message.method[:64]!r}")
        try:
            result = method(message.params, exchange)
        except InputRequiredError as needed:
            if message.method not in _TAKES_INPUT:
                raise
            result = {"resultType": "input_required", "inputRequests": needed.requests}
            if needed.state is not None:
                result["requestState"] = needed.state
        return self._with_envelope(message.method, result) if exchange.modern else result

    def _with_envelope(self, method: str, result: Json) -> Json:
        envelope: Json = {"resultType": "complete"}
        if method in _CACHED:
            envelope |= {
                "ttlMs": self._lasting.get(method, 0),
                "cacheScope": "public" if method in self._lasting else "private",
            }
        meta = {**result.get("_meta", {}), f"{META}serverInfo": self._info}
        return envelope | result | {"_meta": meta}

    def _begin(self, message: Message, exchange: Exchange) -> None:
        """Tell the era of a request.

        Raises:
            ProtocolError: it is of none, or of a version that is not served.
        """
        meta = meta_of(message.params)
        exchange.params = message.params
        if VERSION_KEY not in meta:
            if exchange.peer.version or message.method in ("initialize", "ping"):
                return
            raise ProtocolError(
                jsonrpc.INVALID_PARAMS,
                f"params._meta lacks {VERSION_KEY} and {CAPABILITIES_KEY}; clients of earlier versions begin with initialize",
            )
        version, capabilities = meta[VERSION_KEY], object_of(meta.get(CAPABILITIES_KEY))
        if not isinstance(version, str):
            raise ProtocolError(jsonrpc.INVALID_PARAMS, f"{VERSION_KEY} must be a text")
        if version not in MODERN:
            raise ProtocolError(
                jsonrpc.UNSUPPORTED_VERSION,
                "Unsupported protocol version",
                {"supported": list(MODERN), "requested": version},
            )
        if capabilities is None:
            raise ProtocolError(jsonrpc.INVALID_PARAMS, f"params._meta lacks {CAPABILITIES_KEY}")
        exchange.modern, exchange.capabilities = True, capabilities

    def _discover(self, _params: Json, _exchange: Exchange) -> Json:
        return self._about({"supportedVersions": list(MODERN), "capabilities": self.capabilities})

    def _initialize(self, params: Json, exchange: Exchange) -> Json:
        wanted, capabilities = params.get("protocolVersion"), object_of(params.get("capabilities", {}))
        if not isinstance(wanted, str) or capabilities is None:
            raise ProtocolError(jsonrpc.INVALID_PARAMS, "initialize needs protocolVersion and capabilities")
        peer = exchange.peer
        peer.version = wanted if wanted in LEGACY else LEGACY[0]
        peer.capabilities = exchange.capabilities = capabilities
        about: Json = {
            "protocolVersion": peer.version,
            "capabilities": self.capabilities,
            "serverInfo": self._info,
        }
        return self._about(about)

    def _about(self, about: Json) -> Json:
        return about | ({"instructions": self._instructions} if self._instructions else {})
