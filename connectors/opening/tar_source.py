"""Tar archives as sources, plain or in gzip: members are streamed, checked and capped; nothing is unpacked to the disk."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import BinaryIO

from ...schemas import Rejected
from ...schemas.errors import SourceError
from ..connector import Member
from .archive_source import ArchiveMember, ArchiveSource, Opener, open_archive, packed_chunks, sort_in
from .decompression import Chunks, maybe_gunzip, stream_of
from .limits import Budget, Limits
from .member_names import is_bookkeeping, unsafe_name
from .tar_directory import TarEntry, read_entries
from .zip_directory import DamagedError


@dataclass(frozen=True, slots=True)
class TarMember(ArchiveMember[TarEntry]):
    """One file of an archive."""

    def budget_inside(self) -> Budget:
        """Return the budget for an archive inside this member."""
        return Budget(self._budget.limits, self.entry.size, self._budget, self.name)

    def open(self) -> BinaryIO:
        """Return a stream of its bytes; raises SourceError here or while reading."""
        inner = partial(self._budget.guard, name=self.name, locator=self.locator, compressed=self.entry.size)
        return stream_of(maybe_gunzip(self._chunks(), self.locator, inner))

    def _chunks(self) -> Chunks:
        with open_archive(self._opener, self.locator) as file:
            yield from packed_chunks(file, self.entry.start, self.entry.size, self.locator)


def open_tar(opener: Opener, name: str, locator: str, limits: Limits, budget: Budget, held: int = 0) -> ArchiveSource:
    """Read the directory of an archive, which means to go through all of it.

    Args:
        opener: opens it.
        name: its own.
        locator: for messages.
        limits: what it may cost.
        budget: where what lies in it is counted.
        held: bytes of memory that it takes.

    Raises:
        SourceError: nothing in it can be used.
    """
    rejected: list[Rejected] = []
    entries: dict[str, TarEntry] = {}
    with open_archive(opener, locator) as file:
        try:
            rejected.extend(sort_in(read_entries(file, locator), partial(_sort_in, entries, limits), limits, locator))
        except (SourceError, OSError, OverflowError, ValueError) as error:
            if not entries:
                raise error if isinstance(error, SourceError) else DamagedError(f"{locator}: cannot be read") from error
            rejected.append(Rejected(locator=locator, reason="the archive is damaged or cut off; members are missing"))
    members: tuple[Member, ...] = tuple(
        TarMember(entry, f"{locator}!{entry.name}", opener, budget) for entry in entries.values()
    )
    return ArchiveSource(name, locator, members, tuple(rejected), held)


def _sort_in(entries: dict[str, TarEntry], limits: Limits, entry: TarEntry) -> str:
    """Add a member that can be read; return the reason for refusing another, or nothing. Of equal names the last
    counts, as for programs that unpack the archive.
    """
    if entry.kind == "folder" or is_bookkeeping(entry.name):
        return ""
    if reason := unsafe_name(entry.name, limits):
        return reason
    if entry.kind != "file":
        return "a link or a device, not a file"
    entries[entry.name] = entry
    return ""
