"""Socket Mode: Slack sends events to an app over a web socket, and sends them again until they are acknowledged.

An event is acknowledged when what it tells is kept, and not before. See https://docs.slack.dev/apis/events-api/using-socket-mode.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import anyio

from ...errors import AuthorizationError, UnavailableError, UntrustedCertificateError
from ...formats.slack.values import JSONObject, object_of, text_of
from .web_api import PartError, SlackServer, WebApi, app_api, decoded, open_session

if TYPE_CHECKING:
    import aiohttp

LARGEST_EVENT = 4 << 20
"""Bytes of one event."""
MOST_WAITING = 1_000
"""Events that wait to be kept; then nothing more is received."""
MOST_WAITING_SIZE = 32 << 20
"""Characters of these events, as they were sent."""
_HEARTBEAT_S = 30.0
_TOGETHER_S = 0.05
"""The seconds for which further events are collected after an event, to be given out with it."""
_SHORTEST_S = 1.0
"""A connection that ends sooner is none."""
_KEPT = frozenset({"message", "reaction_added", "reaction_removed"})
_ENDING = frozenset({"tokens_revoked", "app_uninstalled"})


@dataclass(frozen=True, slots=True, eq=False)
class Event:
    """An event, and the connection over which it came."""

    envelope: str
    event: JSONObject
    connection: aiohttp.ClientWebSocketResponse
    size: int
    """The number of characters received."""

    @property
    def channel(self) -> str:
        """Return the id of the conversation in which it happened."""
        return text_of(self.event, "channel") or text_of(object_of(self.event, "item"), "channel")


class EventSocket:
    """Receives events while a consumer waits, and keeps them until they are acknowledged.

    Args:
        server: where the Web API is.
        app_token: of the app (``xapp-``).
    """

    def __init__(self, server: SlackServer, app_token: str) -> None:
        self._server = server
        self._app_token = app_token
        self._waiting: list[Event] = []
        self._room: anyio.Event | None = None
        self._has_ended = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._receiving: anyio.CancelScope | None = None
        self._is_refused = False
        """Slack did not accept the token when it was asked last."""

    @property
    def waiting(self) -> Sequence[Event]:
        """Return the unacknowledged events, in the order of arrival."""
        return tuple(self._waiting)

    async def check(self) -> None:
        """Check that the token is valid, without connecting.

        Raises:
            AuthorizationError: it is not.
            RateLimitError: Slack wants to be asked later.
            UnavailableError: it cannot be reached, or answers nonsense.
            UntrustedCertificateError: its certificate is not trusted.
        """
        async with open_session(self._server) as session:
            await self._address(app_api(self._server, self._app_token, session))

    async def check_again(self) -> None:
        """Check as `check` if the token was not valid at the last attempt; otherwise send no request.

        Raises:
            As `check`.
        """
        if self._is_refused:
            await self.check()

    async def told(self) -> AsyncGenerator[None, None]:
        """Receive until closed: a value for each connection, and whenever something is there to be kept.

        Raises:
            AuthorizationError: the token is not valid (any more).
            UnavailableError: Slack cannot be reached, or answers nonsense; or somebody called `end`.
        """
        self._loop = asyncio.get_running_loop()
        async with open_session(self._server) as session:
            api = app_api(self._server, self._app_token, session)
            while True:
                self._check_end()
                began = anyio.current_time()
                async with aclosing(self._received(session, await self._address(api))) as events:
                    async for _ in events:
                        yield
                if anyio.current_time() - began < _SHORTEST_S:
                    raise UnavailableError("Slack's server closes connections at once")

    def end(self) -> None:
        """Stop receiving; `told` raises an UnavailableError. For any thread."""
        self._has_ended = True
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop has ended, and with it whoever listened
                self._loop.call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        if self._receiving is not None:
            self._receiving.cancel()
        if self._room is not None:
            self._room.set()

    def _check_end(self) -> None:
        if self._has_ended:
            raise UnavailableError("the account is read with other tokens now")

    async def acknowledge(self, events: Sequence[Event]) -> None:
        """Acknowledge events whose messages are stored. If the connection is gone, Slack sends them again."""
        for each in events:
            if each in self._waiting:
                self._waiting.remove(each)
            if not each.connection.closed:
                with suppress(ConnectionError, RuntimeError):
                    await each.connection.send_str(json.dumps({"envelope_id": each.envelope}))
        if self._room is not None:
            self._room.set()

    async def _address(self, api: WebApi) -> str:
        try:
            address = text_of(await api.ask("apps.connections.open"), "url")
            self._is_refused = False
        except AuthorizationError:
            self._is_refused = True
            hint = "the App-Level Token of the app (xapp-…, scope connections:write), under Basic Information"
            raise AuthorizationError("Slack does not accept the token of the app", hint=hint) from None
        except PartError as error:  # later it may be another answer
            raise UnavailableError(f"Slack opens no connection: {error.message}") from None
        scheme = urlsplit(address).scheme
        if scheme != "wss" and not (scheme == "ws" and self._server.is_here):
            raise UnavailableError("Slack's server names no address to connect to")
        return address

    async def _received(self, session: aiohttp.ClientSession, address: str) -> AsyncGenerator[None, None]:
        """Hold one connection until it ends; yield a value at its beginning, and whenever the events that came together
        are there.
        """
        import aiohttp

        try:
            async with session.ws_connect(address, heartbeat=_HEARTBEAT_S, max_msg_size=LARGEST_EVENT) as connection:
                yield
                is_new = False
                while True:
                    self._check_end()
                    message = await self._next(connection, _TOGETHER_S if is_new else None)
                    if message is None:  # nothing more for now
                        if is_new:
                            yield
                        is_new = False
                        continue
                    frame = _frame(message.data) if message.type is aiohttp.WSMsgType.TEXT else {"type": "disconnect"}
                    if text_of(frame, "type") == "disconnect":
                        break
                    is_new |= await self._take(frame, connection, len(message.data or ""))
                    if self._is_full:
                        is_new = False
                        yield
                        await self._has_room()
                if is_new:
                    yield
        except (aiohttp.ClientConnectorCertificateError, aiohttp.ClientSSLError):
            raise UntrustedCertificateError("the certificate of Slack's server is not trusted") from None
        except (aiohttp.ClientError, OSError, TimeoutError):
            raise UnavailableError("Slack's server cannot be reached, or failed") from None

    async def _next(
        self, connection: aiohttp.ClientWebSocketResponse, seconds: float | None
    ) -> aiohttp.WSMessage | None:
        """Return the next message of a connection; None after a timeout, or if no more messages can be received."""
        with anyio.move_on_after(seconds) as self._receiving:
            return await connection.receive()
        return None

    @property
    def _is_full(self) -> bool:
        return len(self._waiting) >= MOST_WAITING or sum(each.size for each in self._waiting) >= MOST_WAITING_SIZE

    async def _has_room(self) -> None:
        while self._is_full and not self._has_ended:
            self._room = anyio.Event()
            await self._room.wait()

    async def _take(self, frame: JSONObject, connection: aiohttp.ClientWebSocketResponse, size: int) -> bool:
        """Keep the event in a frame; return whether a pull would now give something."""
        envelope = text_of(frame, "envelope_id")
        if not envelope:
            return False
        event = object_of(object_of(frame, "payload"), "event")
        kind = text_of(event, "type")
        entry = Event(envelope, event, connection, size)
        if kind in _KEPT and entry.channel:
            self._waiting.append(entry)
            return True
        await self.acknowledge([entry])  # nothing of it is kept
        return kind in _ENDING  # the next question is refused


def _frame(data: object) -> JSONObject:
    return object_of({"": decoded(str(data).encode("utf-8", "replace"))}, "")
