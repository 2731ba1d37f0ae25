"""The address that a browser opens for a login, and the redirect back (RFC 6749, 4.1; RFC 7636; RFC 9207). No I/O."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlencode, urlsplit

from ...errors import AuthorizationError
from .grants import Client, Provider, refusal_of


@dataclass(frozen=True, slots=True)
class AuthorizationRequest:
    """A login in a browser."""

    url: str
    redirect_uri: str
    state: str = field(repr=False)
    verifier: str = field(repr=False)


def authorization_request(provider: Provider, client: Client, redirect_uri: str, user: str) -> AuthorizationRequest:
    """Return a new login. Its state and verifier are unique, so that the answer to another login does not match.

    Args:
        provider: with an ``authorize_url``.
        client: who asks.
        redirect_uri: where the browser goes afterwards.
        user: whose account it is, so that the provider offers no other.
    """
    state, verifier = secrets.token_urlsafe(32), secrets.token_urlsafe(64)
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    parameters = {
        "response_type": "code",
        "client_id": client.id,
        "redirect_uri": redirect_uri,
        "scope": provider.scope,
        "state": state,
        "code_challenge": challenge,
        "code_challenge_method": "S256",
        "login_hint": user,
        # Google gives a refresh token only if both are sent; other providers ignore them.
        "access_type": "offline",
        "prompt": "consent",
    }
    joint = "&" if urlsplit(provider.authorize_url).query else "?"
    return AuthorizationRequest(
        f"{provider.authorize_url}{joint}{urlencode(parameters)}", redirect_uri, state, verifier
    )


def code_of(request: AuthorizationRequest, target: str) -> str | None:
    """Return the code in the target of a browser's request (``/?code=…&state=…``); None if it belongs to no login, or
    to another one.

    Raises:
        AuthorizationError: the provider, or whoever was asked, refused.
    """
    try:
        parameters = parse_qs(urlsplit(target).query, max_num_fields=50)
    except ValueError:
        return None
    state = parameters.get("state", [""])[0]
    if not hmac.compare_digest(state.encode(errors="replace"), request.state.encode()):
        return None
    if "error" in parameters:
        raise refusal_of(parameters["error"][0], parameters.get("error_description", [""])[0])
    code = parameters.get("code", [""])[0]
    if not code:
        raise AuthorizationError("the provider gave no code")
    return code
