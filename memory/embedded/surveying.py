"""Candidates and their exact scores: what a ranking needs to know, in one snapshot and one trip."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from ...schemas import Arm
from ..ports import Column, Filter, Promising, Scored, Survey, Vector
from .chunks import place_of, rows_beside, rows_of
from .filtering import Resolved, matching_chunks, passing, resolve
from .nearest import VectorIndex
from .words import WordIndex

EXACT_SCAN = 4_000
"""Rows that a filter may leave for their vectors to be fetched one by one, about 10 ms; more are found by searching."""


def survey(
    connection: sqlite3.Connection,
    words: WordIndex,
    found: Mapping[Arm, Sequence[Scored]],
    terms: Sequence[str],
    asked: tuple[VectorIndex, Vector] | None,
    where: Filter,
    limit: int,
    promising: Promising | None,
) -> Survey:
    """See `Backend.survey`."""
    resolved = resolve(connection, where)
    close = [] if asked is None else nearest(connection, *asked, resolved, limit)
    rows = rows_of(connection, {hit.key.bytes for hits in found.values() for hit in hits}, [row for row, _ in close])
    by_key = {row[1]: number for number, row in enumerate(rows)}
    by_row = {row[0]: number for number, row in enumerate(rows)}
    best: dict[Arm, list[tuple[int, float]]] = {
        arm: [(by_key[hit.key.bytes], hit.score) for hit in hits if hit.key.bytes in by_key]
        for arm, hits in found.items()
    }
    if asked is not None:
        best["vector"] = [(by_row[row], score) for row, score in close if row in by_row]
    places = [place_of(row) for row in rows]
    if promising is None:
        return Survey(places, len(places), {arm: _column(len(places), hits) for arm, hits in best.items()})
    chosen = promising(places, {arm: [number for number, _ in hits] for arm, hits in best.items()})
    beside = [row for row in rows_beside(connection, [rows[number] for number in chosen], 1, 1) if row[0] not in by_row]
    identifiers = [row[0] for row in (*rows, *beside)]
    scores = _scores(connection, words, list(found), terms, asked, resolved, identifiers)
    return Survey([*places, *map(place_of, beside)], len(places), scores)


def _scores(
    connection: sqlite3.Connection,
    words: WordIndex,
    arms: Sequence[Arm],
    terms: Sequence[str],
    asked: tuple[VectorIndex, Vector] | None,
    where: Resolved | None,
    rows: Sequence[int],
) -> dict[Arm, Column]:
    """By arm, the exact score of each row."""
    numbers = {row: number for number, row in enumerate(rows)}
    scores: dict[Arm, Column] = {
        arm: _column(len(rows), ((numbers[row], score) for row, score in hits))
        for arm, hits in words.search(arms, terms, where, len(rows), rows).items()
    }
    if asked is not None:
        index, vector = asked
        cosines = index.cosines(vector, rows).astype(np.float64)
        if where is not None:
            passed = passing(connection, where, rows)
            cosines[[row not in passed for row in rows]] = np.nan
        scores["vector"] = cosines
    return scores


def _column(size: int, hits: Iterable[tuple[int, float]]) -> Column:
    column = np.full(size, np.nan)
    for number, score in hits:
        column[number] = score
    return column


def nearest(
    connection: sqlite3.Connection, index: VectorIndex, vector: Vector, where: Resolved | None, limit: int
) -> list[tuple[int, float]]:
    """Row ids and cosines of the nearest that pass: first among the nearest of all; if these are too few, exactly among all that pass.

    usearch has no filtered search. A filter that passes much is answered by the first, one that passes little by the
    second; between them lies an exact scan of the whole index, 13 ms for 20,000 vectors.
    """
    if where is None:
        return index.search(vector, limit)
    found = index.search(vector, limit * 4)
    passed = passing(connection, where, [row for row, _ in found])
    best = [(row, score) for row, score in found if row in passed]
    if len(best) >= limit or len(found) == len(index):
        return best[:limit]
    rows = matching_chunks(connection, where, EXACT_SCAN + 1)
    if len(rows) <= EXACT_SCAN:
        return index.scores(vector, rows)[:limit]
    wanted = limit * 16
    while len(best) < limit and len(found) < len(index):
        found = index.search(vector, wanted, exact=wanted * 10 > len(index))
        passed = passing(connection, where, [row for row, _ in found])
        best = [(row, score) for row, score in found if row in passed]
        wanted *= 4
    return best[:limit]
