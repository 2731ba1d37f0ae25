"""Scans a folder and selects the files to read: new or changed, and complete. Nothing is changed on disk."""

from __future__ import annotations

import errno
import hashlib
import mimetypes
import os
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...connectors.errors import AbsentFolderError
from ...connectors.opening.open_source import FileMember, open_source
from ...schemas import Rejected
from .repository import FileState

SAME_NAME = "another file here has the same name but for bytes that are no text; rename one of them"
ATTEMPTS = 3
"""The number of attempts to read a file that fails for a reason that may pass; a changed file starts again at zero."""
_ATTACHMENT_TYPES = ("image/", "audio/", "video/", "font/", "application/pdf", "application/vnd.", "application/msword")
"""The media types of attachments: files beside a chat or a note that are not exports themselves."""
_ATTACHMENT_ENDINGS = frozenset(
    {
        "webp",
        "opus",
        "amr",
        "aac",
        "m4a",
        "heic",
        "heif",
        "avif",
        "vcf",
        "rtf",
        "xlsx",
        "pptx",
        "odt",
        "ods",
    }
    | {"thumb", "enc", "was", "crypt12", "crypt14", "crypt15", "apk", "tgs"}
)
"""The suffixes of further attachments, which Python's table of types lacks in some versions."""
_READ_ENDINGS = frozenset({"pdf", "docx", "epub"})
"""The suffixes of files that are exports although their media types are those of attachments."""
_NOTES = (".md", ".markdown")
_UNFINISHED = (".part", ".partial", ".crdownload", ".download", ".filepart", ".tmp", ".opdownload", ".!ut")
_UNFINISHED_PREFIXES = (".~", "~$", ".syncthing.", ".goutputstream-", ".rsync-", ".dropbox.")
_BLOCK = 1024 * 1024


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file in the folder, as the scan saw it."""

    path: str
    """The path relative to the folder, with ``/``."""
    size: int
    modified_ns: int
    inode: int
    real: str
    """The path to open; differs from ``path`` if the name is not valid text."""

    @property
    def key(self) -> bytes:
        """The key of the file's stored state."""
        return path_key(self.path)

    @property
    def is_attachment(self) -> bool:
        """Return whether the name is that of an attachment: a picture, a sound, a film."""
        return names_attachment(self.path)

    @property
    def is_hidden(self) -> bool:
        """Return whether the file or a folder above it is hidden: settings, caches and bins of programs."""
        return any(part.startswith(".") for part in self.path.split("/"))

    @property
    def is_unfinished(self) -> bool:
        """Return whether the name shows that a program is still writing the file and will rename it."""
        name = self.path.rpartition("/")[2].lower()
        return name.endswith(_UNFINISHED) or name.startswith(_UNFINISHED_PREFIXES)


@dataclass(frozen=True, slots=True)
class FolderScan:
    """The result of one scan of a folder."""

    files: Mapping[str, FoundFile]
    refused: tuple[Rejected, ...] = ()
    """The entries that are not read: links that lead out of the folder, pipes, files beyond the limit."""


@dataclass(frozen=True, slots=True)
class ReadPlan:
    """The files to read, and the known files that are gone."""

    changed: tuple[FoundFile, ...] = ()
    """The exports that are new, changed, or failed earlier for a reason that may pass."""
    gone: tuple[bytes, ...] = ()
    """The keys of known files that no longer exist. Their documents stay stored."""


def names_attachment(path: str) -> bool:
    """Return whether a path is that of an attachment: a picture, a sound, a film or another file that is no export
    itself.
    """
    ending = path.lower().rpartition(".")[2]
    if ending in _READ_ENDINGS:
        return False
    return ending in _ATTACHMENT_ENDINGS or (mimetypes.guess_type(path)[0] or "").startswith(_ATTACHMENT_TYPES)


def path_key(path: str) -> bytes:
    """Return a hash of a path relative to the folder."""
    return hashlib.sha256(os.fsencode(path)).digest()[:16]


