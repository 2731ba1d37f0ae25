"""Socket Mode over a real socket: nothing is acknowledged before it is kept, what is not kept comes again, old texts stay."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any, cast

import anyio
import anyio.to_thread
import pytest

from memd.connectors.errors import AuthorizationError, RateLimitError, UnavailableError, UntrustedCertificateError
from memd.connectors.live.contract import Batch, LiveAccount
from memd.connectors.live.slack import socket_mode
from memd.connectors.live.slack.connector import FRESH_S, SlackAccount
from memd.connectors.live.slack.cursor import Position
from memd.connectors.live.slack.web_api import SlackServer, WebApi
from memd.daemon.app import open_app
from memd.daemon.config.account_secrets import store_secrets
from memd.daemon.config.settings import Settings
from memd.daemon.config.source_settings import source_settings
from memd.daemon.journal.journal import Journal
from memd.daemon.service.requests import LoginSourceRequest
from memd.daemon.service.service import Service
from memd.daemon.sources import account_watcher
from memd.daemon.sources.accounts import Accounts
from memd.daemon.sources.source_reader import LiveReader, SourceBatch
from memd.memory.supervision import Worker
from memd.schemas import ConversationDocument
from memd.schemas.errors import MemdError, StoreError
from memd.tests.connectors.live.slack.test_connector import (
    OPTIONS,
    Clock,
    cursor_of,
    everything,
    messages,
    opened,
    pulled,
)
from memd.tests.connectors.live.slack.workspace import APP_TOKEN, TOKEN, Workspace
from memd.tests.connectors.slack.exports import Json, message, reply, stamp
from memd.tests.contracts.live_connector import synced, texts

pytestmark = pytest.mark.anyio

SOURCE = source_settings({"name": "account", "kind": "slack", "schedule": "@monthly"})


@pytest.fixture
def workspace() -> Iterator[Workspace]:
    """A workspace without messages."""
    with Workspace() as running:
        yield running


@pytest.fixture
def clock(workspace: Workspace) -> Clock:
    """That of the account and of the server."""
    workspace.clock = Clock()
    return workspace.clock


@pytest.fixture(autouse=True)
def _short_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket_mode, "_SHORTEST_S", 0.0)


def account(workspace: Workspace, clock: Clock | None = None) -> SlackAccount:
    """What reads the workspace, and is told what happens."""
    server = SlackServer(workspace.url, silence_s=5)
    return SlackAccount(server, TOKEN, OPTIONS, app_token=APP_TOKEN, now=clock or Clock())


async def until(holds: Callable[[], object]) -> None:
    """Wait for it."""
    with anyio.fail_after(60):
        while not holds():
            await anyio.sleep(0.01)


async def pulled_told(reads: SlackAccount, cursor: str | None) -> list[Batch]:
    """Every batch of what was told."""
    async with aclosing(reads.pull_told(cursor)) as batches:
        return [batch async for batch in batches]


def contents(batches: list[SourceBatch]) -> list[str]:
    """The texts of what a source gave."""
    return [
        each.content
        for batch in batches
        for document in batch.documents
        if isinstance(document, ConversationDocument)
        for each in document.conversation.conversation
    ]


def told(kind: str = "message", **more: Any) -> Json:
    """An event of the channel."""
    return {"type": kind, "channel": "C0GEN", "channel_type": "channel", **more}


def posted(seconds: float, text: str, **more: Any) -> Json:
    """The event of a message."""
    return message(seconds, "U0BO", text) | told(event_ts=stamp(seconds)) | more


def edited(seconds: float, old: str, new: str) -> Json:
    """The event of an edit."""
    now = message(seconds, "U0BO", new, edited={"user": "U0BO", "ts": stamp(seconds + 30)})
    return told(
        subtype="message_changed", message=now, previous_message=message(seconds, "U0BO", old), ts=stamp(seconds + 30)
    )


def deleted(seconds: float, old: str) -> Json:
    """The event of a deletion."""
    before = message(seconds, "U0BO", old)
    return told(
        subtype="message_deleted",
        deleted_ts=stamp(seconds),
        previous_message=before,
        ts=stamp(seconds + 40),
        hidden=True,
    )


@asynccontextmanager
async def listening(reads: SlackAccount, heard: Callable[[], None] = lambda: None) -> AsyncGenerator[None]:
    """The account is told what happens, as long as the block lasts."""

    async def listen() -> None:
        async with aclosing(reads.changes()) as changes:
            async for _ in changes:
                heard()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(listen)
        yield
        tasks.cancel_scope.cancel()


async def test_what_is_told_is_acknowledged_when_it_is_kept(workspace: Workspace) -> None:
    """When the next batch is asked for, and not before; one that was not kept comes over the next connection, too."""
    reads = account(workspace)
    cursor = cursor_of(await pulled(reads))
    heard = 0

    def count() -> None:
        nonlocal heard
        heard += 1

    async with listening(reads, count):
        await until(lambda: heard == 1)  # for the connection
        workspace.tell(**posted(60, "at six"))
        await until(lambda: heard == 2)
        async with aclosing(reads.pull(cursor)) as batches:
            batch = await anext(batches)
            assert [each.content for each in messages([batch])] == ["at six"]
        assert [each.partition(" ")[0] for each in workspace.order] == ["sent"]
        workspace.cut()
        await until(lambda: len(workspace.order) == 2)
        assert {each.content for each in messages(await pulled(reads, cursor))} == {"at six"}
        await until(lambda: not workspace.unacknowledged)
    again = account(workspace)
    async with listening(again):
        assert messages(await pulled(again, cursor)) == []


async def test_an_event_needs_no_question(workspace: Workspace) -> None:
    """The lists are known, so that nothing is asked; somebody new, or another conversation, has them read anew."""
    reads = account(workspace)
    cursor = cursor_of(await pulled(reads))
    workspace.calls.clear()
    async with listening(reads):
        workspace.tell(**posted(60, "at six"))
        await until(lambda: any(each.startswith("sent") for each in workspace.order))
        await until(lambda: reads._socket is not None and reads._socket.waiting)  # pyright: ignore[reportPrivateUsage]
        assert [each.content for each in messages(await pulled_told(reads, cursor))] == ["at six"]
        assert [method for method, _ in workspace.calls] == ["apps.connections.open"]
        workspace.tell(**posted(120, "from afar", user="U0NEW"))
        workspace.users.append(
            {"id": "U0NEW", "name": "new", "team_id": "T0ACME", "profile": {"real_name": "New Person"}}
        )
        await until(lambda: reads._socket is not None and reads._socket.waiting)  # pyright: ignore[reportPrivateUsage]
        assert [each.speaker for each in messages(await pulled_told(reads, cursor))] == ["New Person"]


async def test_who_asks_for_all_gets_it_though_an_event_waits(workspace: Workspace) -> None:
    """The events alone are read for the watch alone, and never without a cursor: its place would be taken by an empty one."""
    workspace.add(message(0, "U0BO", "before"))
    reads = account(workspace)
    cursor = cursor_of(await pulled(reads))
    async with listening(reads):
        workspace.tell(**posted(60, "told"))
        await until(lambda: reads._socket is not None and reads._socket.waiting)  # pyright: ignore[reportPrivateUsage]
        workspace.add(message(120, "U0BO", "not told"))
        batches = [each async for each in LiveReader(reads, SOURCE, cursor, told_alone=False).batches()]
        assert contents(batches) == ["told", "not told"]
        workspace.tell(**posted(180, "told, too"))
        await until(lambda: reads._socket is not None and reads._socket.waiting)  # pyright: ignore[reportPrivateUsage]
        workspace.calls.clear()
        batches = [each async for each in LiveReader(reads, SOURCE, cursor, told_alone=True).batches()]
        assert (contents(batches), workspace.calls) == (["told, too"], [])
        workspace.tell(**posted(240, "told, three"))
        await until(lambda: reads._socket is not None and reads._socket.waiting)  # pyright: ignore[reportPrivateUsage]
        again = await pulled_told(reads, None)
        assert [each.content for each in messages(again)] == ["told, three", "before", "not told"]
        assert Position.of_text(cursor_of(again)).channels["C0GEN"].newest == stamp(120)


async def test_the_run_of_a_watch_reads_what_was_told_alone(workspace: Workspace, tmp_path: Path) -> None:
    """One that somebody asks for reads everything, whatever waits."""
    reads = account(workspace)
    plain = {"data_dir": tmp_path, "embedding": {"enabled": False}, "facts": {"extractor": "off"}}
    declared = {**plain, "sources": [SOURCE.model_dump(exclude_defaults=True)]}
    async with open_app(
        Settings.model_validate(declared), serve=False, connectors={"slack": lambda _settings: reads}
    ) as service:
        assert (await synced(service))["outcome"] == "ok"
        async with listening(reads):
            for number, trigger in enumerate(("watch", "sync")):
                workspace.tell(**posted(60 * number, f"told {number}"))
                await until(lambda: reads._socket is not None and reads._socket.waiting)  # pyright: ignore[reportPrivateUsage]
                workspace.calls.clear()
                request = service.sources.jobs.queue.request(SOURCE.job, trigger)
                with anyio.fail_after(60):
                    await request.done.wait()
                assert ("conversations.history" in {method for method, _ in workspace.calls}) == (trigger == "sync")
        await service.pipeline.drain()
        assert await texts(service) == ["told 0", "told 1"]


async def test_whoever_is_in_no_list_is_looked_for_once_in_a_while(workspace: Workspace, clock: Clock) -> None:
    """Where the list of people is refused, it would be asked for with each event."""
    workspace.refused["users.list"] = {"ok": False, "error": "missing_scope", "needed": "users:read"}
    reads = account(workspace, clock)
    cursor = cursor_of(await pulled(reads, None, clock))
    asked: list[bool] = []
    async with listening(reads):
        for number, seconds in enumerate((0.0, 1.0, 1.0, FRESH_S + 1.0)):
            clock.now += seconds
            workspace.tell(**posted(60 * number, f"told {number}"))
            workspace.tell(**posted(60 * number + 1, "elsewhere", channel="C0NONE"))
            await until(lambda: reads._socket is not None and len(reads._socket.waiting) == 2)  # pyright: ignore[reportPrivateUsage]
            workspace.calls.clear()
            found = [each.content for each in messages(await pulled_told(reads, cursor))]
            assert found == [f"told {number}"]
            asked.append("users.list" in {method for method, _ in workspace.calls})
    assert asked == [True, False, False, True]


@pytest.mark.parametrize(
    ("fault", "error"), [("limit", RateLimitError), ("error", UnavailableError), ("not_allowed", UnavailableError)]
)
async def test_no_connection_for_now(workspace: Workspace, fault: str, error: type[MemdError]) -> None:
    """How long Slack wants to be left alone is kept."""
    workspace.faults.append((fault, 70.0))
    with pytest.raises(error) as caught:
        await _told(account(workspace))
    assert getattr(caught.value, "retry_after_s", 70.0) == 70.0


async def test_a_certificate_that_is_not_trusted_ends_the_watch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only somebody can help; the server is not asked for ever."""

    async def refused(_api: WebApi, _method: str) -> None:
        raise UntrustedCertificateError("the certificate of Slack's server is not trusted")

    monkeypatch.setattr(WebApi, "ask", refused)
    reads = SlackAccount(SlackServer("https://127.0.0.1:9/api/"), TOKEN, OPTIONS, app_token=APP_TOKEN)
    with pytest.raises(UntrustedCertificateError):
        await _told(reads)


