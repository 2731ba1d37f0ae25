"""Reads books (EPUB)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ....schemas import DocumentCollectionDocument, Notice, Rejected, TextDocument
from ....schemas.errors import SourceError
from ....schemas.times import rfc3339
from ...connector import Member, ReadOptions, Record
from ...errors import refusal
from ...files.file_connector import FileConnector, stem_of
from ...files.whole_files import FILE_CAP, whole_file
from ...opening.package_members import package_members, part_names
from ...record_faults import records_at
from ...text.html.links import as_metadata
from ...text.html.page import decoded_page, page_text
from ...text.html.tree import TOO_COSTLY
from ...text.xml_stream import XmlError, XmlEvent, xml_events
from ...times.dates_written import written_date
from .package import Book, book_of, encrypted_parts, package_path

NAME = "epub"
SCORE = 0.5
"""The score of a book. It is low because a file beside a chat in the chat's archive is its attachment."""
_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_SHOWN_CHAPTERS = 300


class EpubConnector(FileConnector):
    """Reads books."""

    name = NAME
    certain = SCORE

    def score(self, member: Member) -> float:
        """Return ``SCORE`` for an archive that has the parts of a book, else 0."""
        return SCORE if _CONTAINER in part_names(member) else 0.0

    def records(self, member: Member, path: str, options: ReadOptions) -> Iterator[Record]:
        """Yield the chapters, then the collection of the book."""
        return _book(member, path, options)


def _book(member: Member, path: str, options: ReadOptions) -> Iterator[Record]:
    parts = package_members(member)
    try:
        place = package_path(_events(parts, _CONTAINER))
        book = book_of(_events(parts, place), place)
        encrypted = encrypted_parts(_events(parts, _ENCRYPTION))
    except XmlError as error:
        yield Rejected(locator=member.locator, reason=f"the book's description cannot be read: {error}")
        return
    members: list[tuple[str, str]] = []
    for chapter in book.chapters:
        part = parts.get(chapter)
        locator = f"{member.locator}!{chapter}"
        if part is None:
            yield Rejected(locator=locator, reason="the chapter is not in the book")
        elif chapter in encrypted:
            yield Rejected(locator=locator, reason="encrypted: protected by its seller")
        else:
            for record in records_at(locator, _chapter, part, locator, f"{NAME}:{path}", chapter, book, path, options):
                if isinstance(record, TextDocument):
                    members.append((record.id, record.metadata["title"]))
                yield record
    if not members:
        yield Rejected(locator=member.locator, reason="no chapter of it can be read")
        return
    collection = _collection(book, path, members, options)
    if collection.metadata.get("zone_origin") == "assumed":
        hint = f"dates have no zone; they are taken for {options.zone}: --zone decides"
        yield Notice(code="zone-assumed", locator=member.locator, hint=hint)
    yield collection


def _events(parts: Mapping[str, Member], name: str) -> Iterator[XmlEvent]:
    part = parts.get(name)
    if part is None:
        return
    with part.open() as stream:
        yield from xml_events(stream)


def _chapter(
    part: Member, locator: str, book_id: str, chapter: str, book: Book, path: str, options: ReadOptions
) -> Iterator[Record]:
    """Yield the document of a chapter; nothing for a page without words, such as a cover."""
    try:
        data = whole_file(part)
    except SourceError as error:
        yield refusal(locator, error)
        return
    if isinstance(data, Rejected):
        yield data
        return
    decoded = decoded_page(data)
    if decoded is None:
        yield Rejected(locator=locator, reason="not a text")
        return
    page = page_text(decoded.text, whole=True)
    if page.too_costly:
        yield Rejected(locator=locator, reason=TOO_COSTLY)
        return
    if len(page.text) > FILE_CAP:
        yield Rejected(locator=locator, reason=f"more than {FILE_CAP} characters in one chapter")
        return
    if not page.text.strip():
        return
    title = book.first("title") or stem_of(path)
    dated = written_date(book.first("date"), options.zone)
    metadata = {
        "source": NAME,
        "title": page.heading or page.title or chapter.rpartition("/")[2],
        "path": path,
        "collection": book_id,
        "book": title,
        "media_type": "text/markdown",
    }
    if author := ", ".join(book.said.get("creator", ())):
        metadata["author"] = author
    metadata |= as_metadata(page.links)
    if page.hidden:
        metadata["hidden_characters"] = str(page.hidden)
    yield TextDocument(
        id=f"{book_id}#{chapter}",
        content=page.text,
        timestamp=None if dated is None else dated.time,
        metadata=metadata,
    )


def _collection(
    book: Book, path: str, members: list[tuple[str, str]], options: ReadOptions
) -> DocumentCollectionDocument:
    author = ", ".join(book.said.get("creator", ()))
    titles = dict.fromkeys(title for _, title in members[:_SHOWN_CHAPTERS])
    summary = [
        f"by {author}" if author else "",
        book.first("description"),
        "\n".join(f"- {title}" for title in titles),
    ]
    metadata = {"source": NAME, "path": path}
    for key, name in (("language", "language"), ("publisher", "publisher"), ("identifier", "identifier")):
        if value := book.first(name):
            metadata[key] = value
    if author:
        metadata["author"] = author
    dated = written_date(book.first("date"), options.zone)
    if dated is not None:
        metadata |= {"created": rfc3339(dated.time), "time_precision": dated.precision}
        if dated.naive:
            metadata["zone_origin"] = options.zone_origin
    return DocumentCollectionDocument(
        id=f"{NAME}:{path}",
        title=book.first("title") or stem_of(path),
        members=tuple(identifier for identifier, _ in members),
        summary="\n\n".join(part for part in summary if part),
        timestamp=None if dated is None else dated.time,
        tags=tuple(book.said.get("subject", ())),
        metadata=metadata,
    )
