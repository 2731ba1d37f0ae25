"""Reads the data shown with search hits: messages with their context, text chunks, and their documents."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple, get_args
from uuid import UUID

from ...schemas.message import MessageKind
from ..search_types import ChunkRef
from .codec import time_of, uuid_of
from .errors import decoding
from .invariants import (
    IN_DOCUMENT,
    IN_PLACE,
    IN_TIME,
    KNOWN_KIND,
    NAMED,
    POSITIONS,
    TEXTUAL,
    WITHIN,
    is_valid_time,
    is_within,
    require_after_read,
)
from .sql import rows_for, rows_in_spans, spans


class HitDocument(NamedTuple):
    """The data of a hit's document."""

    id: str
    source: str
    time: datetime | None
    tags: tuple[str, ...]
    chat: str | None = None
    """The title of its chat, or the chat's id if it has no title; for a calendar event the name of the calendar."""


class HitLine(NamedTuple):
    """A message near a hit."""

    key: UUID
    speaker: str
    text: str
    time: datetime
    source_id: str | None

    @property
    def message_id(self) -> str:
        """The id shown in an answer: the source's own, else the key."""
        return self.source_id or str(self.key)


class HitMessage(NamedTuple):
    """The message of a hit."""

    document: int
    position: int
    kind: str
    line: HitLine
    passage: tuple[int, int] | None
    """The matching part of a long message as offsets; None for a whole message."""

    @property
    def key(self) -> UUID:
        """The key of the message."""
        return self.line.key


class HitPiece(NamedTuple):
    """A text chunk that is a hit."""

    key: UUID
    document: int
    ordinal: int
    start: int
    end: int
    section: str
    strategy: str
    text: str


class HitChunk(NamedTuple):
    """A chunk of the hit with the key ``owner``: of a message, or a text chunk that is a hit itself."""

    owner: UUID
    key: UUID
    ordinal: int
    start: int
    end: int
    section: str
    strategy: str


@dataclass(slots=True)
class HitRows:
    """The rows read from one snapshot; removed chunks are missing."""

    found: dict[int, HitMessage | HitPiece] = field(default_factory=dict[int, "HitMessage | HitPiece"])
    """Hits by the row id of the chunk."""
    documents: dict[int, HitDocument] = field(default_factory=dict[int, HitDocument])
    lines: dict[int, dict[int, HitLine]] = field(default_factory=dict[int, dict[int, HitLine]])
    """Messages by document and position: those of the hits and their context."""

    def line(self, document: int, position: int) -> HitLine | None:
        """Return the message at this position if it was read as context."""
        return self.lines.get(document, {}).get(position)


_KINDS = frozenset(get_args(MessageKind))
_MESSAGES = """
SELECT c.id, m.document, m.position, m.kind, c.ordinal < 1000, c.start, c."end",
    m.key, s.name, m.content, m.micros, m.offset, m.source_id
FROM chunks c JOIN messages m ON m.id = c.message JOIN speakers s ON s.id = m.speaker WHERE c.id IN ({})
"""
_LINES = """
SELECT m.document, m.position, m.key, s.name, m.content, m.micros, m.offset, m.source_id FROM asked a
CROSS JOIN messages m ON m.document = a.document AND m.position BETWEEN a.low AND a.high
CROSS JOIN speakers s ON s.id = m.speaker WHERE EXISTS (SELECT 1 FROM chunks c WHERE c.message = m.id)
"""
_PIECES = """
SELECT c.id, c.key, c.document, c.ordinal, c.start, c."end", c.section, k.strategy
FROM chunks c JOIN makes k ON k.id = c.make WHERE c.message IS NULL AND c.id IN ({})
"""
_CHUNKS = """
SELECT coalesce(m.key, c.key), c.key, c.ordinal, c.start, c."end", c.section, k.strategy
FROM chunks c JOIN makes k ON k.id = c.make LEFT JOIN messages m ON m.id = c.message
WHERE c.id IN ({}) AND (c.message IS NULL OR c.ordinal < 1000)
"""
_DOCUMENTS = """
SELECT d.id, d.name, d.source, d.micros, d.offset, CASE WHEN d.kind = 'text' THEN d.content END,
    CASE WHEN v.title = '' THEN v.id WHEN d.source = 'calendar' THEN json_extract(d.metadata, '$.calendar') ELSE v.title END
FROM documents d LEFT JOIN conversations v ON v.key = d.chat WHERE d.id IN ({})
"""


