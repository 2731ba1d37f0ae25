"""Cuts a stream of bytes into responses: lines, with the literals between them. No I/O.

Memory is bounded by `ReaderLimits`. Of a literal that is larger than what is kept, the rest is counted and thrown away.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .errors import ProtocolError

_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class ReaderLimits:
    """The limits on the size of one response."""

    text: int = 16 * _MIB
    """Bytes outside of literals. A plain SEARCH in a folder of two million mails answers with one line of this length."""
    literal_kept: int = 24 * _MIB
    """The bytes that are kept of one literal: the largest text that memd keeps of a mail, in base64."""
    response_kept: int = 32 * _MIB
    """The bytes that are kept of all literals of one response."""
    literal: int = 2048 * _MIB
    """A literal that says it is larger than this is no mail."""
    depth: int = 100
    """Lists inside lists. A mail inside a mail nests its BODYSTRUCTURE by one or two."""
    values: int = 1_000_000
    """Atoms, strings and lists."""


@dataclass(frozen=True, slots=True)
class Literal:
    """Bytes that were announced with their number."""

    data: bytes
    """The bytes, at most as many as the limits keep."""
    size: int
    """The number of bytes that were sent."""
    binary: bool = False
    """True if the literal was sent as literal8 (RFC 3516), which may contain NUL."""

    @property
    def cut(self) -> bool:
        """Return whether the end of the literal is missing."""
        return len(self.data) < self.size


Frame = tuple["bytes | Literal", ...]
"""A response: text and literals in turn, beginning and ending with text, without literals' length marks and line ends.
"""

_WITHOUT_LITERALS = re.compile(rb"\+|[^ ]+ (?:OK|NO|BAD|BYE|PREAUTH)(?: |\Z)", re.IGNORECASE)
"""Matches lines that end in free text, in which ``{5}`` is no length of a literal."""
_ANNOUNCEMENT = re.compile(rb"(?<=[ (])(~?)\{(\d{1,19})\+?\}\Z")
_LONGEST_ANNOUNCEMENT = 24
_FRAME = 256
"""Bytes that even the shortest response takes when it was taken apart."""


class FrameReader:
    """Give it bytes with `feed`, then take frames with `next_frame` until there is none.

    The frames are the same wherever the stream was cut.
    """

    def __init__(self, limits: ReaderLimits) -> None:
        self._limits = limits
        self._buffer = bytearray()
        self._searched = 0
        """The number of bytes at the start of the buffer that contain no line end."""
        self._pieces: list[bytes | Literal] = []
        self._text = 0
        """Bytes of text in the pieces."""
        self._kept = 0
        """Bytes of literals in the pieces."""
        self.given = 0
        """The approximate memory in bytes of all frames returned so far."""
        self._literal: _OpenLiteral | None = None

    @property
    def is_empty(self) -> bool:
        """Return whether the stream is between two responses."""
        return not self._buffer and not self._pieces and self._literal is None

    @property
    def held(self) -> int:
        """Return the number of bytes in memory for the incomplete response."""
        opened = 0 if self._literal is None else len(self._literal.kept)
        return len(self._buffer) + self._text + self._kept + opened

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the stream."""
        self._buffer += data

    def take_rest(self) -> bytes:
        """Return the bytes that were fed and not read; they belong to another stream, such as a compressed one."""
        rest = bytes(self._buffer)
        self._buffer.clear()
        self._searched = 0
        return rest

    def next_frame(self) -> Frame | None:
        """Return the next response; None if more bytes are needed.

        Raises:
            ProtocolError: the response is larger than the limits; the stream cannot be read any further.
        """
        while True:
            if self._literal is not None and not self._read_literal(self._literal):
                return None
            line = self._line()
            if line is None:
                return None
            self._text += len(line)
            announced = self._announcement(line)
            if announced is None:
                frame = (*self._pieces, line)
                self.given += self._text + self._kept + _FRAME
                self._pieces, self._text, self._kept = [], 0, 0
                return frame
            size = int(announced[2])
            if size > self._limits.literal:
                raise ProtocolError(f"the server announces a literal of {size} bytes")
            self._pieces.append(line[: announced.start()])
            room = min(self._limits.literal_kept, self._limits.response_kept - self._kept, size)
            self._literal = _OpenLiteral(size, size, room, bool(announced[1]), bytearray())

    def _line(self) -> bytes | None:
        """Return the next line without its end, which is CRLF, or LF alone."""
        room = self._limits.text - self._text
        end = self._buffer.find(b"\n", self._searched)
        if (end if end >= 0 else len(self._buffer)) > room:
            raise ProtocolError(f"a response of the server has more than {self._limits.text} bytes beside its literals")
        if end < 0:
            self._searched = len(self._buffer)
            return None
        ends_with_return = end > 0 and self._buffer[end - 1] == 0x0D
        line = bytes(self._buffer[: end - ends_with_return])
        del self._buffer[: end + 1]
        self._searched = 0
        return line

    def _announcement(self, line: bytes) -> re.Match[bytes] | None:
        if not line.endswith(b"}") or (not self._pieces and _WITHOUT_LITERALS.match(line)):
            return None
        return _ANNOUNCEMENT.search(line, max(0, len(line) - _LONGEST_ANNOUNCEMENT))

    def _read_literal(self, literal: _OpenLiteral) -> bool:
        """Move bytes from the buffer into the literal; whether it is whole."""
        count = min(literal.left, len(self._buffer))
        wanted = min(count, literal.room - len(literal.kept))
        literal.kept += self._buffer[:wanted]
        del self._buffer[:count]
        literal.left -= count
        if literal.left:
            return False
        self._kept += len(literal.kept)
        self._pieces.append(Literal(bytes(literal.kept), literal.size, literal.binary))
        self._literal = None
        return True


@dataclass(slots=True)
class _OpenLiteral:
    size: int
    left: int
    """The bytes still to come."""
    room: int
    """The bytes that may still be kept."""
    binary: bool
    kept: bytearray
