"""Notion: pages, databases, properties, links, parts, HTML, overlap, damage."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.connectors.connector import Connector, ReadOptions, Record
from memd.connectors.formats.notion.connector import NotionConnector
from memd.connectors.formats.notion.dates import property_date
from memd.connectors.reading.detection import choose
from memd.connectors.reading.read_path import read_records
from memd.schemas import Notice, Rejected, TextDocument
from memd.tests.cases import for_each
from memd.tests.contracts.connector import ConnectorContract, Download, Samples, Shelf
from memd.tests.effort import examples

OPTIONS = ReadOptions(zone=UTC, zone_origin="option")
HOME, BOATS, TASKS, PAINT, SAIL = ("a" * 32, "b" * 32, "c" * 32, "d" * 32, "e" * 31 + "1")
EXPORT: dict[str, bytes] = {
    f"Home {HOME}.md": (
        f"# Home\n\nSee [Boats](Home%20{HOME}/Boats%20{BOATS}.md), [our ships](Home%20{HOME}/Boats%20{BOATS}.md)\n"
        f"and [Tasks](Home%20{HOME}/Tasks%20{TASKS}.csv).\n\n![photo.png](Home%20{HOME}/photo.png)\n"
    ).encode(),
    f"Home {HOME}/Boats {BOATS}.md": b"# Boats\n\nStatus: no property here\n\nThe *Wren* leaks.\n",
    f"Home {HOME}/photo.png": b"\x89PNG\r\n\x1a\n" + bytes(30),
    f"Home {HOME}/Tasks {TASKS}.csv": b"\xef\xbb\xbfName,Status\nPaint the hull,Done\n",
    f"Home {HOME}/Tasks {TASKS}_all.csv": (
        f'\ufeffName,Status,Tags,Created time,Boat\nPaint the hull,Done,"red, blue","January 15, 2024 10:30 AM",Boats (Home%20{HOME}/Boats%20{BOATS}.md)\n'
        '"Sew ""the"" sail",Open,,"January 16, 2024 9:05 PM",\nBuy rope,Open,red,,\nBuy rope,Done,,,\n'
    ).encode(),
    f"Home {HOME}/Tasks {TASKS}/Paint the hull {PAINT}.md": (
        "# Paint the hull\n\nStatus: Done\nTags: red, blue\nCreated time: January 15, 2024 10:30 AM\n"
        f"Boat: Boats (Home%20{HOME}/Boats%20{BOATS}.md)\n\nTwo coats.\n"
    ).encode(),
    f"Home {HOME}/Tasks {TASKS}/Sew the sail {SAIL}.md": b'# Sew "the" sail\n\nStatus: Open\n\nNote: thread.\n',
}
PAGE = f"""<html><head><meta http-equiv="Content-Type" content="text/html; charset=utf-8"/><title>Paint the hull</title><style>x</style></head>
<body><article id="{PAINT[:8]}-{PAINT[8:12]}-{PAINT[12:16]}-{PAINT[16:20]}-{PAINT[20:]}" class="page sans"><header>
<h1 class="page-title">Paint the hull</h1><p class="page-description"></p><table class="properties"><tbody>
<tr class="property-row property-row-status"><th>Status</th><td><span class="status-value">Done</span></td></tr>
<tr class="property-row property-row-created_time"><th>Created time</th><td><time>@January 15, 2024 10:30 AM</time></td></tr>
</tbody></table></header><div class="page-body"><p>Two coats of <a href="Boats%20{BOATS}.html">Boats</a>.</p><ul><li>red</li></ul></div></article></body></html>
"""


class TestContract(ConnectorContract):
    """The suite."""

    readers = ("notion.connector:_Reading._document",)
    download = Download(
        "the wharf is closed on Mondays",
        {f"Wharf {'a' * 32}.md": b"# Wharf\n\nThe wharf is closed on Mondays.\n"},
        "Export-1.zip",
    )

    @pytest.fixture
    def connector(self) -> Connector:
        """Notion's."""
        return NotionConnector()

    @pytest.fixture
    def samples(self) -> Samples:
        """An export in Markdown, and a page in HTML."""
        return {"export": EXPORT, "page": {f"Paint the hull {PAINT}.html": PAGE.encode()}}


