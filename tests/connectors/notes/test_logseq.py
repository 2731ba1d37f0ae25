"""Graphs of Logseq: days, namespaces, properties, references, copies."""

from __future__ import annotations

import json
from datetime import UTC

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.connectors.connector import Connector, ReadOptions, Record
from memd.connectors.formats.notes.connector import NotesConnector
from memd.connectors.formats.notes.logseq import logseq_page
from memd.schemas import Notice, TextDocument
from memd.tests.contracts.connector import ConnectorContract, Samples, Shelf
from memd.tests.effort import examples

OPTIONS = ReadOptions(zone=UTC, zone_origin="option")
ONE, TWO = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"
JOURNAL = (
    f"- The boat is [[Boats/Wren]] #repair\n  id:: {ONE}\n  collapsed:: true\n\t- It leaks\n\t  priority:: high\n"
    f"- As said: (({ONE})) and {{{{embed (({ONE}))}}}}, elsewhere (({TWO}))\n"
).encode()
PAGE = b"title:: The Wren\nalias:: Wren, small boat\ntags:: boats, wood\ntype:: dinghy\n\n- Built in 1960\n  created-at:: 1705320000000\n"
GRAPH = {
    "journals/2024_01_15.md": JOURNAL,
    "pages/Boats___Wren.md": PAGE,
    "pages/a%3Ab.md": b"- odd\n",
    "logseq/config.edn": b"{:meta/version 1}",
    "logseq/bak/pages/Boats___Wren/2024-01-14.md": b"- old\n",
    "logseq/.recycle/pages_x.md": b"- gone\n",
}


class TestContract(ConnectorContract):
    """The suite, on a graph."""

    @pytest.fixture
    def connector(self) -> Connector:
        """That of notes."""
        return NotesConnector()

    @pytest.fixture
    def samples(self) -> Samples:
        """A graph."""
        return {"graph": GRAPH}


def read(files: dict[str, bytes]) -> list[Record]:
    """Everything in a folder."""
    return list(NotesConnector().read(Shelf("graph", files), OPTIONS))


def test_a_graph() -> None:
    """The day of a journal, the title of a namespace; what only Logseq reads is no word of the text."""
    records = read(GRAPH)
    journal, odd, page = sorted((r for r in records if isinstance(r, TextDocument)), key=lambda r: r.id.lower())[:3]
    if page.id.endswith("b.md"):
        odd, page = page, odd
    assert journal.id == "notes:graph/journals/2024_01_15.md"
    assert journal.content == (
        "- The boat is [[Boats/Wren]] #repair\n\t- It leaks\n\t  priority:: high\n"
        f"- As said: The boat is [[Boats/Wren]] #repair and The boat is [[Boats/Wren]] #repair, elsewhere (({TWO}))\n"
    )
    assert str(journal.timestamp) == "2024-01-15 00:00:00+00:00"
    assert journal.tags == ("repair",)
    assert journal.metadata == {
        "source": "notes",
        "title": "2024-01-15",
        "path": "graph/journals/2024_01_15.md",
        "media_type": "text/markdown",
        "links": '["Boats/Wren"]',
        "block_ids": json.dumps([ONE]),
        "time_precision": "day",
        "zone_origin": "option",
    }
    assert page.id == "notes:graph/pages/Boats___Wren.md"
    assert page.content == PAGE.decode().replace("  created-at:: 1705320000000\n", "")
    assert (page.metadata["title"], page.tags, page.timestamp) == ("The Wren", ("boats", "wood"), None)
    assert (page.metadata["aliases"], page.metadata["x-type"]) == ('["Wren", "small boat"]', '"dinghy"')
    assert odd.metadata["title"] == "a:b"
    hints = {record.code: record.hint for record in records if isinstance(record, Notice)}
    assert ".recycle, logseq/bak" in hints["hidden-files"]
    assert len([r for r in records if isinstance(r, TextDocument)]) == 3


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("tags:: [[boats]], wood, #[[dry dock]] #paint\n\n- a\n", ("boats", "wood", "dry dock", "paint")),
        ('---\ntags:\n  - "[[dry dock]]"\n  - wood\n---\n- a\n', ("dry dock", "wood")),
        ("tags:: [[open, wood\n\n- a\n", ("[[open", "wood")),
    ],
)
def test_tags_may_be_links(text: str, tags: tuple[str, ...]) -> None:
    """A link is one tag, whatever blanks it has, without its brackets."""
    (page,) = (record for record in read({"pages/Wren.md": text.encode()}) if isinstance(record, TextDocument))
    assert page.tags == tags


