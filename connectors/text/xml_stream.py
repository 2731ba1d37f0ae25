"""XML as a stream of events, for files of strangers: no entity of a document's own is taken, nothing outside is opened."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol
from xml.parsers import expat

_CHUNK = 64 * 1024
_DEEPEST = 2_000


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