def read(files: Mapping[str, bytes], options: ReadOptions = OPTIONS) -> list[Record]:
    """Everything that these files hold."""
    return list(NotionConnector().read(Shelf("Export", files), options))


def documents(records: Iterable[Record]) -> dict[str, TextDocument]:
    """By title and id, the texts."""
    return {record.id: record for record in records if isinstance(record, TextDocument)}


def codes(records: Iterable[Record]) -> list[str]:
    """The codes of the notices."""
    return [record.code for record in records if isinstance(record, Notice)]


def zipped(files: Mapping[str, bytes]) -> bytes:
    """An archive."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as packed:
        for name, content in files.items():
            packed.writestr(name, content)
    return data.getvalue()


def test_an_export() -> None:
    """Every page once, with Notion's id; of a database each row once: as its page where there is one."""
    records = read(EXPORT)
    found = documents(records)
    rope = [key for key in found if key.startswith(f"notion:{TASKS}:")]
    assert list(found) == [f"notion:{key}" for key in (HOME, BOATS, PAINT, SAIL)] + rope
    assert [key.removeprefix(rope[0]) for key in rope] == ["", ":2"]
    home = found[f"notion:{HOME}"]
    assert home.content == (
        f"# Home\n\nSee [[Boats]], [[Boats|our ships]]\nand [[Tasks]].\n\n![photo.png](Home%20{HOME}/photo.png)\n"
    )
    assert home.metadata == {
        "source": "notion",
        "title": "Home",
        "path": "Home",
        "media_type": "text/markdown",
        "links": '["Boats", "Tasks"]',
    }
    assert home.timestamp is None
    boats = found[f"notion:{BOATS}"]
    assert (boats.content, boats.metadata["path"]) == (EXPORT[f"Home {HOME}/Boats {BOATS}.md"].decode(), "Home/Boats")
    assert "x-Status" not in boats.metadata
    paint = found[f"notion:{PAINT}"]
    assert paint.content == EXPORT[f"Home {HOME}/Tasks {TASKS}/Paint the hull {PAINT}.md"].decode()
    assert (paint.tags, str(paint.timestamp)) == (("red", "blue"), "2024-01-15 10:30:00+00:00")
    assert {key: value for key, value in paint.metadata.items() if key not in home.metadata} == {
        "database": "Tasks",
        "created": "2024-01-15T10:30:00Z",
        "time_precision": "minute",
        "zone_origin": "option",
        "x-Status": '"Done"',
        "x-Tags": '"red, blue"',
        "x-Created time": '"January 15, 2024 10:30 AM"',
        "x-Boat": '"Boats"',
    }
    assert found[f"notion:{SAIL}"].metadata["x-Status"] == '"Open"'
    assert "x-Note" not in found[f"notion:{SAIL}"].metadata
    assert [found[key].content for key in rope] == [
        "# Buy rope\n\nStatus: Open\nTags: red\n",
        "# Buy rope\n\nStatus: Done\n",
    ]
    assert [found[key].metadata["path"] for key in rope] == ["Home/Tasks/Buy rope"] * 2
    assert codes(records) == ["table-read-once"]
    assert not [record for record in records if isinstance(record, Rejected)]


def test_newer_exports_name_folders_by_the_title_alone() -> None:
    """The rows' pages are found all the same, and no id changes."""
    renamed = {name.replace(f" {HOME}/", "/").replace(f" {TASKS}/", "/"): data for name, data in EXPORT.items()}
    assert set(documents(read(renamed))) == set(documents(read(EXPORT)))
    assert documents(read(renamed))[f"notion:{PAINT}"].metadata["x-Status"] == '"Done"'


