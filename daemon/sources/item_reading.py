"""The state of one export while it is read: results, errors and the state to store for each of its files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...connectors.reading.reading_log import NOT_RECOGNISED, SkippedFile
from ...schemas import Document, Rejected
from ...schemas.errors import SourceError
from .export_items import NOT_ASKED, ExportItem
from .export_reader import ReaderEndedError
from .folder_scan import ATTEMPTS, FoundFile, names_attachment
from .repository import FileState

REASONS = 3
"""The number of different reasons that a note lists for the bad records of one file."""
_REASON_CAP = 300
_OTHER_CHAT = (
    "a chat of this name is stored, and shares no message with this one; give it a name: `memd ingest --chat NAME`"
)
_FILES_LEFT_OUT = "files-left-out"
_PLACES = "#!:"
"""The characters that may separate a file name from the place of a record in a locator."""


@dataclass(slots=True)
class _FileFlaws:
    """The errors of one file."""

    refused: str = ""
    """The reason why nothing in the file can be read."""
    records: int = 0
    reasons: dict[str, str] = field(default_factory=dict[str, str])
    """The reasons for unreadable records, each with the place of its first record."""

    def note(self) -> str:
        """Return a one-line summary of the unreadable records; empty if there are none."""
        if not self.records:
            return ""
        reasons = "; ".join(f"{reason} ({place})" if place else reason for reason, place in self.reasons.items())
        more = "; …" if len(self.reasons) == REASONS and self.records > REASONS else ""
        return f"{'1 record' if self.records == 1 else f'{self.records} records'} could not be read: {reasons}{more}"


class ItemReading:
    """The state of one export while it is read.

    Args:
        item: the export.
        digests: sums of the contents of its files, by path.
        root: the folder that is the source.
    """

    def __init__(self, item: ExportItem, digests: Mapping[str, bytes], root: Path) -> None:
        self.item = item
        self.held: list[Document] = []
        self.size = 0
        self.failure: SourceError | None = None
        self.receipt: dict[str, Any] | None = None
        self.left_out = False
        """True if no format claims the file and other exports lie beside it: it is then skipped, as `memd ingest` does.
        """
        self.others: dict[str, None] = {}
        """The titles of its chats that are stored as another chat."""
        self._digests = digests
        self._root = f"{root}/"
        self._flaws = {file.path: _FileFlaws() for file in item.files}

    @property
    def place(self) -> str:
        """Return the location for the user: the path of the file, or of the folder that the export fills."""
        return (self._root + (self.item.files[0].path if self.item.folder is None else self.item.folder)).rstrip("/")

    @property
    def rejected(self) -> int:
        """Return the number of records that could not be read."""
        return sum(flaws.records for flaws in self._flaws.values())

    def skipped(self) -> Iterator[dict[str, Any]]:
        """Yield the files of the export as skipped files of a receipt."""
        for file in self.item.files:
            yield SkippedFile(self._root + file.path, NOT_RECOGNISED, file.size).to_wire()

    def notices(self, groups: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
        """Yield the notices that add something: skipped files are listed individually, and notices about files
        elsewhere belong to other exports. A notice that names only the source's folder gets the place of the export
        instead.
        """
        elsewhere = {self._root + path for path in self.item.beside} - {self._root + path for path in self._flaws}
        for each in groups:
            places = [self.place if place == self._root[:-1] else place for place in each["places"]]
            if self.item.folder is not None and (each["code"] == _FILES_LEFT_OUT or elsewhere.issuperset(places)):
                continue
            yield {**each, "places": places}

    def note_rejected(self, record: Rejected) -> None:
        """Count a record or a file that could not be read, for the file in its locator."""
        path, place = self._path_of(record.locator)
        if path not in self._flaws:
            return  # the file lies elsewhere; its own export reports it
        flaws = self._flaws[path]
        if not place and record.locator == self._root + path:
            flaws.refused = record.reason
            return
        flaws.records += 1
        reason = record.reason[:_REASON_CAP]
        if len(flaws.reasons) < REASONS:
            flaws.reasons.setdefault(reason, place[:_REASON_CAP])

    def _path_of(self, locator: str) -> tuple[str, str]:
        """Split a locator into the path of a file and the place in it; an unknown path counts as the first file of the
        export.
        """
        inside = locator.removeprefix(self._root)
        if inside in self._flaws or inside in self.item.beside:
            return inside, ""
        for end in (number for number, letter in enumerate(inside) if letter in _PLACES):
            if inside[:end] in self._flaws:
                return inside[:end], inside[end:]
        if inside != locator and names_attachment(inside):
            return inside, ""  # an attachment beside the export, whatever the export's reader says
        return self.item.files[0].path, ""

    def states(
        self, stored_states: Mapping[bytes, FileState], formats: Mapping[str, str], other: int
    ) -> list[FileState]:
        """Return the states to store for the files. Errors in the content are final; after an end of the reading
        process, which may have had another cause, the file is tried again.

        Args:
            stored_states: of the last run, by key.
            formats: of its files, by path.
            other: how many of its documents were left out because their chats are stored as others.
        """
        unread = {} if self.item.folder is None else self._unread(formats)
        return [self._state(file, stored_states, formats[file.path], other, unread) for file in self.item.files]

    def _unread(self, formats: Mapping[str, str]) -> dict[str, str]:
        """Return the files of a multi-file export that its reader did not use, with the reasons."""
        receipt = self.receipt or {"exports": [], "skipped": []}
        files = [file for export in receipt["exports"] for file in export["files"]]
        used = {file["path"] for file in files if "rejected" not in file}
        left = {file["path"].removeprefix(self._root): file["skipped"] for file in receipt["skipped"]}
        beside = f"no messages that memd knows, beside an export of {self.item.format}"
        strangers = (path for path in self._flaws if not formats[path] and self._root + path not in used)
        return left | dict.fromkeys(strangers, beside)

    def _state(
        self,
        file: FoundFile,
        stored_states: Mapping[bytes, FileState],
        name: str,
        other: int,
        unread: Mapping[str, str],
    ) -> FileState:
        flaws, digest = self._flaws[file.path], self._digests[file.path]
        reason, attempts = flaws.refused, ATTEMPTS
        note, rejected = flaws.note(), flaws.records
        if self.others and file is self.item.files[0]:
            if self.item.folder is None:
                reason = reason or _OTHER_CHAT
            else:
                note = "; ".join(filter(None, (note, f"{len(self.others)} of its chats: {_OTHER_CHAT}")))
                rejected += other
        if self.left_out:
            note = NOT_RECOGNISED
        elif (error := self.failure) is not None:
            reason = error.message + (f"; {error.hint}" if error.hint else "")
            if isinstance(error, ReaderEndedError):
                before = stored_states.get(file.key)
                attempts = 1 + (0 if before is None or before.digest != digest else before.attempts)
        elif not rejected and (role := unread.get(file.path)):
            note, reason = flaws.refused or role, ""
        for prefix in (f"{self._root}{file.path}: ", f"{self._root[:-1]}: "):
            reason = reason.removeprefix(prefix)
        return FileState(
            file.key,
            file.path,
            file.size,
            file.modified_ns,
            digest,
            reason,
            attempts if reason else 0,
            rejected,
            None if name == NOT_ASKED else name,
            note,
        )
