"""Access tokens out of a refresh token that changes: asked for once in a life, renewed once, stored before they are used."""

from __future__ import annotations

import signal
import sys
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path

import anyio
import pytest

from memd.connectors.errors import AuthorizationError, RateLimitError, UnavailableError
from memd.connectors.live.contract import AccountView, Batch
from memd.connectors.live.oauth.grants import Client, Provider
from memd.connectors.live.oauth.renewing_account import RenewingAccount
from memd.connectors.live.oauth.token_source import TokenSource
from memd.daemon.config.account_secrets import recover_secrets, store_secrets, stored_secrets
from memd.daemon.config.paths import TOKENS
from memd.daemon.config.source_settings import source_settings
from memd.schemas.errors import StoreError
from memd.tests import processes
from memd.tests.connectors.live.oauth.provider import CLIENT_ID, OAuthProvider

pytestmark = pytest.mark.anyio


@pytest.fixture
def server() -> Iterator[OAuthProvider]:
    """A provider."""
    with OAuthProvider() as running:
        yield running


class Kept:
    """Where a refresh token is kept."""

    def __init__(self, server: OAuthProvider) -> None:
        self.token = server.new_refresh_token()
        self.now = 0.0
        self.source = TokenSource(
            Provider(server.url("token"), "mail"), Client(CLIENT_ID), self.token, self._save, now=lambda: self.now
        )

    def _save(self, token: str) -> None:
        self.token = token


async def test_an_access_token_is_asked_for_once_in_its_life(server: OAuthProvider) -> None:
    """Until shortly before its end, or until somebody refuses it; each time the new refresh token is kept."""
    kept = Kept(server)
    first = await kept.source.access_token()
    assert await kept.source.access_token() == first
    assert await kept.source.access_token(refused="another") == first
    assert (server.refreshes, kept.token in server.refresh_tokens, kept.token == kept.source.refresh) == (1, True, True)
    kept.now = 3600 - 59
    second = await kept.source.access_token()
    assert (second != first, server.refreshes) == (True, 2)
    assert await kept.source.access_token(refused=second) != second
    assert server.refreshes == 3
    server.rotates = False
    before = kept.token
    kept.now += 7200
    await kept.source.access_token()
    assert (kept.token, kept.source.refresh) == (before, before)


async def test_a_refresh_token_that_cannot_be_kept_is_not_used(server: OAuthProvider) -> None:
    """No access token is given out for it; the next try begins with the one before."""
    refresh = server.new_refresh_token()

    def fails(_token: str) -> None:
        raise StoreError("the disk is full")

    source = TokenSource(Provider(server.url("token"), "mail"), Client(CLIENT_ID), refresh, fails)
    for _ in range(2):
        with pytest.raises(StoreError):
            await source.access_token()
    assert source.refresh == refresh


async def test_what_a_provider_refuses(server: OAuthProvider) -> None:
    """For ever, for a while, or by accident; no error holds a token or a name."""
    kept = Kept(server)
    server.faults.extend([("503", ""), ("429", "1800"), ("temporarily_unavailable", ""), ("garbage", "")])
    for error in (UnavailableError, RateLimitError, UnavailableError, UnavailableError):
        with pytest.raises(error):
            await kept.source.access_token()
    server.revoke()
    with pytest.raises(AuthorizationError) as caught:
        await kept.source.access_token()
    assert caught.value.message == "the login is not valid any more (AADSTS70000)"


class Mailbox:
    """An account that takes access tokens of a provider, and may refuse one in the middle."""

    name = "mailbox"

    def __init__(self, server: OAuthProvider, token: str, breaks: list[int]) -> None:
        self._server = server
        self._token = token
        self._breaks = breaks

    def _require(self) -> None:
        if self._token not in self._server.access_tokens:
            raise AuthorizationError("the token has expired")

    async def look(self) -> AccountView:
        """Nothing, to whom has a token."""
        self._require()
        return AccountView()

    async def changes(self) -> AsyncGenerator[None, None]:
        """One."""
        self._require()
        yield

    async def pull(self, cursor: str | None) -> AsyncGenerator[Batch, None]:
        """Four batches; before some of them all tokens expire."""
        for number in range(int(cursor or 0), 4):
            if number in self._breaks:
                self._breaks.remove(number)
                self._server.expire_access()
            self._require()
            yield Batch(cursor=str(number + 1))


