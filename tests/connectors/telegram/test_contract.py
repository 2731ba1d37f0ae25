"""Telegram's connector keeps what every connector must, and recognises nothing else."""

from __future__ import annotations

import json

import pytest

from memd.connectors.connector import Connector
from memd.connectors.formats.telegram.connector import TelegramConnector
from memd.tests.cases import for_each
from memd.tests.connectors.telegram.exports import account, chat, done, said, written
from memd.tests.contracts.connector import ConnectorContract, Download, Samples, Shelf


class TestContract(ConnectorContract):
    """The suite."""

    readers = (
        "telegram.message:MessageReader.read",
        "telegram.html_message:record_of",
    )
    download = Download(
        "trombone lessons on Tuesday",
        {
            "ChatExport_2024-01-15/result.json": written(
                chat([said(1, "Trombone lessons on Tuesday"), said(2, "See you there", who="Bob", peer="user2")])
            )
        },
    )

    @pytest.fixture
    def connector(self) -> Connector:
        """Telegram's."""
        return TelegramConnector()

    @pytest.fixture
    def samples(self) -> Samples:
        """One chat, one account, one chat written anew by another program."""
        bold = ["one ", {"type": "bold", "text": "two"}, " three"]
        small = chat([said(1, "hello"), said(2, bold, who="Bob", peer="user2"), done(3, "phone_call")])
        group = chat([said(7, "x")], name="Group", kind="private_supergroup", number=9)
        sorted_keys = json.dumps(small, sort_keys=True, separators=(",", ":")).encode()
        return {
            "one": {"result.json": written(small)},
            "account": {"result.json": written(account([small, group]))},
            "sorted": {"result.json": sorted_keys},
        }


@for_each(
    [
        {"id": "doc", "conversation": {"messages": []}},
        {"messages": [{"id": "1", "type": "Default", "timestamp": "2024-01-15T12:00:00Z", "content": "x"}]},
        {"messages": [{"user": "U1", "type": "message", "ts": "1705320000.0001", "text": "x"}]},
        [{"id": 1, "type": "message", "text": "x"}],
        {"chats": [1, 2], "messages": []},
        {"title": "t", "messages": [{"sender_name": "A", "timestamp_ms": 1, "content": "x"}]},
    ]
)
def test_other_formats_are_not_recognised(other: object) -> None:
    """JSON of others that has chats, messages, types and ids, too."""
    assert TelegramConnector().sniff(Shelf("x", {"result.json": written(other)})) < 0.5
