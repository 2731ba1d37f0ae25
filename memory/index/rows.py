"""The rows of the indexes: the words of a chunk, its filter columns, and its texts for other tools to read."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from ..text.fields import LexicalFields


@dataclass(frozen=True, slots=True)
class TextRow:
    """One chunk as stored in the word index. Names are folded; ``time`` is UTC microseconds."""

    chunk: int
    fields: LexicalFields
    speaker: str | None
    kind: str
    time: int | None
    document: DocumentFields
    shown: ShownFields | None = None
    """The displayed texts, if the index stores them for other tools."""


@dataclass(frozen=True, slots=True)
class FilterRow:
    """The filter columns of one chunk: those of `TextRow` without the words."""

    chunk: int
    speaker: str | None
    kind: str
    time: int | None
    document: DocumentFields


@dataclass(frozen=True, slots=True)
class ShownFields:
    """The texts of one chunk for display by other tools; memd does not search them."""

    key: UUID
    """The key of the message; for a text chunk its own."""
    document: str
    """The document's id."""
    chat: str
    """The chat's title; empty for a text."""
    speaker: str
    """The name in the source's spelling; empty for a text."""
    text: str
    people: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DocumentFields:
    """The columns that all rows of a document share."""

    source: str
    chat: str
    people: tuple[str, ...]
    """Folded names; empty if ``crowd`` is set."""
    crowd: int | None
    """The row id of a document with more than `CROWD` people."""
    tags: tuple[str, ...]
    time: int | None
    content: str
    title: str = ""
    """The title of a text, or the subject of mails; empty for a chat, whose name says nothing about its messages."""
