"""Google Keep: words, lists, labels, times, pages beside and alone, the trash, damage, a later download."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC
from typing import Any

import pytest

from memd.connectors.connector import Connector, ReadOptions, Record
from memd.connectors.formats.google_keep.connector import GoogleKeepConnector
from memd.connectors.reading.read_path import read_records
from memd.schemas import Notice, Rejected, TextDocument
from memd.tests.contracts.connector import ConnectorContract, Download, Samples, Shelf

OPTIONS = ReadOptions(zone=UTC, zone_origin="option")
CREATED = 1_705_314_600_000_000


def note(words: str = "", title: str = "", **more: Any) -> bytes:
    """A note as Takeout writes it."""
    body = {"color": "DEFAULT", "isTrashed": False, "isPinned": False, "isArchived": False, "textContent": words}
    times = {"userEditedTimestampUsec": CREATED + 60_000_000, "createdTimestampUsec": CREATED}
    return json.dumps({**body, "title": title, **times, **more}).encode()


def page(title: str, words: str) -> bytes:
    """The page of a note."""
    return (
        f'<?xml version="1.0" ?><!DOCTYPE html><html><head><title>{title}</title></head><body><div class="note DEFAULT">'
        f'<div class="heading">Jan 15, 2024, 11:30:00 AM</div><div class="title">{title}</div>'
        f'<div class="content">{words}<br>see <a href="https://example.org/rope">ropes</a></div></div></body></html>'
    ).encode()


LIST = [{"text": "oakum", "isChecked": True}, {"textHtml": "<p>tar &amp; rope</p>", "isChecked": False}]
HUT = {"title": "Hut", "description": "forty beds", "url": "https://example.org/hut", "source": "WEBLINK"}
FULL = note(
    "The Wren leaks",
    "Boats",
    listContent=LIST,
    annotations=[HUT],
    labels=[{"name": "sea"}, {"name": "wood"}],
    attachments=[{"filePath": "keel.png", "mimetype": "image/png"}],
    sharees=[{"email": "bo@example.org", "isOwner": False, "type": "WRITER"}],
    isPinned=True,
    color="RED",
    mood="calm",
)


class TestContract(ConnectorContract):
    """The suite."""

    readers = ("google_keep.connector:_note", "google_keep.connector:_page")
    download = Download(
        "the trellis wants new hooks",
        {"Takeout/Keep/Arbour.json": note("the trellis wants new hooks", "Arbour")},
    )

    @pytest.fixture
    def connector(self) -> Connector:
        """Google Keep's."""
        return GoogleKeepConnector()

    @pytest.fixture
    def samples(self) -> Samples:
        """A note of each kind, and a page without JSON."""
        return {
            "Keep": {"Keep/Boats.json": FULL, "Keep/Boats.html": page("Boats", "The Wren leaks")},
            "page": {"Keep/Ropes.html": page("Ropes", "hemp")},
        }


def read(files: dict[str, bytes]) -> list[Record]:
    """Everything in a download."""
    return list(GoogleKeepConnector().read(Shelf("Takeout", files), OPTIONS))


def texts(records: Iterable[Record]) -> list[TextDocument]:
    """The notes."""
    return [record for record in records if isinstance(record, TextDocument)]


def test_a_note() -> None:
    """Its words, list, page and labels; times in UTC; what stands beside; a key that nobody knows is kept."""
    (boats,) = texts(read({"Keep/Boats.json": FULL}))
    assert boats.content == (
        "# Boats\n\nThe Wren leaks\n\n- [x] oakum\n- [ ] tar & rope\n\nHut · forty beds · https://example.org/hut\n"
    )
    assert str(boats.timestamp) == "2024-01-15 10:30:00+00:00"
    assert boats.tags == ("sea", "wood")
    assert boats.metadata == {
        "source": "google_keep",
        "title": "Boats",
        "path": "Takeout/Keep/Boats.json",
        "media_type": "text/markdown",
        "pinned": "true",
        "color": "red",
        "attachments": '["keel.png"]',
        "shared_with": '["bo@example.org"]',
        "x-mood": '"calm"',
        "created": "2024-01-15T10:30:00Z",
        "updated": "2024-01-15T10:31:00Z",
    }


def test_a_page_is_read_where_its_json_is_missing() -> None:
    """Beside its JSON it is the same note."""
    pages = {"Keep/Boats.html": page("Boats", "The Wren leaks"), "Keep/Ropes.html": page("Ropes", "hemp")}
    boats, ropes = texts(read({"Keep/Boats.json": note("The Wren leaks", "Boats"), **pages}))
    assert boats.metadata["path"].endswith("Boats.json")
    assert (ropes.timestamp, ropes.metadata["title"]) == (None, "Ropes")
    assert "hemp" in ropes.content
    assert ropes.metadata["links"] == '["https://example.org/rope"]'