def scan_folder(root: Path) -> FolderScan:
    """Scan a folder, as `memd ingest` would read it.

    Raises:
        AbsentFolderError: it is not there, or cannot be listed.
    """
    try:
        if not stat.S_ISDIR(root.stat().st_mode):
            raise AbsentFolderError(f"{root}: not a folder", hint="`memd sources` shows what is configured")
        os.listdir(root)  # noqa: PTH208 - the error that matters: a folder that may not be listed
    except OSError as error:
        reason = error.strerror or "cannot be read"
        raise AbsentFolderError(f"{root}: {reason}", hint="is it mounted, and may memd read it?") from error
    source = open_source(root)
    files: dict[str, FoundFile] = {}
    alike: list[Rejected] = []
    for member in source.members():
        if isinstance(member, FileMember):
            try:
                now = os.stat(member.path)  # noqa: PTH116 - the path is a text
            except OSError:
                continue  # deleted since it was listed
            file = FoundFile(member.name, now.st_size, now.st_mtime_ns, now.st_ino, member.path)
            if file.is_unfinished or file.is_hidden:
                continue
            if files.setdefault(file.path, file) is not file:
                # The number gives it a state of its own: by its name alone it would replace the file that is read.
                alike.append(Rejected(locator=f"{member.locator} ({len(alike) + 2})", reason=SAME_NAME))
    refused = (each for each in source.notices() if isinstance(each, Rejected) and not _is_deleted(each))
    return FolderScan(files, (*refused, *alike))


def _is_deleted(refused: Rejected) -> bool:
    """Return whether a file is refused because it was deleted while its folder was listed."""
    return refused.reason == os.strerror(errno.ENOENT) and not os.path.lexists(refused.locator)


def plan_reads(scan: FolderScan, states: Mapping[bytes, FileState], *, again: bool = False) -> ReadPlan:
    """Return the files to read, by size and modification time alone (`digest_of` then finds files of unchanged
    content). With ``again`` all files are due.
    """
    changed = [file for file in scan.files.values() if not file.is_attachment and (again or _is_due(file, states))]
    there = {file.key for file in scan.files.values()}
    return ReadPlan(tuple(changed), tuple(key for key in states if key not in there))


def _is_due(file: FoundFile, states: Mapping[bytes, FileState]) -> bool:
    before = states.get(file.key)
    if before is None or (before.size, before.modified_ns) != (file.size, file.modified_ns):
        return True
    return bool(before.reason) and before.attempts < ATTEMPTS


class Attachments:
    """The attachments of a folder, grouped by the subfolders that contain them."""

    def __init__(self, scan: FolderScan) -> None:
        self._by_folder: dict[str, list[str]] = {}
        for each in scan.files.values():
            if each.is_attachment:
                self._by_folder.setdefault(each.path.rpartition("/")[0], []).append(each.path)

    def beside(self, file: FoundFile) -> list[str]:
        """Return the attachments in the folder of an export and below it: its chats may name them."""
        export_folder = file.path.rpartition("/")[0]
        return [path for folder, paths in self._by_folder.items() if _lies_in(folder, export_folder) for path in paths]


def _lies_in(folder: str, other: str) -> bool:
    return not other or folder == other or folder.startswith(f"{other}/")


def digest_of(file: FoundFile) -> bytes:
    """Return the SHA-256 of a file's content; for a note, of its path and content, because a copy is another note.

    Raises:
        OSError: it cannot be read.
    """
    return digests_of(file, [file.key if file.path.lower().endswith(_NOTES) else b""])[0]


def digests_of(file: FoundFile, beginnings: Sequence[bytes]) -> list[bytes]:
    """Return the SHA-256 of each of these beginnings with the file's content behind it.

    Raises:
        OSError: it cannot be read.
    """
    digests = [hashlib.sha256(each) for each in beginnings]
    # Since the folder was listed, the file may have been replaced by a pipe, which would block forever, or by a link.
    descriptor = os.open(file.real, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as stream:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "is not a file any more")
        while block := stream.read(_BLOCK):
            for digest in digests:
                digest.update(block)
    return [digest.digest() for digest in digests]
