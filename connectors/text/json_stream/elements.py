"""The elements of one list, found the fast way: by their indentation if the list has one, otherwise by their brackets.

A JSON value that is cut anywhere is no JSON any more. So the first line that closes an element by its indentation ends
it for sure, if the parser takes what stands before; only where it does not are the brackets counted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import orjson

from .events import Broken, Element, Elements
from .scanner import CUT_OFF, END, INDENTATION, LONGEST_MARK, JSONScanner

_HEAD = re.compile(rb'\{\s*+"[^"\\\n]{1,64}+"\s*+:')
_ANY_HEAD = re.compile(rb'(?<=[\n,\[])[ \t\r\f\v]*+(?=\{\s*+")')
_BETWEEN = re.compile(rb'\s*+,\s*+\{\s*+"[^"\\\n]{1,64}+"\s*+:')
_NEAR = 64 * 1024
"""Bytes in which an element without indentation is looked for the fast way."""
_TOGETHER = 32 * 1024
"""The bytes of elements that are parsed in one go: few enough that their values stay in the processor's cache."""
_MOST_BRACKETS = 16
_PATIENCE = 500_000
"""The fruitless steps after which a broken file is given up: about a second."""
_MISLED = 10
"""Elements that end elsewhere than their indentation says, after which it says nothing any more."""
_OPEN, _CLOSE = ord("["), ord("]")
_OBJECT, _OBJECT_END = ord("{"), ord("}")


@dataclass(frozen=True, slots=True)
class Layout:
    """The layout of a list whose elements stand on lines of their own."""

    close: bytes
    """The end of an element: a line break, its indentation and its bracket."""
    next: re.Pattern[bytes]
    """The line break before the next element, or before a bracket that closes something around this one."""


def layout_of(scan: JSONScanner) -> Layout | None:
    """Return the layout of the element that begins here; None if it does not begin and end on lines of its own."""
    scan.have(LONGEST_MARK)
    indentation = scan.indentation()
    lines = scan.data[scan.at + 1 : scan.at + 3].lstrip(b"\r").startswith(b"\n")
    if indentation is None or not lines or scan.data[scan.at] != _OBJECT:
        return None
    outer = rb"[ \t]{0,%d}+[\]}]" % (len(indentation) - 1) if indentation else rb"\]"
    return Layout(b"\n" + indentation + b"}", re.compile(rb"\n(?=" + indentation + rb"\{|" + outer + rb")"))


