"""Reads what is new in a folder of exports. Files stay as they are, unless the settings say otherwise."""

from __future__ import annotations

import os
import shlex
import shutil
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread

from ...connectors.errors import AbsentFolderError, UnrecognisedError
from ...connectors.reading.reading_log import SkippedFile
from ...schemas import Document
from ..config.source_settings import SourceSettings
from ..notices import Notices
from .export_items import NOT_ASKED, ExportItem, all_stand_alone, items_of
from .export_reader import ReadBlock, read_exports, recognise_files
from .folder_scan import ATTEMPTS, Attachments, FolderScan, FoundFile, digest_of, path_key, plan_reads, scan_folder
from .item_reading import ItemReading
from .repository import FileState, saving_cursor, saving_files, together
from .source_reader import SourceBatch

HELD_BYTES = 64 * 1024 * 1024
"""Documents of a file that are held, as JSON, until it is known whether their chats are the stored ones; a file of more is
read twice."""
BATCH_BYTES = 4 * 1024 * 1024
"""Documents of several files that are kept in one go, as JSON, with what is remembered of the files."""
SETTLE_LOOKS = 5
"""How often a file that changes is looked at again before it is left for later."""


@dataclass(slots=True)
class _Waiting:
    """What is to be kept with the next batch."""

    documents: list[Document] = field(default_factory=list["Document"])
    places: list[str] = field(default_factory=list[str])
    """Of each of them, the number of the receipt that tells its file."""
    size: int = 0
    rejected: int = 0
    states: dict[str, FileState] = field(default_factory=dict[str, FileState])
    receipts: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    whole: list[FoundFile] = field(default_factory=list[FoundFile])
    """Files that were read without a flaw."""


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
    """

    def __init__(
        self,
        settings: SourceSettings,
        known: Mapping[bytes, FileState],
        options: Mapping[str, Any],
        conflicts: Callable[[Sequence[Document]], Awaitable[list[str]]],
        settle_s: float,
        data_dir: Path,
        *,
        again: bool = False,
        otherwise: bool = False,
    ) -> None:
        assert settings.path is not None
        self._settings = settings
        self._root = settings.path
        self._known = known
        self._options = options
        self._conflicts = conflicts
        self._settle_s = settle_s
        self._data_dir = data_dir
        self._emptied = again
        self._again = again or otherwise
        self._notices = Notices()
        self._receipts = 0
        """How many there are so far: the next one has the number behind."""
        self._formats: dict[str, str] = {}
        """Of the files of the folder, by path."""
        self._unreadable: dict[str, str] = {}
        """Files that cannot be read, by path, and why; also those that were tried before and are not any more."""
        self._left_out = 0
        """How many of them this reading found out."""
        self._in_receipts: set[str] = set()
        """Paths of files that receipts tell."""

    async def batches(self) -> AsyncGenerator[SourceBatch, None]:
        """What is new, export by export in their order; at the end of each reading what is known of its files.

        Raises:
            AbsentFolderError: the folder is not there, or is empty and was not.
        """
        scan, growing = await self._settled(await anyio.to_thread.run_sync(scan_folder, self._root))
        if self._known and not scan.files and not growing and self._settings.after_read == "keep" and not self._emptied:
            held = f"{len(self._known)} file" + ("s" if len(self._known) > 1 else "")
            hint = f"is it mounted? Nothing was changed; if you emptied it: `memd sync --again {self._settings.name}`"
            raise AbsentFolderError(f"{self._root}: the folder is empty, and held {held} before", hint=hint)
        # What is to be deleted or moved is looked into each time: what was read may have given its place to another file.
        plan = plan_reads(scan, self._known, again=self._again or self._settings.after_read != "keep")
        states, digests = await anyio.to_thread.run_sync(self._recognised, plan.changed)
        readings = await self._readings(scan, growing, states, digests)
        gone = list({*plan.gone} - {path_key(path) for path in growing})
        for refused in scan.refused:  # links that lead out, pipes, names that no system takes
            path = refused.locator.removeprefix(f"{self._root}/")
            states[path] = FileState(path_key(path), path, 0, 0, b"", refused.reason, ATTEMPTS)
        self._note_unreadable(scan, states, readings)
        gone = list({*gone} - {state.key for state in states.values()})
        noted = together(saving_cursor(self._settings, ""), saving_files(self._settings, states.values(), gone))
        left = [scan.files[path] for path, state in states.items() if state.digest and not state.reason]
        left = [found for found in left if not states[found.path].rejected]
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
                for found in await anyio.to_thread.run_sync(_changed_of, reading.item.files):
                    growing.add(found.path)
                    waiting.states.pop(found.path, None)
                if waiting.size >= BATCH_BYTES:
                    yield self._batch(waiting)
                    waiting = _Waiting()
        if self._left_out:
            waiting.receipts += self._receipt_of_unreadable()
        yield replace(
            self._batch(waiting),
            incomplete=tuple(sorted(growing)),
            trouble=self._trouble(),
            notices=tuple(self._notices.to_wire()),
        )

    def _note_unreadable(
        self, scan: FolderScan, states: Mapping[str, FileState], readings: Sequence[ItemReading]
    ) -> None:
        """What cannot be read, apart from what is read now: of that nobody knows yet."""
        refused = {each.locator.removeprefix(f"{self._root}/"): each.reason for each in scan.refused}
        failed = {path: state.reason for path, state in states.items() if state.reason and not state.digest}
        read = {found.path for each in readings for found in each.item.files}
        known = {state.path: state.reason for state in self._known.values() if state.reason}
        known = {path: reason for path, reason in known.items() if path in scan.files and path not in read}
        self._unreadable |= {**known, **failed, **refused}
        self._left_out = len({**failed, **refused})

    def _receipt_of_unreadable(self) -> list[dict[str, Any]]:
        """What a receipt tells of files of which no other one does."""
        skipped = [
            SkippedFile(f"{self._root}/{path}", reason).to_wire()
            for path, reason in sorted(self._unreadable.items())
            if f"{self._root}/{path}" not in self._in_receipts
        ]
        return [{"exports": [], "skipped": skipped}] if skipped else []

    async def _readings(
        self, scan: FolderScan, growing: set[str], states: dict[str, FileState], digests: Mapping[str, bytes]
    ) -> list[ItemReading]:
        """The exports that are to be read. What belongs to one that is not there whole yet is added to ``growing``; what is
        read, also of files that are the same, is taken from ``states``.
        """
        if not digests:
            return []
        sums = {found.path: state.digest for found in scan.files.values() if (state := self._known.get(found.key))}
        sums = {**sums, **{path: state.digest for path, state in states.items()}, **digests}
        files = [found for found in scan.files.values() if not found.is_attachment and sums.get(found.path)]
        if all_stand_alone(files):
            self._formats |= dict.fromkeys((found.path for found in files), NOT_ASKED)
        else:
            await self._recognise([found for found in files if not self._is_known_format(found, sums)], states, digests)
        items = items_of(files, self._formats, digests.keys())
        several = [item for item in items if item.folder is not None]
        if several:
            # Its files may still be coming, one after the other, while none of them grows.
            await anyio.sleep(self._settle_s)
            moved = growing | _moved(scan, await anyio.to_thread.run_sync(scan_folder, self._root))
            unfinished = [item for item in several if any(map(item.holds, moved))]
            growing |= {found.path for item in unfinished for found in item.files if found.path in digests}
        items = [item for item in items if not any(found.path in growing for found in item.files)]
        for found in (found for item in items for found in item.files):
            states.pop(found.path, None)
        return [ItemReading(item, sums, self._root) for item in items]

    def _is_known_format(self, found: FoundFile, sums: Mapping[str, bytes]) -> bool:
        """Whether it was recognised before, with the same content, and under the same settings; notes it then."""
        before = self._known.get(found.key)
        if self._again or before is None or before.format is None or before.digest != sums[found.path]:
            return False
        self._formats[found.path] = before.format
        return True

    async def _recognise(
        self, files: Sequence[FoundFile], states: dict[str, FileState], digests: Mapping[str, bytes]
    ) -> None:
        """Find out what these are, and note it in ``states`` of those that are not to be read."""
        self._formats |= await recognise_files(
            self._root, [found.path for found in files], self._options, self._data_dir
        )
        for found in files:
            before = states.get(found.path) or self._known.get(found.key)
            if before is not None and found.path not in digests:
                states[found.path] = replace(_same_as(before, found), format=self._formats[found.path])

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
        """Add what was read of an export to what waits; of a large one, read it again and give it batch by batch."""
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
            told = (file for export in reading.receipt["exports"] for file in export["files"])
            self._in_receipts |= {file["path"] for file in (*told, *reading.receipt["skipped"])}
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
        waiting.rejected += reading.rejected + (0 if reading.size > HELD_BYTES else other) + refused
        self._left_out += refused
        if not any(state.reason or state.rejected for state in states):
            waiting.whole += [found for found in reading.item.files if not states_by_path[found.path].note]

    def _holds_another(self, reading: ItemReading) -> bool:
        """Whether something else in the folder is, or may be, an export."""
        own = {found.path for found in reading.item.files}
        return any(name and path not in own for path, name in self._formats.items())

    def _without_attachments(self, receipt: dict[str, Any], beside: Sequence[str]) -> dict[str, Any]:
        """A receipt without what lies beside every export of a folder."""
        paths = {f"{self._root}/{path}" for path in beside}
        return receipt | {"skipped": [file for file in receipt["skipped"] if file["path"] not in paths]}

    def _trouble(self) -> str:
        """What was left out, without the names of files: they name people."""
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
            after=self._dispose_of([found for found in waiting.whole if found.path in waiting.states]),
        )

    async def _settled(self, scan: FolderScan) -> tuple[FolderScan, set[str]]:
        """A look in which nothing that it holds is being written, and what was left out for that."""
        growing: set[str] = set()
        for look in range(SETTLE_LOOKS):
            now = time.time_ns()
            fresh = {
                found.path
                for found in scan.files.values()
                if self._is_new(found) and abs(now - found.modified_ns) < self._settle_s * 1e9
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
        left = {path: found for path, found in scan.files.items() if path not in growing}
        return FolderScan(left, scan.refused), growing

    def _is_new(self, found: FoundFile) -> bool:
        before = self._known.get(found.key)
        return before is None or (before.size, before.modified_ns) != (found.size, found.modified_ns)

    def _recognised(self, files: Iterable[FoundFile]) -> tuple[dict[str, FileState], dict[str, bytes]]:
        """Of files that look new, those that are known by their content, with what is to be remembered; and the sums of
        the others, which are to be read.
        """
        contents = {state.digest: state for state in self._known.values() if state.digest and not state.reason}
        states: dict[str, FileState] = {}
        digests: dict[str, bytes] = {}
        for file in files:
            before = self._known.get(file.key)
            if not file.size:
                states[file.path] = _state_of(file, b"", "", 0)
                continue
            try:
                digest = digest_of(file)
            except OSError as error:
                # Tried again each time, which costs nothing: who may read it changes without a trace in the file.
                states[file.path] = _state_of(file, b"", error.strerror or "cannot be read", 1)
                continue
            same = before is not None and before.digest == digest
            if self._again:
                digests[file.path] = digest
            elif digest in contents:
                states[file.path] = _same_as(contents[digest], file)
            elif same and before is not None and before.attempts >= ATTEMPTS:
                states[file.path] = replace(before, size=file.size, modified_ns=file.modified_ns)
            else:
                digests[file.path] = digest
        return states, digests

    def _dispose_of(self, files: Sequence[FoundFile]) -> Callable[[], str] | None:
        """What the settings say to do with exports that are kept now. It returns what went wrong, without names of files:
        they name people.
        """
        if self._settings.after_read == "keep" or not files:
            return None

        def work() -> str:
            failed: list[str] = []
            for found in files:
                if not _is_as_it_was(found):
                    continue  # a later export took its place
                try:
                    if self._settings.move_to is None:
                        Path(found.real).unlink()
                    else:
                        _move(Path(found.real), self._settings.move_to / found.path)
                except OSError as error:
                    failed.append(error.strerror or type(error).__name__)
            if not failed:
                return ""
            what = "deleted" if self._settings.move_to is None else "moved"
            count = "1 export was" if len(failed) == 1 else f"{len(failed)} exports were"
            return f"{count} read and cannot be {what}: {failed[0]}"

        return work


def _is_as_it_was(found: FoundFile) -> bool:
    """Whether a file is the one that was found, unchanged."""
    try:
        now = os.stat(found.real)  # noqa: PTH116 - the path is a text
    except OSError:
        return False
    return (now.st_size, now.st_mtime_ns, now.st_ino) == (found.size, found.modified_ns, found.inode)


def _changed_of(files: Sequence[FoundFile]) -> list[FoundFile]:
    """Those that are not as they were found."""
    return [found for found in files if not _is_as_it_was(found)]


def _members_of(item: ExportItem, attachments: Attachments) -> list[str]:
    """Paths of an export's files and of what lies beside them, each once."""
    folders = {found.path.rpartition("/")[0]: found for found in item.files}
    beside = (path for found in folders.values() for path in attachments.beside(found))
    return list(dict.fromkeys((*(found.path for found in item.files), *item.beside, *beside)))


