"""A server that can tells of new mail by itself, and the daemon reads it; what changes otherwise is no news."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from pathlib import Path

import anyio
import pytest

from memd.connectors.errors import AuthorizationError, RateLimitError, UnavailableError
from memd.connectors.live.contract import Batch, LiveConnector
from memd.connectors.live.imap.connection import Connection
from memd.connectors.live.imap.connector import ImapConnector
from memd.connectors.live.imap.login import Credentials
from memd.connectors.live.imap.responses import Fetch, Response
from memd.connectors.live.imap.transport import Server
from memd.daemon.app import open_app
from memd.daemon.config.settings import Settings
from memd.daemon.config.source_settings import source_settings
from memd.daemon.sources import account_watcher
from memd.daemon.sources.account_watcher import watch_account
from memd.memory.supervision import Worker
from memd.schemas.errors import MemdError
from memd.tests.connectors.live.imap.dovecot import Account, why_not
from memd.tests.connectors.live.imap.scripted_server import Talk, certificate, serving
from memd.tests.connectors.live.imap.test_connector import ANN, OPTIONS
from memd.tests.connectors.live.imap.test_dovecot_account import connector, mail
from memd.tests.contracts.live_connector import texts

_WHY_NOT = why_not()
pytestmark = pytest.mark.anyio
on_dovecot = [pytest.mark.slow, pytest.mark.skipif(bool(_WHY_NOT), reason=_WHY_NOT)]


class Told:
    """An account whose server tells what a test says, and then ends so."""

    name = "told"

    def __init__(self, *times: int | MemdError) -> None:
        self._times = list(times)

    async def pull(self, cursor: str | None) -> AsyncGenerator[Batch, None]:
        """Nothing."""
        yield Batch(cursor=cursor)

    async def changes(self) -> AsyncGenerator[None, None]:
        """Of each connection so many changes, until it breaks; then the end."""
        while self._times:
            found = self._times.pop(0)
            if isinstance(found, MemdError):
                raise found
            for _ in range(found):
                yield


class Silent:
    """An account that cannot be watched."""

    name = "silent"

    async def pull(self, cursor: str | None) -> AsyncGenerator[Batch, None]:
        """Nothing."""
        yield Batch(cursor=cursor)


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(account_watcher, "TOGETHER_SECONDS", 0.0)
    monkeypatch.setattr(account_watcher, "PAUSE_LEAST", 0.01)


async def _watched(make: Callable[[], LiveConnector]) -> int:
    """How often something changed, until the watching ends."""
    count = 0

    def changed() -> None:
        nonlocal count
        count += 1

    with anyio.fail_after(20):
        await watch_account(make, changed, Worker("watching"))
    return count


async def test_a_server_that_goes_is_asked_again() -> None:
    """Until it cannot tell; what wants to be asked later is waited for."""
    broken, busy = UnavailableError("gone"), RateLimitError("later", retry_after_s=0.05)
    told = Told(2, broken, busy, broken, 3)
    assert await _watched(lambda: told) == 5


async def test_what_cannot_be_watched_is_not() -> None:
    """Its schedule goes on; where the server refuses the login, a run finds that at once, and tells it."""
    assert await _watched(Silent) == 0
    assert await _watched(lambda: Told(1, AuthorizationError("no"))) == 2


async def test_a_server_without_idle(tmp_path: Path) -> None:
    """No folder is opened."""

    async def script(talk: Talk) -> None:
        await talk.say(b"* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN SASL-IR] ready")
        await talk.expect(rb"AUTHENTICATE PLAIN \S+")
        await talk.say(b"TAG OK [CAPABILITY IMAP4rev1] in")
        await talk.answer(b"LOGOUT")

    ca_file, context = certificate(tmp_path, "127.0.0.1")
    async with serving(script, context) as port:
        server = Server("127.0.0.1", port, ca_file=ca_file)
        reads = ImapConnector(server, Credentials("ann", password="x"), ANN, OPTIONS)
        assert await _watched(lambda: reads) == 0


def test_accounts_are_watched_where_nothing_else_is_said() -> None:
    """Also where that is stored; what is said counts."""
    plain = {"name": "mail", "kind": "imap", "host": "a", "user": "b"}
    for given, watched in (({}, True), ({"watch": False}, False), ({"watch": True}, True)):
        found = source_settings({**plain, **given})
        assert (found.is_watched, source_settings(found.to_wire()).is_watched) == (watched, watched)
    assert not source_settings({"name": "x", "path": Path("/x")}).is_watched
    assert source_settings({"name": "bot", "kind": "telegram"}).is_watched


class TestDovecot:
    """A real server."""

    pytestmark = on_dovecot

    async def test_mail_that_comes_or_goes_is_news(self, account: Account, monkeypatch: pytest.MonkeyPatch) -> None:
        """A flag is no news: the connector waits for the next change."""
        idle, last = Connection.idle, list[Response]()
        waits_after_flag = anyio.Event()

        async def observed(connection: Connection) -> list[Response]:
            if any(isinstance(each, Fetch) and "\\Flagged" in (each.flags or ()) for each in last):
                waits_after_flag.set()
            last[:] = await idle(connection)
            return [*last]

        monkeypatch.setattr(Connection, "idle", observed)
        account.deliver(mail(1))
        with anyio.fail_after(60):
            async with aclosing(connector(account).changes()) as changes:
                await anext(changes)
                account.doveadm("expunge", "mailbox", "INBOX", "all")
                await anext(changes)
                account.deliver(mail(3))
                await anext(changes)

                async def next_change() -> None:
                    await anext(changes)

                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(next_change)
                    account.doveadm("flags add", "\\Flagged", "mailbox", "INBOX", "all")
                    await waits_after_flag.wait()
                    account.deliver(mail(4))
            async with aclosing(connector(account).changes()) as changes:
                await anext(changes)
                account.deliver(mail(2))
                await anext(changes)

    async def test_through_the_daemon(self, tmp_path: Path, account: Account) -> None:
        """A mail is read when it comes, long before the schedule; also after the server was away."""
        plain = {
            "data_dir": tmp_path / "data",
            "embedding": {"enabled": False},
            "facts": {"extractor": "off"},
            "sources": [{"name": "account", "kind": "scripted", "watch": True}],
        }
        settings = Settings.model_validate(plain)
        async with open_app(
            settings, serve=False, scheduled=True, connectors={"scripted": lambda _: connector(account)}
        ) as service:
            for number in (1, 2):
                account.deliver(mail(number))
                with anyio.fail_after(90):
                    while len(await texts(service)) < number:
                        await anyio.sleep(0.1)
                account.dovecot.drop_connections(some=False)
