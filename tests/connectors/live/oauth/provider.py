"""A provider of OAuth 2 on a loopback socket: logins by a browser and by a device, tokens that change, and the errors of all of them.

What it does follows RFC 6749, RFC 7636, RFC 7662 and RFC 8628. A refresh token that was put in the place of another ends that
other one when it is used itself, or at once where the provider is ``strict``.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import ssl
import threading
from collections import deque
from http.server import BaseHTTPRequestHandler
from typing import Any, Self
from urllib.parse import parse_qs, urlencode, urlsplit

from memd.tests.loopback_http import LoopbackHTTPServer

CLIENT_ID, CLIENT_SECRET = "client-of-a-test", "client-secret-of-a-test"
USER = "ann"


class OAuthProvider:
    """The server. Use as a context manager."""

    def __init__(self) -> None:
        self.secret = ""
        """The client must show it; empty: it is public."""
        self.strict = False
        self.rotates = True
        self.life_s = 3600
        self.denies = False
        """Whoever is asked says no."""
        self.confirmed_after = 0
        """So many questions after a code was given, somebody confirms it; negative: never."""
        self.slow_downs = 0
        self.device_life_s = 900
        self.faults: deque[tuple[str, str]] = deque()
        """What happens to the next requests of tokens: an error's code, ``503``, ``429``, ``garbage``, ``redirect``, ``cut``;
        with the value of ``Retry-After``.
        """
        self.refreshes = 0
        self.token_requests = 0
        self.issued: list[str] = []
        """Every token that was ever given."""
        self.refresh_tokens: dict[str, str] = {}
        """Those that are valid, each with the one that it replaced."""
        self.access_tokens: set[str] = set()
        """Those that are valid."""
        self._codes: dict[str, tuple[str, str]] = {}
        self._devices: dict[str, int] = {}
        self._lock = threading.Lock()
        self._scheme = "http"
        self._server = LoopbackHTTPServer(_handler_of(self))
        self._server.daemon_threads = True

    def encrypt(self, context: ssl.SSLContext) -> None:
        """Speak TLS from now on."""
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self._scheme = "https"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def url(self, path: str) -> str:
        """The address of ``authorize``, ``device``, ``token`` or ``introspect``."""
        return f"{self._scheme}://127.0.0.1:{self._server.server_address[1]}/{path}"

    def expire_access(self) -> None:
        """No access token is valid any more."""
        self.access_tokens.clear()

    def revoke(self) -> None:
        """No token at all is valid any more."""
        self.access_tokens.clear()
        self.refresh_tokens.clear()

    def new_refresh_token(self, replaces: str = "") -> str:
        """A valid one."""
        token = f"refresh-{secrets.token_hex(16)}"
        self.issued.append(token)
        self.refresh_tokens[token] = replaces
        return token

    def authorized(self, asked: dict[str, str]) -> str:
        """Where a browser goes when the user has said yes or no."""
        back = {"state": asked["state"]}
        if self.denies:
            back |= {"error": "access_denied"}
        else:
            code = secrets.token_hex(16)
            self._codes[code] = (asked["code_challenge"], asked["redirect_uri"])
            back |= {"code": code}
        return f"{asked['redirect_uri']}/?{urlencode(back)}"

    def device(self) -> dict[str, Any]:
        """A code for another device."""
        code = secrets.token_hex(16)
        self._devices[code] = 0
        return {
            "device_code": code,
            "user_code": "BCDF-GHJK",
            "verification_uri": self.url("enter"),
            "expires_in": self.device_life_s,
            "interval": 1,
        }

    def token(self, form: dict[str, str]) -> tuple[int, dict[str, Any]]:
        """Status and answer."""
        with self._lock:
            self.token_requests += 1
            if form.get("client_id") != CLIENT_ID or form.get("client_secret", "") != self.secret:
                return 401, {"error": "invalid_client"}
            grant = form.get("grant_type", "")
            if grant == "authorization_code":
                return self._by_code(form)
            if grant == "refresh_token":
                return self._by_refresh(form.get("refresh_token", ""))
            return self._by_device(form.get("device_code", ""))

    def _by_code(self, form: dict[str, str]) -> tuple[int, dict[str, Any]]:
        challenge, redirect = self._codes.pop(form["code"], ("", ""))
        digest = hashlib.sha256(form["code_verifier"].encode()).digest()
        if base64.urlsafe_b64encode(digest).rstrip(b"=").decode() != challenge or form["redirect_uri"] != redirect:
            return 400, {"error": "invalid_grant"}
        return self._given(self.new_refresh_token())

    def _by_refresh(self, token: str) -> tuple[int, dict[str, Any]]:
        self.refreshes += 1
        if token not in self.refresh_tokens:
            return 400, {"error": "invalid_grant", "error_description": f"AADSTS70000: {token} of {USER} has ended"}
        self.refresh_tokens.pop(self.refresh_tokens[token], None)
        if not self.rotates:
            return self._given("")
        fresh = self.new_refresh_token(token)
        if self.strict:
            del self.refresh_tokens[token]
        return self._given(fresh)

    def _by_device(self, code: str) -> tuple[int, dict[str, Any]]:
        if code not in self._devices:
            return 400, {"error": "expired_token"}
        if self.denies:
            return 400, {"error": "access_denied"}
        if self.slow_downs:
            self.slow_downs -= 1
            return 400, {"error": "slow_down"}
        self._devices[code] += 1
        if self.confirmed_after < 0 or self._devices[code] <= self.confirmed_after:
            return 400, {"error": "authorization_pending"}
        del self._devices[code]
        return self._given(self.new_refresh_token())

    def _given(self, refresh: str) -> tuple[int, dict[str, Any]]:
        access = f"access-{secrets.token_hex(16)}"
        self.issued.append(access)
        self.access_tokens.add(access)
        body = {"access_token": access, "token_type": "Bearer", "expires_in": self.life_s}
        return 200, body | ({"refresh_token": refresh} if refresh else {})

    def introspected(self, token: str) -> dict[str, Any]:
        """What a server of mail is told of a token."""
        return {"active": "yes", "username": USER} if token in self.access_tokens else {"active": "no"}


def _handler_of(provider: OAuthProvider) -> type[BaseHTTPRequestHandler]:  # noqa: C901 - one case after the other
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            """The page on which the user says yes: at once."""
            asked = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
            self._answer(302, b"", {"location": provider.authorized(asked)})

        def do_POST(self) -> None:
            """A form."""
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            form = {name: values[0] for name, values in parse_qs(body.decode()).items()}
            path = urlsplit(self.path).path
            if path == "/introspect":
                self._json(200, provider.introspected(form.get("token", "")))
                return
            fault, value = provider.faults.popleft() if provider.faults else ("", "")
            if fault == "cut":
                self.wfile.write(b'HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n{"acc')
                self.close_connection = True
            elif fault == "garbage":
                self._answer(200, b"<html>")
            elif fault == "redirect":
                self._answer(302, b"", {"location": provider.url("elsewhere")})
            elif fault.isdecimal():
                self._answer(int(fault), b"", {"retry-after": value} if value else {})
            elif fault:
                self._json(400, {"error": fault})
            elif path == "/device":
                self._json(200, provider.device())
            else:
                self._json(*provider.token(form))

        def _json(self, status: int, body: dict[str, Any]) -> None:
            self._answer(status, json.dumps(body).encode(), {"content-type": "application/json"})

        def _answer(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
            self.send_response(status)
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - as the library names it
            """Quiet."""

    return Handler
