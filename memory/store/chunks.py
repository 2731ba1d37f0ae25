"""Reading chunks: what a hit shows, where a chunk stands, and what stands beside it."""

# ruff: noqa: S608 - statements are put together of names and conditions of ours; every value is bound

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable
from operator import itemgetter
from typing import Any
from uuid import UUID

from ..records import StoredChunk, StoredMessage
from ..search_types import ChunkRef, SearchableChunk
from .codec import DOCUMENT, MESSAGE, embed_text, message_of, uuid_of
from .documents_read import complete
from .errors import decoding, row_errors
from .invariants import WITHIN, is_within, require_after_read
from .sql import rows_for, spans

_ENTRY = f"""
SELECT c.key, c.document, c.ordinal, c.start, c."end", c.tokens, c.section, c.embed, k.strategy, k.version, {MESSAGE}
FROM chunks c JOIN makes k ON k.id = c.make
LEFT JOIN messages m ON m.id = c.message LEFT JOIN speakers s ON s.id = m.speaker
WHERE c.id IN ({{}})
"""


def entries(connection: sqlite3.Connection, keys: Collection[UUID], around: int = 0) -> dict[UUID, SearchableChunk]:
    """Chunks, and those of so many owners before and after them, with their owners and documents.

    The documents carry no digests: a hit shows none.
    """
    asked = list(rows_for(connection, f"{_PLACE} WHERE c.key IN ({{}})", {key.bytes for key in keys}))
    beside = rows_beside(connection, asked, around, around) if around else []
    rows = list(rows_for(connection, _ENTRY, {row[0] for row in (*asked, *beside)}))
    statement = f"SELECT {DOCUMENT}, d.content FROM documents d WHERE d.id IN ({{}})"
    found = list(rows_for(connection, statement, {row[1] for row in rows}))
    documents = {
        row[0]: document for row, document in zip(found, complete(connection, found, digests=False), strict=True)
    }
    result: dict[UUID, SearchableChunk] = {}
    owners: dict[int, StoredMessage] = {}
    for key, identifier, ordinal, start, end, tokens, section, embed, strategy, version, *columns in rows:
        document = documents[identifier]
        message: StoredMessage | None = None
        if columns[0] is not None:
            message = owners.get(columns[0])
            if message is None:
                message = owners[columns[0]] = message_of(tuple(columns), document.key)
        content = document.content if message is None else message.message.content
        with row_errors():
            require_after_read(is_within(start, end, len(content)), WITHIN)
            text = content[start:end]
        speaker = None if message is None else message.message.speaker
        chunk = StoredChunk(
            key=uuid_of(key),
            document=document.key,
            message=None if message is None else message.key,
            index=ordinal,
            start=start,
            end=end,
            token_count=tokens,
            strategy=strategy,
            version=version,
            section=section,
            embed_text=embed_text(speaker, text) if embed is None else embed,
        )
        result[chunk.key] = SearchableChunk(chunk, text, message, document)
    return result


QUESTION_MARKS = ("?", "\uff1f", "\u061f", "\u037e", "\u055e", "\u1367", "\u2047", "\u2049", "\u203d")
"""Of Latin and most scripts, full width, Arabic, Greek, Armenian, Ethiopic, and those that are two in one."""
_PLACE_COLUMNS = """c.id, c.key, c.document, d.key, m.key, coalesce(m.position, c.ordinal), coalesce(s.name, ''),
    c.tokens, substr(m.content, -4), c.message IS NOT NULL AND c.ordinal >= 1000"""
_PLACE = f"""
SELECT {_PLACE_COLUMNS}
FROM chunks c JOIN documents d ON d.id = c.document
LEFT JOIN messages m ON m.id = c.message LEFT JOIN speakers s ON s.id = m.speaker
"""


Row = tuple[Any, ...]
"""Id, key, the document's id and key, the owner's key, ordinal, speaker, tokens, and how the message ends."""


