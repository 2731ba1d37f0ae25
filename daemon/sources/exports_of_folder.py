"""Finds the exports in the files of a folder, and their formats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread

from .export_items import NOT_ASKED, all_stand_alone, items_of
from .export_reader import recognise_files
from .file_changes import moved_files, same_as
from .folder_scan import FolderScan, FoundFile, scan_folder
from .item_reading import ItemReading
from .repository import FileState


class ExportsOfFolder:
    """The exports of one folder.

    Args:
        root: the folder.
        stored_states: the stored states of its files, by key.
        options: how to read, see `reader_process.options_of`.
        data_dir: for private folders of the processes that read.
        settle_s: files of an export that arrive within so many seconds belong together.
        again: detect also the formats of files that were read before.
    """

    def __init__(
        self,
        root: Path,
        stored_states: Mapping[bytes, FileState],
        options: Mapping[str, Any],
        data_dir: Path,
        settle_s: float,
        *,
        again: bool,
    ) -> None:
        self.formats: dict[str, str] = {}
        """The formats of the files in the folder, by path."""
        self._root = root
        self._states = stored_states
        self._options = options
        self._data_dir = data_dir
        self._settle_s = settle_s
        self._again = again

    async def readings(
        self, scan: FolderScan, growing: set[str], states: dict[str, FileState], digests: Mapping[str, bytes]
    ) -> list[ItemReading]:
        """Return the exports to read. Adds the files of incomplete exports to ``growing``, and removes the files of the
        returned exports, unchanged ones included, from ``states``.
        """
        if not digests:
            return []
        sums = {file.path: state.digest for file in scan.files.values() if (state := self._states.get(file.key))}
        sums = {**sums, **{path: state.digest for path, state in states.items()}, **digests}
        files = [file for file in scan.files.values() if not file.is_attachment and sums.get(file.path)]
        if all_stand_alone(files):
            self.formats |= dict.fromkeys((file.path for file in files), NOT_ASKED)
        else:
            await self._recognise([file for file in files if not self._is_known_format(file, sums)], states, digests)
        items = items_of(files, self.formats, digests.keys())
        several = [item for item in items if item.folder is not None]
        if several:
            # Files of the export may still be arriving one after the other, even while none of them grows.
            await anyio.sleep(self._settle_s)
            moved = growing | moved_files(scan, await anyio.to_thread.run_sync(scan_folder, self._root))
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
        before = self._states.get(file.key)
        if self._again or before is None or before.format is None or before.digest != sums[file.path]:
            return False
        self.formats[file.path] = before.format
        return True

    async def _recognise(
        self, files: Sequence[FoundFile], states: dict[str, FileState], digests: Mapping[str, bytes]
    ) -> None:
        """Detect the formats of these files, and record them in ``states`` for files that are not to be read."""
        self.formats |= await recognise_files(self._root, [file.path for file in files], self._options, self._data_dir)
        for file in files:
            before = states.get(file.path) or self._states.get(file.key)
            if before is not None and file.path not in digests:
                states[file.path] = replace(same_as(before, file), format=self.formats[file.path])

    def holds_another(self, reading: ItemReading) -> bool:
        """Return whether another file in the folder is, or may be, an export."""
        own_paths = {file.path for file in reading.item.files}
        return any(name and path not in own_paths for path, name in self.formats.items())
