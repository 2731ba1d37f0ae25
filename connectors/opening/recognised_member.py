"""A member whose beginning is read once, however many connectors look at it to recognise a format."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from typing import BinaryIO, Self, cast

from ...schemas.errors import SourceError
from ..connector import Member

HEAD_BYTES = 4096
"""Bytes that are read before connectors are asked."""
KEPT = 64 * 1024
"""Bytes that are kept: what connectors look at; who reads on gets the rest from the member itself."""


@dataclass(slots=True)
class RecognisedMember:
    """Another member with its first bytes in memory; of one that is damaged within them, nothing is kept."""

    member: Member
    _head: bytes | None = field(default=None, repr=False)
    _whole: bool = False
    _damage: SourceError | None = None
    _stream: BinaryIO | None = field(default=None, repr=False)
    """Open behind the first bytes, until the rest of what is kept is asked for."""
    _first: bytes = field(default=b"", repr=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._stream is not None:
            self._stream.close()
            self._stream = None

    def head(self) -> bytes:
        """The first `HEAD_BYTES`, which tell a picture from a text; the caller closes the member.

        Raises:
            SourceError: they cannot be read.
        """
        self._stream = self.member.open()
        self._first = self._stream.read(HEAD_BYTES)
        return self._first

    def require_whole(self) -> None:
        """Make sure that what connectors look at can be read: what is damaged there is nobody's, but not for want of a
        format.

        Raises:
            SourceError: it cannot be read.
        """
        self._keep()
        if self._damage is not None:
            raise self._damage

    @property
    def name(self) -> str:
        """The member's own name without its folders."""
        return self.member.name.rpartition("/")[2]

    @property
    def locator(self) -> str:
        """The member's."""
        return self.member.locator

    @property
    def size(self) -> int | None:
        """The member's."""
        return self.member.size

    def open(self) -> BinaryIO:
        """A stream from the start.

        Raises:
            SourceError: the beginning cannot be read.
        """
        self._keep()
        if self._head is None:
            return self.member.open()
        if self._whole:
            return io.BufferedReader(cast("io.RawIOBase", io.BytesIO(self._head)))
        return io.BufferedReader(_HeadThenRest(self._head, self.member))

    def _keep(self) -> None:
        """Read what is kept, once."""
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
    """Bytes that are there, then what the member holds behind them."""

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
        """As `io.RawIOBase.readinto`."""
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
