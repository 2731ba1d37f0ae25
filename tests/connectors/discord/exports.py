"""Files of Discord as its exporters write them, built by hand."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import UTC
from typing import Any

from memd.connectors.connector import ReadOptions, Record
from memd.connectors.formats.discord.connector import DiscordConnector
from memd.schemas import ConversationDocument, ConversationMessage, Notice, Rejected
from memd.tests.contracts.connector import Shelf

OPTIONS = ReadOptions(zone=UTC, zone_origin="option")
CHANNEL = "824930000000000001"
ANN: dict[str, Any] = {
    "id": "300000000000000001",
    "name": "ann_99",
    "discriminator": "0000",
    "nickname": "Ann",
    "color": None,
    "isBot": False,
    "roles": [],
    "avatarUrl": "https://cdn.discordapp.com/avatars/1/a.png",
}
BO: dict[str, Any] = {**ANN, "id": "300000000000000002", "name": "bo", "nickname": "Bo"}
BOT: dict[str, Any] = {**ANN, "id": "300000000000000003", "name": "Helper", "nickname": "Helper", "isBot": True}


def message(number: int, author: dict[str, Any], content: str, time: str = "", **more: Any) -> dict[str, Any]:
    """A message; its id grows with its number, as snowflakes do with time."""
    return {
        "id": str(900000000000000000 + number),
        "type": "Default",
        "timestamp": time or f"2024-01-15T12:{number:02d}:00.123+00:00",
        "timestampEdited": None,
        "callEndedTimestamp": None,
        "isPinned": False,
        "content": content,
        "author": author,
        "attachments": [],
        "embeds": [],
        "stickers": [],
        "reactions": [],
        "mentions": [],
        "inlineEmojis": [],
        **more,
    }


def export(*messages: dict[str, Any], guild: Any = None, channel: Any = None, **more: Any) -> dict[str, Any]:
    """One file of DiscordChatExporter."""
    return {
        "guild": {"id": "800000000000000001", "name": "Sailors", "iconUrl": "https://cdn.discordapp.com/i.png"}
        if guild is None
        else guild,
        "channel": {
            "id": CHANNEL,
            "type": "GuildTextChat",
            "categoryId": "824930000000000000",
            "category": "Talk",
            "name": "harbour",
            "topic": None,
        }
        if channel is None
        else channel,
        "dateRange": {"after": None, "before": None},
        "exportedAt": "2024-02-01T10:00:00.1234567+00:00",
        "messages": list(messages),
        "messageCount": len(messages),
        **more,
    }


def read(files: Mapping[str, Any], options: ReadOptions = OPTIONS) -> list[Record]:
    """Everything that these files hold; values that are no bytes are written as the exporter writes JSON."""
    raw = {name: data if isinstance(data, bytes) else encoded(data) for name, data in files.items()}
    return list(DiscordConnector().read(Shelf("export", raw), options))


def encoded(value: Any) -> bytes:
    """As the exporter writes it: two blanks a level."""
    return json.dumps(value, indent=2, ensure_ascii=False).encode("utf-8", "surrogatepass")


def documents(records: Iterable[Record]) -> list[ConversationDocument]:
    """The days among the records."""
    return [record for record in records if isinstance(record, ConversationDocument)]


def messages(
    *given: dict[str, Any], options: ReadOptions = OPTIONS, beside: Iterable[str] = (), **more: Any
) -> list[ConversationMessage]:
    """The messages of one file, beside files of these names."""
    files = {"a.json": export(*given, **more), **dict.fromkeys(beside, b"x")}
    return [m for d in documents(read(files, options)) for m in d.messages]


def codes(records: Iterable[Record]) -> list[str]:
    """The codes of the notices."""
    return [record.code for record in records if isinstance(record, Notice)]


def rejected(records: Iterable[Record]) -> list[tuple[str, str]]:
    """Places and reasons."""
    return [(record.locator, record.reason) for record in records if isinstance(record, Rejected)]
