"""DOCX: one document for each file, its text as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from ....schemas import Rejected
from ...connector import Member, ReadOptions, Record
from ...files.file_connector import FileConnector
from ...opening.package_members import package_members, part_names
from .document import NAME, docx_records

SCORE = 0.5
"""A file beside a chat in the chat's own archive is its attachment: nobody is surer than that of a document."""
_TYPES = "[Content_Types].xml"


class DocxConnector(FileConnector):
    """Reads DOCX."""

    name = NAME
    certain = SCORE

    def score(self, member: Member) -> float:
        """Recognise an archive that has the parts of a document of Word."""
        names = part_names(member)
        return SCORE if _TYPES in names and any(name.startswith("word/document") for name in names) else 0.0

    def records(self, member: Member, path: str, options: ReadOptions) -> Iterator[Record]:
        """Read the document, which says of itself all that is known of it."""
        del options
        parts = package_members(member)
        if not any(name.startswith("word/") for name in parts):
            yield Rejected(locator=member.locator, reason="no document of Word was found in it")
            return
        yield from docx_records(member.locator, path, parts)
