"""Makes the XML of the app well-formed on its way to the parser, and leaves out the data of attachments. Pure.

The app writes an emoji as two references to halves of it (``&#55357;&#56832;``) and control characters as they are, both of which
XML forbids. Attachments are attributes of any size in base 64; a number stands for them.
"""

from __future__ import annotations

import re

from ...opening.limits import MESSAGE_CAP, MESSAGE_TOO_LARGE
from ...text.xml_stream import Readable, XmlError

_REFERENCES = re.compile(rb"(?:&#(?:[0-9]{1,7}|[xX][0-9a-fA-F]{1,6});)+")
_REFERENCE = re.compile(rb"&#(?:([0-9]+)|[xX]([0-9a-fA-F]+));")
_FORBIDDEN = bytes(set(range(32)) - {9, 10, 13})
_NO_CHARACTERS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_DATA = re.compile(rb'data="([A-Za-z0-9+/=\s]{4096,})')
_NO_DATA = re.compile(rb"[^A-Za-z0-9+/=\s]")
_LONGEST_WORD = 1 << 20
"""The most bytes without a space that wait for more, so that no reference is cut in two."""
SIZE = re.compile(r"~([0-9]{1,18})~")
"""Matches the attribute that stands for the data of an attachment: its length in base 64."""


class RepairedXml:
    """A stream of XML that can be parsed."""

    def __init__(self, stream: Readable) -> None:
        self._stream = stream
        self._held: bytes = b""
        self._left_out = 0
        """The length of the attachment within which the bytes so far end; 0 outside of one."""
        self._element = 0
        """The number of bytes since the last beginning of a tag."""

    def read(self, size: int, /) -> bytes:
        """Return the next bytes, at least one; none at the end.

        Raises:
            XmlError: an element is larger than a message may be.
            SourceError: the stream raises it.
        """
        while True:
            data = self._stream.read(size)
            made = _with_references(self._without_data(data, last=not data).translate(None, _FORBIDDEN))
            opened = made.rfind(b"<")
            self._element = self._element + len(made) if opened < 0 else len(made) - opened
            if self._element > MESSAGE_CAP:
                raise XmlError(MESSAGE_TOO_LARGE)
            if made or not data:
                return made

    def _without_data(self, data: bytes, *, last: bool) -> bytes:
        """Return the bytes that are complete, with a number for each large attachment; keep the others."""
        made: list[bytes] = []
        if self._left_out:
            end = _NO_DATA.search(data)
            self._left_out += len(data) if end is None else end.start()
            if end is None and not last:
                return b""
            made.append(b"~%d~" % self._left_out)
            data, self._left_out = b"" if end is None else data[end.start() :], 0
        data, at = self._held + data, 0
        self._held = b""
        for large in _DATA.finditer(data):
            made.append(data[at : large.start(1)])
            at = large.end()
            if at == len(data) and not last:
                self._left_out = len(large[1])
                return b"".join(made)
            made.append(b"~%d~" % len(large[1]))
        cut = len(data) if last else max(at, data.rfind(b" "))
        if len(data) - cut > _LONGEST_WORD:
            cut = len(data)
        self._held = data[cut:]
        made.append(data[at:cut])
        return b"".join(made)


def _with_references(data: bytes) -> bytes:
    return _REFERENCES.sub(_repaired, data) if b"&#" in data else data


def _repaired(references: re.Match[bytes]) -> bytes:
    """Return references to whole characters, of those that XML allows."""
    numbers = [
        int(decimal) if decimal else int(hexadecimal, 16) for decimal, hexadecimal in _REFERENCE.findall(references[0])
    ]
    halves = "".join(chr(number) if number < 0x110000 else "\ufffd" for number in numbers)
    text = halves.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return b"".join(b"&#%d;" % ord(each) for each in _NO_CHARACTERS.sub("", text))
