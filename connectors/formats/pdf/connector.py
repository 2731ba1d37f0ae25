"""Reads PDF files: one document per file, with the offset of each page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ....schemas import Notice, Rejected
from ...connector import Member, ReadOptions, Record
from ...files.file_connector import FileConnector
from .document import NAME, pdf_document
from .process import PdfLimits, TooLargeError, answers, spooled

SCORE = 0.5
"""The score of a PDF. It is low because a PDF beside a chat in the same archive is an attachment of the chat."""
_HEAD = 1024
_MAGIC = re.compile(rb"[\xef\xbb\xbf\x00\s]*%PDF-\d")
_MOST_PAGES_TOLD = 20


class PdfConnector(FileConnector):
    """Reads PDF.

    Args:
        limits: the largest cost of reading one file.
    """

    name = NAME
    version = 2
    certain = SCORE

    def __init__(self, limits: PdfLimits = PdfLimits()) -> None:  # noqa: B008 - frozen
        self._limits = limits

    def score(self, member: Member) -> float:
        """Return `SCORE` for a file that begins with PDF's signature."""
        with member.open() as stream:
            return SCORE if _MAGIC.match(stream.read(_HEAD)) else 0.0

    def records(self, member: Member, path: str, options: ReadOptions) -> Iterator[Record]:
        """Read the document in a separate process, and report pages that are damaged or pictures only."""
        try:
            with member.open() as stream:
                descriptor = spooled(stream, self._limits)
        except TooLargeError:
            yield Rejected(locator=member.locator, reason=f"more than {self._limits.file_bytes} bytes in one file")
            return
        lines = answers(descriptor, self._limits)
        try:
            yield from _records(member, path, list(lines), options)
        finally:
            lines.close()  # type: ignore[attr-defined] - closing the generator ends the process


def _records(member: Member, path: str, lines: list[dict[str, Any]], options: ReadOptions) -> Iterator[Record]:
    head = next((line for line in lines if "pages" in line), None)
    failed = next((str(line["error"]) for line in lines if "error" in line and "page" not in line), None)
    if head is None:
        yield Rejected(locator=member.locator, reason=_reason(failed))
        return
    pages = {int(line["page"]): str(line["text"]) for line in lines if "text" in line}
    broken = [int(line["page"]) for line in lines if "page" in line and "error" in line]
    count = int(head["pages"])
    complete = any("done" in line for line in lines)
    if not complete:
        missing = max([0, *pages, *broken]) + 1
        lost = f"{count - missing + 1} page(s) from here on"
        yield Rejected(locator=f"{member.locator}#page={missing}", reason=f"{_reason(failed)}: {lost}")
    for number in broken[:_MOST_PAGES_TOLD]:
        yield Rejected(locator=f"{member.locator}#page={number}", reason="the page is damaged")
    if len(broken) > _MOST_PAGES_TOLD:
        rest = len(broken) - _MOST_PAGES_TOLD
        yield Rejected(locator=member.locator, reason=f"{rest} more pages are damaged")
    last = max(pages, default=0)
    lying: dict[int, list[str]] = {int(line["page"]): line["beside"] for line in lines if "beside" in line}
    numbers = range(1, last + 1)
    texts, beside = [pages.get(number, "") for number in numbers], [lying.get(number, []) for number in numbers]
    document = pdf_document(path, head["info"], texts, options, beside)
    scanned = [int(line["page"]) for line in lines if line.get("pictures")]
    if document is None and (broken or not complete):
        return  # the failed pages were reported, and text recognition would not repair them
    if document is None:
        pictures = "pictures of pages" if scanned else "pages without text"
        reason = f"needs_ocr: it holds {pictures} alone; a program for text recognition (ocrmypdf) adds their text"
        yield Rejected(locator=member.locator, reason=reason if count else "it has no pages")
        return
    if scanned:
        shown = ", ".join(str(number) for number in scanned[:_MOST_PAGES_TOLD])
        hint = f"{len(scanned)} page(s) are pictures without text, which a program for text recognition adds: {shown}"
        yield Notice(code="needs-ocr", locator=member.locator, hint=hint)
    yield document


def _reason(failed: str | None) -> str:
    if failed == "encrypted":
        return "encrypted: open it with its password and save a copy without one"
    if failed == "memory":
        return "reading it takes too much memory"
    return "it took too long, or its reader was ended" if failed is None else "it is damaged, or no PDF"
