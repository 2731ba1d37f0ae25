"""Restores a data directory from a backup: every block and file is compared with its hash, and the whole is put in
place or nothing.

All functions block; call them in a worker thread.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ...memory.private_files import make_folders, sync_folder
from ...memory.store.backup import STORE_FORMAT, check_database
from ...schemas.errors import InvalidError, NotFoundError, StoreError
from ..config.paths import JOURNAL, STORE
from ..journal.schema import VERSION as JOURNAL_FORMAT
from ..operation_progress import OperationProgress, ReportProgress
from ..temporary_folders import private_folder, remove_stale_folders
from .create import FILES, PLAIN, line_of
from .empty_memory import is_empty_memory, replace_empty_memory
from .folder_errors import FolderError, folder_errors
from .repository import BackupRepository, open_repository
from .snapshots import SavedFile, Snapshot

_PURPOSE = "restoring"
_FORMATS = {"journal": JOURNAL_FORMAT, "store": STORE_FORMAT}


def restore_backup(folder: Path, name: str | None, data_dir: Path, tell: ReportProgress) -> dict[str, Any]:
    """Make a data directory from a snapshot (the newest without a ``name``): all of it, verified, or nothing.

    Raises:
        InvalidError: the data directory holds something already, or the folder no backups.
        NotFoundError: there is no such snapshot.
        BusyError: another process works in the folder.
        StoreError: the snapshot is damaged or of a newer format, or the directory cannot be written.
    """
    _refuse_full(data_dir)
    with open_repository(folder, create=False) as repository:
        names = repository.names()
        if name is None and not names:
            raise NotFoundError(f"there is no snapshot in {folder}", hint="its first backup did not come to its end")
        snapshot = repository.snapshot(names[-1] if name is None else name)
        _refuse_newer(snapshot)
        with folder_errors(data_dir):
            make_folders(data_dir.parent)
            sweep_restores(data_dir)
            with private_folder(data_dir, _PURPOSE) as beside:
                for file in snapshot.files:
                    _restore(repository, snapshot, file, beside, tell)
                _put_in_place(beside, data_dir)
        return line_of(snapshot) | {"directory": os.fspath(folder), "data_dir": os.fspath(data_dir)}


def sweep_restores(data_dir: Path) -> int:
    """Remove the leftovers of killed restores of this data directory: unencrypted copies of a memory."""
    return remove_stale_folders(data_dir, _PURPOSE)


def _restore(
    repository: BackupRepository, snapshot: Snapshot, file: SavedFile, beside: Path, tell: ReportProgress
) -> None:
    if file.path not in (*FILES.values(), *PLAIN):
        raise StoreError(f"snapshot {snapshot.name} holds a file that memd does not know", hint="use the newer memd")
    target = beside / file.path
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    done = 0
    try:
        with os.fdopen(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600), "wb") as out:
            for data in repository.blocks.read(file):
                out.write(data)
                done += len(data)
                tell(OperationProgress("restoring", done, file.size))
            out.flush()
            os.fsync(out.fileno())
        if file.path not in PLAIN:
            tell(OperationProgress("checking"))
            check_database(target)
    except StoreError as error:
        problem = f"snapshot {snapshot.name} cannot be restored: {error.message}; nothing was left behind"
        if isinstance(error, FolderError):
            raise FolderError(problem, hint=error.hint) from error
        raise StoreError(
            problem,
            hint=f"take another: memd backup {repository.folder} --list; which are whole: memd backup {repository.folder} --verify",
        ) from error


def _put_in_place(beside: Path, data_dir: Path) -> None:
    for folder in (beside / STORE, beside):
        sync_folder(folder)
    try:
        if data_dir.is_dir() and any(data_dir.iterdir()):
            replace_empty_memory(data_dir, beside)
        else:
            beside.rename(data_dir)  # also onto an empty folder; never onto one that was filled meanwhile
    except OSError as error:
        raise StoreError(
            f"{data_dir} could not be put in place: {error.strerror}", hint="is it a mount point, or in use by now?"
        ) from error
    sync_folder(data_dir.parent)


def _refuse_full(data_dir: Path) -> None:
    with folder_errors(data_dir):
        if data_dir.is_dir() and is_empty_memory(data_dir):
            return
        if any((data_dir / path).exists() for path in (JOURNAL, STORE)):
            raise InvalidError(
                f"{data_dir} holds a memory already",
                hint="restore beside it, --data-dir NEW, or move it away first: nothing is ever overwritten",
            )
        if data_dir.exists() and (not data_dir.is_dir() or any(data_dir.iterdir())):
            raise InvalidError(f"{data_dir} is not empty", hint="choose a directory that is not there yet")


def _refuse_newer(snapshot: Snapshot) -> None:
    for part, version in snapshot.formats.items():
        if version > _FORMATS.get(part, 0):
            raise StoreError(
                f"snapshot {snapshot.name} has a {part} of format {version}, this memd reads up to {_FORMATS.get(part)}",
                hint=f"use memd {snapshot.memd}, which made it, or a newer one",
            )