def test_a_later_export_gives_the_same_ids(tmp_path: Path) -> None:
    """Under another name of the archive, with a page that was moved and one that was renamed."""
    moved = dict(EXPORT)
    moved[f"Ships {BOATS}.md"] = moved.pop(f"Home {HOME}/Boats {BOATS}.md").replace(b"# Boats", b"# Ships")
    for name, files in (("Export-1.zip", EXPORT), ("Export-2.zip", moved)):
        (tmp_path / name).write_bytes(zipped(files))
    first, second = (documents(read_records(tmp_path / f"Export-{n}.zip", OPTIONS)) for n in (1, 2))
    assert set(first) == set(second)
    assert {key for key in first if first[key].content != second[key].content} == {
        f"notion:{BOATS}",
        f"notion:{HOME}",
    }


def test_parts_are_one_export(tmp_path: Path) -> None:
    """The page of a row may lie in another part than its table."""
    names = list(EXPORT)
    halves = [{name: EXPORT[name] for name in names[:5]}, {name: EXPORT[name] for name in names[5:]}]
    outer = {f"Export-x-Part-{number}.zip": zipped(half) for number, half in enumerate(halves, 1)}
    (tmp_path / "Export.zip").write_bytes(zipped(outer))
    found = documents(read_records(tmp_path / "Export.zip", OPTIONS))
    assert list(found.values()) == list(documents(read(EXPORT)).values())
    (tmp_path / "unpacked").mkdir()
    for name, data in outer.items():
        (tmp_path / "unpacked" / name).write_bytes(data)
    assert documents(read_records(tmp_path / "unpacked", OPTIONS)) == found


def test_two_exports_beside_each_other_are_two(tmp_path: Path) -> None:
    """The later one has its own wording of a page, which supersedes."""
    page = f"Boats {BOATS}.md"
    for number in (1, 2):
        (tmp_path / f"Export-{number}.zip").write_bytes(zipped({page: f"# Boats\n\n{number}\n".encode()}))
    records = list(read_records(tmp_path, OPTIONS))
    assert [record.content for record in records if isinstance(record, TextDocument)] == [
        "# Boats\n\n1\n",
        "# Boats\n\n2\n",
    ]


def test_what_html_shows_without_words() -> None:
    """Boxes of tasks are written as in Markdown, in a property as Yes and No; several values of one property stay apart."""
    box, values = '<div class="checkbox checkbox-{}"></div>', '<span class="selected-value c-{0}">{0}</span>'
    rows = {
        "Tags": values.format("sea") + values.format("red paint"),
        "Done": box.format("on"),
        "Sold": box.format("off"),
    }
    table = "".join(f"<tr><th>{name}</th><td>{value}</td></tr>" for name, value in rows.items())
    tasks = "".join(
        f'<ul class="to-do-list"><li>{box.format(state)}{blank}<span class="s">{words}</span></li></ul>'
        for state, blank, words in (("on", " ", "sand [x]  it"), ("off", "", "paint it"))
    )
    text = PAGE.replace("</tbody></table></header>", f"{table}</tbody></table></header>").replace(
        "<ul><li>red", f"{tasks}<ul><li>red"
    )
    (page,) = documents(read({f"Paint the hull {PAINT}.html": text.encode()})).values()
    lines = page.content.splitlines()
    assert [line for line in lines if line.startswith(("Tags:", "Done:", "Sold:"))][-3:] == [
        "Tags: sea, red paint",
        "Done: Yes",
        "Sold: No",
    ]
    assert [line for line in lines if line.startswith("- ")] == ["- [x] sand [x] it", "- [ ] paint it", "- red"]