def test_properties_before_the_words_of_a_block() -> None:
    """As Logseq writes them where a block begins with a number or a fence: its bullet stays."""
    text = f"- one\n\t- id:: {ONE}\n\t  collapsed:: true\n\t  2. two\n\t  more\n\t- id:: {TWO}\n\t- see (({ONE}))\n"
    page = logseq_page("graph/pages/a.md", text)
    assert page is not None
    assert page.text == "- one\n\t- 2. two\n\t  more\n\t- see 2. two\n"
    assert page.blocks == [ONE, TWO]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("2020_09_14.md", "---\ntitle: Sep 14th, 2020\n---\n\n## [[tutorial]] hello\n### Block two\n"),
        ("2020_05_14.org", "#+TITLE: May 14th, 2020\n\n* Hello\n"),
    ],
)
def test_old_journals_have_their_days(name: str, text: str) -> None:
    """Of 2020, when blocks were headings, and of graphs in Org mode; the text stays as it is."""
    (found,) = [each for each in read({f"journals/{name}": text.encode()}) if isinstance(each, TextDocument)]
    assert found.timestamp is not None
    assert (found.timestamp.date().isoformat().replace("-", "_"), found.content) == (name.partition(".")[0], text)


def test_namespaces_without_a_title() -> None:
    """Three underscores are a slash."""
    (document,) = [r for r in read({"pages/a___b___c.md": b"- x\n"}) if isinstance(r, TextDocument)]
    assert document.metadata["title"] == "a/b/c"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("vault/notes/2024_01_15.md", "- x\n  id:: 1\n"),
        ("vault/pages/a.md", "# A\n\nid:: 1\n"),
        ("vault/journals/plans.md", "- x\n  id:: 1\n"),
        ("vault/pages/a.txt", "- x\n  id:: 1\n"),
    ],
)
def test_other_notes_stay_as_they_are(path: str, text: str) -> None:
    """What is no outline in a graph's folders keeps every character."""
    assert logseq_page(path, text) is None


def test_an_impossible_day_is_told() -> None:
    """The page is read, without a time."""
    records = read({"journals/2024_02_31.md": b"- x\n"})
    assert [record.code for record in records if isinstance(record, Notice)] == ["date-unreadable"]


@settings(max_examples=examples(40), deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "- a",
                "\t- b",
                "  id:: " + ONE,
                "id:: x",
                f"(({ONE}))",
                "collapsed:: true",
                "k:: v",
                "",
                "\r",
                "- ",
                "- id:: x",
                "\t- collapsed:: true",
                "\t  8. w",
            ]
        )
    )
)
def test_any_outline(lines: list[str]) -> None:
    """Lines that Logseq does not own all stay."""
    text = "- first\n" + "\n".join(lines)
    page = logseq_page("g/pages/a.md", text)
    assert page is not None
    assert page.text.startswith("- first")
    assert page.text.count("k:: v") == text.count("k:: v")
    assert "collapsed::" not in page.text


@pytest.mark.parametrize(
    ("aliases", "told"),
    [
        ("[[The Wren]], small boat", ["The Wren", "small boat"]),
        ("our [[old boat]] Wren, [[Wren, the boat]]", ["our old boat Wren", "Wren, the boat"]),
    ],
)
def test_aliases_end_at_commas_not_at_links(aliases: str, told: list[str]) -> None:
    """A link among the words of an alias cut it into three."""
    raw = f"alias:: {aliases}\n\n- a\n".encode()
    (page,) = (record for record in read({"pages/Wren.md": raw}) if isinstance(record, TextDocument))
    assert json.loads(page.metadata["aliases"]) == told


@pytest.mark.parametrize("path", ["pages/wren.org", "vault/wren.org"])
def test_an_org_page_has_its_own_title(path: str) -> None:
    """As Org mode writes it, with its tags; a journal has its day."""
    text = b":PROPERTIES:\n:ID: 1\n:END:\n#+TITLE: The Wren\n#+filetags: :boats:wood:\n\n* Leaks\n#+TITLE: no\n"
    (page,) = [each for each in read({path: text}) if isinstance(each, TextDocument)]
    assert (page.metadata["title"], page.tags, page.content) == ("The Wren", ("boats", "wood"), text.decode())
    (day,) = [each for each in read({"journals/2020_05_14.org": text}) if isinstance(each, TextDocument)]
    assert day.metadata["title"] == "2020-05-14"
