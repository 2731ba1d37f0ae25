"""The readers of Messenger and Instagram keep what every connector must, and recognise nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memd.connectors.connector import Connector
from memd.connectors.formats.messenger.connector import InstagramConnector, MessengerConnector
from memd.connectors.opening.open_source import open_source
from memd.connectors.reading.registry import default_connectors
from memd.tests.cases import for_each
from memd.tests.connectors.messenger.exports import ANN, BO, START, ZOE, chat, encrypted, old, said, written
from memd.tests.contracts.connector import ConnectorContract, Download, Samples, Shelf

PHOTO = {"uri": "your_instagram_activity/messages/inbox/bo_17900000000000001/photos/1.jpg", "creation_timestamp": 1}


class TestMessenger(ConnectorContract):
    """The suite, for Messenger."""

    readers = ("messenger.message:MessageReader.read",)
    download = Download(
        "the accordion needs tuning",
        {"messages/inbox/bo_1/message_1.json": written(chat(said(1, BO, "The accordion needs tuning")))},
        "facebook-ann.zip",
    )

    @pytest.fixture
    def connector(self) -> Connector:
        """Messenger's."""
        return MessengerConnector()

    @pytest.fixture
    def samples(self) -> Samples:
        """One chat in two files, one whose keys another program sorted, one encrypted, one with the owner's profile."""
        small = chat(said(1, ANN, "hello"), said(2, BO, "wörld"), said(3, BO, None, is_unsent=True))
        older = chat(said(-90000, ANN, "before"))
        own: dict[str, Any] = {
            "senderName": ANN,
            "text": "hi",
            "timestamp": START,
            "type": "text",
            "isUnsent": False,
            "media": [],
        }
        return {
            "two": {"message_1.json": written(small), "message_2.json": written(older)},
            "sorted": {"message_1.json": json.dumps(small, sort_keys=True).encode()},
            "encrypted": {"Bo_3.json": written(encrypted(own))},
            "profile": {
                "a/profile_information.json": written({"profile_v2": {"name": {"full_name": ANN}}}),
                "b/message_1.json": written(chat(said(1, ZOE, "x"), title="Us", people=(ANN, BO, ZOE))),
            },
        }


class TestInstagram(ConnectorContract):
    """The suite, for Instagram."""

    readers = ("messenger.message:MessageReader.read",)
    download = Download(
        "the pottery class is full",
        {
            "your_instagram_activity/messages/inbox/bo_17900000000000001/message_1.json": written(
                chat(said(1, BO, "The pottery class is full"), thread_path="inbox/bo_17900000000000001")
            )
        },
        "instagram-ann.zip",
    )

    @pytest.fixture
    def connector(self) -> Connector:
        """Instagram's."""
        return InstagramConnector()

    @pytest.fixture
    def samples(self) -> Samples:
        """One that its thread shows, one that a picture's address shows."""
        one = chat(said(1, ANN, "hello"), thread_path="inbox/bo_17900000000000001")
        two = chat(said(1, ANN, None, photos=[PHOTO]), thread_path="inbox/bo_x1")
        older = [
            {"participants": ["bo", "ann"], "conversation": [old(2, "ann", text="hello"), old(1, "bo", text="hi")]},
            {"participants": ["ann", "cy"], "conversation": [old(0, "cy", action="cy left the group")]},
        ]
        return {
            "thread": {"message_1.json": written(one)},
            "photo": {"message_1.json": written(two)},
            "older": {"messages.json": written(older)},
        }


@for_each(
    [
        (
            "your_instagram_activity/messages/inbox/bo_1/message_1.json",
            chat(said(1, ANN, "x"), thread_path="inbox/bo_1"),
            "instagram",
        ),
        ("your_facebook_activity/messages/inbox/bo_1/message_1.json", chat(said(1, ANN, "x")), "messenger"),
        ("message_1.json", chat(said(1, ANN, "x"), thread_path="inbox/bo_101500000000000012"), "messenger"),
        ("message_1.json", chat(said(1, ANN, "x"), thread_path="inbox/bo_17900000000000001"), "instagram"),
        ("message_1.json", chat(said(1, ANN, None, photos=[PHOTO]), thread_path="inbox/bo_1"), "instagram"),
        ("messages/Bo_3.json", encrypted({"senderName": ANN, "text": "x", "timestamp": START}), "messenger"),
        ("0.txt", chat(thread_path="inbox/bo_17900000000000001"), "instagram"),
    ]
)
def test_the_app_is_told_by_what_is_inside(name: str, value: object, expected: str) -> None:
    """One of all connectors is surest, by more than the least that tells two apart."""
    shelf = Shelf("x", {name: written(value)})
    scores = sorted(((each.sniff(shelf), each.name) for each in default_connectors()), reverse=True)
    assert scores[0][1] == expected
    assert scores[0][0] - scores[1][0] >= 0.05


@for_each(
    [
        {"id": "doc", "conversation": {"messages": []}},
        {"messages": [{"id": "1", "type": "Default", "timestamp": "2024-01-15T12:00:00Z", "content": "x"}]},
        {"participants": ["a", "b"], "messages": [{"sender": "a", "text": "x", "timestamp": 1}]},
        {"messages": [{"creator": {"name": "A"}, "created_date": "x", "text": "y", "message_id": "a/b/c"}]},
        {"name": "x", "type": "personal_chat", "id": 1, "messages": [{"id": 1, "type": "message", "text": "x"}]},
        {"text": '{"sender_name": "x", "timestamp_ms": 1, "participants": []}'},
    ]
)
def test_other_formats_are_not_recognised(other: object) -> None:
    """JSON of others that has participants and messages, too."""
    shelf = Shelf("x", {"message_1.json": written(other)})
    assert MessengerConnector().sniff(shelf) < 0.5
    assert InstagramConnector().sniff(shelf) < 0.5


def test_the_end_of_a_long_file_tells_the_app(tmp_path: Path) -> None:
    """Nothing before the thread's path does, and the file's name neither."""
    many = [said(second, ANN, "words " * 20) for second in range(1000)]
    for thread, expected in (("inbox/bo_17900000000000001", "instagram"), ("inbox/bo_10200000001", "messenger")):
        path = tmp_path / "x.json"
        path.write_bytes(written(chat(*many, thread_path=thread)))
        scores = {each.name: each.sniff(open_source(path)) for each in default_connectors()}
        assert max(scores, key=lambda name: scores[name]) == expected
        assert scores[expected] == 0.95
