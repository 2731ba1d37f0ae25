"""Extracts the text of a part of a document (body, footnotes, comments) from its XML as Markdown, in document order.

What was deleted or moved away by tracked changes is left out, what was inserted is kept; the older form of a drawing
(``mc:Fallback``) repeats the newer one and is left out, and so is hidden text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from ...text.xml_stream import XmlEvent

_GONE = frozenset({"del", "moveFrom", "Fallback", "rt", "delText", "rPrChange", "pPrChange", "tblGrid"})
_FORM = frozenset({"checkBox", "ddList", "listEntry", "checked", "result", "default"})
_MOST_ENTRIES = 1000
"""The largest number of entries kept of a form's list; Word allows 25."""
_FIELDS = frozenset({"fldSimple", "fldChar", "instrText", *_FORM})
_HYPERLINK = re.compile(r"\bHYPERLINK\s+\"([^\"]{1,2000})\"")
_NOTES = {"footnoteReference": "", "endnoteReference": "e"}
_CHARACTERS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "\u2011", "softHyphen": "\u00ad", "ptab": "\t"}


@dataclass(slots=True)
class _Paragraph:
    text: list[str] = field(default_factory=list[str])
    level: int = 0
    item: bool = False
    inside: bool = False
    """True if the parser is inside the paragraph's properties, where a tab is a tab stop and not a character."""
    joined: bool = False
    """True if a tracked change deleted the paragraph's end, so that the next paragraph continues it."""


@dataclass(slots=True)
class _Box:
    """A container of paragraphs: the part itself, a table cell or a text box."""

    blocks: list[str] = field(default_factory=list[str])
    cells: list[str] = field(default_factory=list[str])
    rows: list[str] = field(default_factory=list[str])
    begun: list[str] = field(default_factory=list[str])
    """The text of paragraphs whose ends were deleted; it comes before the text of the next paragraph."""


@dataclass(slots=True)
class Counts:
    """The numbers of elements that notices and metadata report."""

    deleted: int = 0
    """The number of tracked deletions."""
    inserted: int = 0
    hidden: int = 0
    """The number of characters of hidden text."""
    images: int = 0


