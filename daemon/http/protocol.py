"""The HTTP protocol on the Unix socket: who may connect, how long a request may take to arrive, what garbage gets as an answer.

uvicorn's protocol knows none of these: its scope has no peer, and half a request may stay for ever.
"""

from __future__ import annotations

import asyncio
import grp
import os
import pwd
import resource
import socket
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import h11
import orjson
from uvicorn.protocols.http.h11_impl import H11Protocol

from ...schemas.errors import BusyError, InvalidError, MemdError, envelope, meaning_of

if TYPE_CHECKING:
    from uvicorn.config import Config
    from uvicorn.server import ServerState

REQUEST_SECONDS = 10.0
"""For a complete request, head and body."""

STREAMED = b"/v1/documents"
"""Its body may take longer, as long as bytes keep coming: the clock starts anew with each of them."""

FOLLOWED = b"/v1/progress"
"""A stream without an end of its own."""

STREAMED_SECONDS = 600.0
"""For such a body as a whole: whoever sends a byte now and then does not keep a place for ever."""

CONNECTIONS = 64
"""Connections that wait for an answer, streams of progress among them, before one more is told to come back. A request
counts when it is whole: half of one holds up nobody."""

WAITING = 128
"""Connections without a whole request: idle ones, and those whose request is still on its way. One more takes the place of
the one that has been quiet for the longest time."""

WAITING_SHARE = 8
"""So much of the files that this process may have open is theirs at the most, where that is fewer."""

STALLED_SECONDS = 30.0
"""A connection that has not read its answer for so long gives way to another one that is to have an answer. Where there
is room, it may stay: a pager may stop an export."""

_CREDENTIALS = struct.Struct("3i")


@dataclass(frozen=True, slots=True)
class Peer:
    """The process at the other end of a Unix socket, as the kernel saw it when it connected."""

    pid: int
    uid: int
    gid: int


def peer_of(connection: socket.socket) -> Peer:
    """SO_PEERCRED of a connected Unix socket."""
    raw = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    return Peer(*_CREDENTIALS.unpack(raw))


def allowed(peer: Peer, group: int | None) -> bool:
    """Whether this peer may ask: the same user, root, or a member of the configured group."""
    if peer.uid in (0, os.getuid()):
        return True
    if group is None:
        return False
    if peer.gid == group:
        return True
    try:
        # SO_PEERCRED names only the primary group; the others are those of the account.
        name = pwd.getpwuid(peer.uid).pw_name
        return name in grp.getgrgid(group).gr_mem
    except KeyError:
        return False


class ForbiddenError(InvalidError):
    """The peer is another user."""


class UnixHTTPProtocol(H11Protocol):
    """One connection: its peer is checked, its requests arrive in time or it is closed, and it gives way to those at work."""

    group: int | None = None
    """The group id that may connect beside the owner; set by the subclass that ``unix_protocol`` makes."""
    seconds: float = REQUEST_SECONDS
    limit: int = CONNECTIONS
    waiting: int = WAITING

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._deadline: asyncio.TimerHandle | None = None
        self._begun = self._quiet = self.loop.time()
        self._stalled: float | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Check the peer before a byte is read. Who is refused is told at once and holds no place."""
        super().connection_made(transport)
        if not allowed(peer_of(transport.get_extra_info("socket")), self.group):
            hint = "ask as the user who runs memd, or let `server.group` name a group of both"
            self._refuse(ForbiddenError("this socket belongs to another user", hint=hint), 403)
        elif not self._make_room():
            self._refuse(BusyError("too many connections at once", hint="try again in a moment"))
        else:
            self._arm()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing waits for a connection that is gone."""
        self._disarm()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """A request begins, goes on, or ends with these bytes."""
        self._quiet = self.loop.time()
        if self._deadline is None:
            self._begun = self._quiet
            self._arm()  # the first bytes of the next request of a kept connection
        super().data_received(data)
        if self._complete():
            self._disarm()
        elif self._streams() and self._quiet - self._begun < STREAMED_SECONDS:
            self._arm()

    def on_response_complete(self) -> None:
        """A connection is quiet since its answer, not since its request."""
        self._quiet = self.loop.time()
        super().on_response_complete()

    def pause_writing(self) -> None:
        """The peer does not read, and what waits for it is as much as may wait."""
        self._stalled = self.loop.time()
        super().pause_writing()

    def resume_writing(self) -> None:
        """It reads on."""
        self._stalled = None
        super().resume_writing()

    def shutdown(self) -> None:
        """The server ends: whoever follows progress is told by the end of the stream, other answers are finished."""
        if self.cycle and not self.cycle.response_complete and self.scope["raw_path"] == FOLLOWED:
            if self.conn.our_state is h11.SEND_BODY:
                self.transport.write(self.conn.send(h11.EndOfMessage()) or b"")
            self.transport.close()
        else:
            super().shutdown()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - uvicorn's signature
        """Answer what is no HTTP in the shape of every other error, then close."""
        self._refuse(InvalidError("this is not an HTTP request"), 400)

    def _refuse(self, error: MemdError, status: int | None = None) -> None:
        """Answer at once, whatever was asked or will be, and close."""
        body = orjson.dumps(envelope(error, ""))
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            head = h11.Response(
                status_code=status or meaning_of(error).status,
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

    @property
    def at_work(self) -> bool:
        """Whether a whole request waits for the end of its answer."""
        if not self.cycle or self.cycle.response_complete:  # uvicorn has None there before the first request
            return False
        return self.conn.their_state not in (h11.IDLE, h11.SEND_BODY)

    def _make_room(self) -> bool:
        """Close another connection where there are too many; false where all those at work are to stay."""
        others = [
            each
            for each in cast("set[object]", self.connections)
            if isinstance(each, UnixHTTPProtocol) and each is not self
        ]
        waiting = [each for each in others if not each.at_work]
        if len(others) - len(waiting) >= self.limit:
            now = self.loop.time()
            stalled = [each for each in others if each.stalled_since(now) is not None]
            if not stalled:
                return False
            self._close(min(stalled, key=lambda each: each.stalled_since(now) or 0.0))
        if len(waiting) >= self.waiting:
            self._close(min(waiting, key=lambda each: each.quiet_since))
        return True

    def _close(self, other: UnixHTTPProtocol) -> None:
        self.connections.discard(other)
        other.transport.abort()

    def stalled_since(self, now: float) -> float | None:
        """Since when its peer has not read its answer; None when it may read on soon, or has nothing to read."""
        return self._stalled if self._stalled is not None and now - self._stalled > STALLED_SECONDS else None

    @property
    def quiet_since(self) -> float:
        """When the last byte came, or the last answer was complete."""
        return self._quiet

    def _complete(self) -> bool:
        return self.conn.their_state not in (h11.IDLE, h11.SEND_BODY) or (
            self.conn.their_state is h11.IDLE and not self.conn.trailing_data[0]
        )

    def _streams(self) -> bool:
        return self.conn.their_state is h11.SEND_BODY and self.scope["raw_path"] == STREAMED

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


def unix_protocol(
    group: int | None, seconds: float = REQUEST_SECONDS, limit: int = CONNECTIONS
) -> type[UnixHTTPProtocol]:
    """The protocol class with these settings: uvicorn makes the instances and passes nothing of ours."""
    settings = {"group": group, "seconds": seconds, "limit": limit, "waiting": waiting_at_most()}
    return type("Guarded", (UnixHTTPProtocol,), settings)


def waiting_at_most() -> int:
    """`WAITING`, or fewer where this process may open few files."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return WAITING if files == resource.RLIM_INFINITY else max(1, min(WAITING, files // WAITING_SHARE))
