"""One export while it is read: what came of it, and what is to be remembered of each of its files."""

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
"""How many different reasons are told of the records of one file."""
_REASON_CAP = 300
_OTHER_CHAT = (
    "a chat of this name is stored, and shares no message with this one; give it a name: `memd ingest --chat NAME`"
)
_FILES_LEFT_OUT = "files-left-out"
_PLACES = "#!:"
"""What may follow the name of a file where the place of a record is told."""


@dataclass(slots=True)
class _FileFlaws:
    """What could not be read of one file."""

    refused: str = ""
    """Why nothing in it can be read."""
    records: int = 0
    reasons: dict[str, str] = field(default_factory=dict[str, str])
    """Why records could not be read, each with the place of the first."""

    def note(self) -> str:
        """All of it in one line; empty where there is none."""
        if not self.records:
            return ""
        told = "; ".join(f"{reason} ({place})" if place else reason for reason, place in self.reasons.items())
        more = "; …" if len(self.reasons) == REASONS and self.records > REASONS else ""
        return f"{'1 record' if self.records == 1 else f'{self.records} records'} could not be read: {told}{more}"


class ItemReading:
    """What is known of one export while it is read.

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
        """Nobody recognises it, and others lie beside it: it is left out, as `memd ingest` does with such a file."""
        self.others: dict[str, None] = {}
        """Titles of its chats that are stored as another chat."""
        self._digests = digests
        self._root = f"{root}/"
        self._flaws = {found.path: _FileFlaws() for found in item.files}

    @property
    def place(self) -> str:
        """Where it is, for a reader: the file, or the folder that it fills."""
        return (self._root + (self.item.files[0].path if self.item.folder is None else self.item.folder)).rstrip("/")

    @property
    def rejected(self) -> int:
        """Records that could not be read."""
        return sum(flaws.records for flaws in self._flaws.values())

    def skipped(self) -> Iterator[dict[str, Any]]:
        """Its files as a receipt tells those that were left out."""
        for found in self.item.files:
            yield SkippedFile(self._root + found.path, NOT_RECOGNISED, found.size).to_wire()

    def notices(self, told: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
        """Those that tell something new: files that were left out are told one by one, and what is elsewhere belongs to
        others. Where one only names the folder that is the source, it names the export.
        """
        elsewhere = {self._root + path for path in self.item.beside} - {self._root + path for path in self._flaws}
        for each in told:
            places = [self.place if place == self._root[:-1] else place for place in each["places"]]
            if self.item.folder is not None and (each["code"] == _FILES_LEFT_OUT or elsewhere.issuperset(places)):
                continue
            yield {**each, "places": places}

    def note_rejected(self, record: Rejected) -> None:
        """Count a record that could not be read, or a file, in the file that its locator names."""
        path, place = self._path_of(record.locator)
        if path not in self._flaws:
            return  # it lies elsewhere, and is told there
        flaws = self._flaws[path]
        if not place and record.locator == self._root + path:
            flaws.refused = record.reason
            return
        flaws.records += 1
        reason = record.reason[:_REASON_CAP]
        if len(flaws.reasons) < REASONS:
            flaws.reasons.setdefault(reason, place[:_REASON_CAP])

    def _path_of(self, locator: str) -> tuple[str, str]:
        """The file that a locator leads to, and the place in it; of any other the first file of the export."""
        inside = locator.removeprefix(self._root)
        if inside in self._flaws or inside in self.item.beside:
            return inside, ""
        for end in (number for number, letter in enumerate(inside) if letter in _PLACES):
            if inside[:end] in self._flaws:
                return inside[:end], inside[end:]
        if inside != locator and names_attachment(inside):
            return inside, ""  # it lies beside the export and is none, whatever the reader of the export says
        return self.item.files[0].path, ""

    def states(self, known: Mapping[bytes, FileState], formats: Mapping[str, str], other: int) -> list[FileState]:
        """What is to be remembered of its files. What their content says stays so; an end of the process that read them
        may have had another cause, and is tried again.

        Args:
            known: what was remembered before, by key.
            formats: of its files, by path.
            other: how many of its documents were left out because their chats are stored as others.
        """
        unread = {} if self.item.folder is None else self._unread(formats)
        return [self._state(found, known, formats[found.path], other, unread) for found in self.item.files]

    def _unread(self, formats: Mapping[str, str]) -> dict[str, str]:
        """The files of an export of several that its reader did not use, and why."""
        receipt = self.receipt or {"exports": [], "skipped": []}
        files = [file for export in receipt["exports"] for file in export["files"]]
        used = {file["path"] for file in files if "rejected" not in file}
        left = {file["path"].removeprefix(self._root): file["skipped"] for file in receipt["skipped"]}
        beside = f"no messages that memd knows, beside an export of {self.item.format}"
        strangers = (path for path in self._flaws if not formats[path] and self._root + path not in used)
        return left | dict.fromkeys(strangers, beside)

    def _state(
        self, found: FoundFile, known: Mapping[bytes, FileState], name: str, other: int, unread: Mapping[str, str]
    ) -> FileState:
        flaws, digest = self._flaws[found.path], self._digests[found.path]
        reason, attempts = flaws.refused, ATTEMPTS
        note, rejected = flaws.note(), flaws.records
        if self.others and found is self.item.files[0]:
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
                before = known.get(found.key)
                attempts = 1 + (0 if before is None or before.digest != digest else before.attempts)
        elif not rejected and (role := unread.get(found.path)):
            note, reason = flaws.refused or role, ""
        for prefix in (f"{self._root}{found.path}: ", f"{self._root[:-1]}: "):
            reason = reason.removeprefix(prefix)
        return FileState(
            found.key,
            found.path,
            found.size,
            found.modified_ns,
            digest,
            reason,
            attempts if reason else 0,
            rejected,
            None if name == NOT_ASKED else name,
            note,
        )
