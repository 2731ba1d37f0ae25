"""HTTP over the Unix socket, and a loopback address if one is set: binding them safely, and uvicorn embedded in a task group.
The API itself is elsewhere.

The socket is made under umask 177, so that nobody can connect before its mode is set. The socket of a dead owner is
replaced: the data directory's lock decides who is the owner, and a connection attempt must fail first.
"""

from __future__ import annotations

import asyncio
import errno
import grp
import logging
import math
import os
import socket
import stat
import struct
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import uvicorn
from anyio import TASK_STATUS_IGNORED, CancelScope
from anyio.abc import TaskStatus

from ...memory.private_files import make_folders
from ...schemas.errors import BusyError, ConfigError
from ..forked_children import kept_from_children
from .activation import passed_socket
from .limits import ACCEPTED_AT_ONCE, CONNECTIONS, GRACE_SECONDS, QUEUED, REQUEST_SECONDS, SOCKET_CHECK_SECONDS
from .loopback import LoopbackMiddleware, address_of, bound_listener, kept_token
from .protocol import protocol_of
from .routes import make_api

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from ..service.service import Service

log = logging.getLogger(__name__)
_PATH_BYTES = 107


def group_id(name: str | None) -> int | None:
    """Return the id of the configured group.

    Raises:
        ConfigError: there is no such group.
    """
    if not name:
        return None
    try:
        return grp.getgrnam(name).gr_gid
    except KeyError:
        raise ConfigError(f"there is no group '{name}'", hint="set `server.group` to one that exists") from None


@contextmanager
def bound_socket(path: Path, group: int | None = None) -> Generator[socket.socket]:
    """Bind a listening Unix socket at ``path``: 0600, or 0660 with ``group``. Removed at the end if it is still the
    same.

    Raises:
        BusyError: another process answers there.
        ConfigError: something else lies there, the path is too long, or the folder cannot be written.
    """
    if len(os.fsencode(path)) > _PATH_BYTES:
        raise ConfigError(f"the socket's path has more than {_PATH_BYTES} bytes", hint="choose a shorter --socket")
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listener.setblocking(False)
        _bind(listener, path, group)
        made = path.stat()
        try:
            yield listener
        finally:
            _unlink_own(path, made)
    finally:
        listener.close()


def _bind(listener: socket.socket, path: Path, group: int | None) -> None:
    try:
        make_folders(path.parent)
        _require_own_folder(path.parent)
        _clear_stale(path)
        before = os.umask(0o177)
        try:
            listener.bind(os.fspath(path))
        finally:
            os.umask(before)
        if group is not None:
            if (
                path.stat().st_gid != group
            ):  # a hardened service may not call chown(2), and its own group needs no change
                os.chown(path, -1, group)
            path.chmod(0o660)
        listener.listen(QUEUED)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise _taken(path) from error
        hint = "choose another place with --socket or MEMD_SOCKET"
        raise ConfigError(f"cannot listen at {path}: {error.strerror}", hint=hint) from error


def _require_own_folder(folder: Path) -> None:
    """Refuse a folder in which somebody else could replace the socket."""
    status = folder.stat()
    replaceable = status.st_mode & stat.S_IWOTH and not status.st_mode & stat.S_ISVTX
    if status.st_uid not in (0, os.geteuid()) or replaceable:
        whose = "everybody may write into it" if replaceable else f"it belongs to another user ({status.st_uid})"
        raise ConfigError(
            f"cannot listen in {folder}: {whose}", hint="choose another place with --socket or MEMD_SOCKET"
        )


def _clear_stale(path: Path) -> None:
    try:
        status = path.lstat()
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(status.st_mode):
        raise ConfigError(f"{path} is not a socket", hint="choose another place with --socket or MEMD_SOCKET")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(os.fspath(path))
        except (ConnectionRefusedError, FileNotFoundError):
            path.unlink(missing_ok=True)
            return
        except OSError as error:  # a process listens but does not answer, or refuses this user: leave the socket alone
            raise _taken(path) from error
        owner = _listener_of(probe)
    raise _taken(path, owner)


