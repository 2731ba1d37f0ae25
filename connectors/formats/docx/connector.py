"""DOCX: one document for each file, its text as Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ....schemas import Rejected
from ...connector import Connector, Member, Preview, ReadOptions, Record, Source
from ...files.file_documents import best_score, read_files
from ...opening.document_paths import root_of
from ...opening.package_members import package_members, part_names
from .document import NAME, docx_records

SCORE = 0.5
"""A file beside a chat in the chat's own archive is its attachment: nobody is surer than that of a document."""
_TYPES = "[Content_Types].xml"


class DocxConnector:
    """Reads DOCX."""

    version = 1

    @property
    def name(self) -> str:
        """``docx``."""
        return NAME

    def sniff(self, source: Source) -> float:
        """An archive that has the parts of a document of Word."""
        return best_score(source, _score, SCORE)

    def preview(self, source: Source, options: ReadOptions) -> Preview:
        """Nothing is open about a document."""
        for member in source.members()[:1]:
            member.open().close()
        return Preview(format=self.name, title=root_of(source, options))

    def read(self, source: Source, options: ReadOptions) -> Iterator[Record]:
        """One document after the other."""
        yield from read_files(source, options, _read)


def _read(member: Member, path: str, options: ReadOptions) -> Iterator[Record]:
    del options  # a document says of itself all that is known of it
    parts = package_members(member)
    if not any(name.startswith("word/") for name in parts):
        yield Rejected(locator=member.locator, reason="no document of Word was found in it")
        return
    yield from docx_records(member.locator, path, parts)


def _score(member: Member) -> float:
    names = part_names(member)
    return SCORE if _TYPES in names and any(name.startswith("word/document") for name in names) else 0.0


if TYPE_CHECKING:
    _: type[Connector] = DocxConnector
