"""Logins by OAuth against a provider on a real socket: a browser that comes back, a code for another device, and every refusal."""

from __future__ import annotations

import socket
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import parse_qs, urlsplit

import anyio
import pytest

from memd.connectors.errors import AuthorizationError, RateLimitError, UnavailableError, UntrustedCertificateError
from memd.connectors.live.oauth.device import log_in_by_device
from memd.connectors.live.oauth.endpoint import post
from memd.connectors.live.oauth.grants import Client, Provider, Tokens
from memd.connectors.live.oauth.loopback import log_in_by_browser
from memd.connectors.live.oauth.token_source import TokenSource
from memd.schemas.errors import ConfigError
from memd.schemas.secret_urls import usable_url
from memd.tests.connectors.live.imap.scripted_server import certificate
from memd.tests.connectors.live.oauth.provider import CLIENT_ID, CLIENT_SECRET, USER, OAuthProvider


@pytest.fixture
def server() -> Iterator[OAuthProvider]:
    """A provider."""
    with OAuthProvider() as running:
        yield running


def provider_at(server: OAuthProvider) -> Provider:
    """Its addresses."""
    return Provider(server.url("token"), "mail", server.url("authorize"), server.url("device"))


def client_of(server: OAuthProvider) -> Client:
    """Whom it knows."""
    return Client(CLIENT_ID, server.secret)


def browse(url: str) -> int:
    """Open an address as a browser does, which follows where it is sent; the last status."""
    with suppress(HTTPError), urllib.request.urlopen(url, timeout=10) as answer:
        return int(answer.status)
    return 404


def by_browser(server: OAuthProvider, *before: str, user: str = USER) -> Tokens:
    """Log in; ``before`` the user comes back, these are asked of the port that waits."""
    shown: list[str] = []

    def show(url: str) -> None:
        shown.append(url)
        port = urlsplit(parse_qs(urlsplit(url).query)["redirect_uri"][0]).port

        def person() -> None:
            for target in before:
                assert browse(f"http://127.0.0.1:{port}{target}") == 404
            browse(url)

        threading.Thread(target=person, daemon=True).start()

    return log_in_by_browser(provider_at(server), client_of(server), user, show, wait_s=30)


@pytest.mark.parametrize("secret", ["", CLIENT_SECRET])
def test_a_login_by_a_browser(server: OAuthProvider, secret: str) -> None:
    """With a challenge of its own; the code is good once, for this program alone."""
    server.secret = secret
    tokens = by_browser(server)
    assert (tokens.refresh in server.refresh_tokens, tokens.access in server.access_tokens) == (True, True)
    assert tokens.life_s == 3600
    assert "refresh-" not in repr(tokens)
    assert "access-" not in repr(tokens)


def test_what_else_comes_to_the_port_is_no_answer(server: OAuthProvider) -> None:
    """Another page's request, one with another state, one without a code: the login goes on."""
    assert by_browser(
        server, "/favicon.ico", "/?code=x&state=wrong", "/?error=access_denied&state=", "/?" + "a=b&" * 99
    )


@pytest.mark.slow
def test_a_connection_that_says_nothing_holds_nothing_up_for_long(server: OAuthProvider) -> None:
    """The user comes back while another program holds a connection open."""
    held: list[socket.socket] = []

    def show(url: str) -> None:
        port = urlsplit(parse_qs(urlsplit(url).query)["redirect_uri"][0]).port
        held.append(socket.create_connection(("127.0.0.1", port or 0)))
        threading.Thread(target=browse, args=(url,), daemon=True).start()

    assert log_in_by_browser(provider_at(server), client_of(server), USER, show, wait_s=60).refresh
    held[0].close()


def test_a_login_by_a_browser_that_is_refused(server: OAuthProvider) -> None:
    """By the user, or because nobody comes back."""
    server.denies = True
    with pytest.raises(AuthorizationError, match="refused the access"):
        by_browser(server)
    with pytest.raises(UnavailableError, match="in time"):
        log_in_by_browser(provider_at(server), client_of(server), USER, lambda _url: None, wait_s=0.05)


def test_a_stranger_s_client_is_refused(server: OAuthProvider) -> None:
    """A secret that is wrong."""
    server.secret = "another"
    with pytest.raises(AuthorizationError, match="client id or its secret"):
        log_in_by_device(provider_at(server), Client(CLIENT_ID, "x"), lambda _code: None, sleep=lambda _s: None)


