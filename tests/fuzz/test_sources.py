"""Every connector on exports that were changed at random: documents, notices and rejections come out, and nothing else."""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
import zipfile
from datetime import UTC
from itertools import product
from pathlib import Path
from typing import Any, cast
from zoneinfo import ZoneInfo

import orjson
from hypothesis import given
from hypothesis import strategies as st

from memd.connectors.connector import ReadOptions, Record
from memd.connectors.formats.jsondocs.connector import DocumentsConnector
from memd.connectors.formats.notes.connector import NotesConnector
from memd.connectors.formats.whatsapp.connector import WhatsAppConnector
from memd.connectors.reading.read_path import previews, read_records
from memd.connectors.text.json_parsing import parse_json
from memd.connectors.text.json_splitter import JSONSplitter
from memd.schemas import Notice, Rejected, document_from_wire, document_to_line
from memd.schemas.errors import InvalidError, SourceError
from memd.tests.cases import for_each
from memd.tests.fuzz.mutation import Held, anything, examples, mutated

CHATS = [
    (
        "15/01/2024, 12:00 - Messages and calls are end-to-end encrypted.\n15/01/2024, 12:00 - Ann: Where is Bob?\n"
        "15/01/2024, 12:01 - Bob: in Lisbon\nand more\n16/01/2024, 12:02 - Ann: IMG-1.jpg (file attached)\n"
    ),
    "[15.01.24, 12:00:00] Ann: \u200e<attached: 1-PHOTO.jpg>\r\n[15.01.24, 12:00:01] Bob: hallo\r\n\u200e[15.01.24, 12:00:02] Ann: \u200eBob left\r\n",
    "1/15/24, 9:41\u202fPM - Bob: hi <This message was edited>\n1/16/24, 9:42\u202fAM - Bob: POLL:\nWhere?\nOPTION: here (1 vote)\n",
    "2024/1/15 \u4e0b\u53488:05 - Ann: \u4f60\u597d\n2024/1/16 \u4e0a\u53488:05 - \u674e: \u4f60\u597d\n",
]
DOCUMENTS = [
    {
        "id": "n:1",
        "content": "# A\n\ntext",
        "timestamp": "2024-01-15T12:00:00Z",
        "tags": ["a"],
        "metadata": {"title": "t"},
    },
    {
        "id": "c:1",
        "conversation": {
            "source": "s",
            "people": ["Ann", "Bob"],
            "user": "Ann",
            "conversation": [
                {"speaker": "Ann", "content": "hi", "time": "2024-01-15T12:00:00+01:00", "id": "1", "kind": "text"},
                {
                    "speaker": "Bob",
                    "content": "[photo]",
                    "time": "2024-01-15T12:00:01Z",
                    "reply_to": "1",
                    "attachments": [{"name": "a.jpg", "size": 5}],
                    "reactions": [{"emoji": "x", "people": ["Ann"]}],
                    "edits": [{"content": "old", "time": "2024-01-15T12:00:00Z"}],
                },
            ],
        },
        "metadata": {"chat": "c"},
    },
]
NOTES = [
    "---\ntitle: A\ndate: 2024-01-15\ntags: [a, b]\naliases:\n  - x\nnested: {a: {b: [1, 2.5, null]}}\n---\n# Head\n\ntext #tag [[link|x]] [y](z.md)\n",
    "+++\ntitle = 'A'\ndate = 2024-01-15T12:00:00Z\n[extra]\na = [1, 2]\n+++\ntext\n```\ncode # no\n```\n",
    "Title\n=====\n\nplain text https://example.org/a(b) \\# x `#no`\n",
]
OPTIONS = ReadOptions(zone=ZoneInfo("Europe/Berlin"), zone_origin="option")
CHAT_SEEDS = [chat.encode(encoding) for chat in CHATS for encoding in ("utf-8", "utf-8-sig", "utf-16")]
DOCUMENT_SEEDS = [
    json.dumps(DOCUMENTS).encode(),
    b"\n".join(json.dumps(document).encode() for document in DOCUMENTS),
    json.dumps(DOCUMENTS[1], indent=2).encode("utf-16"),
]
NOTE_SEEDS = [note.encode() for note in NOTES]


def packed() -> list[bytes]:
    """Archives of all of these."""
    seeds: list[bytes] = []
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", method) as archive:
            archive.writestr("WhatsApp Chat with Bob.txt", CHATS[0])
            archive.writestr("deep/\u00e4.md", NOTES[0])
            archive.writestr("d.json", json.dumps(DOCUMENTS))
            archive.comment = b"hello"
            with archive.open("b.txt", "w", force_zip64=True) as member:
                member.write(b"text")
        seeds.append(buffer.getvalue())
    outer = io.BytesIO()
    with zipfile.ZipFile(outer, "w") as archive:
        archive.writestr("inner.zip", seeds[1])
    return [*seeds, outer.getvalue()]


def checked(records: list[Record]) -> None:
    """Each document can be written and read again, and is then the same."""
    for record in records:
        if isinstance(record, Notice | Rejected):
            assert orjson.dumps(record.to_wire())
            continue
        line = document_to_line(record)
        assert [document_to_line(each) for each in again(line)] == [line]  # type: ignore[arg-type]


def again(line: bytes) -> list[object]:
    """The document of a line."""
    return list(document_from_wire(orjson.loads(line), "again"))


