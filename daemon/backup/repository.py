"""A backup's folder: blocks named by their SHA-256, each kept once, and the snapshots that are made of them.

    memd-backup.json           marks the folder as ours, with its format
    blocks/ab/abcdef…          one block: a byte that tells how (`0` as it is, `z` zlib), then the data
    blocks/ab/abcdef….damaged  what stood there before a backup wrote the block anew
    snapshots/000001-….json    one snapshot: files as lists of blocks; written last, so that it is whole or not there

Everything here blocks, and is for a worker's thread. Names and modes are private: folders 0700, files 0600.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import shutil
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any, Protocol

import orjson

from ...memory.private_files import make_folders, open_private, sync_folder
from ...schemas.errors import BusyError, InvalidError, NotFoundError, StoreError

FORMAT = 1
MARK = "memd-backup.json"
COPY = "copy-"
"""What the name of a folder for temporary copies begins with."""
BLOCK_BYTES = 1024 * 1024
"""Of a block before it is compressed. SQLite writes in place, so what did not change stays in equal blocks."""
DAMAGED = ".damaged"
_LEVEL = 3
"""Of zlib: text shrinks to a third either way, and vectors hardly at all."""
_OF_THE_DEVICE = frozenset({errno.EIO, errno.ESTALE, errno.ENXIO, errno.ENODEV, errno.ETIMEDOUT})
_NAME = re.compile(r"(\d{6,})-[0-9TZ]+")
_HASH = re.compile(r"[0-9a-f]{64}")


class DamagedError(StoreError):
    """What a backup holds is missing, or is not what was saved."""


class FolderError(StoreError):
    """A file operation failed. It says nothing about what the file holds; the next one may succeed."""


@dataclass(frozen=True, slots=True)
class SavedFile:
    """One file of a snapshot. ``path``: below the data directory, with slashes."""

    path: str
    size: int
    sha256: str
    blocks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A state of the memory. ``formats``: of the store and the journal; ``counts``: what is in it, for people."""

    name: str
    time: str
    memd: str
    formats: dict[str, int]
    counts: dict[str, int]
    files: tuple[SavedFile, ...]

    @property
    def size(self) -> int:
        """Of all files, in bytes."""
        return sum(file.size for file in self.files)


@dataclass(slots=True)
class Written:
    """What putting files away wrote: bytes before and after compression, of blocks that were not there before."""

    new: int = 0
    stored: int = 0


class Readable(Protocol):
    """What a file is put away from."""

    def read(self, count: int, /) -> bytes:
        """The next bytes, at most so many; none at the end."""
        ...


