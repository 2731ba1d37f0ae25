"""DOCX: what a reader of the document reads, in its order; what a hostile one may not do."""

from __future__ import annotations

import json
from datetime import UTC

import pytest

from memd.connectors.connector import Connector, ReadOptions, Record
from memd.connectors.formats.docx.connector import DocxConnector
from memd.schemas import Notice, Rejected, TextDocument
from memd.tests.connectors.office_files import W, document_of, docx, packed
from memd.tests.contracts.connector import ConnectorContract, Download, Samples, Shelf

OPTIONS = ReadOptions(zone=UTC, zone_origin="option")
BOX = "<w:txbxContent><w:p><w:r><w:t>In a box</w:t></w:r></w:p></w:txbxContent>"
BODY = f"""
<w:p><w:pPr><w:pStyle w:val="berschrift1"/></w:pPr><w:r><w:t>The Boat</w:t></w:r></w:p>
<w:p><w:r><w:t xml:space="preserve">It was </w:t></w:r><w:del><w:r><w:delText>red</w:delText></w:r></w:del><w:ins><w:r><w:t>blue</w:t></w:r>
</w:ins><w:moveFrom><w:r><w:t>moved</w:t></w:r></w:moveFrom><w:r><w:t>.</w:t><w:footnoteReference w:id="2"/></w:r></w:p>
<w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p><w:p><w:r><w:t>c</w:t></w:r></w:p></w:tc></w:tr>
<w:tr><w:tc><w:p><w:r><w:t>d</w:t></w:r></w:p></w:tc><w:tc><w:tbl><w:tr><w:tc><w:p><w:r><w:t>inner</w:t></w:r></w:p></w:tc></w:tr></w:tbl></w:tc></w:tr></w:tbl>
<w:p><w:r><mc:AlternateContent><mc:Choice><w:drawing>{BOX}</w:drawing></mc:Choice><mc:Fallback>{BOX}</mc:Fallback></mc:AlternateContent></w:r></w:p>
<w:sdt><w:sdtPr/><w:sdtContent><w:p><w:pPr><w:numPr/></w:pPr><w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r><w:r><w:t>A</w:t><w:tab/><w:t>control</w:t></w:r></w:p></w:sdtContent></w:sdt>
<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent><w:p><w:r><w:t>Click here</w:t></w:r></w:p></w:sdtContent></w:sdt>
<w:p><w:fldSimple w:instr="DATE"><w:r><w:t>today</w:t></w:r></w:fldSimple><w:r><w:instrText>PAGE</w:instrText></w:r></w:p>
"""
STYLES = f'<w:styles {W}><w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style></w:styles>'
FOOTNOTES = f'<w:footnotes {W}><w:footnote w:id="0"><w:p><w:r><w:t>---</w:t></w:r></w:p></w:footnote><w:footnote w:id="2"><w:p><w:r><w:t>Painted.</w:t></w:r></w:p></w:footnote></w:footnotes>'
COMMENTS = f'<w:comments {W}><w:comment w:id="1" w:author="Bo"><w:p><w:r><w:t>Really?</w:t></w:r></w:p></w:comment></w:comments>'
CORE = '<c:coreProperties xmlns:c="c" xmlns:dc="d" xmlns:t="t"><dc:title>Boats</dc:title><dc:creator>Ann</dc:creator><t:created>2024-01-15T10:00:00Z</t:created></c:coreProperties>'
WHOLE = docx(BODY, styles=STYLES, footnotes=FOOTNOTES, comments=COMMENTS, core=CORE)
SMALL = docx("<w:p><w:r><w:t>Words</w:t></w:r></w:p>")


class TestDocxConnector(ConnectorContract):
    """The connector keeps the contract."""

    readers = ("docx.document:_document",)
    download = Download(
        "the tenant must mow the meadow",
        {"lease.docx": docx("<w:p><w:r><w:t>The tenant must mow the meadow</w:t></w:r></w:p>")},
    )

    @pytest.fixture
    def connector(self) -> Connector:
        """Without state."""
        return DocxConnector()

    @pytest.fixture
    def samples(self) -> Samples:
        """A document."""
        return {"a.docx": {"a.docx": SMALL}}


def read(data: bytes) -> list[Record]:
    """Everything that a file holds."""
    return list(DocxConnector().read(Shelf("texts", {"b.docx": data}), OPTIONS))


def test_everything_that_is_read_is_kept_in_its_order() -> None:
    """Tracked changes, tables, boxes once, controls, notes and comments; hidden words and placeholders are not."""
    *notices, document = read(WHOLE)
    assert isinstance(document, TextDocument)
    assert document.content == (
        "# The Boat\n\nIt was blue.[^2]\n\na | b c\nd | inner\n\nIn a box\n\n- A\tcontrol\n\ntoday\n\n"
        "[^2]: Painted.\n\n[Comment by Bo: Really?]"
    )
    assert [notice.code for notice in notices if isinstance(notice, Notice)] == ["hidden-text", "tracked-deletions"]
    assert (document.id, document.metadata["title"], document.metadata["author"]) == (
        "docx:texts/b.docx",
        "Boats",
        "Ann",
    )
    assert document.metadata["tracked_changes"] == "true"
    assert document.timestamp is not None


