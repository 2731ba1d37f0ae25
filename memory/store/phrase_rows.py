"""Chunks whose texts pass a test: of phrases the words index finds those that hold all the words, the text tells whether
together.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from ..text.phrases import Phrase, hold_all
from .errors import row_errors
from .invariants import WITHIN, is_within, require_after_read
from .sql import rows_for

MOST_ROWS = 5_000
"""Chunks whose texts are read for one question, about 50 ms; of more, those that hold most of the words."""
_CHUNKS = """
SELECT c.id, c.message, c.document, c.start, c."end", c.message IS NOT NULL AND c.ordinal >= 1000 FROM chunks c WHERE c.id IN ({})
"""
_MESSAGES = "SELECT id, content FROM messages WHERE id IN ({})"
_TEXTS = "SELECT id, content FROM documents WHERE kind = 'text' AND id IN ({})"


class _Place(NamedTuple):
    row: int
    start: int
    end: int
    fact: int


def rows_holding(connection: sqlite3.Connection, rows: Sequence[int], phrases: Sequence[Phrase]) -> list[int]:
    """Those of these chunks that hold every phrase, in their order; a fact if its message does."""
    return rows_passing(connection, rows, lambda text: hold_all(text, phrases))


def rows_passing(connection: sqlite3.Connection, rows: Sequence[int], test: Callable[[str], bool]) -> list[int]:
    """Those of these chunks whose text passes, in their order; a fact if its message does."""
    messages: defaultdict[int, list[_Place]] = defaultdict(list)
    texts: defaultdict[int, list[_Place]] = defaultdict(list)
    for row, message, document, *place in rows_for(connection, _CHUNKS, rows):
        (texts[document] if message is None else messages[message]).append(_Place(row, *place))
    of_messages = _passing(rows_for(connection, _MESSAGES, messages), messages, test)
    of_texts = _passing(rows_for(connection, _TEXTS, texts), texts, test)
    found = set(chain(of_messages, of_texts))
    return [row for row in rows if row in found]


def _passing(
    contents: Iterable[tuple[int, str]], places: Mapping[int, Sequence[_Place]], test: Callable[[str], bool]
) -> Iterable[int]:
    for owner, content in contents:
        for place in places[owner]:
            require_after_read(is_within(place.start, place.end, len(content)), WITHIN)
            text = content if place.fact else content[place.start : place.end]
            with row_errors():
                passes = test(text)
            if passes:
                yield place.row
