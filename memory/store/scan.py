"""Words looked for in the store itself, up to a bound, while the server that finds them does not answer."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from math import log

from ...schemas.errors import StoreError
from ..text import analyzer
from .chunk_spans import END, START
from .filters import CompiledFilter, matching_chunks
from .sql import rows_for

MOST = 20_000
"""Chunks whose words are looked at: some seconds."""
HINT = "try again; or narrow the question by a person, a source or a time. `memd status` shows what the server of the index says"


def rows_to_scan(connection: sqlite3.Connection, where: CompiledFilter | None) -> list[int]:
    """All rows that pass.

    Raises:
        StoreError: they are too many.
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
    """The rows that hold any of the terms in their own words, with a score, the best first: rare terms count more.

    Raises:
        StoreError: too many rows pass the filter.
    """
    wanted = set(terms)
    rows = rows_to_scan(connection, where)
    held: dict[int, set[str]] = {}
    for row, text in _texts(connection, rows):
        if found := wanted.intersection(analyzer.terms(text)):
            held[row] = found
    often = Counter(term for found in held.values() for term in found)
    scores = {row: sum(log(1 + len(rows) / often[term]) for term in found) for row, found in held.items()}
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:limit]


def _texts(connection: sqlite3.Connection, rows: Sequence[int]) -> Iterator[tuple[int, str]]:
    """The words of each row, with who said them; of a fact those of its message."""
    statement = f"""
        SELECT c.id, c.document, {START}, {END}, m.content, coalesce(s.name, '') FROM chunks c
        LEFT JOIN messages m ON m.id = c.message LEFT JOIN speakers s ON s.id = m.speaker WHERE c.id IN ({{}})"""  # noqa: S608 - ours
    last, content = -1, ""
    for row, document, start, end, said, speaker in rows_for(connection, statement, rows):
        if said is not None:
            yield row, f"{speaker} {said[start:end]}"
            continue
        if document != last:  # a text is read once, not with each of its pieces
            (found,) = connection.execute("SELECT content FROM documents WHERE id = ?", (document,)).fetchone()
            last, content = document, found or ""
        yield row, content[start:end]
