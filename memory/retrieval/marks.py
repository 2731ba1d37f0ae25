"""Marks the candidates that are of the time, by the person and of the kind that a question names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...schemas.times import utc_microseconds
from ..indexing.indexed_store import IndexedStore
from ..question.kinds import sources_of
from ..question.plan import QuestionPlan
from ..question.times import NamedTime
from ..search_types import CandidateSet, ChunkRef
from ..store.addressed_rows import documents_to
from ..store.document_kinds import documents_from, documents_in, rows_with_pictures
from .search_state import SearchState


async def marked(store: IndexedStore, search: SearchState, candidates: CandidateSet) -> CandidateSet:
    """Return the candidates with those marked that are of the named time, and by the named person."""
    plan, mention = search.plan, search.plan.mention
    in_time = _in_time(candidates.places, plan.times or plan.years)
    said = frozenset[int]()
    if mention.addressed:
        said = await _said_to(store, search, candidates.places)
        said = said & in_time if plan.times else said
    elif plan.by_person_in_time:
        said = frozenset(
            place.row for place in candidates.places if place.row in in_time and place.speaker in mention.preferred
        )
    of_kind = await _of_kind(store, plan, candidates.places)
    if plan.of_kind_alone:
        by_them = frozenset(mention.preferred if not mention.asker else ())
        said = said & of_kind or frozenset(
            place.row
            for place in candidates.places
            if place.row in of_kind and (not by_them or place.speaker in by_them)
            if not plan.times or place.row in in_time
        )
    if plan.chats:
        in_chats = await _in_chats(store, plan, candidates.places)
        of_kind = in_chats & of_kind if plan.kinds else in_chats
    in_time |= {place.row for place in candidates.places if place.row in search.dated | search.repeating}
    return replace(candidates, in_time=in_time, said=said, of_kind=of_kind)


async def _of_kind(store: IndexedStore, plan: QuestionPlan, places: Sequence[ChunkRef]) -> frozenset[int]:
    """Return the row ids of the places in documents of the kinds that the question asks for."""
    if not plan.kinds:
        return frozenset()
    documents = {place.document for place in places}
    rows_of_pictures = frozenset[int]()
    if "picture" in plan.kinds:
        rows_of_pictures = await store.database.read(rows_with_pictures, [place.row for place in places])
    matching = await store.database.read(documents_from, documents, sources_of(plan.kinds))
    return rows_of_pictures | {place.row for place in places if place.document in matching}


async def _in_chats(store: IndexedStore, plan: QuestionPlan, places: Sequence[ChunkRef]) -> frozenset[int]:
    """Return the row ids of the places in the chats that the question names."""
    documents = {place.document for place in places}
    matching = await store.database.read(documents_in, documents, plan.chats)
    return frozenset(place.row for place in places if place.document in matching)


async def _said_to(store: IndexedStore, search: SearchState, places: Sequence[ChunkRef]) -> frozenset[int]:
    """Return the row ids of messages to the addressed people, by those who are named as the writers, or by any."""
    mention = search.plan.mention
    if search.to is None:
        return frozenset()
    of_writers = [
        place
        for place in places
        if (place.speaker in mention.preferred if mention.preferred else place.speaker not in mention.addressed)
    ]
    documents = {place.document for place in of_writers}
    to_them = await store.database.read(documents_to, documents, search.to)
    return frozenset(place.row for place in of_writers if place.document in to_them)


def _in_time(places: Sequence[ChunkRef], times: Sequence[NamedTime]) -> frozenset[int]:
    """Return the row ids of the places in any of these times."""
    if not times:
        return frozenset()
    spans = [(utc_microseconds(each.start), utc_microseconds(each.end)) for each in times]
    return frozenset(
        place.row
        for place in places
        if place.time is not None and any(start <= place.time < end for start, end in spans)
    )