class BackupRepository:
    """One folder of backups, locked against another process for as long as it is open. Made by `open_repository`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._blocks = folder / "blocks"
        self._snapshots = folder / "snapshots"

    # --- snapshots ------------------------------------------------------------------------------------------------

    def names(self) -> list[str]:
        """All snapshots, the oldest first: by their number, which no clock can set back."""
        with folder_errors(self.folder):
            found = [entry.name[:-5] for entry in os.scandir(self._snapshots) if entry.name.endswith(".json")]
        return sorted((name for name in found if _NAME.fullmatch(name)), key=_number)

    def snapshot(self, name: str) -> Snapshot:
        """One snapshot.

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
            raise file_trouble(self.folder, error) from error
        if data is None:
            raise NotFoundError("there is no such snapshot", hint=f"memd backup {self.folder} --list")
        return _snapshot(name, data)

    def add(self, snapshot: Snapshot) -> None:
        """Write a snapshot whose blocks are all there. Durable when it returns."""
        files = [{"path": f.path, "size": f.size, "sha256": f.sha256, "blocks": f.blocks} for f in snapshot.files]
        body: dict[str, Any] = {
            "format": FORMAT,
            "time": snapshot.time,
            "memd": snapshot.memd,
            "formats": snapshot.formats,
            "counts": snapshot.counts,
            "files": files,
        }
        body["check"] = _check(body)
        with folder_errors(self.folder):
            for folder in (*self._blocks.iterdir(), self._blocks):  # the blocks' names before the name that needs them
                sync_folder(folder)
            _write(self._snapshots / f"{snapshot.name}.json", orjson.dumps(body, option=orjson.OPT_INDENT_2))
            sync_folder(self._snapshots)

    def next_name(self, stamp: str) -> str:
        """The name of a new snapshot; ``stamp`` is its time as letters and digits."""
        names = self.names()
        return f"{_number(names[-1]) + 1 if names else 1:06}-{stamp}"

    def prune(self, keep: int) -> list[str]:
        """Drop all but the newest snapshots; returns their names. Their blocks go with the next `sweep`."""
        dropped = self.names()[:-keep]
        with folder_errors(self.folder):
            for name in dropped:
                (self._snapshots / f"{name}.json").unlink()
            sync_folder(self._snapshots)
        return dropped

    def sweep(self) -> int:
        """Remove the blocks that no snapshot names, and what a sudden end left; returns the bytes that became free.

        What was renamed because it is damaged stays as long as a snapshot names its block.

        A snapshot that cannot be read keeps all blocks: nobody knows which are its own.
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
        freed = 0
        with folder_errors(self.folder):
            for path in self._files():
                if path.name.partition(DAMAGED)[0] not in used:
                    freed += path.stat().st_size
                    path.unlink()
        return freed

    # --- blocks ---------------------------------------------------------------------------------------------------

    def put(self, source: Readable, path: str, written: Written) -> SavedFile:
        """Put a file away, in blocks; those that are there already are not written again."""
        whole = sha256()
        blocks: list[str] = []
        size = 0
        with folder_errors(self.folder):
            while data := source.read(BLOCK_BYTES):
                whole.update(data)
                size += len(data)
                blocks.append(self._put_block(data, written))
        return SavedFile(path, size, whole.hexdigest(), tuple(blocks))

    def _put_block(self, data: bytes, written: Written) -> str:
        name = sha256(data).hexdigest()
        place = self._place(name)
        if not self._holds(name):
            packed = zlib.compress(data, _LEVEL)
            body = b"z" + packed if len(packed) < len(data) else b"0" + data
            place.parent.mkdir(mode=0o700, exist_ok=True)
            _write(place, body)
            written.new += len(data)
            written.stored += len(body)
        return name

    def _holds(self, name: str) -> bool:
        """Whether a block is there and whole: a new snapshot must not rest on a damaged one, which is renamed.

        Raises:
            FolderError: it cannot be read, which is no reason to replace it.
        """
        place = self._place(name)
        try:
            self.block(name)
        except DamagedError:
            if place.exists():
                aside = (place.with_name(f"{name}{DAMAGED}{number or ''}") for number in count())
                place.rename(next(each for each in aside if not each.exists()))
            return False
        return True

    def block(self, name: str) -> bytes:
        """One block, verified.

        Raises:
            DamagedError: it is missing, or not what its name says.
            FolderError: it cannot be read.
        """
        try:
            body = self._place(name).read_bytes()
            data = _unpacked(body)
        except FileNotFoundError:
            raise DamagedError(f"block {name[:12]}… is missing") from None
        except OSError as error:
            raise file_trouble(self.folder, error) from error
        except (zlib.error, ValueError):
            data = None
        if data is None or sha256(data).hexdigest() != name:
            raise DamagedError(f"block {name[:12]}… is damaged")
        return data

    def read(self, file: SavedFile) -> Iterator[bytes]:
        """The content of a file, block by block; verified when it has ended.

        Raises:
            DamagedError: a block is missing or damaged, or they do not make up the file.
            FolderError: a block cannot be read.
        """
        whole = sha256()
        size = 0
        for name in file.blocks:
            data = self.block(name)
            whole.update(data)
            size += len(data)
            yield data
        if size != file.size or whole.hexdigest() != file.sha256:
            raise DamagedError(f"{file.path} is not what was saved")

    def stored_bytes(self) -> int:
        """What all blocks take on the disk."""
        with folder_errors(self.folder):
            return sum(path.stat().st_size for path in self._files())

    def _files(self) -> Iterator[Path]:
        for folder in self._blocks.iterdir():
            yield from folder.iterdir()

    def _place(self, name: str) -> Path:
        return self._blocks / name[:2] / name


@contextmanager
def open_repository(folder: Path, *, create: bool) -> Generator[BackupRepository]:
    """The backups in a folder, for one process at a time.

    Args:
        folder: with ``create`` it is made where it is missing, or empty.
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
            raise file_trouble(folder, error) from error
        yield BackupRepository(folder)
    finally:
        os.close(descriptor)


