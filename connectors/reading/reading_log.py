"""The receipt of an import: the records read and left out of each file, counted during reading."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...schemas import ConversationDocument, Document, Notice, Rejected
from ..connector import Connector, Member, Record
from ..opening.tracked_member import ReadFile, TrackedMember
from .content_counts import ContentCounts
from .registry import format_named

MOST_REASONS = 50
"""The largest number of reasons of an export that are distinguished; others count as `OTHER_REASON`."""
OTHER_REASON = "other reasons"
NOT_RECOGNISED = "not recognised"
"""The reason why a file that no format recognises is left out."""
_LONGEST_REASON = 200
_PLACES = "#!:"
"""The characters that may follow the name of a file in the locator of a record."""
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """A file that was not read, and why."""

    path: str
    reason: str
    size: int | None = None

    def to_wire(self) -> dict[str, Any]:
        """Return a JSON object."""
        fields = {"path": self.path, "skipped": self.reason}
        return fields if self.size is None else fields | {"size": self.size}


class ExportLog:
    """The counts of one export: one file, or several of one format that are read together.

    Args:
        connector: that reads it.
        path: of its file, or of the folder or archive that its files lie in.
        members: the files that are recognised as of this format.
    """

    def __init__(self, connector: Connector, path: str, members: Sequence[Member]) -> None:
        self.format = connector.name
        receipts = format_named(connector.name).receipts
        self.version = connector.version
        self.path = members[0].locator if len(members) == 1 else path
        self.members = [*members]
        self.files = [ReadFile(member.locator, member.size, number=number) for number, member in enumerate(members)]
        self.recognised = len(members)
        """The number of files that are of this format by their beginnings; the others lay beside them, and were read,
        too.
        """
        self._by_path = {file.path: file for file in self.files}
        self._beside: dict[str, Member] = {}
        self.contents = ContentCounts()
        self.rejected: Counter[str] = Counter()
        self.notices: Counter[str] = Counter()
        self.opened_last: ReadFile | None = None
        # If files are read together, documents come after all were opened, including those beside the recognised ones.
        self._only = self.files[0] if len(members) == 1 and receipts not in ("file", "listed") else None
        self._refused: Document | None = None
        self._apart = len(members) == 1 or receipts in ("file", "listed")
        self._counted = not self._apart and receipts == "counted"
        self._together = self._counted or (len(members) > 1 and receipts == "listed")

    def count(self, record: Record) -> None:
        """Count one thing that was read; of a document that it comes now."""
        if isinstance(record, Notice):
            self.notices[record.code] += 1
        elif isinstance(record, Rejected):
            self.reject(record.reason, record.locator)
        elif self._apart and self._current is not None:
            self._adopt(self._current)

    def count_taken(self, document: Document) -> None:
        """Count the messages of a document after the consumer has taken it, unless it was refused."""
        if document is self._refused:
            return
        messages = self.contents.add(document)
        if self._apart and self._current is not None:
            self._current.messages += messages

    def refuse(self, document: Document, reason: str) -> int:
        """Count all messages of the document that was read last as rejected; returns how many they are."""
        self._refused = document
        messages = len(document.messages) if isinstance(document, ConversationDocument) else 1
        self.reject(reason, document.id, messages)
        return messages

    def reject(self, reason: str, locator: str, records: int = 1) -> None:
        """Count records that could not be read, also for the file in their locator. Numbers in a reason are positions
        and are replaced by ``N``.
        """
        text = _NUMBER.sub("N", reason[:_LONGEST_REASON])
        text = text if text in self.rejected or len(self.rejected) < MOST_REASONS else OTHER_REASON
        self.rejected[text] += records
        if (file := self._file_of(locator)) is not None:
            file.rejected[text] += records
            self._adopt(file)

    def file_of(self, member: Member) -> ReadFile:
        """Return the entry of a member, also of a member beside the recognised files."""
        file = self._by_path.get(member.locator)
        if file is None:
            file = self._by_path[member.locator] = ReadFile(member.locator, member.size)
            self._beside[member.locator] = member
        return file

    def _adopt(self, file: ReadFile) -> None:
        """Add a file to those of the export, because something in it was read or rejected."""
        if file.number < 0 and (member := self._beside.pop(file.path, None)) is not None:
            file.number = len(self.files)
            self.files.append(file)
            self.members.append(member)

    def adopt_counted(self) -> None:
        """Add all files in which a reader counted something to those of the export."""
        for path in [*self._beside]:
            file = self._by_path[path]
            if file.counted or file.left_out or file.used:
                self._adopt(file)

    def roles_beside(self) -> Iterator[tuple[str, str]]:
        """Yield the path and the role of each file beside the export's own, as far as its reader knows."""
        for path in self._beside:
            if role := self._by_path[path].role:
                yield path, role

    def _file_of(self, locator: str) -> ReadFile | None:
        """Return the file that a locator names; if it names none and files are read one by one, the file opened last."""
        if file := self._by_path.get(locator):
            return file
        for end in (number for number, letter in enumerate(locator) if letter in _PLACES):
            if file := self._by_path.get(locator[:end]):
                return file
        return self._current if self._apart else None

    @property
    def _current(self) -> ReadFile | None:
        """Return the file from which documents come at present, if files are read one after the other."""
        return self._only or self.opened_last

    @property
    def place(self) -> str:
        """Return the number of the current file; empty if files are read together."""
        current = self._current if self._apart else None
        return str(current.number) if current is not None and current.number >= 0 else ""

    def finish(self) -> None:
        """Make the checksums of files that were not read to their ends."""
        self.adopt_counted()
        for file, member in zip(self.files, self.members, strict=True):
            file.complete(member)

    def to_wire(self) -> dict[str, Any]:
        """Return a JSON object."""
        self.adopt_counted()
        return {
            "format": self.format,
            "version": self.version,
            "path": self.path,
            "rejected": dict(self.rejected),
            "notices": dict(self.notices),
            **self.contents.receipt(),
            **({"together": True} if self._together else {}),
            "files": [file.to_wire(self._messages_of(file)) for file in self.files],
        }

    def _messages_of(self, file: ReadFile) -> int | None:
        """Return the number of messages read from a file; None if it is not known."""
        return file.messages if self._apart else file.counted if self._counted else None


