"""Who reads what, in files, folders and archives that hold several formats."""

from __future__ import annotations

import gzip
import io
import sys
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC
from hashlib import sha256
from pathlib import Path

import pytest

from memd.connectors.connector import Connector, Preview, ReadOptions, Record, Source
from memd.connectors.opening.limits import Limits
from memd.connectors.opening.open_source import open_source
from memd.connectors.reading import registry
from memd.connectors.reading.detection import choose, rank
from memd.connectors.reading.read_path import previews, read_records
from memd.connectors.reading.reading_log import ReadingLog
from memd.connectors.reading.registry import connector_named, default_connectors, formats
from memd.connectors.reading.source_parts import Part, claimant, parts
from memd.schemas import Notice, Rejected, TextDocument
from memd.schemas.errors import InvalidError, SourceError
from memd.tests.cases import for_each
from memd.tests.contracts.connector import Shelf

OPTIONS = ReadOptions(zone=UTC, zone_origin="option")
CHAT = "".join(
    f"1/{day}/24, 10:{minute:02d} - {'Ann' if minute % 2 else 'Bo'}: words {minute}\n"
    for day in (14, 15)
    for minute in range(8)
)


@dataclass
class Marked:
    """A format of our own for these tests: files that begin with a mark, one document each."""

    name: str
    mark: bytes
    score: float = 0.9
    read_files: list[list[str]] = field(default_factory=list[list[str]])
    version: int = 1

    def sniff(self, source: Source) -> float:
        """Sure when any member begins with the mark."""
        for member in source.members():
            with member.open() as stream:
                if stream.read(len(self.mark)) == self.mark:
                    return self.score
        return 0.1

    def preview(self, source: Source, options: ReadOptions) -> Preview:
        """The format alone."""
        del options
        return Preview(format=self.name, title=source.name)

    def read(self, source: Source, options: ReadOptions) -> Iterator[Record]:
        """One text for each member with the mark."""
        del options
        self.read_files.append([member.name for member in source.members()])
        for member in source.members():
            with member.open() as stream:
                data = stream.read()
            if b"broken" in data:
                raise SourceError(f"{member.locator}: broken")
            if data.startswith(self.mark):
                yield TextDocument(id=member.name, content=data.decode())


def ids(records: Sequence[Record]) -> list[str]:
    """The ids of the documents."""
    return [record.id for record in records if not isinstance(record, Notice | Rejected)]


def rejected(records: Sequence[Record]) -> list[str]:
    """The last part of each rejected place."""
    return [record.locator.rpartition("/")[2] for record in records if isinstance(record, Rejected)]


def test_the_surest_is_chosen_and_the_runner_up_named() -> None:
    """Scores are ranked; two that are close are both named, and a flag decides."""
    sure, less = Marked("sure", b"#", 0.9), Marked("less", b"#", 0.7)
    source = Shelf("s", {"a": b"#"})
    ranking = rank(source, [less, sure])
    assert ranking.best == (sure, 0.9)
    assert ranking.runner_up == (less, 0.7)
    assert choose(source, OPTIONS, [less, sure]) is sure
    close = Marked("close", b"#", 0.88)
    with pytest.raises(SourceError, match=r"like sure .* and like close") as error:
        choose(source, OPTIONS, [close, sure])
    assert "--format close" in error.value.hint
    assert choose(source, replace(OPTIONS, format="close"), [close, sure]) is close


def test_what_nobody_recognises_is_an_error_that_leads_to_the_formats() -> None:
    """The hint says what lists them, for it is told of every such file; a wrong format name is refused, too."""
    with pytest.raises(SourceError, match="no format") as error:
        choose(Shelf("s", {"a": bytes(9)}), OPTIONS)
    assert error.value.hint == "`memd sources --formats` lists what is read; --format names one"
    with pytest.raises(InvalidError, match="'nope'"):
        choose(Shelf("s", {"a": bytes(9)}), replace(OPTIONS, format="nope"))


