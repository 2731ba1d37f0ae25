"""JSON values out of a stream, one at a time: a list of any length, or values one after the other. No documents here.

The splitter only finds where a value ends; whether it is JSON is decided by the parser it is given. A value that
cannot be read costs itself alone: the next one is found by the bytes that every value of its file begins with.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

CHUNK = 256 * 1024

_SPACE = re.compile(rb"[\s,\x1e]*+")
# Up to the next bracket, or a quote whose string does not end on its line or in the buffer. A JSON string cannot hold
# a raw newline, so a quote that was lost costs no more than the rest of its line.
# Groups are not possessive: Python before 3.11.5 loses matches where such a group backtracks inside.
_OUTSIDE = re.compile(rb'[^"\[\]{}]*+(?:"[^"\\\n]*+(?:\\[^\n][^"\\\n]*+)*"[^"\[\]{}]*+)*')
_INSIDE = re.compile(rb'[^"\\\n]*+(?:\\[^\n][^"\\\n]*+)*')
_WORD = re.compile(rb"[^\s,\[\]{}\"]*+")
_HEAD = re.compile(rb'\{\s*+"[^"\\\n]{1,64}+"\s*+:')
_ANY_HEAD = re.compile(rb'(?<=[\n,\[])[ \t\r\f\v]*+(?=\{\s*+")')
_LONGEST_HEAD = 512
_PATIENCE = 500_000
"""Steps made in vain, one start after the other, before a broken file is given up: about a second."""
_STEP_BYTES = 512
"""A step is a bracket or a quote, or so many bytes between two of them."""
_QUOTE, _BACKSLASH = ord('"'), ord("\\")
_OPENING, _CLOSING = frozenset(b"[{"), frozenset(b"]}")

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class JSONPiece(Generic[T]):
    """A value, or the reason why there is none at this place."""

    value: T | None
    reason: str
    line: int
    """Of its first byte, from 1."""
    index: int | None
    """From 0 in its list; None outside of lists."""
    size: int = 0
    """Its bytes."""


class JSONSplitter(Generic[T]):
    """Reads with ``read(n)`` until it gives no bytes; ``parse`` raises ValueError (its text is the reason).

    ``genuine`` says of a recovered value whether it stands for itself; others are left out with what they are part of.
    Holds one value at a time, which has at most ``cap`` bytes.
    """

    def __init__(
        self, read: Callable[[int], bytes], parse: Callable[[bytes], T], genuine: Callable[[T], bool], cap: int
    ) -> None:
        self._read = read
        self._parse = parse
        self._genuine = genuine
        self._cap = cap
        self._data = bytearray()
        self._at = 0
        self._line = 1
        self._head = b""
        self._steps = 0

    def pieces(self) -> Iterator[JSONPiece[T]]:
        """Everything in the stream, in its order."""
        inside = recovering = False
        index = wasted = 0
        while (first := self._next_byte()) is not None:
            if not recovering and first == (b"]" if inside else b"["):
                inside = not inside
                index = 0
                self._advance(1)
                continue
            before = self._steps
            line, place = self._line, index if inside else None
            length, reason = self._length()
            value = None
            if not reason:
                raw = bytes(self._data[self._at : self._at + length])
                try:
                    value = self._parse(raw)
                except ValueError as error:
                    reason = str(error)
                else:
                    if head := _HEAD.match(raw):
                        self._head = head[0]
                    self._advance(length)
                    if not recovering or self._genuine(value):
                        yield JSONPiece(value, "", line, place, length)
                        index += 1
                        recovering = False
                        wasted = 0
                    continue
            if recovering:
                wasted += self._steps - before
                if wasted > _PATIENCE:
                    yield JSONPiece(None, "too much of it is broken: not read any further", line, place)
                    return
            else:
                yield JSONPiece(None, reason, line, place)
                index += 1
                recovering = True
            if not self._resync():
                return
        if inside and not recovering:
            yield JSONPiece(None, "the list does not end: the file is cut off", self._line, index)

    def _advance(self, count: int) -> None:
        self._line += self._data.count(b"\n", self._at, self._at + count)
        self._at += count

    def _fill(self) -> bool:
        """Read more; what lies before the current place is let go."""
        chunk = self._read(CHUNK)
        if not chunk:
            return False
        del self._data[: self._at]
        self._at = 0
        self._data += chunk
        return True

    def _next_byte(self) -> bytes | None:
        while True:
            space = _SPACE.match(self._data, self._at)
            self._advance(space.end() - self._at if space else 0)
            if self._at < len(self._data):
                return bytes(self._data[self._at : self._at + 1])
            if not self._fill():
                return None

    def _length(self) -> tuple[int, str]:
        """How many bytes the value has that begins here, or why that cannot be said."""
        first = self._data[self._at]
        if first not in b'{["':
            return self._word()
        within = first == _QUOTE
        position = 1
        depth = 0 if within else 1
        while True:
            found = (_INSIDE if within else _OUTSIDE).match(self._data, self._at + position)
            self._steps += 1 + (found.end() - found.start()) // _STEP_BYTES if found else 1
            position = found.end() - self._at if found else position
            if position > self._cap:
                return 0, f"more than {self._cap} bytes in one record"
            place = self._at + position
            if place >= len(self._data) or (self._data[place] == _BACKSLASH and place + 1 == len(self._data)):
                if not self._fill():
                    return 0, "not valid JSON: the record does not end"
                continue
            byte = self._data[place]
            position += 1
            if byte == _QUOTE:
                within = not within
            elif within:
                return 0, "not valid JSON: a string does not end on its line"
            elif byte in _OPENING:
                depth += 1
            elif byte in _CLOSING:
                depth -= 1
            if depth <= 0 and not within:
                return position, ""

    def _word(self) -> tuple[int, str]:
        """A number, a name, or something that is no JSON at all."""
        position = 0
        while True:
            found = _WORD.match(self._data, self._at + position)
            position = found.end() - self._at if found else position
            if position > self._cap:
                return 0, f"more than {self._cap} bytes in one record"
            if self._at + position < len(self._data) or not self._fill():
                return max(position, 1), ""

    def _resync(self) -> bool:
        """Go to where the next value seems to begin; False when nothing is left."""
        if not self._head and (own := _HEAD.match(self._data, self._at)):
            self._head = own[0]
        self._advance(1)
        while True:
            if self._head:
                found = self._data.find(self._head, self._at)
            else:
                match = _ANY_HEAD.search(self._data, self._at)
                found = match.end() if match else -1
            if found >= 0:
                self._advance(found - self._at)
                return True
            self._advance(max(0, len(self._data) - self._at - _LONGEST_HEAD))
            if not self._fill():
                return False