@decoding
def place_of(row: Row) -> ChunkRef:
    """The place of a row of `rows_of` or `rows_beside`."""
    _, key, _, document, message, ordinal, speaker, tokens, ending, fact = row
    asks = ending is not None and ending.rstrip().endswith(QUESTION_MARKS)
    return ChunkRef(
        uuid_of(key), uuid_of(document), uuid_of(message or document), ordinal, speaker, tokens, asks, bool(fact)
    )


def places(connection: sqlite3.Connection, keys: Collection[UUID]) -> dict[UUID, ChunkRef]:
    """Where chunks stand."""
    rows = rows_for(connection, f"{_PLACE} WHERE c.key IN ({{}})", {key.bytes for key in keys})
    return {place.key: place for place in map(place_of, rows)}


_BESIDE_MESSAGES = """
SELECT c.id, c.key, c.document, d.key, m.key, m.position, s.name, c.tokens, substr(m.content, -4),
    c.ordinal >= 1000
FROM messages m JOIN chunks c ON c.message = m.id JOIN documents d ON d.id = m.document
JOIN speakers s ON s.id = m.speaker
WHERE m.document = ? AND m.position BETWEEN ? AND ? ORDER BY m.position, c.ordinal
"""
_BESIDE_PIECES = """
SELECT c.id, c.key, c.document, d.key, NULL, c.ordinal, '', c.tokens, NULL, 0
FROM chunks c JOIN documents d ON d.id = c.document
WHERE c.document = ? AND c.message IS NULL AND c.ordinal BETWEEN ? AND ? ORDER BY c.ordinal
"""


def neighbours(connection: sqlite3.Connection, keys: Collection[UUID], before: int, after: int) -> list[ChunkRef]:
    """The places around these chunks; a chunk asked for is in it when it lies around another one of another owner."""
    rows = rows_for(connection, f"{_PLACE} WHERE c.key IN ({{}})", {key.bytes for key in keys})
    return [place_of(row) for row in rows_beside(connection, rows, before, after)]


def rows_of(connection: sqlite3.Connection, identifiers: Collection[int]) -> list[Row]:
    """The rows of the chunks with these row ids."""
    return list(rows_for(connection, f"{_PLACE} WHERE c.id IN ({{}})", identifiers))


def rows_beside(connection: sqlite3.Connection, rows: Iterable[Row], before: int, after: int) -> list[Row]:
    """The rows around these, each once."""
    asked: dict[tuple[int, bool], set[int]] = defaultdict(set)
    for row in rows:
        asked[row[2], row[4] is not None].add(row[5])
    found: dict[int, Row] = {}
    for (document, of_message), ordinals in asked.items():
        statement = _BESIDE_MESSAGES if of_message else _BESIDE_PIECES
        for low, high in spans(list(ordinals), before, after):
            for row in connection.execute(statement, (document, low, high)):
                ordinal = row[5]
                if any(other in ordinals for other in range(ordinal - after, ordinal + before + 1) if other != ordinal):
                    found[row[0]] = row
    return list(found.values())


def siblings(connection: sqlite3.Connection, rows: Iterable[Row]) -> list[Row]:
    """All chunks of the messages of these, where a message has facts; without facts there is nothing to look up."""
    if connection.execute("SELECT 1 FROM fact_messages LIMIT 1").fetchone() is None:
        return []
    owners = {row[4] for row in rows if row[4] is not None}
    known = list(rows_for(connection, "SELECT message FROM fact_messages WHERE message IN ({})", owners))
    # From messages to chunks, in this order: left to itself SQLite reads all chunks there are.
    of_messages = (
        f"SELECT {_PLACE_COLUMNS} FROM messages m CROSS JOIN chunks c ON c.message = m.id"
        " CROSS JOIN documents d ON d.id = c.document CROSS JOIN speakers s ON s.id = m.speaker WHERE m.key IN ({})"
    )
    return sorted(rows_for(connection, of_messages, {row[0] for row in known}), key=itemgetter(0))
