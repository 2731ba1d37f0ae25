"""The contract of every source: bytes in, documents out. Small interfaces; implementers need not import them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import tzinfo
from typing import TYPE_CHECKING, BinaryIO, Literal, Protocol

from ..schemas import Document, Notice, Rejected, ZoneOrigin

Receipts = Literal["file", "counted", "listed", "export"]
DateOrder = Literal["dmy", "mdy", "ymd"]
Record = Document | Notice | Rejected
"""The results of reading: documents, notices about the result, and records that could not be read."""


@dataclass(frozen=True, slots=True)
class Format:
    """A format as its own folder describes it: its nature, and the grouping of its files. Nothing of its connector is
    imported for it.
    """

    name: str
    """The connector's, for ``--format``."""
    rank: int = 1_000
    """The rank among formats. Of the formats that recognise something in a source, the one with the lowest rank also
    gets the unrecognised files; of two that are barely sure, the one with the lower rank reads the file.
    """
    connector: str = ""
    """The path of its class: ``memd.connectors.formats.slack.connector:SlackConnector``."""
    reads: str = ""
    """The exports that it reads, in a line for people who need to know the required form."""
    leaves_out: str = ""
    """The parts of the app or the export that are not read."""
    each_file_alone: bool = False
    """True if each file stands for itself. In other formats several files may be one export, with lists of people and
    pages that continue in the next file.
    """
    takes_any_file: bool = False
    """True if its connector treats every file that it is given as one of its format: from a folder or archive it is
    given only the recognised files, and none that lies beside them.
    """
    sent_in_chats: bool = False
    """True if people also send its files in chats: then the position of a file does not show where an export ends."""
    takes_anything: bool = False
    """True if it reads any file of some form, whatever wrote it: a page, a text, JSON. What another program is known to
    write is not for it.
    """
    of_programs: bool = False
    """True if it reads programs: what stands in one, such as the chats in the test of a parser, is no file of another format."""
    of_documents: bool = False
    """True if its files are documents that people keep and change in place: in a mirrored folder what was read of such a
    file goes with it. An export may be deleted once it was read.
    """
    files_in: str = ""
    """The name of the folder with parts of messages: Signal keeps the end of a long text as a file there."""
    own_files: tuple[str, ...] = ()
    """The names of files that belong to its own files in the same folder, whatever other formats make of them: a page on
    which an export shows its chats again, the text of a note whose dates stand beside it. One that begins with ``*`` is
    named as its own file up to the ending.
    """
    pieces: str = ""
    """An expression for the numbers behind the names of archives, in a folder or inside one, if a large export comes in several:
    their content is one export.
    """
    unmistakable: float = 2.0
    """The score from which on a file is of no other format: several keys of JSON that only this program writes. Its exports have
    hundreds of such files, and who reads one is asked first about the next.
    """
    receipts: Receipts = "file"
    """The level of detail of a receipt. ``file``: files are read one after the other, with a line for each. ``listed``:
    likewise, but half of them are lists of members, so the export has one line. ``counted``: files are read together,
    and the connector counts the messages of each. ``export``: files are read together, and a document may come from
    several.
    """


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """The facts that only a person or the configuration knows. Parsers never ask for them; their callers may."""

    zone: tzinfo
    """The zone of wall-clock times without one."""
    zone_origin: ZoneOrigin = "assumed"
    me: str | None = None
    """The exporter's own name in the source."""
    names: Mapping[str, str] = field(default_factory=dict[str, str])
    """The user's name by connector, if ``me`` is not given; under the empty name, that of all other connectors."""
    chat: str | None = None
    """The chat's key and title, instead of the one found."""
    date_order: DateOrder | None = None
    """Decides a date order that the evidence leaves open."""
    format: str | None = None
    """A connector's name: no sniffing."""
    temporary: str | None = None
    """The folder for private copies; None: the system's. The code that sets it also removes it, even if the reader is
    killed.
    """

    def of_connector(self, name: str) -> ReadOptions:
        """Return the options for the connector of this name: with the user's own name in its source."""
        if self.me is not None or not self.names:
            return self
        return replace(self, me=self.names.get(name) or self.names.get("") or None)


