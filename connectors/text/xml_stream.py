"""XML as a stream of events, for files of strangers: no entity of a document's own is taken, nothing outside is opened."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, Protocol, TypeVar
from xml.parsers import expat

T = TypeVar("T")
_CHUNK = 64 * 1024
_DEEPEST = 2_000
_LONGEST_TAG = 64
"""The most bytes of the beginning of a record by which it is recognised."""


class XmlError(Exception):
    """Raised for XML that is not read: damaged, with entities of its own, or nested too deep."""

    def __init__(self, reason: str, at: int = -1) -> None:
        super().__init__(reason)
        self.at = at
        """The position in bytes at which damage was found; -1 for other reasons."""


class Readable(Protocol):
    """The stream from which events are read."""

    def read(self, size: int, /) -> bytes:
        """Return the next bytes; none at the end."""
        ...


class XmlEvent(NamedTuple):
    """The beginning or the end of an element, or text."""

    kind: str
    """``start``, ``end`` or ``text``."""
    name: str
    """The element's local name, without its namespace; of a text the text itself."""
    attributes: dict[str, str]
    """By local name; of a start alone."""
    space: str = ""
    """The element's namespace."""


_NONE: dict[str, str] = {}


class _Collector:
    def __init__(self) -> None:
        self.events: list[XmlEvent] = []
        self._depth = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise XmlError(f"nested more than {_DEEPEST} levels deep")
        space, _, local = name.rpartition(" ")
        plain = {key.rpartition(" ")[2]: value for key, value in attributes.items()}
        self.events.append(XmlEvent("start", local, plain, space))

    def end(self, name: str) -> None:
        self._depth -= 1
        space, _, local = name.rpartition(" ")
        self.events.append(XmlEvent("end", local, _NONE, space))

    def text(self, data: str) -> None:
        self.events.append(XmlEvent("text", data, _NONE))


def xml_events(stream: Readable) -> Iterator[XmlEvent]:
    """Yield all events of the stream, in order. A text may come in several events. The caller still closes the stream.

    Raises:
        XmlError: it is damaged, or no XML that is read.
        SourceError: the stream raises it.
    """
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    collector = _Collector()
    parser.StartElementHandler = collector.start
    parser.EndElementHandler = collector.end
    parser.CharacterDataHandler = collector.text
    parser.EntityDeclHandler = _refuse
    parser.ExternalEntityRefHandler = _skip
    parser.UseForeignDTD(False)
    while True:
        data = stream.read(_CHUNK)
        try:
            parser.Parse(data, not data)
        except (expat.ExpatError, ValueError, LookupError) as error:  # ValueError: an encoding of several bytes
            yield from collector.events
            raise XmlError("damaged XML", parser.ErrorByteIndex) from error
        events, collector.events = collector.events, []
        yield from events
        if not data:
            return


def _refuse(*_declared: object) -> None:
    raise XmlError("it declares entities of its own")


def _skip(*_reference: object) -> int:
    """Open no external entity."""
    return 1


def xml_records(
    stream: Readable, root: bytes, start: re.Pattern[bytes], parse: Callable[[Iterator[XmlEvent]], Iterable[T]]
) -> Iterator[T | XmlError]:
    """Yield the results of ``parse`` on the events of a stream. At damage the error is yielded, and reading goes on at the
    next record.

    Args:
        stream: the bytes.
        root: the start tag of the element that holds the records.
        start: matches the beginning of a record.
        parse: converts events to records; raises what the events raise.

    Raises:
        SourceError: the stream raises it.
    """
    rest = _Rest(stream, root, start)
    while True:
        try:
            yield from parse(xml_events(rest))
        except XmlError as error:
            if rest.is_new(error.at):
                yield error
            if error.at < 0 or not rest.skip(error.at):
                return
        else:
            return


class _Rest:
    """A stream that can continue at the next record after damage."""

    def __init__(self, stream: Readable, root: bytes, start: re.Pattern[bytes]) -> None:
        self._stream = stream
        self._root = root
        self._start = start
        self._held = b""
        self._last = b""
        self._given = 0
        self._base = 0
        """The position in the stream at which the bytes since the last skip begin."""
        self._damage = -1
        """The position in the stream of the last damage."""

    def read(self, size: int, /) -> bytes:
        """Return the next bytes; empty at the end."""
        data, self._held = self._held or self._stream.read(size), b""
        self._last = data
        self._given += len(data)
        return data

    def is_new(self, at: int) -> bool:
        """Return whether damage at a position is other damage than at the last skip, to a start tag."""
        return at < 0 or self._base + at != self._damage

    def skip(self, at: int) -> bool:
        """Move to the first record after byte offset ``at``, counted from the last skip; return whether there is one."""
        skipped, self._damage = at + (not self.is_new(at)), self._base + at
        end = self._base + self._given
        data = self._last[max(0, skipped - (self._given - len(self._last))) :]
        while (match := self._start.search(data)) is None:
            more = self._stream.read(_CHUNK)
            if not more:
                return False
            data = data[-_LONGEST_TAG:] + more
            end += len(more)
        rest = data[match.start() :]
        self._held, self._given, self._base = self._root + rest, 0, end - len(rest) - len(self._root)
        return True