def _found(folder: Path) -> None:
    """Make a new one. The mark comes last: what a sudden end leaves is empty, or ours to finish."""
    make_folders(folder)
    strangers = [entry.name for entry in os.scandir(folder) if entry.name not in ("blocks", "snapshots", f"{MARK}.tmp")]
    halves = [each for each in ("blocks", "snapshots") if (folder / each).is_dir() and any((folder / each).iterdir())]
    if strangers or halves:
        raise InvalidError(f"{folder} is not empty, and not a backup of memd", hint="choose a folder of its own")
    folder.chmod(0o700)
    (folder / "blocks").mkdir(mode=0o700, exist_ok=True)
    (folder / "snapshots").mkdir(mode=0o700, exist_ok=True)
    _write(folder / MARK, orjson.dumps({"memd": "backup", "format": FORMAT}) + b"\n")
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


def _snapshot(name: str, data: bytes) -> Snapshot:
    try:
        body: dict[str, Any] = orjson.loads(data)
        if body.pop("check") != _check(body) or body["format"] > FORMAT:
            raise ValueError
        files = tuple(
            SavedFile(str(f["path"]), int(f["size"]), str(f["sha256"]), tuple(f["blocks"])) for f in body["files"]
        )
        if not all(_HASH.fullmatch(block) for file in files for block in file.blocks):
            raise ValueError
        return Snapshot(name, body["time"], body["memd"], body["formats"], body["counts"], files)
    except (ValueError, KeyError, TypeError):
        raise DamagedError(f"snapshot {name} is damaged", hint="take another: --list shows them") from None


def _check(body: dict[str, Any]) -> str:
    """A hash over everything a snapshot says."""
    return sha256(orjson.dumps(body, option=orjson.OPT_SORT_KEYS)).hexdigest()


def _unpacked(body: bytes) -> bytes:
    if body[:1] == b"0":
        return body[1:]
    if body[:1] != b"z":
        raise ValueError
    opener = zlib.decompressobj()
    data = opener.decompress(body[1:], BLOCK_BYTES)  # never more, whatever a stranger put there
    if not opener.eof:
        raise ValueError
    return data


def _number(name: str) -> int:
    return int(name.partition("-")[0])


def _write(path: Path, body: bytes) -> None:
    """A whole file or none, durable but for its name."""
    beside = path.with_name(f"{path.name}.tmp")
    with os.fdopen(open_private(beside, os.O_CREAT | os.O_TRUNC | os.O_WRONLY), "wb") as file:
        file.write(body)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)


@contextmanager
def folder_errors(folder: Path) -> Generator[None]:
    """Turn what the file system raises into ours."""
    try:
        yield
    except OSError as error:
        raise file_trouble(folder, error) from error


def file_trouble(folder: Path, error: OSError) -> FolderError:
    """The error of a failed file operation in a folder."""
    hint = "is there room, and may memd write there? a system service may write in its own folders only"
    if error.errno in _OF_THE_DEVICE:
        hint = "nothing was changed; try again, and check the disk or the connection to it"
    return FolderError(f"{folder} cannot be used: {error.strerror}", hint=hint)
