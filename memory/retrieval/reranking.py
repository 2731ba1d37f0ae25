"""Lets a reranker put the best candidates of a question into another order; without one, this costs nothing.

It decides nothing that is certain: questions for the newest, the first, a time alone, a kind alone or quoted words are
left as they are, and a candidate changes places only with those that fit the question's time, people and kind as it does.
"""

from __future__ import annotations

import logging
import sqlite3
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

import anyio
import numpy as np

from ...schemas.errors import MemdError
from ..indexing.indexed_store import IndexedStore
from ..rerank.reranker import Reranker
from ..search_types import Column
from ..store.documents_read import keys_of_rows
from ..store.hit_rows import HitMessage, HitPiece, HitRows, read_hits
from .ranking import Ranked, z_scores
from .search_state import SearchState

PART = "rerank"
"""The name in ``degraded``, ``scores`` and explanations."""
QUIET_SECONDS = 15.0
"""The seconds after a reranker was too slow in which no other question waits for it."""
log = logging.getLogger(__name__)


@dataclass(slots=True)
class Reranking:
    """The reranker of the settings, and the use of its scores."""

    reranker: Reranker
    candidates: int
    """The number of the best messages that it reads."""
    weight: float
    """Its share beside the first ranking, from 0 to 1; both are normalised among the messages that it reads."""
    timeout_s: float
    """The seconds that a question waits for it."""
    private: Callable[[Collection[UUID]], Awaitable[Collection[UUID]]] | None = None
    """Returns the documents of which nothing may be sent; None if nothing leaves this process."""
    quiet_until: float = 0.0
    """The end of the time, on the monotonic clock, in which no question waits for a reranker that was too slow."""


async def rerank(store: IndexedStore, reranking: Reranking | None, search: SearchState) -> None:
    """Reorder the best candidates of a question, and record the scores in the search. If the reranker fails or takes too
    long, the first ranking stands and ``rerank`` is among the missing parts.

    A message that may not be sent keeps its place.
    """
    if search.query.rerank is False or _is_certain(search):
        return
    if reranking is None or time.monotonic() < reranking.quiet_until:
        search.missing.append(PART)
        return
    best = search.top[: reranking.candidates]
    rows, keys = await store.database.read(_read, best)
    private: Collection[UUID] = ()
    if reranking.private is not None:
        private = await reranking.private(set(keys.values()))
    read = [item for item in best if item.place.row in rows.found and keys.get(item.place.document) not in private]
    if len(read) < 2:
        return
    documents = {keys[item.place.document] for item in read if item.place.document in keys}
    texts = [_text_of(rows.found[item.place.row]) for item in read]
    try:
        with anyio.fail_after(reranking.timeout_s):
            scores = await reranking.reranker.scores(search.plan.text, texts, documents)
    except (MemdError, TimeoutError) as error:
        if isinstance(error, TimeoutError):
            reranking.quiet_until = time.monotonic() + QUIET_SECONDS
        log.debug("not reranked: %s", error)
        search.missing.append(PART)
        return
    order = sorted(range(len(read)), key=lambda number: -scores[number])
    search.reranked = {read[number].identity: (rank, scores[number]) for rank, number in enumerate(order, 1)}
    first = _normalised([item.score for item in read])
    fused = (1 - reranking.weight) * first + reranking.weight * _normalised(scores)
    search.top = [
        *_placed(best, dict(zip((item.identity for item in read), fused.tolist(), strict=True)), search),
        *search.top[len(best) :],
    ]


def _is_certain(search: SearchState) -> bool:
    """Return whether something else than the fit of words and meaning decides on the order."""
    query, plan = search.query, search.plan
    return bool(
        query.arms
        or query.sort != "score"
        or search.ordered is not None
        or search.upcoming.rows
        or search.nearest
        or search.nothing_then
        or plan.phrases
        or plan.of_times_alone
        or plan.of_kind_alone
    )


def _read(connection: sqlite3.Connection, best: Sequence[Ranked]) -> tuple[HitRows, dict[int, UUID]]:
    rows = read_hits(connection, [item.place for item in best], 0)
    return rows, keys_of_rows(connection, {item.place.document for item in best})


def _text_of(row: HitMessage | HitPiece) -> str:
    """Return the text that the reranker reads: of a long message the found part, behind the speaker's name."""
    if isinstance(row, HitPiece):
        return row.text
    start, end = row.passage or (0, len(row.line.text))
    return f"{row.line.speaker}: {row.line.text[start:end]}"


def _normalised(scores: Sequence[float]) -> Column:
    """Return z-scores of numbers of any size."""
    column = np.asarray(scores, np.float64)
    return z_scores(column / (np.abs(column).max() or 1.0))  # the squares of large numbers are infinite


def _placed(best: Sequence[Ranked], fused: Mapping[tuple[bool, int], float], search: SearchState) -> list[Ranked]:
    """Return the candidates with those of each group in the order of their fused scores, in the places of that group.

    A hit takes over the score of its new place, so that scores still fall from hit to hit; the share ``rerank`` is the
    difference.
    """
    groups: defaultdict[tuple[bool, ...], list[int]] = defaultdict(list)
    facets = (search.few.in_time, search.few.said, search.few.exact, search.few.of_kind)
    for place, item in enumerate(best):
        if item.identity in fused:
            groups[tuple(item.place.row in rows for rows in facets)].append(place)
    placed = list(best)
    for places in groups.values():
        order = sorted(places, key=lambda place: (-fused[best[place].identity], place))
        for place, former in zip(places, order, strict=True):
            placed[place] = _moved(best[former], best[place].score)
    return placed


def _moved(item: Ranked, score: float) -> Ranked:
    parts = {name: values[[item.column]] for name, values in item.parts.items()}
    return replace(item, score=score, parts={**parts, PART: np.array([score - item.score])}, column=0)
