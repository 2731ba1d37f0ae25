"""The steps from a server's address to a connection that is logged in: greeting, encryption, login, compression."""

from __future__ import annotations

import base64
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from ....schemas.errors import ConfigError
from ...errors import AuthorizationError, UnavailableError
from .commands import Command, Text
from .connection import SILENCE_SECONDS, Connection
from .errors import ProtocolError
from .refusals import CommandRefusedError, refused_login
from .responses import Continuation, Status
from .transport import Server, connect, encrypt

_MOST_CHALLENGES = 3


@dataclass(frozen=True, slots=True)
class Credentials:
    """The user and a password, or an OAuth 2 token."""

    user: str
    password: str = field(default="", repr=False)
    access_token: str = field(default="", repr=False)


@asynccontextmanager
async def open_connection(
    server: Server, credentials: Credentials, *, silence_s: float = SILENCE_SECONDS
) -> AsyncGenerator[Connection, None]:
    """Yield a connection that is logged in; it is closed at the end.

    Raises:
        ConfigError: a setting cannot be used.
        AuthorizationError: the server does not accept the credentials.
        UntrustedCertificateError: its certificate is not trusted.
        RateLimitError: it wants to be asked later.
        UnavailableError: it cannot be reached, or answers nonsense.
    """
    connection = Connection(await connect(server), user=credentials.user, silence_s=silence_s)
    try:
        greeting = await connection.greeting()
        if server.security == "starttls":
            if greeting.kind == "PREAUTH":  # then STARTTLS is not allowed any more, and nothing would be encrypted
                raise ProtocolError("the server logs in without encryption")
            stream = await encrypt(await connection.before_encryption(), server)
            # Data received before the encryption may come from anybody.
            connection = Connection(stream, user=credentials.user, silence_s=silence_s)
        if not connection.capabilities:
            await connection.run(b"CAPABILITY")
        if greeting.kind != "PREAUTH":
            await log_in(connection, credentials, server)
        await _prepare(connection)
        yield connection
    except BaseException:
        await connection.aclose()
        raise
    await connection.log_out()


async def _prepare(connection: Connection) -> None:
    """Enable the extensions of the server that make later commands cheaper."""
    if "COMPRESS=DEFLATE" in connection.capabilities:
        try:
            await connection.compress()
        except CommandRefusedError:  # TLS may compress already: then all stays as it is
            return


async def log_in(connection: Connection, credentials: Credentials, server: Server) -> None:
    """Log in by the best way that the server has: a token as OAUTHBEARER or XOAUTH2, a password as PLAIN or LOGIN.

    Raises:
        AuthorizationError: the server does not accept the credentials.
        ConfigError: there are none, or IMAP cannot send them.
        RateLimitError: it wants to be asked later.
        UnavailableError: the connection is broken.
    """
    user, can = credentials.user, connection.capabilities
    secret = credentials.access_token or credentials.password
    if not user or not secret:
        raise ConfigError("the account needs a user and a password, or a user and a token")
    if any(control in user + secret for control in "\0\1\r\n"):
        raise ConfigError("the user, the password or the token has a control character in it")
    if credentials.access_token:
        hint = "the token has expired or was revoked: renew it"
        if "AUTH=OAUTHBEARER" in can and "AUTH=XOAUTH2" not in can:
            await _authenticate(connection, "OAUTHBEARER", _oauth_bearer(credentials, server), b"AQ==", user, hint)
        elif "AUTH=XOAUTH2" in can:
            token = f"user={user}\1auth=Bearer {secret}\1\1"
            await _authenticate(connection, "XOAUTH2", token, b"", user, hint)
        else:
            raise AuthorizationError("the server takes no tokens", hint="use a password for this account")
    else:
        hint = "check the user and the password; services with two-step verification want a password made for programs"
        if "AUTH=PLAIN" in can:
            await _authenticate(connection, "PLAIN", f"\0{user}\0{secret}", b"*", user, hint)
        elif "LOGINDISABLED" in can:
            raise AuthorizationError("the server takes no passwords", hint="use a token (OAuth 2) for this account")
        else:
            await _log_in_plainly(connection, user, secret, hint)
    if not connection.capabilities or connection.capabilities is can:  # they change with the login, told or not
        await connection.run(b"CAPABILITY")


def _oauth_bearer(credentials: Credentials, server: Server) -> str:
    """RFC 7628, section 3.1; ``=`` and ``,`` of the user are written as in RFC 5801."""
    user = credentials.user.replace("=", "=3D").replace(",", "=2C")
    return f"n,a={user},\1host={server.host}\1port={server.port}\1auth=Bearer {credentials.access_token}\1\1"


async def _log_in_plainly(connection: Connection, user: str, password: str, hint: str) -> None:
    tag = await connection.send(Command.of(b"LOGIN", Text(user.encode()), Text(password.encode())))
    while True:
        response = await connection.receive()
        if isinstance(response, Status) and response.tag == tag:
            if response.kind != "OK":
                raise refused_login(response, user, hint)
            return


async def _authenticate(
    connection: Connection, mechanism: str, initial: str, answer: bytes, user: str, hint: str
) -> None:
    """Perform one exchange of SASL. A server that refuses a token first sends the reason as a challenge, and waits for
    ``answer``.
    """
    encoded = base64.b64encode(initial.encode())
    words = [b"AUTHENTICATE", mechanism.encode()]
    said = "SASL-IR" in connection.capabilities
    tag = await connection.send(Command.of(*words, encoded) if said else Command.of(*words))
    challenges = 0
    while True:
        response = await connection.receive()
        if isinstance(response, Continuation):
            challenges += 1
            if challenges > _MOST_CHALLENGES:
                raise UnavailableError("the server does not end the login")
            await connection.send_line(answer if said else encoded)
            said = True
        elif isinstance(response, Status) and response.tag == tag:
            if response.kind != "OK":
                raise refused_login(response, user, hint)
            return
