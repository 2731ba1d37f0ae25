"""Builds the document of a DOCX from its parts: body, then footnotes, endnotes and comments; properties as metadata."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ....schemas import Notice, Rejected, TextDocument
from ....schemas.errors import SourceError
from ....schemas.times import rfc3339
from ...connector import Member, Record
from ...errors import refusal
from ...files.file_connector import stem_of
from ...files.whole_files import FILE_CAP
from ...text.html.links import as_metadata, leads_elsewhere
from ...text.xml_stream import XmlError, XmlEvent, xml_events
from .body import BodyText, Counts
from .properties import Properties, properties_of
from .styles import heading_levels

NAME = "docx"
_RELATIONS = "_rels/.rels"
_MOST_LINKS = 500
_DOCUMENT = "word/document.xml"


class _TooLargeError(Exception):
    """Raised when a document has more text than allowed."""


@dataclass(slots=True)
class _Reading:
    """The text and the rejections collected from one file."""

    locator: str
    parts: Mapping[str, Member]
    counts: Counts = field(default_factory=Counts)
    blocks: list[str] = field(default_factory=list[str])
    size: int = 0
    links: dict[str, None] = field(default_factory=dict[str, None])
    """The addresses behind words."""
    rejected: list[Rejected] = field(default_factory=list[Rejected])

    def add(self, block: str) -> None:
        """Add a block of text."""
        self.size += len(block)
        if self.size > FILE_CAP:
            raise _TooLargeError
        self.blocks.append(block)

    def events(self, name: str) -> Iterator[XmlEvent]:
        """Yield the events of a part; damage ends them and adds a rejection."""
        member = self.parts.get(name)
        if member is None:
            return
        try:
            with member.open() as stream:
                yield from xml_events(stream)
        except XmlError as error:
            self.rejected.append(Rejected(locator=member.locator, reason=f"{error}: what follows was not read"))
        except SourceError as error:
            self.rejected.append(refusal(member.locator, error))


def docx_records(locator: str, path: str, parts: Mapping[str, Member]) -> Iterator[Record]:
    """Yield the document of one file, its notices, and a rejection for each part that cannot be read.

    Args:
        locator: the locator of the file.
        path: the path of the file, with the root's name.
        parts: the parts of the file by name.
    """
    reading = _Reading(locator, parts)
    properties = properties_of(reading.events("docProps/core.xml"))
    try:
        _collect(reading)
    except _TooLargeError:
        yield Rejected(locator=locator, reason=f"more than {FILE_CAP} characters in one document")
        return
    yield from reading.rejected
    text = "\n\n".join(reading.blocks)
    if not text.strip():
        yield Rejected(locator=locator, reason="no words were found in it")
        return
    if reading.counts.hidden:
        hint = f"{reading.counts.hidden} characters of hidden text were left out"
        yield Notice(code="hidden-text", locator=locator, hint=hint)
    if reading.counts.deleted:
        hint = f"{reading.counts.deleted} tracked deletion(s) were left out"
        yield Notice(code="tracked-deletions", locator=locator, hint=hint)
    links = [link for link in reading.links if leads_elsewhere(link, "") and link not in text]
    yield _document(path, text, properties, reading.counts, links)


def _collect(reading: _Reading) -> None:
    main = _main_part(reading)
    folder = main.rpartition("/")[0]
    levels = heading_levels(reading.events(f"{folder}/styles.xml"))
    body = BodyText(levels, reading.counts)
    for block in body.blocks(reading.events(main)):
        reading.add(block)
    reading.links.update(dict.fromkeys(body.links))
    referred = set(body.marks)
    for part in (main.rpartition("/")[2], "footnotes.xml", "endnotes.xml", "comments.xml"):
        reading.links.update(dict.fromkeys(_hyperlinks(reading, f"{folder}/_rels/{part}.rels")))
    for part, element, prefix in (("footnotes", "footnote", ""), ("endnotes", "endnote", "e")):
        for identifier, _, text in _notes(reading, f"{folder}/{part}.xml", element):
            if f"{prefix}{identifier}" in referred:  # the other notes are separator lines
                reading.add(f"[^{prefix}{identifier}]: {text}")
    for _, author, text in _notes(reading, f"{folder}/comments.xml", "comment"):
        reading.add(f"[Comment by {author}: {text}]" if author else f"[Comment: {text}]")


def _notes(reading: _Reading, part: str, element: str) -> Iterator[tuple[str, str, str]]:
    """Yield the id, the author and the text of each note of a part."""
    waiting: list[XmlEvent] = []
    inside: XmlEvent | None = None
    for event in reading.events(part):
        if event.kind == "start" and event.name == element:
            inside, waiting = event, []
        elif event.kind == "end" and event.name == element and inside is not None:
            text = "\n".join(BodyText({}, reading.counts).blocks(waiting)).strip()
            if text:
                yield inside.attributes.get("id", ""), inside.attributes.get("author", "").strip(), text
            inside = None
        elif inside is not None:
            waiting.append(event)


def _hyperlinks(reading: _Reading, part: str) -> Iterator[str]:
    """Yield the addresses outside the file to which the links of a part lead."""
    for event in reading.events(part):
        named = event.attributes if event.kind == "start" and event.name == "Relationship" else {}
        if named.get("Type", "").endswith("/hyperlink") and named.get("TargetMode", "").lower() == "external":
            yield named.get("Target", "").strip()


def _main_part(reading: _Reading) -> str:
    for event in reading.events(_RELATIONS):
        if event.name == "Relationship" and event.attributes.get("Type", "").endswith("/officeDocument"):
            target = event.attributes.get("Target", "").lstrip("/")
            if target in reading.parts:
                return target
    return _DOCUMENT


def _document(path: str, text: str, properties: Properties, counts: Counts, links: list[str]) -> TextDocument:
    metadata = {
        "source": NAME,
        "title": properties.title or stem_of(path),
        "path": path,
        "media_type": "text/markdown",
        **as_metadata(links[:_MOST_LINKS]),
    }
    for key in ("author", "subject", "language"):
        if value := getattr(properties, key):
            metadata[key] = value
    written = properties.created or properties.updated
    for key, time in (("created", properties.created), ("updated", properties.updated)):
        if time is not None:
            metadata[key] = rfc3339(time)
    if counts.inserted or counts.deleted:
        metadata["tracked_changes"] = "true"
    return TextDocument(
        id=f"{NAME}:{path}", content=text, timestamp=written, tags=tuple(properties.keywords), metadata=metadata
    )
