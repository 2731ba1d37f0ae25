"""Candidates and their exact scores: what a ranking needs to know, in one snapshot and one trip."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import cast

import numpy as np

from ...schemas import Arm
from ..index.tantivy_text import TantivyIndex
from ..index.usearch_vectors import VectorIndex
from ..search_types import CandidateSet, ChunkRef, Column, ExpansionPolicy, Filter, Vector
from .chunks import Row, place_of, rows_beside, rows_of, siblings
from .filters import CompiledFilter, matching_chunks, passing, resolve

EXACT_SCAN = 4_000
"""Rows that a filter may leave for their vectors to be fetched one by one, about 10 ms; more are found by searching."""


_NESTED: tuple[Arm, ...] = ("wide", "near", "lexical")
"""Each field holds the words of the next: who scores nothing in one has no score in those after it."""


def survey_words(
    connection: sqlite3.Connection,
    words: TantivyIndex,
    arms: Sequence[Arm],
    terms: Sequence[str],
    where: Filter,
    limit: int,
) -> CandidateSet:
    """See `SQLiteStore.survey_words`."""
    resolved = resolve(connection, where)
    found: dict[Arm, list[tuple[int, float]]] = words.search(arms, terms, resolved, limit)
    rows = rows_of(connection, list({row: None for hits in found.values() for row, _ in hits}))
    numbers = {row[0]: number for number, row in enumerate(rows)}
    best: dict[Arm, list[int]] = {
        arm: [numbers[row] for row, _ in hits if row in numbers] for arm, hits in found.items()
    }
    known: dict[Arm, dict[int, float]] = {arm: dict(hits) for arm, hits in found.items()}
    scores = _word_scores(words, arms, terms, resolved, list(numbers), known)
    return CandidateSet([place_of(row) for row in rows], len(rows), best, scores, rows)


def survey(
    connection: sqlite3.Connection,
    texts: TantivyIndex,
    words: CandidateSet,
    terms: Sequence[str],
    asked: tuple[VectorIndex, Vector] | None,
    where: Filter,
    limit: int,
    promising: ExpansionPolicy | None,
) -> CandidateSet:
    """See `SQLiteStore.survey`. ``words`` comes from `survey_words`."""
    resolved = resolve(connection, where)
    rows = list(cast("list[Row]", words.notes or []))
    before = len(rows)
    numbers = {row[0]: number for number, row in enumerate(rows)}
    places, best = list(words.places), dict(words.best)
    close: list[tuple[int, float]] = []
    if asked is not None:
        close = nearest(connection, *asked, resolved, limit)
        _join(rows, numbers, places, rows_of(connection, [row for row, _ in close if row not in numbers]))
        best["vector"] = [numbers[row] for row, _ in close if row in numbers]
    found = len(rows)
    if promising is not None:
        chosen = [rows[number] for number in promising(places, best)]
        _join(rows, numbers, places, (row for row in rows_beside(connection, chosen, 1, 1) if row[0] not in numbers))
        # What a fact leads to has words of its own, and may have other facts: each arm looks at all of them.
        _join(rows, numbers, places, (row for row in siblings(connection, rows) if row[0] not in numbers))
    identifiers = list(numbers)
    added = identifiers[before:]
    more: dict[Arm, Column] = {arm: np.full(len(added), np.nan) for arm in words.scores}
    if promising is not None:
        more = _word_scores(texts, list(words.scores), terms, resolved, added, {})
    scores: dict[Arm, Column] = {arm: np.concatenate((column, more[arm])) for arm, column in words.scores.items()}
    if asked is not None and promising is None:
        scores["vector"] = _column(identifiers, dict(close))
    elif asked is not None:
        scores["vector"] = _cosines(connection, *asked, resolved, identifiers)
    return CandidateSet(places, found, best, scores, rows)


def _join(rows: list[Row], numbers: dict[int, int], places: list[ChunkRef], more: Iterable[Row]) -> None:
    for row in more:
        numbers[row[0]] = len(rows)
        rows.append(row)
        places.append(place_of(row))


def _word_scores(
    words: TantivyIndex,
    arms: Sequence[Arm],
    terms: Sequence[str],
    where: CompiledFilter | None,
    rows: Sequence[int],
    known: Mapping[Arm, Mapping[int, float]],
) -> dict[Arm, Column]:
    """By arm, the exact score of each row, as far as it is not known."""
    scores: dict[Arm, dict[int, float]] = {}
    possible = rows
    wanted: list[Arm] = [arm for arm in _NESTED if arm in arms]
    for arm in wanted:
        scores[arm] = dict(known.get(arm, {}))
        asked = [row for row in possible if row not in scores[arm]]
        scores[arm].update(words.search([arm], terms, where, len(asked), asked)[arm])
        possible = [row for row in possible if row in scores[arm]]
    return {arm: _column(rows, scores[arm]) for arm in arms}


def _cosines(
    connection: sqlite3.Connection,
    index: VectorIndex,
    vector: Vector,
    where: CompiledFilter | None,
    rows: Sequence[int],
) -> Column:
    cosines = index.cosines(vector, rows).astype(np.float64)
    if where is not None:
        passed = passing(connection, where, rows)
        cosines[[row not in passed for row in rows]] = np.nan
    return cosines


def _column(rows: Sequence[int], scores: Mapping[int, float]) -> Column:
    return np.array([scores.get(row, np.nan) for row in rows], dtype=np.float64)


def nearest(
    connection: sqlite3.Connection, index: VectorIndex, vector: Vector, where: CompiledFilter | None, limit: int
) -> list[tuple[int, float]]:
    """Row ids and cosines of the nearest that pass: first among the nearest of all; if these are too few, exactly among all that pass.

    usearch has no filtered search. A filter that passes much is answered by the first, one that passes little by the
    second. What lies between is looked for among four times as many each time, in the one way and in the other, so that
    neither costs much more than the better one would have; each row is asked for once whether it passes.
    """
    if where is None:
        return index.search(vector, limit)
    found = index.search(vector, limit * 4)
    passed = passing(connection, where, [row for row, _ in found])
    asked = {row for row, _ in found}
    best = [(row, score) for row, score in found if row in passed]
    wanted = limit * 4
    most = 0
    while len(best) < limit and len(found) < len(index):
        if most < max(EXACT_SCAN, wanted):
            most = max(EXACT_SCAN, wanted)
            rows = matching_chunks(connection, where, most + 1)
            if len(rows) <= most:
                return index.scores(vector, rows)[:limit]
        wanted *= 4
        found = index.search(vector, wanted, exact=wanted * 10 > len(index))
        passed |= passing(connection, where, [row for row, _ in found if row not in asked])
        asked.update(row for row, _ in found)
        best = [(row, score) for row, score in found if row in passed]
    return best[:limit]
