"""Reads new exports in a folder. The files are not changed, unless the settings say to move or delete them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID

import anyio
import anyio.to_thread

from ...connectors.errors import AbsentFolderError, UnrecognisedError
from ...schemas import Document
from ..config.source_settings import FolderSettings
from ..notices import Notices
from .disposal import disposal_of
from .export_items import ExportItem
from .export_reader import ReadBlock, read_exports
from .exports_of_folder import ExportsOfFolder
from .file_changes import FileChanges, changed_files
from .folder_scan import ATTEMPTS, Attachments, FolderScan, path_key, plan_reads, scan_folder
from .item_reading import ItemReading
from .mirror import Mirror
from .repository import FileState, saving_cursor, saving_files, together
from .source_reader import SourceBatch
from .unreadable_files import UnreadableFiles
from .waiting_batch import WaitingBatch

HELD_BYTES = 64 * 1024 * 1024
"""The limit in bytes, as JSON, up to which documents of an export are held until their chats are compared with the
stored ones; a larger export is read twice.
"""
BATCH_BYTES = 4 * 1024 * 1024
"""The size in bytes, as JSON, of the documents of several files that are stored in one batch, with the states of the
files.
"""


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
        self._changes = FileChanges(settings.path, stored_states, settle_s, again=self._again)
        self._exports = ExportsOfFolder(settings.path, stored_states, options, data_dir, settle_s, again=self._again)
        self._unreadable = UnreadableFiles(settings.path, settings.name)
        self._notices = Notices()
        self._receipts = 0
        """The number of receipts so far; the next receipt has the next number."""

    async def batches(self) -> AsyncGenerator[SourceBatch, None]:
        """Yield the new documents, export by export; the batch that completes an export also saves the states of its
        files.

        Raises:
            AbsentFolderError: the folder is not there, or is empty and was not.
        """
        scan, growing = await self._changes.settled(await anyio.to_thread.run_sync(scan_folder, self._root))
        if self._known and not scan.files and not growing and self._settings.after_read == "keep" and not self._emptied:
            held = f"{len(self._known)} file" + ("s" if len(self._known) > 1 else "")
            hint = f"is it mounted? Nothing was changed; if you emptied it: `memd sync --again {self._settings.name}`"
            raise AbsentFolderError(f"{self._root}: the folder is empty, and held {held} before", hint=hint)
        states, digests, gone = await self._compared(scan, growing)
        readings = await self._exports.readings(scan, growing, states, digests)
        yield self._first_batch(scan, states, digests, gone, readings)
        waiting, attachments = WaitingBatch(), Attachments(scan)
        async with aclosing(self._blocks(readings, attachments)) as blocks:
            async for reading, block in blocks:
                if not block.ends:
                    await self._note(reading, block)
                    continue
                async with aclosing(self._ended(reading, waiting, attachments)) as large:
                    async for batch in large:
                        yield batch
                for file in await anyio.to_thread.run_sync(changed_files, reading.item.files):
                    growing.add(file.path)
                    waiting.leave(file)
                if waiting.size >= BATCH_BYTES:
                    yield await self._batch(waiting)
                    waiting = WaitingBatch()
        waiting.receipts += self._unreadable.receipt()
        yield await self._last_batch(waiting, growing)

    async def _compared(
        self, scan: FolderScan, growing: Collection[str]
    ) -> tuple[dict[str, FileState], dict[str, bytes], Collection[bytes]]:
        """Return the states of files that need not be read, the digests of those to read, by path, and the keys of known
        files that are gone.
        """
        # With deletion or moving, changed files are compared by content each run: another file may have taken the path.
        plan = plan_reads(scan, self._known, again=self._again or self._settings.after_read != "keep")
        mirror = self._mirror
        if mirror is not None:
            await mirror.look_for_missing(self._root, scan, growing, self._settle_s)
        missing, held = (set[bytes](), ()) if mirror is None else (mirror.missing, mirror.notes.keys())
        states, digests = await anyio.to_thread.run_sync(self._changes.divided, scan, plan.changed, missing, held)
        if mirror is not None:
            new = [scan.files[path] for path in digests]
            unreadable = [scan.files[path] for path, state in states.items() if state.reason and path in scan.files]
            await mirror.divide_missing(new, unreadable, self._known, confirmed=self._emptied)
        return states, digests, {*plan.gone} - {path_key(path) for path in growing} - {*held}

    def _first_batch(
        self,
        scan: FolderScan,
        states: dict[str, FileState],
        digests: Mapping[str, bytes],
        gone: Collection[bytes],
        readings: Sequence[ItemReading],
    ) -> SourceBatch:
        """Return the batch without documents that stores the states of the files that are not read."""
        for refused in scan.refused:  # links that lead out, pipes, names that no system takes
            path = refused.locator.removeprefix(f"{self._root}/")
            states[path] = FileState(path_key(path), path, 0, 0, b"", refused.reason, ATTEMPTS)
        reading = {file.path for each in readings for file in each.item.files}
        self._unreadable.note_known(scan, states, self._known.values(), reading)
        gone = list({*gone} - {state.key for state in states.values()})
        contents = {*digests.values()} | {state.digest for state in states.values()}
        if self._settings.after_read == "keep" and (notice := self._changes.gone_notice(gone, contents)) is not None:
            self._notices.add(notice)
        noted = together(saving_cursor(self._settings, ""), saving_files(self._settings, states.values(), gone))
        left = [scan.files[path] for path, state in states.items() if state.digest and not state.reason]
        left = [file for file in left if not states[file.path].rejected]
        return SourceBatch(save=noted, after=disposal_of(self._settings, left))

    async def _last_batch(self, waiting: WaitingBatch, growing: Iterable[str]) -> SourceBatch:
        """Return the last batch, with which the notes of lost files go: behind all that is new."""
        batch = waiting.batch(self._settings)
        troubles = [self._unreadable.trouble()]
        if self._mirror is not None:
            changes, notices = await self._mirror.last_changes(waiting.notes, self._root)
            for notice in notices:
                self._notices.add(notice)
            save = saving_files(self._settings, waiting.states.values(), self._mirror.gone.all)
            batch = replace(batch, save=save, memberships=changes)
            troubles.append(self._mirror.trouble(self._settings.name))
        trouble = "; ".join(filter(None, troubles))
        return replace(
            batch, incomplete=tuple(sorted(growing)), trouble=trouble, notices=tuple(self._notices.to_wire())
        )

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
        self, reading: ItemReading, waiting: WaitingBatch, attachments: Attachments
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
        notes = frozenset[UUID]()
        if self._mirror is not None and reading.item.folder is None:
            notes, kept = await self._mirror.read(reading.item.files[0], kept)
        waiting.documents += kept
        waiting.places += [place] * len(kept)
        waiting.size += reading.size
        if reading.receipt is not None:
            beside = _members_of(reading.item, attachments)[len(reading.item.files) :]
            waiting.receipts.append(self._without_attachments(reading.receipt, beside))
            self._receipts += 1
            self._unreadable.note_receipt(reading.receipt)
        if isinstance(reading.failure, UnrecognisedError) and self._exports.holds_another(reading):
            reading.left_out = True
            waiting.receipts.append({"exports": [], "skipped": list(reading.skipped())})
            self._receipts += 1
        states = reading.states(self._known, self._exports.formats, other)
        refused = self._unreadable.note_read(states)
        flawed = any(state.reason or state.rejected for state in states)
        states_by_path = {state.path: state for state in states}
        waiting.states |= states_by_path
        waiting.rejected += reading.rejected + (0 if reading.size > HELD_BYTES else other) + refused
        if notes and not flawed:
            waiting.notes[reading.item.files[0].key] = notes
        if not flawed:
            waiting.whole += [each for each in reading.item.files if not states_by_path[each.path].note]

    def _without_attachments(self, receipt: dict[str, Any], beside: Sequence[str]) -> dict[str, Any]:
        """Return the receipt without the attachments that lie beside the exports of the folder."""
        paths = {f"{self._root}/{path}" for path in beside}
        return receipt | {"skipped": [file for file in receipt["skipped"] if file["path"] not in paths]}

    async def _other_chats(self, documents: Sequence[Document]) -> list[str]:
        if any((day := document.as_conversation()) and "chat" in day.metadata for document in documents):
            return await self._conflicts(documents)
        return []

    async def _batch(self, waiting: WaitingBatch) -> SourceBatch:
        memberships = None if self._mirror is None else await self._mirror.held(waiting.notes)
        return replace(waiting.batch(self._settings), memberships=memberships)


def _members_of(item: ExportItem, attachments: Attachments) -> list[str]:
    """Return the paths of an export's files and of the attachments beside them, without repeats."""
    folders = {file.path.rpartition("/")[0]: file for file in item.files}
    beside = (path for file in folders.values() for path in attachments.beside(file))
    return list(dict.fromkeys((*(file.path for file in item.files), *item.beside, *beside)))


def _of_known_chats(documents: Sequence[Document], others: Mapping[str, None]) -> list[Document]:
    if not others:
        return list(documents)
    from ...memory.ingest.batching import chat_title

    return [
        document
        for document in documents
        if (day := document.as_conversation()) is None or "chat" not in day.metadata or chat_title(day) not in others
    ]
