"""Zip archives as sources: members are streamed, checked and capped; nothing is ever unpacked to the disk."""

from __future__ import annotations

import os
import stat
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import BinaryIO

from ..schemas import Notice, Rejected
from ..schemas.errors import SourceError
from .connector import Member
from .limits import Budget, Limits
from .names import is_bookkeeping, shown, unsafe_name
from .streams import CHUNK, Chunks, inflate, maybe_gunzip, stream_of, unbzip
from .zipdirectory import MAGICS, DamagedError, Entry, data_start, read_entries

STORED, DEFLATED, BZIPPED = 0, 8, 12

Opener = Callable[[], BinaryIO]
"""Opens the archive itself, seekable, from its start; the caller closes it."""


def is_zip(head: bytes) -> bool:
    """Whether a file that begins like this is a zip archive."""
    return head.startswith(MAGICS)


@dataclass(frozen=True, slots=True)
class ZipMember:
    """One file of an archive."""

    entry: Entry
    locator: str
    _opener: Opener = field(repr=False)
    _budget: Budget = field(repr=False)

    @property
    def name(self) -> str:
        """Its path inside the archive."""
        return self.entry.name

    @property
    def size(self) -> int | None:
        """What the archive claims."""
        return self.entry.size

    def open(self) -> BinaryIO:
        """A stream of its bytes; raises SourceError here or while reading."""
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


@dataclass(frozen=True, slots=True)
class ZipSource:
    """An archive; its directory was read once, its members are read on demand."""

    name: str
    locator: str
    _members: tuple[ZipMember, ...]
    _notices: tuple[Notice | Rejected, ...]
    held: int = 0
    """Bytes of memory that the archive itself takes, because it lies in another one."""

    def members(self) -> Sequence[Member]:
        """The files in it, in the order of the archive."""
        return self._members

    def notices(self) -> Sequence[Notice | Rejected]:
        """What was refused."""
        return self._notices


def open_zip(opener: Opener, name: str, locator: str, limits: Limits, held: int = 0) -> ZipSource:
    """Read the directory of an archive.

    Raises:
        SourceError: there is none, or nothing in it can be used.
    """
    rejected: list[Rejected] = []
    entries: dict[str, Entry] = {}
    try:
        file = opener()
    except OSError as error:
        raise SourceError(f"{locator}: {error.strerror or 'cannot be read'}") from error
    with file:
        size = file.seek(0, os.SEEK_END)
        try:
            for count, entry in enumerate(read_entries(file, locator)):
                if count >= limits.members:
                    rejected.append(Rejected(locator=locator, reason=f"more than {limits.members} members"))
                    break
                if reason := _sort_in(entry, entries, limits):
                    rejected.append(Rejected(locator=f"{locator}!{shown(entry.name)}", reason=reason))
        except DamagedError:
            if not entries:
                raise
            rejected.append(Rejected(locator=locator, reason="the archive's directory is damaged; members are missing"))
    budget = Budget(limits, size)
    members = tuple(ZipMember(entry, f"{locator}!{entry.name}", opener, budget) for entry in entries.values())
    return ZipSource(name, locator, members, tuple(rejected), held)


def _sort_in(entry: Entry, entries: dict[str, Entry], limits: Limits) -> str:
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


def _member_chunks(entry: Entry, locator: str, opener: Opener) -> Chunks:
    """The unpacked bytes of a member; its checksum and size are compared after the last one."""
    if entry.encrypted:
        raise SourceError(f"{locator}: encrypted", hint="unpack it with its password and read the folder")
    unpack = _UNPACKERS.get(entry.method)
    if unpack is None:
        raise SourceError(
            f"{locator}: packed by a method that memd does not know ({entry.method})", hint="pack it again as plain zip"
        )
    crc = size = 0
    try:
        file = opener()
    except OSError as error:
        raise SourceError(f"{locator}: {error.strerror or 'cannot be read'}") from error
    with file:
        for chunk in unpack(_packed(file, entry, locator), locator):
            size += len(chunk)
            crc = zlib.crc32(chunk, crc)
            if size > entry.size:
                break
            yield chunk
    if crc != entry.crc or size != entry.size:
        raise SourceError(f"{locator}: damaged, its checksum differs", hint="copy or download the archive again")


def _packed(file: BinaryIO, entry: Entry, locator: str) -> Iterator[bytes]:
    start = data_start(file, entry, locator)
    left = entry.compressed
    try:
        file.seek(start)
        while left:
            chunk = file.read(min(CHUNK, left))
            if not chunk:
                raise SourceError(f"{locator}: the archive is cut off", hint="copy or download it again")
            left -= len(chunk)
            yield chunk
    except (OSError, OverflowError, ValueError) as error:  # seeking to nonsense
        raise SourceError(f"{locator}: cannot be read") from error


def _stored(chunks: Iterator[bytes], _locator: str) -> Chunks:
    yield from chunks


_UNPACKERS: dict[int, Callable[[Iterator[bytes], str], Chunks]] = {
    STORED: _stored,
    DEFLATED: inflate,
    BZIPPED: unbzip,
}
