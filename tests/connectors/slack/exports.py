"""Exports of a made-up workspace in memory, as Slack writes them, and short ways to read them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC
from typing import Any

from memd.connectors.connector import ReadOptions, Record
from memd.connectors.formats.slack.connector import SlackConnector
from memd.schemas import ConversationDocument, ConversationMessage, Notice, Rejected
from memd.tests.contracts.connector import Shelf

OPTIONS = ReadOptions(zone=UTC, zone_origin="option")
START = 1705312800
"""2024-01-15T10:00:00Z."""
DAY = 86_400
Json = dict[str, Any]


def user(identifier: str, handle: str, real: str, display: str = "", **more: object) -> Json:
    """An entry of users.json."""
    return {
        "id": identifier,
        "team_id": "T0ACME",
        "name": handle,
        "deleted": False,
        "color": "9f69e7",
        "real_name": real,
        "tz": "Europe/Berlin",
        "profile": {
            "real_name": real,
            "display_name": display,
            "email": f"{handle}@example.org",
            "image_24": "https://example.org/24.png",
            "team": "T0ACME",
        },
        "is_admin": False,
        "is_bot": False,
        "updated": 1700000000,
        **more,
    }


def channel(identifier: str, name: str, members: Sequence[str] = (), **more: object) -> Json:
    """An entry of channels.json, groups.json or mpims.json."""
    return {
        "id": identifier,
        "name": name,
        "created": 1600000000,
        "creator": "U0ANN",
        "is_archived": False,
        "is_general": False,
        "members": list(members),
        "topic": {"value": "", "creator": "", "last_set": 0},
        "purpose": {"value": "", "creator": "", "last_set": 0},
        **more,
    }


def stamp(seconds: float) -> str:
    """The time stamp so many whole seconds after the start."""
    return f"{START + int(seconds)}.000100"


def message(seconds: float, author: str, text: str, **more: object) -> Json:
    """What a person wrote, with rich text as today's app writes it."""
    element = {"type": "rich_text_section", "elements": [{"type": "text", "text": text}]}
    return {
        "client_msg_id": "5d8d5b5a-0000-4000-8000-000000000000",
        "type": "message",
        "text": text,
        "user": author,
        "ts": stamp(seconds),
        "team": "T0ACME",
        "blocks": [{"type": "rich_text", "block_id": "b1", "elements": [element]}],
        **more,
    }


def root(seconds: float, author: str, text: str, replies: Sequence[float], **more: object) -> Json:
    """The first message of a thread with replies at these times."""
    more = {"reply_count": len(replies), "latest_reply": stamp(replies[-1]), **more}
    told = [{"user": "U0BO", "ts": stamp(each)} for each in replies]
    return message(seconds, author, text, thread_ts=stamp(seconds), replies=told, **more)


def reply(seconds: float, author: str, text: str, to: float, **more: object) -> Json:
    """A reply to the message at that time."""
    return message(seconds, author, text, thread_ts=stamp(to), parent_user_id="U0ANN", **more)


USERS = [
    user("U0ANN", "ann", "Ann Example", "Ann"),
    user("U0BO", "bo", "Bo Example"),
    user("U0CY", "cy", "Cy Example", "cy!"),
    user("U0DEP", "deploy", "Deploy", is_bot=True),
]
CHANNELS = [channel("C0GEN", "general", ["U0ANN", "U0BO"], is_general=True)]


def packed(files: Mapping[str, object]) -> dict[str, bytes]:
    """Files of JSON, indented as Slack does it."""
    return {
        name: value if isinstance(value, bytes) else json.dumps(value, indent=4).encode()
        for name, value in files.items()
    }


def workspace(days: Mapping[str, object], **more: object) -> dict[str, bytes]:
    """An export of the channel #general with these days, and further files (``dms_json=…``)."""
    files: dict[str, object] = {"users.json": USERS, "channels.json": CHANNELS}
    files |= {name.replace("_json", ".json"): value for name, value in more.items()}
    return packed(files | {f"general/{day}.json": value for day, value in days.items()})


def read(files: Mapping[str, bytes], options: ReadOptions = OPTIONS, name: str = "acme.zip") -> list[Record]:
    """Everything that these files hold."""
    return list(SlackConnector().read(Shelf(name, files), options))


def documents(records: Iterable[Record]) -> dict[str, ConversationDocument]:
    """The documents by their ids; none comes twice."""
    found = [record for record in records if isinstance(record, ConversationDocument)]
    assert len({document.id for document in found}) == len(found)
    return {document.id: document for document in found}


def said(*entries: Json, options: ReadOptions = OPTIONS) -> list[ConversationMessage]:
    """The messages of one day with these records, in the order of the documents."""
    records = read(workspace({"2024-01-15": list(entries)}), options)
    return [each for record in records if isinstance(record, ConversationDocument) for each in record.messages]


def one(entry: Json, options: ReadOptions = OPTIONS) -> ConversationMessage:
    """The message of one record."""
    found = said(entry, options=options)
    assert len(found) == 1
    return found[0]


def codes(records: Iterable[Record]) -> list[str]:
    """The codes of the notices."""
    return [record.code for record in records if isinstance(record, Notice)]


def reasons(records: Iterable[Record]) -> list[str]:
    """Why records were rejected."""
    return [record.reason for record in records if isinstance(record, Rejected)]
