"""What every live connector must hold, through the daemon that reads it: nothing lost, nothing doubled, the truth told."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar, Protocol

import anyio
import pytest

from memd.connectors.errors import UnavailableError
from memd.connectors.live.contract import Batch, LiveConnector
from memd.daemon.app import open_app
from memd.daemon.config.settings import Settings
from memd.daemon.journal.journal import Journal
from memd.daemon.pipeline import pipeline
from memd.daemon.service.requests import ListingRequest, SyncRequest
from memd.daemon.service.service import Service
from memd.daemon.sources import runner
from memd.memory.memory import EvolvingMemory
from memd.schemas.errors import StoreError
from memd.schemas.times import rfc3339
from memd.tests.daemon.house import wire


class Account(Protocol):
    """An account that a test controls; its server does to the next requests what it is told."""

    faults: Any
    overlap: int
    token: str

    def say(self, text: str, speaker: str = "Bob") -> str:
        """A new message; returns its id."""
        ...

    def edit(self, message: str, text: str) -> None:
        """Change a message."""
        ...

    def delete(self, message: str) -> None:
        """Delete a message."""
        ...

    def connector(self) -> LiveConnector:
        """What reads it, with the token that is valid now."""
        ...


class LiveConnectorContract:
    """The suite; give it ``account``, whose connector gives at most three messages a batch."""

    pytestmark: ClassVar = [pytest.mark.anyio, pytest.mark.slow]

    @pytest.fixture
    def account(self) -> Account:
        """An empty account."""
        raise AssertionError("a connector's tests give this fixture")

    @pytest.fixture(autouse=True)
    def _short_pauses(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(runner, "UNREACHABLE_PAUSES", (0.01, 0.02, 0.05))
        monkeypatch.setattr(runner, "RATE_LIMIT_SECONDS", 0.05)
        monkeypatch.setattr(runner, "RATE_LIMIT_LEAST", 0.01)
        monkeypatch.setattr(runner, "RATE_LIMIT_BUDGET", 1.5)

    async def test_everything_comes_once(self, tmp_path: Path, account: Account) -> None:
        """In batches, and later what is new; a run without anything new reads nothing."""
        for number in range(8):
            account.say(f"text {number}")
        async with daemon(tmp_path, account) as service:
            assert (await synced(service))["added"] == 8
            assert (await synced(service))["processed"] == 0
            account.say("text 8")
            assert (await synced(service))["added"] == 1
            assert await texts(service) == [f"text {number}" for number in range(9)]
        async with daemon(tmp_path, account) as service:
            assert (await synced(service))["processed"] == 0

    async def test_duplicates_are_known(self, tmp_path: Path, account: Account) -> None:
        """What is given twice, in one page or in two, is one message."""
        for number in range(7):
            account.say(f"text {number}")
        account.overlap = 2
        async with daemon(tmp_path, account) as service:
            assert (await synced(service))["added"] == 7
            assert await texts(service) == [f"text {number}" for number in range(7)]

    async def test_edits_and_deletions_come_late(self, tmp_path: Path, account: Account) -> None:
        """In a later batch, or a later run; the old texts stay as edits."""
        for number in range(4):
            account.say(f"text {number}")
        account.edit("m0", "text 0, better")
        async with daemon(tmp_path, account) as service:
            await synced(service)
            account.edit("m1", "text 1, better")
            account.delete("m2")
            await synced(service)
            assert await texts(service) == ["text 0, better", "text 1, better", "[deleted]", "text 3"]
            document = await service.document("scripted:one:2024-01-15")
            messages = document["conversation"]["conversation"]
            assert [edit["content"] for edit in messages[1]["edits"]] == ["text 1"]
            assert messages[2]["deleted"] is True

    async def test_a_cursor_never_runs_ahead_of_the_journal(
        self, tmp_path: Path, account: Account, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A transaction of the journal fails, each in turn: what it held is read again, and comes once."""
        for number in range(9):
            account.say(f"text {number}")
        for failing in range(4):
            add, calls = Journal.add, 0

            async def fails(self: Journal, *args: Any, **more: Any) -> None:
                nonlocal calls
                calls += 1
                if calls == failing + 1:  # noqa: B023 - called in this round alone
                    raise StoreError("no room")
                await add(self, *args, **more)  # noqa: B023

            folder = tmp_path / str(failing)
            with monkeypatch.context() as patched:
                patched.setattr(Journal, "add", fails)
                async with daemon(folder, account) as service:
                    first = await synced(service)
            async with daemon(folder, account) as service:
                second = await synced(service)
                assert first["added"] + second["added"] == 9
                assert (first["outcome"] == "ok") == (failing == 3)
                assert await texts(service) == [f"text {number}" for number in range(9)]

    async def test_a_run_that_is_cut_off_anywhere_is_made_up(self, tmp_path: Path, account: Account) -> None:
        """The daemon ends in the middle of reading, after each batch: the next one reads the rest."""
        for number in range(9):
            account.say(f"text {number}")
        for rounds in range(4):
            folder = tmp_path / str(rounds)
            reached = anyio.Event()
            async with daemon(folder, account, _stopping(account, rounds, reached)) as service:
                service.sources.jobs.queue.request("source:account", "sync")
                with anyio.fail_after(60):
                    await reached.wait()
            async with daemon(folder, account) as service:
                await synced(service)
                assert await texts(service) == [f"text {number}" for number in range(9)]

    async def test_limits_are_waited_for(self, tmp_path: Path, account: Account) -> None:
        """As long as the server says, in the middle of a run too; a storm of them ends the run, and loses nothing."""
        for number in range(8):
            account.say(f"text {number}")
        account.faults.extend([("limit", 0.4), ("", 0), ("limit", 0.4), ("limit", 0.4)])
        async with daemon(tmp_path, account) as service:
            began = time.monotonic()
            assert (await synced(service))["added"] == 8
            assert time.monotonic() - began >= 1.2
            account.say("text 8")
            account.faults.extend([("limit", 0.4)] * 30)
            storm = await synced(service)
            assert (storm["outcome"], "too many requests" in storm["detail"]) == ("failed", True)
            assert wire(await service.sources.show("account"))["flags"] == ["failing"]
            account.faults.clear()
            assert (await synced(service))["added"] == 1
            assert wire(await service.sources.show("account"))["flags"] == []

    async def test_a_longer_wait_is_left_to_a_later_run(self, tmp_path: Path, account: Account) -> None:
        """The run ends, and the next one comes when the source wants it, not sooner."""
        account.say("text 0")
        account.faults.append(("limit", 3600.0))
        async with daemon(tmp_path, account) as service:
            assert (await synced(service))["outcome"] == "failed"
            queue = service.sources.jobs.queue
            waits = queue.waiting_for("source:account")
            assert waits is not None
            assert waits.until - anyio.current_time() > 3500
            waiting = wire(await service.sources.show("account"))["waiting"]
            assert (waiting["why"], waiting["until"] > rfc3339(datetime.now(UTC))) == ("too many requests", True)
            for trigger in ("schedule", "watch", "resume"):
                early = queue.request("source:account", trigger, datetime.now(UTC))
                with anyio.fail_after(60):
                    await early.done.wait()
                assert (early.outcome.run, early.error) == ("", "waits as its server told")
        async with daemon(tmp_path, account) as service:  # nothing runs by itself, and what was told is told still
            still = wire(await service.sources.show("account"))["waiting"]
            assert still["why"] == waiting["why"]
            # It is told from two clocks, which are read one after the other.
            apart = datetime.fromisoformat(still["until"]) - datetime.fromisoformat(waiting["until"])
            assert abs(apart) < timedelta(minutes=5)
        async with daemon(tmp_path, account, scheduled=True, schedule="1m") as service:
            queue = service.sources.jobs.queue
            assert queue.is_held("source:account")
            shown = wire(await service.sources.show("account"))
            assert (shown["waiting"]["why"], shown["next"]) == ("too many requests", shown["waiting"]["until"])
            assert (await synced(service))["added"] == 1  # a person may ask
            assert not queue.is_held("source:account")
            assert wire(await service.sources.show("account"))["waiting"] is None

    async def test_runs_without_anything_new_leave_no_line(self, tmp_path: Path, account: Account) -> None:
        """Of an account that is asked every few minutes; when it was asked last is told all the same."""
        account.say("text 0")
        async with daemon(tmp_path, account) as service:
            await by_itself(service)
            first = await service.sources.show("account")
            for _ in range(3):
                await by_itself(service)
            shown = await service.sources.show("account")
            assert [run["added"] for run in shown["runs"]] == [1]
            assert shown["asked"]
            assert first["asked"]
            assert shown["asked"] >= first["asked"]
            assert shown["lag_s"] is not None
            assert first["last"] is not None
            assert shown["lag_s"] < time.time() - datetime.fromisoformat(first["last"]["started"]).timestamp()
            account.say("text 1")
            await by_itself(service)
            assert len(wire(await service.sources.show("account"))["runs"]) == 2

    async def test_a_run_that_waits_is_not_taken_for_abandoned(
        self, tmp_path: Path, account: Account, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """However long it waits."""
        monkeypatch.setattr(pipeline, "ABANDONED_SECONDS", 0.0)
        monkeypatch.setattr(pipeline, "ABANDONED_CHECK_SECONDS", 0.01)
        for number in range(8):
            account.say(f"text {number}")
        account.faults.extend([("", 0), ("limit", 0.5)])
        async with daemon(tmp_path, account) as service, anyio.create_task_group() as tasks:
            results: list[dict[str, Any]] = []

            async def sync() -> None:
                results.append(await synced(service))

            tasks.start_soon(sync)
            with anyio.fail_after(60):
                while not results:
                    await anyio.sleep(0.05)
            assert (results[0]["outcome"], results[0]["added"]) == ("ok", 8)

    async def test_everything_again_stays_so_after_a_limit(self, tmp_path: Path, account: Account) -> None:
        """`memd sync --again` begins before the saved cursor, also where the source asks to wait first."""
        for number in range(8):
            account.say(f"text {number}")
        async with daemon(tmp_path, account) as service:
            await synced(service)
            account.faults.append(("limit", 0.05))
            assert (await synced(service, again=True))["unchanged"] == 8

    async def test_a_source_that_gets_nowhere_ends(
        self, tmp_path: Path, account: Account, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Batches without a cursor are no progress: after some cuts in a row the run ends."""
        monkeypatch.setattr(runner, "UNREACHABLE_PAUSES", (0.0, 0.0, 0.0))
        account.say("text 0")
        pulls = 0

        class Nowhere:
            name = "scripted"

            async def pull(self, cursor: str | None) -> AsyncGenerator[Batch, None]:  # noqa: ARG002
                nonlocal pulls
                pulls += 1
                yield Batch(())
                raise UnavailableError("cut")

        async with daemon(tmp_path, account, Nowhere) as service:
            assert (await synced(service))["outcome"] == "failed"
        assert pulls == 4

    async def test_a_cursor_is_that_of_one_account(self, tmp_path: Path, account: Account) -> None:
        """With other settings the source is read from its begin."""
        for number in range(4):
            account.say(f"text {number}")
        async with daemon(tmp_path, account) as service:
            assert (await synced(service))["processed"] == 4
        async with daemon(tmp_path, account, options={"account": "other"}) as service:
            assert (await synced(service))["processed"] == 4
            assert (await synced(service))["processed"] == 0

    async def test_a_revoked_token_is_told(self, tmp_path: Path, account: Account) -> None:
        """At once, without asking again and again: the source stops. With a new token it goes on where it was, and by itself."""
        for number in range(4):
            account.say(f"text {number}")
        async with daemon(tmp_path, account) as service:
            await synced(service)
        account.say("text 4")
        old = account.connector()
        account.token = "another"
        async with daemon(tmp_path, account, lambda: old) as service:
            refused = await synced(service)
            assert refused["outcome"] == "failed"
            assert "access was refused" in refused["detail"]
            shown = await service.sources.show("account")
            assert (shown["flags"], "`memd sources login account`" in shown["trouble"]) == (["stopped"], True)
            assert service.sources.jobs.queue.waiting_for("source:account") is None
        async with daemon(tmp_path, account) as service:
            assert wire(await service.sources.show("account"))["flags"] == ["stopped"]
            assert (await synced(service, sources=("account",)))["added"] == 1
            shown = await service.sources.show("account")
            assert (shown["flags"], shown["paused"]) == ([], False)

    @pytest.mark.parametrize("trigger", ["retry", "watch"])
    async def test_a_source_that_works_again_is_well_again(
        self, tmp_path: Path, account: Account, trigger: str
    ) -> None:
        """Also where nothing new came; another run without anything leaves no line in the history."""
        account.say("text 0")
        async with daemon(tmp_path, account) as service:
            await synced(service)
            account.faults.extend([("cut", 0)] * 4)
            await synced(service)
            assert wire(await service.sources.show("account"))["flags"] == ["failing"]
            account.faults.clear()
            service.sources.jobs.queue.forget("source:account")  # the time at which it would be tried again
            for _ in range(2):
                asked = service.sources.jobs.queue.request("source:account", trigger)
                with anyio.fail_after(60):
                    await asked.done.wait()
                    while service.pipeline.runs.get(asked.outcome.run) is not None:
                        await anyio.sleep(0.01)
                shown = await service.sources.show("account")
                assert shown["flags"] == []
                assert [run["outcome"] for run in shown["runs"]] == ["ok", "failed", "ok"]

    @pytest.mark.parametrize("fault", ["cut", "garbage", "error", "hang"])
    async def test_a_network_that_fails(self, tmp_path: Path, account: Account, fault: str) -> None:
        """Once, in the middle: the run goes on. For ever: it ends and says so. Then it goes on where it was."""
        for number in range(8):
            account.say(f"text {number}")
        account.faults.extend([("", 0), (fault, 5.0)])
        async with daemon(tmp_path, account) as service:
            assert (await synced(service))["added"] == 8
            account.say("text 8")
            account.faults.extend([(fault, 5.0)] * 10)
            failed = await synced(service)
            assert (failed["outcome"], "server" in failed["detail"]) == ("failed", True)
            account.faults.clear()
            assert (await synced(service))["added"] == 1
            assert await texts(service) == [f"text {number}" for number in range(9)]

    async def test_the_store_fails_while_it_is_read(
        self, tmp_path: Path, account: Account, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """What was read waits in the journal, and is stored once when the store works again."""
        for number in range(8):
            account.say(f"text {number}")
        write, broken = EvolvingMemory.write, True

        async def fails(self: EvolvingMemory, *args: Any, **more: Any) -> Any:
            if broken:
                raise StoreError("the store is away")
            return await write(self, *args, **more)

        monkeypatch.setattr(EvolvingMemory, "write", fails)
        async with daemon(tmp_path, account) as service:
            asked = service.sources.jobs.queue.request("source:account", "sync")
            with anyio.fail_after(60):
                await asked.done.wait()
            assert (await service.pipeline.journal.depth()).messages == 8
            broken = False
            with anyio.fail_after(60):
                await service.pipeline.drain()
            assert await texts(service) == [f"text {number}" for number in range(8)]


@asynccontextmanager
async def daemon(
    folder: Path,
    account: Account,
    connector: Callable[[], LiveConnector] | None = None,
    options: Mapping[str, str] | None = None,
    *,
    scheduled: bool = False,
    schedule: str = "0 3 * * *",
) -> AsyncGenerator[Service]:
    """A memory whose one source is the account."""
    plain = {
        "data_dir": folder / "data",
        "embedding": {"enabled": False},
        "facts": {"extractor": "off"},
        "sources": [{"name": "account", "kind": "scripted", "schedule": schedule, "options": dict(options or {})}],
    }
    make = connector or account.connector
    settings = Settings.model_validate(plain)
    async with open_app(
        settings, serve=False, connectors={"scripted": lambda _settings: make()}, scheduled=scheduled
    ) as service:
        yield service


async def by_itself(service: Service) -> None:
    """Let the source become due, and its run end."""
    asked = service.sources.jobs.queue.request("source:account", "schedule", datetime.now(UTC))
    with anyio.fail_after(60):
        await asked.done.wait()
        while service.pipeline.runs.get(asked.outcome.run) is not None:
            await anyio.sleep(0.01)


async def synced(service: Service, **more: Any) -> dict[str, Any]:
    """Read the account now; what came of it."""
    with anyio.fail_after(120):
        told = await service.sources.sync(SyncRequest(wait=True, **more), lambda _progress: None)
    return {"processed": 0, "added": 0, "unchanged": 0, "detail": ""} | told["sources"][0]


async def texts(service: Service) -> list[str]:
    """Every message that is stored, in its order."""
    listed = (await service.listing(ListingRequest(limit=100)))["documents"]
    found: list[str] = []
    for line in reversed(listed):
        document = await service.document(line["id"])
        found += [each["content"] for each in document["conversation"]["conversation"]]
    return found


def _stopping(account: Account, batches: int, reached: anyio.Event) -> Callable[[], LiveConnector]:
    """A connector that stands still after so many batches."""

    class Stopping:
        name = "scripted"

        async def pull(self, cursor: str | None) -> AsyncGenerator[Any, None]:
            left = batches
            async for batch in account.connector().pull(cursor):
                if not left:
                    break
                left -= 1
                yield batch
            reached.set()
            await anyio.sleep_forever()

    return Stopping
