"""Files as Meta's exports have them, built by hand: each byte of UTF-8 is a character."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from memd.connectors.connector import Connector, ReadOptions, Record
from memd.connectors.formats.messenger.connector import InstagramConnector, MessengerConnector
from memd.schemas import ConversationDocument, ConversationMessage, Notice, Rejected
from memd.tests.contracts.connector import Shelf

OPTIONS = ReadOptions(zone=UTC, zone_origin="option")
START = 1705320000000
"""2024-01-15 12:00 UTC, in milliseconds."""
FIRST = datetime(2024, 1, 15, 12, tzinfo=UTC)
ANN, BO, ZOE = "Ann Archer", "Bo Baker", "Zoë Šmíd"
PLACE = "your_activity_across_facebook/messages/inbox/boobaker_10200000001/message_1.json"


def broken(text: str) -> str:
    """As the exports write it."""
    return text.encode().decode("latin-1")


def said(second: int, sender: str, content: str | None = None, **more: Any) -> dict[str, Any]:
    """A message, so many seconds after the start."""
    message: dict[str, Any] = {"sender_name": broken(sender), "timestamp_ms": START + second * 1000}
    if content is not None:
        message["content"] = broken(content)
    return {**message, **more, "is_geoblocked_for_viewer": False}


def chat(*messages: dict[str, Any], people: Iterable[str] = (BO, ANN), title: str = BO, **more: Any) -> dict[str, Any]:
    """One file of a chat; the messages are given oldest first, and written newest first."""
    return {
        "participants": [{"name": broken(name)} for name in people],
        "messages": list(reversed(messages)),
        "title": broken(title),
        "is_still_participant": True,
        "thread_path": "inbox/bobaker_10200000001",
        "magic_words": [],
        **more,
    }


def encrypted(*messages: dict[str, Any], name: str = f"{BO}_3", people: Iterable[str] = (ANN, BO)) -> dict[str, Any]:
    """One file of Messenger's encrypted chats."""
    return {"participants": list(people), "threadName": name, "messages": list(messages)}


def old(second: int, sender: str, **more: Any) -> dict[str, Any]:
    """A message as Instagram wrote it until 2020, so many seconds after the start."""
    return {"sender": sender, "created_at": (FIRST + timedelta(seconds=second)).isoformat(), **more}


def written(value: Any) -> bytes:
    """As Meta writes it: two blanks a level, and ASCII."""
    return json.dumps(value, indent=2).encode()


def read(files: Mapping[str, Any], options: ReadOptions = OPTIONS, connector: Connector | None = None) -> list[Record]:
    """Everything that these files hold."""
    raw = {name: data if isinstance(data, bytes) else written(data) for name, data in files.items()}
    return list((connector or MessengerConnector()).read(Shelf("export", raw), options))


def instagram() -> InstagramConnector:
    """The other app's."""
    return InstagramConnector()


def documents(records: Iterable[Record]) -> list[ConversationDocument]:
    """The days among the records."""
    return [record for record in records if isinstance(record, ConversationDocument)]


def messages(*given: dict[str, Any], beside: Iterable[str] = (), **more: Any) -> list[ConversationMessage]:
    """The messages of one chat, in an export with files of these paths."""
    files = {PLACE: chat(*given, **more), **dict.fromkeys(beside, b"x")}
    return [m for d in documents(read(files)) for m in d.messages]


def message(raw: dict[str, Any], beside: Iterable[str] = ()) -> ConversationMessage:
    """The only message of a chat, in an export with files of these paths."""
    (found,) = messages(raw, beside=beside)
    return found


def codes(records: Iterable[Record]) -> list[str]:
    """The codes of the notices."""
    return [record.code for record in records if isinstance(record, Notice)]


def rejected(records: Iterable[Record]) -> list[tuple[str, str]]:
    """Places and reasons."""
    return [(record.locator, record.reason) for record in records if isinstance(record, Rejected)]
