"""Bear: backups of either version, text bundles and packs; tags, dates, ids; the trash, locked notes, damage."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterable, Mapping
from datetime import UTC
from pathlib import Path

import pytest

from memd.connectors.connector import Connector, ReadOptions, Record
from memd.connectors.formats.bear.connector import BearConnector
from memd.connectors.opening.open_source import open_source
from memd.connectors.reading.read_path import read_records
from memd.connectors.text.markdown import tags
from memd.schemas import Notice, Rejected, TextDocument
from memd.tests.contracts.connector import ConnectorContract, Download, Samples, Shelf

OPTIONS = ReadOptions(zone=UTC, zone_origin="option")
ID = "7E3F2A10-0B6C-4C55-9C1E-1D2B3A4C5D6E"
WORDS = '# Boats\n\nThe Wren leaks. ![](assets/keel.png)<!-- {"width":388} -->\n\n#sea/wood #winter trip#\n'


def info(identifier: str = ID, **more: object) -> bytes:
    """The properties of a note as Bear writes them."""
    dates = {"creationDate": "2024-01-15T10:30:00Z", "modificationDate": "2024-01-16T09:00:00Z"}
    flags = {"pinned": 0, "archived": 0, "trashed": 0, "trashedDate": None, "archivedDate": None}
    note = {**flags, **dates, "uniqueIdentifier": identifier, "lastEditingDevice": "Ann's iPad", **more}
    bundle = {"version": 2, "type": "net.daringfireball.markdown", "creatorURL": "/Applications/Bear.app"}
    value = {**bundle, "creatorIdentifier": "net.shinyfrog.bear", "net.shinyfrog.bear": note}
    return json.dumps(value, indent=2).replace("/", "\\/").encode()


def bundle(
    place: str, words: str = WORDS, text: str = "text.markdown", properties: bytes | None = None
) -> dict[str, bytes]:
    """The files of a note."""
    return {f"{place}{text}": words.encode(), f"{place}info.json": info() if properties is None else properties}


BACKUP = {
    **bundle("Bear Notes/Boats.textbundle/", properties=info(pinned=1)),
    "Bear Notes/Boats.textbundle/assets/keel.png": b"\x89PNG\0\0\0\0",
}


class TestContract(ConnectorContract):
    """The suite."""

    readers = ("bear.connector:_note",)
    download = Download(
        "the wheelwright wants two spokes",
        {
            **bundle("Notes/Wheel.textbundle/", "# Wheel\n\nthe wheelwright wants two spokes", properties=info("W-1")),
            **bundle("Notes/Hub.textbundle/", "# Hub\n\nelm", properties=info("W-2")),
        },
        archive="Bear Notes 2024-01-20 at 10.00.bear2bk",
    )

    @pytest.fixture
    def connector(self) -> Connector:
        """Bear's."""
        return BearConnector()

    @pytest.fixture
    def samples(self) -> Samples:
        """A backup, and a text bundle of another program."""
        other = b'{"version":2,"type":"net.daringfireball.markdown","creatorIdentifier":"com.example.editor"}'
        return {"backup": BACKUP, "bundle": bundle("Ropes.textbundle/", "Ropes\n\nhemp", "text.md", other)}


def read(files: Mapping[str, bytes]) -> list[Record]:
    """Everything in an export."""
    return list(BearConnector().read(Shelf("export", files), OPTIONS))


def texts(records: Iterable[Record]) -> list[TextDocument]:
    """The notes."""
    return [record for record in records if isinstance(record, TextDocument)]


