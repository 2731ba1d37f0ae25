"""Google Chat's connector keeps what every connector must, and recognises nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from memd.connectors.connector import Connector
from memd.connectors.formats.google_chat.connector import GoogleChatConnector
from memd.tests.cases import for_each
from memd.tests.connectors.google_chat.exports import ANN, BO, event, hangouts, said, space, written
from memd.tests.contracts.connector import ConnectorContract, Download, Samples, Shelf


class TestContract(ConnectorContract):
    """The suite."""

    readers = (
        "google_chat.message:MessageReader.read",
        "google_chat.hangouts_event:EventReader.read",
    )
    download = Download(
        "the greenhouse roof is cracked",
        {name: written(value) for name, value in space(said(1, BO, "The greenhouse roof is cracked")).items()},
        "takeout-20240201.zip",
    )

    @pytest.fixture
    def connector(self) -> Connector:
        """Google Chat's."""
        return GoogleChatConnector()

    @pytest.fixture
    def samples(self) -> Samples:
        """A space with its files, messages alone, Hangouts."""
        files = space(said(1, ANN, "hello"), said(2, BO, "yes", topic="m1"))
        return {
            "space": {name: written(value) for name, value in files.items()},
            "alone": {"messages.json": written({"messages": [said(1, ANN, "hello")]})},
            "hangouts": {"Hangouts.json": written(hangouts(event(1, "11", "hi"), event(2, "22", "ho")))},
        }


OTHERS: list[Any] = [
    {"messages": [{"sender_name": "A", "timestamp_ms": 1, "content": "x"}], "participants": []},
    {"messages": [{"id": "1", "timestamp": "2024-01-15T12:00:00Z", "content": "x", "author": {"id": "1"}}]},
    {"conversations": [{"id": "1", "title": "x", "mapping": {}}]},
    {"name": "x", "members": ["a", "b"]},
    {"user": {"name": "x"}, "messages": []},
    {"id": "doc", "conversation": {"messages": []}},
]


@for_each(OTHERS)
def test_other_formats_are_not_recognised(other: object) -> None:
    """JSON of others that has messages and members, too."""
    assert GoogleChatConnector().sniff(Shelf("x", {"messages.json": written(other)})) < 0.5
