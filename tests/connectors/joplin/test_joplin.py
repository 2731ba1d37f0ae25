"""Joplin: notes with notebooks, tags, files and to-dos; the trash, encrypted notes, damage; JEX and RAW alike."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterable
from datetime import UTC
from pathlib import Path

import pytest

from memd.connectors.connector import Connector, ReadOptions, Record
from memd.connectors.formats.joplin.connector import JoplinConnector
from memd.connectors.formats.joplin.items import joplin_item
from memd.connectors.opening.open_source import open_source
from memd.connectors.reading.read_path import read_records
from memd.schemas import Notice, Rejected, TextDocument
from memd.tests.contracts.connector import ConnectorContract, Download, Samples, Shelf

OPTIONS = ReadOptions(zone=UTC, zone_origin="option")
NOTE, HOUSE, GARDEN, TAG, FILE, LINK = (letter * 32 for letter in "abcdef")


def item(identifier: str, kind: int, text: str = "", **properties: object) -> dict[str, bytes]:
    """A file of an export."""
    times = {"created_time": "2024-01-15T10:30:00.000Z", "updated_time": "2024-01-16T09:00:00.000Z"}
    block = {"id": identifier, **times, **properties, "type_": kind}
    body = "\n".join(f"{key}: {value}" for key, value in block.items())
    return {f"{identifier}.md": (f"{text}\n\n{body}" if text else body).encode()}


BODY = f"Boats\n\nThe Wren leaks.\n\n- [ ] oakum\n\n![keel](:/{FILE})\n\nkey: value"
EXPORT = {
    **item(
        NOTE,
        1,
        BODY,
        parent_id=GARDEN,
        latitude="51.50000000",
        longitude="9.00000000",
        author="Ann",
        source_url="https://example.org/wren",
        is_todo=1,
        todo_due=1705320000000,
        todo_completed=0,
        is_conflict=0,
        markup_language=1,
        deleted_time=0,
    ),
    **item(HOUSE, 2, "House", parent_id=""),
    **item(GARDEN, 2, "Garden", parent_id=HOUSE),
    **item(TAG, 5, "sea"),
    **item(FILE, 4, "keel.png", mime="image/png"),
    **item(LINK, 6, note_id=NOTE, tag_id=TAG),
}


class TestContract(ConnectorContract):
    """The suite."""

    readers = ("joplin.connector:_note",)
    download = Download(
        "the beehive moved to the orchard", item("0123456789abcdef" * 2, 1, "Bees\n\nthe beehive moved to the orchard")
    )

    @pytest.fixture
    def connector(self) -> Connector:
        """Joplin's."""
        return JoplinConnector()

    @pytest.fixture
    def samples(self) -> Samples:
        """An export."""
        return {"export": EXPORT}


def read(files: dict[str, bytes]) -> list[Record]:
    """Everything in an export."""
    return list(JoplinConnector().read(Shelf("export", files), OPTIONS))


def texts(records: Iterable[Record]) -> list[TextDocument]:
    """The notes."""
    return [record for record in records if isinstance(record, TextDocument)]


def test_a_note() -> None:
    """Its words to the last line that is no property, and all that other items say of it."""
    (boats,) = texts(read(EXPORT))
    assert boats.id == f"joplin:{NOTE}"
    assert boats.content == f"# Boats\n\nThe Wren leaks.\n\n- [ ] oakum\n\n![keel](:/{FILE})\n\nkey: value\n"
    assert str(boats.timestamp) == "2024-01-15 10:30:00+00:00"
    assert boats.tags == ("sea",)
    assert boats.metadata == {
        "source": "joplin",
        "title": "Boats",
        "path": f"export/{NOTE}.md",
        "media_type": "text/markdown",
        "notebook": "House > Garden",
        "author": "Ann",
        "url": "https://example.org/wren",
        "created": "2024-01-15T10:30:00Z",
        "updated": "2024-01-16T09:00:00Z",
        "place": "51.50000000,9.00000000",
        "todo": "open",
        "due": "2024-01-15T12:00:00Z",
        "attachments": '["keel.png"]',
    }


