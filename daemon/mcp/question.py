"""A request of ours to a client, whose answer a thread waits for."""

from __future__ import annotations

import threading

from .jsonrpc import INTERNAL_ERROR, Json, ProtocolError, object_of


class Question:
    """One request, answered once."""

    def __init__(self) -> None:
        self._answered = threading.Event()
        self._body: Json = {}

    def answer(self, body: Json) -> None:
        """Hand over the response."""
        self._body = body
        self._answered.set()

    def result(self) -> Json:
        """Return the result, when it is there.

        Raises:
            ProtocolError: the client answered with an error.
        """
        self._answered.wait()
        result = object_of(self._body.get("result"))
        if result is None:
            raise ProtocolError(INTERNAL_ERROR, "the client could not answer")
        return result
