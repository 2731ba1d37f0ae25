r"""Bytes to text in blocks of whole lines, streaming. The only file here that knows encodings and line ends.

A line ends at LF or CRLF and nowhere else: U+2028, vertical tabs and their kind are text.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

_REPLACEMENT = "\ufffd"
_CHUNK = 1 << 18
_TORN = 1 << 20

# How the marks and spaces that headers ignore begin in UTF-8: U+2000 to U+207F, U+00A0, U+3000, U+FEFF, U+061C.
# The first byte is looked for alone, because that is many times faster and mostly enough.
_ODD = (b"\xe2\x80", b"\xe2\x81", b"\xc2\xa0", b"\xe3\x80\x80", b"\xef\xbb\xbf", b"\xd8\x9c")


@dataclass(frozen=True, slots=True)
class Block:
    """Text of whole lines, each *preceded* by its newline, so that a header at a line's start follows a newline.

    A block that does not begin with a newline goes on with the last line of the block before: that line is longer
    than a block. ``undecodable``: bytes of this block became U+FFFD.
    """

    text: str
    line: int
    """The number of its first line, from 1."""
    undecodable: bool = False
    bare: bool = False
    """True if the block surely contains no mark and no space but U+0020: a simpler expression finds its headers."""
    unterminated: bool = False
    """The file ends with it, without a line end."""
    crlf: bool = False
    """True if the last line ends with CRLF."""


def encoding_of(head: bytes) -> str:
    """UTF-32 and UTF-16 by their byte order marks, UTF-16 by the zero bytes of ASCII in it, else UTF-8."""
    if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):  # before UTF-16, whose mark begins the first
        return "utf-32"
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if head[1:2] == b"\0" and head[:1] != b"\0":
        return "utf-16-le"
    if head[:1] == b"\0" and head[1:2] not in (b"", b"\0"):
        return "utf-16-be"
    return "utf-8"


def blocks(stream: BinaryIO, encoding: str = "", *, crlf: bool = False) -> Iterator[Block]:
    """Read a stream to its end. The newline that ends the file is no line of its own.

    Args:
        stream: of the file.
        encoding: of the file, where the reader knows it; else by ``encoding_of``.
        crlf: keep CRLF apart from LF in the texts; else each becomes LF.
    """
    data = stream.read(_CHUNK)
    encoding = encoding or encoding_of(data)
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    marks = _ReplacementCount(encoding)
    carry, line, opening = "", 1, "\r\n" if crlf else "\n"
    seam, odd_before = b"", False
    while True:
        final = not data
        text = decoder.decode(data, final=final)
        undecodable = marks.undecodable(data, text)
        # The text carried over, and a character cut by the chunk's end, count for the next block as well.
        joined = seam + data
        odd = encoding != "utf-8" or any(start[0] in joined and start in joined for start in _ODD)
        seam = joined[-2:]
        odd_held = odd or odd_before
        carry += text
        cut = len(carry) if final else carry.rfind("\n")
        unterminated = final and not carry.endswith("\n")
        if final and not unterminated:
            cut -= 1
        if cut < 0 and len(carry) > _TORN:
            cut = len(carry) - carry.endswith("\r")  # this CR may be half of a CRLF
            torn = True
        else:
            torn = False
        if cut >= 0 and (carry or undecodable):
            whole = carry[:cut]
            carry = carry[cut:] if torn else carry[cut + 1 :]
            at_crlf = False
            if "\r" in whole:
                if not crlf:
                    whole = whole.replace("\r\n", "\n")
                if not torn and whole.endswith("\r"):
                    whole, at_crlf = whole[:-1], not unterminated
            yield Block(opening + whole, line, undecodable, not odd_held, unterminated, at_crlf)
            odd_held = odd  # what is carried over came with these bytes
            line += whole.count("\n") + (not torn)
            opening = "" if torn else "\r\n" if crlf and at_crlf else "\n"
        odd_before = odd_held
        if final:
            return
        data = stream.read(_CHUNK)


class _ReplacementCount:
    """Distinguishes a U+FFFD in the file from one made by decoding."""

    def __init__(self, encoding: str) -> None:
        self._utf8 = encoding == "utf-8"
        self._encoded = _REPLACEMENT.encode()
        self._tail = b""
        self._surplus = 0

    def undecodable(self, data: bytes, text: str) -> bool:
        made = text.count(_REPLACEMENT) if _REPLACEMENT in text else 0
        if not self._utf8:
            return made > 0
        held = 0
        if made or b"\xef\xbf\xbd" in data or self._tail:
            joined = self._tail + data
            held = joined.count(self._encoded)
            tail = joined[-2:] if not joined.endswith(self._encoded) else b""
        else:
            tail = data[-2:]
        # Only the beginning of an encoded U+FFFD can continue in the next chunk.
        self._tail = tail if tail.endswith((b"\xef", b"\xef\xbf")) else b""
        self._surplus += made - held
        if self._surplus <= 0:
            return False
        self._surplus = 0
        return True
