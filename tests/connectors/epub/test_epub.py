"""EPUB: chapters in the order of reading, and the book as a collection."""

from __future__ import annotations

from datetime import UTC
from pathlib import Path

import pytest

from memd.connectors.connector import Connector, ReadOptions, Record
from memd.connectors.formats.epub.connector import EpubConnector
from memd.connectors.reading.read_path import read_records
from memd.schemas import DocumentCollectionDocument, Rejected, TextDocument
from memd.tests.connectors.office_files import docx, epub, packed
from memd.tests.contracts.connector import ConnectorContract, Download, Samples, Shelf

OPTIONS = ReadOptions(zone=UTC, zone_origin="option")
SEA = epub(
    {
        "two%20b.xhtml": "",
        "one.xhtml": "<html><head><title>x</title></head><body><h1>Waves</h1><p>Water.</p></body></html>",
        "cover.xhtml": "<html><body><img src='a.jpg'/></body></html>",
    },
    "<dc:title>The Sea</dc:title><dc:creator>Ann</dc:creator><dc:date>2020-05-01</dc:date><dc:subject>water</dc:subject>",
)


class TestEpubConnector(ConnectorContract):
    """The connector keeps the contract."""

    readers = ("epub.connector:_chapter",)
    download = Download(
        "the dragon guarded a teapot", {"tales.epub": epub({"a.xhtml": "<p>The dragon guarded a teapot</p>"})}
    )

    @pytest.fixture
    def connector(self) -> Connector:
        """Without state."""
        return EpubConnector()

    @pytest.fixture
    def samples(self) -> Samples:
        """A book."""
        return {"a.epub": {"a.epub": epub({"a.xhtml": "<p>Words</p>"})}}


def read(data: bytes) -> list[Record]:
    """Everything that a file holds."""
    return list(EpubConnector().read(Shelf("books", {"sea.epub": data}), OPTIONS))


def test_a_book_is_its_chapters_and_a_collection() -> None:
    """A cover has no words; a missing chapter is told."""
    rejected, chapter, book = read(SEA)
    assert isinstance(rejected, Rejected)
    assert rejected.locator == "books!sea.epub!OEBPS/two b.xhtml"
    assert isinstance(chapter, TextDocument)
    assert (chapter.id, chapter.content) == ("epub:books/sea.epub#OEBPS/one.xhtml", "# Waves\n\nWater.")
    assert (chapter.metadata["book"], chapter.metadata["collection"]) == ("The Sea", "epub:books/sea.epub")
    assert isinstance(book, DocumentCollectionDocument)
    assert (book.title, book.members, book.summary) == ("The Sea", (chapter.id,), "by Ann\n\n- Waves")
    assert book.tags == ("water",)


def test_offices_and_books_are_told_apart_in_a_folder(tmp_path: Path) -> None:
    """Each is read by its own format, and what is neither is left out."""
    (tmp_path / "a.epub").write_bytes(epub({"a.xhtml": "<p>Book</p>"}))
    (tmp_path / "b.docx").write_bytes(docx("<w:p><w:r><w:t>Letter</w:t></w:r></w:p>"))
    (tmp_path / "c.jar").write_bytes(packed({"META-INF/MANIFEST.MF": "x"}))
    found = [each for each in read_records(tmp_path, OPTIONS) if not isinstance(each, Rejected)]
    assert [(type(each), each.content) for each in found if isinstance(each, TextDocument)] == [
        (TextDocument, "Letter"),
        (TextDocument, "Book"),
    ]
