"""Finds the notes of a mirrored folder that go with their files, and the files that only have another name.

A file is gone when two looks at the folder miss it, and every folder in it could be listed. When many are gone at once, a
disk may not be mounted: nothing goes until somebody says so.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol
from uuid import UUID

import anyio
import anyio.to_thread

from ...connectors.reading.registry import formats
from ...memory.ingest.batching import concrete_document
from ...memory.merge.plan import key_of
from ...schemas import Document, Notice
from ..journal.note_files import NoteChanges
from .folder_scan import FolderScan, FoundFile, digests_of, path_key, scan_folder
from .repository import FileState

MANY = 10
"""The number of files with notes from which on the loss of more than half of them at once is held back; that of all of
two or more always is, because a disk may not be mounted that leaves another file in its place.
"""


@dataclass(frozen=True, slots=True)
class GoneFiles:
    """The files of a folder that are gone, by key."""

    lost: frozenset[bytes] = frozenset()
    """The files whose notes go."""
    renamed: frozenset[bytes] = frozenset()
    """The files whose content stands in a new file: the note of that one takes the place of theirs."""
    held_back: int = 0
    """The number of files that are gone and whose notes stay, because too many are gone at once."""

    @property
    def all(self) -> frozenset[bytes]:
        """Return the files that are no longer known."""
        return self.lost | self.renamed


class StoredNotes(Protocol):
    """Answers what the memory holds of notes."""

    async def divided(self, notes: Collection[UUID]) -> tuple[Collection[UUID], Collection[UUID]]:
        """Return those that would be retired, and those that stay, because something else brought them, too."""
        ...

    async def retired(self, notes: Collection[UUID]) -> Collection[UUID]:
        """Return those that are retired."""
        ...

    async def forgotten(self, notes: Collection[UUID]) -> Collection[UUID]:
        """Return those that were forgotten or redacted."""
        ...


class Mirror:
    """The notes of one folder, while it is read once.

    Args:
        job: the job that reads it.
        notes: by file, the notes that it held when it was read last.
        memory: what is stored of notes.
    """

    def __init__(
        self,
        job: str,
        notes: Mapping[bytes, frozenset[UUID]],
        memory: StoredNotes,
    ) -> None:
        self.notes = notes
        self.missing: set[bytes] = set()
        """The keys of files with notes that are gone."""
        self.gone = GoneFiles()
        self._former: Mapping[bytes, bytes] = {}
        """By the key of a file that has another name now, the key that it had."""
        self._held: set[bytes] = set()
        """The keys of the files whose notes were read."""
        self._kept_out = 0
        """The number of notes that were forgotten or redacted under the former name of their file."""
        self._job = job
        self._memory = memory
        self._sources = frozenset(each.name for each in formats() if each.of_documents)

    async def look_for_missing(self, root: Path, scan: FolderScan, growing: Collection[str], settle_s: float) -> None:
        """Find the files with notes that are gone, in a second look, too: a program may be replacing a file."""
        if self.unseen(root, [scan], growing):
            await anyio.sleep(settle_s)
            later = await anyio.to_thread.run_sync(scan_folder, root)
            self.missing = self.unseen(root, [scan, later], growing)

    def unseen(self, root: Path, scans: Sequence[FolderScan], growing: Iterable[str]) -> set[bytes]:
        """Return the files with notes that none of these scans of the folder saw; none if a folder in it could not be
        listed. A link that leads out of the folder is no folder in it.
        """
        there = {path_key(path) for path in growing}
        for scan in scans:
            there |= {file.key for file in scan.files.values()}
            for refused in scan.refused:
                # The locator is a text. That of a folder whose name is no valid text leads nowhere.
                is_folder = os.path.isdir(refused.locator) and not os.path.islink(refused.locator)  # noqa: PTH112, PTH114
                if is_folder or refused.locator.endswith("/"):
                    return set()
                there.add(path_key(refused.locator.removeprefix(f"{root}/")))
        return set(self.notes) - there

    async def divide_missing(
        self,
        new: Iterable[FoundFile],
        unreadable: Iterable[FoundFile],
        states: Mapping[bytes, FileState],
        *,
        confirmed: bool,
    ) -> None:
        """Find what becomes of the notes of the missing files.

        Args:
            new: the files that are read.
            unreadable: the files that cannot be read: one of them may be a missing file under another name.
            states: what is remembered of the files, by key.
            confirmed: somebody says that the files were deleted.
        """
        if not self.missing:
            return
        new = [file for file in new if file.key not in self.notes]
        self._former = await anyio.to_thread.run_sync(self._renamed, new, states)
        renamed = frozenset(self._former.values())
        lost = frozenset(self.missing) - renamed
        many = len(self.notes) >= MANY and 2 * len(lost) > len(self.notes)
        if confirmed:
            self.gone = GoneFiles(lost, renamed)
        elif many or len(lost) == len(self.notes) > 1:
            self.gone = GoneFiles(frozenset(), renamed, len(lost))
        else:
            sizes = {file.size for file in unreadable if file.key not in self.notes}
            self.gone = GoneFiles(
                frozenset(key for key in lost if key not in states or states[key].size not in sizes), renamed
            )

    def _renamed(self, new: Sequence[FoundFile], states: Mapping[bytes, FileState]) -> dict[bytes, bytes]:
        """Return the missing file whose content stands in a new file, by the key of the new one; reads the files of their
        sizes.
        """
        by_size: dict[int, list[bytes]] = {}
        for key in sorted(self.missing):
            if key in states and states[key].digest:
                by_size.setdefault(states[key].size, []).append(key)
        renamed: dict[bytes, bytes] = {}
        for file in new:
            keys = [key for key in by_size.get(file.size, ()) if key not in renamed.values()]
            if keys and (same := _same_content(file, keys, states)) is not None:
                renamed[file.key] = same
        return renamed

    def trouble(self, source: str) -> str:
        """Return that too many files are gone at once, and what to do; empty if they are not."""
        if not self.gone.held_back:
            return ""
        count = f"{self.gone.held_back:,} of {len(self.notes):,} files with notes are gone at once"
        name = shlex.quote(source)
        return (
            f"{count}, so nothing was removed: is everything mounted? If you deleted them: `memd sync --again {name}`"
        )

    async def read(self, file: FoundFile, documents: Sequence[Document]) -> tuple[frozenset[UUID], Sequence[Document]]:
        """Return the keys of the notes that a file holds, and the documents to store. What was forgotten or redacted under
        the former name of the file stays what it is.
        """
        notes = self._notes_in(file, documents)
        before = self.notes.get(self._former.get(file.key, file.key), frozenset())
        if notes and before and not notes & before and before == await self._memory.forgotten(before):
            self._kept_out += len(documents)
            return before, ()
        return notes, documents

    def _notes_in(self, file: FoundFile, documents: Sequence[Document]) -> frozenset[UUID]:
        """Return the keys of the notes that a file holds; none if it is anything but a file of notes: an export, an
        archive.
        """
        for each in documents:
            if each.as_text() is None or each.source not in self._sources:
                return frozenset()
            if not each.metadata.get("path", "").endswith(file.path):  # it lies in an archive
                return frozenset()
        return frozenset(key_of(concrete_document(each)) for each in documents)

    async def held(self, held: Mapping[bytes, frozenset[UUID]]) -> NoteChanges:
        """Return the changes to write with some files that were read."""
        self._held |= held.keys()
        came = {key for file, keys in held.items() if file not in self._former for key in keys}
        return NoteChanges(self._job, held, returned=len(await self._memory.retired(came)))

    async def last_changes(self, held: Mapping[bytes, frozenset[UUID]], root: Path) -> tuple[NoteChanges, list[Notice]]:
        """Return the changes to write when the folder is read, and what to know of notes that stay, or stay out."""
        changes = await self.held(held)
        # A file of another name that was not read does not take the place of the former one yet.
        renames = {file: former for file, former in self._former.items() if file in self._held}
        gone = self.gone = replace(self.gone, renamed=frozenset(renames.values()))
        others = {key for file, keys in {**self.notes, **held}.items() if file not in gone.all for key in keys}
        lost = {key for file in gone.lost for key in self.notes[file]} - others
        removed, kept = await self._memory.divided(lost)
        changes = replace(changes, gone=gone.all, removed=len(removed), renames=renames)
        hints: dict[str, str] = {}
        if kept:
            notes = "1 note stays" if len(kept) == 1 else f"{len(kept):,} notes stay"
            hints["notes-kept"] = (
                f"{notes} although the files are gone, because something else brought them, too: `memd forget --document` removes them"
            )
        if self._kept_out:
            files = "1 file" if self._kept_out == 1 else f"{self._kept_out:,} files"
            hints["notes-kept-out"] = (
                f"{files} got another name after the note in it was forgotten or redacted, and it stays so:"
                " `memd ingest FILE` stores what the file holds"
            )
        return changes, [Notice(code=code, locator=str(root), hint=hint) for code, hint in hints.items()]


def _same_content(file: FoundFile, keys: Sequence[bytes], states: Mapping[bytes, FileState]) -> bytes | None:
    """Return the first of these files that had this content; the digest of a note is also of its path, see `digest_of`."""
    try:
        plain, *digests = digests_of(file, [b"", *keys])
    except OSError:
        return None
    pairs = zip(keys, digests, strict=True)
    return next((key for key, digest in pairs if states[key].digest in (plain, digest)), None)