def _listener_of(connected: socket.socket) -> int | None:
    """Return the process that listens at the other end, where the system provides it (Linux: unix(7), SO_PEERCRED)."""
    if not hasattr(socket, "SO_PEERCRED"):
        return None
    credentials = connected.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    pid: int = struct.unpack("3i", credentials)[0]
    return pid or None  # 0: a process of another namespace


def _taken(path: Path, pid: int | None = None) -> BusyError:
    """Return the error for a socket on which another process, perhaps not memd, listens."""
    who = "another process" if pid is None else f"another process ({pid})"
    return BusyError(
        f"{who} listens at {path}",
        hint="a memd of another data directory? Give one of the two its own --socket",
    )


def _unlink_own(path: Path, made: os.stat_result) -> None:
    try:
        now = path.lstat()
    except FileNotFoundError:
        return
    if (now.st_dev, now.st_ino) == (made.st_dev, made.st_ino):
        path.unlink(missing_ok=True)


class _Server(uvicorn.Server):
    """uvicorn without its signal handlers and its ten wake-ups a second."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = anyio.Event()
        self.stop = anyio.Event()

    def capture_signals(self) -> AbstractContextManager[None]:  # type: ignore[override]
        """Install no signal handlers: another module of memd handles signals."""
        return nullcontext()

    async def main_loop(self) -> None:
        """Serve until ``stop`` is set; uvicorn's own loop polls, and renews a date header that is not sent."""
        self.ready.set()
        await self.stop.wait()


_OF_ANYBODY = ("Invalid HTTP request", "Unsupported upgrade request", "No supported WebSocket library")
"""The warnings about requests before their token is looked at: any user of the machine could fill the log with them."""


class _UvicornFilter(logging.Filter):
    """Drops the errors that uvicorn logs when the server stops in the middle of an answer, which is intended, and the
    warnings about what anybody may send.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether the record is kept."""
        if str(record.msg).startswith(_OF_ANYBODY):
            return False
        return not (record.exc_info and isinstance(record.exc_info[1], asyncio.CancelledError))


_FILTER = _UvicornFilter()
"""The only instance, because a logger adds the same filter only once."""


class _Requests:
    """An application whose requests in progress can be cut off.

    uvicorn would cancel their tasks by asyncio alone, which does not wait for the worker thread of a task.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._scopes: set[CancelScope] = set()
        self._end = math.inf

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        with CancelScope(deadline=self._end) as cut:
            self._scopes.add(cut)
            try:
                await self._app(scope, receive, send)
            finally:
                self._scopes.discard(cut)
        if cut.cancelled_caught:
            log.info("an answer under way was cut off at the end")
            raise asyncio.CancelledError  # uvicorn answers it, or closes the connection

    def end_by(self, deadline: float) -> None:
        """Cut off what is in progress at this time of the event loop's clock."""
        self._end = deadline
        for cut in self._scopes:
            cut.deadline = deadline


async def serve_api(
    service: Service,
    path: Path,
    *,
    group: str | None = None,
    task_status: TaskStatus[None] = TASK_STATUS_IGNORED,
) -> None:
    """Serve the API of a service at ``path`` until cancelled; ``group`` may connect besides the owner.

    A socket that systemd passed is served instead of a new one; its mode and group are those of its unit, and it is not
    removed. For ``await tasks.start(...)``: it is ready when requests are answered. Call it under the data directory's
    lock.

    Raises:
        BusyError: another process serves there.
        ConfigError: the path or the group cannot be used.
    """
    number = group_id(group)
    app = make_api(service)
    passed = passed_socket(path)
    if passed is not None:
        with passed as listener:
            await serve_socket(app, listener, group=number, task_status=task_status)
    else:
        await serve_path(app, path, group=number, task_status=task_status)


