"""A connection: commands go out, several at a time, and their responses come in. It starts no task of its own.

Whoever waits for responses reads them, so a generator may hold a connection across its yields.
"""

from __future__ import annotations

import ssl
from collections import deque
from collections.abc import AsyncGenerator, Iterable
from dataclasses import dataclass

import anyio
from anyio.abc import ByteStream

from ...errors import UnavailableError
from .commands import WEIGHT, Command, Part
from .errors import ProtocolError
from .frames import ReaderLimits
from .reader import ResponseReader
from .refusals import CommandRefusedError, goodbye, refused_command
from .responses import Capabilities, Continuation, Count, Fetch, Response, Status, Vanished
from .transport import CHUNK, DeflateStream, reason_of

SILENCE_SECONDS = 60.0
"""The seconds after which a server that owes an answer and sends nothing counts as gone."""
IDLE_SECONDS = 28 * 60.0
"""After which IDLE is asked anew: servers end a connection that asked for nothing in half an hour."""
IN_FLIGHT = 4
"""The number of commands that are sent before the first of them is answered; more if they weigh less. Measured at 50 ms
of round trip: 1 command 1,148 mails/s, 2 commands 2,126, 4 commands 3,714.
"""
IN_FLIGHT_BYTES = 16 * 1024
"""The limit on bytes of command lines in flight: so many fit into the buffers on the way, so sending never waits for a
server that waits for the client.
"""
ANSWER_BYTES = 64 * 1024 * 1024
"""The limit on bytes of memory for the answer to one command, if it is held as a whole. A list of a hundred thousand
folders takes 50 MB.
"""


@dataclass(frozen=True, slots=True)
class Done:
    """A command has ended."""

    command: Command
    status: Status


