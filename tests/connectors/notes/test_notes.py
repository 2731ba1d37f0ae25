"""Notes: what becomes of a file's text, front matter, tags, links and dates, and which files are notes at all."""

from __future__ import annotations

import io
import json
import os
import shutil
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from memd.connectors.connector import Connector, ReadOptions, Record
from memd.connectors.formats.notes.connector import NotesConnector
from memd.connectors.opening.limits import MESSAGE_CAP
from memd.connectors.opening.open_source import open_source
from memd.connectors.reading.read_path import read_records
from memd.schemas import Notice, Rejected, TextDocument
from memd.tests.cases import for_each
from memd.tests.contracts.connector import ConnectorContract, Download, Samples, Shelf

OPTIONS = ReadOptions(zone=UTC, zone_origin="option")
GARDEN = b"""---
title: The garden
date: 2024-05-01 08:30
updated: 2024-06-01T10:00:00+02:00
tags: [plants, "#soil/lime"]
aliases: [Beds, Allotment]
author: Ann Example
---

# Tomatoes

They want #lime, see [[Soil|the soil]] and [a page](https://example.org/a_(b)).

```sh
# no heading, #no-tag, [[no link]]
```
"""
PLAIN = b"Dear Bo,\n\nthe boat is sold.\n"


class TestNotesConnector(ConnectorContract):
    """The connector keeps the contract."""

    readers = ("notes.parser:parse_note",)
    download = Download("plant garlic in October", {"Vault/garden.md": b"# Garden\n\nPlant garlic in October.\n"})

    @pytest.fixture
    def connector(self) -> Connector:
        """Without state."""
        return NotesConnector()

    @pytest.fixture
    def samples(self) -> Samples:
        """A note, a letter, one with marks of UTF-16, TOML, an old encoding, and a folder of several."""
        return {
            "garden.md": {"garden.md": GARDEN},
            "letter.txt": {"letter.txt": PLAIN},
            "wide.txt": {"wide.txt": "Grüße aus Köln, 東京".encode("utf-16")},
            "hugo.md": {"hugo.md": b'+++\ntitle = "A post"\ndate = 2024-05-01T08:30:00Z\ntags = ["a"]\n+++\nText.\n'},
            "old.txt": {"old.txt": "Müller wohnt in der Straße".encode("cp1252")},
            "vault": {"a.md": b"# A\n\n[[b]]\n", "sub/b.md": b"# B\n", "todo.org": b"* TODO milk\n"},
        }


def read(files: Mapping[str, bytes], options: ReadOptions = OPTIONS, name: str = "vault") -> list[Record]:
    """Everything that these files hold."""
    return list(NotesConnector().read(Shelf(name, files), options))


def one(data: bytes, name: str = "note.md", options: ReadOptions = OPTIONS) -> TextDocument:
    """The document of one file in a folder."""
    documents = [record for record in read({name: data}, options) if isinstance(record, TextDocument)]
    assert len(documents) == 1
    return documents[0]


def ids(records: Iterable[Record]) -> list[str]:
    """The ids of the documents."""
    return [record.id for record in records if isinstance(record, TextDocument)]


def codes(records: list[Record]) -> list[str]:
    """The codes of the notices."""
    return [record.code for record in records if isinstance(record, Notice)]


def test_a_note_with_everything() -> None:
    """The content is the file as it is; what it says about itself is metadata."""
    document = one(GARDEN, "beds/garden.md")
    assert document.id == "notes:vault/beds/garden.md"
    assert document.content == GARDEN.decode()
    assert document.timestamp is not None
    assert document.timestamp.isoformat() == "2024-05-01T08:30:00+00:00"
    assert document.tags == ("plants", "soil/lime", "lime")
    assert document.metadata == {
        "source": "notes",
        "title": "The garden",
        "path": "vault/beds/garden.md",
        "media_type": "text/markdown",
        "aliases": '["Beds", "Allotment"]',
        "links": '["Soil", "https://example.org/a_(b)"]',
        "updated": "2024-06-01T10:00:00+02:00",
        "time_precision": "minute",
        "zone_origin": "option",
        "x-author": '"Ann Example"',
    }


