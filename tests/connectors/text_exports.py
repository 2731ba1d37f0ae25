"""What tests of chats in text files share: reading them from memory, and what was read in few words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from zoneinfo import ZoneInfo

from memd.connectors.connector import Connector, ReadOptions, Record
from memd.schemas import ConversationDocument, ConversationMessage, Notice, Rejected
from memd.tests.contracts.connector import Shelf

BERLIN = ReadOptions(zone=ZoneInfo("Europe/Berlin"), zone_origin="option")
Files = str | bytes | Mapping[str, str | bytes]


def shelf(files: Files, name: str = "chat.txt") -> Shelf:
    """A source of one file, or of several by name."""
    given: Mapping[str, str | bytes] = files if isinstance(files, Mapping) else {name: files}
    return Shelf(name, {key: data.encode() if isinstance(data, str) else data for key, data in given.items()})


def read(connector: Connector, files: Files, name: str = "chat.txt", **options: Any) -> list[Record]:
    """Everything in a source; ``options`` are fields of ReadOptions."""
    return list(connector.read(shelf(files, name), replace(BERLIN, **options)))


def documents(records: Sequence[Record]) -> list[ConversationDocument]:
    """The documents."""
    return [record for record in records if isinstance(record, ConversationDocument)]


def messages(records: Sequence[Record]) -> list[ConversationMessage]:
    """All messages, in the order of the documents."""
    return [message for document in documents(records) for message in document.messages]


def told(records: Sequence[Record]) -> list[tuple[str, str, str, str]]:
    """Time, speaker, kind and content of each message."""
    return [(m.time.isoformat(), m.speaker, m.kind, m.content) for m in messages(records)]


def codes(records: Sequence[Record]) -> list[str]:
    """The notices."""
    return [record.code for record in records if isinstance(record, Notice)]


def rejected(records: Sequence[Record]) -> list[tuple[str, str]]:
    """Where something could not be read, and why."""
    return [(record.locator, record.reason) for record in records if isinstance(record, Rejected)]
