"""Opens a path of the user: a file, a folder, an archive, or standard input. Formats are decided elsewhere."""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import BinaryIO, cast

from ...schemas import Notice, Rejected
from ...schemas.errors import SourceError
from ..connector import Member, Source
from .archive_source import ArchiveSource, is_package
from .decompression import CHUNK, Chunks, file_chunks, maybe_gunzip, stream_of
from .gzip_seek import GzipCheckpoints, SeekableGzip
from .limits import DEFAULT_LIMITS, Budget, Limits
from .member_names import is_bookkeeping, readable_name, shown, unsafe_name
from .tar_directory import BLOCK, is_tar
from .tar_source import TarMember, open_tar
from .zip_source import ZipMember, is_zip, open_zip

STDIN = "-"


@dataclass(frozen=True, slots=True)
class FileMember:
    """A plain file, or the content of a gzip file."""

    name: str
    locator: str
    size: int | None
    path: str = field(repr=False)
    limits: Limits = field(default=DEFAULT_LIMITS, repr=False)

    def open(self) -> BinaryIO:
        """Return a stream of its bytes; raises SourceError here or while reading."""
        packed = self.size or 0
        guard = Budget(self.limits, packed).guard
        unpacked = partial(guard, name=self.name, locator=self.locator, compressed=packed)
        return stream_of(maybe_gunzip(file_chunks(self.path, self.locator), self.locator, unpacked))


@dataclass(frozen=True, slots=True)
class StreamMember:
    """Standard input. Its beginning is kept, so that it can be opened again until that much has been read."""

    name: str
    locator: str
    _tape: _RewindableHead = field(repr=False)
    _limits: Limits = field(repr=False)

    @property
    def size(self) -> int | None:
        """Unknown."""
        return None

    def open(self) -> BinaryIO:
        """Return a stream from the start; raise SourceError if the start is no longer available."""
        guard = Budget(self._limits, 0).guard
        # The input's size is not known beforehand, so only the caps on bytes apply, not the ratio.
        unpacked = partial(guard, name=self.name, locator=self.locator, compressed=self._limits.total_bytes)
        return stream_of(maybe_gunzip(self._tape.chunks(), self.locator, unpacked))


class _RewindableHead:
    """A stream that can only be read forward, with its first bytes remembered."""

    def __init__(self, stream: BinaryIO, keep: int) -> None:
        self._stream = stream
        self._keep = keep
        self._head: list[bytes] = []
        self._kept = 0
        self._gone = False

    def chunks(self) -> Chunks:
        """Yield all bytes from the first on."""
        if self._gone:
            raise SourceError(
                "standard input was read already and cannot be rewound", hint="save it to a file and read that"
            )
        place = 0
        while True:
            while place < len(self._head):
                chunk = self._head[place]
                place += 1
                yield chunk
            if self._gone and place == len(self._head):
                break
            chunk = self._next()
            if not chunk:
                return
            if self._kept + len(chunk) > self._keep:
                self._gone = True
                self._head.clear()
                yield chunk
                break
            self._head.append(chunk)
            self._kept += len(chunk)
        while chunk := self._next():
            yield chunk

    def _next(self) -> bytes:
        try:
            if isinstance(self._stream, io.BufferedIOBase):
                return self._stream.read1(CHUNK)  # what is there now: a slow producer is followed line by line
            return self._stream.read(CHUNK)
        except (OSError, ValueError) as error:
            raise SourceError("standard input cannot be read") from error


@dataclass(frozen=True, slots=True)
class OpenedSource:
    """A source whose members were listed."""

    name: str
    locator: str
    _members: tuple[Member, ...]
    _notices: tuple[Notice | Rejected, ...] = ()

    def members(self) -> Sequence[Member]:
        """Return everything readable, in a stable order."""
        return self._members

    def notices(self) -> Sequence[Notice | Rejected]:
        """Return the members that were refused while listing."""
        return self._notices


def open_source(path: str | Path, limits: Limits = DEFAULT_LIMITS, stdin: BinaryIO | None = None) -> Source:
    """Open a file, a folder, an archive (zip, tar) or, for ``-``, standard input (or ``stdin``).

    A gzip file is read as what it holds. Types are told by content, never by name.

    Raises:
        SourceError: there is no such thing, or it is neither a file nor a folder, or the archive is unreadable.
    """
    if str(path) == STDIN:
        tape = _RewindableHead(stdin if stdin is not None else _unbuffered_stdin(), limits.replay_bytes)
        return OpenedSource(STDIN, STDIN, (StreamMember(STDIN, STDIN, tape, limits),))
    file_name = os.fspath(path)
    locator = readable_name(file_name)
    try:
        name = readable_name(Path(file_name).resolve().name)
        status = Path(file_name).stat()
    except (OSError, ValueError, RuntimeError) as error:  # a NUL in the path; links in a circle
        reason = error.strerror if isinstance(error, OSError) else None
        raise SourceError(f"{locator}: {reason or 'no such file'}", hint="check the path") from error
    if stat.S_ISDIR(status.st_mode):
        return _open_folder(file_name, name, locator, limits)
    if not stat.S_ISREG(status.st_mode):
        raise SourceError(f"{locator}: neither a file nor a folder", hint="use - to read from standard input")
    member = FileMember(name, locator, status.st_size, file_name, limits)
    archive = open_inside(member, limits)
    if archive is None or is_package(archive):  # a text of an office, a book: one file of a format
        return OpenedSource(name, locator, (member,))
    return archive


def _unbuffered_stdin() -> BinaryIO:
    """Return standard input without its buffer: a thread that waits in the buffer when the process ends would hold its
    lock, and the interpreter would abort with SIGABRT.
    """
    buffered = sys.stdin.buffer
    return cast("BinaryIO", getattr(buffered, "raw", buffered))


