"""From an address to a connection that is logged in: certificates, STARTTLS, every way to log in, and every refusal."""

from __future__ import annotations

import base64
import ssl
from errno import ECONNREFUSED
from pathlib import Path

import anyio
import pytest

from memd.connectors.errors import (
    AuthorizationError,
    RateLimitError,
    UnavailableError,
    UntrustedCertificateError,
)
from memd.connectors.live.imap import transport
from memd.connectors.live.imap.connection import Connection
from memd.connectors.live.imap.errors import ProtocolError
from memd.connectors.live.imap.login import Credentials, log_in, open_connection
from memd.connectors.live.imap.refusals import CommandRefusedError
from memd.connectors.live.imap.transport import DeflateStream, Server, telling
from memd.schemas.errors import ConfigError
from memd.tests.connectors.live.imap.scripted_server import Script, Talk, certificate, connected, serving

pytestmark = pytest.mark.anyio

PASSWORD = Credentials("ann@example.org", password='pass"word')
TOKEN = Credentials("ann@example.org", access_token="t0ken")
NO_TLS_SERVER = Server("127.0.0.1", 993)

Certificate = tuple[Path, ssl.SSLContext]


@pytest.fixture(scope="module")
def trusted(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    """Of the server at 127.0.0.1."""
    return certificate(tmp_path_factory.mktemp("trusted"), "127.0.0.1")


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    """Of another server."""
    return certificate(tmp_path_factory.mktemp("elsewhere"), "mail.example.org")


async def _whole(talk: Talk) -> None:
    """Greet, log in, and end."""
    await talk.say(b"* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN SASL-IR] ready")
    await talk.answer(rb"AUTHENTICATE PLAIN \S+")
    await talk.answer(b"CAPABILITY", b"* CAPABILITY IMAP4rev1 ID COMPRESS=DEFLATE IDLE")
    await talk.expect(b"COMPRESS DEFLATE")
    await talk.say(b"TAG OK on")
    talk.stream = DeflateStream(talk.stream)
    await talk.answer(b"NOOP", b"* 1 EXISTS")
    await talk.answer(b"LOGOUT", b"* BYE see you")


async def test_tls_from_the_first_byte(trusted: Certificate) -> None:
    """The certificate is checked; what the server offers is used; a refused nicety ends nothing."""
    async with (
        serving(_whole, trusted[1]) as port,
        open_connection(Server("127.0.0.1", port, ca_file=trusted[0]), PASSWORD) as connection,
    ):
        await connection.run(b"NOOP")
        assert "IDLE" in connection.capabilities


async def test_starttls(trusted: Certificate) -> None:
    """What was said before the encryption is asked for again."""

    async def script(talk: Talk) -> None:
        await talk.say(b"* OK [CAPABILITY IMAP4rev1 STARTTLS LOGINDISABLED] ready")
        await talk.answer(b"STARTTLS")
        await talk.encrypt(trusted[1])
        await talk.answer(b"CAPABILITY", b"* CAPABILITY IMAP4rev1 AUTH=PLAIN")
        await talk.expect(b"AUTHENTICATE PLAIN")
        await talk.say(b"+ ")
        assert base64.b64decode(await talk.line()) == b'\0ann@example.org\0pass"word'
        await talk.say(b"TAG OK [CAPABILITY IMAP4rev1] in")
        await talk.answer(b"LOGOUT")

    async with serving(script) as port:
        server = Server("127.0.0.1", port, security="starttls", ca_file=trusted[0])
        async with open_connection(server, PASSWORD) as connection:
            assert connection.capabilities == {"IMAP4REV1"}


@pytest.mark.parametrize(
    ("lines", "error"),
    [
        ((b"* OK ready", b"m1 OK go on\r\n* CAPABILITY AUTH=PLAIN"), ProtocolError),
        ((b"* OK ready", b"m1 BAD unknown command"), UnavailableError),
        ((b"* PREAUTH welcome",), ProtocolError),
        ((b"* BYE [UNAVAILABLE] later",), RateLimitError),
        ((b"HTTP/1.1 400 Bad Request",), ProtocolError),
        ((b"m1 OK ready",), ProtocolError),
    ],
    ids=["words before the encryption", "no STARTTLS", "login before", "busy", "no IMAP", "no greeting"],
)
async def test_nothing_is_said_without_encryption(
    trusted: Certificate, lines: tuple[bytes, ...], error: type[Exception]
) -> None:
    """Whatever stands between us and the server, the password is not sent."""
    heard: list[bytes] = []

    async def script(talk: Talk) -> None:
        await talk.say(lines[0])
        for answer in lines[1:]:
            heard.append(await talk.line())
            await talk.say(answer)
        while True:
            heard.append(await talk.line())

    async with serving(script) as port:
        server = Server("127.0.0.1", port, security="starttls", ca_file=trusted[0])
        with pytest.raises(error):
            async with open_connection(server, PASSWORD):
                pytest.fail("a connection without TLS")
    assert all(line == b"m1 STARTTLS" for line in heard)


async def test_a_certificate_of_somebody_unknown(trusted: Certificate) -> None:
    """The error says how to trust it; nothing was sent."""
    async with serving(_whole, trusted[1]) as port:
        with pytest.raises(UntrustedCertificateError, match="not trusted") as caught:
            async with open_connection(Server("127.0.0.1", port), PASSWORD):
                pytest.fail("an untrusted server")
    assert "ca_file" in caught.value.hint
    assert not caught.value.meaning.retryable


@pytest.mark.parametrize("security", ["tls", "starttls"])
async def test_a_certificate_of_another_server(elsewhere: Certificate, security: str) -> None:
    """Also where its authority is trusted."""

    async def script(talk: Talk) -> None:
        if security == "starttls":
            await talk.say(b"* OK ready")
            await talk.answer(b"STARTTLS")
            await talk.encrypt(elsewhere[1])

    async with serving(script, elsewhere[1] if security == "tls" else None) as port:
        server = Server("127.0.0.1", port, security, ca_file=elsewhere[0])  # pyright: ignore[reportArgumentType]
        with pytest.raises(UntrustedCertificateError):
            async with open_connection(server, PASSWORD):
                pytest.fail("another server")


@pytest.mark.parametrize("content", [None, b"no certificate"])
async def test_a_file_without_certificates_is_told(tmp_path: Path, content: bytes | None) -> None:
    """It is a mistake in the configuration, before anything is connected."""
    file = tmp_path / "ca.pem"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ConfigError, match="ca_file"):
        async with open_connection(Server("127.0.0.1", 1, ca_file=file), PASSWORD):
            pytest.fail("no certificates")


