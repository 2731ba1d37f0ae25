"""PDF: pages, headers, dates; what is rejected; a process that takes too long."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from memd.connectors.connector import Connector, ReadOptions, Record
from memd.connectors.formats.pdf.connector import PdfConnector
from memd.connectors.formats.pdf.pages import join_pages
from memd.connectors.formats.pdf.process import PdfLimits
from memd.connectors.opening.open_source import open_source
from memd.connectors.reading.read_path import read_records
from memd.schemas import Notice, Rejected, TextDocument
from memd.tests.connectors.office_files import packed, pdf
from memd.tests.contracts.connector import ConnectorContract, Download, Samples, Shelf

OPTIONS = ReadOptions(zone=UTC, zone_origin="option")
INFO = "/Title (Boats) /Author (Ann) /Keywords (sea, wind) /CreationDate (D:20240115103000+01'00')"
WORDS = ("red", "blue", "green", "old")
REPORT = [
    f"The Report\nThere are {word} boats in the har-\nbour of Bonn-\nBeuel, all {word}.\n{number}"
    for number, word in enumerate(WORDS, 1)
]


class Contract(ConnectorContract):
    """Not run: each file is read by a process of its own, and the suite reads thousands."""

    readers = ("pdf.document:pdf_document",)
    download = Download("the glacier lost nine metres", {"glacier.pdf": pdf(["The glacier lost nine metres"])})

    @pytest.fixture
    def connector(self) -> Connector:
        """PDF's."""
        return PdfConnector()

    @pytest.fixture
    def samples(self) -> Samples:
        """Two pages."""
        return {"pages": {"a.pdf": pdf(["one", "two"])}}


@pytest.fixture
def connector() -> Connector:
    """Without state."""
    return PdfConnector()


def read(files: Mapping[str, bytes], limits: PdfLimits | None = None) -> list[Record]:
    """Everything that these files hold."""
    found = PdfConnector(limits) if limits else PdfConnector()
    return list(found.read(Shelf("books", files), OPTIONS))


@pytest.mark.slow
def test_pages_become_one_text_with_their_places() -> None:
    """Headers and page numbers go, words are joined, names keep their mark; what the file says is kept."""
    (document,) = read({"a.pdf": pdf(REPORT, INFO)})
    assert isinstance(document, TextDocument)
    assert document.content.startswith("There are red boats in the harbour of Bonn-\nBeuel, all red.\n\nThere are blue")
    starts = json.loads(document.metadata["page_starts"])
    assert [document.content[start:].split()[2] for start in starts] == list(WORDS)
    assert json.loads(document.metadata["repeated_lines"]) == ["The Report", "1"]
    assert (document.id, document.metadata["title"], document.metadata["author"]) == ("pdf:books/a.pdf", "Boats", "Ann")
    assert document.timestamp is not None
    assert document.timestamp.isoformat() == "2024-01-15T10:30:00+01:00"
    assert document.tags == ("sea", "wind")
    assert read({"a.pdf": pdf(REPORT, INFO)}) == [document]


@pytest.mark.slow
def test_scanned_and_damaged_files_are_rejected() -> None:
    """A file without text needs text recognition; one that is no PDF inside is told so; others beside are read."""
    records = read({"a.pdf": pdf(["", ""]), "b.pdf": b"%PDF-1.4\nnothing", "c.pdf": pdf(["Words"])})
    reasons = [record.reason for record in records if isinstance(record, Rejected)]
    assert reasons[0].startswith("needs_ocr")
    assert reasons[1] == "it is damaged, or no PDF"
    assert [record.content for record in records if isinstance(record, TextDocument)] == ["Words"]


