"""Selects chunks whose text passes a test: the word index finds chunks with all words of a phrase, the text shows
whether the words are adjacent.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Sequence

from ..text.phrases import Phrase, hold_all
from .chunk_spans import END, START
from .errors import decoding
from .invariants import WITHIN, is_within, require_after_read
from .sql import rows_for

MOST_ROWS = 5_000
"""The most chunks whose text is read for one query, about 50 ms; if more match, those with most of the words are read.
"""
_MESSAGES = f"""
SELECT c.id, {START}, {END}, m.content FROM chunks c JOIN messages m ON m.id = c.message WHERE c.id IN ({{}})
"""  # noqa: S608 - ours
_PIECES = 'SELECT c.id, c.document, c.start, c."end" FROM chunks c WHERE c.message IS NULL AND c.id IN ({})'
_TEXTS = "SELECT id, content FROM documents WHERE kind = 'text' AND id IN ({})"


def rows_holding(connection: sqlite3.Connection, rows: Sequence[int], phrases: Sequence[Phrase]) -> list[int]:
    """Return the subset of these chunks that contain every phrase, in order; for a fact its message is tested."""
    return rows_passing(connection, rows, lambda text: hold_all(text, phrases))


def rows_passing(connection: sqlite3.Connection, rows: Sequence[int], test: Callable[[str], bool]) -> list[int]:
    """Return the subset of these chunks whose text passes, in order; for a fact its message is tested."""
    passing_rows: set[int] = set()
    of_texts = set(rows)
    for row, start, end, content in rows_for(connection, _MESSAGES, rows):
        of_texts.discard(row)
        if _passes(test, content, start, end):
            passing_rows.add(row)
    pieces: defaultdict[int, list[tuple[int, int, int]]] = defaultdict(list)
    for row, document, start, end in rows_for(connection, _PIECES, of_texts):
        pieces[document].append((row, start, end))
    for document, content in rows_for(connection, _TEXTS, pieces):
        for row, start, end in pieces[document]:
            if _passes(test, content, start, end):
                passing_rows.add(row)
    return [row for row in rows if row in passing_rows]


@decoding
def _passes(test: Callable[[str], bool], content: str, start: int, end: int | None) -> bool:
    require_after_read(is_within(start, len(content) if end is None else end, len(content)), WITHIN)
    return test(content[start:end])
