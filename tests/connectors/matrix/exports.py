"""Exports of rooms of Matrix, built by hand."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import UTC
from typing import Any

from memd.connectors.connector import ReadOptions, Record
from memd.connectors.formats.matrix.connector import MatrixConnector
from memd.schemas import ConversationDocument, ConversationMessage, Notice, Rejected
from memd.tests.contracts.connector import Shelf

OPTIONS = ReadOptions(zone=UTC, zone_origin="option")
ANN, BO, BOT = "@ann:example.org", "@bo:example.org", "@helper:example.org"
ROOM = "!harbour:example.org"
START = 1_705_320_000_000
"""2024-01-15, 12:00 UTC."""


def event(number: int, sender: str, kind: str, content: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """An event of a minute."""
    return {
        "type": kind,
        "sender": sender,
        "content": dict(content),
        "origin_server_ts": START + number * 60_000,
        "unsigned": {"age": 1},
        "event_id": f"$e{number}",
        "room_id": ROOM,
        **more,
    }


def said(number: int, sender: str, body: str, **content: Any) -> dict[str, Any]:
    """A message."""
    return event(number, sender, "m.room.message", {"msgtype": "m.text", "body": body, **content})


def joined(number: int, sender: str, name: str) -> dict[str, Any]:
    """A join, which tells the display name."""
    content = {"membership": "join", "displayname": name}
    return event(number, sender, "m.room.member", content, state_key=sender)


def export(*events: dict[str, Any], by: str = "Ann", **more: Any) -> dict[str, Any]:
    """Element's file."""
    return {
        "room_name": "Harbour",
        "room_creator": "Ann",
        "topic": "boats",
        "export_date": "1/16/2024",
        "exported_by": by,
        "messages": list(events),
        **more,
    }


def written(value: Any) -> bytes:
    """As Element writes it."""
    return json.dumps(value, indent=2, ensure_ascii=False).encode("utf-8", "surrogatepass")


def read(value: Any, options: ReadOptions = OPTIONS, files: Mapping[str, bytes] | None = None) -> list[Record]:
    """Everything that an export holds."""
    raw = value if isinstance(value, bytes) else written(value)
    return list(MatrixConnector().read(Shelf("x", {"export.json": raw, **(files or {})}), options))


def documents(records: Iterable[Record]) -> list[ConversationDocument]:
    """The days among the records."""
    return [record for record in records if isinstance(record, ConversationDocument)]


def messages(*events: dict[str, Any]) -> list[ConversationMessage]:
    """The messages of an export in which both have names."""
    found = documents(read(export(joined(0, ANN, "Ann"), joined(1, BO, "Bo"), *events)))
    return [each for day in found for each in day.messages][2:]


def codes(records: Iterable[Record]) -> list[str]:
    """The codes of the notices."""
    return [record.code for record in records if isinstance(record, Notice)]


def rejected(records: Iterable[Record]) -> list[tuple[str, str]]:
    """Places and reasons."""
    return [(record.locator, record.reason) for record in records if isinstance(record, Rejected)]