def test_the_trash_is_left_out_and_counted() -> None:
    """Somebody threw these notes away."""
    (notice,) = read({"Keep/a.json": note("old", isTrashed=True), "Keep/b.json": note("older", isTrashed=True)})
    assert isinstance(notice, Notice)
    assert (notice.code, notice.hint) == ("notes-left-out", "2 note(s) in the trash were left out")


def test_a_later_download_supersedes_a_note() -> None:
    """By the time of its creation, whatever its title and file are by then; an old download has only the path."""
    (before,) = texts(read({"Keep/Boats.json": note("one", "Boats")}))
    (after,) = texts(read({"Keep/Oars.json": note("two", "Oars")}))
    assert before.id == after.id == f"google_keep:{CREATED}"
    (old,) = texts(read({"Keep/Boats.json": note("one", "Boats", createdTimestampUsec=None)}))
    assert old.id == "google_keep:Takeout/Keep/Boats.json"
    assert str(old.timestamp) == "2024-01-15 10:31:00+00:00"


def test_downloads_beside_each_other_have_the_same_notes() -> None:
    """In whatever order they are read, the form that was changed last counts."""
    early, late = note("early", "A"), note("late", "A", userEditedTimestampUsec=CREATED + 90_000_000)
    for first, second in ((early, late), (late, early)):
        documents = texts(read({"takeout-1/Keep/A.json": first, "takeout-2/Keep/A.json": second}))
        assert {each.id for each in documents} == {f"google_keep:{CREATED}"}
        assert documents[-1].content == "# A\n\nlate\n"


def test_what_cannot_be_read_is_told() -> None:
    """An empty note, and damaged JSON; notes of one instant are two."""
    empty, damaged = read({"Keep/a.json": note(), "Keep/b.json": FULL[:-9]})
    assert isinstance(empty, Rejected)
    assert isinstance(damaged, Rejected)
    assert "not valid JSON" in damaged.reason
    twins = texts(read({"Keep/a.json": note("one"), "Keep/b.json": note("two")}))
    assert [each.id for each in twins] == [f"google_keep:{CREATED}", f"google_keep:{CREATED}:2"]
    assert twins[0].content == "one\n"
    assert twins[0].metadata["title"] == "a"


def test_a_picture_alone_is_a_note() -> None:
    """Its name is all the words there are; items of a list without words are none."""
    (picture,) = texts(read({"Keep/a.json": note(attachments=[{"filePath": "keel.png"}])}))
    assert (picture.content, picture.metadata["attachments"]) == ("keel.png\n", '["keel.png"]')
    (ticks,) = texts(read({"Keep/a.json": note(listContent=[{"text": "tar", "isChecked": True}, {"text": ""}, "?"])}))
    assert ticks.content == "- [x] tar\n"
    for nothing in (note(listContent=[{"text": "", "isChecked": False}]), note(attachments=[None, {"filePath": 3}])):
        (empty,) = read({"Keep/a.json": nothing})
        assert isinstance(empty, Rejected)
        assert empty.reason == "an empty note"


def test_files_beside_notes_are_no_notes() -> None:
    """Pictures say nothing; a table that nobody knows is told; without any note each file is rejected."""
    records = read({"Keep/a.json": note("one"), "Keep/keel.png": b"\x89PNG", "Keep/table.csv": b"a,b\n"})
    assert len(texts(records)) == 1
    assert [each.code for each in records if isinstance(each, Notice)] == ["files-left-out"]
    (other,) = read({"Keep/table.csv": b"a,b\n"})
    assert isinstance(other, Rejected)


def test_a_time_beyond_all_years_is_none() -> None:
    """The note stays."""
    (strange,) = texts(read({"Keep/a.json": note("one", createdTimestampUsec=2**63, userEditedTimestampUsec="soon")}))
    assert (strange.timestamp, strange.content) == (None, "one\n")


def test_the_lists_of_a_download_are_no_notes() -> None:
    """The names of labels stand with the notes, and the list of all files says nothing."""
    page = b"<!DOCTYPE html><html><head><title>Google Takeout</title></head><body>Your files</body></html>"
    files = {"Keep/a.json": note("one"), "Keep/Labels.txt": b"Home\nBoat\n", "archive_browser.html": page}
    found = list(read_records(Shelf("Takeout", files), OPTIONS))
    assert [each.metadata["source"] for each in texts(found)] == ["google_keep"]