async def test_a_server_that_is_not_there(trusted: Certificate) -> None:
    """Refused, without TLS, or closed in the handshake: each says so, and may be tried again."""

    async def plain(talk: Talk) -> None:
        await talk.say(b"* OK ready")
        await talk.line()

    async def closing(talk: Talk) -> None:
        await talk.stream.aclose()

    async with serving(closing) as port:
        closed = Server("127.0.0.1", port, ca_file=trusted[0])
        with pytest.raises(UnavailableError):
            async with open_connection(closed, PASSWORD):
                pytest.fail("a server that closes")
    told = f"the server 127.0.0.1 cannot be reached at port {port}: Connection refused"
    with pytest.raises(UnavailableError, match=told):
        async with open_connection(closed, PASSWORD):
            pytest.fail("no server")
    several = ExceptionGroup("tried", [ConnectionRefusedError(ECONNREFUSED, "Connect call failed")] * 2)
    with pytest.raises(UnavailableError, match=r"nothing: Connection refused\Z"), telling("nothing"):
        raise OSError("all addresses failed") from several
    async with serving(plain) as port:
        with pytest.raises(UnavailableError, match="TLS") as caught:
            async with open_connection(Server("127.0.0.1", port, ca_file=trusted[0]), PASSWORD):
                pytest.fail("no TLS")
    assert "starttls" in caught.value.hint


