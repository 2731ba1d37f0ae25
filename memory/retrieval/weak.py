"""Judges whether an answer is weak: nothing that was found is near to the question."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...schemas import Fact, Hit
from ..embedding.embedder import Embedder
from ..indexing.indexed_store import IndexedStore
from ..search_types import CandidateSet, QuestionVectors
from ..store.chunks import rows_apart
from ..store.vectors import compared_chunks
from .asked_attributes import asked_attributes
from .matching import is_all_that_is_asked
from .search_state import SearchState
from .weights import LEAST_SAMPLE, SAMPLE, WEAK_COSINE, WEAK_LEAD


async def is_weak(
    store: IndexedStore, embedder: Embedder | None, search: SearchState, hits: Sequence[Hit], facts: Sequence[Fact]
) -> bool:
    """Return whether nothing matches well: the named person wrote nothing at the named time, nothing is of that
    time, or no hit is near to the question.
    """
    plan = search.plan
    if search.ordered is not None and (plan.counts or search.query.sort == "score"):
        return not (search.ordered.rows or search.ordered.count)
    # "My appointments in December" were written by nobody: for a kind of documents the time alone decides.
    of_kind = plan.mention.asker and plan.kinds and not plan.asks_words
    if plan.by_person_in_time and (plan.asks_words or plan.of_times_alone) and not of_kind:
        return not search.few.said if plan.mention.addressed or plan.mention.asker else search.nothing_said
    if search.upcoming.rows and search.upcoming.certain:
        return False
    if search.nothing_then:
        return not search.named
    # A fact about the mentioned person is an answer, however far all messages are from the question.
    if plan.mention.preferred and {fact.attribute for fact in facts} & asked_attributes(plan.text, plan.mention.said):
        return False
    limited = search.within is not search.query
    return not limited and await _is_far(store, embedder, hits, search.few) and not is_all_that_is_asked(hits, plan)


async def _is_far(
    store: IndexedStore, embedder: Embedder | None, hits: Sequence[Hit], candidates: CandidateSet
) -> bool:
    """Return whether no hit contains a word of the question, and the nearest vector is hardly nearer than that of
    an average message.
    """
    name = "" if embedder is None else embedder.name
    vector = None if candidates.vectors is None else candidates.vectors.current
    if vector is None or store.vectors.index is None or name not in WEAK_COSINE or not hits:
        return False
    if any(hit.highlights for hit in hits):
        return False
    nearest = max(hit.scores.get("vector", 0.0) for hit in hits)
    rows = await store.database.read(rows_apart, SAMPLE)
    cosines = (await store.database.read(compared_chunks, QuestionVectors(vector), rows)).cosines
    cosines = cosines[~np.isnan(cosines)]
    if len(cosines) < LEAST_SAMPLE:
        return nearest < WEAK_COSINE[name]
    return nearest - float(cosines.mean()) < WEAK_LEAD[name]
