"""The repository of backups in a folder: snapshots, and their blocks.

memd-backup.json           marks the folder as memd's, with its format
    blocks/ab/abcdef…          see `blocks`
    snapshots/000001-….json    one snapshot: files as lists of blocks; written last, so that it is whole or absent

All functions block; call them in a worker thread. Files are private: folders 0700, files 0600.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson

from ...memory.private_files import make_folders, open_private, sync_folder
from ...schemas.errors import BusyError, InvalidError, NotFoundError, StoreError
from .blocks import BlockStore, write_whole
from .folder_errors import folder_error, folder_errors
from .snapshots import FORMAT, Snapshot, snapshot_from_json, snapshot_to_json

MARK = "memd-backup.json"
COPY = "copy-"
"""The prefix of the folders for temporary copies."""
_NAME = re.compile(r"(\d{6,})-[0-9TZ]+")


class BackupRepository:
    """One folder of backups, locked against other processes while it is open. Made by `open_repository`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.blocks = BlockStore(folder)
        self._snapshots = folder / "snapshots"

    def names(self) -> list[str]:
        """Return the names of all snapshots, the oldest first: by number, which does not depend on the clock."""
        with folder_errors(self.folder):
            stems = [entry.name[:-5] for entry in os.scandir(self._snapshots) if entry.name.endswith(".json")]
        return sorted((name for name in stems if _NAME.fullmatch(name)), key=_number)

    def snapshot(self, name: str) -> Snapshot:
        """Return one snapshot.

        Raises:
            NotFoundError: there is none of that name.
            DamagedError: it is damaged, or of a newer format.
            FolderError: it cannot be read.
        """
        try:
            data = (self._snapshots / f"{name}.json").read_bytes() if _NAME.fullmatch(name) else None
        except FileNotFoundError:
            data = None
        except OSError as error:
            raise folder_error(self.folder, error) from error
        if data is None:
            raise NotFoundError("there is no such snapshot", hint=f"memd backup {self.folder} --list")
        return snapshot_from_json(name, data)

    def add(self, snapshot: Snapshot) -> None:
        """Write a snapshot whose blocks all exist. Durable when it returns."""
        with folder_errors(self.folder):
            self.blocks.sync()  # the blocks' names must be durable before the snapshot's
            write_whole(self._snapshots / f"{snapshot.name}.json", snapshot_to_json(snapshot))
            sync_folder(self._snapshots)

    def next_name(self, stamp: str) -> str:
        """Return the name of a new snapshot; ``stamp`` is its time as letters and digits."""
        names = self.names()
        return f"{_number(names[-1]) + 1 if names else 1:06}-{stamp}"

    def prune(self, keep: int) -> list[str]:
        """Delete all but the newest ``keep`` snapshots; return their names. The next `sweep` removes their blocks."""
        dropped = self.names()[:-keep]
        with folder_errors(self.folder):
            for name in dropped:
                (self._snapshots / f"{name}.json").unlink()
            sync_folder(self._snapshots)
        return dropped

    def sweep(self) -> int:
        """Remove the blocks that no snapshot names, and leftovers of a crash; return the number of bytes freed.

        If a snapshot cannot be read, all blocks stay, because its blocks are unknown.
        """
        with folder_errors(self.folder):
            for path in (*self._snapshots.iterdir(), *self.folder.iterdir()):
                if path.name.endswith(".tmp") and path.is_file():
                    path.unlink()
                elif path.name.startswith(COPY) and path.is_dir():
                    shutil.rmtree(path)
        try:
            used = {block for name in self.names() for file in self.snapshot(name).files for block in file.blocks}
        except StoreError:
            return 0
        with folder_errors(self.folder):
            return self.blocks.remove_unused(used)


@contextmanager
def open_repository(folder: Path, *, create: bool) -> Generator[BackupRepository]:
    """Open the backups in a folder, for one process at a time.

    Args:
        folder: with ``create`` it is created if missing, or set up if empty.
        create: else it must hold backups.

    Raises:
        InvalidError: it holds other things, or (without ``create``) nothing.
        BusyError: another process works in it.
        StoreError: it cannot be read or written.
    """
    with folder_errors(folder):
        mark = folder / MARK
        if not mark.exists():
            if not create:
                raise InvalidError(f"{folder} holds no backups of memd", hint="memd backup DIR makes one")
            _found(folder)
        elif create:
            folder.chmod(0o700)
        _refuse_newer(mark)
        descriptor = open_private(mark, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BusyError(f"another memd works in {folder}", hint="try again when it has ended") from None
        except OSError as error:
            raise folder_error(folder, error) from error
        yield BackupRepository(folder)
    finally:
        os.close(descriptor)


def _found(folder: Path) -> None:
    """Create a repository. The mark comes last: before it, a crash leaves a folder that is empty or can be completed."""
    make_folders(folder)
    strangers = [entry.name for entry in os.scandir(folder) if entry.name not in ("blocks", "snapshots", f"{MARK}.tmp")]
    halves = [each for each in ("blocks", "snapshots") if (folder / each).is_dir() and any((folder / each).iterdir())]
    if strangers or halves:
        raise InvalidError(f"{folder} is not empty, and not a backup of memd", hint="choose a folder of its own")
    folder.chmod(0o700)
    (folder / "blocks").mkdir(mode=0o700, exist_ok=True)
    (folder / "snapshots").mkdir(mode=0o700, exist_ok=True)
    write_whole(folder / MARK, orjson.dumps({"memd": "backup", "format": FORMAT}) + b"\n")
    sync_folder(folder)


def _refuse_newer(mark: Path) -> None:
    try:
        body: Any = orjson.loads(mark.read_bytes())
        version = int(body["format"])
    except (ValueError, KeyError, TypeError):
        raise StoreError(
            f"{mark} is damaged", hint=f'it should read {{"memd": "backup", "format": {FORMAT}}}'
        ) from None
    if version > FORMAT:
        raise StoreError(
            f"the backup has format {version}, this memd reads up to {FORMAT}", hint="use the newer memd that made it"
        )


def _number(name: str) -> int:
    return int(name.partition("-")[0])
