"""Tar archives as sources, plain or in gzip: members are streamed, checked and capped; nothing is unpacked to the disk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import BinaryIO

from ...schemas import Rejected
from ...schemas.errors import SourceError
from ..connector import Member
from .archive_source import ArchiveSource
from .decompression import CHUNK, Chunks, maybe_gunzip, stream_of
from .limits import Budget, Limits
from .member_names import is_bookkeeping, shown, unsafe_name
from .tar_directory import TarEntry, read_entries
from .zip_directory import DamagedError

Opener = Callable[[], BinaryIO]
"""Opens the archive without its gzip, seekable, from its start; the caller closes it."""


@dataclass(frozen=True, slots=True)
class TarMember:
    """One file of an archive."""

    entry: TarEntry
    locator: str
    _opener: Opener = field(repr=False)
    _budget: Budget = field(repr=False)

    @property
    def name(self) -> str:
        """Return the path inside the archive."""
        return self.entry.name

    @property
    def size(self) -> int | None:
        """Return the size that the archive states."""
        return self.entry.size

    def budget_inside(self) -> Budget:
        """Return the budget for an archive inside this member."""
        return Budget(self._budget.limits, self.entry.size, self._budget, self.name)

    def open(self) -> BinaryIO:
        """Return a stream of its bytes; raises SourceError here or while reading."""
        inner = partial(self._budget.guard, name=self.name, locator=self.locator, compressed=self.entry.size)
        return stream_of(maybe_gunzip(self._chunks(), self.locator, inner))

    def _chunks(self) -> Chunks:
        with opened(self._opener, self.locator) as file:
            try:
                file.seek(self.entry.start)
                left = self.entry.size
                while left:
                    chunk = file.read(min(CHUNK, left))
                    if not chunk:
                        raise SourceError(f"{self.locator}: the archive is cut off", hint="copy or download it again")
                    left -= len(chunk)
                    yield chunk
            except (OSError, OverflowError, ValueError) as error:  # seeking to nonsense
                raise SourceError(f"{self.locator}: cannot be read") from error


def opened(opener: Opener, locator: str) -> BinaryIO:
    """Return the archive.

    Raises:
        SourceError: it cannot be opened.
    """
    try:
        return opener()
    except OSError as error:
        raise SourceError(f"{locator}: {error.strerror or 'cannot be read'}") from error


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
    with opened(opener, locator) as file:
        try:
            for count, entry in enumerate(read_entries(file, locator)):
                if count >= limits.members:
                    rejected.append(Rejected(locator=locator, reason=f"more than {limits.members} members"))
                    break
                if reason := _sort_in(entry, entries, limits):
                    rejected.append(Rejected(locator=f"{locator}!{shown(entry.name)}", reason=reason))
        except (SourceError, OSError, OverflowError, ValueError) as error:
            if not entries:
                raise error if isinstance(error, SourceError) else DamagedError(f"{locator}: cannot be read") from error
            rejected.append(Rejected(locator=locator, reason="the archive is damaged or cut off; members are missing"))
    members: tuple[Member, ...] = tuple(
        TarMember(entry, f"{locator}!{entry.name}", opener, budget) for entry in entries.values()
    )
    return ArchiveSource(name, locator, members, tuple(rejected), held)


def _sort_in(entry: TarEntry, entries: dict[str, TarEntry], limits: Limits) -> str:
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
