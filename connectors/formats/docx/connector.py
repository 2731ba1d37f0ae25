"""Reads DOCX files: one document for each file, its text as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from ....schemas import Rejected
from ...connector import Member, ReadOptions, Record
from ...files.file_connector import FileConnector
from ...opening.package_members import package_members, part_names
from .document import NAME, docx_records

SCORE = 0.5
"""The score of a document. It is low because a file beside a chat in the chat's archive is its attachment."""
_TYPES = "[Content_Types].xml"


class DocxConnector(FileConnector):
    """Reads DOCX."""

    name = NAME
    version = 2
    certain = SCORE

    def score(self, member: Member) -> float:
        """Return ``SCORE`` for an archive that has the parts of a Word document, else 0."""
        names = part_names(member)
        return SCORE if _TYPES in names and any(name.startswith("word/document") for name in names) else 0.0

    def records(self, member: Member, path: str, options: ReadOptions) -> Iterator[Record]:
        """Yield the document and what could not be read of it; the read options have no effect."""
        del options
        parts = package_members(member)
        if not any(name.startswith("word/") for name in parts):
            yield Rejected(locator=member.locator, reason="no document of Word was found in it")
            return
        yield from docx_records(member.locator, path, parts)
