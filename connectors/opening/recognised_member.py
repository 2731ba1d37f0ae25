"""A member whose beginning is read once, however many connectors look at it to recognise a format."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import BinaryIO, Self, TypeVar, cast

from ...schemas.errors import SourceError
from ..connector import Member

T = TypeVar("T")

HEAD_BYTES = 4096
"""The bytes that are read before connectors are asked."""
KEPT = 64 * 1024
"""The bytes that are kept for connectors to inspect; further bytes come from the member itself."""


@dataclass(slots=True)
class RecognisedMember:
    """A member with its first bytes in memory; if it is damaged within them, nothing is kept."""

    member: Member
    _head: bytes | None = field(default=None, repr=False)
    _whole: bool = False
    _damage: SourceError | None = None
    _stream: BinaryIO | None = field(default=None, repr=False)
    """The stream behind the first bytes, open until the rest of the kept bytes is requested."""
    _first: bytes = field(default=b"", repr=False)
    _derived: dict[object, object] = field(default_factory=dict[object, object], repr=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._stream is not None:
            self._stream.close()
            self._stream = None

    def head(self) -> bytes:
        """Return the first `HEAD_BYTES`, which tell pictures and texts apart; the caller closes the member.

        Raises:
            SourceError: they cannot be read.
        """
        self._stream = self.member.open()
        self._first = self._stream.read(HEAD_BYTES)
        return self._first

    def require_whole(self) -> None:
        """Raise an error if the bytes that connectors inspect are damaged: such a file is read by no connector, but not
        for lack of a format.

        Raises:
            SourceError: it cannot be read.
        """
        self._keep()
        if self._damage is not None:
            raise self._damage

    @property
    def name(self) -> str:
        """Return the member's own name without its folders."""
        return self.member.name.rpartition("/")[2]

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
            SourceError: the beginning cannot be read.
        """
        self._keep()
        if self._head is None:
            return self.member.open()
        if self._whole:
            return io.BufferedReader(cast("io.RawIOBase", io.BytesIO(self._head)))
        return io.BufferedReader(_HeadThenRest(self._head, self.member))

    def once(self, key: object, make: Callable[[], T]) -> T:
        """Return what ``make`` returns, called once for each ``key``: twenty connectors ask for the same beginning as text.

        Raises:
            SourceError: ``make`` raises it.
        """
        if key not in self._derived:
            self._derived[key] = make()
        return cast("T", self._derived[key])

    def _keep(self) -> None:
        """Read the kept bytes, once."""
        if self._head is not None or self._damage is not None:
            return
        with self._stream or self.member.open() as stream:
            self._stream = None
            try:
                head = self._first + stream.read(KEPT + 1 - len(self._first))
            except SourceError as error:  # a connector may look at less, and read what is whole
                self._damage = error
            else:
                self._head, self._whole = head[:KEPT], len(head) <= KEPT


class _HeadThenRest(io.RawIOBase):
    """A stream of bytes in memory, followed by the rest of the member."""

    def __init__(self, head: bytes, member: Member) -> None:
        super().__init__()
        self._head = io.BytesIO(head)
        self._skip = len(head)
        self._member = member
        self._rest: BinaryIO | None = None

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: object, /) -> int:
        """Read as `io.RawIOBase.readinto`."""
        count = self._head.readinto(cast("bytearray", buffer))
        if count:
            return count
        if self._rest is None:
            self._rest = self._member.open()
            while self._skip > 0 and (skipped := self._rest.read(self._skip)):
                self._skip -= len(skipped)
        data = self._rest.read(len(cast("bytearray", buffer)))
        cast("bytearray", buffer)[: len(data)] = data
        return len(data)

    def close(self) -> None:
        """Close the member's stream, too."""
        if self._rest is not None:
            self._rest.close()
        super().close()
