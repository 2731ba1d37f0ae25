"""Collects the candidates for an answer: the best of every arm and their neighbours, all scored exactly in every arm.

Each index is queried separately, and rows are read from SQLite in between; no snapshot of the store is held meanwhile.
Rows that are removed between two of these steps are left out.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray

from ...schemas import Arm, HitType
from ..concurrency import together
from ..index.errors import IndexServerError
from ..index.ports import VectorIndex
from ..indexing.indexed_store import IndexedStore
from ..question.forms import holds_number
from ..search_types import (
    CandidateSet,
    ChunkRef,
    Column,
    CompiledFilter,
    ExpansionPolicy,
    Filter,
    QuestionVectors,
    Vector,
    only_rows,
    without_kinds_only,
)
from ..store.chunks import chunk_refs, refs_beside, refs_in_readers_words
from ..store.filters import compile_filter, matching_chunks, passing
from ..store.phrase_rows import MOST_ROWS, rows_holding, rows_passing
from ..store.scan import rows_to_scan, scan_words
from ..store.vectors import compared_chunks
from ..text.phrases import Phrase
from .weights import PREFERRED, PREFERRED_SCAN


@dataclass(frozen=True, slots=True)
class WordHits:
    """The hits of a question's words: for each arm its best rows, with their scores."""

    best: Mapping[Arm, Sequence[tuple[int, float]]] = field(default_factory=dict[Arm, Sequence[tuple[int, float]]])


@dataclass(frozen=True, slots=True)
class NearHits:
    """The hits of a question's vectors."""

    vectors: QuestionVectors | None = None
    """The vectors by which was searched; None if there was no vector search."""
    close: Sequence[tuple[int, float]] = ()
    """The nearest rows, with their cosines; of two spaces, one of each in turn."""
    wanted: Sequence[int] = ()
    """Rows that join because the question prefers them."""


@dataclass(frozen=True, slots=True)
class TextTests:
    """Tests of the candidates' texts, made in the same read as their places."""

    exact: Phrase | None = None
    """The phrase to look for in the best candidates of the lexical arm."""
    numeric: bool = False
    """True to find the candidates that contain a number."""


async def compiled_filter(store: IndexedStore, where: Filter) -> CompiledFilter | None:
    """Return the filter with resolved names and with the rows that contain its phrases; None if everything passes."""
    if where.empty:
        return None
    if where.by_kind_only:
        return without_kinds_only(where.without_kinds)
    compiled = await store.database.read(compile_filter, where)
    if compiled is None or not where.phrases:
        return compiled
    phrases = [Phrase(text) for text in where.phrases]
    words = [group for phrase in phrases for group in phrase.terms]
    try:
        rows = await store.text.holding(words, compiled, MOST_ROWS)
    except IndexServerError:
        rows = await store.database.read(rows_to_scan, compiled)
    return replace(compiled, rows=tuple(await store.database.read(rows_holding, rows, phrases)))


async def find_words(
    store: IndexedStore, arms: Sequence[Arm], terms: Sequence[str], where: CompiledFilter | None, limit: int
) -> WordHits:
    """Return the best rows of each of these lexical arms."""
    return WordHits(await store.text.search(arms, terms, where, limit))


async def scan_for_words(
    store: IndexedStore, terms: Sequence[str], where: CompiledFilter | None, limit: int
) -> WordHits:
    """Return the best rows by the words of messages alone, from the store itself, which scans a limited number of them.

    Raises:
        StoreError: there are too many messages.
    """
    return WordHits({"lexical": await store.database.read(scan_words, terms, where, limit)})


async def find_near(
    store: IndexedStore,
    vectors: QuestionVectors | None,
    where: CompiledFilter | None,
    limit: int,
    preferred: Sequence[CompiledFilter] = (),
) -> NearHits:
    """Return the nearest rows, and the preferred rows that join them.

    Args:
        store: the store to search.
        vectors: the question's vectors; None without vectors.
        where: the filter of chunks.
        limit: the number of nearest rows.
        preferred: further filters within ``where``. The nearest rows of each join, too, unless it has too many rows;
            without a vector all rows of each join, if they are few.
    """
    spaces = _spaces(store, vectors)
    if not spaces:
        return NearHits(wanted=await _few_of(store, preferred))

    async def close() -> list[tuple[int, float]]:
        return await _nearest(spaces, _with_vector(where), limit)

    hits, wanted = await together(close, partial(_nearest_of, store, spaces, preferred))
    return NearHits(vectors, hits, wanted)