class ElementReader:
    """Reads a list of which the scanner stands at the opening bracket, and passes its closing one."""

    def __init__(
        self,
        scan: JSONScanner,
        pointer: str,
        parse: Callable[[bytes], Any],
        genuine: Callable[[Any], bool],
        cap: int,
        line: bytes | None,
        *,
        together: bool = False,
    ) -> None:
        """``line`` is the indentation of the list's key, if that begins a line; ``together`` permits several elements
        as `Elements`.
        """
        self.cut = False
        """True if nothing after this list can be read."""
        self._scan = scan
        self._pointer = pointer
        self._parse = parse
        self._genuine = genuine
        self._cap = cap
        self._learned = False
        self._layout: Layout | None = None
        self._line = line
        self._head = self._any_head()
        """Matches the place to continue at after a broken element, if there is no layout."""
        self._between = b""
        """Without a layout: the last brackets of an element with the text up to the first key of the next. All last
        brackets count, since objects inside the element, which may begin with the same key, end with fewer.
        """
        self._brackets = 0
        """The number of these last brackets."""
        self._wasted = 0
        self._misled = 0
        self._index = 0
        self._together = together
        self._apart = 0
        """Up to this place of the stream, elements are parsed one by one: together they are no JSON."""

    def events(self) -> Iterator[Element | Elements | Broken]:
        """Yield every element, and the broken parts."""
        scan = self._scan
        scan.at += 1
        recovering = False
        while not self.cut:
            first = scan.next_byte()
            if first == END:
                self.cut = True
                if not recovering:
                    yield self._broken(CUT_OFF)
            elif first in (_CLOSE, _OBJECT_END) and (not recovering or self._ends_here()):
                if first == _CLOSE:
                    scan.at += 1
                else:  # it closes the object around: the list's own bracket was lost
                    yield self._broken("the list does not end")
                return
            elif recovering and not self._layout and first != _OBJECT:
                self._resync()
            else:
                if not self._learned:
                    self._learn(first_of_all=not recovering)
                read = self._read(recovering=recovering)
                if read is not None:
                    yield read
                    recovering = isinstance(read, Broken)
                    if not recovering:
                        if self._together:
                            yield from self._batches()
                        yield from self._run()

    def _batches(self) -> Iterator[Elements]:
        """Yield all elements that end within the next bytes of the buffer, by one call of the parser. This is the
        hottest loop.
        """
        scan = self._scan
        while scan.next_byte() == _OBJECT and scan.offset >= self._apart:
            at = scan.at
            end = self._last_end(at, at + min(_TOGETHER, self._cap))
            if not end:
                return
            try:
                values: list[Any] = orjson.loads(b"[%b]" % scan.data[at:end])
            except orjson.JSONDecodeError:
                self._apart = scan.offset + end - at
                return
            batch = Elements(self._pointer, self._index, values, scan.offset)
            scan.at = end
            self._index += len(values)
            yield batch

    def _last_end(self, begin: int, end: int) -> int:
        """Return the position after the last apparent end of an element between two positions of the buffer; 0 if there
        is none.
        """
        mark = self._layout.close if self._layout else self._between
        mark_at = self._scan.data.rfind(mark, begin, end) if mark else -1
        return mark_at + (len(mark) if self._layout else self._brackets) if mark_at >= 0 else 0

    def _run(self) -> Iterator[Element]:
        """Yield elements as long as each ends as the layout says, is in the buffer and can be parsed. This is the hot
        loop.
        """
        if self._layout is None:
            return
        scan, parse, pointer = self._scan, self._parse, self._pointer
        close = self._layout.close
        while scan.next_byte() == _OBJECT:
            data, at = scan.data, scan.at
            end = data.find(close, at)
            if end < 0 or end - at > self._cap:
                return
            end += len(close)
            try:
                value = parse(bytes(data[at:end]))
            except ValueError:
                return
            element = Element(pointer, self._index, value, end - at, scan.offset)
            scan.at = end
            self._index += 1
            yield element

    def _read(self, *, recovering: bool) -> Element | Broken | None:
        """Return the element that begins here; after a broken element, go to the next place to continue at."""
        scan = self._scan
        offset, before = scan.offset, scan.steps
        new_list = (
            recovering
            and not self._layout
            and scan.data[max(0, scan.at - INDENTATION) : scan.at].rstrip().endswith(b"[")
        )
        try:
            value, size = self._element()
        except ValueError as error:
            # With a layout it is an element of its own; without one it may be a part of what is broken already.
            is_marked = recovering and not (self._layout and self._learned)
            broken = None if is_marked else self._broken(str(error))
            self._wasted += scan.steps - before
            if self._wasted > _PATIENCE and not self._layout:
                self.cut = True
                return self._broken("too much of it is broken: not read any further")
            self._resync()
            return broken
        if recovering and not self._genuine(value):
            self._layout = self._layout if self._learned else None
            return None
        if new_list:
            self.cut = True
            return self._broken("the end of the list is lost: not read any further")
        self._learned = True
        self._index += 1
        return Element(self._pointer, self._index - 1, value, size, offset)

    def _broken(self, reason: str) -> Broken:
        self._index += 1
        return Broken(f"{self._pointer}/{self._index - 1}", self._scan.offset, reason)

    def _learn(self, *, first_of_all: bool) -> None:
        """Learn the layout of this list from the text that begins here: an element, if it is the first text in the
        list.
        """
        self._layout = layout_of(self._scan)
        self._learned = first_of_all and self._layout is not None
        head = _HEAD.match(self._scan.data, self._scan.at)
        self._head = re.compile(re.escape(head[0])) if head else self._any_head()

    def _any_head(self) -> re.Pattern[bytes]:
        """Return the pattern of the place to continue at while no element was read yet: any object in the list, or the
        list's end.
        """
        if not self._line:
            return _ANY_HEAD
        return re.compile(rb"\n(?=%b[ \t]+\{|[ \t]{0,%d}[\]}])" % (self._line, len(self._line)))

    def _ends_here(self) -> bool:
        """Return whether a bracket behind a broken element closes the list itself, and not a value inside it."""
        if self._layout:
            return True  # the pattern of the layout finds no other bracket
        here = self._scan.indentation()
        return bool(self._line) and here is not None and len(here) <= len(self._line or b"")

    def _element(self) -> tuple[Any, int]:
        """Return the value here and its length, and pass it.

        Raises:
            ValueError: it cannot be read; nothing is passed.
        """
        scan = self._scan
        tried, refused = 0, ""
        if scan.data[scan.at] == _OBJECT:
            tried = self._indented_length(self._layout.close) if self._layout else self._length_before_next()
        if tried:
            try:
                return self._parsed(tried)
            except ValueError as error:
                refused = str(error)
        cap = self._cap
        if self._layout and tried:
            # Somebody may have indented it otherwise; a bracket that was lost must not cost a look at all that follows.
            cap = min(cap, tried + _NEAR)
            if self._wasted > _PATIENCE:
                raise ValueError(refused)
        length, reason = scan.length(cap)
        if reason or length == tried:
            raise ValueError(refused or reason)
        element = self._parsed(length)
        if self._layout:
            self._misled += 1
            if not tried or self._misled > _MISLED:  # looked for in vain, for each element anew
                self._layout = None
        if not self._layout and not self._between:
            scan.have(LONGEST_MARK)
            if between := _BETWEEN.match(scan.data, scan.at):
                last = bytes(scan.data[max(0, scan.at - _MOST_BRACKETS) : scan.at])
                brackets = last[len(last.rstrip(b"]}")) :]
                if brackets:
                    self._brackets, self._between = len(brackets), brackets + between[0]
        return element

    def _parsed(self, length: int) -> tuple[Any, int]:
        scan = self._scan
        value = self._parse(bytes(scan.data[scan.at : scan.at + length]))
        scan.at += length
        return value, length

    def _indented_length(self, close: bytes) -> int:
        """Return the length up to the first line that closes an element; 0 if there is none within the cap."""
        return self._scan.length_to(re.compile(re.escape(close)), self._cap)

    def _length_before_next(self) -> int:
        """Return the length up to the apparent start of the next element; 0 if none is near."""
        at = self._scan.at
        end = self._scan.data.find(self._between, at, at + _NEAR) if self._between else -1
        return end - at + self._brackets if end >= 0 else 0

    def _resync(self) -> None:
        """Go to the apparent start of the next element, or to the apparent end of the list."""
        if not self._learned:  # by nothing but what is broken
            self._layout, self._head = None, self._any_head()
        pattern = self._layout.next if self._layout else self._head
        self.cut = not self._scan.seek(pattern)
