"""Sources in memory and short ways to read them, shared by the tests of this folder."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import BinaryIO
from zoneinfo import ZoneInfo

from memd.connectors.connector import DateOrder, Member, ReadOptions, Record
from memd.connectors.formats.whatsapp.connector import WhatsAppConnector
from memd.schemas import ConversationDocument, ConversationMessage, Notice, Rejected

UTC = ZoneInfo("UTC")


@dataclass(frozen=True)
class MemoryMember:
    """Bytes under a name."""

    name: str
    data: bytes

    @property
    def locator(self) -> str:
        """The name again."""
        return self.name

    @property
    def size(self) -> int | None:
        """The number of bytes."""
        return len(self.data)

    def open(self) -> BinaryIO:
        """The bytes."""
        return io.BytesIO(self.data)


@dataclass(frozen=True)
class MemorySource:
    """Members in memory."""

    name: str
    files: Sequence[MemoryMember] = field(default_factory=tuple[MemoryMember, ...])

    @property
    def locator(self) -> str:
        """The name again."""
        return self.name

    def members(self) -> Sequence[Member]:
        """The members as given."""
        return self.files

    def notices(self) -> Sequence[Notice | Rejected]:
        """Nothing was refused."""
        return ()


def source(text: str | bytes, name: str = "WhatsApp Chat with Bea.txt", *others: MemoryMember) -> MemorySource:
    """One text file as a source, with what lies beside it."""
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    return MemorySource(name, (MemoryMember(name, data), *others))


def options(*, me: str | None = None, chat: str | None = None, date_order: DateOrder | None = None) -> ReadOptions:
    """Options in UTC, which was given."""
    return ReadOptions(zone=UTC, zone_origin="option", me=me, chat=chat, date_order=date_order)


def read(given: MemorySource, how: ReadOptions | None = None) -> list[Record]:
    """Everything that reading yields."""
    return list(WhatsAppConnector().read(given, how or options()))


def documents(records: list[Record]) -> list[ConversationDocument]:
    """The documents among records."""
    return [record for record in records if isinstance(record, ConversationDocument)]


def messages(records: list[Record]) -> list[ConversationMessage]:
    """The messages of all documents, in the order in which they came."""
    return [message for document in documents(records) for message in document.messages]


def codes(records: list[Record]) -> list[str]:
    """The codes of the notices, and ``rejected``."""
    found = [
        record.code if isinstance(record, Notice) else "rejected"
        for record in records
        if isinstance(record, Notice | Rejected)
    ]
    return sorted(found)


def parse(text: str | bytes, how: ReadOptions | None = None) -> list[tuple[str, str, str]]:
    """(kind, speaker, content) of each message of one text."""
    return [(m.kind, m.speaker, m.content) for m in messages(read(source(text), how))]