@for_each(
    [
        (b"---\ntitle: T\n---\n# H\n", "f.md", "T"),
        (b"words\n\n# H #\n", "f.md", "H"),
        (b"## lower\nUnder\n=====\n", "f.md", "Under"),
        (b"```\n# code\n```\ntext", "f.md", "f"),
        (b"#tag\ntext", "My file.md", "My file"),
        (b"words", "Plan 0123456789abcdef0123456789abcdef.md", "Plan"),
        (b"# not a heading in a letter", "f.rst", "f"),
        (b"words", "README", "README"),
    ]
)
def test_titles(data: bytes, name: str, title: str) -> None:
    """Of the front matter, else the first heading of level 1, else the file's name."""
    assert one(data, name).metadata["title"] == title


@for_each(
    [
        ("tags: a, b c", ("a", "b", "c")),
        ("tags:\n  - a\n  - '#b'", ("a", "b")),
        ("keywords: new york, paris", ("new york", "paris")),
        ("tag: a", ("a",)),
        ("tags: 2024", ("2024",)),
        ("tags: {a: b}", ()),
        ("tags:", ()),
    ]
)
def test_tags_of_front_matter(front: str, tags: tuple[str, ...]) -> None:
    """Lists and strings, with and without ``#``."""
    assert one(f"---\n{front}\n---\ntext".encode()).tags == tags


def test_tags_in_the_text() -> None:
    """Not in code, addresses, links, colours, numbers, headings."""
    text = "# Head\n#one (#two) #drei/vier, `#code` ``a ` #code`` https://x.example/#no [l](#no) [[n#no]] #fff000 #12 a#no\n"
    assert one(text.encode()).tags == ("one", "drei/vier")


@for_each(
    [
        ("2024-01-15", "2024-01-15T00:00:00+01:00", "day"),
        ("2024/7/5 9:30", "2024-07-05T09:30:00+02:00", "minute"),
        ("2024-01-15T09:30:10.123Z", "2024-01-15T09:30:10+00:00", "second"),
        ("2024-01-15 09:30:00 -0500", "2024-01-15T09:30:00-05:00", "second"),
        ('"[[2024-01-15]]"', "2024-01-15T00:00:00+01:00", "day"),
        ('"[[2024-01-15|today]]"', "2024-01-15T00:00:00+01:00", "day"),
        ('"Monday, January 15th 2024, 8:05:09 pm"', "2024-01-15T20:05:09+01:00", "second"),
        ('"2024-01-15 8:05 PM"', "2024-01-15T20:05:00+01:00", "minute"),
        ("15. Januar 2024", "2024-01-15T00:00:00+01:00", "day"),
        ("15 janvier 2024", "2024-01-15T00:00:00+01:00", "day"),
        ("2024年1月15日", "2024-01-15T00:00:00+01:00", "day"),
        ("15.01.2024 20:05", "2024-01-15T20:05:00+01:00", "minute"),
        ("20240115", "2024-01-15T00:00:00+01:00", "day"),
    ]
)
def test_dates(written: str, time: str, precision: str) -> None:
    """A date without a zone gets the one of the options, of that day."""
    options = ReadOptions(zone=ZoneInfo("Europe/Berlin"), zone_origin="configuration")
    document = one(f"---\ncreated: {written}\n---\ntext".encode(), options=options)
    assert document.timestamp is not None
    assert document.timestamp.isoformat() == time
    assert document.metadata["time_precision"] == precision
    assert document.metadata.get("zone_origin") == (
        None if written[-1] in "Z0" and len(written) > 20 else "configuration"
    )


