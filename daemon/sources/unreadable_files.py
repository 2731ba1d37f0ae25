"""The files of a folder that cannot be read: for the receipt, and for the summary of the run."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from ...connectors.reading.reading_log import SkippedFile
from .folder_scan import FolderScan
from .repository import FileState


class UnreadableFiles:
    """Collects them while one folder is read.

    Args:
        root: the folder.
        name: of the source.
    """

    def __init__(self, root: Path, name: str) -> None:
        self._root = root
        self._name = name
        self._reasons: dict[str, str] = {}
        """The reasons by path; includes files that failed earlier and are not tried again."""
        self._new = 0
        """The number of files that this run newly found unreadable."""
        self._in_receipts: set[str] = set()
        """The paths of files that receipts list."""

    def note_known(
        self,
        scan: FolderScan,
        states: Mapping[str, FileState],
        before: Iterable[FileState],
        reading: Collection[str],
    ) -> None:
        """Record which files cannot be read, except those that this run is about to read.

        Args:
            scan: of the folder.
            states: the new states of files, by path.
            before: the stored states.
            reading: the paths of the files that this run reads.
        """
        refused = {each.locator.removeprefix(f"{self._root}/"): each.reason for each in scan.refused}
        failed = {path: state.reason for path, state in states.items() if state.reason and not state.digest}
        reasons = {state.path: state.reason for state in before if state.reason}
        reasons = {path: reason for path, reason in reasons.items() if path in scan.files and path not in reading}
        self._reasons |= {**reasons, **failed, **refused}
        self._new = len({**failed, **refused})

    def note_read(self, states: Iterable[FileState]) -> int:
        """Record the files of an export that was read; return the number of those that cannot be read."""
        reasons = {state.path: state.reason for state in states if state.reason}
        self._reasons |= reasons
        self._new += len(reasons)
        return len(reasons)

    def note_receipt(self, receipt: Mapping[str, Any]) -> None:
        """Record the files that a receipt lists."""
        exported_files = (file for export in receipt["exports"] for file in export["files"])
        self._in_receipts |= {file["path"] for file in (*exported_files, *receipt["skipped"])}

    def receipt(self) -> list[dict[str, Any]]:
        """Return a receipt for the files that no other receipt lists; an empty list if there are none, or none is new."""
        if not self._new:
            return []
        skipped = [
            SkippedFile(f"{self._root}/{path}", reason).to_wire()
            for path, reason in sorted(self._reasons.items())
            if f"{self._root}/{path}" not in self._in_receipts
        ]
        return [{"exports": [], "skipped": skipped}] if skipped else []

    def trouble(self) -> str:
        """Return a summary without the names of the files, which may name people; empty if none is new."""
        if not self._new:
            return ""
        count = len(self._reasons)
        files = "1 file" if count == 1 else f"{count} files"
        return f"{files} could not be read: `memd sources show {shlex.quote(self._name)}` names them"