class BodyText:
    """Collects blocks of text from XML events.

    Args:
        levels: the levels of headings by style id.
        counts: the counts to add to.
    """

    def __init__(self, levels: Mapping[str, int], counts: Counts) -> None:
        self._levels = levels
        self._counts = counts
        self._boxes = [_Box()]
        self._paragraphs: list[_Paragraph] = []
        self._gone = 0
        self._text = 0
        self._hidden = False
        self._placeholder: list[bool] = []
        self._instruction: list[str] | None = None
        self._choice: list[str] | None = None
        """The entries of the open list of a form; of an open box to tick the marks that it may have."""
        self._chosen: int | None = None
        self.links: list[str] = []
        """The addresses of fields, in order."""
        self.marks: list[str] = []
        """The ids of the notes that the text refers to."""

    def blocks(self, events: Iterable[XmlEvent]) -> Iterator[str]:
        """Yield the blocks of the part, each as soon as it is complete."""
        for event in events:
            if self._gone:
                self._gone += {"start": 1, "end": -1}.get(event.kind, 0)
            elif event.kind == "text":
                self._add_text(event.name)
            elif event.kind == "start":
                self._start(event)
            else:
                self._end(event)
            if len(self._boxes) == 1 and self._boxes[0].blocks and not self._paragraphs:
                yield from self._boxes[0].blocks
                self._boxes[0].blocks.clear()
        while self._paragraphs or len(self._boxes) > 1:  # the part was cut off
            self._end_paragraph() if self._paragraphs else self._end_box("\n")
        if last := "".join(self._boxes[0].begun).strip():  # no paragraph followed
            self._boxes[0].blocks.append(last)
        yield from self._boxes[0].blocks

    def _start(self, event: XmlEvent) -> None:
        name = event.name
        if name in _GONE or (name == "sdtContent" and self._placeholder and self._placeholder[-1]):
            self._counts.deleted += name in ("del", "moveFrom")
            self._gone = 1
            if name == "del" and self._paragraphs and self._paragraphs[-1].inside:
                self._paragraphs[-1].joined = True
        elif name == "p":
            begun, self._boxes[-1].begun = self._boxes[-1].begun, []
            self._paragraphs.append(_Paragraph(begun))
        elif name in ("tc", "txbxContent"):
            self._boxes.append(_Box())
        elif name == "sdt":
            self._placeholder.append(False)
        elif name == "showingPlcHdr" and self._placeholder:
            self._placeholder[-1] = True
        elif name == "ins":
            self._counts.inserted += 1
        elif name == "r":
            self._hidden = False
        elif name == "t":
            self._text += 1
        elif name in _FIELDS:
            self._start_field(event)
        elif self._paragraphs:
            self._start_in(self._paragraphs[-1], event)

    def _start_in(self, paragraph: _Paragraph, event: XmlEvent) -> None:
        name, value = event.name, event.attributes.get("val", "")
        if name in ("pPr", "rPr"):
            paragraph.inside = True
        elif name == "pStyle":
            paragraph.level = self._levels.get(value, paragraph.level)
        elif name == "outlineLvl" and value.isdecimal() and int(value) < 9:
            paragraph.level = int(value) + 1
        elif name == "numPr":
            paragraph.item = True
        elif name == "vanish" and value not in ("0", "false", "off"):
            self._hidden = True
        elif paragraph.inside:
            return
        elif name in _CHARACTERS:
            paragraph.text.append(_CHARACTERS[name])
        elif name == "sym":
            paragraph.text.append(_symbol(event.attributes.get("char", "")))
        elif name in _NOTES:
            mark = f"{_NOTES[name]}{event.attributes.get('id', '')}"
            self.marks.append(mark)
            paragraph.text.append(f"[^{mark}]")
        elif name in ("drawing", "pict"):
            self._counts.images += 1

    def _start_form(self, name: str, value: str) -> None:
        """Begin a list or a box of a form, or take an entry of it, or which one is chosen."""
        if name in ("checkBox", "ddList"):
            self._choice, self._chosen = (["☐", "☒"] if name == "checkBox" else []), None
        elif self._choice is None:
            return
        elif name == "listEntry" and len(self._choice) < _MOST_ENTRIES:
            self._choice.append(value)
        elif name == "checked":
            self._chosen = int(value not in ("0", "false", "off"))
        elif name == "result" or (name == "default" and self._chosen is None):
            self._chosen = int(value) if value.isdecimal() and value.isascii() and len(value) < 5 else None

    def _start_field(self, event: XmlEvent) -> None:
        """Keep the address to which a field leads, once its instruction is complete."""
        if event.name in _FORM:
            self._start_form(event.name, event.attributes.get("val", ""))
            return
        if event.name == "instrText":
            self._instruction = self._instruction or []
            return
        instruction = "".join(self._instruction or ()) or event.attributes.get("instr", "")
        self._instruction = None
        if (match := _HYPERLINK.search(instruction)) is not None:
            self.links.append(match[1])

    def _add_text(self, text: str) -> None:
        if self._instruction is not None and not self._text:
            self._instruction.append(text)
        if not self._text or not self._paragraphs:
            return
        if self._hidden:
            self._counts.hidden += len(text)
        else:
            self._paragraphs[-1].text.append(text)

    def _end(self, event: XmlEvent) -> None:
        name = event.name
        if name == "t":
            self._text = max(0, self._text - 1)
        elif name == "p" and self._paragraphs:
            self._end_paragraph()
        elif name in ("pPr", "rPr") and self._paragraphs:
            self._paragraphs[-1].inside = False
        elif name == "r":
            self._hidden = False
        elif name == "sdt" and self._placeholder:
            self._placeholder.pop()
        elif name in ("tc", "txbxContent") and len(self._boxes) > 1:
            self._end_box(" " if name == "tc" else "\n")
        elif name in ("tr", "tbl"):
            self._end_row_or_table(name, self._boxes[-1])
        elif name in ("checkBox", "ddList"):
            self._end_form()

    @staticmethod
    def _end_row_or_table(name: str, box: _Box) -> None:
        if name == "tr":
            if any(cell.strip() for cell in box.cells):
                box.rows.append(" | ".join(box.cells))
            box.cells = []
        else:
            if box.rows:
                box.blocks.append("\n".join(box.rows))
            box.rows = []

    def _end_form(self) -> None:
        place = self._chosen or 0
        if self._choice and self._paragraphs and place < len(self._choice):
            self._paragraphs[-1].text.append(self._choice[place])
        self._choice = None

    def _end_paragraph(self) -> None:
        paragraph = self._paragraphs.pop()
        if paragraph.joined:
            self._boxes[-1].begun = paragraph.text
            return
        text = "".join(paragraph.text).strip("\n")
        if not text.strip():
            return
        if paragraph.level and len(self._boxes) == 1:
            text = f"{'#' * min(6, paragraph.level)} {' '.join(text.split())}"
        elif paragraph.item:
            text = f"- {text}"
        self._boxes[-1].blocks.append(text)

    def _end_box(self, between: str) -> None:
        box = self._boxes.pop()
        if last := "".join(box.begun).strip():
            box.blocks.append(last)
        box.blocks += box.rows
        if between == " ":
            self._boxes[-1].cells.append(" ".join(" ".join(block.split()) for block in box.blocks))
        else:
            self._boxes[-1].blocks += box.blocks


def _symbol(code: str) -> str:
    """Return the character with the hexadecimal code ``code``; empty for the private codes of symbol fonts."""
    try:
        symbol = chr(int(code, 16))
    except (ValueError, OverflowError):
        return ""
    return symbol if symbol.isprintable() else ""
