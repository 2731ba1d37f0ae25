"""Zip archives as sources: members are streamed, checked and capped; nothing is ever unpacked to the disk."""

from __future__ import annotations

import io
import os
import stat
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import BinaryIO, cast

from ...schemas import Rejected
from ...schemas.errors import SourceError
from .archive_source import ArchiveMember, ArchiveSource, Opener, open_archive, packed_chunks, sort_in
from .decompression import Chunks, inflate, maybe_gunzip, stream_of, unbzip
from .limits import Budget, Limits
from .member_names import is_bookkeeping, unsafe_name
from .zip_directory import MAGICS, DamagedError, ZipEntry, data_start, read_entries

STORED, DEFLATED, BZIPPED = 0, 8, 12


def is_zip(head: bytes) -> bool:
    """Return whether a file that begins with these bytes is a zip archive."""
    return head.startswith(MAGICS)


@dataclass(frozen=True, slots=True)
class ZipMember(ArchiveMember[ZipEntry]):
    """One file of an archive."""

    def budget_inside(self) -> Budget:
        """Return the budget for an archive inside this member: its compression ratio is that of both archives together."""
        return Budget(self._budget.limits, self.entry.compressed, self._budget, self.name)

    def in_place(self) -> Opener | None:
        """Return a function that opens the member seekable in place, if it is an archive stored without compression;
        otherwise None.

        Its own checksum is not compared; those of its members are.

        Raises:
            SourceError: it cannot be read, or shares its bytes with other members.
        """
        entry = self.entry
        if entry.method != STORED or entry.encrypted or entry.compressed != entry.size:
            return None
        with open_archive(self._opener, self.locator) as file:
            start = data_start(file, entry, self.locator)
            if start + entry.size > file.seek(0, os.SEEK_END):
                raise SourceError(f"{self.locator}: the archive is cut off", hint="copy or download it again")
            file.seek(start)
            if not is_zip(file.read(4)):
                return None
        self._budget.lend(self.name, entry.size, self.locator)
        return partial(_window, partial(open_archive, self._opener, self.locator), start, entry.size)

    def open(self) -> BinaryIO:
        """Return a stream of its bytes; raises SourceError here or while reading."""
        counted = self._budget.guard(
            _member_chunks(self.entry, self.locator, self._opener),
            self.name,
            self.locator,
            min(self.entry.compressed, self._budget.compressed),
        )
        inner = partial(
            self._budget.guard, name=f"{self.name}\0gz", locator=self.locator, compressed=self.entry.compressed
        )
        return stream_of(maybe_gunzip(counted, self.locator, inner))


def open_zip(
    opener: Opener, name: str, locator: str, limits: Limits, held: int = 0, budget: Budget | None = None
) -> ArchiveSource:
    """Read the directory of an archive.

    Args:
        opener: opens it.
        name: its own.
        locator: for messages.
        limits: what it may cost.
        held: bytes of memory that it takes.
        budget: where it is counted, when it lies in another archive.

    Raises:
        SourceError: there is none, or nothing in it can be used.
    """
    rejected: list[Rejected] = []
    entries: dict[str, ZipEntry] = {}
    with open_archive(opener, locator) as file:
        size = file.seek(0, os.SEEK_END)
        try:
            rejected.extend(sort_in(read_entries(file, locator), partial(_sort_in, entries, limits), limits, locator))
        except DamagedError:
            if not entries:
                raise
            rejected.append(Rejected(locator=locator, reason="the archive's directory is damaged; members are missing"))
    counted = budget or Budget(limits, size)
    members = tuple(ZipMember(entry, f"{locator}!{entry.name}", opener, counted) for entry in entries.values())
    return ArchiveSource(name, locator, members, tuple(rejected), held)


class _Window(io.RawIOBase):
    """A part of a file as a file of its own."""

    def __init__(self, file: BinaryIO, start: int, size: int) -> None:
        super().__init__()
        self._file = file
        self._start = start
        self._size = size
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        if base + offset < 0:
            raise ValueError("before the start")
        self._at = base + offset
        return self._at

    def readinto(self, buffer: object, /) -> int:
        view = memoryview(cast("bytearray", buffer)).cast("B")
        wanted = max(0, min(len(view), self._size - self._at))
        if not wanted:
            return 0
        self._file.seek(self._start + self._at)
        data = self._file.read(wanted)
        view[: len(data)] = data
        self._at += len(data)
        return len(data)

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()


def _window(opener: Opener, start: int, size: int) -> BinaryIO:
    return cast("BinaryIO", io.BufferedReader(_Window(opener(), start, size)))


def _sort_in(entries: dict[str, ZipEntry], limits: Limits, entry: ZipEntry) -> str:
    """Keep a member that can be read; returns why another is refused, or nothing."""
    if entry.is_folder or is_bookkeeping(entry.name):
        return ""
    reason = unsafe_name(entry.name, limits)
    if reason:
        return reason
    if entry.file_type not in (0, stat.S_IFREG):
        return "" if entry.file_type == stat.S_IFDIR else "a link or a device, not a file"
    if entry.name in entries:
        return "the archive holds another member of this name"
    entries[entry.name] = entry
    return ""


def _member_chunks(entry: ZipEntry, locator: str, opener: Opener) -> Chunks:
    """Yield the unpacked bytes of a member; its checksum and size are compared after the last one."""
    if entry.encrypted:
        raise SourceError(f"{locator}: encrypted", hint="unpack it with its password and read the folder")
    unpack = _UNPACKERS.get(entry.method)
    if unpack is None:
        raise SourceError(
            f"{locator}: packed by a method that memd does not know ({entry.method})", hint="pack it again as plain zip"
        )
    crc = size = 0
    with open_archive(opener, locator) as file:
        packed = packed_chunks(file, data_start(file, entry, locator), entry.compressed, locator)
        for chunk in unpack(packed, locator):
            size += len(chunk)
            crc = zlib.crc32(chunk, crc)
            if size > entry.size:
                break
            yield chunk
    if crc != entry.crc or size != entry.size:
        raise SourceError(f"{locator}: damaged, its checksum differs", hint="copy or download the archive again")


def _stored(chunks: Iterator[bytes], _locator: str) -> Chunks:
    yield from chunks


_UNPACKERS: dict[int, Callable[[Iterator[bytes], str], Chunks]] = {
    STORED: _stored,
    DEFLATED: inflate,
    BZIPPED: unbzip,
}