@for_each(["3/4/24", "yesterday", "2024-02-30", "0000-01-01", "2024-13-01", "2024-01-15 25:00"])
def test_dates_that_cannot_be_read_in_one_way(written: str) -> None:
    """There is no timestamp, what was written is kept, and a notice says so."""
    records = read({"a.md": f"---\ndate: {written}\n---\ntext".encode()})
    assert codes(records) == ["date-unreadable"]
    assert isinstance(records[0], TextDocument)
    assert records[0].timestamp is None
    assert json.loads(records[0].metadata["x-date"]) == written


@for_each(
    [
        "March 4th, 2024",
        "4 March 2024",
        "Monday 4 March 2024",
        "4. März 2024",
        "2024年3月4日",
        "04.03.2024",
        "202403040805",
    ]
)
def test_the_day_of_a_daily_note_is_its_name(name: str) -> None:
    """In the formats that people set; a month and a day that may be exchanged, or another word, is no day."""
    found = one(b"words", f"{name}.md").timestamp
    assert found is not None
    assert found.date().isoformat() == "2024-03-04"
    for other in (f"Invoice {name}", "04-03-2024", "March 2024", "Room 4 2024"):
        assert one(b"words", f"{other}.md").timestamp is None


@for_each(["tags: [#boat]", "title: Boats: a list", "owner: @nora", "share: %5"])
def test_simple_lines_count_in_front_matter_that_is_no_yaml(line: str) -> None:
    """The day and the tags, as the program shows them; all of it stays text, and is told."""
    data = f"---\n{line}\ncreated: 2024-01-15\n---\ntext".encode()
    records = read({"a.md": data})
    assert codes(records) == ["front-matter-unreadable"]
    assert isinstance(records[0], TextDocument)
    assert records[0].timestamp is not None
    assert records[0].content == data.decode()
    assert records[0].tags == (("boat",) if "tags" in line else ())


def test_an_assumed_zone_is_told_once() -> None:
    """One notice for the source."""
    data = b"---\ndate: 2024-01-15\n---\ntext"
    records = read({"a.md": data, "b.md": data}, replace(OPTIONS, zone_origin="assumed"))
    assert codes(records) == ["zone-assumed"]


@pytest.mark.slow
@for_each(
    [
        "a: &x [1]\nb: *x",
        "a: [" * 200,
        "a: " + "[" * 30_000,
        "a: " + "{" * 30_000,
        "{{title}}: 1",
        "a: 'open",
        "a: b: c",
        "\ta: b",
        'a: "\\UFFFFFFFF"',
        "a: !!python/object/apply:os.system [x]\n? [1]\n: 2",
    ]
)
def test_front_matter_that_cannot_be_read(front: str) -> None:
    """Aliases, depth and nonsense end in time, are told, and stay text."""
    data = f"---\n{front}\n---\ntext".encode()
    records = read({"a.md": data})
    assert codes(records) == ["front-matter-unreadable"]
    assert isinstance(records[0], TextDocument)
    assert records[0].content == data.decode()


@pytest.mark.parametrize("data", [b"---\nA paragraph.\n---\ntext", b"---\ntext", b"---\n---\ntext", b"--- \n\n---\n"])
def test_thematic_breaks_are_no_front_matter(data: bytes) -> None:
    """Two rules around a paragraph, or one, say nothing."""
    records = read({"a.md": data})
    assert codes(records) == []
    assert isinstance(records[0], TextDocument)
    assert not any(key.startswith("x-") for key in records[0].metadata)


def test_values_keep_their_writing() -> None:
    """No value is turned into anything by its looks."""
    document = one(b"---\na: no\nb: 1e3\nc: 007\nd: [x, {y: 2024-01-01}]\ne: !!binary aGk=\n---\ntext")
    kept = {key: json.loads(value) for key, value in document.metadata.items() if key.startswith("x-")}
    assert kept == {"x-a": "no", "x-b": "1e3", "x-c": "007", "x-d": ["x", {"y": "2024-01-01"}], "x-e": "aGk="}


