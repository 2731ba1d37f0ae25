"""Reads saved pages: one document for each, its text as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from ....schemas import Notice, Rejected, TextDocument
from ....schemas.times import fixed_offset, rfc3339
from ...connector import Member, ReadOptions, Record
from ...files.file_connector import FileConnector, stem_of
from ...files.whole_files import FILE_CAP, encoding_notices, whole_file
from ...text.charset import Decoded
from ...text.html.links import as_metadata
from ...text.html.page import PageText, decoded_page, page_text
from ...text.html.tree import TOO_COSTLY
from ...times.dates_written import written_date
from .detection import ARCHIVE_SCORE, kind_of, score
from .web_archive import WebArchive, web_archive

NAME = "html"
PAGE_CAP = 64 * 1024 * 1024
"""The maximum number of bytes of a page, which may contain its pictures."""
_MOST_TAGS = 50


class HtmlConnector(FileConnector):
    """Reads saved pages and web archives."""

    name = NAME
    version = 2
    certain = ARCHIVE_SCORE

    def score(self, member: Member) -> float:
        """Return 1 for a web archive, 0.5 for a file that begins like a page."""
        return score(member)

    def records(self, member: Member, path: str, options: ReadOptions) -> Iterator[Record]:
        """Yield the document of the page."""
        return _page(member, path, options)


def _page(member: Member, path: str, options: ReadOptions) -> Iterator[Record]:
    data = whole_file(member, PAGE_CAP)
    if isinstance(data, Rejected):
        yield data
        return
    archive = web_archive(data) if kind_of(member) == "archive" else None
    decoded = _decoded(archive) if archive is not None else decoded_page(data)
    if decoded is None:
        yield Rejected(locator=member.locator, reason="not a text")
        return
    page = page_text(decoded.text)
    if page.too_costly:
        yield Rejected(locator=member.locator, reason=TOO_COSTLY)
        return
    if len(page.text) > FILE_CAP:
        yield Rejected(locator=member.locator, reason=f"more than {FILE_CAP} characters in one page")
        return
    if not page.text.strip():
        yield Rejected(locator=member.locator, reason="no words were found in it: pages that scripts build hold none")
        return
    yield from encoding_notices(member, decoded)
    document = _document(page, decoded, path, options, archive)
    if document.metadata.get("zone_origin") == "assumed":
        hint = f"dates have no zone; they are taken for {options.zone}: --zone decides"
        yield Notice(code="zone-assumed", locator=member.locator, hint=hint)
    yield document


def _decoded(archive: WebArchive) -> Decoded | None:
    if archive.charset:
        try:
            text = archive.page.decode(archive.charset, "replace")
        except (LookupError, UnicodeError):
            return decoded_page(archive.page)
        return Decoded(text, archive.charset, replaced="\ufffd" in text)
    return decoded_page(archive.page)


def _document(
    page: PageText, decoded: Decoded, path: str, options: ReadOptions, archive: WebArchive | None
) -> TextDocument:
    metadata = {
        "source": NAME,
        "title": page.title or page.heading or stem_of(path),
        "path": path,
        "media_type": "text/markdown",
    }
    url = page.said.get("url", "") or (archive.url if archive is not None else "")
    said = {"url": url, "author": page.said.get("author", ""), "language": page.language}
    metadata |= {key: value for key, value in said.items() if value}
    metadata |= as_metadata(page.links)
    if page.hidden:
        metadata["hidden_characters"] = str(page.hidden)
    if decoded.encoding != "utf-8":
        metadata["encoding"] = decoded.encoding
    written = None
    for key in ("updated", "created"):
        dated = written_date(page.said.get(key, ""), options.zone)
        if dated is not None:
            written = dated.time
            metadata |= {key: rfc3339(dated.time), "time_precision": dated.precision}
            if dated.naive:
                metadata["zone_origin"] = options.zone_origin
    if archive is not None and archive.saved is not None:
        saved = fixed_offset(archive.saved)
        metadata["saved"] = rfc3339(saved)
        written = written or saved
    tags = [tag.strip() for tag in page.said.get("keywords", "").split(",")]
    return TextDocument(
        id=f"{NAME}:{path}",
        content=page.text,
        timestamp=written,
        tags=tuple(dict.fromkeys(tag for tag in tags if tag))[:_MOST_TAGS],
        metadata=metadata,
    )
