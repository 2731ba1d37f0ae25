"""Chooses the facts that are shown beside the hits of a question: reads candidates from the store, and selects by the
words and the meaning of the question.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from math import isnan, nan
from uuid import UUID

from ...schemas import Fact, Query
from ..question.past_moments import first_told
from ..records import StoredFact
from ..search_types import CandidateSet, FactFilter
from ..store import fact_rows
from ..store.chunks import rows_of_chunks
from ..store.fact_times import with_first_observed
from ..text.analyzer import fold
from .fact_answers import FactQuestion, in_order
from .query_filters import filter_of
from .ranking import Ranked

FACTS_SHOWN = 10
FACTS_LOOKED_AT = 50
"""The most facts behind the hits that are considered."""


def facts_to_choose_from(
    connection: sqlite3.Connection,
    query: Query,
    messages: Sequence[UUID],
    about: frozenset[str],
    question: FactQuestion,
    as_of: datetime | None,
) -> list[tuple[StoredFact, list[int]]]:
    """Return the facts that may answer, with the rows of their chunks: facts about the mentioned people with a
    requested attribute, the latest first, and facts behind the hits. Facts that no longer hold are included only on
    request, as of a moment, or if the question asks for a former state; in a scope only those that rest on messages in it
    alone.
    """
    statuses = (
        () if query.superseded or as_of is not None else ("active", "superseded") if question.former else ("active",)
    )
    where = FactFilter(statuses=statuses, as_of=as_of)
    found: list[StoredFact] = []
    if about and question.attributes and filter_of(query).empty:
        asked = replace(where, subjects=tuple(sorted(about)), attributes=tuple(sorted(question.attributes)))
        found = [each for _, each in fact_rows.facts(connection, asked, 0, FACTS_LOOKED_AT)]
        found.sort(key=lambda each: (each.fact.status != "active", -each.fact.observed_at.timestamp()))
        if as_of is not None and query.as_of is None:
            found += _told_later(connection, asked, as_of, found)
    if messages:
        found += fact_rows.facts_behind(connection, messages, where, FACTS_LOOKED_AT, about)
    named = [each for each in found if question.names(each.fact)]
    if scope := filter_of(query).scope:
        inside = fact_rows.messages_in_scope(connection, {key for each in named for key in each.messages}, scope)
        named = [each for each in named if inside.issuperset(each.messages)]
    named = with_first_observed(connection, named)
    return [(each, [] if question.asks_for(each.fact) else rows_of_chunks(connection, each.chunks)) for each in named]


def _told_later(
    connection: sqlite3.Connection, asked: FactFilter, moment: datetime, known: Sequence[StoredFact]
) -> list[StoredFact]:
    """Return facts first stated after a moment, for each subject and attribute without a known fact at that moment."""
    subjects = {(fold(each.fact.subject), each.fact.attribute) for each in known}
    every = [each for _, each in fact_rows.facts(connection, replace(asked, as_of=None), 0, FACTS_LOOKED_AT)]
    later = first_told(with_first_observed(connection, every), moment)
    return [each for each in later if (fold(each.fact.subject), each.fact.attribute) not in subjects]


def answering_facts(
    question: FactQuestion, facts: Sequence[tuple[StoredFact, list[int]]], seen: CandidateSet, shown: Sequence[Ranked]
) -> tuple[Fact, ...]:
    """Return the facts that the question certainly asks for, and those that may answer it whose own words are at least
    as near to it in meaning as the nearest hit.
    """
    vectors = seen.scores.get("vector")
    cosines: dict[int, float] = {}
    if vectors is not None and any(rows for _, rows in facts):
        cosines = {place.row: float(vectors[number]) for number, place in enumerate(seen.places)}
    nearest = max([cosine for item in shown if not isnan(cosine := cosines.get(item.place.row, nan))], default=nan)
    kept = [
        each.fact
        for each, rows in facts
        if question.asks_for(each.fact)
        or (question.may_answer(each.fact) and any(cosines.get(row, nan) >= nearest for row in rows))
    ]
    return tuple(in_order(kept, question)[:FACTS_SHOWN])
