"""What belongs to an export is given to its reader also where other exports lie in the same folder."""

from __future__ import annotations

import shutil
from datetime import UTC
from hashlib import sha256
from pathlib import Path

import pytest

from memd.connectors import ReadOptions, read_records
from memd.schemas import ConversationDocument, TextDocument
from memd.tests.connectors.imessage.test_database import database_with_log
from memd.tests.connectors.signal.exports import b64, export, item

OPTIONS = ReadOptions(zone=UTC, zone_origin="option")
CHAT = "".join(f"1/15/24, 10:{minute:02d} - {'Ann' if minute % 2 else 'Bo'}: words {minute}\n" for minute in range(9))
ENDS = ["Long text that goes on", "Long " + CHAT]
"""Of a text in a message; one quotes a chat of another app."""


def said(folder: Path, source: str) -> list[str]:
    """What is said in the chats of one app."""
    records = read_records(folder, OPTIONS)
    chats = [each.conversation for each in records if isinstance(each, ConversationDocument)]
    return [message.content for chat in chats if chat.source == source for message in chat.conversation]


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("packed", [False, True])
def test_the_end_of_a_long_text_is_part_of_its_message(tmp_path: Path, end: str, *, packed: bool) -> None:
    """Signal keeps it as a text of its own, which is no note and no chat."""
    name = sha256(b"content" + b"key").hexdigest()
    pointer = {
        "contentType": "text/x-signal-plain",
        "locatorInfo": {"plaintextHash": b64(b"content"), "localKey": b64(b"key")},
    }
    folder = tmp_path / "all"
    files = folder / "signal" / "files" / name[:2]
    files.mkdir(parents=True)
    (files / f"{name}.txt").write_text(end)
    message = item(0, standardMessage={"text": {"body": "Long "}, "longText": pointer})
    (folder / "signal" / "main.jsonl").write_bytes(export(message))
    (folder / "WhatsApp Chat with Bo.txt").write_text(CHAT)
    source = Path(shutil.make_archive(str(folder), "zip", folder)) if packed else folder
    assert said(source, "signal") == [end]
    assert said(source, "whatsapp") == [f"words {minute}" for minute in range(9)]
    assert not [each for each in read_records(source, OPTIONS) if isinstance(each, TextDocument)]


def test_the_log_of_a_database_is_read_beside_other_chats(tmp_path: Path) -> None:
    """The newest messages are in the log alone."""
    folder = tmp_path / "Messages"
    folder.mkdir()
    database_with_log(folder)
    alone = said(tmp_path, "imessage")
    assert "Late" in alone
    (tmp_path / "WhatsApp Chat with Bo.txt").write_text(CHAT)
    assert said(tmp_path, "imessage") == alone
