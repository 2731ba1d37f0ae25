"""Places and exact scores of candidates at once: what a ranking needs to know, in one snapshot and one trip."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence
from uuid import UUID

from ...schemas import Arm
from ..ports import Filter, Scored, Survey, Vector
from .chunks import places_and_neighbours
from .filtering import passing, resolve
from .nearest import VectorIndex
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
    found = places_and_neighbours(connection, chunks, beside)
    rows = list(found)
    resolved = resolve(connection, where)
    by_arm: dict[Arm, list[tuple[int, float]]] = {**words.search(arms, terms, resolved, len(rows), rows)}
    if vector is not None:
        if resolved is not None:
            passed = passing(connection, resolved, rows)
            rows = [row for row in rows if row in passed]
        by_arm["vector"] = [] if nearest is None else nearest.scores(vector, rows)
    scores: dict[Arm, list[Scored]] = {
        arm: [Scored(found[row].key, score) for row, score in hits] for arm, hits in by_arm.items()
    }
    return Survey({place.key: place for place in found.values()}, scores)