@for_each(
    [
        ("Grüße", "utf-8-sig", None, []),
        ("Grüße, 東京", "utf-16", "utf-16-le", []),
        ("Grüße, 東京", "utf-32", "utf-32-le", []),
        ("Grüße, a longer text", "utf-16-le", "utf-16-le", ["encoding-assumed"]),
        ("Grüße, a longer text", "utf-16-be", "utf-16-be", ["encoding-assumed"]),
        ("Der Fluß ist schön", "cp1252", "cp1252", ["encoding-assumed"]),
        ("Привет, как дела?", "cp1251", "cp1251", ["encoding-assumed"]),
    ]
)
def test_encodings(text: str, encoding: str, kept: str | None, expected: list[str]) -> None:
    """By marks, by zeros, as UTF-8, or else told as an assumption."""
    records = read({"a.txt": text.encode(encoding)})
    assert isinstance(records[0], TextDocument)
    assert records[0].content == text
    assert records[0].metadata.get("encoding") == kept
    assert codes(records) == expected


def test_damaged_utf8_stays_utf8() -> None:
    """One broken byte among many good ones makes no other encoding."""
    records = read({"a.txt": "Grüße aus Köln für Jürgen".encode().replace(b"K", b"\xff", 1)})
    assert isinstance(records[0], TextDocument)
    assert records[0].content == "Grüße aus \ufffdöln für Jürgen"
    assert codes(records) == ["undecodable-bytes"]


def test_what_is_no_note_is_counted() -> None:
    """Pictures, hidden folders and blank files: one notice each."""
    files = {
        "a.md": b"# A",
        "b.png": b"\x89PNG" + bytes(99),
        "c.png": b"\x89PNG" + bytes(99),
        "d.txt": bytes(range(32)) * 9,
        ".obsidian/app.json": b"{}",
        ".git/x.md": b"# no",
        "node_modules/m/README.md": b"# no",
        "e.md": b" \n",
    }
    records = read(files)
    assert [record.id for record in records if isinstance(record, TextDocument)] == ["notes:vault/a.md"]
    hints = {record.code: record.hint for record in records if isinstance(record, Notice)}
    assert sorted(hints) == ["blank-files", "files-left-out", "hidden-files"]
    assert "2 .png, 1 .txt" in hints["files-left-out"]
    assert ".git, .obsidian, node_modules" in hints["hidden-files"]


def test_notices_about_many_files_are_bounded() -> None:
    """Twenty are named, the others counted."""
    records = read({f"{index}.txt": "Fluß".encode("cp1252") for index in range(50)})
    assert codes(records).count("encoding-assumed") == 21
    assert "30 more" in [record.hint for record in records if isinstance(record, Notice)][-1]


def test_a_huge_file_is_rejected() -> None:
    """More than 16 MiB is no note."""
    records = read({"a.md": b"x" * (MESSAGE_CAP + 1), "b.md": b"# B"})
    assert isinstance(records[0], Rejected)
    assert [record.id for record in records if isinstance(record, TextDocument)] == ["notes:vault/b.md"]


