"""Login by a browser on this machine, which comes back to a port of 127.0.0.1 (RFC 8252, section 7.3)."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from contextlib import suppress

from ...errors import UnavailableError
from .authorization import AuthorizationRequest, authorization_request, code_of
from .endpoint import post
from .grants import Client, Provider, Tokens, code_form, tokens_of

WAIT_S = 600.0
"""The seconds that a person may take to log in."""
_REQUEST_S = 5.0
"""The seconds for a browser to send its request; another program may hold a connection open."""
_LONGEST = 16 * 1024
_DONE = "The login is done. You can close this page; memd goes on in the terminal."
_REFUSED = "The login was refused. You can close this page; memd says more in the terminal."


def log_in_by_browser(
    provider: Provider, client: Client, user: str, show: Callable[[str], None], *, wait_s: float = WAIT_S
) -> Tokens:
    """Log in; blocks until it is done.

    Args:
        provider: with an ``authorize_url``.
        client: who asks.
        user: whose account it is.
        show: is told the address that is to be opened.
        wait_s: for so long somebody may take.

    Raises:
        AuthorizationError: the provider, or whoever was asked, refused.
        UnavailableError: nobody came back in time, or the provider cannot be reached.
        RateLimitError: it wants to be asked later.
    """
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        request = authorization_request(provider, client, f"http://127.0.0.1:{port}", user)
        show(request.url)
        code = _wait_for_code(listener, request, time.monotonic() + wait_s)
    form = code_form(client, code, request.verifier, request.redirect_uri)
    return tokens_of(post(provider.token_url, form, provider.ca_file))


def _wait_for_code(listener: socket.socket, request: AuthorizationRequest, until: float) -> str:
    while (left := until - time.monotonic()) > 0:
        listener.settimeout(left)
        try:
            connection, _ = listener.accept()
        except TimeoutError:
            break
        with connection:
            target = _target_of(connection)
            try:
                code = None if target is None else code_of(request, target)
            except Exception:
                _answer(connection, "200 OK", _REFUSED)
                raise
            if code is not None:
                _answer(connection, "200 OK", _DONE)
                return code
            _answer(connection, "404 Not Found", "This is not the answer that memd waits for.")
    raise UnavailableError("nobody came back from the login in time")


def _target_of(connection: socket.socket) -> str | None:
    """Return the target in the first line of a request; None if it is not a GET request."""
    connection.settimeout(_REQUEST_S)
    head = b""
    ends = time.monotonic() + _REQUEST_S
    with suppress(OSError):
        while b"\r\n\r\n" not in head and len(head) < _LONGEST and time.monotonic() < ends:
            part = connection.recv(4096)
            if not part:
                break
            head += part
    words = head.partition(b"\r\n")[0].decode("ascii", "replace").split(" ")
    return words[1] if len(words) == 3 and words[0] == "GET" else None


def _answer(connection: socket.socket, status: str, text: str) -> None:
    body = f"<!doctype html><meta charset=utf-8><title>memd</title><p>{text}</p>".encode()
    head = (
        f"HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {len(body)}\r\n"
        "Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nConnection: close\r\n\r\n"
    )
    with suppress(OSError):  # whoever asked may have gone
        connection.sendall(head.encode() + body)
        connection.shutdown(socket.SHUT_WR)