def read_hits(connection: sqlite3.Connection, refs: Sequence[ChunkRef], context: int) -> HitRows:
    """Read the data for hits on these chunks, with `context` messages before and after each message."""
    result = HitRows()
    for row, *columns in rows_for(connection, _MESSAGES, [ref.row for ref in refs if ref.message is not None]):
        result.found[row] = _message(columns)
    pieces = list(rows_for(connection, _PIECES, [ref.row for ref in refs if ref.message is None]))
    tags: defaultdict[int, list[str]] = defaultdict(list)
    identifiers = {*(each.document for each in result.found.values()), *(piece[2] for piece in pieces)}
    statement = "SELECT document, tag FROM tags WHERE document IN ({}) ORDER BY 1, ordinal"
    for document, tag in rows_for(connection, statement, identifiers):
        require_after_read(type(tag) is str, NAMED)
        tags[document].append(tag)
    contents: dict[int, str] = {}
    for row, name, source, micros, offset, content, chat in rows_for(connection, _DOCUMENTS, identifiers):
        require_after_read(type(name) is type(source) is str and (chat is None or type(chat) is str), NAMED)
        time = None if micros is None else _time(micros, offset)
        result.documents[row] = HitDocument(name, source, time, tuple(tags[row]), chat)
        contents[row] = content or ""
    require_after_read(len(result.documents) == len(identifiers), IN_DOCUMENT)
    for row, *columns in pieces:
        result.found[row] = _piece(columns, contents)
    if context:
        result.lines = _lines(connection, result.found.values(), context)
    return result


def hit_chunks(connection: sqlite3.Connection, rows: Collection[int]) -> list[HitChunk]:
    """Return these chunks, in the order of their sources, without those in an extractor's words."""
    return sorted((_chunk(row) for row in rows_for(connection, _CHUNKS, rows)), key=lambda chunk: chunk.ordinal)


@decoding
def _chunk(columns: Sequence[Any]) -> HitChunk:
    owner, key, *others = columns
    return HitChunk(uuid_of(owner), uuid_of(key), *others)


def _lines(
    connection: sqlite3.Connection, hits: Iterable[HitMessage | HitPiece], context: int
) -> dict[int, dict[int, HitLine]]:
    positions: defaultdict[int, set[int]] = defaultdict(set)
    for each in hits:
        if isinstance(each, HitMessage):
            positions[each.document].add(each.position)
    ranges = [
        (document, *span)
        for document, hit_positions in positions.items()
        for span in spans(list(hit_positions), context, context)
    ]
    lines: defaultdict[int, dict[int, HitLine]] = defaultdict(dict)
    for document, position, *columns in rows_in_spans(connection, _LINES, ranges):
        lines[document].setdefault(position, _line(*columns))
    return lines


@decoding
def _message(columns: Sequence[Any]) -> HitMessage:
    document, position, kind, in_own_words, start, end, *columns = columns
    line = _line(*columns)
    require_after_read(type(position) is int and 0 <= position < POSITIONS, IN_PLACE)
    require_after_read(kind in _KINDS, KNOWN_KIND)
    require_after_read(is_within(start, end, len(line.text)), WITHIN)
    part = in_own_words and len(line.text.strip()) > end - start
    return HitMessage(document, position, kind, line, (start, end) if part else None)


@decoding
def _line(key: bytes, speaker: str, content: str, micros: int, offset: int, source_id: str | None) -> HitLine:
    require_after_read(type(speaker) is type(content) is str, TEXTUAL)
    require_after_read(source_id is None or type(source_id) is str, NAMED)
    return HitLine(uuid_of(key), speaker, content, _time(micros, offset), source_id)


@decoding
def _time(micros: int, offset: int) -> datetime:
    require_after_read(is_valid_time(micros), IN_TIME)
    return time_of(micros, offset)


@decoding
def _piece(columns: Sequence[Any], contents: dict[int, str]) -> HitPiece:
    key, document, index, start, end, section, strategy = columns
    content = contents[document]
    require_after_read(is_within(start, end, len(content)), WITHIN)
    return HitPiece(uuid_of(key), document, index, start, end, section, strategy, content[start:end])
