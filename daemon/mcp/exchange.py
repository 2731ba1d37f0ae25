"""The surroundings of a request: its client as it told of itself, and the ways to notify it and to ask it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .jsonrpc import MISSING_CAPABILITY, Json, ProtocolError, object_of

Send = Callable[[Mapping[str, Any]], None]
"""Sends a notification to the client of a request, before its response."""
Ask = Callable[[str, Mapping[str, Any]], Json]
"""Sends a request to the client and waits for its result; raises `ProtocolError` for an error."""


class Peer:
    """The client of a connection or a session that began with ``initialize``. Later revisions say all of it with each
    request.
    """

    def __init__(self) -> None:
        self.version = ""
        """The negotiated version; empty before ``initialize``."""
        self.capabilities: Mapping[str, Any] = {}


class InputRequiredError(Exception):
    """The request can go on when its client has answered these requests, and has sent the state back."""

    def __init__(self, requests: Mapping[str, Any], state: str | None) -> None:
        super().__init__("input is required")
        self.requests = requests
        self.state = state


class Exchange:
    """One request: its peer, its client's capabilities, and the ways to its client."""

    def __init__(self, peer: Peer, send: Send, ask: Ask) -> None:
        self.peer = peer
        self.modern = False
        """True for a revision without ``initialize``."""
        self.capabilities: Mapping[str, Any] = peer.capabilities
        self.params: Mapping[str, Any] = {}
        self.send = send
        self.ask = ask

    def progress(self, done: int, total: int | None) -> None:
        """Tell how far the request is, if its client wants to know."""
        token = (object_of(self.params.get("_meta")) or {}).get("progressToken")
        if isinstance(token, str | int):
            bound = {} if total is None else {"total": total}
            params = {"progressToken": token, "progress": done, **bound}
            self.send({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})

    def require(self, capability: str) -> None:
        """Refuse the request of a client that lacks a capability.

        Raises:
            ProtocolError: it lacks it.
        """
        if capability not in self.capabilities:
            raise ProtocolError(
                MISSING_CAPABILITY,
                f"this needs a client that can do {capability}",
                {"requiredCapabilities": {capability: {}}},
            )

    def input_of(self, name: str, method: str, params: Mapping[str, Any], state: str | None = None) -> Json:
        """Return the client's answer to a request of ours: of a modern client that in this request, else by asking now.

        Raises:
            InputRequiredError: a modern client has to answer it first.
            ProtocolError: the client cannot, or answered with an error.
        """
        if not self.modern:
            return self.ask(method, params)
        responses = object_of(self.params.get("inputResponses")) or {}
        answer = object_of(responses.get(name))
        if answer is not None:
            return answer
        raise InputRequiredError({name: {"method": method, "params": params}}, state)
