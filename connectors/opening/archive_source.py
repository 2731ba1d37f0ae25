"""An archive of any kind whose directory was read: its files as members."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...schemas import Notice, Rejected
from ..connector import Member


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


PACKAGES = frozenset({"mimetype", "[Content_Types].xml", "META-INF/MANIFEST.MF", "AndroidManifest.xml"})
"""Members that formats demand whose files are archives: ODF and EPUB, OOXML, JAR, APK."""


def is_package(source: ArchiveSource) -> bool:
    """Return whether an archive is one file of a program: an office document, a book, a program."""
    return any(member.name in PACKAGES for member in source.members())
