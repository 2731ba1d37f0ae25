"""Token requests and the answers of a provider (RFC 6749, RFC 8628). No I/O, and no token in any error."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...errors import AuthorizationError, RateLimitError, UnavailableError
from .retry_after import seconds_to_wait

DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
ASSUMED_LIFE_S = 300.0
"""The lifetime of an access token in seconds, if the provider does not say."""
_CODE = re.compile(r"[a-z_]{1,40}")
_NUMBER = re.compile(r"AADSTS\d{1,8}")
"""Matches Microsoft's error numbers; the rest of the error text may name the account."""
_TOO_MANY, _SERVER_ERRORS = 429, 500
_PENDING = frozenset({"authorization_pending", "slow_down"})
_SAID_NO = "somebody, or a rule of the account's organization, refused the access"
_WORDS = {
    "invalid_grant": "the login is not valid any more",
    "invalid_client": "the provider does not accept the client id or its secret",
    "unauthorized_client": "the provider does not permit this way to log in to the client id",
    "invalid_scope": "the provider does not know, or does not permit, the scope",
    "access_denied": _SAID_NO,
    "expired_token": "nobody confirmed the code in time",
}


@dataclass(frozen=True, slots=True)
class Provider:
    """The endpoints of a provider that issues tokens."""

    token_url: str
    scope: str
    authorize_url: str = ""
    """The page that a browser opens; empty if the provider has no such flow."""
    device_url: str = ""
    """The endpoint that issues a code for another device; empty if the provider has no such flow."""
    ca_file: Path | None = None
    """The certificates in PEM that are trusted in addition to the system's."""


@dataclass(frozen=True, slots=True)
class Client:
    """A program as the provider knows it: one that its user registered."""

    id: str
    secret: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens that a provider issued."""

    access: str = field(repr=False)
    refresh: str = field(repr=False)
    """The refresh token; empty if the provider gave none, or the same as before."""
    life_s: float
    """The lifetime of the access token in seconds."""


@dataclass(frozen=True, slots=True)
class DeviceCode:
    """A code that is entered on another device."""

    device_code: str = field(repr=False)
    user_code: str
    url: str
    interval_s: float
    life_s: float


@dataclass(frozen=True, slots=True)
class Pending:
    """Nobody has confirmed the code yet."""

    slower: bool
    """The provider wants to be asked less often."""


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer of HTTP."""

    status: int
    headers: Mapping[str, str]
    """By lower-case name."""
    body: bytes = field(repr=False)


def refresh_form(client: Client, refresh: str) -> dict[str, str]:
    """RFC 6749, section 6."""
    return _of_client(client, {"grant_type": "refresh_token", "refresh_token": refresh})


def code_form(client: Client, code: str, verifier: str, redirect_uri: str) -> dict[str, str]:
    """RFC 6749, section 4.1.3, with the verifier of RFC 7636."""
    fields = {"grant_type": "authorization_code", "code": code, "code_verifier": verifier, "redirect_uri": redirect_uri}
    return _of_client(client, fields)


def device_form(client: Client, provider: Provider) -> dict[str, str]:
    """RFC 8628, section 3.1."""
    return {"client_id": client.id, "scope": provider.scope}


def poll_form(client: Client, code: DeviceCode) -> dict[str, str]:
    """RFC 8628, section 3.4."""
    return _of_client(client, {"grant_type": DEVICE_GRANT, "device_code": code.device_code})


def _of_client(client: Client, form: dict[str, str]) -> dict[str, str]:
    return form | {"client_id": client.id} | ({"client_secret": client.secret} if client.secret else {})


def tokens_of(reply: Reply) -> Tokens:
    """Return the tokens of an answer.

    Raises:
        AuthorizationError: the provider refuses, and only a person can help.
        RateLimitError: it wants to be asked later.
        UnavailableError: it cannot answer now, or answers nonsense.
    """
    content = _accepted(reply)
    access = _text(content, "access_token")
    life = content.get("expires_in")
    if not access:
        raise _nonsense()
    is_number = isinstance(life, int | float | str) and str(life).replace(".", "", 1).isdecimal()
    return Tokens(access, _text(content, "refresh_token"), float(str(life)) if is_number else ASSUMED_LIFE_S)


def poll_answer(reply: Reply) -> Tokens | Pending:
    """Return the tokens of an answer, or a sign that there are none yet.

    Raises:
        As `tokens_of`.
    """
    if reply.status < _SERVER_ERRORS and (code := str(_object(reply).get("error", ""))) in _PENDING:
        return Pending(slower=code == "slow_down")
    return tokens_of(reply)


def device_code_of(reply: Reply) -> DeviceCode:
    """Return the code that the user is to enter on another device.

    Raises:
        As `tokens_of`.
    """
    content = _accepted(reply)
    url = _text(content, "verification_uri") or _text(content, "verification_url")
    code, user_code = _text(content, "device_code"), _text(content, "user_code")
    try:
        interval, life = float(content.get("interval", 5)), float(content["expires_in"])
    except (KeyError, TypeError, ValueError):
        raise _nonsense() from None
    if not (code and user_code and url.startswith(("https://", "http://"))):
        raise _nonsense()
    return DeviceCode(code, user_code, url, max(interval, 0.0), life)


def refusal_of(code: str, more: str = "") -> AuthorizationError:
    """Return the error that explains an OAuth error code to a person."""
    named = code if _CODE.fullmatch(code) else "an unknown error"
    words = _WORDS.get(code, f"the provider refused the login: {named}")
    number = _NUMBER.search(more)
    return AuthorizationError(f"{words} ({number[0]})" if number else words)


def _accepted(reply: Reply) -> dict[str, Any]:
    """Return the content of a successful answer, or raise the error that it stands for."""
    wait = seconds_to_wait(reply.headers)
    if reply.status == _TOO_MANY or (reply.status >= _SERVER_ERRORS and wait is not None):
        raise RateLimitError("the provider of the login wants to be asked later", retry_after_s=wait)
    if reply.status >= _SERVER_ERRORS:
        raise UnavailableError(f"the provider of the login answers with status {reply.status}")
    content = _object(reply)
    if code := content.get("error"):
        if code in ("temporarily_unavailable", "server_error"):
            raise UnavailableError("the provider of the login cannot answer now")
        raise refusal_of(str(code), _text(content, "error_description"))
    if reply.status != 200:
        raise _nonsense()
    return content


def _object(reply: Reply) -> dict[str, Any]:
    try:
        content: Any = json.loads(reply.body)
    except ValueError:
        raise _nonsense() from None
    if not isinstance(content, dict):
        raise _nonsense()
    return {str(name): value for name, value in content.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


def _text(content: Mapping[str, Any], name: str) -> str:
    value = content.get(name)
    return value if isinstance(value, str) and value.isprintable() else ""


def _nonsense() -> UnavailableError:
    return UnavailableError("the provider of the login answers nonsense")
