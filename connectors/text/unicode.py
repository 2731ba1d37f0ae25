"""Byte order marks: text in any Unicode encoding with a mark becomes a stream of UTF-8."""

from __future__ import annotations

import codecs
import io
from dataclasses import dataclass
from typing import BinaryIO, cast

from ..opening.decompression import CHUNK, Chunks, stream_of

# The longer mark first: UTF-32's begins with UTF-16's.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(slots=True)
class Utf8Stream:
    """A stream without its mark. Without any mark the bytes pass untouched."""

    stream: io.BufferedReader
    replaced: bool = False
    """True if some bytes so far were no text in the encoding and became U+FFFD."""


def as_utf8(stream: BinaryIO) -> Utf8Stream:
    """Return the stream as UTF-8, by a mark at its start. The caller still closes the given stream.

    Raises:
        SourceError: the stream raises it.
    """
    # A stream that cannot be peeked, such as one in memory, gets a buffer around it.
    reader: object = stream if hasattr(stream, "peek") else io.BufferedReader(cast("io.RawIOBase", stream))
    buffered = cast("io.BufferedReader", reader)
    head = buffered.peek(4)
    if head.startswith(codecs.BOM_UTF8):
        buffered.read(len(codecs.BOM_UTF8))
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            buffered.read(len(mark))
            result = Utf8Stream(buffered)
            result.stream = cast("io.BufferedReader", stream_of(_decoded(buffered, encoding, result)))
            return result
    return Utf8Stream(buffered)


def _decoded(stream: BinaryIO, encoding: str, result: Utf8Stream) -> Chunks:
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    while True:
        data = stream.read(CHUNK)
        text = decoder.decode(data, final=not data)
        if "\N{REPLACEMENT CHARACTER}" in text:
            result.replaced = True
        if text:
            yield text.encode()
        if not data:
            return
