"""HTTP over our own Unix socket: binding it safely, and uvicorn embedded in a task group. The API itself is elsewhere.

The socket is made under umask 177, so that nobody can connect in the moment before its mode is set. A socket of a
dead owner is replaced: who holds the data directory's lock is the truth, and whether anybody answers is asked first.
"""

from __future__ import annotations

import asyncio
import errno
import grp
import logging
import os
import socket
import stat
import struct
from collections.abc import Generator
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
from .activation import passed_socket
from .limits import ACCEPTED_AT_ONCE, CONNECTIONS, GRACE_SECONDS, QUEUED, REQUEST_SECONDS, SOCKET_CHECK_SECONDS
from .protocol import unix_protocol
from .routes import make_api

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from ..service.service import Service

log = logging.getLogger(__name__)
_PATH_BYTES = 107


def group_id(name: str | None) -> int | None:
    """The id of the configured group.

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
    """A listening Unix socket at ``path``: 0600, or 0660 with ``group``. Removed at the end if it is still ours.

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
            if path.stat().st_gid != group:  # a hardened service may not call chown(2), and need not for its own group
                os.chown(path, -1, group)
            path.chmod(0o660)
        listener.listen(QUEUED)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise _taken(path) from error
        hint = "choose another place with --socket or MEMD_SOCKET"
        raise ConfigError(f"cannot listen at {path}: {error.strerror}", hint=hint) from error


def _require_own_folder(folder: Path) -> None:
    """Refuse a folder in which somebody else could put a socket in the place of ours."""
    found = folder.stat()
    replaceable = found.st_mode & stat.S_IWOTH and not found.st_mode & stat.S_ISVTX
    if found.st_uid not in (0, os.geteuid()) or replaceable:
        whose = "everybody may write into it" if replaceable else f"it belongs to another user ({found.st_uid})"
        raise ConfigError(
            f"cannot listen in {folder}: {whose}", hint="choose another place with --socket or MEMD_SOCKET"
        )


def _clear_stale(path: Path) -> None:
    try:
        found = path.lstat()
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(found.st_mode):
        raise ConfigError(f"{path} is not a socket", hint="choose another place with --socket or MEMD_SOCKET")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(os.fspath(path))
        except (ConnectionRefusedError, FileNotFoundError):
            path.unlink(missing_ok=True)
            return
        except OSError as error:  # somebody listens but does not answer, or may not be asked: leave it alone
            raise _taken(path) from error
        owner = _listener_of(probe)
    raise _taken(path, owner)


def _listener_of(connected: socket.socket) -> int | None:
    """The process that listens at the other end, where the system tells it (Linux: unix(7), SO_PEERCRED)."""
    if not hasattr(socket, "SO_PEERCRED"):
        return None
    credentials = connected.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    pid: int = struct.unpack("3i", credentials)[0]
    return pid or None  # 0: a process of another namespace


def _taken(path: Path, pid: int | None = None) -> BusyError:
    """Somebody listens there, who need not be memd."""
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
        """One module of memd touches signals, and it is not this one."""
        return nullcontext()

    async def main_loop(self) -> None:
        """Serve until told to stop; uvicorn's own loop polls and renews a date header that nobody asked for."""
        self.ready.set()
        await self.stop.wait()


class _CutOffAtTheEnd(logging.Filter):
    """Takes out what uvicorn calls errors when the server ends in the middle of an answer: it is meant to."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record stays."""
        if str(record.msg).startswith("Cancel %s running task"):
            log.info("answers under way were cut off at the end", extra={"answers": record.args})
            return False
        return not (record.exc_info and isinstance(record.exc_info[1], asyncio.CancelledError))


_CUT_OFF = _CutOffAtTheEnd()
"""One, for a logger takes the same filter once only."""


async def serve_api(
    service: Service,
    path: Path,
    *,
    group: str | None = None,
    task_status: TaskStatus[None] = TASK_STATUS_IGNORED,
) -> None:
    """Serve the API of a service at ``path`` until cancelled; ``group`` names who may ask beside the owner.

    A socket that systemd passed is served instead of a new one; its mode and group are those of its unit, and it stays.
    For ``await tasks.start(...)``: it is ready when requests are answered. Call it under the data directory's lock.

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


async def serve_path(
    app: ASGIApp,
    path: Path,
    *,
    group: int | None = None,
    seconds: float = SOCKET_CHECK_SECONDS,
    task_status: TaskStatus[None] = TASK_STATUS_IGNORED,
) -> None:
    """Serve ``app`` at ``path`` until cancelled. A socket that somebody removes is made anew; connections that are open stay.

    Raises:
        BusyError: another process serves there.
        ConfigError: the path cannot be used.
    """
    with bound_socket(path, group) as listener:
        number = _number_of(path)
        told = ""
        async with anyio.create_task_group() as tasks:
            await tasks.start(partial(serve_socket, app, listener, group=group))
            task_status.started()
            while True:
                await anyio.sleep(seconds)
                if _number_of(path) == number:
                    continue
                try:
                    await tasks.start(partial(_serve_again, app, path, group))
                except (BusyError, ConfigError) as error:  # somebody else's file is left alone, and looked for again
                    if told != (told := error.message):
                        log.warning("the socket was removed and cannot be made anew: %s", told)
                    continue
                number, told = _number_of(path), ""
                log.warning("the socket was removed and is made anew")


async def _serve_again(app: ASGIApp, path: Path, group: int | None, *, task_status: TaskStatus[None]) -> None:
    with bound_socket(path, group) as listener:
        await serve_socket(app, listener, group=group, task_status=task_status)


def _number_of(path: Path) -> tuple[int, int] | None:
    """The device and inode of what lies at a path; None where nothing does."""
    try:
        found = path.lstat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


async def serve_socket(
    app: ASGIApp,
    listener: socket.socket,
    *,
    group: int | None = None,
    seconds: float = REQUEST_SECONDS,
    connections: int = CONNECTIONS,
    task_status: TaskStatus[None] = TASK_STATUS_IGNORED,
) -> None:
    """Serve ``app`` on ``listener`` until cancelled; answers under way then have ``GRACE_SECONDS``.

    Ready, by ``task_status.started``, when requests are answered.
    """
    config = uvicorn.Config(
        app,
        http=unix_protocol(group, seconds, connections),
        ws="none",
        lifespan="off",
        interface="asgi3",
        log_config=None,
        log_level="warning",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
        backlog=ACCEPTED_AT_ONCE,
    )
    server = _Server(config)
    logging.getLogger("uvicorn.error").addFilter(_CUT_OFF)
    # The server's own task outlives a cancellation from outside by the grace it needs, and no longer.
    own = CancelScope(shield=True)

    async def run() -> None:
        with own:
            await server.serve(sockets=[listener])

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run)
        try:
            await server.ready.wait()
            listener.listen(QUEUED)  # uvicorn and asyncio know one number for both
            task_status.started()
            await anyio.sleep_forever()
        finally:
            server.stop.set()
            own.deadline = anyio.current_time() + GRACE_SECONDS + 2