def test_html() -> None:
    """The same id, properties and words; what the table of a database shows of pages is left to these."""
    table = (
        PAGE.replace(PAINT[:8], TASKS[:8]).replace(PAINT[8:12], TASKS[8:12]).replace("Paint the hull", "Tasks")
        .replace("</article>", f'<table class="collection-content"><tbody><tr><td class="cell-title"><a href="Tasks/Paint%20{PAINT}.html">Paint the hull</a></td></tr><tr><td class="cell-title">Rope</td></tr></tbody></table></article>')
        .replace('</div><table class="collection', '<table class="collection')
    )  # fmt: skip
    records = read({f"Paint the hull {PAINT}.html": PAGE.encode(), f"Boats {BOATS}.html": b"<p>no page</p>"})
    (page,) = documents(records).values()
    assert (page.id, page.metadata["title"], page.metadata["links"]) == (
        f"notion:{PAINT}",
        "Paint the hull",
        '["Boats"]',
    )
    assert page.content == (
        "# Paint the hull\n\nStatus: Done\nCreated time: @January 15, 2024 10:30 AM\n\nTwo coats of Boats.\n\n- red\n"
    )
    assert str(page.timestamp) == "2024-01-15 10:30:00+00:00"
    assert [record.reason for record in records if isinstance(record, Rejected)] == [
        "no page of Notion, or one nested too deep"
    ]
    both = documents(read({f"Paint the hull {PAINT}.html": PAGE.encode(), f"Tasks {TASKS}.html": table.encode()}))
    assert len(both) == 2


@for_each(
    [
        ("January 15, 2024", "2024-01-15T00:00:00+00:00"),
        ("Jan 5, 2024 12:05 AM", "2024-01-05T00:05:00+00:00"),
        ("@May 5, 2024 12:05\u202fPM", "2024-05-05T12:05:00+00:00"),
        ("January 15, 2024 10:30 AM (GMT+5:30)", "2024-01-15T10:30:00+05:30"),
        ("January 15, 2024 → January 17, 2024", "2024-01-15T00:00:00+00:00"),
        ("2024/01/15 22:30", "2024-01-15T22:30:00+00:00"),
        ("15/01/2024", None),
        ("January 32, 2024", None),
        ("Juno 3, 2024 13:00 PM", None),
        ("December 31, 9999 11:59 PM (GMT-14)", None),
        ("January 1, 0001 (GMT+14)", None),
        ("", None),
    ]
)
def test_dates(written: str, time: str | None) -> None:
    """What can be read in one way."""
    found = property_date(written, UTC)
    assert (None if found is None else found.time.isoformat()) == time


def test_an_assumed_zone_and_dates_that_cannot_be_read_are_told() -> None:
    """Once each."""
    table = b"Name,Created\nA,15/01/2024\nB,2024/01/15\nC,2024/01/16\n"
    records = read({f"T {TASKS}.csv": table}, replace(OPTIONS, zone_origin="assumed"))
    assert codes(records) == ["zone-assumed", "date-unreadable"]
    assert next(json.loads(each.metadata["x-Created"]) for each in documents(records).values()) == "15/01/2024"


def test_equal_ids_are_read_once() -> None:
    """A page that was packed twice, and one that is empty."""
    page = EXPORT[f"Home {HOME}/Boats {BOATS}.md"]
    records = read({f"Boats {BOATS}.md": page, f"x/Boats {BOATS}.md": page, f"Empty {SAIL}.md": b"\n"})
    assert list(documents(records)) == [f"notion:{BOATS}"]
    assert sorted(record.reason for record in records if isinstance(record, Rejected)) == [
        "an empty page",
        "another page has the same id",
    ]


@for_each(
    [
        (f"A {HOME}.md", "# A\n", "notion"),
        ("a.md", f"# A\n\n[B](B%20{BOATS}.md)\n", "notion"),
        (f"A {HOME}.html", PAGE, "notion"),
        ("A.md", "# A\n\n[B](B.md)\n", "notes"),
        (f"A {HOME}.md", "no heading", "notes"),
        ("a.html", "<html><body><p>x</p></body></html>", "html"),
    ]
)
def test_who_reads_what(name: str, text: str, format_name: str) -> None:
    """A page of Notion goes to Notion, a note to notes."""
    assert choose(Shelf(name, {name: text.encode()}), OPTIONS).name == format_name


