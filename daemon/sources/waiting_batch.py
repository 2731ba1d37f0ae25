"""The documents of several small exports that are stored together, with the states of their files."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from ...schemas import Document
from ..config.source_settings import FolderSettings
from .disposal import disposal_of
from .folder_scan import FoundFile
from .repository import FileState, saving_files
from .source_reader import SourceBatch


@dataclass(slots=True)
class WaitingBatch:
    """The documents and file states that the next batch will store."""

    documents: list[Document] = field(default_factory=list["Document"])
    places: list[str] = field(default_factory=list[str])
    """For each document, the number of the receipt that lists its file."""
    size: int = 0
    rejected: int = 0
    states: dict[str, FileState] = field(default_factory=dict[str, FileState])
    receipts: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    whole: list[FoundFile] = field(default_factory=list[FoundFile])
    """The files that were read without an error."""
    notes: dict[bytes, frozenset[UUID]] = field(default_factory=dict[bytes, "frozenset[UUID]"])
    """The notes that files hold, by the keys of the files; of a mirrored folder."""

    def leave(self, file: FoundFile) -> None:
        """Store no state of a file that changed while it was read: it is read again."""
        self.states.pop(file.path, None)
        self.notes.pop(file.key, None)

    def batch(self, settings: FolderSettings) -> SourceBatch:
        """Return the batch to store."""
        return SourceBatch(
            tuple(self.documents),
            self.rejected,
            places=tuple(self.places),
            receipts=tuple(self.receipts),
            save=saving_files(settings, self.states.values()),
            after=disposal_of(settings, [file for file in self.whole if file.path in self.states]),
        )
