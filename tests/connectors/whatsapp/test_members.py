"""A source of many chats: what is asked of the source does not grow with them."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import BinaryIO, ClassVar
from zoneinfo import ZoneInfo

import pytest

from memd.connectors.connector import Member, ReadOptions
from memd.connectors.formats.whatsapp.connector import WhatsAppConnector
from memd.schemas import ConversationDocument, Notice, Rejected
from memd.schemas.errors import SourceError
from memd.tests.connectors.whatsapp.sources import MemoryMember, MemorySource

OPTIONS = ReadOptions(zone=ZoneInfo("UTC"))


@dataclass(frozen=True)
class Held:
    """A file in memory."""

    name: str
    data: bytes

    @property
    def locator(self) -> str:
        """Its name."""
        return self.name

    @property
    def size(self) -> int:
        """In bytes."""
        return len(self.data)

    def open(self) -> io.BytesIO:
        """All of it."""
        return io.BytesIO(self.data)


class Archive:
    """Chats in folders of their own, each with a picture; counts how often its members are listed."""

    name = locator = "chats.zip"

    def __init__(self, chats: int) -> None:
        self.listed = 0
        body = b"15/01/2024, 11:00 - Ann: hello\n15/01/2024, 11:01 - Bob: IMG-1.jpg (file attached)\n"
        self._members = [
            member
            for number in range(chats)
            for member in (Held(f"{number}/chat.txt", body), Held(f"{number}/IMG-1.jpg", b"x" * (number + 1)))
        ]

    def members(self) -> Sequence[Member]:
        """All."""
        self.listed += 1
        return self._members

    @staticmethod
    def notices() -> Sequence[Notice]:
        """None."""
        return ()


def test_the_members_are_gone_through_as_often_for_ten_chats_as_for_one() -> None:
    """And each chat has the attachment of its own folder."""
    one, ten = Archive(1), Archive(10)
    for archive in (one, ten):
        records = WhatsAppConnector().read(archive, OPTIONS)
        documents = [record for record in records if isinstance(record, ConversationDocument)]
        sizes = [document.conversation.conversation[1].attachments[0].size for document in documents]
        assert sizes == list(range(1, len(documents) + 1))
    assert one.listed == ten.listed


class Vanishing(MemoryMember):
    """A file that somebody removes after it was opened so often."""

    opened: ClassVar[int] = 0
    left: ClassVar[int] = 0

    def open(self) -> BinaryIO:
        """All of it, or an error."""
        Vanishing.opened += 1
        if Vanishing.opened > Vanishing.left:
            raise SourceError(f"{self.locator}: No such file or directory")
        return super().open()


def test_a_chat_that_was_sent_in_another_has_its_own_title() -> None:
    """The folder is named after the chat that was exported, and holds the files that were sent in it."""
    texts = {
        "WhatsApp Chat with Ann.txt": "Ann: log.txt (file attached)",
        "log.txt": "Zed: hello\n15/01/2024, 12:01 - Kim: hi",
    }
    folder = "WhatsApp Chat with Ann"
    members = [
        MemoryMember(f"{folder}/{name}", f"15/01/2024, 12:00 - {text}\n".encode()) for name, text in texts.items()
    ]
    records = list(WhatsAppConnector().read(MemorySource(folder, members), OPTIONS))
    titles = {
        each.metadata["title"]: each.messages[0].speaker for each in records if isinstance(each, ConversationDocument)
    }
    assert titles == {"Ann": "Ann", "log": "Zed"}


@pytest.mark.parametrize("left", [1, 2], ids=["after it was listed", "after the first pass"])
def test_a_chat_that_is_gone_leaves_the_others(monkeypatch: pytest.MonkeyPatch, left: int) -> None:
    """Alone it is an error; beside others it is rejected, and those after it are read."""
    monkeypatch.setattr(Vanishing, "left", left)
    body = b"15/01/2024, 11:00 - Ann: hello\n"
    connector = WhatsAppConnector()
    monkeypatch.setattr(Vanishing, "opened", 0)
    with pytest.raises(SourceError, match="No such file"):
        list(connector.read(MemorySource("chats", (Vanishing("b.txt", body),)), OPTIONS))
    monkeypatch.setattr(Vanishing, "opened", 0)
    files = (MemoryMember("a.txt", body), Vanishing("b.txt", body), MemoryMember("c.txt", body))
    records = list(connector.read(MemorySource("chats", files), OPTIONS))
    assert [record.id for record in records if isinstance(record, ConversationDocument)] == [
        "whatsapp:a:2024-01-15",
        "whatsapp:c:2024-01-15",
    ]
    assert [record for record in records if isinstance(record, Rejected)] == [
        Rejected(locator="b.txt", reason="No such file or directory")
    ]
    monkeypatch.setattr(Vanishing, "opened", 0)
    assert connector.preview(MemorySource("chats", files), OPTIONS).messages == (2 if left == 1 else 3)
