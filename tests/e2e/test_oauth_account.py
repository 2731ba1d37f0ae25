"""An account of mail that takes tokens of OAuth 2 alone, by the real commands, on a real Dovecot and a provider on loopback."""

from __future__ import annotations

import json
import signal
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from memd.daemon.config.paths import TOKENS
from memd.tests.byte_scan import traces
from memd.tests.connectors.live.imap.dovecot import Account, Dovecot, why_not
from memd.tests.connectors.live.imap.test_dovecot_account import mail
from memd.tests.connectors.live.oauth.provider import CLIENT_ID, CLIENT_SECRET, USER, OAuthProvider

if TYPE_CHECKING:
    from memd.tests.e2e.conftest import Memd

_WHY_NOT = why_not()
pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(_WHY_NOT), reason=_WHY_NOT)]


@pytest.fixture
def provider() -> Iterator[OAuthProvider]:
    """Who gives the tokens."""
    with OAuthProvider() as running:
        yield running


@pytest.fixture(params=["xoauth2 oauthbearer", "oauthbearer"], ids=["xoauth2", "oauthbearer"])
def account(
    request: pytest.FixtureRequest, provider: OAuthProvider, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Account]:
    """An account with a mail on a server that asks the provider about tokens."""
    folder = tmp_path_factory.mktemp("d")  # short, for the server's sockets
    with Dovecot(folder, introspection_url=provider.url("introspect"), token_mechanisms=request.param) as found:
        made = Account(found, USER)
        made.deliver(mail(1))
        yield made


@pytest.fixture(autouse=True)
def _no_facts(memd: Memd) -> None:
    memd.environment["MEMD_FACTS_EXTRACTOR"] = "off"


def add(memd: Memd, account: Account, provider: OAuthProvider, *more: str) -> Any:
    """Add the account, with a login by a code for another device; how the command ended."""
    server = account.dovecot.server
    where = ["--host", server.host, "--port", str(server.port), "--ca-file", str(server.ca_file), "--name", "mail"]
    return memd(
        "sources", "add", "imap", USER, "--oauth", "custom", "--client-id", CLIENT_ID, "--scope", "mail", "--token-url",
        provider.url("token"), "--device-url", provider.url("device"), "--authorize-url", provider.url("authorize"),
        "--login-by", "device", *where, *more,
    )  # fmt: skip


def source_of(memd: Memd) -> Any:
    """How the source is."""
    (source,) = memd.json("sources")["sources"]
    return source


def test_an_account_with_tokens(memd: Memd, account: Account, provider: OAuthProvider, tmp_path: Path) -> None:
    """Logged in to by a code; read with tokens that are renewed; stopped when the login has ended, and gone on with after another
    by a browser. No token stands in any file but one, in no answer, log or backup.
    """
    added = add(memd, account, provider, "--yes")
    assert (added.returncode, b"enter the code BCDF-GHJK" in added.stderr) == (0, True), added.stderr
    assert memd("sources", "set", "mail", "--no-watch").returncode == 0  # the runs are those of this test
    daemon = memd.start("serve")
    memd.until_served(daemon, 90)
    assert memd("sync", "mail", "--wait").stdout == b"mail  ok: 1 added\n"
    assert provider.refreshes == 1
    account.deliver(mail(2))
    assert memd("sync", "mail", "--wait").stdout == b"mail  ok: 1 added\n"
    assert provider.refreshes == 1  # the access token is valid for an hour
    provider.expire_access()
    account.deliver(mail(3))
    assert memd("sync", "mail", "--wait").stdout == b"mail  ok: 1 added\n"
    assert provider.refreshes == 2

    provider.expire_access()
    provider.faults.append(("429", "1800"))
    assert memd("sync", "mail", "--wait").returncode == 3
    assert "wants to be asked later" in source_of(memd)["waiting"]["why"]

    provider.revoke()
    assert memd("sync", "mail", "--wait").returncode == 3
    source = source_of(memd)
    assert (source["flags"], "the login is not valid any more" in source["trouble"]) == (["stopped"], True)
    assert "`memd sources login mail`" in source["trouble"]

    secret = tmp_path / "secret"
    secret.write_text(CLIENT_SECRET)
    provider.secret = CLIENT_SECRET
    login = memd.start("sources", "login", "mail", "--login-by", "browser", "--client-secret-file", str(secret))
    assert login.stderr is not None
    url = next(line.strip() for line in iter(login.stderr.readline, b"") if line.strip().startswith(b"http"))
    with urllib.request.urlopen(url.decode(), timeout=30) as page:
        assert b"The login is done" in page.read()
    told, _ = login.communicate(timeout=60)
    assert (login.returncode, b"INBOX" in told) == (0, True)
    account.deliver(mail(4))
    assert memd("sync", "mail", "--wait").stdout == b"mail  ok: 1 added\n"
    assert (source_of(memd)["flags"], source_of(memd)["next"] is not None) == ([], True)

    answers = json.dumps(
        [memd.json(*words) for words in (("status",), ("sources", "show", "mail"), ("runs",), ("config",), ("doctor",))]
    )
    assert memd("backup", str(tmp_path / "backup")).returncode == 0
    daemon.send_signal(signal.SIGTERM)
    log = b"".join(daemon.communicate(timeout=60)).decode()
    shown = answers + log + (added.stdout + added.stderr + told).decode()
    for token in (*provider.issued, CLIENT_SECRET):
        assert token not in shown
        assert {file for files in traces(memd.data, token).values() for file in files} <= {f"{TOKENS}/mail.json"}
        assert traces(tmp_path / "backup", token) == {}


def test_a_login_that_fails_adds_nothing(memd: Memd, account: Account, provider: OAuthProvider) -> None:
    """Refused by the user, or with addresses that memd does not send secrets to."""
    provider.denies = True
    refused = add(memd, account, provider, "--yes")
    assert (refused.returncode, b"refused the access" in refused.stderr) == (3, True)
    nothing = memd(
        "sources", "add", "imap", USER, "--host", "127.0.0.1", "--oauth", "google", "--client-id", CLIENT_ID,
        "--client-secret-file", str(account.dovecot.root / "absent"), "--yes",
    )  # fmt: skip
    assert (nothing.returncode, b"cannot be read" in nothing.stderr) == (2, True)
    plain = add(memd, account, provider, "--token-url", "http://login.example.org/token", "--yes")
    assert (plain.returncode, b"https://" in plain.stderr) == (2, True)
    assert memd.json("sources")["sources"] == []
    assert not (memd.data / TOKENS).exists()