@settings(max_examples=examples(30), deadline=None)
@given(st.text(max_size=300), st.text(max_size=200))
def test_any_words_stay(body: str, table: str) -> None:
    """Whatever stands in a page is its content; whatever stands in a table raises nothing."""
    page = f"# A\n\n{body}".encode("utf-8", "surrogatepass")
    read({f"A {HOME}.md": page, f"T {TASKS}.csv": table.encode("utf-8", "surrogatepass")})
    if body.isascii() and "(" not in body and body.isprintable():
        assert documents(read({f"A {HOME}.md": page}))[f"notion:{HOME}"].content == f"# A\n\n{body}"


@for_each(
    [
        ("15. Januar 2024 10:30", "2024-01-15T10:30:00+00:00"),
        ("@15 janvier 2024", "2024-01-15T00:00:00+00:00"),
        ("15 de enero de 2024 10:30 (GMT+1)", "2024-01-15T10:30:00+01:00"),
        ("2024年1月15日 10:30 → 2024年1月16日", "2024-01-15T10:30:00+00:00"),
        ("2024년 1월 15일 오후 3:04", "2024-01-15T15:04:00+00:00"),
        ("31. Februar 2024", None),
        ("15. Brumaire 2024", None),
    ]
)
def test_dates_in_other_languages_are_read(written: str, time: str | None) -> None:
    """By the names of months, or the characters behind numbers."""
    found = property_date(written, UTC)
    assert (None if found is None else found.time.isoformat()) == time


def test_properties_of_time_are_known_in_other_languages() -> None:
    """By the names that Notion gives; of pages in HTML by what they are."""
    table = b"Name,Erstellt,Zuletzt bearbeitet\nA,15. Januar 2024 10:30,16. Januar 2024\n"
    row = (
        "<tr class='property-row property-row-created_time'><th>Begun</th><td><time>@January 15, 2024</time></td></tr>"
    )
    formula = (
        "<span class=katex><span class=katex-mathml><math><semantics><mrow><mi>x</mi></mrow><annotation>x^2</annotation>"
        "</semantics></math></span><span class=katex-html>x2</span></span>"
    )
    html = (
        f'<article id="{HOME[:8]}-{HOME[8:12]}-{HOME[12:16]}-{HOME[16:20]}-{HOME[20:]}" class="page sans"><header>'
        f"<h1 class=page-title>Home</h1><table class=properties><tbody>{row}</tbody></table></header>"
        f"<div class=page-body><p>Area {formula}</p></div></article>"
    )
    row_found, page = documents(read({f"T {TASKS}.csv": table, f"Home {HOME}.html": html.encode()})).values()
    if row_found.metadata["title"] == "Home":
        row_found, page = page, row_found
    assert row_found.metadata["created"] == "2024-01-15T10:30:00Z"
    assert row_found.metadata["updated"] == "2024-01-16T00:00:00Z"
    assert page.metadata["created"] == "2024-01-15T00:00:00Z"
    assert page.content.endswith("\n\nArea x^2\n")


def test_addresses_behind_words_of_html() -> None:
    """Markdown shows where a link leads; of a page it is kept beside the titles of pages."""
    text = PAGE.replace("<li>red</li>", '<li><a href="https://example.org/red">red</a></li>')
    text = text.replace('description"></p>', 'description">Before the spring</p>')
    page = documents(read({f"Paint the hull {PAINT}.html": text.encode(), f"Boats {BOATS}.html": b"<p>no page</p>"}))
    assert page[f"notion:{PAINT}"].metadata["links"] == '["Boats", "https://example.org/red"]'
    assert "\n\nBefore the spring\n\nTwo coats" in page[f"notion:{PAINT}"].content