def packed(files: Mapping[str, bytes]) -> bytes:
    """An archive."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return data.getvalue()


def test_a_note() -> None:
    """Its words as they stand; its dates, its id, its tags, also of several words; the names of its files."""
    (boats,) = texts(read(BACKUP))
    assert (boats.id, boats.content) == (f"bear:{ID}", WORDS)
    assert str(boats.timestamp) == "2024-01-15 10:30:00+00:00"
    assert boats.tags == ("sea/wood", "winter trip")
    assert boats.metadata == {
        "source": "bear",
        "title": "Boats",
        "path": "export/Bear Notes/Boats.textbundle/text.markdown",
        "media_type": "text/markdown",
        "pinned": "true",
        "x-lastEditingDevice": '"Ann\'s iPad"',
        "created": "2024-01-15T10:30:00Z",
        "updated": "2024-01-16T09:00:00Z",
        "links": '["assets/keel.png"]',
        "attachments": '["keel.png"]',
    }


@pytest.mark.slow
def test_in_whatever_form_bear_writes_it_a_note_is_the_same(tmp_path: Path) -> None:
    """Backups of either version, an archive within one, a pack with and without its folder, a bundle, a folder of bundles."""
    inside = {"Boats.textbundle/": "text.markdown", "": "text.markdown"}
    forms = {
        f"{number}.textpack": packed(bundle(place, text=text)) for number, (place, text) in enumerate(inside.items())
    }
    forms["now.bear2bk"] = packed({**BACKUP, "Bear Notes/tags.json": b'[{"title": "sea", "isPinned": true}]'})
    forms["old.bearbk"] = packed(bundle("Backup/Boats.textbundle/", text="text.txt"))
    forms["twice.zip"] = packed({"in.bear2bk": forms["now.bear2bk"]})
    for name, data in forms.items():
        (tmp_path / name).write_bytes(data)
    for number, (name, content) in enumerate(bundle("Boats.textbundle/", text="text.md").items()):
        (tmp_path / "folder" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "folder" / name).write_bytes(content)
        assert number < 2
    for place in (*forms, "folder", "folder/Boats.textbundle"):
        records = list(read_records(open_source(tmp_path / place), OPTIONS))
        (note,) = texts(records)
        assert (note.id, note.content, note.tags) == (f"bear:{ID}", WORDS, ("sea/wood", "winter trip")), place
        assert not [each for each in records if isinstance(each, Rejected)], place


def test_what_is_not_read_is_told() -> None:
    """The trash by a count; a locked note, and properties without a text, by a rejection."""
    trash = bundle("a.textbundle/", "# Old", properties=info("1", trashed=1))
    locked = bundle("b.textbundle/", "", properties=info("2"))
    records = read({**trash, **locked, "c.textbundle/info.json": info("3")})
    assert [each.code for each in records if isinstance(each, Notice)] == ["notes-left-out"]
    reasons = [each.reason.partition(",")[0] for each in records if isinstance(each, Rejected)]
    assert reasons == ["an empty note", "the properties of a note whose text is missing"]


def test_of_backups_beside_each_other_the_latest_form_of_a_note_counts() -> None:
    """In whatever order they are read."""
    early = bundle("x/N.textbundle/", "# Early")
    late = bundle("x/N.textbundle/", "# Late", properties=info(modificationDate="2024-05-01T00:00:00Z"))
    for first, second in ((early, late), (late, early)):
        files = {f"1/{name}": data for name, data in first.items()} | {
            f"2/{name}": data for name, data in second.items()
        }
        (note,) = texts(read(files))
        assert note.content == "# Late"


def test_a_bundle_of_another_program_is_read_with_what_it_says() -> None:
    """Its name, and where the text is from; its first line is its title; damaged properties cost only the dates."""
    other = b'{"version":2,"creatorIdentifier":"com.example.editor","sourceURL":"https://example.org/ropes"}'
    (note,) = texts(read(bundle("Ropes.textbundle/", "Hemp *ropes*\n\nare strong", properties=other)))
    assert (note.timestamp, note.metadata["title"]) == (None, "Hemp ropes")
    assert (note.metadata["program"], note.metadata["url"]) == ("com.example.editor", "https://example.org/ropes")
    damaged = read(bundle("Ropes.textbundle/", "#tag alone", properties=other[:-9]))
    assert [each.metadata["title"] for each in texts(damaged)] == ["Ropes"]
    assert [each.reason for each in damaged if isinstance(each, Rejected)] == [
        "the properties of a note that cannot be read"
    ]


def test_two_texts_in_a_bundle_are_two_notes() -> None:
    """The properties tell one; the other is called by its path."""
    files = {**BACKUP, "Bear Notes/Boats.textbundle/text.txt": b"Ropes of hemp"}
    names = [note.id for note in texts(read(files))]
    assert sorted(names) == [f"bear:{ID}", "bear:export/Bear Notes/Boats.textbundle/text.txt"]


def test_tags_of_several_words() -> None:
    """In a note of Bear's anywhere, in any other only in a line of their own; never in code and addresses."""
    text = "see #winter trip# in C#\n#big project#\n#one #two and #3\n`#no code#` #a/b#\n"
    assert tags(text, several_words=True) == ["winter trip", "big project", "one", "two", "a/b"]
    assert tags(text) == ["winter", "big project", "one", "two", "a/b"]
