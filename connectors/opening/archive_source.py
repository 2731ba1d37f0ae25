"""An archive of any kind whose directory was read: its files as members."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO, Generic, TypeVar

from ...schemas import Notice, Rejected
from ...schemas.errors import SourceError
from ..connector import Member
from .decompression import CHUNK
from .limits import Budget, Limits
from .member_names import shown
from .tar_directory import TarEntry
from .zip_directory import ZipEntry

Opener = Callable[[], BinaryIO]
"""Opens the archive itself, without a gzip around it, seekable, from its start; the caller closes it."""
E = TypeVar("E", TarEntry, ZipEntry)
"""A member as the archive's directory has it."""


@dataclass(frozen=True, slots=True)
class ArchiveMember(Generic[E]):
    """One file of an archive."""

    entry: E
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


@dataclass(frozen=True, slots=True)
class ArchiveSource:
    """An archive; its members are read on demand."""

    name: str
    locator: str
    _members: tuple[Member, ...]
    _notices: tuple[Notice | Rejected, ...]
    held: int = 0
    """Bytes of memory that the archive itself takes, because it lies in another one."""

    def members(self) -> Sequence[Member]:
        """Return the files in the archive, in its order."""
        return self._members

    def notices(self) -> Sequence[Notice | Rejected]:
        """Return the refused members."""
        return self._notices


def open_archive(opener: Opener, locator: str) -> BinaryIO:
    """Return the archive.

    Raises:
        SourceError: it cannot be opened.
    """
    try:
        return opener()
    except OSError as error:
        raise SourceError(f"{locator}: {error.strerror or 'cannot be read'}") from error


def packed_chunks(file: BinaryIO, start: int, size: int, locator: str) -> Iterator[bytes]:
    """Yield the bytes of a member as the archive has them.

    Raises:
        SourceError: they end early, or cannot be read.
    """
    try:
        file.seek(start)
        while size:
            chunk = file.read(min(CHUNK, size))
            if not chunk:
                raise SourceError(f"{locator}: the archive is cut off", hint="copy or download it again")
            size -= len(chunk)
            yield chunk
    except (OSError, OverflowError, ValueError) as error:  # seeking to nonsense
        raise SourceError(f"{locator}: cannot be read") from error


def sort_in(entries: Iterable[E], sort: Callable[[E], str], limits: Limits, locator: str) -> Iterator[Rejected]:
    """Sort every entry of a directory in; yield the refused ones with the reason that ``sort`` returns, and the end of reading
    where there are too many.
    """
    for count, entry in enumerate(entries):
        if count >= limits.members:
            yield Rejected(locator=locator, reason=f"more than {limits.members} members")
            return
        if reason := sort(entry):
            yield Rejected(locator=f"{locator}!{shown(entry.name)}", reason=reason)


PACKAGES = frozenset({"mimetype", "[Content_Types].xml", "META-INF/MANIFEST.MF", "AndroidManifest.xml"})
"""Members that formats demand whose files are archives: ODF and EPUB, OOXML, JAR, APK."""


def is_package(source: ArchiveSource) -> bool:
    """Return whether an archive is one file of a program: an office document, a book, a program."""
    return any(member.name in PACKAGES for member in source.members())