def test_names_of_formats_are_unique() -> None:
    """A name is a flag's value and a document's source."""
    names = [connector.name for connector in default_connectors()]
    assert len(set(names)) == len(names)
    assert {"whatsapp", "notes", "documents"} <= set(names)


def test_a_folder_of_several_formats_is_shared_out(tmp_path: Path) -> None:
    """Each file goes to who recognises it, the rest to everybody whose files it lies beside; archives are read by
    themselves.
    """
    hashes, stars = Marked("hashes", b"#"), Marked("stars", b"*")
    for name, text in (("a", "#1"), ("b", "*2"), ("c", "#3"), ("d.jpg", "?")):
        (tmp_path / name).write_text(text)
    with zipfile.ZipFile(tmp_path / "e.zip", "w") as packed:
        packed.writestr("inner", "*4")
        packed.writestr("../evil", "*5")
    with zipfile.ZipFile(tmp_path / "f.zip", "w") as packed:
        packed.writestr("nothing", "?")
    (tmp_path / "g.zip").write_bytes(b"PK\x03\x04 no archive")
    known: list[Connector] = [hashes, stars]
    records = list(read_records(tmp_path, OPTIONS, connectors=known))
    assert ids(records) == ["a", "c", "b", "inner"]
    assert hashes.read_files == [["a", "c", "d.jpg", "f.zip"]]
    assert stars.read_files == [["b", "d.jpg", "f.zip"], ["inner"]]
    assert sorted(rejected(records)) == ["evil", "g.zip"]
    assert [s.format for s in previews(tmp_path, OPTIONS, connectors=known)] == ["hashes", "stars", "stars"]


def test_an_attachment_may_be_an_archive(tmp_path: Path) -> None:
    """A document of an office, sent in a chat, stays the chat's; archives of chats in an archive are chats."""
    office = io.BytesIO()
    with zipfile.ZipFile(office, "w") as packed:
        packed.writestr("word/document.xml", "<xml/>")
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as packed:
        packed.writestr("WhatsApp Chat with Cy.txt", CHAT)
    path = tmp_path / "WhatsApp Chat with Bo.zip"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("WhatsApp Chat with Bo.txt", CHAT)
        packed.writestr("plan.docx", office.getvalue())
        packed.writestr("other.zip", inner.getvalue())
    found = parts(open_source(path), OPTIONS)
    assert [[m.name for m in part.source.members()] for part in found if isinstance(part, Part)] == [
        ["WhatsApp Chat with Bo.txt", "plan.docx"],
        ["WhatsApp Chat with Cy.txt"],
    ]
    assert rejected(list(read_records(path, OPTIONS))) == []