async def serve_address(
    service: Service,
    address: str,
    token_folder: Path,
    beside: Callable[[ASGIApp], ASGIApp] = lambda app: app,
    *,
    task_status: TaskStatus[str] = TASK_STATUS_IGNORED,
) -> None:
    """Serve the API of a service at a loopback address until cancelled; see `loopback`. ``task_status`` gets the address.
    ``beside`` returns an application that serves more than the one it gets.

    Raises:
        ConfigError: the address cannot be used.
        StoreError: the token cannot be read or kept.
    """
    token = await anyio.to_thread.run_sync(kept_token, token_folder)
    with bound_listener(address) as listener:
        name = address_of(listener)
        app = LoopbackMiddleware(beside(make_api(service)), token, [name])
        async with anyio.create_task_group() as tasks:
            await tasks.start(partial(serve_socket, app, listener))
            task_status.started(name)


async def serve_path(
    app: ASGIApp,
    path: Path,
    *,
    group: int | None = None,
    seconds: float = SOCKET_CHECK_SECONDS,
    task_status: TaskStatus[None] = TASK_STATUS_IGNORED,
) -> None:
    """Serve ``app`` at ``path`` until cancelled. A removed socket is made again; open connections stay.

    Raises:
        BusyError: another process serves there.
        ConfigError: the path cannot be used.
    """
    with bound_socket(path, group) as listener:
        number = _number_of(path)
        last_problem = ""
        async with anyio.create_task_group() as tasks:
            await tasks.start(partial(serve_socket, app, listener, group=group))
            task_status.started()
            while True:
                await anyio.sleep(seconds)
                if _number_of(path) == number:
                    continue
                try:
                    await tasks.start(partial(_serve_again, app, path, group))
                except (
                    BusyError,
                    ConfigError,
                ) as error:  # another process's file is left alone, and checked again later
                    if last_problem != (last_problem := error.message):
                        log.warning("the socket was removed and cannot be made anew: %s", last_problem)
                    continue
                number, last_problem = _number_of(path), ""
                log.warning("the socket was removed and is made anew")


async def _serve_again(app: ASGIApp, path: Path, group: int | None, *, task_status: TaskStatus[None]) -> None:
    with bound_socket(path, group) as listener:
        await serve_socket(app, listener, group=group, task_status=task_status)


def _number_of(path: Path) -> tuple[int, int] | None:
    """Return the device and inode of the file at a path; None if there is none."""
    try:
        status = path.lstat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


async def serve_socket(
    app: ASGIApp,
    listener: socket.socket,
    *,
    group: int | None = None,
    seconds: float = REQUEST_SECONDS,
    connections: int = CONNECTIONS,
    task_status: TaskStatus[None] = TASK_STATUS_IGNORED,
) -> None:
    """Serve ``app`` on ``listener`` until cancelled; answers in progress then have ``GRACE_SECONDS``, and are cut off.

    Returns when the last request has ended, with the thread that worked for it: what follows may close a database that
    the thread still reads. Calls ``task_status.started`` when requests are answered.
    """
    requests = _Requests(app)
    config = uvicorn.Config(
        requests,
        http=protocol_of(listener, group, seconds, connections),
        ws="none",
        lifespan="off",
        interface="asgi3",
        log_config=None,
        log_level="warning",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        date_header=False,
        backlog=ACCEPTED_AT_ONCE,
    )
    server = _Server(config)
    logging.getLogger("uvicorn.error").addFilter(_FILTER)
    # The server's own scope survives a cancellation from outside for the grace period, and no longer.
    server_scope = CancelScope(shield=True)

    async def run() -> None:
        with server_scope, kept_from_children(listener.fileno()):
            await server.serve(sockets=[listener])
        if left := set(server.server_state.tasks):
            with CancelScope(shield=True):
                await asyncio.wait(left)
        for connection in tuple(server.server_state.connections):  # of clients that do not read their answers
            connection.transport.abort()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run)
        try:
            await server.ready.wait()
            listener.listen(QUEUED)  # uvicorn and asyncio use one number for both limits
            task_status.started()
            await anyio.sleep_forever()
        finally:
            server.stop.set()
            end = anyio.current_time() + GRACE_SECONDS
            requests.end_by(end)
            server_scope.deadline = end + 2
