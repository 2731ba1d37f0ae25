"""Splits a stream into JSON values one at a time: a list of any length, or values one after the other.

The splitter only finds the end of a value; the parser given to it decides whether it is JSON. A value that cannot be
read costs only itself: the next one is found by the bytes that every value of the file begins with.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from .json_stream import END, JSONScanner

_HEAD = re.compile(rb'\{\s*+"[^"\\\n]{1,64}+"\s*+:')
_ANY_HEAD = re.compile(rb'(?<=[\n,\[])[ \t\r\f\v]*+(?=\{\s*+")')
_PATIENCE = 500_000
"""The number of scanner steps on failed recovery attempts after which a broken file is given up: about a second."""
_OPEN, _CLOSE = ord("["), ord("]")

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class JSONPiece(Generic[T]):
    """A value, or the reason why it cannot be read."""

    value: T | None
    reason: str
    line: int
    """The line of its first byte, from 1."""
    index: int | None
    """The index in its list, from 0; None outside of a list."""
    size: int = 0
    """The size in bytes."""


class JSONSplitter(Generic[T]):
    """Reads with ``read(n)`` until it returns no bytes; ``parse`` raises ValueError, whose text is the reason.

    ``genuine`` decides whether a recovered value is a record of its own; others are skipped as parts of a broken one.
    Holds one value at a time, of at most ``cap`` bytes.
    """

    def __init__(
        self, read: Callable[[int], bytes], parse: Callable[[bytes], T], genuine: Callable[[T], bool], cap: int
    ) -> None:
        self._scan = JSONScanner(read, lines=True)
        self._parse = parse
        self._genuine = genuine
        self._cap = cap
        self._head = b""

    def pieces(self) -> Iterator[JSONPiece[T]]:
        """Yield every value of the stream in order."""
        inside = recovering = False
        index = wasted = 0
        scan = self._scan
        while (first := scan.next_byte()) != END:
            if not recovering and first == (_CLOSE if inside else _OPEN):
                inside = not inside
                index = 0
                scan.at += 1
                continue
            before = scan.steps
            line, place = scan.line, index if inside else None
            length, reason = scan.length(self._cap)
            value = None
            if not reason:
                raw = bytes(scan.data[scan.at : scan.at + length])
                try:
                    value = self._parse(raw)
                except ValueError as error:
                    reason = str(error)
                else:
                    if head := _HEAD.match(raw):
                        self._head = head[0]
                    scan.at += length
                    if not recovering or self._genuine(value):
                        yield JSONPiece(value, "", line, place, length)
                        index += 1
                        recovering = False
                        wasted = 0
                    continue
            if recovering:
                wasted += scan.steps - before
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
            yield JSONPiece(None, "the list does not end: the file is cut off", scan.line, index)

    def _resync(self) -> bool:
        """Move to the next place where a value seems to begin; return False at the end of the stream."""
        scan = self._scan
        if not self._head and (head_match := _HEAD.match(scan.data, scan.at)):
            self._head = head_match[0]
        return scan.seek(re.compile(re.escape(self._head)) if self._head else _ANY_HEAD) is not None
