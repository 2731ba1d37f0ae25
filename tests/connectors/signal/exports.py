"""Exports of Signal in the shapes that the app and signal-export write, made for tests."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from memd.connectors.connector import ReadOptions, Record
from memd.connectors.formats.signal.connector import SignalConnector
from memd.schemas import ConversationDocument, ConversationMessage, Notice, Rejected
from memd.tests.contracts.connector import Shelf

OPTIONS = ReadOptions(zone=UTC, zone_origin="option")
NOON = 1_705_320_000_000  # 2024-01-15T12:00:00Z in milliseconds
BO_ID = "11111111-1111-4111-8111-111111111111"
CLEO_ID = "22222222-2222-4222-8222-222222222222"

Object = dict[str, Any]


def b64(data: bytes) -> str:
    """Bytes as the export writes them."""
    return base64.b64encode(data).decode()


def aci(text: str) -> str:
    """A service id as the export writes it."""
    return b64(bytes.fromhex(text.replace("-", "")))


HEADER: Object = {"version": "1", "backupTimeMs": str(NOON), "currentAppVersion": "Android 8.10.2"}
ACCOUNT: Object = {"account": {"profileKey": "AA==", "givenName": "Ann", "familyName": "Lee"}}
SELF: Object = {"recipient": {"id": "1", "self": {"avatarColor": "A130"}}}
BO: Object = {
    "recipient": {
        "id": "2",
        "contact": {"aci": aci(BO_ID), "e164": "15550001", "profileGivenName": "Bo", "profileFamilyName": "Dahl"},
    }
}
CLEO: Object = {"recipient": {"id": "3", "contact": {"aci": aci(CLEO_ID), "nickname": {"given": "Cleo"}}}}
CREW: Object = {
    "recipient": {"id": "4", "group": {"masterKey": b64(b"k" * 32), "snapshot": {"title": {"title": "Crew"}}}}
}
CREW_KEY = f"group-{sha256(b'k' * 32).hexdigest()[:24]}"
CHATS: list[Object] = [
    {"chat": {"id": "10", "recipientId": "2"}},
    {"chat": {"id": "11", "recipientId": "4"}},
    {"chat": {"id": "12", "recipientId": "1"}},
]
FRAMES: list[Object] = [HEADER, ACCOUNT, SELF, BO, CLEO, CREW, *CHATS]


def item(minute: float, body: str | None = None, *, author: int = 2, chat: int = 10, **more: object) -> Object:
    """A frame with a message, so many minutes after noon."""
    direction: Object = {"outgoing": {"sendStatus": []}} if author == 1 else {"incoming": {"read": True}}
    found: Object = {
        "chatId": str(chat),
        "authorId": str(author),
        "dateSent": str(int(NOON + minute * 60_000)),
        **direction,
    }
    if body is not None:
        found["standardMessage"] = {"text": {"body": body}}
    return {"chatItem": found | more}


def lines(frames: Sequence[Object]) -> bytes:
    """A file of frames."""
    return b"".join(json.dumps(frame, ensure_ascii=False).encode() + b"\n" for frame in frames)


def export(*items: Object) -> bytes:
    """The file of an export with these messages."""
    return lines([*FRAMES, *items])


def record(minute: int, sender: str, body: str, **more: object) -> Object:
    """A line of data.json."""
    found: Object = {"date": f"2024-01-15T12:{minute:02}:00", "sender": sender, "body": f"{body}  ", "quote": ""}
    found |= {"sticker": None, "reactions": [], "attachments": [], "deleted": False, "call": False, "missed": False}
    return found | more


def read(files: Mapping[str, bytes] | bytes, options: ReadOptions = OPTIONS, name: str = "main.jsonl") -> list[Record]:
    """Everything that the connector tells of files, or of one export."""
    return list(SignalConnector().read(Shelf("s", files if isinstance(files, Mapping) else {name: files}), options))


def documents(records: Sequence[Record]) -> list[ConversationDocument]:
    """The days."""
    return [record for record in records if isinstance(record, ConversationDocument)]


def messages(records: Sequence[Record]) -> list[ConversationMessage]:
    """The messages of all days."""
    return [message for document in documents(records) for message in document.messages]


def codes(records: Sequence[Record]) -> list[str]:
    """The notices' codes."""
    return [record.code for record in records if isinstance(record, Notice)]


def rejected(records: Sequence[Record]) -> list[Rejected]:
    """What could not be read."""
    return [record for record in records if isinstance(record, Rejected)]


def at(minute: int, second: int = 0) -> datetime:
    """A time after noon on 2024-01-15."""
    return datetime(2024, 1, 15, 12, minute, second, tzinfo=UTC)
