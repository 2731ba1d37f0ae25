"""A bot that is watched: what it is told is read at once, and one question at a time is open."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

import anyio
import anyio.to_thread
import pytest

from memd.connectors.errors import ConflictError, UnavailableError
from memd.connectors.live.telegram import long_poll
from memd.connectors.live.telegram.connector import TelegramAccount
from memd.connectors.live.telegram.polling import BotServer
from memd.daemon.app import open_app
from memd.daemon.config.account_secrets import store_secrets
from memd.daemon.config.settings import Settings
from memd.daemon.config.source_settings import source_settings
from memd.daemon.service.service import Service
from memd.daemon.sources import account_watcher
from memd.tests.connectors.live.telegram.bot_api import TOKEN, BotApi
from memd.tests.connectors.live.telegram.test_connector import OPTIONS, messages, pulled
from memd.tests.contracts.live_connector import synced, texts

pytestmark = pytest.mark.anyio


@pytest.fixture
def api() -> Iterator[BotApi]:
    """A server without updates."""
    with BotApi() as running:
        yield running


def account(api: BotApi) -> TelegramAccount:
    """What reads the bot."""
    return TelegramAccount(BotServer(api.url), TOKEN, OPTIONS)


async def until(holds: Callable[[], object]) -> None:
    """Wait for it."""
    with anyio.fail_after(60):
        while not holds():
            await anyio.sleep(0.01)


@asynccontextmanager
async def listening(reads: TelegramAccount) -> AsyncGenerator[list[int]]:
    """Somebody watches the bot; a number for each time it told something."""
    told: list[int] = []

    async def listen() -> None:
        async with aclosing(reads.changes()) as changes:
            async for _ in changes:
                told.append(len(told))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(listen)
        await until(lambda: told)
        yield told
        tasks.cancel_scope.cancel()


@pytest.mark.slow
async def test_what_is_told_is_news_and_stays_until_it_is_read(api: BotApi) -> None:
    """Once for what comes before it is read; to wait confirms nothing."""
    reads = account(api)
    async with listening(reads) as told:
        await pulled(reads)
        await until(lambda: api.waiting)
        api.say(1, "one")
        await until(lambda: len(told) == 2)
        api.say(2, "two")
        assert [each["message"]["text"] for each in api.updates] == ["one", "two"]
        assert [each.content for each in messages(await pulled(reads))] == ["one", "two"]
        await until(lambda: api.waiting)
        assert (api.updates, len(told)) == ([], 2)
        assert all("offset" not in each for each in api.asked if each["timeout"] != "0")


@pytest.mark.slow
async def test_a_pull_interrupts_the_waiting(api: BotApi) -> None:
    """It is not refused, and what comes then is told; what a pull that fails has left, the next one reads."""
    reads = account(api)
    async with listening(reads) as told:
        for number in range(3):
            await pulled(reads)
            await until(lambda: api.waiting)
            assert (len(told), api.ended) == (1, number)
        api.faults.append("error")
        with pytest.raises(UnavailableError):
            await pulled(reads)
        api.say(1, "one")
        await pulled(reads)
        await until(lambda: api.waiting)
        assert len(told) == 1
        api.say(2, "two")
        await until(lambda: len(told) == 2)


async def test_a_wait_that_brings_nothing_is_repeated(api: BotApi, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a word to anybody."""
    monkeypatch.setattr(long_poll, "WAIT_S", 0)
    monkeypatch.setattr(long_poll, "PAUSE_S", 0.0)
    reads = account(api)
    async with listening(reads) as told:
        await pulled(reads)
        asked = len(api.asked)
        await until(lambda: len(api.asked) > asked + 3)
        assert len(told) == 1


@pytest.mark.slow
async def test_a_server_that_does_not_wait(api: BotApi, monkeypatch: pytest.MonkeyPatch) -> None:
    """Is not asked again and again: memd waits in its place, until a pull, which is not held up."""
    monkeypatch.setattr(long_poll, "WAIT_S", 0)
    monkeypatch.setattr(long_poll, "PAUSE_S", 3600.0)
    reads = account(api)
    async with listening(reads) as told:
        await pulled(reads)
        await until(lambda: any(each["limit"] == "1" for each in api.asked))
        await anyio.sleep(0.3)  # for questions that must not come
        assert [each["limit"] for each in api.asked] == ["100", "1"]
        api.say(1, "one")
        assert [each.content for each in messages(await pulled(reads))] == ["one"]
        await until(lambda: len(api.asked) == 5)
        assert ([each["limit"] for each in api.asked], len(told)) == (["100", "1", "100", "100", "1"], 1)


async def test_another_program_that_reads_the_bot(api: BotApi) -> None:
    """Ends the watching."""
    reads = account(api)
    async with aclosing(reads.changes()) as changes:
        await anext(changes)
        await pulled(reads)
        api.faults.append("conflict")
        with pytest.raises(ConflictError):
            await anext(changes)


@pytest.mark.parametrize("is_waiting", [True, False])
@pytest.mark.slow
async def test_a_bot_that_is_read_with_another_token(api: BotApi, *, is_waiting: bool) -> None:
    """Is not watched with this one any more, whatever it waits for."""
    reads = account(api)

    async def retire() -> None:
        await until(lambda: api.waiting or not is_waiting)
        await anyio.to_thread.run_sync(reads.retire)

    async with aclosing(reads.changes()) as changes:
        await anext(changes)
        if is_waiting:
            await pulled(reads)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(retire)
            with pytest.raises(UnavailableError, match="another token"):
                await anext(changes)


@asynccontextmanager
async def daemon(folder: Path, api: BotApi) -> AsyncGenerator[Service]:
    """A memory whose one source is the bot, read by schedule and when it was told something."""
    source = {"name": "account", "kind": "telegram", "api_url": api.url, "schedule": "@monthly"}
    plain = {
        "data_dir": folder / "data",
        "embedding": {"enabled": False},
        "facts": {"extractor": "off"},
        "sources": [source],
    }
    store_secrets(source_settings(source), folder / "data", {"token": TOKEN})
    async with open_app(Settings.model_validate(plain), serve=False, scheduled=True) as service:
        yield service


@pytest.mark.slow
async def test_through_the_daemon(api: BotApi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the bot is told is kept and confirmed at once, long before the schedule; runs that are asked for go on beside that."""
    monkeypatch.setattr(account_watcher, "TOGETHER_SECONDS", 0.0)
    async with daemon(tmp_path, api) as service:
        await until(lambda: api.waiting)
        for number in range(5):
            api.say(number + 1, f"text {number}")
            await until(lambda: not api.updates and api.waiting)
            if number % 2:
                assert (await synced(service))["outcome"] == "ok"
        await service.pipeline.drain()
        assert await texts(service) == [f"text {number}" for number in range(5)]
