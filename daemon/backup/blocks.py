"""Blocks of saved files, each stored once under its SHA-256.

ab/abcdef…          one block: a byte that tells how (`0` as it is, `z` zlib), then the data
ab/abcdef….damaged  what stood there before a backup wrote the block anew
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Protocol

from ...memory.private_files import open_private, sync_folder
from .folder_errors import DamagedError, folder_error, folder_errors
from .snapshots import SavedFile

BLOCK_BYTES = 1024 * 1024
"""The size of a block before compression. SQLite writes in place, so that unchanged pages stay in equal blocks."""
DAMAGED = ".damaged"
_LEVEL = 3
"""The compression level of zlib: at any level text shrinks to a third, and vectors hardly at all."""


@dataclass(slots=True)
class BlockWriteStats:
    """The bytes of newly written blocks, before and after compression."""

    new: int = 0
    stored: int = 0


class Readable(Protocol):
    """A source of bytes for `BlockStore.put`."""

    def read(self, count: int, /) -> bytes:
        """Return the next bytes, at most ``count``; none at the end."""
        ...


class BlockStore:
    """The blocks in the folder of a repository.

    Args:
        repository: the repository's folder, which errors name.
    """

    def __init__(self, repository: Path) -> None:
        self._repository = repository
        self._folder = repository / "blocks"

    def put(self, source: Readable, path: str, written: BlockWriteStats) -> SavedFile:
        """Store a file in blocks; blocks that exist already are not written again."""
        whole = sha256()
        blocks: list[str] = []
        size = 0
        with folder_errors(self._repository):
            while data := source.read(BLOCK_BYTES):
                whole.update(data)
                size += len(data)
                blocks.append(self._put_block(data, written))
        return SavedFile(path, size, whole.hexdigest(), tuple(blocks))

    def _put_block(self, data: bytes, written: BlockWriteStats) -> str:
        name = sha256(data).hexdigest()
        place = self._place(name)
        if not self._holds(name):
            packed = zlib.compress(data, _LEVEL)
            body = b"z" + packed if len(packed) < len(data) else b"0" + data
            place.parent.mkdir(mode=0o700, exist_ok=True)
            write_whole(place, body)
            written.new += len(data)
            written.stored += len(body)
        return name

    def _holds(self, name: str) -> bool:
        """Return whether a block exists and is whole. A damaged one is renamed: a new snapshot must not depend on it.

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
        """Return one block, verified.

        Raises:
            DamagedError: it is missing, or its content does not match its name.
            FolderError: it cannot be read.
        """
        try:
            body = self._place(name).read_bytes()
            data = _unpacked(body)
        except FileNotFoundError:
            raise DamagedError(f"block {name[:12]}… is missing") from None
        except OSError as error:
            raise folder_error(self._repository, error) from error
        except (zlib.error, ValueError):
            data = None
        if data is None or sha256(data).hexdigest() != name:
            raise DamagedError(f"block {name[:12]}… is damaged")
        return data

    def read(self, file: SavedFile) -> Iterator[bytes]:
        """Yield the content of a file, block by block; the whole is verified at the end.

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
        """Return the bytes that all blocks take on the disk."""
        with folder_errors(self._repository):
            return sum(path.stat().st_size for path in self._files())

    def _files(self) -> Iterator[Path]:
        for folder in self._folder.iterdir():
            yield from folder.iterdir()

    def _place(self, name: str) -> Path:
        return self._folder / name[:2] / name

    def sync(self) -> None:
        """Make the names of all blocks durable."""
        for folder in (*self._folder.iterdir(), self._folder):
            sync_folder(folder)

    def remove_unused(self, used: Collection[str]) -> int:
        """Remove all blocks except the used ones; return the number of bytes freed. A damaged block that was renamed
        stays as long as its name is used.
        """
        freed = 0
        for path in self._files():
            if path.name.partition(DAMAGED)[0] not in used:
                freed += path.stat().st_size
                path.unlink()
        return freed


def _unpacked(body: bytes) -> bytes:
    if body[:1] == b"0":
        return body[1:]
    if body[:1] != b"z":
        raise ValueError
    opener = zlib.decompressobj()
    data = opener.decompress(body[1:], BLOCK_BYTES)  # never more, whatever data a stranger put there
    if not opener.eof:
        raise ValueError
    return data


def write_whole(path: Path, body: bytes) -> None:
    """Write a whole file or none; durable except for its name."""
    beside = path.with_name(f"{path.name}.tmp")
    with os.fdopen(open_private(beside, os.O_CREAT | os.O_TRUNC | os.O_WRONLY), "wb") as file:
        file.write(body)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)