@pytest.mark.slow
@for_each(["`", "[", "[[", "](", "#a ", "```\n", "# ", "`a``b```", "[[a|", "---\n", "#/", "(x"])
def test_monotonous_texts_are_read_in_time(unit: str) -> None:
    """A megabyte of anything ends; the test's own timeout is what is asserted."""
    assert one(unit.encode() * (1_000_000 // len(unit))).content


def test_folders_and_archives_have_equal_ids(tmp_path: Path) -> None:
    """An archive that holds the folder itself, one that holds its files, and the folder are the same notes."""
    vault = tmp_path / "vault"
    (vault / "sub").mkdir(parents=True)
    (vault / "a.md").write_bytes(GARDEN)
    (vault / "sub" / "b.txt").write_bytes(PLAIN)
    found = [list(read_records(vault, OPTIONS))]
    for number, prefix in enumerate(("", "vault/")):
        (tmp_path / str(number)).mkdir()
        archive = tmp_path / str(number) / "vault.zip"
        with zipfile.ZipFile(archive, "w") as packed:
            packed.writestr(f"{prefix}a.md", GARDEN)
            packed.writestr(f"{prefix}sub/b.txt", PLAIN)
        found.append(list(read_records(archive, OPTIONS)))
        within = (tmp_path, "vault") if prefix else (vault, ".")
        shutil.make_archive(str(tmp_path / str(number) / "vault"), "gztar", within[0], within[1])
        found.append(list(read_records(tmp_path / str(number) / "vault.tar.gz", OPTIONS)))
    assert all(each == found[0] for each in found)
    assert [record.id for record in found[0] if isinstance(record, TextDocument)] == [
        "notes:vault/a.md",
        "notes:vault/sub/b.txt",
    ]


def test_a_file_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its folder is its root, as when the folder is read; ``--chat`` says what else it belongs to."""
    folder = tmp_path / "garden"
    folder.mkdir()
    (folder / "a.md").write_bytes(GARDEN)
    assert ids(read_records(folder / "a.md", OPTIONS)) == ids(read_records(folder, OPTIONS)) == ["notes:garden/a.md"]
    assert ids(read_records(folder / "a.md", replace(OPTIONS, chat="vault"))) == ["notes:vault/a.md"]
    monkeypatch.chdir(folder)
    assert ids(read_records("a.md", OPTIONS)) == ["notes:garden/a.md"]
    (folder / "sub").mkdir()
    assert ids(read_records("sub/../a.md", OPTIONS)) == ["notes:garden/a.md"]


def test_a_link_to_a_note_is_the_note_it_leads_to(tmp_path: Path) -> None:
    """The key is that of the file itself, so that a link never takes the key of a note beside it."""
    for folder in ("garden", "house"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.md").write_bytes(f"# {folder}\n".encode())
    (tmp_path / "house" / "link.md").symlink_to(tmp_path / "garden" / "a.md")
    (tmp_path / "plot").symlink_to(tmp_path / "garden")
    direct = ids(read_records(tmp_path / "garden" / "a.md", OPTIONS))
    assert direct == ["notes:garden/a.md"]
    for path in ("house/link.md", "plot/a.md", "plot"):
        assert ids(read_records(tmp_path / path, OPTIONS)) == direct, path


def test_standard_input_is_a_note_of_its_own() -> None:
    """Two texts are two notes, the same text is the same one; a given name makes them versions of one."""

    def named(data: bytes, chat: str | None = None) -> list[str]:
        return ids(read_records(open_source("-", stdin=io.BytesIO(data)), replace(OPTIONS, chat=chat, format="notes")))

    assert named(b"one") == named(b"one") != named(b"two")
    assert named(b"one")[0].startswith("notes:stdin-")
    assert named(b"one", "log") == named(b"two", "log") == ["notes:log/stdin"]
    (refused,) = read_records(open_source("-", stdin=io.BytesIO(b"one")), OPTIONS)
    assert isinstance(refused, Rejected)
    assert "--format notes" in refused.reason


def test_links_and_pipes_are_not_opened(tmp_path: Path) -> None:
    """They are refused while the folder is listed; the notes beside them are read."""
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "a.md").write_bytes(GARDEN)
    os.mkfifo(vault / "b.md")
    (tmp_path / "secret.md").write_text("# secret")
    (vault / "c.md").symlink_to(tmp_path / "secret.md")
    (vault / "loop").symlink_to(vault)
    records = list(read_records(vault, OPTIONS))
    assert [record.id for record in records if isinstance(record, TextDocument)] == ["notes:vault/a.md"]
    assert sorted(record.locator.rpartition("/")[2] for record in records if isinstance(record, Rejected)) == [
        "b.md",
        "c.md",
    ]


@for_each(
    [
        ("a.md", b"# Title\n", 1.0),
        ("a.txt", b"# Title\n", 1.0),
        ("a.md", b"---\ntags: x\n---\n", 1.0),
        ("a.md", b"- one\n- two\n", 0.7),
        ("a.md", b"words", 0.5),
        ("a.txt", PLAIN, 0.5),
        ("a", PLAIN, 0.5),
        ("Notes v1.2", PLAIN, 0.5),
        ("a.md", b"[[wiki]] [link](x)", 0.7),
        ("a.txt", b"[1] a footnote", 0.5),
        ("a.json", PLAIN, 0.0),
        ("a.txt", b'{"a": 1}', 0.0),
        ("a.txt", b'[{"a": 1}]', 0.0),
        ("a.txt", b"<!DOCTYPE html><p>", 0.0),
        ("a.txt", b"#!/bin/sh\n", 0.0),
        ("a.txt", b"BEGIN:VCARD\n", 0.0),
        ("a.txt", b"Return-Path: <a@example.org>\n", 0.0),
        ("a.txt", b'broken\n{"id":"a","content":"b"}\n', 0.0),
        ("a.py", b"# comment\n", 0.0),
        (".hidden/a.md", b"# A\n", 0.0),
        ("a.txt", b"", 0.0),
        ("a.txt", bytes(range(256)), 0.0),
    ]
)
def test_what_looks_like_a_note(name: str, data: bytes, score: float) -> None:
    """By content; a name only ever says that a program made it."""
    assert NotesConnector().sniff(Shelf("s", {name: data})) == score


def test_the_memory_of_a_large_folder_is_one_note(tmp_path: Path) -> None:
    """Files are read one by one: the records come before the next file is opened."""
    for index in range(3):
        (tmp_path / f"{index}.md").write_bytes(GARDEN)
    records = NotesConnector().read(open_source(tmp_path), OPTIONS)
    next(records)
    (tmp_path / "1.md").write_bytes(PLAIN)
    second = next(records)
    assert isinstance(second, TextDocument)
    assert second.content == PLAIN.decode()


@for_each(
    [
        ("2024-03-04.md", "2024-03-04"),
        ("daily/2024-03-05 Tuesday.md", "2024-03-05"),
        ("20240306.md", "2024-03-06"),
        ("2024-03-05 Garden pump.md", "2024-03-05"),
        ("2024-03-05 Ölwechsel, 2. Teil.md", "2024-03-05"),
        ("2024-03-05-garden-pump.md", "2024-03-05"),
        ("2024-03-05_Garden_pump.md", "2024-03-05"),
        ("2024-03-05 – 2024-03-09 Rome.md", None),
        ("2024-03-05pump.md", None),
        ("07.03.2024.txt", "2024-03-07"),
        ("2024-13-01.md", None),
        ("2024-W10.md", None),
        ("2024-03-04 12 boats.md", None),
        ("v20240306.md", None),
        ("daily/2024/03/04.md", "2024-03-04"),
        ("2024/13/01.md", None),
        ("03/04.md", None),
    ]
)
def test_a_daily_note_has_its_day(name: str, day: str | None) -> None:
    """If the day is its name or begins it; a date in the front matter counts before it."""
    note = one(b"Met Frieda.\n", name)
    assert (note.timestamp.date().isoformat() if note.timestamp else None) == day
    assert note.metadata.get("time_precision") == ("day" if day else None)
    dated = one(b"---\ndate: 2020-01-02\n---\nMet Frieda.\n", name)
    assert dated.timestamp is not None
    assert dated.timestamp.date().isoformat() == "2020-01-02"


def test_an_identifier_of_a_slip_box_before_a_title_has_its_minute() -> None:
    """As alone."""
    note = one(b"Met Frieda.\n", "202403041431 \u00d6lwechsel.md")
    assert note.timestamp is not None
    assert (note.timestamp.isoformat()[:16], note.metadata["time_precision"]) == ("2024-03-04T14:31", "minute")
    assert one(b"Met Frieda.\n", "202403041431 12.md").timestamp is None
