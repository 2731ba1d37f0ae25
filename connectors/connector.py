"""The contract of every source: bytes in, documents out. Small interfaces; implementers need not import them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import tzinfo
from typing import BinaryIO, Literal, Protocol

from ..schemas import Document, Notice, Rejected, ZoneOrigin

DateOrder = Literal["dmy", "mdy", "ymd"]
Record = Document | Notice | Rejected
"""What reading yields: a document, something to know about the result, or a record that could not be read."""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What only a person or the configuration knows. Parsers never ask; whoever calls them may."""

    zone: tzinfo
    """The zone of wall-clock times without one."""
    zone_origin: ZoneOrigin = "assumed"
    me: str | None = None
    """The exporter's own name in the source."""
    names: Mapping[str, str] = field(default_factory=dict[str, str])
    """The same by connector, where ``me`` is not given; under the empty name that of all others."""
    chat: str | None = None
    """The chat's key and title, instead of the one found."""
    date_order: DateOrder | None = None
    """Decides a date order that the evidence leaves open."""
    format: str | None = None
    """A connector's name: no sniffing."""
    temporary: str | None = None
    """A folder for private copies. Whoever gives it removes it, also when the reader is killed; None: the system's."""

    def of_connector(self, name: str) -> ReadOptions:
        """The options for the connector of this name: with the user's own name in its source."""
        if self.me is not None or not self.names:
            return self
        return replace(self, me=self.names.get(name) or self.names.get("") or None)


@dataclass(frozen=True, slots=True)
class Preview:
    """What a first look at a source shows, before anything is stored: enough to ask a person what is missing."""

    format: str
    title: str = ""
    chat: str = ""
    speakers: Sequence[str] = ()
    """Everybody who wrote, the most frequent first."""
    user: str | None = None
    """The exporter's name, when given or shown by evidence."""
    date_order: DateOrder | None = None
    date_order_ambiguous: bool = False
    messages: int | None = None
    """How many messages there are, when the first look counts them."""
    notices: Sequence[Notice] = field(default_factory=tuple[Notice, ...])


class Member(Protocol):
    """One readable thing inside a source: a file of a folder or an archive, or the file itself."""

    @property
    def name(self) -> str:
        """Path inside the source, with ``/``; the file's own name when the source is one file."""
        ...

    @property
    def locator(self) -> str:
        """For messages: ``chat.zip!_chat.txt``."""
        ...

    @property
    def size(self) -> int | None:
        """Uncompressed bytes, as far as known; never trusted as a limit."""
        ...

    def open(self) -> BinaryIO:
        """A stream of the uncompressed bytes, from the start; may be called again. The caller closes it.

        Raises:
            SourceError: it cannot be read, or breaks a cap (ratio, size, depth) while it is read.
        """
        ...


class Source(Protocol):
    """A path that was opened: a file, a folder, an archive, or standard input. Never extracted to disk."""

    @property
    def name(self) -> str:
        """The file's or folder's own name, without its directory; ``-`` for standard input."""
        ...

    @property
    def locator(self) -> str:
        """The path as it was given."""
        ...

    def members(self) -> Sequence[Member]:
        """Everything readable, in a stable order, without what archivers add (``__MACOSX``, ``.DS_Store``, ``._*``)."""
        ...

    def notices(self) -> Sequence[Notice | Rejected]:
        """What was refused while the members were listed: unsafe names, too many members, links, devices.

        Whoever opened the source tells them; a connector's ``read`` does not repeat them.
        """
        ...


class Connector(Protocol):
    """A format that memd reads. Instances hold no state and construct without I/O."""

    @property
    def name(self) -> str:
        """The source's name in documents, ``whatsapp``."""
        ...

    @property
    def version(self) -> int:
        """Counts up when the same file would give other documents: receipts of imports tell it."""
        ...

    def sniff(self, source: Source) -> float:
        """How sure it is that it can read this, 0 to 1, by content and never by the file's name alone.

        From 0.5 on it would read it. A few kilobytes of each member must do. Never raises on any bytes.
        """
        ...

    def preview(self, source: Source, options: ReadOptions) -> Preview:
        """A first look, streaming and in bounded memory.

        Raises:
            SourceError: the source cannot be read.
        """
        ...

    def read(self, source: Source, options: ReadOptions) -> Iterator[Record]:
        """Everything in it, streaming and in bounded memory; reading twice gives equal records.

        A source may hold several files of the format, and others that no format recognises: attachments, or rubbish.

        Raises:
            SourceError: the source cannot be read at all. One bad record is a ``Rejected`` instead.
        """
        ...
