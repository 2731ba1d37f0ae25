"""The candidates for an answer: the best of every arm and their neighbours, all scored exactly in every arm.

Each index is asked by itself, and rows are read from SQLite in between; nothing of the store is held meanwhile. What
was removed between two of these steps is left out.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from ...schemas import Arm
from ..search_types import CandidateSet, ChunkRef, Column, ExpansionPolicy, Vector
from ..store.chunks import chunk_refs, refs_beside, refs_of_facts
from ..store.filters import CompiledFilter, matching_chunks, passing
from ..store.sqlite_store import SQLiteStore
from .concurrency import both
from .weights import PREFERRED, PREFERRED_SCAN


@dataclass(frozen=True, slots=True)
class WordHits:
    """What the words of a question found, by row id."""

    best: Mapping[Arm, Sequence[int]] = field(default_factory=dict[Arm, Sequence[int]])
    """By arm, its best."""
    scores: Mapping[Arm, Mapping[int, float]] = field(default_factory=dict[Arm, Mapping[int, float]])
    """By arm, the exact scores of what any arm found."""


async def find_words(
    store: SQLiteStore, arms: Sequence[Arm], terms: Sequence[str], where: CompiledFilter | None, limit: int
) -> WordHits:
    """The best of each of these lexical arms, scored exactly in each of them."""
    found = await store.text.search(arms, terms, where, limit)
    rows = list({row: None for hits in found.values() for row, _ in hits})
    known: Mapping[Arm, Mapping[int, float]] = {arm: dict(hits) for arm, hits in found.items()}
    scores = await store.text.scores(arms, terms, where, rows, known) if len(arms) > 1 else known
    best: dict[Arm, list[int]] = {arm: [row for row, _ in hits] for arm, hits in found.items()}
    return WordHits(best, scores)


async def find_candidates(
    store: SQLiteStore,
    words: WordHits,
    terms: Sequence[str],
    vector: Vector | None,
    where: CompiledFilter | None,
    limit: int,
    promising: ExpansionPolicy | None,
    preferred: Sequence[CompiledFilter] = (),
) -> CandidateSet:
    """The union of each arm's best and the direct neighbours of some of it, all scored exactly in every arm.

    Args:
        store: what is searched.
        words: what `find_words` gave for ``terms`` and ``where``; empty for the vector arm alone.
        terms: of the question.
        vector: adds the arm of that name with its best ``limit``; None leaves it out.
        where: which chunks may be found.
        limit: how many of the vector arm's best are taken.
        promising: chooses whose neighbours join; None: nobody's, and scores stay as the arms found them.
        preferred: of what passes each of these, the nearest join as well, without a vector all, where not too much passes.
            They pass ``where`` too.
    """
    index = None if vector is None else store.vectors
    # What nobody wrote has no vector.
    among = None if where is not None and where.by_kind_only else where
    close = [] if index is None or vector is None else await index.search(vector, among, limit)
    best: dict[Arm, Sequence[int]] = dict(words.best)
    wanted: list[int] = []
    if index is not None and vector is not None:
        best["vector"] = [row for row, _ in close]
        wanted = await _nearest_of(store, vector, preferred)
    elif words.best:
        wanted = await _few_of(store, preferred)
    hidden = () if where is None else where.without_kinds
    seen = await store.read(lambda connection: _read(connection, best, wanted, promising, hidden))
    rows = list(seen.numbers)

    async def word_columns() -> dict[Arm, Column]:
        known: Mapping[Arm, Mapping[int, float]] = words.scores
        if promising is not None and known:
            found = {row for arm in known for row in words.best.get(arm, ())}
            added = [row for row in rows if row not in found]
            more = await store.text.scores(list(known), terms, where, added)
            known = {arm: {**scores, **more[arm]} for arm, scores in known.items()}
        return {arm: _column(rows, known[arm]) for arm in known}

    async def vector_columns() -> tuple[Column | None, Column | None]:
        if index is None or vector is None:
            return None, None
        if promising is None:
            return _column(rows, dict(close)), None
        compared = await index.compare(vector, rows)
        column = compared.cosines.astype(np.float64)
        if among is not None:
            passed = await store.read(partial(passing, where=among, chunks=rows))
            column[[row not in passed for row in rows]] = np.nan
        return column, compared.typical.astype(np.float64)

    scores, (cosines, typical) = await both(word_columns, vector_columns)
    if cosines is not None:
        scores["vector"] = cosines
    return CandidateSet(seen.places, seen.found, seen.best, scores, typical)


async def _nearest_of(store: SQLiteStore, vector: Vector, preferred: Sequence[CompiledFilter]) -> list[int]:
    """Of what passes each of these, the nearest."""
    found: list[int] = []
    for each in preferred:
        rows = await store.read(partial(matching_chunks, where=each, limit=PREFERRED_SCAN + 1))
        # Of more, the best of all hold some, and comparing them takes long.
        if len(rows) <= PREFERRED_SCAN and store.vectors is not None:
            close = await store.vectors.search(vector, replace(each, rows=tuple(rows)), PREFERRED)
            found += [row for row, _ in close]
    return found


async def _few_of(store: SQLiteStore, preferred: Sequence[CompiledFilter]) -> list[int]:
    """What passes each of these, where it is not much."""
    found: list[int] = []
    for each in preferred:
        rows = await store.read(partial(matching_chunks, where=each, limit=PREFERRED + 1))
        found += rows if len(rows) <= PREFERRED else ()
    return found


@dataclass(slots=True)
class _Seen:
    """Chunks that take part, each once."""

    places: list[ChunkRef] = field(default_factory=list[ChunkRef])
    numbers: dict[int, int] = field(default_factory=dict[int, int])
    """By row id, which of the places it is."""
    best: dict[Arm, list[int]] = field(default_factory=dict[Arm, list[int]])
    found: int = 0

    def join(self, more: Iterable[ChunkRef]) -> None:
        """Add those that are not there."""
        for ref in more:
            if ref.row not in self.numbers:
                self.numbers[ref.row] = len(self.places)
                self.places.append(ref)


def _read(
    connection: sqlite3.Connection,
    best: Mapping[Arm, Sequence[int]],
    wanted: Sequence[int],
    promising: ExpansionPolicy | None,
    hidden: Sequence[str],
) -> _Seen:
    """The places of what was found and of the neighbours that join, but for those of hidden kinds, on one snapshot."""
    seen = _Seen()
    lexical = {row: None for arm, rows in best.items() if arm != "vector" for row in rows}
    nearest = [row for row in best.get("vector", ()) if row not in lexical]
    more = [row for row in dict.fromkeys(wanted) if row not in lexical and row not in set(nearest)]
    seen.join(chunk_refs(connection, [*lexical, *nearest, *more]))
    seen.found = len(seen.places)
    seen.best = {arm: [seen.numbers[row] for row in rows if row in seen.numbers] for arm, rows in best.items()}
    if promising is not None:
        chosen = [seen.places[number] for number in promising(seen.places, seen.best)]
        seen.join(refs_beside(connection, chosen, 1, hidden))
        # What a fact leads to has words of its own, and may have other facts: each arm looks at all of them.
        seen.join(refs_of_facts(connection, seen.places))
    return seen


def _column(rows: Sequence[int], scores: Mapping[int, float]) -> Column:
    return np.array([scores.get(row, np.nan) for row in rows], dtype=np.float64)
