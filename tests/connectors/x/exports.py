"""Archives of X, built by hand."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import UTC
from typing import Any

from memd.connectors.connector import ReadOptions, Record
from memd.connectors.formats.x.connector import XConnector
from memd.schemas import ConversationDocument, ConversationMessage, Notice, Rejected
from memd.tests.contracts.connector import Shelf

OPTIONS = ReadOptions(zone=UTC, zone_origin="option")
ANN, BO = "11", "222"
TALK = "11-222"


def sent(number: int, sender: str, text: str, **more: Any) -> dict[str, Any]:
    """A direct message of a minute."""
    return {
        "messageCreate": {
            "recipientId": BO if sender == ANN else ANN,
            "reactions": [],
            "urls": [],
            "text": text,
            "mediaUrls": [],
            "senderId": sender,
            "id": f"9{number:03d}",
            "createdAt": f"2024-01-15T12:{number:02d}:00.250Z",
            **more,
        }
    }


def talks(*messages: dict[str, Any], own: str = TALK, name: str = "direct_messages") -> bytes:
    """A file of direct messages; the newest stands first."""
    talk = {"conversationId": own, "messages": list(reversed(messages))}
    return assigned(name, [{"dmConversation": talk}])


def post(number: int, text: str, **more: Any) -> dict[str, Any]:
    """A post of a minute."""
    return {
        "tweet": {
            "edit_info": {"initial": {"editTweetIds": [f"7{number:03d}"]}},
            "retweeted": False,
            "source": "<a>app</a>",
            "entities": {"urls": [], "user_mentions": []},
            "id_str": f"7{number:03d}",
            "full_text": text,
            "created_at": f"Mon Jan 15 13:{number:02d}:00 +0000 2024",
            **more,
        }
    }


def assigned(name: str, value: Any, part: int = 0) -> bytes:
    """As X writes it."""
    return f"window.YTD.{name}.part{part} = ".encode() + json.dumps(value, indent=2, ensure_ascii=False).encode(
        "utf-8", "surrogatepass"
    )


ACCOUNT = assigned(
    "account",
    [{"account": {"username": "ann", "accountId": ANN, "accountDisplayName": "Ann Archer", "email": "a@b.c"}}],
)
MENTION = {
    "urls": [],
    "user_mentions": [{"name": "Bo Baker", "screen_name": "bo", "id_str": BO, "indices": ["0", "3"]}],
}


def read(files: Mapping[str, bytes], options: ReadOptions = OPTIONS) -> list[Record]:
    """Everything that these files hold."""
    return list(XConnector().read(Shelf("x", files), options))


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
