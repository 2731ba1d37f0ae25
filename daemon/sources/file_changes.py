"""Finds the files of a folder to read: complete ones, of a content that was not read before."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from pathlib import Path

import anyio
import anyio.to_thread

from ...schemas import Notice
from .folder_scan import ATTEMPTS, FolderScan, FoundFile, digest_of, scan_folder
from .repository import FileState

SETTLE_LOOKS = 5
"""The number of looks at a changing file before it is left for a later run."""


class FileChanges:
    """Compares the files of one folder with what is remembered of them.

    Args:
        root: the folder.
        states: the stored states of its files, by key.
        settle_s: a file is complete when it has not changed for so many seconds.
        again: read also what was read before.
    """

    def __init__(self, root: Path, states: Mapping[bytes, FileState], settle_s: float, *, again: bool) -> None:
        self._root = root
        self._states = states
        self._settle_s = settle_s
        self._again = again

    async def settled(self, scan: FolderScan) -> tuple[FolderScan, set[str]]:
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
            growing = {path for path in later.files.keys() | growing if self._moves(scan, later, path)}
            scan = later
            if not growing:
                break
        left = {path: file for path, file in scan.files.items() if path not in growing}
        return FolderScan(left, scan.refused), growing

    def _is_new(self, file: FoundFile) -> bool:
        before = self._states.get(file.key)
        return before is None or (before.size, before.modified_ns) != (file.size, file.modified_ns)

    def _moves(self, before: FolderScan, after: FolderScan, path: str) -> bool:
        """Return whether a file differs between two scans, and from its stored state."""
        now = after.files.get(path)
        if now is None or not self._is_new(now):
            return False
        old = before.files.get(path)
        return old is None or (old.size, old.modified_ns) != (now.size, now.modified_ns)

    def divided(
        self, scan: FolderScan, files: Iterable[FoundFile], missing: Collection[bytes], held: Collection[bytes]
    ) -> tuple[dict[str, FileState], dict[str, bytes]]:
        """Divide changed files by content: return the states of files whose content is known, and the digests of the
        files to read.

        Args:
            scan: of the folder.
            files: those that changed by size or time.
            missing: the keys of files that take their notes with them.
            held: the keys of files whose own notes are known.
        """
        states: dict[str, FileState] = {}
        contents: dict[str, bytes] = {}
        for file in files:
            if not file.size:
                states[file.path] = state_of(file, b"", "", 0)
                continue
            try:
                contents[file.path] = digest_of(file)
            except OSError as error:
                # Tried again in each run, which is cheap: a change of permissions leaves no trace in the file's size or
                # time.
                states[file.path] = state_of(file, b"", error.strerror or "cannot be read", 1)
        lost = self._lost_contents({scan.files[path].key: digest for path, digest in contents.items()}, missing)
        stored = {
            each.digest: each for each in self._states.values() if each.digest not in {b"", *lost} and not each.reason
        }
        digests: dict[str, bytes] = {}
        for path, digest in contents.items():
            file = scan.files[path]
            before = self._states.get(file.key)
            # What a file holds that changed in place is read, also where another file holds the same.
            changed = before is not None and before.digest not in {b"", digest}
            if self._again or changed:
                digests[path] = digest
            elif digest in stored:
                states[path] = same_as(stored[digest], file)
            elif before is not None and before.digest == digest and before.attempts >= ATTEMPTS:
                states[path] = replace(before, size=file.size, modified_ns=file.modified_ns)
            else:
                digests[path] = digest
        copies = self._copies(scan, lost, held)
        return states, digests | {path: digest for path, digest in copies.items() if path not in states}

    def _lost_contents(self, now: Mapping[bytes, bytes], missing: Collection[bytes]) -> set[bytes]:
        """Return the contents of files that have other content ``now`` or take their notes with them: what was read of those
        does not stand for another file with that content.
        """
        past = {key for key, digest in now.items() if key in self._states and self._states[key].digest != digest}
        return {self._states[key].digest for key in past.union(missing) if key in self._states} - {b""}

    def _copies(self, scan: FolderScan, lost: Collection[bytes], held: Collection[bytes]) -> dict[str, bytes]:
        """Return the digests of unchanged files with lost content, by path: they were not read, because another file had
        it.
        """
        copies: dict[str, bytes] = {}
        for file in scan.files.values() if lost else ():
            state = self._states.get(file.key)
            if state is None or state.digest not in lost or state.reason or file.key in held:
                continue
            if (file.size, file.modified_ns) == (state.size, state.modified_ns):
                copies[file.path] = state.digest
        return copies

    def gone_notice(self, gone: Collection[bytes], new: AbstractSet[bytes]) -> Notice | None:
        """Return how many files that were read before are no longer there; what was read of them stays. A file that is not
        read again under another name, because its content is known (`digest_of`), is not gone: its documents are all that
        holds its words.

        Args:
            gone: the keys of the files.
            new: the contents of files that are read, or known by another name.
        """
        keys = set(gone)
        here = new | {b""} | {state.digest for key, state in self._states.items() if key not in keys}
        lost = sum(1 for key in gone if self._states[key].digest not in here and not self._states[key].reason)
        if not lost:
            return None
        files = "1 file is" if lost == 1 else f"{lost:,} files are"
        hint = f"{files} gone that an earlier run read, or renamed; what was read of them stays: `memd forget --document` removes it"
        return Notice(code="files-gone", locator=str(self._root), hint=hint)


def moved_files(before: FolderScan, after: FolderScan) -> set[str]:
    """Return the paths of files, attachments excluded, that differ between two scans or occur in only one."""
    paths: set[str] = set()
    for path in before.files.keys() | after.files.keys():
        old, new = before.files.get(path), after.files.get(path)
        if old != new and not any(each is not None and each.is_attachment for each in (old, new)):
            paths.add(path)
    return paths


def is_as_it_was(file: FoundFile) -> bool:
    """Return whether a file is still the one that was scanned, unchanged."""
    try:
        now = os.stat(file.real)  # noqa: PTH116 - the path is a text
    except OSError:
        return False
    return (now.st_size, now.st_mtime_ns, now.st_ino) == (file.size, file.modified_ns, file.inode)


def changed_files(files: Sequence[FoundFile]) -> list[FoundFile]:
    """Return the files that differ from their scan."""
    return [file for file in files if not is_as_it_was(file)]


def state_of(file: FoundFile, digest: bytes, reason: str, attempts: int) -> FileState:
    """Return the state to store of a file."""
    return FileState(file.key, file.path, file.size, file.modified_ns, digest, reason, attempts)


def same_as(before: FileState, file: FoundFile) -> FileState:
    """Return a state with this file's path, size and time; its content is that of ``before``."""
    now = {"key": file.key, "path": file.path, "size": file.size, "modified_ns": file.modified_ns}
    return replace(before, **now)