def test_an_archive_and_a_folder_are_alike(tmp_path: Path) -> None:
    """JEX is a tar archive; notes are found in it as they are in RAW."""
    folder = tmp_path / "raw"
    folder.mkdir()
    with tarfile.open(tmp_path / "export.jex", "w") as archive:
        for name, data in EXPORT.items():
            (folder / name).write_bytes(data)
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    found: list[str] = []
    for path in (folder, tmp_path / "export.jex"):
        (document,) = texts(read_records(open_source(path), OPTIONS))
        found.append(document.content)
    assert found[0] == found[1]


def test_what_is_not_read_is_told() -> None:
    """The trash by a count; an encrypted note, an empty one, and a file without properties by a rejection."""
    trash = item("1" * 32, 1, "Old\n\nwords", deleted_time=1705320000000)
    secret = item("2" * 32, 1, "Secret", encryption_applied=1)
    empty, damaged = item("3" * 32, 1), {f"{'4' * 32}.md": b"only words"}
    records = read({**trash, **secret, **empty, **damaged})
    assert [each.code for each in records if isinstance(each, Notice)] == ["notes-left-out"]
    reasons = [each.reason for each in records if isinstance(each, Rejected)]
    assert [reason.partition(":")[0] for reason in reasons] == [
        "an encrypted note",
        "an empty note",
        "not an item of Joplin",
    ]


def test_of_exports_beside_each_other_the_latest_form_of_a_note_counts() -> None:
    """In whatever order they are read; what is in the trash by then is gone."""
    late = item(NOTE, 1, "Late", updated_time="2024-05-01T00:00:00.000Z")
    for first, second in ((late, item(NOTE, 1, "Early")), (item(NOTE, 1, "Early"), late)):
        (note,) = texts(read({f"1/{NOTE}.md": first[f"{NOTE}.md"], f"2/{NOTE}.md": second[f"{NOTE}.md"]}))
        assert note.content == "# Late\n"


def test_a_clipped_page_is_read_as_text() -> None:
    """Its mark-up is no word of anybody."""
    (page,) = texts(read(item(NOTE, 1, "Hut\n\n<p>forty <b>beds</b></p>", markup_language=2)))
    assert page.content == "# Hut\n\nforty beds\n"


def test_notebooks_in_a_circle_end() -> None:
    """A damaged export names no notebook for ever."""
    circle = {**item(HOUSE, 2, "House", parent_id=GARDEN), **item(GARDEN, 2, "Garden", parent_id=HOUSE)}
    (note,) = texts(read({**item(NOTE, 1, "x", parent_id=HOUSE), **circle}))
    assert note.metadata["notebook"] == "Garden > House"


def test_properties_of_any_length_are_found_where_the_name_is_an_id() -> None:
    """Such as those of an encrypted note, whose words would be read as a note of somebody else's otherwise."""
    for size in (900, 9_000, 90_000):
        secret = next(read_records(Shelf("raw", item(NOTE, 1, "", cipher="A" * size, encryption_applied=1)), OPTIONS))
        assert isinstance(secret, Rejected)
        assert secret.reason.startswith("an encrypted note")


def test_a_note_about_joplin_is_a_note() -> None:
    """It ends as an item does, and its name is no id."""
    (data,) = item(NOTE, 1, "# The format\n\nIt ends like this:", parent_id=GARDEN).values()
    (note,) = texts(read_records(Shelf("vault", {"format.md": data}), OPTIONS))
    assert note.metadata["source"] == "notes"
    (renamed,) = texts(read_records(Shelf("raw", {"boats.md": item(NOTE, 1, "Boats\n\noakum")[f"{NOTE}.md"]}), OPTIONS))
    assert renamed.id == f"joplin:{NOTE}"


def test_blanks_behind_the_properties_and_times_at_the_end_of_all_years() -> None:
    """Neither costs the note."""
    (name, data), *_ = item(NOTE, 1, "Boats\n\noakum", user_created_time="9999-12-31T23:59:59-10:00").items()
    (note,) = texts(read({name: data + b" \n"}))
    assert (note.content, note.metadata["updated"]) == ("# Boats\n\noakum\n", "2024-01-16T09:00:00Z")


@pytest.mark.parametrize("text", ["", "words", "id: x", "type_: 1", "a\nid: x\ntype_: 1", "id: x\ntype_: one"])
def test_a_text_without_properties_is_no_item(text: str) -> None:
    """They stand in a paragraph of their own, with an id and a type."""
    assert joplin_item(text) is None