async def pulled(account: RenewingAccount) -> list[str | None]:
    """The cursors of all batches."""
    return [batch.cursor async for batch in account.pull(None)]


@pytest.mark.slow
async def test_a_token_that_expired_is_renewed_once_and_reading_goes_on(server: OAuthProvider) -> None:
    """At the begin and in the middle, where it was; an account that refuses a new one, too, is not asked again and again."""
    kept, breaks = Kept(server), [0, 2]
    account = RenewingAccount(kept.source, lambda token: Mailbox(server, token, breaks))
    assert (await pulled(account), server.refreshes) == (["1", "2", "3", "4"], 3)
    server.expire_access()
    await account.look()
    assert server.refreshes == 4
    server.expire_access()
    assert (len([each async for each in account.changes()]), server.refreshes) == (1, 5)

    refusing = RenewingAccount(kept.source, lambda _token: Mailbox(server, "never", []))
    with pytest.raises(AuthorizationError):
        await pulled(refusing)
    assert server.refreshes == 6
    with pytest.raises(AuthorizationError):
        await refusing.look()
    assert server.refreshes == 7


SETTINGS = {
    "name": "mail",
    "kind": "imap",
    "host": "imap.example.org",
    "user": "ann",
    "oauth": "custom",
    "oauth_client_id": CLIENT_ID,
    "oauth_scope": "mail",
}
_KILLED = """
import json, os, signal, sys
from pathlib import Path
from memd.daemon.config import account_secrets
from memd.daemon.config.settings import Settings
from memd.daemon.config.source_settings import source_settings
from memd.daemon.sources.accounts import Accounts
import anyio
settings, data_dir, step = source_settings(json.loads(sys.argv[1])), Path(sys.argv[2]), sys.argv[3]
def dies(*_args, **_more):
    os.kill(os.getpid(), signal.SIGKILL)
def after(function):
    def both(*args, **more):
        function(*args, **more)
        dies()
    return both
if step == "create": account_secrets.create_anew = dies
if step == "write": account_secrets.json.dump = lambda body, file: (file.write('{"v": 1, "acc'), file.flush(), dies())
if step == "fsync": account_secrets.os.fsync = dies
if step == "rename": Path.replace = dies
if step == "renamed": Path.replace = after(Path.replace)
if step == "synced": account_secrets.sync_folder = after(account_secrets.sync_folder)
async def main():
    account = Accounts(Settings.model_validate({"data_dir": data_dir})).connector(settings)
    await account._tokens.access_token()
anyio.run(main)
"""


@pytest.mark.slow
@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("step", ["create", "write", "fsync", "rename", "renamed", "synced", "never"])
def test_a_refresh_token_survives_a_kill(server: OAuthProvider, tmp_path: Path, step: str, strict: bool) -> None:
    """SIGKILL between all steps of storing another one: the next start logs in by the new one, or by the one before. A provider
    that ends the one before at once leaves nothing to go on with only where the new one was not written whole.
    """
    settings = source_settings(
        SETTINGS | {"oauth_token_url": server.url("token"), "oauth_device_url": server.url("device")}
    )
    server.strict = strict
    first = server.new_refresh_token()
    store_secrets(settings, tmp_path, {"refresh_token": first})
    command = [
        sys.executable,
        "-P",
        "-c",
        _KILLED,
        settings.model_dump_json(exclude_defaults=True),
        str(tmp_path),
        step,
    ]
    done = processes.run(command, capture_output=True, timeout=120)
    assert done.returncode == (0 if step == "never" else -signal.SIGKILL), done.stderr.decode()
    assert server.refreshes == 1
    recover_secrets(tmp_path)
    assert [path.name for path in (tmp_path / TOKENS).iterdir()] == ["mail.json"]
    stored = stored_secrets(settings, tmp_path)["refresh_token"]
    source = TokenSource(Provider(server.url("token"), "mail"), Client(CLIENT_ID), stored, lambda _token: None)
    lost = strict and step in ("create", "write")
    assert (stored == first) is (step in ("create", "write"))
    if lost:
        with pytest.raises(AuthorizationError):
            anyio.run(source.access_token)
    else:
        assert anyio.run(source.access_token) in server.access_tokens
