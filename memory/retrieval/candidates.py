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
from ..concurrency import together
from ..search_types import CandidateSet, ChunkRef, Column, ExpansionPolicy, Vector
from ..store.chunks import chunk_refs, refs_beside, refs_in_readers_words
from ..store.filters import CompiledFilter, matching_chunks, passing
from ..store.phrase_rows import rows_holding, rows_passing
from ..store.scan import scan_words
from ..store.sqlite_store import SQLiteStore
from ..text.phrases import Phrase
from .question_forms import holds_number
from .weights import PREFERRED, PREFERRED_SCAN


@dataclass(frozen=True, slots=True)
class WordHits:
    """What the words of a question found: by arm its best rows, with their scores."""

    best: Mapping[Arm, Sequence[tuple[int, float]]] = field(default_factory=dict[Arm, Sequence[tuple[int, float]]])


@dataclass(frozen=True, slots=True)
class NearHits:
    """What the vector of a question found."""

    vector: Vector | None = None
    """None: there is none, and nothing was looked for by it."""
    close: Sequence[tuple[int, float]] = ()
    """The nearest rows, with their cosines."""
    wanted: Sequence[int] = ()
    """Rows that join for what the question prefers."""


@dataclass(frozen=True, slots=True)
class TextTests:
    """What the texts of candidates are tested for, in the same read as their places."""

    exact: Phrase | None = None
    """Which of the best by words hold it."""
    numeric: bool = False
    """Which candidates hold a number."""


async def find_words(
    store: SQLiteStore, arms: Sequence[Arm], terms: Sequence[str], where: CompiledFilter | None, limit: int
) -> WordHits:
    """The best of each of these lexical arms."""
    return WordHits(await store.text.search(arms, terms, where, limit))


async def scan_for_words(
    store: SQLiteStore, terms: Sequence[str], where: CompiledFilter | None, limit: int
) -> WordHits:
    """The best by the words of messages alone, from the store itself, which looks at not too many.

    Raises:
        StoreError: they are too many.
    """
    return WordHits({"lexical": await store.read(partial(scan_words, terms=terms, where=where, limit=limit))})


async def find_near(
    store: SQLiteStore,
    vector: Vector | None,
    where: CompiledFilter | None,
    limit: int,
    preferred: Sequence[CompiledFilter] = (),
) -> NearHits:
    """The nearest rows, and what joins them.

    Args:
        store: what is searched.
        vector: of the question; None without vectors.
        where: which chunks may be found.
        limit: how many of the nearest are taken.
        preferred: of what passes each of these, the nearest join as well, without a vector all, where not too much passes.
            They pass ``where`` too.
    """
    index = None if vector is None else store.vectors
    if index is None or vector is None:
        return NearHits(wanted=await _few_of(store, preferred))

    async def close() -> list[tuple[int, float]]:
        return await index.search(vector, _with_vector(where), limit)

    found, wanted = await together(close, partial(_nearest_of, store, vector, preferred))
    return NearHits(vector, found, wanted)


def _with_vector(where: CompiledFilter | None) -> CompiledFilter | None:
    """What nobody wrote has no vector."""
    return None if where is not None and where.by_kind_only else where


async def find_candidates(
    store: SQLiteStore,
    words: WordHits,
    near: NearHits,
    terms: Sequence[str],
    where: CompiledFilter | None,
    promising: ExpansionPolicy | None,
    tests: TextTests = TextTests(),
) -> CandidateSet:
    """The union of each arm's best and the direct neighbours of some of it, all scored exactly in every arm.

    Args:
        store: what is searched.
        words: what `find_words` gave for ``terms`` and ``where``; empty for the vector arm alone.
        near: what `find_near` gave for ``where``; empty for the word arms alone.
        terms: of the question.
        where: which chunks may be found.
        promising: chooses whose neighbours join; None: nobody's, and the scores of a single arm stay as it found them.
        tests: what the texts are read for.
    """
    index, vector = store.vectors, near.vector
    best: dict[Arm, Sequence[int]] = {arm: [row for row, _ in hits] for arm, hits in words.best.items()}
    if vector is not None:
        best["vector"] = [row for row, _ in near.close]
    wanted = near.wanted if vector is not None or words.best else ()
    hidden = () if where is None else where.without_kinds
    seen = await store.read(lambda connection: _read(connection, best, wanted, promising, hidden, tests))
    rows = list(seen.numbers)

    async def word_columns() -> dict[Arm, Column]:
        known: Mapping[Arm, Mapping[int, float]] = {arm: dict(hits) for arm, hits in words.best.items()}
        if known and (promising is not None or len(known) > 1):
            known = await store.text.scores(list(known), terms, where, rows, known)
        return {arm: _column(rows, known[arm]) for arm in known}

    if index is None or vector is None:
        return CandidateSet(
            seen.places, seen.found, seen.best, await word_columns(), exact=seen.exact, numeric=seen.numeric
        )

    async def vector_columns() -> tuple[Column, Column | None]:
        if promising is None:
            return _column(rows, dict(near.close)), None
        compared = await store.compare(vector, rows)
        column = compared.cosines.astype(np.float64)
        if (among := _with_vector(where)) is not None:
            passed = await store.read(partial(passing, where=among, chunks=rows))
            column[[row not in passed for row in rows]] = np.nan
        return column, compared.typical.astype(np.float64)

    scores, (cosines, typical) = await together(word_columns, vector_columns)
    scores["vector"] = cosines
    return CandidateSet(seen.places, seen.found, seen.best, scores, typical, exact=seen.exact, numeric=seen.numeric)


async def _nearest_of(store: SQLiteStore, vector: Vector, preferred: Sequence[CompiledFilter]) -> list[int]:
    """Of what passes each of these, the nearest; of all of them at once."""
    parts: dict[int, list[int]] = {}

    async def one(number: int, each: CompiledFilter) -> None:
        rows = await store.read(partial(matching_chunks, where=each, limit=PREFERRED_SCAN + 1))
        # Of more, the best of all hold some, and comparing them takes long.
        if len(rows) <= PREFERRED_SCAN and store.vectors is not None:
            close = await store.vectors.search(vector, replace(each, rows=tuple(rows)), PREFERRED)
            parts[number] = [row for row, _ in close]

    await together(*(partial(one, number, each) for number, each in enumerate(preferred)))
    return [row for number in sorted(parts) for row in parts[number]]


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
    exact: frozenset[int] = frozenset()
    numeric: frozenset[int] = frozenset()
    """Row ids, as in `CandidateSet`."""

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
    tests: TextTests,
) -> _Seen:
    """The places of what was found and of the neighbours that join, but for those of hidden kinds, and which of their
    texts pass the tests, on one snapshot.
    """
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
        # What a reader's words lead to has words of its own, and may have more of these: each arm looks at all of them.
        seen.join(refs_in_readers_words(connection, seen.places))
    if tests.exact is not None:
        seen.exact = frozenset(rows_holding(connection, best.get("lexical", ()), [tests.exact]))
    if tests.numeric:
        seen.numeric = frozenset(rows_passing(connection, list(seen.numbers), holds_number))
    return seen


def _column(rows: Sequence[int], scores: Mapping[int, float]) -> Column:
    return np.array([scores.get(row, np.nan) for row in rows], dtype=np.float64)
