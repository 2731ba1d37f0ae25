"""Places and exact scores of candidates at once: what a ranking needs to know, in one snapshot and one trip."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence
from uuid import UUID

from ...schemas import Arm
from ..ports import Filter, Scored, Survey, Vector
from .batches import rows_for
from .chunks import neighbours, places
from .filtering import passing, resolve
from .nearest import VectorIndex
from .rows import uuid_of
from .words import WordIndex


def survey(
    connection: sqlite3.Connection,
    words: WordIndex,
    arms: Sequence[Arm],
    terms: Sequence[str],
    nearest: VectorIndex | None,
    vector: Vector | None,
    where: Filter,
    chunks: Collection[UUID],
    beside: Collection[UUID],
) -> Survey:
    """See `Backend.survey`."""
    found = {place.key: place for place in neighbours(connection, beside, 1, 1)}
    found |= places(connection, [key for key in chunks if key not in found])
    resolved = resolve(connection, where)
    statement = "SELECT id, key FROM chunks WHERE key IN ({})"
    keys = {row: uuid_of(key) for row, key in rows_for(connection, statement, {key.bytes for key in found})}
    rows = list(keys)
    scores: dict[Arm, list[Scored]] = {}
    for arm in arms:
        hits = words.search(arm, terms, resolved, len(rows), rows)
        scores[arm] = [Scored(keys[row], score) for row, score in hits]
    if vector is not None:
        if resolved is not None:
            passed = passing(connection, resolved, rows)
            rows = [row for row in rows if row in passed]
        hits = [] if nearest is None else nearest.scores(vector, rows)
        scores["vector"] = [Scored(keys[row], score) for row, score in hits]
    return Survey(found, scores)
