"""What lies in a folder, and what of it is to be read: files that are new or changed and complete. Nothing is changed here."""

from __future__ import annotations

import errno
import hashlib
import mimetypes
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ...connectors import open_source
from ...connectors.errors import AbsentFolderError
from ...connectors.opening.open_source import FileMember
from ...schemas import Rejected
from .repository import FileState

SAME_NAME = "another file here has the same name but for bytes that are no text; rename one of them"
ATTEMPTS = 3
"""How often a file is tried that could not be read for a reason that may pass; a changed file begins anew."""
_ATTACHMENT_TYPES = ("image/", "audio/", "video/", "font/", "application/pdf", "application/vnd.", "application/msword")
"""What lies beside a chat or a note and is no export by itself."""
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
"""The same, where Python's table of types is too old, or has none."""
_READ_ENDINGS = frozenset({"pdf", "docx", "epub"})
"""Of files that are exports of their own, though their types are those of attachments."""
_NOTES = (".md", ".markdown")
_UNFINISHED = (".part", ".partial", ".crdownload", ".download", ".filepart", ".tmp", ".opdownload", ".!ut")
_UNFINISHED_PREFIXES = (".~", "~$", ".syncthing.", ".goutputstream-", ".rsync-", ".dropbox.")
_BLOCK = 1024 * 1024


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file of the folder as it is now."""

    path: str
    """Inside the folder, with ``/``."""
    size: int
    modified_ns: int
    inode: int
    real: str
    """Where it is; differs from ``path`` where its name is no valid text."""

    @property
    def key(self) -> bytes:
        """By which it is remembered."""
        return path_key(self.path)

    @property
    def is_attachment(self) -> bool:
        """Whether its name says that it is a picture, a sound or a film."""
        return names_attachment(self.path)

    @property
    def is_hidden(self) -> bool:
        """Whether it, or a folder that it is in, is hidden: settings of programs, their caches and bins."""
        return any(part.startswith(".") for part in self.path.split("/"))

    @property
    def is_unfinished(self) -> bool:
        """Whether its name says that a program is still writing it, and will rename it."""
        name = self.path.rpartition("/")[2].lower()
        return name.endswith(_UNFINISHED) or name.startswith(_UNFINISHED_PREFIXES)


@dataclass(frozen=True, slots=True)
class FolderScan:
    """A look at a folder."""

    files: Mapping[str, FoundFile]
    refused: tuple[Rejected, ...] = ()
    """What is not looked at: links that lead out, pipes, more files than the limit."""


@dataclass(frozen=True, slots=True)
class ReadPlan:
    """What is to be done about a folder."""

    changed: tuple[FoundFile, ...] = ()
    """Exports that are new, differ from what was read, or could not be read for a reason that may pass."""
    gone: tuple[bytes, ...] = ()
    """Keys of known files that are there no more. What was read of them stays."""


def names_attachment(path: str) -> bool:
    """Whether a path says that its file is a picture, a sound, a film or what else is no export by itself."""
    ending = path.lower().rpartition(".")[2]
    if ending in _READ_ENDINGS:
        return False
    return ending in _ATTACHMENT_ENDINGS or (mimetypes.guess_type(path)[0] or "").startswith(_ATTACHMENT_TYPES)


def path_key(path: str) -> bytes:
    """A hash of a path inside a folder."""
    return hashlib.sha256(os.fsencode(path)).digest()[:16]


def scan_folder(root: Path) -> FolderScan:
    """Look at everything in a folder, as `memd ingest` would read it.

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
                continue  # it went between two looks
            found = FoundFile(member.name, now.st_size, now.st_mtime_ns, now.st_ino, member.path)
            if found.is_unfinished or found.is_hidden:
                continue
            if files.setdefault(found.path, found) is not found:
                # Numbered, for a state of its own: by its name it would be the file that is read.
                alike.append(Rejected(locator=f"{member.locator} ({len(alike) + 2})", reason=SAME_NAME))
    refused = (each for each in source.notices() if isinstance(each, Rejected))
    return FolderScan(files, (*refused, *alike))


def plan_reads(scan: FolderScan, known: Mapping[bytes, FileState], *, again: bool = False) -> ReadPlan:
    """What of a folder is to be read, by size and time of change alone; `digest_of` tells what is the same all the same.
    With ``again`` everything.
    """
    changed = [found for found in scan.files.values() if not found.is_attachment and (again or _is_due(found, known))]
    there = {found.key for found in scan.files.values()}
    return ReadPlan(tuple(changed), tuple(key for key in known if key not in there))


def _is_due(found: FoundFile, known: Mapping[bytes, FileState]) -> bool:
    before = known.get(found.key)
    if before is None or (before.size, before.modified_ns) != (found.size, found.modified_ns):
        return True
    return bool(before.reason) and before.attempts < ATTEMPTS


class Attachments:
    """Pictures, sounds and films of a folder, by the folders in it that they lie in."""

    def __init__(self, scan: FolderScan) -> None:
        self._by_folder: dict[str, list[str]] = {}
        for each in scan.files.values():
            if each.is_attachment:
                self._by_folder.setdefault(each.path.rpartition("/")[0], []).append(each.path)

    def beside(self, found: FoundFile) -> list[str]:
        """Those in the folder of an export and below: a chat names them."""
        own = found.path.rpartition("/")[0]
        return [path for folder, paths in self._by_folder.items() if _lies_in(folder, own) for path in paths]


def _lies_in(folder: str, other: str) -> bool:
    return not other or folder == other or folder.startswith(f"{other}/")


def digest_of(found: FoundFile) -> bytes:
    """SHA-256 of a file's content; of a note also of its path, which is its identity: a copy is another note.

    Raises:
        OSError: it cannot be read.
    """
    digest = hashlib.sha256(found.key if found.path.lower().endswith(_NOTES) else b"")
    # What lay there when the folder was listed may be a pipe by now, which would be waited for without end, or a link.
    descriptor = os.open(found.real, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as stream:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "is not a file any more")
        while block := stream.read(_BLOCK):
            digest.update(block)
    return digest.digest()
