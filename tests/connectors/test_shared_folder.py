"""What belongs to an export is given to its reader also where other exports lie in the same folder."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from datetime import UTC
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from memd.connectors.connector import ReadOptions
from memd.connectors.reading.read_path import read_records
from memd.connectors.reading.reading_log import ReadingLog
from memd.schemas import ConversationDocument, Notice, Rejected, TextDocument
from memd.tests.connectors.imessage.test_database import database_with_log
from memd.tests.connectors.office_files import docx
from memd.tests.connectors.qq import test_qq as qq
from memd.tests.connectors.signal.exports import b64, export, item

OPTIONS = ReadOptions(zone=UTC, zone_origin="option")
CHAT = "".join(f"1/15/24, 10:{minute:02d} - {'Ann' if minute % 2 else 'Bo'}: words {minute}\n" for minute in range(9))
ENDS = ["Long text that goes on", "Long " + CHAT]
"""Of a text in a message; one quotes a chat of another app."""


def long_message() -> dict[str, Any]:
    """Of Signal, with its beginning alone."""
    place = {"plaintextHash": b64(b"content"), "localKey": b64(b"key")}
    pointer = {"contentType": "text/x-signal-plain", "locatorInfo": place}
    return item(0, standardMessage={"text": {"body": "Long "}, "longText": pointer})


def written(folder: Path, files: Mapping[str, bytes]) -> Path:
    """The folder with these files."""
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


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
    folder = tmp_path / "all"
    files = folder / "signal" / "files" / name[:2]
    files.mkdir(parents=True)
    (files / f"{name}.txt").write_text(end)
    (folder / "signal" / "main.jsonl").write_bytes(export(long_message()))
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


@pytest.mark.parametrize("below", ["", "qq/"])
@pytest.mark.parametrize("packed", [False, True])
def test_files_in_a_folder_beside_that_of_the_messages_are_there(tmp_path: Path, below: str, *, packed: bool) -> None:
    """An exporter writes them so; a file of the same name that lies with another chat is not it."""
    resources = [{"type": "image", "filename": name, "size": 12} for name in ("pier.jpg", "lost.jpg")]
    chat = qq.export(qq.message(1, "", content={"text": "[image]", "resources": resources}))
    files = {f"{below}exports/chat.json": chat.encode(), f"{below}resources/pier.jpg": b"\xff\xd8\xff"}
    if below:
        files |= {"other/WhatsApp Chat with Bo.txt": CHAT.encode(), "other/lost.jpg": b"\xff\xd8\xff"}
    folder = written(tmp_path / "all", files)
    source = Path(shutil.make_archive(str(folder), "zip", folder)) if packed else folder
    chats = [each for each in read_records(source, OPTIONS) if isinstance(each, ConversationDocument)]
    found = [a for each in chats if each.conversation.source == "qq" for m in each.messages for a in m.attachments]
    assert {each.name: each.missing for each in found} == {"pier.jpg": False, "lost.jpg": True}


def test_what_messages_consist_of_is_told_as_read(tmp_path: Path) -> None:
    """The end of a long text, and the log of a database: their readers use them, so that they are not left out."""
    name = sha256(b"content" + b"key").hexdigest()
    written(
        tmp_path, {"signal/main.jsonl": export(long_message()), f"signal/files/{name[:2]}/{name}.txt": ENDS[0].encode()}
    )
    (tmp_path / "Messages").mkdir()
    database_with_log(tmp_path / "Messages")
    log = ReadingLog()
    records = [*read_records(tmp_path, OPTIONS, log=log)]
    assert "files-left-out" not in {each.code for each in records if isinstance(each, Notice)}
    receipt = log.to_wire()
    roles = {Path(file["path"]).suffix: file for each in receipt["exports"] for file in each["files"] if "role" in file}
    assert {suffix: file["messages"] for suffix, file in roles.items()} == {".txt": 0, ".db-wal": 0}
    assert [Path(file["path"]).suffix for file in receipt["skipped"]] == [".db-shm"]


def test_what_lies_beside_archives_is_left_out_and_not_rejected(tmp_path: Path) -> None:
    """A picture, and the piece of a download that holds nothing but pictures, as beside a chat that is not packed."""
    picture = b"\xff\xd8\xff\xe0" + bytes(64)
    written(tmp_path / "chat", {"WhatsApp Chat with Bo.txt": CHAT.encode()})
    written(tmp_path / "pictures", {"pier.jpg": picture})
    folder = written(tmp_path / "all", {"holiday.jpg": picture, "program.bin": b"MZ" + bytes(64)})
    for name in ("chat", "pictures"):
        shutil.make_archive(str(folder / name), "zip", tmp_path / name)
    log = ReadingLog()
    records = [*read_records(folder, OPTIONS, log=log)]
    assert not [each for each in records if isinstance(each, Rejected)]
    skipped = {Path(file["path"]).name: file["skipped"] for file in log.to_wire()["skipped"]}
    assert skipped == {
        "holiday.jpg": "picture, sound or film",
        "pictures.zip": "not recognised",
        "program.bin": "not recognised",
    }


def test_a_document_of_an_office_lies_in_as_many_archives_as_a_text(tmp_path: Path) -> None:
    """It is an archive itself, and no chat is in it."""
    lease = docx("<w:p><w:r><w:t>The tenant must mow the meadow</w:t></w:r></w:p>")
    source = written(tmp_path / "0", {"lease.docx": lease, "garden.md": b"# Garden\n\nPlant garlic.\n"})
    for depth in (1, 2):
        (tmp_path / str(depth)).mkdir()
        shutil.make_archive(str(tmp_path / str(depth) / "inner"), "zip", source)
        source = tmp_path / str(depth)
    records = [*read_records(source / "inner.zip", OPTIONS)]
    assert {type(each) for each in records} == {TextDocument}
    assert sorted(each.id.partition(":")[0] for each in records if isinstance(each, TextDocument)) == ["docx", "notes"]
