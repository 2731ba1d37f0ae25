"""A member that records its opening, and the checksum of the bytes read."""

from __future__ import annotations

import hashlib
import io
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Protocol, cast

from ...schemas.errors import SourceError
from ..connector import Member

_BLOCK = 1024 * 1024
COPY = "copy of a message that was read before"
"""The rule that leaves out repeated messages of an export."""


@dataclass(slots=True)
class ReadFile:
    """One file of an export."""

    path: str
    size: int | None
    sha256: str = ""
    """The digest of the bytes as they are read: for a file in an archive or in a gzip file, of the unpacked content.
    Empty: not known.
    """
    messages: int = 0
    """The number of messages in documents made from this file alone."""
    counted: int = 0
    """The number of messages that the reader counted, if documents are made from several files."""
    number: int = -1
    """The number of the file among those of its export; -1: it is none of them."""
    rejected: Counter[str] = field(default_factory=Counter[str])
    """The records of the file that could not be read, by reason."""
    left_out: Counter[str] = field(default_factory=Counter[str])
    """The records of the file that could be read and are in no document, by the rule that left them out."""
    role: str = ""
    """The role of a file without messages that lies beside those of the format."""
    used: bool = False
    """True if the reader needs the file, though it holds no messages."""
    opened: bool = False

    def complete(self, member: Member) -> None:
        """Compute the checksum, if the file was not read to its end; an unreadable file has none."""
        if self.sha256:
            return
        digest, size = hashlib.sha256(), 0
        try:
            with member.open() as stream:
                while block := stream.read(_BLOCK):
                    digest.update(block)
                    size += len(block)
        except SourceError:  # it was told while it was read
            return
        self.sha256, self.size = digest.hexdigest(), size

    def to_wire(self, messages: int | None) -> dict[str, Any]:
        """Return a JSON object, with the number of messages read from the file if that is known."""
        fields: dict[str, Any] = {"path": self.path}
        fields |= {} if self.size is None else {"size": self.size}
        fields |= {"sha256": self.sha256} if self.sha256 else {}
        fields |= {"rejected": dict(self.rejected)} if self.rejected else {}
        fields |= {"left_out": dict(self.left_out)} if self.left_out else {}
        fields |= {"role": self.role} if self.role else {}
        return fields if messages is None else fields | {"messages": messages}


class Opened(Protocol):
    """Wants to know which file was opened last."""

    opened_last: ReadFile | None


@dataclass(frozen=True, slots=True)
class TrackedMember:
    """A wrapper of a member that records the bytes read."""

    member: Member
    file: ReadFile = field(repr=False)
    log: Opened = field(repr=False)

    @property
    def name(self) -> str:
        """Return the member's name."""
        return self.member.name

    @property
    def locator(self) -> str:
        """Return the member's locator."""
        return self.member.locator

    @property
    def size(self) -> int | None:
        """Return the member's size in bytes."""
        return self.member.size

    def open(self) -> BinaryIO:
        """Return a stream from the start.

        Raises:
            SourceError: it cannot be read.
        """
        stream = self.member.open()
        self.file.opened = True
        self.log.opened_last = self.file
        if self.file.sha256:
            return stream
        return cast("BinaryIO", io.BufferedReader(_Summed(stream, self.file), _BLOCK // 4))


def count_read(member: Member, messages: int) -> None:
    """Add to the number of messages read from a file whose documents also contain those of other files; a negative
    number removes messages that came into no document.
    """
    if isinstance(member, TrackedMember):
        member.file.counted += messages


def count_left_out(member: Member, rule: str, records: int = 1) -> None:
    """Note that records of a file are in no document, and by which rule."""
    if records and isinstance(member, TrackedMember):
        member.file.left_out[rule] += records


def note_role(member: Member, role: str, *, used: bool) -> None:
    """Record the role of a file without messages, and whether its reader used it: otherwise it is reported as not read."""
    if isinstance(member, TrackedMember):
        member.file.role, member.file.used = role, used


def untracked(member: Member) -> Member:
    """Return the wrapped member, for callers that need more than the interface of members."""
    return member.member if isinstance(member, TrackedMember) else member


class _Summed(io.RawIOBase):
    """A stream whose checksum is noted when it was read to its end."""

    def __init__(self, stream: BinaryIO, file: ReadFile) -> None:
        super().__init__()
        self._stream = stream
        self._file = file
        self._digest = hashlib.sha256()
        self._size = 0

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: object, /) -> int:
        """Read as `io.RawIOBase.readinto`."""
        view = memoryview(cast("bytearray", buffer))
        # Not `readinto`, which waits until the buffer is full: a slow producer is followed line by line.
        data = cast("io.BufferedReader", self._stream).read1(len(view))
        count = len(data)
        if count:
            view[:count] = data
            self._digest.update(data)
            self._size += count
        elif not self._file.sha256:
            self._file.sha256, self._file.size = self._digest.hexdigest(), self._size
        return count

    def close(self) -> None:
        """Close the stream below, too."""
        if not self.closed:
            self._stream.close()
        super().close()
