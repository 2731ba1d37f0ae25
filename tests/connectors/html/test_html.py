"""Pages: the words that a reader reads, and what a page says of itself."""

from __future__ import annotations

import json
from datetime import UTC

import pytest

from memd.connectors.connector import Connector, ReadOptions, Record
from memd.connectors.formats.html.connector import HtmlConnector
from memd.connectors.formats.mail.connector import MailConnector
from memd.connectors.text.html.page import page_text
from memd.schemas import Rejected, TextDocument
from memd.tests.contracts.connector import ConnectorContract, Download, Samples, Shelf

OPTIONS = ReadOptions(zone=UTC, zone_origin="option")
PAGE = """<!DOCTYPE html><html lang="de"><head><meta charset="utf-8"><title>Boote | Seite</title>
<meta property="article:published_time" content="2024-01-15T10:00:00+01:00"><meta name="keywords" content="See, Wind">
<link rel="canonical" href="https://example.org/boote"></head><body><nav>Menü</nav><main><h1>Boote</h1><p>Ein <b>Boot</b>.</p>
<div style="display: none">versteckt</div><ul><li>a</li><li>b</li></ul></main><footer>Impressum</footer></body></html>""".encode()
ARCHIVE = b"""From: <Saved by Blink>\r
Snapshot-Content-Location: https://example.org/p\r
Date: Mon, 15 Jan 2024 10:00:00 +0000\r
MIME-Version: 1.0\r
Content-Type: multipart/related; type="text/html"; boundary="b"\r
\r
--b\r
Content-Type: text/html; charset=utf-8\r
Content-Transfer-Encoding: quoted-printable\r
\r
<html><body><p>Gr=C3=BC=C3=9Fe</p></body></html>\r
--b--\r
"""


class TestHtmlConnector(ConnectorContract):
    """The connector keeps the contract."""

    readers = ("html.connector:_document",)
    download = Download(
        "sourdough wants a warm cupboard",
        {"bread.html": b"<html><body><p>Sourdough wants a warm cupboard</p></body></html>"},
    )

    @pytest.fixture
    def connector(self) -> Connector:
        """Without state."""
        return HtmlConnector()

    @pytest.fixture
    def samples(self) -> Samples:
        """A page and a web archive."""
        return {
            "a.html": {"a.html": b"<!-- saved --><html><body><p>Words</p></body></html>"},
            "b.mht": {"b.mht": ARCHIVE},
        }


def read(data: bytes) -> list[Record]:
    """Everything that a file holds."""
    return list(HtmlConnector().read(Shelf("pages", {"b.html": data}), OPTIONS))


def one(data: bytes) -> TextDocument:
    """The document of a page."""
    (document,) = read(data)
    assert isinstance(document, TextDocument)
    return document


def test_the_main_part_of_a_page() -> None:
    """Without menus and what is hidden; the page's own words about itself are kept."""
    document = one(PAGE)
    assert document.content == "# Boote\n\nEin Boot.\n\n- a\n- b"
    assert document.metadata["url"] == "https://example.org/boote"
    assert (document.metadata["title"], document.metadata["language"]) == ("Boote | Seite", "de")
    assert document.metadata["hidden_characters"] == "9"
    assert document.tags == ("See", "Wind")
    assert document.timestamp is not None
    assert document.timestamp.isoformat() == "2024-01-15T10:00:00+01:00"


def test_encodings_and_archives() -> None:
    """A page says its encoding; a web archive is no mail."""
    old = one(
        '<html><head><meta http-equiv="Content-Type" content="text/html; charset=windows-1251"></head><p>Лодка</p></html>'.encode(
            "cp1251"
        )
    )
    assert (old.content, old.metadata["encoding"]) == ("Лодка", "cp1251")
    archive = one(ARCHIVE)
    assert (archive.content, archive.metadata["url"]) == ("Grüße", "https://example.org/p")
    assert MailConnector().sniff(Shelf("0", {"b.mht": ARCHIVE})) < HtmlConnector().sniff(Shelf("0", {"b.mht": ARCHIVE}))


def test_hostile_pages() -> None:
    """Nesting without end and pages of scripts alone are no exception."""
    deep = read(b"<html><body>" + b"<div><b>" * 100_000 + b"x")
    assert all(isinstance(record, TextDocument | Rejected) for record in deep)
    (empty,) = read(b"<!doctype html><html><script>let a = 1</script></html>")
    assert isinstance(empty, Rejected)


def test_blocks_in_items_and_cells_end_no_line() -> None:
    """Items and cells whose words stand in paragraphs; lists in lists are indented; a cell with several lines has them."""
    html = (
        "<body><ul><li><p>one</p><ul><li>two</li></ul></li><li><div>three</div><div>four</div></li></ul>"
        "<table><tr><td><p>A</p></td><td>B</td></tr><tr><td></td><td>C</td></tr><tr><td><p>D</p><p>E</p></td><td>F</td></tr></table></body>"
    )
    assert page_text(html, whole=True).text == "- one\n\n  - two\n- three\nfour\n\nA | B\nC\nD\n\nE\n\nF"


def test_addresses_behind_words_are_kept() -> None:
    """Those of the part that is read, unless the words are the address."""
    page = (
        b'<body><nav><a href="https://example.org/menu">menu</a></nav><p>See <a href="https://example.org/offer">the'
        b' offer</a>, <a href="https://example.org">example.org</a> and <a href="mailto:bo@example.org">Bo</a>.</p>'
        b'<p><a href="tel:+41441234567">Ring</a> <a href="tel:0441234567">044 123 45 67</a> <a href="//example.org/y">y</a></p>'
        b"<details><summary>Sum</summary>inner</details></body>"
    )
    document = one(page)
    assert document.content == "See the offer, example.org and Bo.\n\nRing 044 123 45 67 y\n\nSum\ninner"
    assert document.metadata["links"] == json.dumps(
        ["https://example.org/offer", "mailto:bo@example.org", "tel:+41441234567", "https://example.org/y"]
    )