Spaces = Sequence[tuple[VectorIndex, Vector]]
"""The indexes that are searched, each with the question's vector in its space."""


def _spaces(store: IndexedStore, vectors: QuestionVectors | None) -> Spaces:
    pairs = () if vectors is None else zip((store.vectors.index, store.fallback.index), vectors, strict=True)
    return [(index, vector) for index, vector in pairs if index is not None and vector is not None]


async def _nearest(spaces: Spaces, where: CompiledFilter | None, limit: int) -> list[tuple[int, float]]:
    """Return the nearest rows of one space; of two, one of each in turn, since their cosines do not compare."""
    lists = await together(*(partial(index.search, vector, where, limit) for index, vector in spaces))
    if len(lists) == 1:
        return lists[0]
    turns = [hit for pair in zip_longest(*lists) for hit in pair if hit is not None]
    return list({hit[0]: hit for hit in reversed(turns)}.values())[::-1][:limit]


def _with_vector(where: CompiledFilter | None) -> CompiledFilter | None:
    """Return the filter for rows with vectors; None if it excludes only kinds without vectors, such as apps' own
    messages.
    """
    return None if where is not None and where.by_kind_only else where


async def find_candidates(
    store: IndexedStore,
    words: WordHits,
    near: NearHits,
    terms: Sequence[str],
    where: CompiledFilter | None,
    promising: ExpansionPolicy | None,
    tests: TextTests = TextTests(),
) -> CandidateSet:
    """Return the union of each arm's best rows and the direct neighbours of some of them, all scored exactly in every
    arm.

    Args:
        store: the store to search.
        words: the result of `find_words` for ``terms`` and ``where``; empty for the vector arm alone.
        near: the result of `find_near` for ``where``; empty for the word arms alone.
        terms: the terms of the question.
        where: the filter of chunks.
        promising: chooses the candidates whose neighbours join; None: no neighbours, and a single arm keeps its own
            scores.
        tests: tests of the texts.
    """
    vectors = near.vectors
    best: dict[Arm, Sequence[int]] = {arm: [row for row, _ in hits] for arm, hits in words.best.items()}
    if vectors is not None:
        best["vector"] = [row for row, _ in near.close]
    wanted = near.wanted if vectors is not None or words.best else ()
    hidden = () if where is None else where.without_kinds
    only = None if where is None else where.only
    seen = await store.database.read(_read, best, wanted, promising, hidden, tests, only)
    rows = list(seen.numbers)

    async def word_columns() -> dict[Arm, Column]:
        known: Mapping[Arm, Mapping[int, float]] = {arm: dict(hits) for arm, hits in words.best.items()}
        if known and (promising is not None or len(known) > 1):
            known = await store.text.scores(list(known), terms, where, rows, known)
        return {arm: _column(rows, known[arm]) for arm in known}

    if vectors is None:
        return CandidateSet(
            seen.places, seen.found, seen.best, await word_columns(), exact=seen.exact, numeric=seen.numeric
        )

    async def vector_columns() -> tuple[Column, Column | None, NDArray[np.int8] | None]:
        if promising is None and not vectors.several:
            return _column(rows, dict(near.close)), None, None
        compared = await store.database.read(compared_chunks, vectors, rows)
        column = compared.cosines.astype(np.float64)
        if (among := _with_vector(where)) is not None:
            passed = await store.database.read(passing, among, rows)
            column[[row not in passed for row in rows]] = np.nan
        spaces = compared.spaces if vectors.several else None
        return column, compared.typical.astype(np.float64), spaces

    scores, (cosines, typical, spaces) = await together(word_columns, vector_columns)
    scores["vector"] = cosines
    return CandidateSet(
        seen.places, seen.found, seen.best, scores, typical, spaces, exact=seen.exact, numeric=seen.numeric
    )


