"""The contract of live connectors, on a scripted account over a real socket; and what is odd in single records."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator, Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest

from memd.connectors.live.contract import Batch
from memd.daemon.journal.journal import Journal
from memd.daemon.scheduler import job_queue
from memd.daemon.sources import runner
from memd.schemas import Document
from memd.schemas.errors import StoreError
from memd.tests.contracts.live_connector import LiveConnectorContract, daemon, synced, texts
from memd.tests.daemon.house import note
from memd.tests.sources.scripted_account import ScriptedAccount

pytestmark = [pytest.mark.anyio, pytest.mark.slow]


@pytest.fixture
def account() -> Generator[ScriptedAccount]:
    """An empty account on a server of its own."""
    with ScriptedAccount() as found:
        yield found


class TestScriptedAccount(LiveConnectorContract):
    """A connector over a real socket."""

    @pytest.fixture
    def account(self) -> Generator[ScriptedAccount]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """An empty account on a server of its own."""
        with ScriptedAccount() as found:
            yield found


async def test_a_server_that_is_away_is_asked_at_longer_and_longer_intervals(
    tmp_path: Path, account: ScriptedAccount, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From a second on, each a bit longer by chance, inside the run; behind it a minute and more, up to a quarter of an hour and
    its tenth. The cursor stays.
    """
    waited: list[float] = []

    async def passes(_: object, seconds: float, why: str) -> None:
        assert "server" in why
        waited.append(seconds)

    monkeypatch.setattr(runner, "_wait", passes)
    account.say("one")
    async with daemon(tmp_path, account) as service:
        assert (await synced(service))["added"] == 1
        cursor = (await service.sources.repository.states())["source:account"].cursor
        account.say("two")
        account.faults.extend([("cut", 0.0)] * 40)
        for number in range(6):
            waited.clear()
            assert (await synced(service))["outcome"] == "failed"
            assert all(least <= one <= 1.5 * least for least, one in zip((1.0, 4.0, 15.0), waited, strict=True))
            told = service.sources.jobs.queue.waiting_for("source:account")
            assert told is not None
            pause = told.until - anyio.current_time()
            assert pause <= min(60 * 15**number, 900) * (1 + job_queue.RETRY_JITTER)
            assert pause > (800 if number > 1 else 50)
            assert (await service.sources.repository.states())["source:account"].cursor == cursor
        account.faults.clear()
        assert (await synced(service))["added"] == 1


async def test_a_record_that_cannot_be_read_is_counted(tmp_path: Path, account: ScriptedAccount) -> None:
    """The others come; the run is partial."""
    account.say("one")
    account.damage()
    account.say("two")
    async with daemon(tmp_path, account) as service:
        result = await synced(service)
        assert (result["outcome"], result["added"], result["rejected"]) == ("partial", 2, 1)
        assert await texts(service) == ["one", "two"]
        told = [(each["code"], each["count"], bool(each["places"])) for each in result["notices"]]
        assert told == [("no-speaker", 1, True), ("not-read", 1, True)]


async def test_the_cursor_moves_with_the_last_document_of_a_batch(
    tmp_path: Path, account: ScriptedAccount, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A large batch is kept in parts; where one of them cannot be kept, all of the batch is read again."""
    add, refused = Journal.add, ["note:b"]

    class Three:
        name = "scripted"

        async def pull(self, cursor: str | None) -> AsyncGenerator[Batch, None]:
            if cursor is None:
                yield Batch(tuple(note(name, f"text {name}") for name in "abc"), cursor="3")

    async def refusing(self: Journal, run: str, documents: Sequence[Document], **rest: Any) -> None:
        if not {each.id for each in documents}.isdisjoint(refused):
            raise StoreError("the disk is full")
        await add(self, run, documents, **rest)

    monkeypatch.setattr(runner, "BATCH_MESSAGES", 1)
    monkeypatch.setattr(Journal, "add", refusing)
    async with daemon(tmp_path, account, Three) as service:
        assert (await synced(service))["added"] == 1
        assert (await service.sources.repository.states())["source:account"].cursor is None
        refused.clear()
        assert (await synced(service))["added"] == 2
        assert (await service.sources.repository.states())["source:account"].cursor is not None
