"""A store that takes nothing for an hour, in fast motion: what sources bring waits in the journal, and nothing is lost."""

from __future__ import annotations

import asyncio
import selectors
import sqlite3
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import anyio
import pytest

from memd.daemon.app import open_app
from memd.daemon.config.paths import STORE
from memd.daemon.config.settings import Settings
from memd.daemon.service.service import Service
from memd.daemon.sources.runner import ConnectorFactory
from memd.tests.contracts.live_connector import texts
from memd.tests.moved_clock import move_timetable
from memd.tests.sources.scripted_account import ScriptedAccount
from memd.tests.torture.home import Chat

pytestmark = pytest.mark.slow
SPEED = 200.0
"""Simulated seconds in a second."""
BEGIN = datetime(2026, 5, 1, 2, 0, tzinfo=UTC)


class _FastSelector(selectors.DefaultSelector):
    """Waits as much shorter as time is faster."""

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        return super().select(None if timeout is None else timeout / SPEED)


class _FastLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock runs fast: every wait in it ends sooner."""

    def __init__(self) -> None:
        super().__init__(_FastSelector())

    def time(self) -> float:
        return time.monotonic() * SPEED


def test_a_store_that_is_down_for_an_hour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another program holds the database. An account is read every ten minutes, a folder is watched; `status` tells what
    waits and why, and when the database is free, everything is stored once.
    """
    with ScriptedAccount() as account:
        anyio.run(_outage, tmp_path, account, monkeypatch, backend_options={"loop_factory": _FastLoop})


async def _outage(folder: Path, account: ScriptedAccount, monkeypatch: pytest.MonkeyPatch) -> None:
    exports = folder / "exports"
    exports.mkdir()
    settings = Settings.model_validate(
        {
            "data_dir": folder / "data",
            "embedding": {"enabled": False},
            "facts": {"extractor": "off"},
            "sources": [
                {"name": "account", "kind": "scripted", "schedule": "every 10m"},
                {"name": "exports", "path": str(exports), "schedule": "every 15m"},
            ],
        }
    )
    began = time.monotonic()

    def clock() -> datetime:
        return BEGIN + timedelta(seconds=(time.monotonic() - began) * SPEED)

    move_timetable(monkeypatch, clock)
    connectors: dict[str, ConnectorFactory] = {"scripted": lambda _settings: account.connector()}
    async with open_app(settings, serve=False, scheduled=True, connectors=connectors, clock=clock) as service:
        account.say("before")
        await _until(service, ["before"])
        said, chats = ["before"], [Chat(f"Kim{number}", 20, number) for number in range(3)]
        with closing(sqlite3.connect(settings.data_dir / STORE / "memory.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            for number in range(12):  # twelve times five minutes
                said.append(f"text {number}")
                account.say(said[-1])
                if number % 4 == 0:
                    chats[number // 4].export(exports)
                await anyio.sleep(300)
            waiting = 3 * 20 + len(said) - 1
            with anyio.fail_after(120 * SPEED):  # on a busy machine the last chat is read a little later
                while (await service.status())["queue"]["depth"] < waiting - 3:
                    await anyio.sleep(0.2 * SPEED)
            status = await service.status()
            assert status["queue"]["depth"] <= waiting  # the last two may not have been asked for
            assert status["failures"]["storing"] == "the store is in use"
            assert "storing" in service.health()["degraded"]
            assert (await service.status_line()).startswith("nothing can be stored")
            assert status["dead_letters"] == 0
            assert sorted(await texts(service)) == ["before"]
            other.execute("ROLLBACK")
        wanted = sorted([*said, *(text for chat in chats for text in chat.texts())])
        await _until(service, wanted)
        status = await service.status()
        assert (status["queue"]["depth"], status["dead_letters"], status["failures"]) == (0, 0, {})
        assert service.health()["status"] == "ok"


async def _until(service: Service, wanted: list[str]) -> None:
    """Return when exactly these texts are stored; the limit is in real time."""
    with anyio.fail_after(120 * SPEED):
        while sorted(await texts(service)) != wanted:
            await anyio.sleep(0.2 * SPEED)