class Connection:
    """Commands and responses over a stream.

    Args:
        stream: to the server.
        user: whose account it is; the name is kept out of errors.
        silence_s: how long the server may be silent while it owes an answer.
        limits: what one response may cost.
    """

    def __init__(
        self,
        stream: ByteStream,
        *,
        user: str = "",
        silence_s: float = SILENCE_SECONDS,
        limits: ReaderLimits | None = None,
    ) -> None:
        self._stream = stream
        self._user = user
        self._silence_s = silence_s
        self._reader = ResponseReader(limits)
        self._sent = 0
        self._unanswered: deque[tuple[str, Command, int]] = deque()
        """The tags, commands and lengths of the commands in flight."""
        self._leaving = False
        self._broken = ""
        """The reason why the connection can no longer be used; empty while it works."""
        self.capabilities: frozenset[str] = frozenset()
        """The capabilities that the server announced last."""
        self.enabled: frozenset[str] = frozenset()
        """Extensions that were switched on."""

    async def aclose(self) -> None:
        """Close the stream, without a word."""
        with anyio.move_on_after(2, shield=True):
            await self._stream.aclose()

    async def log_out(self) -> None:
        """Say goodbye, as far as the server listens; then close."""
        if not self._broken and not self._unanswered:
            self._leaving = True
            try:
                with anyio.move_on_after(2):
                    await self.run(b"LOGOUT")
            except UnavailableError:
                self._broken = "it was closed"
        await self.aclose()

    async def greeting(self) -> Status:
        """Return the first response.

        Raises:
            RateLimitError: the server wants to be asked later.
            UnavailableError: the server does not greet.
        """
        response = await self._read(self._silence_s)
        if isinstance(response, Status) and not response.tag and response.kind in ("OK", "PREAUTH"):
            return response
        raise self._damaged("the server does not greet as an IMAP server does")

    async def run(self, *parts: Part) -> list[Response]:
        """Send one command and wait for its end; return its responses, the last of which is its status.

        Raises:
            CommandRefusedError: it ended with NO or BAD.
            RateLimitError: the server wants to be asked later.
            UnavailableError: the connection is broken.
        """
        command = Command(parts)
        tag = await self.send(command)
        responses: list[Response] = []
        most = self._reader.given + ANSWER_BYTES
        while True:
            response = await self._bounded(most)
            if isinstance(response, Continuation):
                raise self._damaged("the server asks for more of a command that is whole")
            responses.append(response)
            if isinstance(response, Status) and response.tag == tag:
                if response.kind != "OK":
                    raise refused_command(_name(command), response)
                return responses

    async def pipeline(self, commands: Iterable[Command]) -> AsyncGenerator[Response | Done, None]:
        """Send commands, several at a time, and yield all responses; the end of each command comes as `Done`.

        A command must not depend on another one's answer, and none may have a text that cannot be quoted. To stop before the
        end breaks the connection.

        Raises:
            RateLimitError: the server wants to be asked later.
            UnavailableError: the connection is broken.
        """
        waiting = deque(commands)
        commands_by_tag = {tag: command for tag, command, _ in self._unanswered}
        room = True  # until a command is too many; again when another one has ended
        try:
            while waiting or self._unanswered:
                while waiting and room and (room := self._has_room(waiting[0])):
                    command = waiting.popleft()
                    commands_by_tag[await self.send(command)] = command
                response = await self.receive()
                if isinstance(response, Continuation):
                    raise self._damaged("the server asks for more of a command that is whole")
                if isinstance(response, Status) and response.tag:
                    room = True
                    yield Done(commands_by_tag.pop(response.tag), response)
                else:
                    yield response
        finally:
            if self._unanswered and not self._broken:
                self._broken = "answers were not waited for"

    async def idle(self, rearm_s: float = IDLE_SECONDS) -> list[Response]:
        """Wait until something changes in the open folder: mails came, went, or have other flags.

        Raises:
            UnavailableError: the connection is broken.
        """
        while True:
            tag = await self.send(Command.of(b"IDLE"))
            changes: list[Response] = []
            most = self._reader.given + ANSWER_BYTES
            while not isinstance(response := await self._bounded(most), Continuation):
                if isinstance(response, Status) and response.tag:
                    raise refused_command("IDLE", response)
                changes += _changes(response)
            with anyio.move_on_after(rearm_s):
                while not changes:
                    changes += _changes(await self._read(None))
            await self._write(b"DONE\r\n")
            while not (isinstance(response := await self._bounded(most), Status) and response.tag == tag):
                changes += _changes(response)
            if response.kind != "OK":
                raise refused_command("IDLE", response)
            if changes:
                return changes

    async def enable(self, extension: str) -> None:
        """Enable an extension if the server has it; only before the first folder is opened.

        Raises:
            RateLimitError: the server wants to be asked later.
            UnavailableError: the connection is broken.
        """
        if {"ENABLE", extension} <= self.capabilities:
            try:
                await self.run(b"ENABLE", extension.encode())
            except CommandRefusedError:  # then all goes on without
                return

    async def compress(self) -> None:
        """Compress everything from here on.

        Raises:
            CommandRefusedError: the server does not want to.
            UnavailableError: the connection is broken.
        """
        await self.run(b"COMPRESS", b"DEFLATE")
        self._stream = DeflateStream(self._stream, self._reader.take_rest())

    async def before_encryption(self) -> ByteStream:
        """Request TLS; return the stream to encrypt. This connection cannot be used afterwards.

        Raises:
            CommandRefusedError: the server does not want to.
            ProtocolError: something was said between its answer and the encryption: somebody on the way may have put it there.
            UnavailableError: the connection is broken.
        """
        await self.run(b"STARTTLS")
        if self._reader.take_rest():
            raise self._damaged("the server said something between STARTTLS and the encryption")
        self._broken = "it was encrypted"
        return self._stream

    async def send(self, command: Command) -> str:
        """Send a command; returns its tag. What it is answered with must be read with `receive`.

        Raises:
            UnavailableError: the connection is broken.
            ValueError: a text of the command has a NUL.
        """
        if self._broken:
            raise UnavailableError(f"the connection cannot be used any more: {self._broken}")
        self._sent += 1
        tag = f"m{self._sent}"
        pieces = command.encoded(tag.encode(), self.capabilities)
        self._unanswered.append((tag, command, sum(map(len, pieces))))
        await self._write(pieces[0])
        for piece in pieces[1:]:
            await self._wait_for_continuation(tag, command)
            await self._write(piece)
        return tag

    async def send_line(self, line: bytes) -> None:
        """Send a line that the server requested.

        Raises:
            UnavailableError: the connection is broken.
        """
        await self._write(line + b"\r\n")

    async def receive(self) -> Response:
        """Return the next response.

        Raises:
            RateLimitError: the server closes the connection and wants to be asked later.
            UnavailableError: the connection is broken.
        """
        return await self._read(self._silence_s)

    async def _bounded(self, most: int) -> Response:
        """Return the next response of an answer that is held in memory as a whole."""
        response = await self.receive()
        if self._reader.given > most:
            raise self._damaged(f"the server answers one command with more than {ANSWER_BYTES} bytes")
        return response

    def _has_room(self, command: Command) -> bool:
        pieces = command.encoded(b"m0000000000", self.capabilities)
        if len(pieces) > 1:
            raise ValueError("a command that is sent in pieces cannot be one of several")
        size = sum(length for _, _, length in self._unanswered) + len(pieces[0])
        weight = sum(each.weight for _, each, _ in self._unanswered) + command.weight
        return not self._unanswered or (weight <= IN_FLIGHT * WEIGHT and size <= IN_FLIGHT_BYTES)

    async def _wait_for_continuation(self, tag: str, command: Command) -> None:
        while not isinstance(response := await self.receive(), Continuation):
            if isinstance(response, Status) and response.tag == tag:
                raise refused_command(_name(command), response)

    async def _read(self, silence_s: float | None) -> Response:
        while True:
            try:
                response = self._reader.next_response()
                if response is not None:
                    self._note(response)
                    return response
                self._reader.feed(await self._bytes(silence_s))
            except ProtocolError as error:
                self._broken = error.message
                raise

    def _note(self, response: Response) -> None:
        """Record the facts about the connection itself in a response."""
        if isinstance(response, Capabilities):
            if response.enabled:
                self.enabled |= response.names
            else:
                self.capabilities = response.names
        if not isinstance(response, Status):
            return
        if response.code is not None and response.code.name == "CAPABILITY":
            self.capabilities = frozenset(response.code.arguments.upper().split())
        if response.tag:
            tags = [tag for tag, _, _ in self._unanswered]
            if response.tag not in tags:
                raise ProtocolError("the server answers a command that it was not given")
            del self._unanswered[tags.index(response.tag)]
        elif response.kind == "BYE" and not self._leaving:
            self._broken = "the server closed it"
            raise goodbye(response, self._user)

    async def _bytes(self, silence_s: float | None) -> bytes:
        try:
            with anyio.fail_after(silence_s):
                return await self._stream.receive(CHUNK)
        except TimeoutError as error:
            raise self._lost(f"the server said nothing for {silence_s:.0f} seconds") from error
        except anyio.EndOfStream as error:
            middle = "" if self._reader.is_empty else " in the middle of a response"
            raise self._lost(f"the server closed the connection{middle}") from error
        except (OSError, ssl.SSLError, anyio.BrokenResourceError, anyio.ClosedResourceError) as error:
            raise self._lost(f"the connection broke: {reason_of(error)}") from error

    async def _write(self, data: bytes) -> None:
        try:
            with anyio.fail_after(self._silence_s):
                await self._stream.send(data)
        except TimeoutError as error:
            raise self._lost(f"the server read nothing for {self._silence_s:.0f} seconds") from error
        except (OSError, ssl.SSLError, anyio.BrokenResourceError, anyio.ClosedResourceError) as error:
            raise self._lost(f"the connection broke: {reason_of(error)}") from error

    def _lost(self, reason: str) -> UnavailableError:
        self._broken = reason
        return UnavailableError(reason)

    def _damaged(self, reason: str) -> ProtocolError:
        self._broken = reason
        return ProtocolError(reason)


def _name(command: Command) -> str:
    """Return the name of a command for error messages, without its arguments, which are private."""
    words = [part.decode("ascii", "replace") for part in command.parts[:2] if isinstance(part, bytes)]
    return " ".join(words[:2] if words[0] == "UID" else words[:1])


def _changes(response: Response) -> list[Response]:
    if isinstance(response, Fetch | Vanished) or (
        isinstance(response, Count) and response.kind in ("EXISTS", "EXPUNGE")
    ):
        return [response]
    return []