def _moved(before: FolderScan, after: FolderScan) -> set[str]:
    """Files that may be exports and differ between two looks, or are in only one of them."""
    found: set[str] = set()
    for path in before.files.keys() | after.files.keys():
        old, new = before.files.get(path), after.files.get(path)
        if old != new and not any(each is not None and each.is_attachment for each in (old, new)):
            found.add(path)
    return found


def _state_of(found: FoundFile, digest: bytes, reason: str, attempts: int) -> FileState:
    return FileState(found.key, found.path, found.size, found.modified_ns, digest, reason, attempts)


def _same_as(before: FileState, found: FoundFile) -> FileState:
    """What is remembered of a file of the same content."""
    now = {"key": found.key, "path": found.path, "size": found.size, "modified_ns": found.modified_ns}
    return replace(before, **now)


def _of_known_chats(documents: Sequence[Document], others: Mapping[str, None]) -> list[Document]:
    if not others:
        return list(documents)
    from ...memory.ingest.planner import chat_title

    return [
        document
        for document in documents
        if (day := document.as_conversation()) is None or "chat" not in day.metadata or chat_title(day) not in others
    ]


def _moves(before: FolderScan, after: FolderScan, path: str, known: Mapping[bytes, FileState]) -> bool:
    """Whether a file differs between two looks, and from what was read of it."""
    now = after.files.get(path)
    if now is None:
        return False
    state = known.get(now.key)
    if state is not None and (state.size, state.modified_ns) == (now.size, now.modified_ns):
        return False
    old = before.files.get(path)
    return old is None or (old.size, old.modified_ns) != (now.size, now.modified_ns)


def _move(path: Path, target: Path) -> None:
    """Move a file; one that is there by that name already is kept."""
    target.parent.mkdir(parents=True, exist_ok=True)
    number = 1
    free = target
    while free.exists():
        number += 1
        free = target.with_name(f"{target.stem} ({number}){target.suffix}")
    shutil.move(path, free)
