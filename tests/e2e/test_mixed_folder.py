"""A folder of downloads with an export of each program: one command reads all of them, and questions find what is in each."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memd.connectors.reading.registry import default_connectors
from memd.tests.e2e.conftest import Memd
from memd.tests.e2e.downloads import SENTENCES, make_downloads

NO_CHATS = {
    "notes",
    "notion",
    "evernote",
    "google_keep",
    "joplin",
    "bear",
    "pdf",
    "docx",
    "epub",
    "html",
    "calendar",
    "documents",
    "source_code",
}
"""Formats whose documents are no chats, or need not be."""
SOURCES = {"documents": "diary"}
"""Of documents in memd's own form each names its source."""
CLEO = ("whatsapp", "line", "kakaotalk", "pidgin", "irc", "wechat", "qq", "diary")
"""Where somebody is called Cleo."""


@pytest.fixture
def downloads(tmp_path: Path) -> Path:
    """An export of each format."""
    folder = tmp_path / "Downloads"
    folder.mkdir()
    make_downloads(folder)
    return folder


def test_there_is_an_export_of_every_format() -> None:
    """A format that is new must come into the folder."""
    assert sorted(SENTENCES) == sorted(each.name for each in default_connectors())


def test_everything_in_a_folder_is_read_and_found(memd: Memd, downloads: Path) -> None:
    """Each program's messages come from its own source; every file has its line; once more, nothing is new; and who has one name
    in several sources is one person after a merge.
    """
    memd.until_served(memd.start("serve"))
    done = memd("ingest", str(downloads), "--me", "Ann")
    lines = done.stderr.decode().splitlines()
    assert done.returncode == 0, lines
    assert sorted(line.split(": ")[1] for line in lines if line.startswith("read: ")) == sorted(SENTENCES)
    left_out = [line for line in lines if line.startswith("left out: ")]
    assert f"left out: {downloads / 'holiday.jpg'}: picture, sound or film" in left_out
    assert f"left out: {downloads / 'setup.exe'}: not recognised" in left_out
    run = memd.json("runs", memd.json("runs")["runs"][0]["run"])
    places = [each["path"] for export in run["exports"] for each in export["files"]]
    places += [each["path"] for each in run["skipped"]]
    assert len(places) == len(set(places))
    for file in (path for path in downloads.rglob("*") if path.is_file()):
        assert [place for place in places if place == str(file) or place.startswith(f"{file}!")], file
    again = memd.json("ingest", str(downloads), "--me", "Ann", "--no-wait")
    assert (again["added"], again["updated"], again["rejected"]) == (0, 0, 0)
    chats = {each["source"] for each in memd.json("chats")["chats"]}
    assert chats == SENTENCES.keys() - NO_CHATS
    for format_name, sentence in SENTENCES.items():
        best = memd.json("query", sentence)["hits"][0]
        assert best["source"] == SOURCES.get(format_name, format_name), sentence
        assert format_name != "calendar" or best["chat"] == "home"
    assert _called_cleo(memd) == [[source] for source in sorted(CLEO)]
    memd.json("people", "merge", *(f"{source}:Cleo" for source in CLEO), "--yes")
    assert _called_cleo(memd) == [sorted(CLEO)]
    found = memd.json("query", "Cleo", "--speaker", "Cleo", "-k", "50")["hits"]
    assert {each["source"] for each in found} == set(CLEO)


def _called_cleo(memd: Memd) -> list[list[str]]:
    """The sources of each person called so."""
    people = json.loads(memd("people", "--json").stdout)["people"]
    return sorted(sorted(each["names"]) for each in people if each["name"] == "Cleo")