@pytest.mark.slow
def test_entities_and_bombs_are_refused() -> None:
    """Entities of the document's own, outside files, nesting without end, and archives that unpack to too much."""
    bomb = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "b"><!ENTITY c "&a;&a;">]><x>&c;</x>'
    outside = '<?xml version="1.0"?><!DOCTYPE x SYSTEM "file:///etc/passwd"><x><p><t>&y;</t></p></x>'
    deep = "<x>" * 100_000
    for hostile in (bomb, outside, deep):
        records = read(packed({"[Content_Types].xml": "<a/>", "word/document.xml": hostile}))
        assert [type(record) for record in records][-1] is Rejected
    huge = packed({"[Content_Types].xml": "<a/>", "word/document.xml": f"<x>{' ' * 100_000_000}</x>"})
    assert all(isinstance(record, Rejected) for record in read(huge))


def test_a_damaged_document_keeps_what_stands_before() -> None:
    """And says that the rest is missing."""
    body = "<w:p><w:r><w:t>Words</w:t></w:r></w:p><w:p><w:r><w:t>more</w:r>"
    rejected, document = read(docx(body))
    assert isinstance(rejected, Rejected)
    assert "damaged XML" in rejected.reason
    assert isinstance(document, TextDocument)
    assert document.content == "Words\n\nmore"


def test_symbols_are_characters_and_a_deleted_end_joins_paragraphs() -> None:
    """As Word shows them; symbols of fonts that have their own are no text."""
    body = (
        '<w:p><w:pPr><w:rPr><w:del w:id="1"/></w:rPr></w:pPr><w:r><w:sym w:font="MS Gothic" w:char="2612"/>'
        '<w:t xml:space="preserve"> Paint </w:t></w:r></w:p>'
        '<w:p><w:r><w:t>the hull</w:t><w:sym w:font="Wingdings" w:char="F0FC"/></w:r></w:p>'
        '<w:p><w:pPr><w:rPr><w:del w:id="2"/></w:rPr></w:pPr><w:r><w:t>Last</w:t></w:r></w:p>'
    )
    document = read(docx(body))[-1]
    assert isinstance(document, TextDocument)
    assert document.content == "\u2612 Paint the hull\n\nLast"


def test_values_of_old_forms_are_kept() -> None:
    """A box to tick shows whether it is ticked, a list what was chosen: its first entry, if nothing was."""
    field = '<w:r><w:fldChar w:fldCharType="begin"><w:ffData>{}</w:ffData></w:fldChar></w:r>'
    entries = '<w:listEntry w:val="red"/><w:listEntry w:val="green"/>'
    fields = [
        '<w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox>',
        '<w:checkBox><w:default w:val="1"/><w:checked w:val="0"/></w:checkBox>',
        f'<w:ddList><w:result w:val="1"/>{entries}</w:ddList>',
        f"<w:ddList>{entries}</w:ddList>",
        '<w:ddList><w:result w:val="7"/></w:ddList>',
    ]
    body = "".join(f"<w:p>{field.format(each)}<w:r><w:t> x</w:t></w:r></w:p>" for each in fields)
    document = read(docx(body))[-1]
    assert isinstance(document, TextDocument)
    assert document.content == "\u2612 x\n\n\u2610 x\n\ngreen x\n\nred x\n\n x"


def test_addresses_behind_words_are_kept() -> None:
    """Of links and of fields; what the text says itself is not said twice."""
    body = (
        '<w:p><w:hyperlink w:id="r1"><w:r><w:t>the offer</w:t></w:r></w:hyperlink><w:r><w:fldChar/></w:r>'
        '<w:r><w:instrText> HYPERLINK "https://example.org/field" </w:instrText></w:r><w:r><w:fldChar/></w:r>'
        "<w:r><w:t> here, https://example.org/said</w:t></w:r>"
        '<w:fldSimple w:instr=" HYPERLINK &quot;https://example.org/simple&quot; "/></w:p>'
    )
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink"
    targets = ("https://example.org/offer", "https://example.org/said")
    rels = "".join(
        f'<Relationship Id="r{n}" Type="{kind}" Target="{target}" TargetMode="External"/>'
        for n, target in enumerate(targets, 1)
    )
    parts = {"word/_rels/document.xml.rels": f"<Relationships>{rels}</Relationships>"}
    (document,) = read(packed({**parts, "[Content_Types].xml": "<Types/>", "word/document.xml": document_of(body)}))
    assert isinstance(document, TextDocument)
    assert document.content == "the offer here, https://example.org/said"
    assert json.loads(document.metadata["links"]) == [
        "https://example.org/field",
        "https://example.org/simple",
        "https://example.org/offer",
    ]
