"""Exports of Teams and Skype, built by hand."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import UTC
from typing import Any

from memd.connectors.connector import ReadOptions, Record
from memd.connectors.formats.teams.connector import TeamsConnector
from memd.schemas import ConversationDocument, ConversationMessage, Notice, Rejected
from memd.tests.contracts.connector import Shelf

OPTIONS = ReadOptions(zone=UTC, zone_origin="option")
ANN, BO = "8:live:ann", "8:bo"
ANN_ID, BO_ID = "aaaaaaaa-0000-4000-8000-000000000001", "bbbbbbbb-0000-4000-8000-000000000002"
PAIR = f"19:{ANN_ID}_{BO_ID}@unq.gbl.spaces"
TEAM, CHANNEL = "cccccccc-0000-4000-8000-000000000003", "19:abc@thread.tacv2"


def skype(number: int, sender: str, content: str, kind: str = "RichText", **properties: Any) -> dict[str, Any]:
    """A message of a minute."""
    return {
        "id": str(1_705_320_000_000 + number * 60_000),
        "displayName": "Bo Baker" if sender == BO else None,
        "originalarrivaltime": f"2024-01-15T12:{number:02d}:00.123Z",
        "messagetype": kind,
        "version": 1,
        "content": content,
        "conversationid": BO,
        "from": sender,
        "properties": properties or None,
        "amsreferences": None,
    }


def history(*messages: dict[str, Any], own: str = BO, title: str | None = "Bo Baker", **more: Any) -> dict[str, Any]:
    """The file of a personal account; the newest message stands first."""
    chat: dict[str, Any] = {
        "id": own,
        "displayName": title,
        "version": 1,
        "properties": {},
        "threadProperties": None,
        **more,
    }
    return {
        "userId": ANN,
        "exportDate": "2024-02-01T00:00",
        "conversations": [{**chat, "MessageList": list(reversed(messages))}],
    }


def graph(number: int, sender: tuple[str, str] | None, content: str, **more: Any) -> dict[str, Any]:
    """A message as Graph has it."""
    person = {"Id": sender[0], "DisplayName": sender[1], "UserIdentityType": "aadUser"} if sender else None
    return {
        "Id": str(1_705_320_000_000 + number * 60_000),
        "Body": {"ContentType": "html", "Content": content},
        "CreatedDateTime": f"2024-01-15T12:{number:02d}:00.5+00:00",
        "LastEditedDateTime": None,
        "DeletedDateTime": None,
        "Subject": None,
        "Importance": "normal",
        "ReplyToId": None,
        "From": {"Application": None, "Device": None, "User": person} if sender else None,
        "Attachments": [],
        "Mentions": [],
        "Reactions": [],
        "MessageType": "message",
        "ChannelIdentity": None,
        "ChatId": PAIR,
        "EventDetail": None,
        **more,
    }


ANNA, BOB = (ANN_ID, "Ann Archer"), (BO_ID, "Bo Baker")
USERS = [
    {"Id": ANN_ID, "DisplayName": "Ann Archer", "UserPrincipalName": "ann@example.org", "Mail": "ann@example.org"},
    {"Id": BO_ID, "DisplayName": "Bo Baker", "UserPrincipalName": "bo@example.org", "Mail": None},
]


def written(value: Any) -> bytes:
    """As JSON."""
    return json.dumps(value, indent=2, ensure_ascii=False).encode("utf-8", "surrogatepass")


def read(files: Mapping[str, Any], options: ReadOptions = OPTIONS) -> list[Record]:
    """Everything that these files hold."""
    raw = {name: data if isinstance(data, bytes) else written(data) for name, data in files.items()}
    return list(TeamsConnector().read(Shelf("x", raw), options))


def documents(records: Iterable[Record]) -> list[ConversationDocument]:
    """The days among the records."""
    return [record for record in records if isinstance(record, ConversationDocument)]


def messages(records: Iterable[Record]) -> list[ConversationMessage]:
    """The messages of all days."""
    return [each for day in documents(records) for each in day.messages]


def codes(records: Iterable[Record]) -> list[str]:
    """The codes of the notices."""
    return [record.code for record in records if isinstance(record, Notice)]


def rejected(records: Iterable[Record]) -> list[tuple[str, str]]:
    """Places and reasons."""
    return [(record.locator, record.reason) for record in records if isinstance(record, Rejected)]
