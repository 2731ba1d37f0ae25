"""What was read of which files, and what was left out and why."""

from __future__ import annotations

import hashlib
import zipfile
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from memd.connectors.connector import ReadOptions
from memd.connectors.formats.whatsapp.connector import WhatsAppConnector
from memd.connectors.reading.read_path import read_records
from memd.connectors.reading.reading_log import ReadingLog
from memd.connectors.reading.registry import default_connectors
from memd.connectors.reading.source_parts import parts
from memd.tests.contracts.connector import Shelf

OPTIONS = ReadOptions(zone=UTC, zone_origin="option")
CHAT = "".join(f"1/14/24, 10:{minute:02d} - {'Ann' if minute % 2 else 'Bo'}: words {minute}\n" for minute in range(8))


def receipt_of(path: Path) -> dict[str, Any]:
    """What the log tells of reading a path."""
    log = ReadingLog()
    list(read_records(path, OPTIONS, log=log))
    return log.to_wire()


def test_each_file_is_told_with_its_reader_or_its_reason(tmp_path: Path) -> None:
    """Nothing of a mixed folder is dropped without a word."""
    (tmp_path / "WhatsApp Chat with Bo.txt").write_text(CHAT)
    (tmp_path / "note.md").write_text("# A note\n\nwords\n")
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / "p.jpg").write_bytes(bytes(range(256)) * 4)
    (tmp_path / "x.bin").write_bytes(bytes(100))
    (tmp_path / "broken.zip").write_bytes(b"PK\x03\x04 no archive")
    with zipfile.ZipFile(tmp_path / "WhatsApp Chat with Cy.zip", "w") as packed:
        packed.writestr("_chat.txt", CHAT)
        packed.writestr("todo.md", "buy milk\n")
    told = receipt_of(tmp_path)
    root = str(tmp_path)
    assert {(e["format"], e["path"].removeprefix(root), e["messages"]) for e in told["exports"]} == {
        ("whatsapp", "/WhatsApp Chat with Bo.txt", 8),
        ("notes", "/note.md", 1),
        ("whatsapp", "/WhatsApp Chat with Cy.zip!_chat.txt", 8),
    }
    reasons = {file["path"].removeprefix(root): file["skipped"] for file in told["skipped"]}
    assert "archive" in reasons.pop("/broken.zip")
    assert reasons == {
        "/empty.txt": "empty",
        "/p.jpg": "picture, sound or film",
        "/x.bin": "not recognised",
        "/WhatsApp Chat with Cy.zip!todo.md": "text attached to a chat",
    }


def test_a_receipt_tells_files_by_their_content(tmp_path: Path) -> None:
    """Checksums and sizes are those of the files; spans, people and chats those of the messages; words are in none of it."""
    (tmp_path / "WhatsApp Chat with Bo.txt").write_text(CHAT)
    (tmp_path / "WhatsApp Chat with Cy.txt").write_text(CHAT.replace("Bo", "Cy") + "1/15/24, 10:00 - Cy: late\n")
    (export,) = receipt_of(tmp_path)["exports"]
    for file in export["files"]:
        data = Path(file["path"]).read_bytes()
        assert (file["size"], file["sha256"]) == (len(data), hashlib.sha256(data).hexdigest())
    assert [file["messages"] for file in export["files"]] == [8, 9]
    assert (export["version"], export["messages"], export["documents"]) == (WhatsAppConnector.version, 17, 3)
    assert (export["first"], export["last"]) == ("2024-01-14T10:00:00Z", "2024-01-15T10:00:00Z")
    assert export["people"] == {"count": 3, "names": ["Ann", "Cy", "Bo"]}
    assert export["chats"] == {"count": 2, "names": ["Cy", "Bo"]}
    assert "words" not in str(export)


EVENT = "BEGIN:VEVENT\nUID:{0}\nDTSTART:2024011{0}T100000Z\nSUMMARY:Tea\nEND:VEVENT\n"


@pytest.mark.parametrize(
    ("name", "pieces"),
    [
        ("calendar.ics", [EVENT.format(number) for number in range(1, 4)]),
        ("call.vtt", [f"00:00:0{number}.000 --> 00:00:0{number}.900\n<v Ann>words\n\n" for number in range(1, 4)]),
        ("page.html", ["<p>some words of a page</p>"]),
        ("code.py", ["import os\n\n\ndef tea():\n    return os.name\n"]),
    ],
)
def test_what_is_read_of_each_file_is_told(tmp_path: Path, name: str, pieces: list[str]) -> None:
    """Where a format's files are read one after the other."""
    around = {
        "calendar.ics": ("BEGIN:VCALENDAR\nVERSION:2.0\n", "END:VCALENDAR\n"),
        "call.vtt": ("WEBVTT\n\n", ""),
        "page.html": ("<!DOCTYPE html><html><body>", "</body></html>"),
    }
    begin, end = around.get(name, ("", ""))
    for order, held in (("a", pieces[:1]), ("b", pieces)):
        (tmp_path / f"{order}-{name}").write_text("".join([begin, *held, end]))
    (export,) = receipt_of(tmp_path)["exports"]
    assert [file["messages"] for file in export["files"]] == [1, len(pieces)]


def test_a_receipt_tells_of_which_file_a_record_was_rejected(tmp_path: Path) -> None:
    """By the place that is told of it, also where files are read together."""
    day = '[{"type": "message", "user": "U1", "text": "hi", "ts": "1705312800.000100"}'
    for name, text in (
        ("users.json", '[{"id": "U1", "name": "ann"}]'),
        ("channels.json", '[{"id": "C1", "name": "general", "members": ["U1"]}]'),
        ("general/2024-01-15.json", f"{day}]"),
        ("general/2024-01-16.json", f'{day}, {{"type": "message", "user": "U1", "text": "late", "ts": "x"}}]'),
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (export,) = receipt_of(tmp_path)["exports"]
    assert sum(export["rejected"].values()) == 1
    assert [file["path"] for file in export["files"] if "rejected" in file] == [
        str(tmp_path / "general" / "2024-01-16.json")
    ]


def test_the_beginning_of_a_file_is_opened_once() -> None:
    """To find out who reads it, or that nobody does."""
    files = {"WhatsApp Chat with Bo.txt": CHAT.encode(), "junk.dat": b"\x01\x02" * 5000, "x.bin": bytes(100)}
    shelf = Shelf("shelf", files)
    parts(shelf, OPTIONS)
    assert len(shelf.streams) == len(files)
    assert all(stream.closed for stream in shelf.streams)


def test_every_reader_has_a_version() -> None:
    """Receipts tell which one read a file."""
    assert all(connector.version >= 1 for connector in default_connectors())