def is_archive(head: bytes) -> bool:
    """Return whether a file that begins with these bytes is an archive. A tar archive shows it in its first 512 bytes."""
    return is_zip(head) or is_tar(head)


def open_inside(member: Member, limits: Limits, depth: int = 0) -> ArchiveSource | None:
    """Return the archive in a member, or None. ``depth`` counts the archives around it.

    Raises:
        SourceError: it is an archive, but damaged, too large to be held in memory, or nested too deep.
    """
    with member.open() as stream:
        head = stream.read(BLOCK)
    if not is_archive(head):
        return None
    if depth >= limits.depth:
        raise SourceError(f"{member.locator}: an archive inside too many archives", hint="unpack the outer one")
    name = member.name.rsplit("/", 1)[-1]
    if isinstance(member, FileMember):
        if opener := _file_opener(member, head, limits):
            if is_zip(head):
                return open_zip(opener, name, member.locator, limits)
            return open_tar(opener, name, member.locator, limits, Budget(limits, member.size or 0))
    elif isinstance(member, StreamMember):
        raise SourceError("an archive cannot be read from standard input", hint="save it to a file and read that")
    budget = member.budget_inside() if isinstance(member, ZipMember | TarMember) else None
    if is_zip(head) and isinstance(member, ZipMember) and (opener := member.in_place()):
        return open_zip(opener, name, member.locator, limits, budget=budget)
    with member.open() as stream:
        data = stream.read(limits.nested_bytes + 1)
    if len(data) > limits.nested_bytes:
        raise SourceError(f"{member.locator}: an archive in an archive, too large", hint="unpack the outer one")
    held = partial(io.BytesIO, data)
    if is_zip(head):
        return open_zip(held, name, member.locator, limits, len(data), budget)
    return open_tar(held, name, member.locator, limits, budget or Budget(limits, len(data)), len(data))


def _file_opener(member: FileMember, head: bytes, limits: Limits) -> Callable[[], BinaryIO] | None:
    """Opens the archive that a file is, seekable; None for a zip inside of a gzip file, which is held in memory."""
    if _begins_with(member, head):
        return partial(open, member.path, "rb")
    if is_zip(head):
        return None
    checkpoints, budget = GzipCheckpoints(), Budget(limits, member.size or 0)

    def count(unpacked: int) -> None:
        budget.check(member.name, unpacked, member.locator, member.size or 0)

    def opener() -> BinaryIO:
        file = open(member.path, "rb")  # noqa: PTH123, SIM115 - the caller closes what is around it
        return cast("BinaryIO", io.BufferedReader(SeekableGzip(file, member.locator, checkpoints, count), CHUNK))

    return opener


def _begins_with(member: FileMember, head: bytes) -> bool:
    """Return whether the file itself begins with these bytes, and not only its unpacked content (a zip in a gz)."""
    with stream_of(file_chunks(member.path, member.locator)) as stream:
        return stream.read(len(head)) == head


def _open_folder(root: str, name: str, locator: str, limits: Limits) -> OpenedSource:
    members: list[Member] = []
    notices: list[Notice | Rejected] = []
    prefix = locator.rstrip("/") or locator
    for entry in _walk(root, "", limits, Path(root).resolve()):
        if isinstance(entry, _Link):
            notices.append(Notice(code="link-left-out", locator=f"{prefix}/{shown(entry.path)}", hint=LINK))
        elif isinstance(entry, _Refused):
            notices.append(Rejected(locator=f"{prefix}/{shown(entry.path)}", reason=entry.reason))
        elif len(members) >= limits.members:
            notices.append(Rejected(locator=locator, reason=f"more than {limits.members} files"))
            break
        else:
            members.append(FileMember(entry.path, f"{prefix}/{entry.path}", entry.size, entry.real, limits))
    return OpenedSource(name, locator, tuple(members), tuple(notices))


LINK = "a link: what it leads to lies in the folder, too, and is read there"
"""The reason why a link is left out."""


@dataclass(frozen=True, slots=True)
class _Found:
    path: str
    real: str
    size: int


@dataclass(frozen=True, slots=True)
class _Link:
    path: str


@dataclass(frozen=True, slots=True)
class _Refused:
    path: str
    reason: str


def _walk(folder: str, above: str, limits: Limits, root: Path) -> Iterator[_Found | _Link | _Refused]:
    """Yield files and links below a folder, by name. Links are not followed: a target inside the folder is found
    anyway.
    """
    try:
        with os.scandir(folder) as entries:
            listed = sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        yield _Refused(above or ".", error.strerror or "cannot be read")
        return
    for entry in listed:
        path = above + readable_name(entry.name)
        if is_bookkeeping(path):
            continue
        try:
            mode = entry.stat(follow_symlinks=False)
            if stat.S_ISLNK(mode.st_mode):
                target = Path(entry.path).resolve()
                inside = target.is_relative_to(root) and target.exists()
                yield _Link(path) if inside else _Refused(path, "a link that leads out of the folder, or nowhere")
                continue
        except (OSError, RuntimeError) as error:  # RuntimeError: links in a circle
            yield _Refused(path, getattr(error, "strerror", "") or "cannot be read")
            continue
        if stat.S_ISDIR(mode.st_mode):
            if path.count("/") + 1 >= limits.folder_depth:
                yield _Refused(path, f"more than {limits.folder_depth} folders deep")
            else:
                yield from _walk(entry.path, f"{path}/", limits, root)
        elif not stat.S_ISREG(mode.st_mode):
            yield _Refused(path, "a pipe, a socket or a device, not a file")
        elif reason := unsafe_name(path, limits):
            yield _Refused(path, reason)
        else:
            yield _Found(path, entry.path, mode.st_size)
