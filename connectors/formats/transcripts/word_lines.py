"""The lines of a document of Word, as far as a transcript has any: paragraphs and the breaks within them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from ....schemas import Rejected
from ....schemas.errors import SourceError
from ...connector import Member
from ...files.whole_files import FILE_CAP
from ...opening.package_members import package_members
from ...opening.zip_source import is_zip
from ...text.xml_stream import XmlError, XmlEvent, xml_events
from .teams_document import LOOKED_AT

_DOCUMENT = "word/document.xml"


def word_document(member: Member) -> Member | None:
    """Return the main part of a document of Word; None for any other file, and for a damaged one.

    Raises:
        SourceError: it cannot be read.
    """
    with member.open() as stream:
        if not is_zip(stream.read(4)):
            return None
    with suppress(SourceError):
        return package_members(member).get(_DOCUMENT)
    return None


def first_lines(part: Member) -> list[str]:
    """Return the first lines of a main part; those before damage."""
    lines: list[str] = []
    try:
        for line in _lines(part):
            if line.strip():
                lines.append(line)
                if len(lines) >= LOOKED_AT:
                    break
    except (XmlError, SourceError):
        return lines
    return lines


def all_lines(part: Member) -> tuple[list[str], Rejected | None]:
    """Return the lines of a main part, and why there are no more of them."""
    lines: list[str] = []
    size = 0
    try:
        for line in _lines(part):
            lines.append(line)
            size += len(line) + 1
            if size > FILE_CAP:
                return lines, Rejected(locator=part.locator, reason=f"more than {FILE_CAP} characters in one document")
    except XmlError as error:
        return lines, Rejected(locator=part.locator, reason=f"{error}: what follows was not read")
    return lines, None


def _lines(part: Member) -> Iterator[str]:
    with part.open() as stream:
        yield from _of_events(xml_events(stream))


def _of_events(events: Iterator[XmlEvent]) -> Iterator[str]:
    text: list[str] = []
    inside = False
    for event in events:
        if event.kind == "text":
            if inside:
                text.append(event.name)
        elif event.name == "t":
            inside = event.kind == "start"
        elif event.name == "tab" and event.kind == "start":
            text.append("\t")
        elif (event.name in ("br", "cr") and event.kind == "start") or (event.name == "p" and event.kind == "end"):
            yield from "".join(text).replace("\r", "\n").split("\n")
            text.clear()
    if text:
        yield "".join(text)
