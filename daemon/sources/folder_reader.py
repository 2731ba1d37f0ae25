"""Reads new exports in a folder. The files are not changed, unless the settings say to move or delete them."""

from __future__ import annotations

import os
import shlex
import shutil
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from uuid import UUID

import anyio
import anyio.to_thread

from ...connectors.errors import AbsentFolderError, UnrecognisedError
from ...connectors.reading.reading_log import SkippedFile
from ...schemas import Document, Notice
from ..config.source_settings import FolderSettings
from ..notices import Notices
from .export_items import NOT_ASKED, ExportItem, all_stand_alone, items_of
from .export_reader import ReadBlock, read_exports, recognise_files
from .folder_scan import ATTEMPTS, Attachments, FolderScan, FoundFile, digest_of, path_key, plan_reads, scan_folder
from .item_reading import ItemReading
from .mirror import GoneFiles, Mirror
from .repository import FileState, saving_cursor, saving_files, together
from .source_reader import SourceBatch

HELD_BYTES = 64 * 1024 * 1024
"""The limit in bytes, as JSON, up to which documents of an export are held until their chats are compared with the
stored ones; a larger export is read twice.
"""
BATCH_BYTES = 4 * 1024 * 1024
"""The size in bytes, as JSON, of the documents of several files that are stored in one batch, with the states of the
files.
"""
SETTLE_LOOKS = 5
"""The number of looks at a changing file before it is left for a later run."""


@dataclass(slots=True)
class _Waiting:
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