@examples(80)
@given(mutated(CHAT_SEEDS), st.sampled_from([None, "Ann"]), st.sampled_from([None, "dmy", "mdy"]))
def test_chats(data: bytes, me: str | None, order: str | None) -> None:
    """A chat is read, twice alike, or refused."""
    source = Held("WhatsApp Chat with Bob.txt", data)
    options = ReadOptions(zone=UTC, zone_origin="option", me=me, date_order=order)  # type: ignore[arg-type]
    connector = WhatsAppConnector()
    assert 0 <= connector.sniff(source) <= 1
    with contextlib.suppress(SourceError, InvalidError):
        records = list(connector.read(source, options))
        assert records == list(connector.read(source, options))
        checked(records)
        connector.preview(source, options)


@examples(80)
@given(mutated(DOCUMENT_SEEDS))
def test_documents(data: bytes) -> None:
    """JSON is read, twice alike, or refused."""
    source = Held("d.json", data)
    connector = DocumentsConnector()
    assert 0 <= connector.sniff(source) <= 1
    with contextlib.suppress(SourceError):
        records = list(connector.read(source, OPTIONS))
        assert records == list(connector.read(source, OPTIONS))
        checked(records)


@examples(50)
@given(mutated(NOTE_SEEDS), st.sampled_from(["a.md", "a.txt", "2024-01-15 a.md", "deep/a.markdown", "a.org", ".md"]))
def test_notes(data: bytes, name: str) -> None:
    """A note is read, twice alike, or refused; its front matter runs nothing and unfolds into nothing endless."""
    source = Held(name, data)
    connector = NotesConnector()
    assert 0 <= connector.sniff(source) <= 1
    with contextlib.suppress(SourceError):
        records = list(connector.read(source, OPTIONS))
        assert records == list(connector.read(source, OPTIONS))
        checked(records)


@examples(60)
@given(
    mutated([*packed(), *CHAT_SEEDS, *DOCUMENT_SEEDS, *NOTE_SEEDS]),
    st.sampled_from(["a.zip", "a.txt", "a.json", "a.md", "a", "a.gz", "WhatsApp Chat with Bob.txt"]),
)
def test_any_file(data: bytes, name: str) -> None:
    """A file of any kind under any name, as the commands read it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(data)
        with contextlib.suppress(SourceError, InvalidError):
            list(previews(path, OPTIONS))
            checked(list(read_records(path, OPTIONS)))


@examples(60)
@given(st.binary(max_size=400))
def test_noise(data: bytes) -> None:
    """Bytes without any sense."""
    with contextlib.suppress(SourceError, InvalidError):
        checked(list(read_records(Held("noise", data), OPTIONS)))


@examples(100)
@given(mutated(DOCUMENT_SEEDS), st.integers(1, 4000))
def test_the_splitter(data: bytes, step: int) -> None:
    """Whatever the pieces in which it comes, the same values are found."""

    def values(step: int) -> list[tuple[object, str]]:
        stream = io.BytesIO(data)
        splitter = JSONSplitter(lambda _: stream.read(step), parse_json, lambda _: True, 1 << 20)
        return [(piece.value, piece.reason) for piece in splitter.pieces()]

    found = values(step)
    assert len(found) <= len(data) + 1
    assert [value for value, _ in found] == [value for value, _ in values(1 << 20)]


@examples(60)
@given(st.data())
def test_documents_of_other_types(data: st.DataObject) -> None:
    """Any value in any place of a document: a document that says the same again, or reasons."""
    whole = json.loads(json.dumps(data.draw(st.sampled_from(DOCUMENTS))))
    places = list(every_place(whole))
    for _ in range(data.draw(st.integers(1, 3))):
        holder, key = data.draw(st.sampled_from(places))
        value = data.draw(anything())
        if data.draw(st.booleans()):
            holder[key] = value
        elif isinstance(holder, dict):
            holder[data.draw(st.text(max_size=5))] = value
    records = list(document_from_wire(whole, "here"))
    assert records
    checked(records)


def every_place(value: Any) -> list[tuple[Any, Any]]:
    """Every container in a value with each of its keys."""
    keys: list[Any] = []
    if isinstance(value, dict):
        keys = list(cast("dict[str, Any]", value))
    elif isinstance(value, list):
        keys = list(range(len(cast("list[Any]", value))))
    places: list[tuple[Any, Any]] = []
    for key in keys:
        places += [(cast("Any", value), key), *every_place(value[key])]
    return places


OPENINGS = [
    "[",
    '{"a":',
    "[{",
    '[[[["',
    "---\na: " + "[" * 50,
    "---\n" + "- " * 50,
    "+++\na = [",
    "+++\na" + ".a" * 15_000 + " = 1\n+++\n",
    "# [[",
    "> ",
]


@for_each(product(OPENINGS, ["a.json", "a.md"], ["", '{"id": "a", "content": "b"}\n']))
def test_nesting_without_end(opening: str, name: str, before: str) -> None:
    """A hundred thousand levels deep, or fewer behind a document: told, and no stack overflows."""
    endless = opening + opening.rpartition("\n")[2][-5:] * (20_000 if before else 100_000)
    with contextlib.suppress(SourceError):
        assert list(read_records(Held(name, (before + endless).encode()), OPTIONS))
