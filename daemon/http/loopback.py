"""The API at a TCP address of this machine, for programs that cannot open a Unix socket: the address, the token, the checks.

Any user and any web page of this machine can send something to a loopback address. So a request needs the token of a file
that only its owner can read, `Host` must be this address (another name may be resolved to it by whoever owns the name: DNS
rebinding), and `Origin`, which browsers send with each page's requests, must be absent or this address.
"""

from __future__ import annotations

import hmac
import os
import re
import secrets
import socket
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from ...memory.private_files import NotRegularError, open_private
from ...schemas.errors import ConfigError, InvalidError, StoreError
from ..config.loopback_address import loopback_address
from .middleware import error_response

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

TOKEN = "http.token"  # noqa: S105 - a file's name
"""The file in the data directory with the token, one line."""
_TOKEN_BYTES = 32
_LONGEST_TOKEN = 4096
_TOKEN = re.compile(r"[!-~]{20,}")
"""A token that can stand in a header, and that nobody guesses."""


def bound_listener(text: str) -> socket.socket:
    """Return a listening socket at an address of `loopback_address`; the caller closes it.

    Raises:
        ConfigError: another program listens there, or it is no address of this machine.
    """
    host, port = loopback_address(text)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.setblocking(False)
        listener.bind((host, port))
        listener.listen()  # until somebody listens, another program may bind the same address
    except OSError as error:
        listener.close()
        raise ConfigError(f"cannot listen at {text}: {error.strerror}", hint="choose another port") from error
    return listener


def address_of(listener: socket.socket) -> str:
    """Return the address as it stands in URLs and in `Host`."""
    host, port = listener.getsockname()[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def kept_token(data_dir: Path) -> str:
    """Return the token of a data directory, made at the first call; the file is 0600. To change it, remove the file and
    start memd again.

    Raises:
        StoreError: it cannot be read or written, others can read it, or it is no token.
    """
    path = data_dir / TOKEN
    hint = f"remove it: rm {path}; memd makes a new one"
    try:
        descriptor = open_private(path)
        with os.fdopen(descriptor, "r+", encoding="ascii", errors="replace") as file:
            status = os.fstat(descriptor)
            if status.st_mode & 0o077 or status.st_uid != os.geteuid():
                raise StoreError(f"others can read {path}", hint=hint)
            token = file.read(_LONGEST_TOKEN).strip()
            if not token:
                token = secrets.token_urlsafe(_TOKEN_BYTES)
                file.seek(0)
                file.truncate()
                file.write(f"{token}\n")
                file.flush()
                os.fsync(descriptor)
    except NotRegularError as error:
        raise StoreError(f"{path} cannot be used: {error.strerror}", hint=hint) from error
    except OSError as error:
        raise StoreError(f"{path} cannot be used: {error.strerror}", hint="is there room?") from error
    if not _TOKEN.fullmatch(token):
        raise StoreError(f"what {path} holds is no token", hint=hint)
    return token


class UnauthorizedError(InvalidError):
    """The request has no token, or another one."""


class ForeignOriginError(InvalidError):
    """The request is meant for another host, or comes from a web page."""


class LoopbackMiddleware:
    """The application for requests that hold the token and come from a program of this machine; others are refused.

    Args:
        app: the application.
        token: of `kept_token`.
        addresses: as `address_of`; requests name one of them, or ``localhost`` with its port, in ``Host``.
    """

    def __init__(self, app: ASGIApp, token: str, addresses: Iterable[str]) -> None:
        self._app = app
        self._token = token.encode()
        names = set(addresses)
        names |= {f"localhost:{name.rpartition(':')[2]}" for name in names}
        self._hosts = {name.encode() for name in names}
        self._origins = {f"http://{name}".encode() for name in names}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] != "http":
            return
        headers: list[tuple[bytes, bytes]] = scope["headers"]
        try:
            self._require(headers)
        except UnauthorizedError as error:
            response = error_response(error, "")
            response.status_code = 401
            response.headers["www-authenticate"] = "Bearer"
            await response(scope, receive, send)
        except ForeignOriginError as error:
            response = error_response(error, "")
            response.status_code = 403
            await response(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _require(self, headers: list[tuple[bytes, bytes]]) -> None:
        hosts = [value.lower() for name, value in headers if name == b"host"]
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            raise ForeignOriginError("the request is meant for another host", hint="name the address of `memd status`")
        if any(value.lower() not in self._origins for name, value in headers if name == b"origin"):
            raise ForeignOriginError("web pages may not ask", hint="ask from a program of this machine")
        given_tokens = [value for name, value in headers if name == b"authorization"]
        scheme, _, token = given_tokens[0].partition(b" ") if len(given_tokens) == 1 else (b"", b"", b"")
        if scheme.lower() != b"bearer" or not hmac.compare_digest(token.strip(), self._token):
            hint = f"send the text of the file {TOKEN} of the data directory: Authorization: Bearer TOKEN"
            raise UnauthorizedError("the request has no token, or another one", hint=hint)
