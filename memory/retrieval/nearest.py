"""Finds what is nearest to a time of which nothing is there: "nothing from Bert on Thursday; the nearest:"."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from ...schemas import Query
from ...schemas.times import utc_microseconds
from ..indexing.indexed_store import IndexedStore
from ..question.plan import QuestionPlan
from ..question.times import NamedTime
from ..store.filters import matching_chunks
from .candidates import compiled_filter
from .in_order import NEAR, first_rows
from .query_filters import answers_to, times_within
from .ranking import Ranked

MOST = 10
"""The most messages before the time, and after it."""


async def nothing_then(store: IndexedStore, query: Query, plan: QuestionPlan) -> bool:
    """Return whether the named people wrote nothing at the named times that passes the filters."""
    for each in times_within(query, plan.times):
        within = _by_them(query, plan, each.start, each.end)
        where = await compiled_filter(store, answers_to(within, plan.phrases))
        if where is not None and await store.database.read(matching_chunks, where, 1):
            return False
    return True


async def rows_nearest(store: IndexedStore, query: Query, plan: QuestionPlan) -> Sequence[int]:
    """Return the rows of the messages nearest to the time of a question, of the named people if there are some; none
    if it names several times.
    """
    if len(plan.times) != 1:
        return ()
    time = plan.times[0]
    before = _by_them(query, plan, query.since, min(filter(None, (time.start, query.until))))
    after = _by_them(query, plan, max(filter(None, (time.end, query.since))), query.until)
    return [
        *await first_rows(store, before, plan, MOST, newest=True),
        *await first_rows(store, after, plan, MOST, newest=False),
    ]


def _by_them(query: Query, plan: QuestionPlan, since: datetime | None, until: datetime | None) -> Query:
    """Return the query for the named people, if there are some, at this time."""
    people = {} if query.speakers else {"speakers": tuple(plan.mention.preferred)}
    return query.model_copy(update={"since": since, "until": until, **people})


def led_by_nearness(top: Sequence[Ranked], plan: QuestionPlan, rows: Collection[int]) -> list[Ranked]:
    """Return the ranking with what is nearest to the time of a question first: of a question with a topic what the named
    people wrote about it, of another one these rows.
    """
    time, people = plan.times[0], plan.mention.preferred
    items = [item for item in top if item.place.time is not None and (not people or item.place.speaker in people)]
    if plan.subject:
        best = max((item.score for item in items), default=0.0)
        leading = [item for item in items if item.score >= best - NEAR]
    else:
        leading = [item for item in items if item.place.row in rows]
    leading.sort(key=lambda item: _distance(item.place.time or 0, time))
    first = {item.place.row for item in leading}
    return [*leading, *(item for item in top if item.place.row not in first)]


def _distance(micros: int, time: NamedTime) -> int:
    """Return how far a moment lies outside a span, in microseconds."""
    return max(utc_microseconds(time.start) - micros, micros - utc_microseconds(time.end), 0)