@dataclass(frozen=True, slots=True)
class Preview:
    """The preview of a source before anything is stored: enough to ask a person for missing facts."""

    format: str
    title: str = ""
    chat: str = ""
    speakers: Sequence[str] = ()
    """Everybody who wrote, the most frequent first."""
    user: str | None = None
    """The exporter's name, if given or shown by evidence."""
    date_order: DateOrder | None = None
    date_order_ambiguous: bool = False
    messages: int | None = None
    """The number of messages, if the preview counts them."""
    notices: Sequence[Notice] = field(default_factory=tuple[Notice, ...])


class Member(Protocol):
    """One readable part of a source: a file of a folder or an archive, or the file itself."""

    @property
    def name(self) -> str:
        """Path inside the source, with ``/``; the file's own name when the source is one file."""
        ...

    @property
    def locator(self) -> str:
        """Return the name for messages: ``chat.zip!_chat.txt``."""
        ...

    @property
    def size(self) -> int | None:
        """Uncompressed bytes, as far as known; never trusted as a limit."""
        ...

    def open(self) -> BinaryIO:
        """Return a stream of the uncompressed bytes, from the start; may be called again. The caller closes it.

        Raises:
            SourceError: it cannot be read, or breaks a cap (ratio, size, depth) while it is read.
        """
        ...


class Source(Protocol):
    """A path that was opened: a file, a folder, an archive, or standard input. Never extracted to disk."""

    @property
    def name(self) -> str:
        """Return the file's or folder's own name, without its directory; ``-`` for standard input."""
        ...

    @property
    def locator(self) -> str:
        """Return the path as it was given."""
        ...

    def members(self) -> Sequence[Member]:
        """Return everything readable, in a stable order, without the files that archivers add (``__MACOSX``,
        ``.DS_Store``, ``._*``).
        """
        ...

    def notices(self) -> Sequence[Notice | Rejected]:
        """Return the members refused in listing: unsafe names, too many members, links, devices.

        The code that opened the source reports them; a connector's ``read`` does not repeat them.
        """
        ...


class Connector(Protocol):
    """A format that memd reads. Instances have no state, and their construction does no I/O."""

    @property
    def name(self) -> str:
        """Return the source's name in documents, ``whatsapp``."""
        ...

    @property
    def version(self) -> int:
        """Return the version, which rises when the same file would give other documents: import receipts contain it."""
        ...

    def sniff(self, source: Source) -> float:
        """Return the score from 0 to 1 that this connector can read the source, by content and never by the file's name
        alone.

        From 0.5 on the connector would read it. A few kilobytes of each member must do. Never raises on any bytes.
        """
        ...

    def preview(self, source: Source, options: ReadOptions) -> Preview:
        """Return a preview, streaming and in bounded memory.

        Raises:
            SourceError: the source cannot be read.
        """
        ...

    def read(self, source: Source, options: ReadOptions) -> Iterator[Record]:
        """Yield everything in a source, streaming and in bounded memory; reading twice gives equal records.

        A source may hold several files of the format, and others that no format recognises: attachments, or rubbish.

        Raises:
            SourceError: the source cannot be read at all. One bad record is a ``Rejected`` instead.
        """
        ...


class ScoringConnector(ABC):
    """A connector whose score of a source is the highest score of its first files; a subclass scores one of them."""

    name: str
    """The format's."""
    version = 1
    """The version of the records, named in receipts."""
    certain = 1.0
    """A file of this score ends the recognition of its source."""
    sniffed_members = 200
    """A source of more files is recognised by the first of them."""

    @abstractmethod
    def score(self, member: Member) -> float:
        """Return how sure it is of one file."""

    @abstractmethod
    def preview(self, source: Source, options: ReadOptions) -> Preview:
        """Look at the source before anything is stored."""

    @abstractmethod
    def read(self, source: Source, options: ReadOptions) -> Iterator[Record]:
        """Read every file."""

    def sniff(self, source: Source) -> float:
        """Return the highest score of a file."""
        best = 0.0
        for member in source.members()[: self.sniffed_members]:
            best = max(best, self.score(member))
            if best >= self.certain:
                break
        return best


if TYPE_CHECKING:
    _: type[Connector] = ScoringConnector