async def _nearest_of(store: IndexedStore, spaces: Spaces, preferred: Sequence[CompiledFilter]) -> list[int]:
    """Return the nearest rows of each preferred filter; the filters are searched concurrently."""
    parts: dict[int, list[int]] = {}

    async def one(number: int, each: CompiledFilter) -> None:
        rows = await store.database.read(matching_chunks, each, PREFERRED_SCAN + 1)
        # Of more rows, some are among the best of all anyway, and comparing them takes long.
        if len(rows) <= PREFERRED_SCAN:
            close = await _nearest(spaces, only_rows(rows), PREFERRED)
            parts[number] = [row for row, _ in close]

    await together(*(partial(one, number, each) for number, each in enumerate(preferred)))
    return [row for number in sorted(parts) for row in parts[number]]


async def _few_of(store: IndexedStore, preferred: Sequence[CompiledFilter]) -> list[int]:
    """Return the rows of each preferred filter that has at most `PREFERRED`."""
    found: list[int] = []
    for each in preferred:
        rows = await store.database.read(matching_chunks, each, PREFERRED + 1)
        found += rows if len(rows) <= PREFERRED else ()
    return found


@dataclass(slots=True)
class _Seen:
    """Distinct chunks that take part."""

    places: list[ChunkRef] = field(default_factory=list[ChunkRef])
    numbers: dict[int, int] = field(default_factory=dict[int, int])
    """The index into the places, by row id."""
    best: dict[Arm, list[int]] = field(default_factory=dict[Arm, list[int]])
    found: int = 0
    exact: frozenset[int] = frozenset()
    numeric: frozenset[int] = frozenset()
    """Row ids, as in `CandidateSet`."""
    only: HitType | None = None
    """The type of the hits; rows of the other one are dropped, however they joined."""

    def join(self, more: Iterable[ChunkRef]) -> None:
        """Add chunks that are not included yet."""
        for ref in more:
            other_type = self.only is not None and (ref.message is None) != (self.only == "chunk")
            if ref.row not in self.numbers and not other_type:
                self.numbers[ref.row] = len(self.places)
                self.places.append(ref)


def _read(
    connection: sqlite3.Connection,
    best: Mapping[Arm, Sequence[int]],
    wanted: Sequence[int],
    promising: ExpansionPolicy | None,
    hidden: Sequence[str],
    tests: TextTests,
    only: HitType | None = None,
) -> _Seen:
    """Return, from one snapshot, the places of the hits and of the joining neighbours, except hidden kinds, and the
    rows whose texts pass the tests.
    """
    seen = _Seen(only=only)
    lexical = {row: None for arm, rows in best.items() if arm != "vector" for row in rows}
    nearest = [row for row in best.get("vector", ()) if row not in lexical]
    more = [row for row in dict.fromkeys(wanted) if row not in lexical and row not in set(nearest)]
    seen.join(chunk_refs(connection, [*lexical, *nearest, *more]))
    seen.found = len(seen.places)
    seen.best = {arm: [seen.numbers[row] for row in rows if row in seen.numbers] for arm, rows in best.items()}
    if promising is not None:
        chosen = [seen.places[number] for number in promising(seen.places, seen.best)]
        seen.join(refs_beside(connection, chosen, 1, hidden))
        # Messages found by the chunks of their facts have their own chunk, and may have further ones: each arm scores
        # all of them.
        seen.join(refs_in_readers_words(connection, seen.places))
    if tests.exact is not None:
        seen.exact = frozenset(rows_holding(connection, best.get("lexical", ()), [tests.exact]))
    if tests.numeric:
        seen.numeric = frozenset(rows_passing(connection, list(seen.numbers), holds_number))
    return seen


def _column(rows: Sequence[int], scores: Mapping[int, float]) -> Column:
    return np.array([scores.get(row, np.nan) for row in rows], dtype=np.float64)
