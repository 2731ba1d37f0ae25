"""The transport over standard input and output: one message a line, several requests at a time.

What is waited for (a daemon, a person) is waited for in threads; lists and ``ping`` are answered at once.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import Any, BinaryIO

from .exchange import Exchange, Peer
from .jsonrpc import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    Identifier,
    Json,
    Message,
    ProtocolError,
    error_message,
    identifier_in,
    line_of,
    parse,
)
from .question import Question
from .server import Server

LINE_BYTES = 64 * 1024 * 1024
"""The longest message: a text of the largest size, each letter escaped."""
AT_ONCE = 32
"""Requests that are carried out at the same time; further ones wait in the pipe."""
QUESTIONS = 64
"""Requests that wait for the person at the client at the same time; they do not count among the others."""
END_SECONDS = 60.0
"""After the end of the input, requests that were read have so long for their answers."""
SLOW = frozenset({"tools/call", "resources/read", "resources/list", "prompts/get", "completion/complete"})


class StdioTransport:
    """One client at the other end of two pipes."""

    def __init__(self, server: Server, source: BinaryIO, sink: BinaryIO) -> None:
        self._server = server
        self._source = source
        self._sink = sink
        self._peer = Peer()
        self._writing = threading.Lock()
        self._places = threading.BoundedSemaphore(AT_ONCE)
        self._calls: dict[Identifier, threading.Thread] = {}
        self._cancelled: set[Identifier] = set()
        self._asked: dict[Identifier, tuple[Identifier, Question]] = {}
        """Our requests that wait for an answer, by their ids, each with the id of the call that asks."""
        self._questions = 0

    def run(self) -> None:
        """Serve until the input ends, and then finish what was begun."""
        while line := self._source.readline(LINE_BYTES + 1):
            if len(line) > LINE_BYTES:
                self._skip_line(line)
                self._write(error_message(None, ProtocolError(INVALID_REQUEST, "the message is too long")))
            elif line.strip():
                self._receive(line)
        for _, question in list(self._asked.values()):
            question.answer({"error": {"message": "the client has gone"}})
        for call in list(self._calls.values()):
            call.join(END_SECONDS)

    def _skip_line(self, line: bytes) -> None:
        while line and not line.endswith(b"\n"):
            line = self._source.readline(LINE_BYTES)

    def _receive(self, line: bytes) -> None:
        try:
            message = parse(line)
        except ProtocolError as error:
            self._write(error_message(identifier_in(line), error))
            return
        if message.is_request:
            self._begin(message)
        elif not message.method:
            pair = self._asked.get(_identifier(message))
            if pair is not None:
                pair[1].answer(message.body)
        elif message.method == "notifications/cancelled":
            identifier = message.params.get("requestId")
            if isinstance(identifier, str | int) and identifier in self._calls:
                self._cancelled.add(identifier)
                for call, question in list(self._asked.values()):
                    if call == identifier:
                        question.answer({"error": {"message": "the call was cancelled"}})

    def _begin(self, message: Message) -> None:
        if message.method not in SLOW:
            self._answer(message)
            return
        self._places.acquire()
        identifier = _identifier(message)

        def work() -> None:
            try:
                self._answer(message)
            finally:
                self._calls.pop(identifier, None)
                self._cancelled.discard(identifier)
                self._places.release()

        thread = threading.Thread(target=work, name="call", daemon=True)
        self._calls[identifier] = thread
        thread.start()

    def _answer(self, message: Message) -> None:
        identifier = _identifier(message)

        def send(notification: Mapping[str, Any]) -> None:
            if identifier not in self._cancelled:
                self._write(notification)

        send(self._server.answer(message, Exchange(self._peer, send, partial(self._ask, identifier))))

    def _ask(self, call: Identifier, method: str, params: Mapping[str, Any]) -> Json:
        """Ask for a call, and wait. Meanwhile its place is free: where all were waiting for answers, none would be read."""
        question = Question()
        with self._writing:
            if len(self._asked) >= QUESTIONS:
                raise ProtocolError(INTERNAL_ERROR, "too many questions wait for the person: answer them first")
            self._questions += 1
            identifier = f"memd-{self._questions}"
            self._asked[identifier] = call, question
        self._places.release()
        try:
            if call in self._cancelled:
                raise ProtocolError(INTERNAL_ERROR, "the call was cancelled")
            self._write({"jsonrpc": "2.0", "id": identifier, "method": method, "params": params})
            return question.result()
        finally:
            del self._asked[identifier]
            self._places.acquire()

    def _write(self, message: Mapping[str, Any]) -> None:
        line = line_of(message) + b"\n"
        with self._writing, suppress(OSError, ValueError):  # a client that has gone closes our input, too
            self._sink.write(line)
            self._sink.flush()


def _identifier(message: Message) -> Identifier:
    return 0 if message.identifier is None else message.identifier


def serve_stdio(server: Server) -> None:
    """Serve the process's own standard streams. Whatever else is printed goes to standard error."""
    with os.fdopen(os.dup(1), "wb") as sink:
        os.dup2(2, 1)
        StdioTransport(server, sys.stdin.buffer, sink).run()
