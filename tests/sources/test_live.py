"""The contract of live connectors, on a scripted account over a real socket; and what is odd in single records."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from memd.tests.contracts.live_connector import LiveConnectorContract, daemon, synced, texts
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