class FolderReader:
    """Reads one folder, once.

    Args:
        settings: of the source; its ``path`` is the folder.
        known: what is remembered of its files, by key.
        options: how to read, see `reader_process.options_of`.
        conflicts: of some documents, titles of chats that are stored as another chat.
        settle_s: a file is complete when it has not changed for so many seconds.
        data_dir: for private folders of the processes that read.
        again: read also what was read before, and take an empty folder for one that was emptied.
        otherwise: what was read before was read with other settings, and is read again.
        mirror: finds the notes that go with their files; None if they stay.
    """

    def __init__(
        self,
        settings: FolderSettings,
        stored_states: Mapping[bytes, FileState],
        options: Mapping[str, Any],
        conflicts: Callable[[Sequence[Document]], Awaitable[list[str]]],
        settle_s: float,
        data_dir: Path,
        *,
        again: bool = False,
        otherwise: bool = False,
        mirror: Mirror | None = None,
    ) -> None:
        assert settings.path is not None
        self._settings = settings
        self._root = settings.path
        self._known = stored_states
        self._options = options
        self._conflicts = conflicts
        self._settle_s = settle_s
        self._data_dir = data_dir
        self._emptied = again
        self._again = again or otherwise
        self._mirror = mirror
        self._missing: set[bytes] = set()
        """The keys of files with notes that are gone, of a mirrored folder."""
        self._notices = Notices()
        self._receipts = 0
        """The number of receipts so far; the next receipt has the next number."""
        self._formats: dict[str, str] = {}
        """The formats of the files in the folder, by path."""
        self._unreadable: dict[str, str] = {}
        """The files that cannot be read, and the reasons, by path; includes files that failed earlier and are not tried
        again.
        """
        self._left_out = 0
        """The number of files that this run newly found unreadable."""
        self._in_receipts: set[str] = set()
        """The paths of files that receipts list."""

    async def batches(self) -> AsyncGenerator[SourceBatch, None]:
        """Yield the new documents, export by export; the batch that completes an export also saves the states of its
        files.

        Raises:
            AbsentFolderError: the folder is not there, or is empty and was not.
        """
        scan, growing = await self._settled(await anyio.to_thread.run_sync(scan_folder, self._root))
        if self._known and not scan.files and not growing and self._settings.after_read == "keep" and not self._emptied:
            held = f"{len(self._known)} file" + ("s" if len(self._known) > 1 else "")
            hint = f"is it mounted? Nothing was changed; if you emptied it: `memd sync --again {self._settings.name}`"
            raise AbsentFolderError(f"{self._root}: the folder is empty, and held {held} before", hint=hint)
        # With deletion or moving, changed files are compared by content each run: another file may have taken the path.
        plan = plan_reads(scan, self._known, again=self._again or self._settings.after_read != "keep")
        await self._look_for_missing(scan, growing)
        states, digests = await anyio.to_thread.run_sync(self._recognised, scan, plan.changed)
        gone_notes = await self._gone_notes(scan, digests)
        readings = await self._readings(scan, growing, states, digests)
        gone = list({*plan.gone} - {path_key(path) for path in growing})
        for refused in scan.refused:  # links that lead out, pipes, names that no system takes
            path = refused.locator.removeprefix(f"{self._root}/")
            states[path] = FileState(path_key(path), path, 0, 0, b"", refused.reason, ATTEMPTS)
        self._note_unreadable(scan, states, readings)
        gone = list({*gone} - {state.key for state in states.values()} - self._notes.keys())
        self._note_gone(gone, {*digests.values()} | {state.digest for state in states.values()})
        noted = together(saving_cursor(self._settings, ""), saving_files(self._settings, states.values(), gone))
        left = [scan.files[path] for path, state in states.items() if state.digest and not state.reason]
        left = [file for file in left if not states[file.path].rejected]
        yield SourceBatch(save=noted, after=self._dispose_of(left))
        waiting, attachments = _Waiting(), Attachments(scan)
        async with aclosing(self._blocks(readings, attachments)) as blocks:
            async for reading, block in blocks:
                if not block.ends:
                    await self._note(reading, block)
                    continue
                async with aclosing(self._ended(reading, waiting, attachments)) as large:
                    async for batch in large:
                        yield batch
                for file in await anyio.to_thread.run_sync(_changed_of, reading.item.files):
                    growing.add(file.path)
                    waiting.states.pop(file.path, None)
                    waiting.notes.pop(file.key, None)
                if waiting.size >= BATCH_BYTES:
                    yield self._batch(waiting)
                    waiting = _Waiting()
        if self._left_out:
            waiting.receipts += self._receipt_of_unreadable()
        yield replace(
            await self._last_batch(waiting, gone_notes),
            incomplete=tuple(sorted(growing)),
            trouble="; ".join(filter(None, (self._trouble(), self._trouble_of_mirror(gone_notes)))),
            notices=tuple(self._notices.to_wire()),
        )

    @property
    def _notes(self) -> Mapping[bytes, frozenset[UUID]]:
        """Return the notes by file, of a mirrored folder."""
        return {} if self._mirror is None else self._mirror.notes

    async def _look_for_missing(self, scan: FolderScan, growing: Collection[str]) -> None:
        """Find the files with notes that are gone, in a second look, too: a program may be replacing a file."""
        if self._mirror is not None and self._mirror.missing(self._root, [scan], growing):
            await anyio.sleep(self._settle_s)
            later = await anyio.to_thread.run_sync(scan_folder, self._root)
            self._missing = self._mirror.missing(self._root, [scan, later], growing)

    async def _gone_notes(self, scan: FolderScan, digests: Mapping[str, bytes]) -> GoneFiles:
        """Return the files with notes that are gone, without those that only have another name."""
        if self._mirror is None or not self._missing:
            return GoneFiles()
        new = [scan.files[path] for path in digests if scan.files[path].key not in self._notes]
        renamed = await anyio.to_thread.run_sync(self._mirror.renamed, self._missing, new, self._known)
        return self._mirror.gone(self._missing, renamed, confirmed=self._emptied)

    def _trouble_of_mirror(self, gone: GoneFiles) -> str:
        """Return that too many files are gone at once, and what to do; empty if they are not."""
        if not gone.held_back:
            return ""
        count = f"{gone.held_back:,} of {len(self._notes):,} files with notes are gone at once"
        name = shlex.quote(self._settings.name)
        return (
            f"{count}, so nothing was removed: is everything mounted? If you deleted them: `memd sync --again {name}`"
        )

    async def _last_batch(self, waiting: _Waiting, gone: GoneFiles) -> SourceBatch:
        """Return the last batch, with which the notes of lost files go: behind all that is new."""
        batch = self._batch(waiting)
        if self._mirror is None:
            return batch
        changes, kept = await self._mirror.changes(waiting.notes, gone)
        if kept:
            notes = "1 note stays" if kept == 1 else f"{kept:,} notes stay"
            hint = f"{notes} although the files are gone, because something else brought them, too: `memd forget --document` removes them"
            self._notices.add(Notice(code="notes-kept", locator=str(self._root), hint=hint))
        save = saving_files(self._settings, waiting.states.values(), gone.all)
        return replace(batch, save=save, memberships=changes)

    def _note_gone(self, gone: Collection[bytes], new: AbstractSet[bytes]) -> None:
        """Tell how many files that were read before are no longer there; what was read of them stays. A file that is not
        read again under another name, because its content is known (`digest_of`), is not gone: its documents are all that
        holds its words.
        """
        keys = set(gone)
        here = new | {b""} | {state.digest for key, state in self._known.items() if key not in keys}
        lost = sum(1 for key in gone if self._known[key].digest not in here and not self._known[key].reason)
        if lost and self._settings.after_read == "keep":
            files = "1 file is" if lost == 1 else f"{lost:,} files are"
            hint = f"{files} gone that an earlier run read, or renamed; what was read of them stays: `memd forget --document` removes it"
            self._notices.add(Notice(code="files-gone", locator=str(self._root), hint=hint))

    def _note_unreadable(
        self, scan: FolderScan, states: Mapping[str, FileState], readings: Sequence[ItemReading]
    ) -> None:
        """Record which files cannot be read, except those that this run is about to read."""
        refused = {each.locator.removeprefix(f"{self._root}/"): each.reason for each in scan.refused}
        failed = {path: state.reason for path, state in states.items() if state.reason and not state.digest}
        read = {file.path for each in readings for file in each.item.files}
        reasons = {state.path: state.reason for state in self._known.values() if state.reason}
        reasons = {path: reason for path, reason in reasons.items() if path in scan.files and path not in read}
        self._unreadable |= {**reasons, **failed, **refused}
        self._left_out = len({**failed, **refused})

    def _receipt_of_unreadable(self) -> list[dict[str, Any]]:
        """Return a receipt for the unreadable files that no other receipt lists; an empty list if there are none."""
        skipped = [
            SkippedFile(f"{self._root}/{path}", reason).to_wire()
            for path, reason in sorted(self._unreadable.items())
            if f"{self._root}/{path}" not in self._in_receipts
        ]
        return [{"exports": [], "skipped": skipped}] if skipped else []

    async def _readings(
        self, scan: FolderScan, growing: set[str], states: dict[str, FileState], digests: Mapping[str, bytes]
    ) -> list[ItemReading]:
        """Return the exports to read. Adds the files of incomplete exports to ``growing``, and removes the files of the
        returned exports, unchanged ones included, from ``states``.
        """
        if not digests:
            return []
        sums = {file.path: state.digest for file in scan.files.values() if (state := self._known.get(file.key))}
        sums = {**sums, **{path: state.digest for path, state in states.items()}, **digests}
        files = [file for file in scan.files.values() if not file.is_attachment and sums.get(file.path)]
        if all_stand_alone(files):
            self._formats |= dict.fromkeys((file.path for file in files), NOT_ASKED)
        else:
            await self._recognise([file for file in files if not self._is_known_format(file, sums)], states, digests)
        items = items_of(files, self._formats, digests.keys())
        several = [item for item in items if item.folder is not None]
        if several:
            # Files of the export may still be arriving one after the other, even while none of them grows.
            await anyio.sleep(self._settle_s)
            moved = growing | _moved(scan, await anyio.to_thread.run_sync(scan_folder, self._root))
            unfinished = [item for item in several if any(map(item.holds, moved))]
            growing |= {file.path for item in unfinished for file in item.files if file.path in digests}
        items = [item for item in items if not any(file.path in growing for file in item.files)]
        for file in (file for item in items for file in item.files):
            states.pop(file.path, None)
        return [ItemReading(item, sums, self._root) for item in items]

    def _is_known_format(self, file: FoundFile, sums: Mapping[str, bytes]) -> bool:
        """Return whether the file's format is known from an earlier run with the same content and settings; if so,
        record it.
        """
        before = self._known.get(file.key)
        if self._again or before is None or before.format is None or before.digest != sums[file.path]:
            return False
        self._formats[file.path] = before.format
        return True

    async def _recognise(
        self, files: Sequence[FoundFile], states: dict[str, FileState], digests: Mapping[str, bytes]
    ) -> None:
        """Detect the formats of these files, and record them in ``states`` for files that are not to be read."""
        self._formats |= await recognise_files(self._root, [file.path for file in files], self._options, self._data_dir)
        for file in files:
            before = states.get(file.path) or self._known.get(file.key)
            if before is not None and file.path not in digests:
                states[file.path] = replace(_same_as(before, file), format=self._formats[file.path])

    async def _blocks(
        self, readings: Sequence[ItemReading], attachments: Attachments
    ) -> AsyncGenerator[tuple[ItemReading, ReadBlock], None]:
        groups = [_members_of(each.item, attachments) for each in readings]
        async with aclosing(read_exports(self._root, groups, self._options, self._data_dir)) as blocks:
            async for block in blocks:
                if block.failure is not None:
                    readings[block.group].failure = block.failure
                yield readings[block.group], block

    async def _note(self, reading: ItemReading, block: ReadBlock) -> None:
        reading.size += block.size
        reading.held += block.documents
        self._notices.merge(reading.notices(block.notices))
        reading.receipt = block.receipt or reading.receipt
        if block.rejected is not None:
            reading.note_rejected(block.rejected)
        if reading.size > HELD_BYTES:
            reading.others |= dict.fromkeys(await self._other_chats(reading.held))
            reading.held.clear()

    async def _ended(
        self, reading: ItemReading, waiting: _Waiting, attachments: Attachments
    ) -> AsyncGenerator[SourceBatch, None]:
        """Add the documents of a finished export to the waiting batch; read a large export again and yield it in
        batches.
        """
        reading.others |= dict.fromkeys(await self._other_chats(reading.held))
        kept = _of_known_chats(reading.held, reading.others)
        other = len(reading.held) - len(kept)
        reading.held.clear()
        place = "" if reading.receipt is None else str(self._receipts + 1)
        if reading.size > HELD_BYTES:
            kept, other = [], 0
            async with aclosing(self._blocks([reading], attachments)) as blocks:
                async for _, block in blocks:
                    some = _of_known_chats(block.documents, reading.others)
                    other += len(block.documents) - len(some)
                    yield SourceBatch(tuple(some), len(block.documents) - len(some), places=(place,) * len(some))
        waiting.documents += kept
        waiting.places += [place] * len(kept)
        waiting.size += reading.size
        if reading.receipt is not None:
            beside = _members_of(reading.item, attachments)[len(reading.item.files) :]
            waiting.receipts.append(self._without_attachments(reading.receipt, beside))
            self._receipts += 1
            exported_files = (file for export in reading.receipt["exports"] for file in export["files"])
            self._in_receipts |= {file["path"] for file in (*exported_files, *reading.receipt["skipped"])}
        if isinstance(reading.failure, UnrecognisedError) and self._holds_another(reading):
            reading.left_out = True
            waiting.receipts.append({"exports": [], "skipped": list(reading.skipped())})
            self._receipts += 1
        states = reading.states(self._known, self._formats, other)
        unreadable = {state.path: state.reason for state in states if state.reason}
        self._unreadable |= unreadable
        refused = len(unreadable)
        states_by_path = {state.path: state for state in states}
        waiting.states |= states_by_path
        if (
            self._mirror is not None
            and reading.item.folder is None
            and not any(each.reason or each.rejected for each in states)
        ):
            file = reading.item.files[0]
            if notes := self._mirror.notes_of(file, kept):
                waiting.notes[file.key] = notes
        waiting.rejected += reading.rejected + (0 if reading.size > HELD_BYTES else other) + refused
        self._left_out += refused
        if not any(state.reason or state.rejected for state in states):
            waiting.whole += [each for each in reading.item.files if not states_by_path[each.path].note]

    def _holds_another(self, reading: ItemReading) -> bool:
        """Return whether another file in the folder is, or may be, an export."""
        own_paths = {file.path for file in reading.item.files}
        return any(name and path not in own_paths for path, name in self._formats.items())

    def _without_attachments(self, receipt: dict[str, Any], beside: Sequence[str]) -> dict[str, Any]:
        """Return the receipt without the attachments that lie beside the exports of the folder."""
        paths = {f"{self._root}/{path}" for path in beside}
        return receipt | {"skipped": [file for file in receipt["skipped"] if file["path"] not in paths]}

    def _trouble(self) -> str:
        """Return a summary of the unreadable files, without their names, which may name people; empty if there are
        none.
        """
        if not self._left_out:
            return ""
        count = len(self._unreadable)
        files = "1 file" if count == 1 else f"{count} files"
        return f"{files} could not be read: `memd sources show {shlex.quote(self._settings.name)}` names them"

    async def _other_chats(self, documents: Sequence[Document]) -> list[str]:
        if any((day := document.as_conversation()) and "chat" in day.metadata for document in documents):
            return await self._conflicts(documents)
        return []

    def _batch(self, waiting: _Waiting) -> SourceBatch:
        return SourceBatch(
            tuple(waiting.documents),
            waiting.rejected,
            places=tuple(waiting.places),
            receipts=tuple(waiting.receipts),
            save=saving_files(self._settings, waiting.states.values()),
            after=self._dispose_of([file for file in waiting.whole if file.path in waiting.states]),
            memberships=None if self._mirror is None else self._mirror.held(waiting.notes),
        )

    async def _settled(self, scan: FolderScan) -> tuple[FolderScan, set[str]]:
        """Return a scan without the files that are still being written, and the paths of those files."""
        growing: set[str] = set()
        for look in range(SETTLE_LOOKS):
            now = time.time_ns()
            fresh = {
                file.path
                for file in scan.files.values()
                if self._is_new(file) and abs(now - file.modified_ns) < self._settle_s * 1e9
            }
            growing = fresh | (growing if look else set())
            if not growing:
                break
            await anyio.sleep(self._settle_s)
            later = await anyio.to_thread.run_sync(scan_folder, self._root)
            growing = {path for path in later.files.keys() | growing if _moves(scan, later, path, self._known)}
            scan = later
            if not growing:
                break
        left = {path: file for path, file in scan.files.items() if path not in growing}
        return FolderScan(left, scan.refused), growing

    def _is_new(self, file: FoundFile) -> bool:
        before = self._known.get(file.key)
        return before is None or (before.size, before.modified_ns) != (file.size, file.modified_ns)

    def _recognised(
        self, scan: FolderScan, files: Iterable[FoundFile]
    ) -> tuple[dict[str, FileState], dict[str, bytes]]:
        """Divide changed files by content: return the states of files whose content is known, and the digests of the
        files to read.
        """
        states: dict[str, FileState] = {}
        contents: dict[str, bytes] = {}
        for file in files:
            if not file.size:
                states[file.path] = _state_of(file, b"", "", 0)
                continue
            try:
                contents[file.path] = digest_of(file)
            except OSError as error:
                # Tried again in each run, which is cheap: a change of permissions leaves no trace in the file's size or
                # time.
                states[file.path] = _state_of(file, b"", error.strerror or "cannot be read", 1)
        stored = self._known_contents({scan.files[path].key: digest for path, digest in contents.items()})
        digests: dict[str, bytes] = {}
        for path, digest in contents.items():
            file = scan.files[path]
            before = self._known.get(file.key)
            # What a file holds that changed in place is read, also where another file holds the same.
            changed = before is not None and before.digest not in {b"", digest}
            if self._again or changed:
                digests[path] = digest
            elif digest in stored:
                states[path] = _same_as(stored[digest], file)
            elif before is not None and before.digest == digest and before.attempts >= ATTEMPTS:
                states[path] = replace(before, size=file.size, modified_ns=file.modified_ns)
            else:
                digests[path] = digest
        if self._mirror is not None:  # what was not read as a copy of a file that is gone, or is another one now
            copies = self._mirror.copies(scan, stored.keys(), self._known)
            digests |= {path: digest for path, digest in copies.items() if path not in states}
        return states, digests

    def _known_contents(self, now: Mapping[bytes, bytes]) -> dict[bytes, FileState]:
        """Return the states of files that were read, by content, but for files that have other content ``now`` or take
        their notes with them: what was read of those does not stand for another file with that content.
        """
        past = {key for key, digest in now.items() if key in self._known and self._known[key].digest != digest}
        past |= self._missing
        lost = {self._known[key].digest for key in past if key in self._known}
        states = self._known.values()
        return {each.digest: each for each in states if each.digest not in {b"", *lost} and not each.reason}

    def _dispose_of(self, files: Sequence[FoundFile]) -> Callable[[], str] | None:
        """Return a function that deletes or moves exports once they are stored, as the settings say; None if nothing is
        to do. The function returns the error, without file names, which may name people.
        """
        if self._settings.after_read == "keep" or not files:
            return None

        def work() -> str:
            failed: list[str] = []
            for file in files:
                if not _is_as_it_was(file):
                    continue  # a later export took its place
                try:
                    if self._settings.move_to is None:
                        Path(file.real).unlink()
                    else:
                        _move(Path(file.real), self._settings.move_to / file.path)
                except OSError as error:
                    failed.append(error.strerror or type(error).__name__)
            if not failed:
                return ""
            what = "deleted" if self._settings.move_to is None else "moved"
            count = "1 export was" if len(failed) == 1 else f"{len(failed)} exports were"
            return f"{count} read and cannot be {what}: {failed[0]}"

        return work


