"""Streams out of chunks: plain and compressed bytes as one kind of stream that raises nothing but ``SourceError``."""

from __future__ import annotations

import bz2
import io
import os
import stat
import zlib
from collections.abc import Callable, Generator, Iterator
from typing import BinaryIO, cast

from ...schemas.errors import SourceError

CHUNK = 256 * 1024
GZIP_MAGIC = b"\x1f\x8b"
_GZIP = 16 + zlib.MAX_WBITS
"""The ``wbits`` value with which zlib reads a deflate stream with a gzip header and checksum."""

Chunks = Generator[bytes, None, None]
SizeGuard = Callable[[Chunks], Chunks]
"""Counts unpacked chunks as they pass; raises SourceError over a cap."""


class _ChunkStream(io.RawIOBase):
    """A raw stream over an iterator of chunks; closing it closes the iterator and so the file below."""

    def __init__(self, chunks: Chunks, first: bytes) -> None:
        super().__init__()
        self._chunks = chunks
        self._rest = memoryview(first)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object, /) -> int:
        view = memoryview(cast("bytearray", buffer)).cast("B")
        while not self._rest:
            chunk = next(self._chunks, None)
            if chunk is None:
                return 0
            self._rest = memoryview(chunk)
        count = min(len(view), len(self._rest))
        view[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count

    def close(self) -> None:
        if not self.closed:
            self._rest = memoryview(b"")
            self._chunks.close()
        super().close()


def stream_of(chunks: Chunks) -> BinaryIO:
    """Return a buffered stream over chunks. The first chunk is read at once, so that a file that cannot be opened
    raises its error here.

    Raises:
        SourceError: the chunks raise it.
    """
    first = next(chunks, b"")
    return cast("BinaryIO", io.BufferedReader(_ChunkStream(chunks, first), CHUNK))


def file_chunks(path: str, locator: str) -> Chunks:
    """Yield the bytes of a regular file.

    Raises:
        SourceError: it is no regular file, or cannot be read.
    """
    try:
        # Without O_NONBLOCK, a pipe that replaced the file since it was listed would block for ever.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb", buffering=0) as file:  # noqa: PTH123 - a descriptor, not a path
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise SourceError(f"{locator}: not a regular file")
            while chunk := file.read(CHUNK):
                yield chunk
    except OSError as error:
        raise SourceError(f"{locator}: {error.strerror or 'cannot be read'}") from error


def maybe_gunzip(chunks: Chunks, locator: str, guard: SizeGuard | None = None) -> Chunks:
    """Return the chunks, or their unpacked content if they begin like gzip. One layer only."""
    try:
        first = next(chunks, b"")
        while 0 < len(first) < len(GZIP_MAGIC):
            more = next(chunks, b"")
            if not more:
                break
            first += more
        if first[:2] != GZIP_MAGIC:
            if first:
                yield first
            yield from chunks
            return
        inner = _gunzip(first, chunks, locator)
        try:
            yield from inner if guard is None else guard(inner)
        finally:
            inner.close()
    finally:
        chunks.close()


def _gunzip(first: bytes, rest: Iterator[bytes], locator: str) -> Chunks:
    """Yield the content of all gzip members, one after the other, as ``gzip -d`` reads them; zero padding after the
    last is allowed.
    """
    decoder = zlib.decompressobj(_GZIP)
    data: bytes | None = first
    try:
        while data is not None:
            while data:
                if decoder.eof:
                    data = data.lstrip(b"\0")
                    if not data:
                        break
                    decoder = zlib.decompressobj(_GZIP)
                out = decoder.decompress(data, CHUNK)
                if out:
                    yield out
                data = decoder.unused_data if decoder.eof else decoder.unconsumed_tail
            while not decoder.eof and (out := decoder.decompress(b"", CHUNK)):
                yield out
            data = next(rest, None)
    except zlib.error as error:
        raise SourceError(f"{locator}: the gzip data is damaged") from error
    if not decoder.eof:
        raise SourceError(f"{locator}: the gzip data ends too early", hint="copy or download the file again")


def inflate(chunks: Iterator[bytes], locator: str) -> Chunks:
    """Yield the content of raw deflate data, as in zip members.

    Raises:
        SourceError: the data are damaged or end too early.
    """
    decoder = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        for chunk in chunks:
            data = chunk
            while data and not decoder.eof:
                out = decoder.decompress(data, CHUNK)
                if out:
                    yield out
                data = decoder.unconsumed_tail
        while not decoder.eof and (out := decoder.decompress(b"", CHUNK)):
            yield out
    except zlib.error as error:
        raise SourceError(f"{locator}: the compressed data are damaged") from error
    if not decoder.eof:
        raise SourceError(f"{locator}: the compressed data end too early")


def unbzip(chunks: Iterator[bytes], locator: str) -> Chunks:
    """bzip2, which some archivers use in zip files.

    Raises:
        SourceError: the data are damaged or end too early.
    """
    decoder = bz2.BZ2Decompressor()
    try:
        for chunk in chunks:
            data = chunk
            while not decoder.eof:
                out = decoder.decompress(data, CHUNK)
                if out:
                    yield out
                data = b""
                if decoder.needs_input or not out:
                    break
    except (OSError, ValueError) as error:
        raise SourceError(f"{locator}: the compressed data are damaged") from error
    if not decoder.eof:
        raise SourceError(f"{locator}: the compressed data end too early")