def test_archives_in_an_archive_share_the_memory_they_may_take(tmp_path: Path) -> None:
    """What does not fit any more is refused with a way out."""
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as packed:
        packed.writestr("a.json", '{"id":"a","content":"one"}')
    path = tmp_path / "outer.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for n in range(3):
            packed.writestr(f"{n}.zip", inner.getvalue())
    limits = Limits(nested_bytes=2 * len(inner.getvalue()))
    records = list(read_records(path, OPTIONS, limits=limits))
    assert ids(records) == ["a", "a"]
    assert rejected(records) == ["outer.zip!2.zip"]


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_bundle_of_exports_is_read_through(tmp_path: Path, method: int) -> None:
    """Chats and a vault, each an archive in one archive; an archive inside those is refused, and told."""

    def packed(files: dict[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
        data = io.BytesIO()
        with zipfile.ZipFile(data, "w", method) as archive:
            for name, content in files.items():
                archive.writestr(name, content)
        return data.getvalue()

    deep = packed({"c.md": "# C"})
    path = tmp_path / "bundle.zip"
    path.write_bytes(
        packed(
            {
                "WhatsApp Chat with Bo.zip": packed({"WhatsApp Chat with Bo.txt": CHAT, "IMG-1.jpg": bytes(5000)}),
                "exports/WhatsApp Chat with Cy.zip": packed({"WhatsApp Chat with Cy.txt": CHAT}),
                "vault.zip": packed({"a.md": "# A", "sub/b.md": "# B", "deep.zip": deep}),
                "plan.odt": packed({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": "<a/>"}),
                "readme.md": "# What this is",
            },
            method,
        )
    )
    records = list(read_records(path, OPTIONS))
    assert sorted(ids(records)) == [
        "notes:bundle/readme.md",
        "notes:vault/a.md",
        "notes:vault/sub/b.md",
        "whatsapp:Bo:2024-01-14",
        "whatsapp:Bo:2024-01-15",
        "whatsapp:Cy:2024-01-14",
        "whatsapp:Cy:2024-01-15",
    ]
    assert [r for r in records if isinstance(r, Rejected)] == [
        Rejected(
            locator=f"{path}!vault.zip!deep.zip",
            reason="an archive inside too many archives; unpack the outer one",
        )
    ]
    assert sorted(s.format for s in previews(path, OPTIONS)) == ["notes", "notes", "whatsapp", "whatsapp"]


def test_a_file_of_an_office_is_no_folder_of_notes(tmp_path: Path) -> None:
    """An archive that is one file of a program holds texts, but none of a person."""
    with zipfile.ZipFile(tmp_path / "plan.odt", "w") as packed:
        packed.writestr("mimetype", "application/vnd.oasis.opendocument.text")
        packed.writestr("content.xml", "<a/>")
    with pytest.raises(SourceError, match="LibreOffice"):
        list(read_records(tmp_path / "plan.odt", OPTIONS))


def test_why_nothing_was_read_is_told(tmp_path: Path) -> None:
    """When all that was found was refused, the first refusal is the error."""
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("chat.txt", CHAT)
    data = bytearray(path.read_bytes())
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(bytes(data))
    with pytest.raises(SourceError, match="encrypted"):
        list(read_records(path, OPTIONS))


def test_what_is_wrong_with_an_unreadable_source_is_told(tmp_path: Path) -> None:
    """Emptiness, an archive without its beginning, and one too deep are no unknown formats."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("chat.txt", CHAT)
    deep = packed.getvalue()
    for level in range(2):
        around = io.BytesIO()
        with zipfile.ZipFile(around, "w") as archive:
            archive.writestr(f"{level}.zip", deep)
        deep = around.getvalue()
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a").touch()
    for name, data, message in (
        ("nothing.txt", b"", "nothing.txt: it is empty"),
        ("blank.txt", b" \n", "blank.txt: it is empty"),
        ("folder", None, "folder: every file in it is empty"),
        ("cut.zip", packed.getvalue()[:40], "cut.zip: the zip archive is cut off"),
        ("headless.zip", packed.getvalue()[4:], "headless.zip: it has the name of a zip archive"),
        ("deep.zip", deep, "deep.zip!1.zip!0.zip: an archive inside too many archives"),
    ):
        if data is not None:
            (tmp_path / name).write_bytes(data)
        with pytest.raises(SourceError) as caught:
            list(read_records(tmp_path / name, OPTIONS))
        assert caught.value.message.startswith(f"{tmp_path}/{message}")


def zipped(files: dict[str, bytes]) -> bytes:
    """An archive of these files."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in files.items():
            packed.writestr(name, content)
    return data.getvalue()


def encrypted(archive: bytes) -> bytes:
    """The same archive with a directory that calls its first member encrypted."""
    data = bytearray(archive)
    data[data.index(b"PK\x01\x02") + 8] |= 1
    return bytes(data)


LONG = "".join(f"1/14/24, 10:{n % 60:02d} - Ann: {sha256(bytes([n])).hexdigest()}\n" for n in range(250)).encode()
"""A chat of about 20 KiB, and half of that packed."""


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("locked.zip", encrypted(zipped({"c.txt": CHAT.encode()})), {"locked.zip!c.txt": "encrypted"}),
        (
            "deep.zip",
            zipped({"b.zip": zipped({"c.zip": zipped({"c.txt": CHAT.encode()})})}),
            {"deep.zip!b.zip!c.zip": "inside too many archives"},
        ),
        ("cut.gz", gzip.compress(LONG)[:6000], {"cut.gz": "ends too early"}),
        (
            "bad.zip",
            zipped({"c.txt": LONG}).replace(zipped({"c.txt": LONG})[6000:6100], bytes(100)),
            {"bad.zip!c.txt": "damaged"},
        ),
    ],
    ids=["encrypted", "too deep", "cut off", "damaged"],
)
def test_an_export_that_cannot_be_read_is_told_beside_others(
    tmp_path: Path, name: str, data: bytes, told: dict[str, str]
) -> None:
    """It is no attachment of the chat beside it: it may be the only copy of another."""
    (tmp_path / name).write_bytes(data)
    with pytest.raises(SourceError, match="|".join(told.values())):
        list(read_records(tmp_path / name, OPTIONS))
    (tmp_path / "WhatsApp Chat with Bo.txt").write_text(CHAT)
    records = list(read_records(tmp_path, OPTIONS))
    assert ids(records) == ["whatsapp:Bo:2024-01-14", "whatsapp:Bo:2024-01-15"]
    found = {r.locator.removeprefix(f"{tmp_path}/"): r.reason for r in records if isinstance(r, Rejected)}
    assert found.keys() == told.keys()
    assert all(told[place] in reason for place, reason in found.items())


def test_a_chat_with_zero_bytes_is_read_beside_others(tmp_path: Path) -> None:
    """As it is alone, a note of that kind and a picture are left out."""
    (tmp_path / "WhatsApp Chat with Bo.txt").write_bytes(CHAT.encode().replace(b"\n", bytes(40) + b"\n", 1))
    (tmp_path / "a.md").write_text("# A")
    (tmp_path / "b.md").write_bytes(b"# B" + bytes(2))
    (tmp_path / "c.txt").write_bytes(b"some words " + bytes(9))
    (tmp_path / "d.jpg").write_bytes(b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01" + bytes(range(256)) * 8)
    records = list(read_records(tmp_path, OPTIONS))
    assert [each for each in ids(records) if each.startswith("whatsapp")] == [
        "whatsapp:Bo:2024-01-14",
        "whatsapp:Bo:2024-01-15",
    ]
    assert [each for each in ids(records) if "d.jpg" in each or "c.txt" in each] == []


def test_a_part_that_breaks_leaves_the_others(tmp_path: Path) -> None:
    """Alone it is an error, beside others a rejection."""
    (tmp_path / "a").write_text("#broken")
    known: list[Connector] = [Marked("hashes", b"#"), Marked("stars", b"*")]
    with pytest.raises(SourceError):
        list(read_records(tmp_path, OPTIONS, connectors=known))
    (tmp_path / "b").write_text("*2")
    records = list(read_records(tmp_path, OPTIONS, connectors=known))
    assert ids(records) == ["b"]
    assert len(rejected(records)) == 1


def test_a_named_format_is_not_sniffed(tmp_path: Path) -> None:
    """The user knows better."""
    (tmp_path / "a").write_text("?")
    known: list[Connector] = [Marked("hashes", b"#"), Marked("stars", b"*")]
    with pytest.raises(SourceError):
        list(read_records(tmp_path, OPTIONS, connectors=known))
    for path in (tmp_path, tmp_path / "a"):
        found = parts(open_source(path), replace(OPTIONS, format="stars"), connectors=known)
        assert [part.connector.name for part in found if isinstance(part, Part)] == ["stars"]


def test_the_real_formats_share_a_folder(tmp_path: Path) -> None:
    """A chat as a file, a chat in an archive, documents as lines, and a picture."""
    (tmp_path / "WhatsApp Chat with Bo.txt").write_text(CHAT)
    with zipfile.ZipFile(tmp_path / "WhatsApp Chat with Cy.zip", "w") as packed:
        packed.writestr("WhatsApp Chat with Cy.txt", CHAT)
        packed.writestr("IMG-1.jpg", b"\xff\xd8\xff" + bytes(5000))
    (tmp_path / "docs.jsonl").write_text('{"id":"a","content":"one"}\n{bad\n{"id":"b","content":"two"}\n')
    (tmp_path / "photo.jpg").write_bytes(b"\xff\xd8\xff" + bytes(5000))
    records = list(read_records(tmp_path, OPTIONS))
    assert ids(records) == [
        "whatsapp:Bo:2024-01-14",
        "whatsapp:Bo:2024-01-15",
        "a",
        "b",
        "whatsapp:Cy:2024-01-14",
        "whatsapp:Cy:2024-01-15",
    ]
    assert rejected(records) == ["docs.jsonl:2"]
    assert [s.format for s in previews(tmp_path, OPTIONS)] == ["whatsapp", "documents", "whatsapp"]


def test_documents_beside_rubbish_tell_it(tmp_path: Path) -> None:
    """A file that no format reads is told as skipped, not passed over."""
    (tmp_path / "a.json").write_text('{"id":"a","content":"one"}')
    (tmp_path / "b.csv").write_text("just,words")
    log = ReadingLog()
    records = list(read_records(tmp_path, OPTIONS, log=log))
    assert ids(records) == ["a"]
    assert rejected(records) == []
    assert [Path(file.path).name for file in log.skipped] == ["b.csv"]


def test_notes_give_way_to_who_knows_more(tmp_path: Path) -> None:
    """A chat, documents and notes in one folder: each is read by its own; a picture is counted by the chat's reader."""
    (tmp_path / "WhatsApp Chat with Bo.txt").write_text(CHAT)
    (tmp_path / "a.json").write_text('{"id":"a","content":"one"}')
    (tmp_path / "b.txt").write_text("Dear Bo, this is a letter.")
    (tmp_path / "c.md").write_text("# C\n\n[[b]]")
    (tmp_path / "wide.txt").write_bytes("without any mark at all".encode("utf-16-le"))
    records = list(read_records(tmp_path, OPTIONS))
    root = f"notes:{tmp_path.name}"
    assert ids(records) == [
        "whatsapp:Bo:2024-01-14",
        "whatsapp:Bo:2024-01-15",
        f"{root}/b.txt",
        f"{root}/c.md",
        f"{root}/wide.txt",
        "a",
    ]
    assert rejected(records) == []


@for_each(["# A", "words", "[[1]] - x", "2024-01-15 words", "{words}", "- [ ] a: b"])
def test_no_text_is_too_close_to_call(text: str) -> None:
    """What barely looks like one format and is surely a text raises no question."""
    assert choose(Shelf("a.txt", {"a.txt": text.encode()}), OPTIONS).name == "notes"


def test_a_note_about_documents_is_a_note() -> None:
    """JSON in a fence under a heading is not what the file is."""
    text = '# Format\n\n```json\n{"id": "a", "conversation": {"source": "x"}}\n```\n'
    assert choose(Shelf("format.md", {"format.md": text.encode()}), OPTIONS).name == "notes"


@pytest.mark.parametrize(
    "data",
    [CHAT.replace("words 3", "wor\0ds 3", 1), CHAT.replace("words", "\0\0\0"), CHAT + "\0" * 10_000],
    ids=["one", "many", "a tail of them"],
)
def test_a_chat_with_zeros_in_it_is_a_chat(tmp_path: Path, data: str) -> None:
    """A file system leaves them where it lost something; as a note, a chat would be one text."""
    path = tmp_path / "WhatsApp Chat with Bo.txt"
    path.write_text(data)
    assert ids(list(read_records(path, OPTIONS))) == ["whatsapp:Bo:2024-01-14", "whatsapp:Bo:2024-01-15"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_chat_that_says_its_encoding_is_a_chat(tmp_path: Path, encoding: str) -> None:
    """As an editor saved it, alone and beside another."""
    (tmp_path / "WhatsApp Chat with Cy.txt").write_text(CHAT)
    path = tmp_path / "WhatsApp Chat with Bo.txt"
    path.write_text(CHAT, encoding)
    assert ids(list(read_records(path, OPTIONS))) == ["whatsapp:Bo:2024-01-14", "whatsapp:Bo:2024-01-15"]
    assert len(ids(list(read_records(tmp_path, OPTIONS)))) == 4


def test_a_text_in_a_chats_archive_is_its_attachment(tmp_path: Path) -> None:
    """Beside the chat, but not in another folder, and not what is surely a note."""
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as packed:
        packed.writestr("WhatsApp Chat with Cy.txt", CHAT)
        packed.writestr("recipe.txt", "Flour and water.")
        packed.writestr("heading.md", "# Heading")
        packed.writestr("notes/letter.txt", "Dear Cy,")
        packed.writestr("docs/docs.jsonl", '{"id":"a","content":"one"}')
        packed.writestr("docs/about.txt", "About the documents.")
    records = list(read_records(tmp_path / "a.zip", OPTIONS))
    assert ids(records) == [
        "whatsapp:Cy:2024-01-14",
        "whatsapp:Cy:2024-01-15",
        "notes:a/heading.md",
        "notes:a/notes/letter.txt",
        "notes:a/docs/about.txt",
        "a",
    ]
    assert [r.locator.rpartition("!")[2] for r in records if isinstance(r, Notice) and r.code == "not-a-chat"] == [
        "recipe.txt"
    ]


def test_standard_input_is_surveyed_and_then_read() -> None:
    """It is opened once; both come from the same source."""
    source = open_source("-", stdin=io.BytesIO(b'{"id":"a","content":"one"}\n' * 3))
    assert [s.format for s in previews(source, OPTIONS)] == ["documents"]
    assert ids(list(read_records(source, OPTIONS))) == ["a"] * 3


def test_an_empty_folder_is_an_error(tmp_path: Path) -> None:
    """Nothing could be read, so nothing is claimed to be done."""
    with pytest.raises(SourceError, match="no file in it"):
        list(read_records(tmp_path, OPTIONS))


def test_each_format_describes_itself() -> None:
    """In words, by its rank, by the name and class of its connector."""
    assert [each.name for each in formats()] == [connector.name for connector in default_connectors()]
    assert all(each.reads and each.leaves_out for each in formats())
    assert len({each.rank for each in formats()}) == len(formats())


ADDED = """
from memd.connectors.connector import Format

FORMAT = Format("stars", rank=5, connector="starred:StarsConnector", reads="lines of stars", leaves_out="all else")


class StarsConnector:
    name = "stars"
    version = 1

    def sniff(self, source):
        with source.members()[0].open() as stream:
            return 1.0 if stream.read(3) == b"***" else 0.0
"""


def test_a_package_adds_a_format(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By an entry point; none takes the place of one of memd's own."""
    (tmp_path / "starred.py").write_text(ADDED + '\n\nOTHER = Format("whatsapp", connector="starred:StarsConnector")\n')
    (tmp_path / "starred-1.0.dist-info").mkdir()
    (tmp_path / "starred-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: starred\nVersion: 1.0\n")
    (tmp_path / "starred-1.0.dist-info" / "entry_points.txt").write_text(
        "[memd.connectors]\nstars = starred:FORMAT\nother = starred:OTHER\n"
    )
    own = [each.name for each in formats()]
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    registry.formats.cache_clear()
    try:
        assert [each.name for each in formats()] == ["stars", *own]
        assert connector_named("whatsapp", default_connectors()).__class__.__name__ == "WhatsAppConnector"
        (tmp_path / "night").write_text("*** a star\n")
        assert claimant(open_source(tmp_path / "night").members()[0], OPTIONS) == "stars"
    finally:
        registry.formats.cache_clear()
        sys.modules.pop("starred", None)