async def test_a_handshake_that_does_not_end(trusted: Certificate, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for it for ever."""
    monkeypatch.setattr(transport, "CONNECT_SECONDS", 0.2)

    async def silent(talk: Talk) -> None:  # noqa: ARG001
        await anyio.sleep_forever()

    async with serving(silent) as port:
        with pytest.raises(UnavailableError, match="no answer"):
            async with open_connection(Server("127.0.0.1", port, ca_file=trusted[0]), PASSWORD):
                pytest.fail("a silent server")


async def _login(script: Script, credentials: Credentials) -> Connection:
    async with connected(script) as connection:
        await connection.run(b"CAPABILITY")
        await log_in(connection, credentials, NO_TLS_SERVER)
        return connection


def _offering(capabilities: bytes, *rest: tuple[bytes, bytes]) -> Script:
    """A server with some capabilities; then lines that it expects, behind the tag, and its answers."""

    async def script(talk: Talk) -> None:
        await talk.answer(b"CAPABILITY", b"* CAPABILITY IMAP4rev1 " + capabilities)
        for expected, answer in rest:
            if answer.startswith(b"TAG") and not expected.startswith((b"AUTHENTICATE", b"LOGIN")):
                assert await talk.line() == expected
            else:
                await talk.expect(expected)
            await talk.say(answer)
        await talk.line()

    return script


IN = b"TAG OK [CAPABILITY IMAP4rev1 IDLE] in"
BEARER = base64.b64encode(b"n,a=ann@example.org,\1host=127.0.0.1\1port=993\1auth=Bearer t0ken\1\1").replace(
    b"+", rb"\+"
)
XOAUTH2 = base64.b64encode(b"user=ann@example.org\1auth=Bearer t0ken\1\1").replace(b"+", rb"\+")


@pytest.mark.parametrize(
    ("script", "credentials"),
    [
        (_offering(b"", (rb'LOGIN "ann@example.org" "pass\\"word"', IN)), PASSWORD),
        (_offering(b"AUTH=PLAIN SASL-IR", (rb"AUTHENTICATE PLAIN AGFubkBleGFtcGxlLm9yZwBwYXNzIndvcmQ=", IN)), PASSWORD),
        (_offering(b"SASL-IR AUTH=OAUTHBEARER", (b"AUTHENTICATE OAUTHBEARER " + BEARER, IN)), TOKEN),
        (_offering(b"SASL-IR AUTH=OAUTHBEARER AUTH=XOAUTH2", (b"AUTHENTICATE XOAUTH2 " + XOAUTH2, IN)), TOKEN),
    ],
    ids=["LOGIN", "PLAIN", "OAUTHBEARER", "XOAUTH2"],
)
async def test_each_way_to_log_in(script: Script, credentials: Credentials) -> None:
    """The best one that the server has."""
    assert "IDLE" in (await _login(script, credentials)).capabilities


CHALLENGE = b"+ " + base64.b64encode(b'{"status":"400","schemes":"Bearer"}')


@pytest.mark.parametrize(
    ("script", "answer"),
    [
        (_offering(b"SASL-IR AUTH=XOAUTH2", (b"AUTHENTICATE XOAUTH2 .*", CHALLENGE), (b"", b"TAG NO no")), b""),
        (
            _offering(
                b"SASL-IR AUTH=OAUTHBEARER",
                (b"AUTHENTICATE OAUTHBEARER .*", CHALLENGE),
                (b"AQ==", b"TAG NO [EXPIRED] no"),
            ),
            b"AQ==",
        ),
    ],
    ids=["XOAUTH2", "OAUTHBEARER"],
)
async def test_an_expired_token(script: Script, answer: bytes) -> None:
    """The server tells why as a challenge, and says NO only when that is answered."""
    with anyio.fail_after(60):
        with pytest.raises(AuthorizationError) as caught:
            await _login(script, TOKEN)
    assert "renew" in caught.value.hint
    assert "t0ken" not in str(caught.value), answer


@pytest.mark.parametrize(
    ("script", "credentials", "error"),
    [
        (
            _offering(b"", (b"LOGIN .*", b"TAG NO [AUTHENTICATIONFAILED] wrong for ann@example.org")),
            PASSWORD,
            AuthorizationError,
        ),
        (_offering(b"", (b"LOGIN .*", b"TAG NO wrong")), PASSWORD, AuthorizationError),
        (_offering(b"", (b"LOGIN .*", b"TAG NO [UNAVAILABLE] the directory is away")), PASSWORD, RateLimitError),
        (_offering(b"", (b"LOGIN .*", b"TAG NO [LIMIT] too many connections")), PASSWORD, RateLimitError),
        (_offering(b"", (b"LOGIN .*", b"TAG NO [SERVERBUG] oh")), PASSWORD, CommandRefusedError),
        (_offering(b"", (b"LOGIN .*", b"* BYE shutting down")), PASSWORD, UnavailableError),
        (_offering(b"LOGINDISABLED"), PASSWORD, AuthorizationError),
        (_offering(b"AUTH=PLAIN"), TOKEN, AuthorizationError),
        (_offering(b""), Credentials("ann"), ConfigError),
        (_offering(b""), Credentials("ann", password="a\nb"), ConfigError),
        (
            _offering(b"SASL-IR AUTH=PLAIN", (b"AUTHENTICATE PLAIN .*", b"+ \r\n+ \r\n+ \r\n+ ")),
            PASSWORD,
            UnavailableError,
        ),
    ],
)
async def test_each_refusal_has_its_error(script: Script, credentials: Credentials, error: type[Exception]) -> None:
    """Wrong credentials need a person, a busy server time; neither user nor password stand in the error."""
    with pytest.raises(error) as caught:
        await _login(script, credentials)
    assert type(caught.value) is error
    assert not any(word in str(caught.value) for word in ("ann@", 'pass"word', "t0ken"))


def test_secrets_are_not_shown() -> None:
    """By whatever prints the credentials."""
    assert "pass" not in repr(PASSWORD).replace("password", "")
    assert "t0ken" not in repr(TOKEN)