def _is_as_it_was(file: FoundFile) -> bool:
    """Return whether a file is still the one that was scanned, unchanged."""
    try:
        now = os.stat(file.real)  # noqa: PTH116 - the path is a text
    except OSError:
        return False
    return (now.st_size, now.st_mtime_ns, now.st_ino) == (file.size, file.modified_ns, file.inode)


def _changed_of(files: Sequence[FoundFile]) -> list[FoundFile]:
    """Return the files that differ from their scan."""
    return [file for file in files if not _is_as_it_was(file)]


def _members_of(item: ExportItem, attachments: Attachments) -> list[str]:
    """Return the paths of an export's files and of the attachments beside them, without repeats."""
    folders = {file.path.rpartition("/")[0]: file for file in item.files}
    beside = (path for file in folders.values() for path in attachments.beside(file))
    return list(dict.fromkeys((*(file.path for file in item.files), *item.beside, *beside)))


def _moved(before: FolderScan, after: FolderScan) -> set[str]:
    """Return the paths of files, attachments excluded, that differ between two scans or occur in only one."""
    paths: set[str] = set()
    for path in before.files.keys() | after.files.keys():
        old, new = before.files.get(path), after.files.get(path)
        if old != new and not any(each is not None and each.is_attachment for each in (old, new)):
            paths.add(path)
    return paths


