"""The sources of each kind of document that a question may prefer: "the mail from Bert", "the note about the boat"."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..records import MAIL_SOURCES
from .asking import DocumentKind

SOURCES: Mapping[DocumentKind, tuple[str, ...]] = {
    "mail": MAIL_SOURCES,
    "note": ("notes", "note", "evernote", "notion", "obsidian", "joplin", "keep"),
    "event": ("calendar",),
    "file": ("pdf", "docx", "epub", "html", "documents"),
}
"""Names of sources, as the connectors give them; pictures are attachments of messages in any source."""


def sources_of(kinds: Iterable[DocumentKind]) -> tuple[str, ...]:
    """Return the sources of these kinds of documents."""
    return tuple(source for kind in kinds for source in SOURCES.get(kind, ()))
