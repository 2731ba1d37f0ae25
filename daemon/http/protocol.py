"""The HTTP protocol on a socket: checks the peer of a Unix socket, limits the time of a request, and answers invalid input.

uvicorn's protocol does none of these: its scope has no peer, and half a request may stay for ever.
"""

from __future__ import annotations

import asyncio
import grp
import os
import pwd
import socket
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import h11
import orjson
from uvicorn.protocols.http.h11_impl import H11Protocol

from ...schemas.errors import BusyError, InvalidError, MemdError, envelope, error_info
from ..forked_children import give_to_children, keep_from_children
from .limits import CONNECTIONS, FOLLOWED, REQUEST_SECONDS, STALLED_SECONDS, UPLOAD, UPLOAD_SECONDS

if TYPE_CHECKING:
    from uvicorn.config import Config
    from uvicorn.server import ServerState

_CREDENTIALS = struct.Struct("3i")


@dataclass(frozen=True, slots=True)
class Peer:
    """The process at the other end of a Unix socket, as the kernel saw it when it connected."""

    pid: int
    uid: int
    gid: int


def peer_of(connection: socket.socket) -> Peer:
    """Return the peer of a connected Unix socket (SO_PEERCRED)."""
    raw = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    return Peer(*_CREDENTIALS.unpack(raw))


def allowed(peer: Peer, group: int | None) -> bool:
    """Return whether this peer may connect: the same user, root, or a member of the configured group."""
    if peer.uid in (0, os.getuid()):
        return True
    if group is None:
        return False
    if peer.gid == group:
        return True
    try:
        # SO_PEERCRED has only the primary group; the account lists the others.
        name = pwd.getpwuid(peer.uid).pw_name
        return name in grp.getgrgid(group).gr_mem
    except KeyError:
        return False


class ForbiddenError(InvalidError):
    """The peer is another user."""


class BoundedHTTPProtocol(H11Protocol):
    """One connection: it is closed if a request does not arrive in time."""

    seconds: float = REQUEST_SECONDS
    limit: int = CONNECTIONS

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._deadline: asyncio.TimerHandle | None = None
        self._descriptor = -1
        self._begun = self.loop.time()
        self._stalled: float | None = None
        """The time since when the peer has not read pending data; None while it reads."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Check the peer before a byte is read. A refused peer is answered at once and takes up no connection."""
        super().connection_made(transport)
        self._descriptor = transport.get_extra_info("socket").fileno()
        keep_from_children(self._descriptor)
        if (refusal := self.peer_refusal(transport)) is not None:
            self._refuse(refusal, 403)
        elif not self._make_room():
            self._refuse(BusyError("too many connections at once", hint="try again in a moment"))
        else:
            self._arm()

    def peer_refusal(self, transport: asyncio.Transport) -> ForbiddenError | None:  # noqa: ARG002 - of the subclass
        """Return the reason why the peer may not connect; None if it may."""
        return None

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the deadline of a lost connection."""
        give_to_children(self._descriptor)
        self._disarm()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Process bytes that begin, continue or end a request."""
        now = self.loop.time()
        if self._deadline is None:
            self._begun = now
            self._arm()  # the first bytes of the next request of a kept connection
        super().data_received(data)
        if self._complete():
            self._disarm()
        elif self._uploads() and now - self._begun < UPLOAD_SECONDS:
            self._arm()

    def pause_writing(self) -> None:
        """Record that the peer does not read, and the send buffer is full."""
        self._stalled = self.loop.time()
        super().pause_writing()

    def resume_writing(self) -> None:
        """Record that the peer reads again."""
        self._stalled = None
        super().resume_writing()

    def _make_room(self) -> bool:
        """Return whether there is room for this connection, closing one that does not read its answer if necessary."""
        connections = cast("set[object]", self.connections)
        if len(connections) <= self.limit:  # this one included
            return True
        latest = self.loop.time() - STALLED_SECONDS
        others = [each for each in connections if isinstance(each, BoundedHTTPProtocol)]
        stalled = [(each._stalled, each) for each in others if each._stalled is not None and each._stalled < latest]  # noqa: SLF001 - its own
        if not stalled:
            return False
        _, longest = min(stalled, key=lambda pair: pair[0])
        connections.discard(longest)
        longest.transport.abort()
        return True

    def shutdown(self) -> None:
        """End at shutdown: a progress stream is closed, other answers are completed."""
        if self.cycle and not self.cycle.response_complete and self.scope["raw_path"] == FOLLOWED:
            if self.conn.our_state is h11.SEND_BODY:
                self.transport.write(self.conn.send(h11.EndOfMessage()) or b"")
            self.transport.close()
        else:
            super().shutdown()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - uvicorn's signature
        """Answer invalid HTTP in the format of every other error, then close."""
        self._refuse(InvalidError("this is not an HTTP request"), 400)

    def _refuse(self, error: MemdError, status: int | None = None) -> None:
        """Send an error at once, whatever the request, and close."""
        body = orjson.dumps(envelope(error, ""))
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            head = h11.Response(
                status_code=status or error_info(error).status,
                headers=[
                    (b"content-type", b"application/json"),
                    (b"content-length", str(len(body)).encode()),
                    (b"connection", b"close"),
                ],
            )
            for event in (head, h11.Data(data=body), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
        self.connections.discard(self)
        self.transport.close()

    def _complete(self) -> bool:
        return self.conn.their_state not in (h11.IDLE, h11.SEND_BODY) or (
            self.conn.their_state is h11.IDLE and not self.conn.trailing_data[0]
        )

    def _uploads(self) -> bool:
        return self.conn.their_state is h11.SEND_BODY and self.scope["raw_path"] == UPLOAD

    def _arm(self) -> None:
        self._disarm()
        self._deadline = self.loop.call_later(self.seconds, self._too_late)

    def _disarm(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _too_late(self) -> None:
        self._deadline = None
        if not self.transport.is_closing():
            self.transport.abort()


class UnixHTTPProtocol(BoundedHTTPProtocol):
    """A connection of a Unix socket, whose peer is checked."""

    group: int | None = None
    """The id of the group that may connect besides the owner."""

    def peer_refusal(self, transport: asyncio.Transport) -> ForbiddenError | None:
        """Refuse another user, as the kernel tells it."""
        if allowed(peer_of(transport.get_extra_info("socket")), self.group):
            return None
        hint = "ask as the user who runs memd, or let `server.group` name a group of both"
        return ForbiddenError("this socket belongs to another user", hint=hint)


def protocol_of(
    listener: socket.socket, group: int | None, seconds: float = REQUEST_SECONDS, limit: int = CONNECTIONS
) -> type[BoundedHTTPProtocol]:
    """Return the protocol class for a socket, with these settings: uvicorn makes the instances and passes no arguments of
    memd.
    """
    if listener.family != socket.AF_UNIX:
        return type("Configured", (BoundedHTTPProtocol,), {"seconds": seconds, "limit": limit})
    return type("Configured", (UnixHTTPProtocol,), {"group": group, "seconds": seconds, "limit": limit})