class Clock:
    """Time that passes when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0
        self.pauses: list[float] = []

    def sleep(self, seconds: float) -> None:
        """Let it pass."""
        self.pauses.append(seconds)
        self.now += seconds


def by_device(server: OAuthProvider, clock: Clock) -> tuple[Tokens, list[str]]:
    """Log in; the tokens, and the codes that were shown."""
    shown: list[str] = []
    tokens = log_in_by_device(
        provider_at(server),
        client_of(server),
        lambda code: shown.append(code.user_code),
        sleep=clock.sleep,
        now=lambda: clock.now,
    )
    return tokens, shown


def test_a_login_by_a_device(server: OAuthProvider) -> None:
    """Asked at the pace that the provider wants, which grows when it says so, until somebody confirmed the code."""
    server.confirmed_after, server.slow_downs = 2, 1
    clock = Clock()
    tokens, shown = by_device(server, clock)
    assert (tokens.refresh in server.refresh_tokens, shown) == (True, ["BCDF-GHJK"])
    assert clock.pauses == [1, 6, 6, 6]


def test_a_provider_that_is_away_for_a_moment_ends_no_login_by_a_device(server: OAuthProvider) -> None:
    """The code stays valid: it is asked rarer, and not before it wants."""
    clock = Clock()
    server.confirmed_after = 0

    def show(_code: object) -> None:
        server.faults.extend([("503", ""), ("garbage", ""), ("429", "40"), ("cut", "")])

    tokens = log_in_by_device(provider_at(server), client_of(server), show, sleep=clock.sleep, now=lambda: clock.now)
    assert tokens.refresh
    assert clock.pauses[0] == 1
    assert 40 in clock.pauses
    assert all(later >= earlier for earlier, later in zip(clock.pauses, clock.pauses[1:], strict=False))


@pytest.mark.parametrize(("fault", "words"), [("expired_token", "in time"), ("access_denied", "refused the access")])
def test_a_login_by_a_device_that_ends(server: OAuthProvider, fault: str, words: str) -> None:
    """The provider says so."""
    clock = Clock()

    def show(_code: object) -> None:
        server.faults.append((fault, ""))

    with pytest.raises(AuthorizationError, match=words):
        log_in_by_device(provider_at(server), client_of(server), show, sleep=clock.sleep, now=lambda: clock.now)


@pytest.mark.slow
def test_a_code_that_nobody_confirms(server: OAuthProvider) -> None:
    """Is not asked for beyond its end."""
    server.confirmed_after, server.device_life_s = -1, 30
    clock = Clock()
    with pytest.raises(AuthorizationError, match="in time"):
        by_device(server, clock)
    assert 30 <= clock.now < 40


@pytest.mark.slow
def test_what_a_provider_may_answer(server: OAuthProvider) -> None:
    """A redirection is not followed, nonsense is told as such, and limits say how long."""
    form = {"grant_type": "refresh_token"}
    server.faults.append(("redirect", ""))
    assert post(server.url("token"), form).status == 302
    device = provider_at(server)
    for fault, error in (
        ("garbage", UnavailableError),
        ("502", UnavailableError),
        ("redirect", UnavailableError),
        ("cut", UnavailableError),
    ):
        server.faults.append((fault, ""))
        with pytest.raises(error):
            log_in_by_device(device, client_of(server), lambda _code: None)
    server.faults.extend([("429", "7"), ("503", "9")])
    for seconds in (7.0, 9.0):
        with pytest.raises(RateLimitError) as limited:
            log_in_by_device(device, client_of(server), lambda _code: None)
        assert limited.value.retry_after_s == seconds


@pytest.mark.slow
def test_a_provider_whose_certificate_the_user_names(tmp_path: Path) -> None:
    """Is trusted, beside those of the system; nothing is sent to one that nobody trusts."""
    chain, context = certificate(tmp_path, "127.0.0.1")
    with OAuthProvider() as server:
        server.encrypt(context)

        def tokens(ca_file: Path | None) -> TokenSource:
            return TokenSource(replace(provider_at(server), ca_file=ca_file), client_of(server), "r", lambda _: None)

        server.refresh_tokens["r"] = ""
        with pytest.raises(UntrustedCertificateError) as untrusted:
            anyio.run(tokens(None).access_token)
        assert "ca_file" in untrusted.value.hint
        with pytest.raises(ConfigError, match="ca_file cannot be read"):
            anyio.run(tokens(tmp_path / "none.pem").access_token)
        assert server.token_requests == 0
        assert anyio.run(tokens(chain).access_token) in server.access_tokens


def test_secrets_go_to_no_address_without_encryption() -> None:
    """But to this machine."""
    for url in ("https://login.example.org/token", "http://127.0.0.1:8080/token", "http://[::1]:80/"):
        assert usable_url(url)
    for url in (
        "http://login.example.org/token",
        "ftp://127.0.0.1/",
        "https://",
        "http://[::1/",
        "login",
        "file:///etc",
    ):
        assert not usable_url(url)
        with pytest.raises(ConfigError):
            post(url, {"client_secret": CLIENT_SECRET})
