"""The walk through one huge JSON value: lists at given paths are streamed, and the values beside them are yielded, too."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, cast

from .elements import ElementReader, Layout, layout_of
from .events import Batch, Broken, Element, Elements, Ended, Event, Path, Started
from .fields import FieldReader
from .scanner import CUT_OFF, END, LONGEST_MARK, QUOTE, JSONScanner

ELEMENT_CAP = 64 << 20
"""Bytes of one element of a list."""
FIELD_CAP = 1 << 20
"""The largest size in bytes of one value beside the lists; larger ones are skipped."""

_LONGEST_KEY = 256
_COLON = re.compile(rb"\s*+:")


class JSONStream:
    """Reads with ``read(n)`` until that gives no bytes; UTF-8 without a mark. Holds one element at a time.

    ``parse`` makes a value of the bytes of one element, key or field and raises ValueError, whose text becomes the
    reason; repairs of what a program writes wrongly belong there. ``genuine`` says of something found behind a broken
    element whether it may be an element at all, and not a part of the broken one.
    """

    def __init__(
        self,
        read: Callable[[int], bytes],
        paths: tuple[Path, ...],
        parse: Callable[[bytes], Any],
        *,
        genuine: Callable[[Any], bool] = lambda _value: True,
        element_cap: int = ELEMENT_CAP,
        field_cap: int = FIELD_CAP,
    ) -> None:
        self._scan = JSONScanner(read)
        self._paths = paths
        self._parse = parse
        self._genuine = genuine
        self._element_cap = element_cap
        self._fields = FieldReader(self._scan, parse, field_cap)
        self._cut = False
        """True if nothing more can be read."""
        self._lost = False
        """The end of the last value was not found."""
        self._together = False

    def events(self) -> Iterator[Event]:
        """Yield everything that can be read, in the order of the stream. Call it once."""
        return cast("Iterator[Event]", self._events())

    def batches(self) -> Iterator[Batch]:
        """Yield the events with many elements at a time; an alternative to iteration, usable once.

        It takes half the time where elements are small. Bytes that orjson takes are not given to ``parse``, which must
        make the same value of them.
        """
        self._together = True
        for event in self._events():
            if isinstance(event, Element):
                yield Elements(event.array, event.index, [event.value], event.offset)
            else:
                yield event

    def _events(self) -> Iterator[Event | Elements]:
        first = self._scan.next_byte()
        if first == END:
            yield Broken("", 0, "it is empty")
            return
        self._lost = first not in b"{["
        if self._lost:  # its bracket may be damaged, and all the rest be there
            yield Broken("", self._scan.offset, "not valid JSON: no object and no list")
            yield from self._object("", tuple(path for path in self._paths if path), None)
        else:
            yield from self._value("", "", "", self._paths)
        if not self._cut and self._scan.next_byte() != END:
            yield Broken("", self._scan.offset, "not valid JSON: something stands behind its end")

    def _value(
        self,
        holder: str,
        key: str,
        pointer: str,
        paths: tuple[Path, ...],
        layout: Layout | None = None,
        line: bytes | None = None,
    ) -> Iterator[Event | Elements]:
        """Yield the events of a value on some of the paths; ``paths`` are their remaining parts."""
        first = self._scan.data[self._scan.at]
        onward = tuple(path for path in paths if path)
        if first == ord("[") and () in paths:
            yield Started(pointer, holder)
            elements = ElementReader(
                self._scan,
                pointer,
                self._parse,
                self._genuine,
                self._element_cap,
                line,
                together=self._together,
            )
            yield from elements.events()
            self._cut = self._cut or elements.cut
        elif first == ord("{") and onward:
            yield from self._object(pointer, onward, layout)
        elif first == ord("[") and any(path[0] == "*" for path in onward):
            yield from self._list(pointer, onward)
        else:
            event, value = self._fields.read(holder, key, pointer, line)
            yield event
            self._lost = not value
            self._cut = self._cut or (isinstance(event, Broken) and event.reason == CUT_OFF)

    def _object(self, pointer: str, paths: tuple[Path, ...], layout: Layout | None) -> Iterator[Event | Elements]:
        """Yield the events of an object on a path; ``layout`` is that of the list whose element it is."""
        scan = self._scan
        scan.at += 1
        line: bytes | None = None
        while not self._cut:
            if self._lost:
                self._lost = False
                if not self._next_known_key(paths, layout, line):
                    break
            first = scan.next_byte()
            if first == ord("}"):
                scan.at += 1
                yield Ended(pointer, whole=True)
                return
            if first == END:
                self._cut = True
                yield Broken(pointer, scan.offset, CUT_OFF)
                break
            here = scan.indentation()
            if (key := self._key()) is None:
                yield Broken(pointer, scan.offset, "not valid JSON: no key where one should be")
                self._lost = True
            else:
                line = here
                inside = tuple(path[1:] for path in paths if path[0] in (key, "*"))
                yield from self._value(pointer, key, f"{pointer}/{_escaped(key)}", inside, line=line)
        yield Ended(pointer, whole=False)

    def _key(self) -> str | None:
        """Read the key here and its colon; return None and move nothing if there is no key with a value."""
        scan = self._scan
        if scan.data[scan.at] != QUOTE:
            return None
        length, reason = scan.length(_LONGEST_KEY)
        scan.have(_LONGEST_KEY + LONGEST_MARK)
        colon = _COLON.match(scan.data, scan.at + length)
        if reason or colon is None:
            return None
        try:
            key = self._parse(bytes(scan.data[scan.at : scan.at + length]))
        except ValueError:
            return None
        scan.at = colon.end()
        return key if isinstance(key, str) and scan.next_byte() != END else None

    def _next_known_key(self, paths: tuple[Path, ...], layout: Layout | None, indentation: bytes | None) -> bool:
        """After a broken part, go to the next key of this object that a path names and whose value opens a bracket.
        Return False if the file ends or the next element of the surrounding list comes first.
        """
        names = b"|".join(re.escape(path[0].encode()) for path in paths if path[0] != "*")
        line = rb"[^ \t]" + indentation if indentation else b""
        marks = [line + rb'(?P<key>"(?:' + names + rb')"\s{0,64}+:\s{0,64}+[\[{])'] if names else []
        marks += [layout.next.pattern] if layout else []
        if not marks:
            self._cut = True
            return False
        match = self._scan.seek(re.compile(b"|".join(marks)))
        self._cut = match is None
        return match is not None and bool(names) and match["key"] is not None

    def _list(self, pointer: str, paths: tuple[Path, ...]) -> Iterator[Event | Elements]:
        """Yield the events of a list whose elements contain the requested lists."""
        scan = self._scan
        scan.at += 1
        index = 0
        layout: Layout | None = None
        inside = tuple(path[1:] for path in paths if path[0] == "*")
        while not self._cut:
            first = scan.next_byte()
            if first == ord("]"):
                scan.at += 1
                return
            if first in (END, ord("}")):
                self._cut = first == END
                yield Broken(f"{pointer}/{index}", scan.offset, CUT_OFF if self._cut else "the list does not end")
                return
            layout = layout or layout_of(scan)
            yield from self._value(pointer, str(index), f"{pointer}/{index}", inside, layout)
            self._lost = False
            index += 1


def _escaped(key: str) -> str:
    """Return a key escaped for a JSON pointer."""
    return key.replace("~", "~0").replace("/", "~1")
