"""Searches the store itself for words, up to a limit, while the index server does not answer."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from math import log

from ...schemas.errors import StoreError
from ..search_types import CompiledFilter
from ..text import analyzer
from .chunk_spans import END, START
from .filters import matching_chunks
from .sql import rows_for

MOST = 20_000
"""The most chunks scanned, which takes some seconds."""
HINT = "try again; or narrow the question by a person, a source or a time. `memd status` shows what the server of the index says"


def rows_to_scan(connection: sqlite3.Connection, where: CompiledFilter | None) -> list[int]:
    """Return all rows that pass the filter.

    Raises:
        StoreError: more than ``MOST`` rows pass.
    """
    if where is None:
        rows = [row for (row,) in connection.execute("SELECT id FROM chunks LIMIT ?", (MOST + 1,))]
    else:
        rows = matching_chunks(connection, where, MOST + 1)
    if len(rows) > MOST:
        raise StoreError(
            "the server of the index does not answer, and too much is stored to be looked through without it", hint=HINT
        )
    return rows


def scan_words(
    connection: sqlite3.Connection, terms: Sequence[str], where: CompiledFilter | None, limit: int
) -> list[tuple[int, float]]:
    """Return the rows whose own text contains any of the terms, with a score, best first; rare terms score higher.

    Raises:
        StoreError: too many rows pass the filter.
    """
    query_terms = set(terms)
    rows = rows_to_scan(connection, where)
    terms_by_row: dict[int, set[str]] = {}
    for row, text in _texts(connection, rows):
        if matched := query_terms.intersection(analyzer.terms(text)):
            terms_by_row[row] = matched
    frequencies = Counter(term for matched in terms_by_row.values() for term in matched)
    scores = {
        row: sum(log(1 + len(rows) / frequencies[term]) for term in matched) for row, matched in terms_by_row.items()
    }
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:limit]


def _texts(connection: sqlite3.Connection, rows: Sequence[int]) -> Iterator[tuple[int, str]]:
    """Yield each row with its text, preceded by the speaker's name; for a fact the text of its message."""
    statement = f"""
        SELECT c.id, c.document, {START}, {END}, m.content, coalesce(s.name, '') FROM chunks c
        LEFT JOIN messages m ON m.id = c.message LEFT JOIN speakers s ON s.id = m.speaker WHERE c.id IN ({{}})"""  # noqa: S608 - ours
    last, content = -1, ""
    for row, document, start, end, message_content, speaker in rows_for(connection, statement, rows):
        if message_content is not None:
            yield row, f"{speaker} {message_content[start:end]}"
            continue
        if document != last:  # read a document's content once for all of its chunks
            (document_content,) = connection.execute(
                "SELECT content FROM documents WHERE id = ?", (document,)
            ).fetchone()
            last, content = document, document_content or ""
        yield row, content[start:end]