def test_a_page_that_fails_is_no_scan(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no page could be read the pages are told as damaged, and no program for text recognition is proposed."""
    lines: list[dict[str, Any]] = [{"pages": 1, "info": {}}, {"page": 1, "error": "RecursionError"}, {"done": True}]

    def told(descriptor: int, _: PdfLimits) -> Iterator[dict[str, Any]]:
        os.close(descriptor)
        yield from lines

    monkeypatch.setattr("memd.connectors.formats.pdf.connector.answers", told)
    records = read({"a.pdf": b"%PDF-1.4\n"})
    reasons = [each.reason for each in records if isinstance(each, Rejected)]
    assert reasons == ["the page is damaged"]


@pytest.mark.parametrize(
    ("broken", "done", "told"),
    [
        (20, True, ["the page is damaged"] * 20),
        (33, True, [*["the page is damaged"] * 20, "13 more pages are damaged"]),
        (33, False, ["it took too long, or its reader was ended: 7 page(s) from here on", *["the page is damaged"] * 20, "13 more pages are damaged"]),
    ],
)  # fmt: skip
def test_every_lost_page_is_counted(
    monkeypatch: pytest.MonkeyPatch,
    broken: int,
    done: bool,
    told: list[str],
) -> None:
    """The first ones each, all others by their number; also those that a process did not come to."""
    lines: list[dict[str, Any]] = [{"pages": broken + 7, "info": {}}]
    lines += [{"page": number + 1, "error": "ValueError"} for number in range(broken)]
    if done:
        lines += [{"page": broken + number + 1, "text": "words"} for number in range(7)] + [{"done": True}]

    def answered(descriptor: int, _: PdfLimits) -> Iterator[dict[str, Any]]:
        os.close(descriptor)
        yield from lines

    monkeypatch.setattr("memd.connectors.formats.pdf.connector.answers", answered)
    records = read({"a.pdf": b"%PDF-1.4\n"})
    assert [each.reason for each in records if isinstance(each, Rejected)] == told
    assert sum(isinstance(each, TextDocument) for each in records) == done


@pytest.mark.slow
def test_limits_end_the_process() -> None:
    """Too many bytes, and no answer in time."""
    whole = pdf(REPORT)
    (large,) = read({"a.pdf": whole}, PdfLimits(file_bytes=100))
    assert isinstance(large, Rejected)
    (slow,) = read({"a.pdf": whole}, PdfLimits(page_s=0.0))
    assert isinstance(slow, Rejected)
    assert "too long" in slow.reason


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the limit of memory is Linux's")
def test_a_small_limit_of_memory_is_an_answer() -> None:
    """Python itself does not fit: the process ends, the reader does not."""
    (none,) = read({"a.pdf": pdf(REPORT)}, PdfLimits(memory_bytes=1 << 20))
    assert isinstance(none, Rejected)


@pytest.mark.slow
def test_a_folder_and_an_archive_hold_the_same(tmp_path: Path) -> None:
    """Files and archives are read by sniffing; cut ones never raise."""
    data = pdf(REPORT)
    folder = tmp_path / "x" / "books"
    folder.mkdir(parents=True)
    (folder / "a.pdf").write_bytes(data)
    (tmp_path / "books.zip").write_bytes(packed({"a.pdf": data.decode("ascii")}))
    plain = [each for each in read_records(folder, OPTIONS) if isinstance(each, TextDocument)]
    zipped = [each for each in read_records(tmp_path / "books.zip", OPTIONS) if isinstance(each, TextDocument)]
    assert len(plain) == 1
    assert plain == zipped
    assert PdfConnector().sniff(open_source(folder / "a.pdf")) >= 0.5
    for cut in (20, len(data) // 2, len(data) - 30):
        assert all(isinstance(each, TextDocument | Notice | Rejected) for each in read({"a.pdf": data[:cut]}))


@pytest.mark.slow
def test_streams_are_closed_when_reading_ends_early(connector: Connector) -> None:
    """No stream stays open."""
    shelf = Shelf("books", {"a.pdf": pdf(REPORT), "b.pdf": pdf(REPORT)})
    half = iter(connector.read(shelf, replace(OPTIONS, chat="x")))
    next(half)
    half.close()  # type: ignore[attr-defined] - every connector reads by a generator
    assert shelf.streams
    assert all(stream.closed for stream in shelf.streams)


def test_pages_without_a_common_edge_stay_whole() -> None:
    """Two pages prove nothing; a page that is nothing but a header keeps it."""
    assert join_pages(["Same\na", "Same\nb"]).text == "Same\na\n\nSame\nb"
    joined = join_pages(["Head\na", "Head\nb", "Head\nc", "Head", ""])
    assert joined.text == "a\n\nb\n\nc\n\nHead"
    assert list(joined.starts) == [0, 3, 6, 9, 13]


def test_samples_are_recognised(connector: Connector) -> None:
    """By their first bytes, and not a text that speaks of PDF."""
    assert connector.sniff(Shelf("0", {"0.txt": pdf(["x"])})) >= 0.5
    assert connector.sniff(Shelf("0", {"a.txt": b"write %PDF-1.4 first"})) == 0


@pytest.mark.slow
def test_what_lies_on_a_page_is_kept() -> None:
    """Values of forms, comments, and addresses of links; a switch that is off says nothing."""
    form = "/Type /Annot /Subtype /Widget /Rect [0 0 9 9]"
    notes = [
        f"<< {form} /FT /Tx /T (iban) /V (DE00 1234) >>",
        f"<< {form} /FT /Btn /T (member) /V /Yes /AS /Yes >>",
        f"<< {form} /FT /Btn /T (guest) /V /Off /AS /Off >>",
        f"<< {form} /FT /Ch /T (size) /V (L) /Opt [[(S) (Small one)] [(L) (Large one)]] >>",
        f"<< {form} /FT /Ch /T (with) /V [(ham) (olives)] /Opt [(ham) (corn) (olives)] >>",
        f"<< {form} /FT /Tx /T (note) /RV (<body><p>ring <b>twice</b> &amp; wait</p></body>) >>",
        "<< /Type /Annot /Subtype /Text /Rect [0 0 9 9] /RC (<body><p>a rich one</p></body>) >>",
        "<< /Type /Annot /Subtype /Text /Rect [0 0 9 9] /T (Bo) /Contents (agreed to 890) >>",
        "<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S /URI /URI (https://example.org/plan) >> >>",
    ]
    data = pdf(["The contract."]).replace(b"/Type /Page ", f"/Type /Page /Annots [{' '.join(notes)}] ".encode())
    (document,) = read({"a.pdf": data})
    assert isinstance(document, TextDocument)
    assert document.content == (
        "The contract.\niban: DE00 1234\nmember: Yes\nsize: Large one\nwith: ham, olives\nnote: ring twice & wait\n"
        "[Comment: a rich one]\n[Comment by Bo: agreed to 890]\nhttps://example.org/plan"
    )
