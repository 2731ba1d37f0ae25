"""The ends of JSON values in a stream of bytes, found without parsing: a buffer with a position. No documents here.

Only brackets and strings are scanned; the caller's parser decides whether a value is JSON.
"""

from __future__ import annotations

import re
from collections.abc import Callable

CHUNK = 256 * 1024
INDENTATION = 66
"""The number of bytes before the current position that are kept, to see the indentation of a line."""
LONGEST_MARK = 512
"""The most bytes of a searched mark."""

_SPACE = re.compile(rb"[\s,\x1e]*+")
# Up to the next bracket, or a quote whose string does not end on its line or in the buffer. A JSON string cannot hold
# a raw newline, so a quote that was lost costs no more than the rest of its line.
# Groups are not possessive: Python before 3.11.5 loses matches where such a group backtracks inside.
_STRING = rb'"[^"\\\n]*+(?:\\[^\n][^"\\\n]*+)*"'
_PLAIN = rb'[^"\[\]{}]*+'
_OUTSIDE = re.compile(_PLAIN + rb"(?:" + _STRING + _PLAIN + rb")*")
_INSIDE = re.compile(rb'[^"\\\n]*+(?:\\[^\n][^"\\\n]*+)*')
_WORD = re.compile(rb"[^\s,\[\]{}\"]*+")
_STEP_BYTES = 512
"""The bytes between two brackets or quotes that count as one step, like each bracket and quote."""
QUOTE, BACKSLASH = ord('"'), ord("\\")
_OPENING, _CLOSING = frozenset(b"[{"), frozenset(b"]}")
NOT_ENDING = "not valid JSON: the record does not end"
CUT_OFF = "the file is cut off"
END = -1
"""The value that ``next_byte`` returns at the end of the stream."""


def too_long(cap: int) -> str:
    """Return the reason for a value over its cap."""
    return f"more than {cap} bytes in one record"


def _nested(levels: int) -> bytes:
    """Return an expression for a whole value with up to ``levels`` nested brackets: one call instead of a step for
    each.
    """
    inside = _STRING
    value = b""
    for _ in range(levels):
        value = rb"[\[{]" + _PLAIN + rb"(?:(?:" + inside + rb")" + _PLAIN + rb")*[\]}]"
        inside = _STRING + rb"|" + value
    return value


_SHALLOW = re.compile(_nested(4))


_WHOLE = re.compile(_nested(8))


def whole_end(data: bytes, at: int) -> int:
    """Return the end of the object or list that begins at a position; 0 if it does not end, or has more than eight
    levels.
    """
    whole = _WHOLE.match(data, at)
    return whole.end() if whole else 0


