"""The shared walk over files of documents: recognition, preview, and reading if each file stands for itself."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator

from ...schemas import Notice
from ...schemas.errors import SourceError
from ..connector import Member, Preview, ReadOptions, Record, ScoringConnector, Source
from ..errors import refusal
from ..opening.document_paths import path_prefix, root_of
from ..record_faults import records_at


class DocumentConnector(ScoringConnector):
    """Recognises files of documents, about which nothing needs to be asked."""

    def preview(self, source: Source, options: ReadOptions) -> Preview:
        """Open the first file."""
        for member in source.members()[:1]:
            member.open().close()
        return Preview(format=self.name, title=root_of(source, options))


class FileConnector(DocumentConnector):
    """Reads files one after the other; a subclass knows one of them."""

    once: frozenset[str] = frozenset({"zone-assumed"})
    """Codes of notices of which only the first file's are kept."""

    @abstractmethod
    def records(self, member: Member, path: str, options: ReadOptions) -> Iterator[Record]:
        """Read one file; its path has the root's name.

        Raises:
            SourceError: it cannot be read.
        """

    def read(self, source: Source, options: ReadOptions) -> Iterator[Record]:
        """Read every file, in the order of the source."""
        members = source.members()
        prefix = path_prefix(source, options)
        codes: set[str] = set()
        for member in members:
            try:
                for record in records_at(member.locator, self.records, member, prefix + member.name, options):
                    if isinstance(record, Notice) and record.code in self.once:
                        if record.code in codes:
                            continue
                        codes.add(record.code)
                    yield record
            except SourceError as error:
                if len(members) == 1:
                    raise
                yield refusal(member.locator, error)


def stem_of(path: str) -> str:
    """Return the file's name without its ending."""
    name = path.rpartition("/")[2]
    stem, dot, _ = name.rpartition(".")
    return stem if dot and stem else name
