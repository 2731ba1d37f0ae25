"""Parses the description of a book (OPF): its properties, and its chapters in reading order. Pure."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from dataclasses import dataclass, field
from urllib.parse import unquote

from ...text.xml_stream import XmlEvent

_SAID = frozenset({"title", "creator", "language", "date", "identifier", "description", "publisher", "subject"})
_LONGEST = 16 * 1024
_PAGES = frozenset({"application/xhtml+xml", "text/html", "application/x-dtbook+xml", ""})
MOST_CHAPTERS = 10_000


@dataclass(slots=True)
class Book:
    """The description of a book."""

    said: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """The values of the properties by their Dublin Core names: ``title``, ``creator``, …."""
    chapters: list[str] = field(default_factory=list[str])
    """The names of the parts in reading order."""

    def first(self, name: str) -> str:
        """Return the first value of a property, or the empty string."""
        return next(iter(self.said.get(name, ())), "")


def package_path(events: Iterable[XmlEvent]) -> str:
    """Return the path of the description, from ``META-INF/container.xml``; empty if it states none."""
    for event in events:
        if event.kind == "start" and event.name == "rootfile":
            return event.attributes.get("full-path", "")
    return ""


def book_of(events: Iterable[XmlEvent], path: str) -> Book:
    """Return the description of the book; ``path`` is the description's own path, to which the parts are relative."""
    book = Book()
    folder = posixpath.dirname(path)
    pages: dict[str, str] = {}
    order: list[str] = []
    said = ""
    words: list[str] = []
    for event in events:
        if event.kind == "text":
            if said and sum(map(len, words)) < _LONGEST:
                words.append(event.name[:_LONGEST])
        elif event.kind == "end":
            if said and event.name == said:
                text = " ".join("".join(words).split())
                if text and len(book.said.setdefault(said, [])) < 50:
                    book.said[said].append(text)
                said = ""
        elif event.name in _SAID and event.space.endswith("/dc/elements/1.1/"):
            said, words = event.name, []
        elif event.name == "item" and event.attributes.get("media-type", "") in _PAGES:
            target = posixpath.normpath(posixpath.join(folder, unquote(event.attributes.get("href", ""))))
            pages[event.attributes.get("id", "")] = target
        elif event.name == "itemref":
            order.append(event.attributes.get("idref", ""))
    in_order = dict.fromkeys(pages[each] for each in order if each in pages)
    book.chapters = list(in_order)[:MOST_CHAPTERS]
    return book


def encrypted_parts(events: Iterable[XmlEvent]) -> frozenset[str]:
    """Return the names of the encrypted parts, from ``META-INF/encryption.xml``."""
    return frozenset(
        unquote(event.attributes.get("URI", ""))
        for event in events
        if event.kind == "start" and event.name == "CipherReference"
    )
