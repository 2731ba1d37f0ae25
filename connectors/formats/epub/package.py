"""The description of a book (OPF): what it says of itself, and its chapters in the order of reading. Pure."""

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
    """A book's description."""

    said: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """By the names of Dublin Core: ``title``, ``creator``, …"""
    chapters: list[str] = field(default_factory=list[str])
    """The names of parts, in the order of reading."""

    def first(self, name: str) -> str:
        """The first value of a name, or the empty string."""
        return next(iter(self.said.get(name, ())), "")


def package_path(events: Iterable[XmlEvent]) -> str:
    """Where the description is, out of ``META-INF/container.xml``; empty when that does not tell."""
    for event in events:
        if event.kind == "start" and event.name == "rootfile":
            return event.attributes.get("full-path", "")
    return ""


def book_of(events: Iterable[XmlEvent], path: str) -> Book:
    """The description at this path."""
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
    found = dict.fromkeys(pages[each] for each in order if each in pages)
    book.chapters = list(found)[:MOST_CHAPTERS]
    return book


def encrypted_parts(events: Iterable[XmlEvent]) -> frozenset[str]:
    """The parts that ``META-INF/encryption.xml`` names."""
    return frozenset(
        unquote(event.attributes.get("URI", ""))
        for event in events
        if event.kind == "start" and event.name == "CipherReference"
    )
