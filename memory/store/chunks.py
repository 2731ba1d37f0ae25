"""Reads chunks as search candidates: the columns that ranking needs, and the neighbouring chunks."""

# ruff: noqa: S608 - statements are put together of names and conditions of ours; every value is bound

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from itertools import starmap
from typing import Any
from uuid import UUID

from ..records import READERS_STRATEGIES
from ..search_types import ENDING, ChunkRef
from ..text.unmarked_questions import LONGEST
from .errors import damaged
from .invariants import COUNTED, POSITIONS, TEXTUAL
from .sql import rows_for, rows_in_spans, spans

_REF = f"""c.id, c.key, c.document, c.message, coalesce(m.position, c.ordinal), coalesce(s.name, ''), c.tokens,
    coalesce(CASE WHEN length(m.content) <= {LONGEST} THEN m.content ELSE substr(m.content, -{ENDING}) END, ''),
    c.message IS NOT NULL AND c.ordinal >= 1000,
    c.message IS NOT NULL AND c.ordinal < 1000 AND c."end" - c.start < length(m.content),
    CASE WHEN m.id IS NULL THEN (SELECT d.micros FROM documents d WHERE d.id = c.document) ELSE m.micros END,
    coalesce(s.name = 'assistant' OR instr(m.rest, '"role":"assistant"') OR instr(m.rest, '"role":"tool"'), 0)"""
_OF_ROWS = f"""
SELECT {_REF} FROM chunks c LEFT JOIN messages m ON m.id = c.message LEFT JOIN speakers s ON s.id = m.speaker
WHERE c.id IN ({{}})
"""
# CROSS JOIN fixes the order of the tables; SQLite's own order would scan all chunks.
_OF_MESSAGES = f"""
{_REF} FROM {{}} CROSS JOIN chunks c ON c.message = m.id CROSS JOIN speakers s ON s.id = m.speaker
"""
_MESSAGES_IN_SPANS = "SELECT " + _OF_MESSAGES.format(
    "asked a CROSS JOIN messages m ON m.document = a.document AND m.position BETWEEN a.low AND a.high"
)
_PIECES_IN_SPANS = """
SELECT c.id, c.key, c.document, c.message, c.ordinal, '', c.tokens, '', 0, 0, NULL
FROM asked a CROSS JOIN chunks c ON c.document = a.document AND c.ordinal BETWEEN a.low AND a.high
WHERE c.message IS NULL
"""
_WITH_READERS_WORDS = (
    "SELECT "
    + _OF_MESSAGES.format("messages m")
    + " WHERE m.id IN ({}) AND EXISTS (SELECT 1 FROM chunks k WHERE k.message = m.id AND k.ordinal >= 1000)"
)


def chunk_refs(connection: sqlite3.Connection, rows: Collection[int]) -> list[ChunkRef]:
    """Return references to the chunks with these row ids."""
    return _refs(rows_for(connection, _OF_ROWS, rows))


def rows_apart(connection: sqlite3.Connection, count: int) -> list[int]:
    """Return the row ids of about `count` chunks at even distances in the table; reads only those rows."""
    first, last = connection.execute("SELECT min(id), max(id) FROM chunks").fetchone()
    if first is None:
        return []
    step = max(1, (last - first + 1) // count)
    return [
        row for (row,) in rows_for(connection, "SELECT id FROM chunks WHERE id IN ({})", range(first, last + 1, step))
    ]


def rows_of_chunks(connection: sqlite3.Connection, keys: Collection[UUID]) -> list[int]:
    """Return the row ids of the chunks with these keys."""
    rows_found = rows_for(connection, "SELECT id FROM chunks WHERE key IN ({})", [key.bytes for key in keys])
    return [row for (row,) in rows_found]


def refs_beside(
    connection: sqlite3.Connection, refs: Iterable[ChunkRef], reach: int, without_kinds: Sequence[str] = ()
) -> list[ChunkRef]:
    """Return the chunks of up to `reach` messages (in a text: chunks) before and after each of `refs`, without messages
    of `without_kinds`. A chunk of `refs` is included only if it neighbours another one.
    """
    kinds = f" WHERE m.kind NOT IN ({','.join('?' * len(without_kinds))})" if without_kinds else ""
    messages: defaultdict[int, set[int]] = defaultdict(set)
    pieces: defaultdict[int, set[int]] = defaultdict(set)
    for ref in refs:
        (pieces if ref.message is None else messages)[ref.document].add(ref.ordinal)
    neighbours: list[ChunkRef] = []
    beside = ((_MESSAGES_IN_SPANS + kinds, messages, without_kinds), (_PIECES_IN_SPANS, pieces, ()))
    for statement, positions, values in beside:
        ranges = [
            (document, *span)
            for document, ordinals in positions.items()
            for span in spans(list(ordinals), reach, reach)
        ]
        for ref in _refs(rows_in_spans(connection, statement, ranges, *values)):
            ordinals = positions[ref.document]
            if any(ref.ordinal + step in ordinals for step in range(-reach, reach + 1) if step):
                neighbours.append(ref)
    return neighbours


def refs_in_readers_words(connection: sqlite3.Connection, refs: Iterable[ChunkRef]) -> list[ChunkRef]:
    """Return all chunks of the messages of `refs` that have chunks in an extractor's words (facts, expansions). Returns
    at once if the store has no such chunks.
    """
    if connection.execute("SELECT 1 FROM makes WHERE strategy IN (?, ?)", READERS_STRATEGIES).fetchone() is None:
        return []
    owners = {ref.message for ref in refs if ref.message is not None}
    return sorted(_refs(rows_for(connection, _WITH_READERS_WORDS, owners)))


def _refs(rows: Iterable[tuple[Any, ...]]) -> list[ChunkRef]:
    refs = list(starmap(ChunkRef, rows))
    # SQLite stores any type in any column. The key is checked here and decoded later, for hits only.
    for ref in refs:
        if type(ref.ordinal) is not int or type(ref.tokens) is not int or type(ref.key) is not bytes:
            raise damaged(COUNTED)
        if ref.tokens < 0 or not 0 <= ref.ordinal < POSITIONS:
            raise damaged(COUNTED)
        if type(ref.speaker) is not str or type(ref.ending) is not str:
            raise damaged(TEXTUAL)
    return refs
