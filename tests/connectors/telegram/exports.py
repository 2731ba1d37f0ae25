"""Exports of Telegram as the app writes them: its indentation by one blank, its keys, its order."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from memd.connectors.connector import ReadOptions, Record
from memd.connectors.formats.telegram.connector import TelegramConnector
from memd.schemas import ConversationDocument, ConversationMessage, Notice, Rejected
from memd.tests.contracts.connector import Shelf

OPTIONS = ReadOptions(zone=UTC, zone_origin="option")
START = int(datetime(2024, 1, 15, 12, 0, tzinfo=UTC).timestamp())


def text_entities(text: Any) -> list[Any]:
    """What the app writes beside ``text``."""
    if isinstance(text, str):
        return [{"type": "plain", "text": text}] if text else []
    return [{"type": "plain", "text": part} if isinstance(part, str) else part for part in text]


def said(
    number: int, text: Any = "", *, at: int | None = None, who: str | None = "Ann Lee", peer: str = "user1", **more: Any
) -> dict[str, Any]:
    """A message of somebody; by default one a minute."""
    seconds = START + number * 60 if at is None else at
    return {
        "id": number,
        "type": "message",
        "date": datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S"),
        "date_unixtime": str(seconds),
        "from": who,
        "from_id": peer,
        **more,
        "text": text,
        "text_entities": text_entities(text),
    }


def done(number: int, action: str, *, who: str | None = "Ann Lee", peer: str = "user1", **more: Any) -> dict[str, Any]:
    """A service message."""
    base = said(number)
    return {
        **{key: base[key] for key in ("id", "date", "date_unixtime")},
        "type": "service",
        "actor": who,
        "actor_id": peer,
        "action": action,
        **more,
        "text": "",
        "text_entities": [],
    }


def chat(
    messages: Sequence[Any], *, name: str | None = "Bob", kind: str = "personal_chat", number: int = 2
) -> dict[str, Any]:
    """One chat: the whole of ``result.json``, or an element of an account's list."""
    named = {} if kind in ("saved_messages", "replies") else {"name": name}
    return {**named, "type": kind, "id": number, "messages": list(messages)}


def account(chats: Sequence[Any], left: Sequence[Any] = (), *, personal: bool = True) -> dict[str, Any]:
    """``result.json`` of a whole account."""
    about = {"about": "Here is the data you requested. Remember: Telegram is ad free, it doesn't use your data.\n\n"}
    owner: dict[str, Any] = {
        "personal_information": {
            "user_id": 1,
            "first_name": "Ann",
            "last_name": "Lee",
            "phone_number": "+49 30 1234567",
            "username": "@ann",
            "bio": "a { b [",
        },
        "profile_pictures": [],
        "contacts": {
            "about": "Contacts",
            "list": [{"first_name": "Bob", "last_name": "", "phone_number": "0049 30 1000001"}],
        },
    }
    return {
        **about,
        **(owner if personal else {}),
        "chats": {"about": "This page lists all chats from this export.", "list": list(chats)},
        "left_chats": {"about": "Supergroups and channels you left.", "list": list(left)},
    }


def written(value: Any) -> bytes:
    """As the app writes it."""
    return json.dumps(value, indent=1, ensure_ascii=False).encode("utf-8", "surrogatepass")


def read(files: dict[str, bytes] | bytes, options: ReadOptions = OPTIONS) -> list[Record]:
    """Every record of a source."""
    files = {"result.json": files} if isinstance(files, bytes) else files
    return list(TelegramConnector().read(Shelf("export", files), options))


def documents(records: Sequence[Record]) -> list[ConversationDocument]:
    """Its documents."""
    return [record for record in records if isinstance(record, ConversationDocument)]


def messages(records: Sequence[Record]) -> list[ConversationMessage]:
    """Their messages."""
    return [message for document in documents(records) for message in document.messages]


def only(record: dict[str, Any], beside: Iterable[str] = (), **more: Any) -> ConversationMessage:
    """The one message of a chat that holds this record; there are files of these names beside it."""
    records = read({"result.json": written(chat([record], **more)), **dict.fromkeys(beside, b"x")})
    (message,) = messages(records)
    assert not [each for each in records if isinstance(each, Rejected)]
    return message


def codes(records: Sequence[Record]) -> list[str]:
    """The codes of the notices."""
    return [record.code for record in records if isinstance(record, Notice)]


def rejected(records: Sequence[Record]) -> list[tuple[str, str]]:
    """What could not be read, and why."""
    return [(record.locator, record.reason) for record in records if isinstance(record, Rejected)]
