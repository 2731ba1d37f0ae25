"""Gzip files that can be read from any place: the state of the decompressor is kept every so often, never the data."""

from __future__ import annotations

import io
import os
import zlib
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO, Protocol, Self, cast

from ...schemas.errors import SourceError
from .decompression import CHUNK

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

CHECKPOINT_BYTES = 32 << 20
"""The unpacked bytes between two kept states. A state takes about 50 KB: 8 MB for an archive of 5 GB."""
RECENT_READERS = 4
"""The number of closed readers whose state is kept, each with at most 512 KB: archives of many small members are read
one member after the other, and each would otherwise unpack everything before it again.
"""
_GZIP = 16 + zlib.MAX_WBITS


class _Decompressor(Protocol):
    """The interface of ``zlib.decompressobj``, whose type has no public name."""

    eof: bool
    unused_data: bytes
    unconsumed_tail: bytes

    def decompress(self, data: bytes, max_length: int = 0, /) -> bytes:
        """Return at most ``max_length`` unpacked bytes."""
        ...

    def copy(self) -> Self:
        """Return a copy of the state."""
        ...


def _decompressor() -> _Decompressor:
    return cast("_Decompressor", zlib.decompressobj(_GZIP))


@dataclass(slots=True)
class _State:
    """A decompressor in the middle of the file."""

    place: int
    """Unpacked bytes before it."""
    packed: int
    """The position of the next compressed bytes in the file."""
    decoder: _Decompressor = field(repr=False)
    rest: bytes = b""
    """The bytes that were read from the file and not yet decompressed."""
    unpacked: bytes = b""
    """The last output of the decompressor: the bytes from ``place`` on."""


@dataclass(slots=True)
class GzipCheckpoints:
    """The decompressor states that all readers of one gzip file share."""

    states: list[_State] = field(default_factory=lambda: [_State(0, 0, _decompressor())])

    recent: tuple[_State, ...] = ()
    """The states in which readers were closed, the last one first. The tuple is replaced and never changed, as readers
    run in several threads.
    """

    def before(self, place: int) -> _State:
        """Return the last state at or before a place."""
        kept = self.states[bisect_right(self.states, place, key=lambda state: state.place) - 1]
        return max((kept, *(state for state in self.recent if state.place <= place)), key=lambda state: state.place)

    def leave(self, state: _State) -> None:
        """Keep the state in which a reader was closed."""
        others = [other for other in self.recent if other.place != state.place]
        self.recent = (state, *others[: RECENT_READERS - 1])


class SeekableGzip(io.RawIOBase):
    """The content of a gzip file, as a seekable file. Seeking back costs decompressing from the nearest kept state.

    Args:
        file: the gzip file; closed with this one.
        locator: for messages.
        checkpoints: shared by all that read the same file.
        count: is told how much was unpacked so far, and raises SourceError when that is too much.
    """

    def __init__(
        self, file: BinaryIO, locator: str, checkpoints: GzipCheckpoints, count: Callable[[int], None]
    ) -> None:
        super().__init__()
        self._file = file
        self._locator = locator
        self._checkpoints = checkpoints
        self._count = count
        self._at = 0
        self._unpacked = b""
        self._place = 0
        """The position in the unpacked bytes."""
        self._restore(checkpoints.states[0])

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True; only seeking relative to the end fails, since the end is not known beforehand."""
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        """Go to a place; one behind the end reads as empty."""
        if whence == os.SEEK_END:
            raise io.UnsupportedOperation("the end is not known")
        place = offset if whence == os.SEEK_SET else self._at + offset
        if place < 0:
            raise ValueError("before the start")
        self._at = place
        return place

    def readinto(self, buffer: ReadableBuffer, /) -> int:
        """Return the next bytes.

        Raises:
            SourceError: the file is damaged, cut off, or unpacks to more than it may.
        """
        view = memoryview(cast("bytearray", buffer)).cast("B")
        if not self._place <= self._at:
            self._restore(self._checkpoints.before(self._at))
        nearest = self._checkpoints.before(self._at)
        if nearest.place > self._place + len(self._unpacked):
            self._restore(nearest)
        while self._at >= self._place + len(self._unpacked):
            if not self._advance():
                return 0
        begin = self._at - self._place
        data = self._unpacked[begin : begin + len(view)]
        view[: len(data)] = data
        self._at += len(data)
        return len(data)

    def _restore(self, state: _State) -> None:
        self._place, self._unpacked = state.place, state.unpacked
        self._packed, self._rest = state.packed, state.rest
        self._decoder = state.decoder.copy()

    def _advance(self) -> bool:
        """Unpack the next bytes; false at the end."""
        self._place += len(self._unpacked)
        self._unpacked = b""
        self._keep_state()
        try:
            while not self._unpacked:
                if self._decoder.eof:
                    self._rest = self._rest.lstrip(b"\0")
                if not self._rest:
                    self._file.seek(self._packed)
                    self._rest = self._file.read(CHUNK)
                    self._packed += len(self._rest)
                    if not self._rest:
                        return self._end()
                    continue
                if self._decoder.eof:
                    self._decoder = _decompressor()
                self._unpacked = self._decoder.decompress(self._rest, CHUNK)
                self._rest = self._decoder.unused_data if self._decoder.eof else self._decoder.unconsumed_tail
        except zlib.error as error:
            raise SourceError(f"{self._locator}: the gzip data is damaged") from error
        except OSError as error:
            raise SourceError(f"{self._locator}: {error.strerror or 'cannot be read'}") from error
        self._count(self._place + len(self._unpacked))
        return True

    def _end(self) -> bool:
        if not self._decoder.eof:
            self._unpacked = self._decoder.decompress(b"", CHUNK)
            if not self._unpacked:
                hint = "copy or download the file again"
                raise SourceError(f"{self._locator}: the gzip data ends too early", hint=hint)
            return True
        return False

    def _keep_state(self) -> None:
        states = self._checkpoints.states
        if self._place >= states[-1].place + CHECKPOINT_BYTES:
            states.append(_State(self._place, self._packed, self._decoder.copy(), self._rest))

    def close(self) -> None:
        """Close the file, too."""
        if not self.closed:
            if self._unpacked:  # nothing is here at the end, and where the data is damaged
                state = _State(self._place, self._packed, self._decoder, self._rest, self._unpacked)
                self._checkpoints.leave(state)
            self._file.close()
        super().close()
