"""Files of a Takeout of Google Chat and of Hangouts, built by hand."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import UTC
from typing import Any

from memd.connectors.connector import ReadOptions, Record
from memd.connectors.formats.google_chat.connector import GoogleChatConnector
from memd.schemas import ConversationDocument, ConversationMessage, Notice, Rejected
from memd.tests.contracts.connector import Shelf

OPTIONS = ReadOptions(zone=UTC, zone_origin="option")
ANN = {"name": "Ann Archer", "email": "ann@example.org", "user_type": "Human"}
BO = {"name": "Bo Baker", "email": "bo@example.org", "user_type": "Human"}
BOT = {"name": "Helper", "email": "helper@bots.example.org", "user_type": "Bot"}
SPACE = "AAAAspace01"
FOLDER = f"Takeout/Google Chat/Groups/Space {SPACE}/"


def said(
    number: int, creator: Mapping[str, Any], text: str | None = None, topic: str = "", **more: Any
) -> dict[str, Any]:
    """A message of a minute; its topic is its own unless another is given."""
    own = f"m{number}"
    message: dict[str, Any] = {
        "creator": dict(creator),
        "created_date": f"Monday, January 15, 2024 at 12:{number:02d}:05\u202fPM UTC",
        "topic_id": topic or own,
        "message_id": f"{SPACE}/{topic or own}/{own}",
    }
    if text is not None:
        message["text"] = text
    return {**message, **more}


def space(*messages: dict[str, Any], folder: str = FOLDER, name: str | None = "Harbour", **more: Any) -> dict[str, Any]:
    """The files of one chat, and the account's."""
    info: dict[str, Any] = {"members": [ANN, BO], **more}
    return {
        f"{folder}messages.json": {"messages": list(messages)},
        f"{folder}group_info.json": {"name": name, **info} if name else info,
        "Takeout/Google Chat/Users/User 123/user_info.json": {"user": ANN, "membership_info": []},
    }


def event(number: int, sender: str, *texts: str, **more: Any) -> dict[str, Any]:
    """A message of Hangouts."""
    return {
        "conversation_id": {"id": "Ugx1"},
        "sender_id": {"gaia_id": sender, "chat_id": sender},
        "timestamp": str(1405425600_000000 + number * 60_000000),
        "chat_message": {"message_content": {"segment": [{"type": "TEXT", "text": text} for text in texts]}},
        "event_id": f"e{number}",
        "event_type": "REGULAR_CHAT_MESSAGE",
        **more,
    }


def hangouts(*events: dict[str, Any], **more: Any) -> dict[str, Any]:
    """The whole file, with one conversation."""
    people = [{"id": {"gaia_id": "11", "chat_id": "11"}, "fallback_name": "Ann Archer"},
              {"id": {"gaia_id": "22", "chat_id": "22"}, "fallback_name": "Bo Baker"}]  # fmt: skip
    inner = {
        "id": {"id": "Ugx1"},
        "type": "STICKY_ONE_TO_ONE",
        "self_conversation_state": {"self_read_state": {"participant_id": {"gaia_id": "11", "chat_id": "11"}}},
        "participant_data": people,
        **more,
    }
    described = {"conversation_id": {"id": "Ugx1"}, "conversation": inner}
    return {"conversations": [{"conversation": described, "events": list(events)}]}


def written(value: Any) -> bytes:
    """As Google writes it."""
    return json.dumps(value, indent=2, ensure_ascii=False).encode("utf-8", "surrogatepass")


def read(files: Mapping[str, Any], options: ReadOptions = OPTIONS) -> list[Record]:
    """Everything that these files hold."""
    raw = {name: data if isinstance(data, bytes) else written(data) for name, data in files.items()}
    return list(GoogleChatConnector().read(Shelf("export", raw), options))


def documents(records: Iterable[Record]) -> list[ConversationDocument]:
    """The days among the records."""
    return [record for record in records if isinstance(record, ConversationDocument)]


def messages(*given: dict[str, Any], beside: Iterable[str] = ()) -> list[ConversationMessage]:
    """The messages of one space, whose folder has files of these names."""
    files = {f"{FOLDER}{name}": b"x" for name in beside}
    return [m for d in documents(read({**space(*given), **files})) for m in d.messages]


def codes(records: Iterable[Record]) -> list[str]:
    """The codes of the notices."""
    return [record.code for record in records if isinstance(record, Notice)]


def rejected(records: Iterable[Record]) -> list[tuple[str, str]]:
    """Places and reasons."""
    return [(record.locator, record.reason) for record in records if isinstance(record, Rejected)]
