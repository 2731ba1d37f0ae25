"""Reads which of some documents are from a source, and which of some messages came with a picture."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection

from .sql import rows_for

_SOURCES = "SELECT id, source FROM documents WHERE id IN ({})"
_TITLES = "SELECT d.id, v.title FROM documents d JOIN conversations v ON v.key = d.chat WHERE d.id IN ({})"
_PICTURES = """
SELECT c.id FROM chunks c JOIN messages m ON m.id = c.message
WHERE c.id IN ({}) AND (m.rest LIKE '%"image/%' OR m.rest LIKE '%.jpg"%' OR m.rest LIKE '%.png"%' OR m.content LIKE '[photo%')
"""


def documents_from(connection: sqlite3.Connection, documents: Collection[int], sources: Collection[str]) -> set[int]:
    """Return the subset of these documents (row ids) that are from one of the sources."""
    return {document for document, source in rows_for(connection, _SOURCES, documents) if source in sources}


def documents_in(connection: sqlite3.Connection, documents: Collection[int], chats: Collection[str]) -> set[int]:
    """Return the subset of these documents (row ids) that are in a chat with one of these titles."""
    return {document for document, title in rows_for(connection, _TITLES, documents) if title in chats}


def has_source(connection: sqlite3.Connection, sources: Collection[str]) -> bool:
    """Return whether any document is from one of these sources."""
    statement = "SELECT 1 FROM documents WHERE source = ? LIMIT 1"
    return any(connection.execute(statement, (source,)).fetchone() for source in sources)


def rows_with_pictures(connection: sqlite3.Connection, rows: Collection[int]) -> frozenset[int]:
    """Return the subset of these chunks (row ids) whose message came with a picture."""
    return frozenset(row for (row,) in rows_for(connection, _PICTURES, rows))
