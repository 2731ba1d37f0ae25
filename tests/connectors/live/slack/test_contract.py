"""The contract of live connectors, on a workspace of Slack over real sockets."""

from __future__ import annotations

from collections.abc import Generator
from datetime import UTC
from pathlib import Path

import anyio
import pytest

from memd.connectors.connector import ReadOptions
from memd.connectors.live.slack.connector import SlackAccount
from memd.connectors.live.slack.web_api import SlackServer
from memd.tests.connectors.live.slack.workspace import TOKEN, Workspace
from memd.tests.connectors.slack.exports import DAY, START
from memd.tests.contracts.live_connector import LiveConnectorContract, daemon, synced, texts

OPTIONS = ReadOptions(zone=UTC, zone_origin="option")


class Account(Workspace):
    """A workspace that is read three messages at a time, by a clock of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.now = float(START + DAY)
        self.clock = lambda: self.now

    def connector(self) -> SlackAccount:
        """What reads it."""
        server = SlackServer(self.url, silence_s=2.0)
        return SlackAccount(server, self._token_of(""), OPTIONS, page=3, now=lambda: self.now)


class TestSlackAccount(LiveConnectorContract):
    """A workspace over real sockets."""

    @pytest.fixture
    def account(self) -> Generator[Account]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """An empty workspace."""
        with Account() as found:
            yield found

    async def test_edits_and_deletions_come_late(self, tmp_path: Path, account: Account) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """An edit is found when the conversation is read once more, a day later; the old text stays. What is gone stays."""
        for number in range(4):
            account.say(f"text {number}")
        account.edit("m0", "text 0, better")
        async with daemon(tmp_path, account) as service:
            await synced(service)
            account.edit("m1", "text 1, better")
            account.delete("m2")
            account.now += DAY
            await synced(service)
            assert await texts(service) == ["text 0, better", "text 1, better", "text 2", "text 3"]
            document = await service.document("slack:T0ACME:C0GEN:2024-01-15")
            messages = document["conversation"]["conversation"]
            assert [edit["content"] for edit in messages[1]["edits"]] == ["text 1"]

    async def test_a_throttled_app_has_not_failed(self, tmp_path: Path, account: Account) -> None:
        """Its runs end when they have waited long enough, are told with what is missing, and the next comes when it may."""
        for number in range(40):
            account.say(f"text {number}")
        account.throttled = True
        server = SlackServer(account.url, silence_s=2.0)
        async with daemon(
            tmp_path, account, lambda: SlackAccount(server, TOKEN, OPTIONS, now=lambda: account.now)
        ) as service:
            first = await synced(service)
            assert (first["added"], "15 messages a minute" in first["detail"]) == (15, True)
            shown = await service.sources.show("account")
            assert shown["waiting"] is not None
            assert (shown["flags"], shown["waiting"]["why"]) == (
                ["incomplete"],
                "Slack lets this app read 15 messages a minute",
            )
            waits = service.sources.jobs.queue.waiting_for("source:account")
            assert waits is not None
            assert 0 < waits.until - anyio.current_time() < 70
            account.now += 60
            assert (await synced(service))["added"] == 15
            account.now += 60
            assert (await synced(service))["added"] == 10
            assert (await service.sources.show("account"))["flags"] == []