class JSONScanner:
    """Reads with ``read(n)`` until that gives no bytes. ``data[at:]`` is what is read and not yet passed.

    Holds what its user did not pass yet, beside one chunk.
    """

    def __init__(self, read: Callable[[int], bytes], *, lines: bool = False) -> None:
        """``lines``: whether `line` will be read, so that lines must be counted."""
        self._read = read
        self._counts_lines = lines
        self.data = bytearray()
        self.at = 0
        self.steps = 0
        """The amount scanned so far, for callers that limit fruitless scanning."""
        self._let_go = 0
        self._lines = 0
        self._counted = 0

    @property
    def offset(self) -> int:
        """Return the number of bytes before the current position."""
        return self._let_go + self.at

    @property
    def line(self) -> int:
        """Return the line number of the current position, from 1."""
        self._lines += self.data.count(b"\n", self._counted, self.at)
        self._counted = self.at
        return self._lines + 1

    def fill(self) -> bool:
        """Read more, and drop the bytes before the current line. Return False at the end of the stream."""
        chunk = self._read(CHUNK)
        if not chunk:
            return False
        gone = max(0, self.at - INDENTATION)
        if self._counts_lines:
            self._counted -= gone
            if self._counted < 0:
                self._lines += self.data.count(b"\n", self._counted + gone, gone)
                self._counted = 0
        del self.data[:gone]
        self._let_go += gone
        self.at -= gone
        self.data += chunk
        return True

    def have(self, count: int) -> None:
        """Read until ``count`` bytes from the current position on are in memory, or all that there are."""
        while len(self.data) - self.at < count and self.fill():
            pass

    def next_byte(self) -> int:
        """Return the first byte that is no blank, comma or record separator, without passing it; ``END`` at the end."""
        while True:
            space = _SPACE.match(self.data, self.at)
            self.at += space.end() - self.at if space else 0
            if self.at < len(self.data):
                return self.data[self.at]
            if not self.fill():
                return END

    def length(self, cap: int) -> tuple[int, str]:
        """Return the length in bytes of the value that begins here, and the reason if there is none, such as a value
        larger than ``cap``.
        """
        first = self.data[self.at]
        if first not in b'{["':
            return self._word(cap)
        if first != QUOTE and (whole := _SHALLOW.match(self.data, self.at)):
            length = whole.end() - self.at
            return (length, "") if length <= cap else (0, too_long(cap))
        return self._nested_length(cap, within=first == QUOTE)

    def _nested_length(self, cap: int, *, within: bool) -> tuple[int, str]:
        """Return the length bracket by bracket: for deep values, and those that continue behind the buffer."""
        position = 1
        depth = 0 if within else 1
        while True:
            match = (_INSIDE if within else _OUTSIDE).match(self.data, self.at + position)
            self.steps += 1 + (match.end() - match.start()) // _STEP_BYTES if match else 1
            position = match.end() - self.at if match else position
            if position > cap:
                return 0, too_long(cap)
            place = self.at + position
            if place >= len(self.data) or (self.data[place] == BACKSLASH and place + 1 == len(self.data)):
                if not self.fill():
                    return 0, NOT_ENDING
                continue
            byte = self.data[place]
            position += 1
            if byte == QUOTE:
                within = not within
            elif within:
                return 0, "not valid JSON: a string does not end on its line"
            elif byte in _OPENING:
                depth += 1
            elif byte in _CLOSING:
                depth -= 1
            if depth <= 0 and not within:
                return position, ""

    def _word(self, cap: int) -> tuple[int, str]:
        """Return the length of a number, a name, or something that is no JSON at all."""
        position = 0
        while True:
            match = _WORD.match(self.data, self.at + position)
            position = match.end() - self.at if match else position
            if position > cap:
                return 0, too_long(cap)
            if self.at + position < len(self.data) or not self.fill():
                return max(position, 1), ""

    def skip(self) -> str:
        """Pass the value that begins here, whatever its length, in constant memory. Return the reason if that failed,
        else nothing.
        """
        within = self.data[self.at] == QUOTE
        depth = 0 if within else 1
        self.at += 1
        while True:
            match = (_INSIDE if within else _OUTSIDE).match(self.data, self.at)
            self.at += match.end() - self.at if match else 0
            if self.at >= len(self.data) or (self.data[self.at] == BACKSLASH and self.at + 1 == len(self.data)):
                if not self.fill():
                    return NOT_ENDING
                continue
            byte = self.data[self.at]
            if within and byte != QUOTE:
                return "not valid JSON: a string does not end on its line"
            self.at += 1
            if byte == QUOTE:
                within = not within
            else:
                depth += 1 if byte in _OPENING else -1
            if depth <= 0 and not within:
                return ""

    def indentation(self) -> bytes | None:
        """Return the blanks before the current position, if it begins a line."""
        begin = self.data.rfind(b"\n", max(0, self.at - INDENTATION), self.at)
        blanks = bytes(self.data[begin + 1 : self.at])
        return blanks if begin >= 0 and not blanks.strip(b" \t") else None

    def length_to(self, pattern: re.Pattern[bytes], cap: int) -> int:
        """Return the number of bytes to the end of the next match of a pattern; 0 if there is none within the cap."""
        searched = 0
        while (match := pattern.search(self.data, self.at + searched)) is None:
            searched = max(0, len(self.data) - self.at - LONGEST_MARK)
            if searched > cap or not self.fill():
                return 0
        length = match.end() - self.at
        return length if length <= cap else 0

    def seek(self, pattern: re.Pattern[bytes]) -> re.Match[bytes] | None:
        """Go to the next match of a pattern, from the byte after the current place on."""
        self.at += min(1, len(self.data) - self.at)
        while True:
            match = pattern.search(self.data, self.at)
            if match is not None:
                self.at = match.start()
                return match
            self.at = max(self.at, len(self.data) - LONGEST_MARK)
            if not self.fill():
                return None