async def test_connections_that_do_not_last_are_made_at_longer_intervals(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That the server was reached alone is no sign that it is well."""
    monkeypatch.setattr(socket_mode, "_SHORTEST_S", 600.0)
    monkeypatch.setattr(account_watcher, "TOGETHER_SECONDS", 0.0)
    reads, pauses = account(workspace), list[float]()
    workspace.on_link = workspace.cut
    sleep = anyio.sleep

    async def slept(seconds: float) -> None:
        if seconds:
            pauses.append(seconds)
        if len(pauses) == 4:
            raise StoreError("enough")
        await sleep(0)

    monkeypatch.setattr(account_watcher.anyio, "sleep", slept)
    monkeypatch.setattr(account_watcher.random, "uniform", _least)
    with anyio.fail_after(60), pytest.raises(StoreError):
        await account_watcher.watch_account(lambda: reads, lambda: None, Worker("watch"))
    assert pauses == [1.0, 2.0, 4.0, 8.0]
    monkeypatch.setattr(account_watcher, "LASTING_SECONDS", 0.0)
    pauses.clear()
    with anyio.fail_after(60), pytest.raises(StoreError):
        await account_watcher.watch_account(lambda: reads, lambda: None, Worker("watch"))
    assert pauses == [1.0] * 4


@pytest.mark.slow
async def test_other_tokens_make_another_connector_which_is_watched(workspace: Workspace, tmp_path: Path) -> None:
    """What the old one is told, nobody would pull; a source that is removed is kept by nobody."""
    token, app_token = tmp_path / "token", tmp_path / "app"
    token.write_text("xoxp-old")
    app_token.write_text(APP_TOKEN)
    declared = {"name": "account", "kind": "slack", "api_url": workspace.url}
    files = {"token_file": str(token), "app_token_file": str(app_token)}
    source = source_settings({**declared, **files})
    for path in (token, app_token):
        path.chmod(0o600)
    accounts = Accounts(Settings.model_validate({"data_dir": tmp_path / "data"}))
    made: list[LiveAccount] = []

    def make() -> LiveAccount:
        made.append(accounts.connector(source))
        return made[-1]

    changed = 0

    def change() -> None:
        nonlocal changed
        changed += 1

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(account_watcher.watch_account, make, change, Worker("watch"))
        await until(lambda: changed == 1)
        token.write_text(TOKEN)
        current = await anyio.to_thread.run_sync(accounts.connector, source)
        assert current is not made[0]
        await until(lambda: len(made) == 2 and changed >= 2)
        assert made[1] is current
        workspace.tell(**posted(60, "told"))
        await until(lambda: changed >= 3)
        assert [each.content for each in messages(await pulled(cast("SlackAccount", current)))] == ["told"]
        await anyio.to_thread.run_sync(accounts.forget, source.name, source.job)
        await until(lambda: len(made) == 3)
        assert made[2] is not current
        tasks.cancel_scope.cancel()


async def test_a_connector_that_is_replaced_waits_for_no_room(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody pulls it any more."""
    monkeypatch.setattr(socket_mode, "MOST_WAITING", 1)
    reads = account(workspace)
    workspace.tell(**posted(60, "told"))
    with anyio.fail_after(60):
        async with aclosing(reads.changes()) as changes:
            await anext(changes)
            await anext(changes)
            await anyio.to_thread.run_sync(reads.retire)
            with pytest.raises(UnavailableError, match="other tokens"):
                await anext(changes)
    with pytest.raises(UnavailableError, match="other tokens"):
        await _told(reads)


def _least(least: float, _most: float) -> float:
    return least


@pytest.mark.slow
async def test_what_waits_is_bounded_by_its_size(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing more is received until it is kept, and then the rest is."""
    monkeypatch.setattr(socket_mode, "MOST_WAITING_SIZE", 3_000)
    reads = account(workspace)
    cursor = cursor_of(await pulled(reads))
    found: list[str] = []
    for number in range(6):
        workspace.tell(**posted(60 * number, f"{number} " + "x" * 1_500))
    async with listening(reads):
        socket = reads._socket  # pyright: ignore[reportPrivateUsage]
        assert socket is not None
        await until(lambda: sum(each.size for each in socket.waiting) >= 3_000)
        await anyio.sleep(0.2)
        assert sum(each.size for each in socket.waiting[:-1]) < 3_000
        with anyio.fail_after(60):
            while workspace.unacknowledged:
                found += [each.content[0] for each in messages(await pulled(reads, cursor))]
                await anyio.sleep(0.01)
    assert sorted(found) == list("012345")


async def test_edits_deletions_reactions_and_replies(workspace: Workspace, tmp_path: Path) -> None:
    """Each is told of its message; the old text stays, also where a stone stands for the first message of a thread."""
    reads = account(workspace)
    said = [message(60 * n, "U0BO", f"text {n}") for n in range(4)]
    workspace.add(*said, reply(400, "U0ANN", "answer", 120))
    first = await pulled(reads)
    said[3]["reactions"] = [{"name": "tada", "users": ["U0ANN"], "count": 1}]
    stone = {"type": "message", "subtype": "tombstone", "user": "USLACKBOT", "text": "This message was deleted.",
             "ts": stamp(120), "thread_ts": stamp(120), "hidden": True}  # fmt: skip
    preview = said[3] | {"attachments": [{"title": "A page", "title_link": "https://a.example"}]}
    async with listening(reads):
        workspace.tell(**edited(0, "text 0", "text 0, better"))
        workspace.tell(**deleted(60, "text 1"))
        workspace.tell(**told(subtype="message_changed", message=stone, previous_message=said[2], ts=stamp(500)))
        workspace.tell(**told(subtype="message_changed", message=preview, previous_message=said[3], ts=stamp(510)))
        workspace.tell(
            **told(
                kind="reaction_added",
                user="U0ANN",
                reaction="tada",
                item={"type": "message", "channel": "C0GEN", "ts": stamp(180)},
            )
        )
        workspace.tell(
            **told(
                reply(520, "U0CY", "late answer", 120)["type"],
                **{name: each for name, each in reply(520, "U0CY", "late answer", 120).items() if name != "type"},
            )
        )
        workspace.tell(type="user_change", user={"id": "U0BO"})
        second: list[Any] = []
        with anyio.fail_after(60):
            while workspace.unacknowledged:
                second += await pulled(reads, cursor_of(first))
                await anyio.sleep(0.01)
    async with opened(tmp_path) as memory:
        for batch in (*first, *second):
            await memory.write(batch.documents)
        stored = {
            each.id: each
            for document in (await everything(memory)).values()
            for each in document.conversation.conversation
        }
    found = [
        (stored[f"C0GEN:{stamp(60 * n)}"].content, [each.content for each in stored[f"C0GEN:{stamp(60 * n)}"].edits])
        for n in range(3)
    ]
    assert found == [
        ("text 0, better", ["text 0"]),
        ("[deleted]", ["text 1"]),
        ("This message was deleted.", ["text 2"]),
    ]
    reacted = stored[f"C0GEN:{stamp(180)}"]
    assert ([each.emoji for each in reacted.reactions], reacted.edited) == ([":tada:"], False)
    assert stored[f"C0GEN:{stamp(520)}"].reply_to == f"C0GEN:{stamp(120)}"


async def test_a_connection_that_ends_is_made_anew(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """As Slack asks for now and then; one that ends at once is an error, as is a wrong token."""
    reads = account(workspace)
    async with listening(reads):
        for asked in (True, False):
            await until(lambda: workspace._sockets)  # pyright: ignore[reportPrivateUsage]
            (before,) = workspace._sockets  # pyright: ignore[reportPrivateUsage]
            workspace.cut(asked=asked)
            await until(lambda: before not in workspace._sockets and workspace._sockets)  # noqa: B023 # pyright: ignore[reportPrivateUsage]
    wrong = SlackAccount(SlackServer(workspace.url), TOKEN, OPTIONS, app_token="xapp-wrong")
    with pytest.raises(AuthorizationError, match="token of the app"):
        await anext(wrong.changes())
    with pytest.raises(AuthorizationError, match="token of the app"):
        await wrong.look()
    monkeypatch.setattr(socket_mode, "_SHORTEST_S", 600.0)
    workspace.on_link = workspace.cut
    with pytest.raises(UnavailableError, match="at once"):
        await _told(reads)
    workspace.on_link = lambda: None
    workspace.refused["apps.connections.open"] = {"ok": True, "url": "http://example.org"}
    with pytest.raises(UnavailableError, match="no address"):
        await anext(reads.changes())


async def _told(reads: SlackAccount) -> None:
    async with aclosing(reads.changes()) as changes:
        async for _ in changes:
            pass


# --- in the daemon ---


@asynccontextmanager
async def daemon(folder: Path, workspace: Workspace) -> AsyncGenerator[Service]:
    """A memory whose one source is the workspace, read by schedule and when it tells something."""
    source = {"name": "account", "kind": "slack", "api_url": workspace.url, "schedule": "@monthly"}
    plain = {
        "data_dir": folder / "data",
        "embedding": {"enabled": False},
        "facts": {"extractor": "off"},
        "sources": [source],
    }
    store_secrets(source_settings(source), folder / "data", {"token": TOKEN, "app_token": APP_TOKEN})
    async with open_app(Settings.model_validate(plain), serve=False, scheduled=True) as service:
        yield service


@pytest.mark.slow
async def test_no_acknowledgement_before_the_journal_has_it(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The daemon reads what is told at once; each event is on the disk when Slack hears so. No token is in the log."""
    caplog.set_level(logging.DEBUG)
    add = Journal.add

    async def recorded(self: Journal, *args: Any, **more: Any) -> Any:
        waiting = list(workspace.unacknowledged)
        result = await add(self, *args, **more)
        assert set(waiting) <= set(workspace.unacknowledged)  # none was acknowledged while the journal wrote
        workspace.order.append("journaled")
        return result

    monkeypatch.setattr(Journal, "add", recorded)
    async with daemon(tmp_path, workspace) as service:
        assert (await synced(service))["outcome"] == "ok"
        await until(lambda: workspace._sockets)  # pyright: ignore[reportPrivateUsage]
        workspace.order.clear()
        for number in range(5):
            workspace.tell(**posted(60 * number, f"text {number}"))
            await until(lambda: not workspace.unacknowledged)
        await service.pipeline.drain()
        assert await texts(service) == [f"text {number}" for number in range(5)]
        steps = [each.partition(" ")[0] for each in workspace.order]
        kinds = [each for n, each in enumerate(steps) if each != "journaled" or steps[n - 1] != "journaled"]
        assert kinds[:15] == ["sent", "journaled", "acknowledged"] * 5
        login = LoginSourceRequest.model_validate({"name": "account", "secrets": {"token": TOKEN}})
        await service.accounts.login(login, lambda _progress: None)
        await until(lambda: workspace._sockets)  # pyright: ignore[reportPrivateUsage]
        workspace.tell(**posted(600, "after the login"))
        await until(lambda: not workspace.unacknowledged)
    assert all(token not in caplog.text for token in (TOKEN, APP_TOKEN))


@pytest.mark.slow
async def test_a_token_of_the_app_that_was_revoked(workspace: Workspace, tmp_path: Path) -> None:
    """The source stops and says what to do, when what can be read is read; with another token it is told again."""
    workspace.app_token = "xapp-other"
    workspace.add(message(0, "U0BO", "text 0"))
    async with daemon(tmp_path, workspace) as service:
        wanted = ("token of the app", "App-Level Token", "`memd sources login account`")
        with anyio.fail_after(60):
            while True:
                (shown,) = (await service.sources.listing())["sources"]
                if shown["flags"] == ["stopped"] and all(each in (shown["trouble"] or "") for each in wanted):
                    break
                await anyio.sleep(0.02)
        await service.pipeline.drain()
        assert await texts(service) == ["text 0"]
        secrets = {"token": TOKEN, "app_token": "xapp-other"}
        login = LoginSourceRequest.model_validate({"name": "account", "secrets": secrets})
        await service.accounts.login(login, lambda _progress: None)
        await until(lambda: workspace._sockets)  # pyright: ignore[reportPrivateUsage]
        workspace.tell(**posted(60, "text 1"))
        await until(lambda: not workspace.unacknowledged)
        await service.pipeline.drain()
        assert await texts(service) == ["text 0", "text 1"]