def _state_of(file: FoundFile, digest: bytes, reason: str, attempts: int) -> FileState:
    return FileState(file.key, file.path, file.size, file.modified_ns, digest, reason, attempts)


def _same_as(before: FileState, file: FoundFile) -> FileState:
    """Return a state with this file's path, size and time; its content is that of ``before``."""
    now = {"key": file.key, "path": file.path, "size": file.size, "modified_ns": file.modified_ns}
    return replace(before, **now)


def _of_known_chats(documents: Sequence[Document], others: Mapping[str, None]) -> list[Document]:
    if not others:
        return list(documents)
    from ...memory.ingest.batching import chat_title

    return [
        document
        for document in documents
        if (day := document.as_conversation()) is None or "chat" not in day.metadata or chat_title(day) not in others
    ]


def _moves(before: FolderScan, after: FolderScan, path: str, states: Mapping[bytes, FileState]) -> bool:
    """Return whether a file differs between two scans, and from its stored state."""
    now = after.files.get(path)
    if now is None:
        return False
    state = states.get(now.key)
    if state is not None and (state.size, state.modified_ns) == (now.size, now.modified_ns):
        return False
    old = before.files.get(path)
    return old is None or (old.size, old.modified_ns) != (now.size, now.modified_ns)


def _move(path: Path, target: Path) -> None:
    """Move a file; if the target exists, choose a numbered name."""
    target.parent.mkdir(parents=True, exist_ok=True)
    number = 1
    free = target
    while free.exists():
        number += 1
        free = target.with_name(f"{target.stem} ({number}){target.suffix}")
    shutil.move(path, free)