@dataclass(slots=True)
class ReadingLog:
    """Exports that were read and files that were not, in their order."""

    exports: list[ExportLog] = field(default_factory=list[ExportLog])
    skipped: list[SkippedFile] = field(default_factory=list[SkippedFile])

    def begin(self, connector: Connector, path: str, members: Sequence[Member]) -> ExportLog:
        """Begin an export and return its log."""
        export = ExportLog(connector, path, members)
        self.exports.append(export)
        return export

    @property
    def place(self) -> str:
        """Return the position of the document read last: the number of its export, and of its file if that is known."""
        export = len(self.exports) - 1
        return f"{export}/{file}" if (file := self.exports[export].place) else str(export)

    def contents(self) -> ContentCounts:
        """Return the counts over all exports."""
        counts = ContentCounts()
        for export in self.exports:
            counts.merge(export.contents)
        return counts

    def outside(self, record: Notice | Rejected) -> None:
        """Count a notice or rejection outside of all exports: a file that cannot be read at all, or that is left out."""
        reason = record.reason if isinstance(record, Rejected) else record.hint
        self.skipped.append(SkippedFile(record.locator, reason))

    def to_wire(self) -> dict[str, Any]:
        """Return the receipt, a JSON object."""
        exports = [export.to_wire() for export in self.exports]
        read = {file.path for export in self.exports for file in export.files[export.recognised :]}
        roles = {path: role for export in self.exports for path, role in export.roles_beside()}
        skipped = [replace(file, reason=roles.get(file.path, file.reason)) for file in self.skipped]
        return {"exports": exports, "skipped": [file.to_wire() for file in skipped if file.path not in read]}


def tracked(members: Sequence[Member], export: ExportLog) -> Iterator[Member]:
    """Yield the members, each recording in the log its opening and its content; also those that the log does not know
    yet.
    """
    for member in members:
        yield TrackedMember(member, export.file_of(member), export)
