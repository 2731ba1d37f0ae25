"""Puts the messages that a question is about into the order of time: "the latest mail from Bert", "when did Bert first
mention the boat?"; and counts them: "how often did Bert mention the boat?".
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from math import inf

from ...schemas import Query
from ...schemas.times import utc_microseconds
from ..index.errors import IndexServerError
from ..indexing.indexed_store import IndexedStore
from ..question.kinds import sources_of
from ..question.plan import QuestionPlan
from ..search_types import CompiledFilter
from ..store.addressed_rows import Addressed
from ..store.filters import passing
from ..store.phrase_rows import MOST_ROWS
from ..store.time_rows import Restriction, RowsByTime, passing_in_time_order, rows_in_time_order, time_span
from ..text.analyzer import query_terms, spaceless, terms_of_phrase
from ..text.other_forms import other_forms
from .candidates import compiled_filter
from .query_filters import answers_to, times_within
from .ranking import Ranked

MOST = 30
"""The most messages that are put in order."""
NEAR_WITH_WORD, NEAR = 6.0, 2.5
"""The lag behind the best score of a message with a word of the question, and of another one, that is put in order; a
message with all words is put in order in any case.
"""
MOST_HALVINGS = 24
"""The most times that a period with too many messages is halved."""


@dataclass(frozen=True, slots=True)
class Ordered:
    """The messages that a question asks for in the order of time."""

    by_time: RowsByTime
    newest: bool
    counts: bool
    topical: bool
    """True if the question has a topic, so that the scores decide which messages are about it."""
    where: CompiledFilter | None
    within: Restriction
    every_word: bool = False
    """True if these are the first of all messages with all words of the topic."""
    count: int | None = None
    """The number of messages, if the question asks for it."""
    never: bool = False
    """True if certainly no message has any word of the topic."""

    @property
    def rows(self) -> tuple[int, ...]:
        """The first row ids."""
        return self.by_time.rows

    @property
    def follows_scores(self) -> bool:
        """True if the ranking stays as it is: of a number the messages most about the topic are shown."""
        return self.counts and self.topical

    def is_first(self, item: Ranked) -> bool:
        """Return whether this is certainly the first of the messages that are asked for."""
        return (self.every_word or not self.topical) and self.by_time.owners[:1] == (_owner(item),)

    async def leading(self, store: IndexedStore, top: Sequence[Ranked]) -> list[Ranked]:
        """Return the messages of a ranking that are asked for, in the order of time."""
        if not top or self.follows_scores:
            return []
        # By their messages: the ranking may keep another chunk of a long one.
        position = {owner: number for number, owner in enumerate(self.by_time.owners)}
        if not self.topical:
            return sorted((item for item in top if _owner(item) in position), key=lambda item: position[_owner(item)])
        best = max(item.score for item in top)
        near = [item for item in top if _owner(item) not in position and item.score >= best - NEAR]
        among = await self._passing(store, [item.place.row for item in near])
        leading = [item for item in near if item.place.row in among]
        lag = inf if self.every_word else NEAR_WITH_WORD
        leading += [item for item in top if _owner(item) in position and item.score >= best - lag]
        return sorted(leading, key=lambda item: item.place.time or 0, reverse=self.newest)

    async def _passing(self, store: IndexedStore, rows: Sequence[int]) -> Collection[int]:
        """Return the subset of these candidates that are asked for."""
        where, within = self.where, self.within
        if where is None or (where.by_kind_only and within.to is None and not within.spans):
            return rows

        def read(connection: sqlite3.Connection) -> Collection[int]:
            passed = passing(connection, where, rows)
            if within.to is None and not within.spans:
                return passed
            return rows_in_time_order(connection, sorted(passed), len(passed), newest=True, within=within).rows

        return await store.database.read(read)


def _owner(item: Ranked) -> int:
    return -item.place.document if item.place.message is None else item.place.message


async def first_rows(
    store: IndexedStore, query: Query, plan: QuestionPlan, most: int, *, newest: bool
) -> Sequence[int]:
    """Return the rows of the newest or the first messages and texts that pass the filters and hold the phrases."""
    where = await compiled_filter(store, answers_to(query, plan.phrases))
    by_time = await store.database.read(
        lambda connection: passing_in_time_order(connection, where, most, newest=newest)
    )
    return by_time.rows


async def in_order(
    store: IndexedStore, query: Query, plan: QuestionPlan, to: Addressed | None = None
) -> Ordered | None:
    """Return the messages that a question asks for in an order of time or by their number; None if it asks for neither.

    Args:
        store: the store to search.
        query: the filters.
        plan: the plan of the question.
        to: the chats of the people to whom the messages were written, if it names some.
    """
    if (plan.order in ("best", "next") and not plan.counts) or "picture" in plan.kinds:  # no filter knows pictures
        return None
    update: dict[str, object] = {}
    # Notes and mails to the user are the user's, too: "my last note" has no speaker.
    people = plan.mention.preferred or plan.mention.several
    if people and not query.speakers and (plan.asks_words or to is not None or not plan.mention.asker):
        update["speakers"] = tuple(people)
    if plan.kinds and not query.sources:
        update["sources"] = sources_of(plan.kinds)
    if plan.chats and not query.chats:
        update["chats"] = tuple(plan.chats)
    spans = times_within(query, plan.times)
    if plan.times:
        end = spans[-1].end if spans else plan.times[0].start
        update |= {"since": spans[0].start if spans else end, "until": end}
    elif plan.order == "newest" and plan.asks_words and not plan.kinds and query.until is None:
        update["until"] = plan.now  # nobody said what a calendar has in the future
    where = await compiled_filter(store, answers_to(query.model_copy(update=update), plan.phrases))
    within = Restriction(
        [(utc_microseconds(each.start), utc_microseconds(each.end)) for each in spans] if len(spans) > 1 else (),
        to,
        groups=False,
        writers=bool(plan.mention.addressed & plan.mention.preferred),
    )
    ordered = await _ordered(store, plan, where, within)
    if to is not None and to.others and not ordered.rows:  # nothing to them alone
        ordered = await _ordered(store, plan, where, within._replace(groups=True))
    if plan.acts and not ordered.never:
        ordered = replace(ordered, count=None)
    return ordered if _is_certain(query, plan) else replace(ordered, count=None, never=False)


def _is_certain(query: Query, plan: QuestionPlan) -> bool:
    """Return whether the number of these messages is what the question asks for: not if it names people side by side
    without "and", nor if filters change whom it asks for, nor if nobody knows who "I" is.
    """
    vague = plan.mention.several and not plan.mention.jointly
    return not (vague or plan.anonymous or query.speakers or query.people)


async def _ordered(
    store: IndexedStore, plan: QuestionPlan, where: CompiledFilter | None, within: Restriction
) -> Ordered:
    newest, topical = plan.order != "oldest", bool(plan.subject)
    ordered = Ordered(RowsByTime(), newest, plan.counts, topical, where, within)
    if not topical:
        by_time = await store.database.read(
            lambda connection: passing_in_time_order(
                connection, where, MOST, newest=newest, within=within, counted=plan.counts
            )
        )
        return replace(ordered, by_time=by_time, count=by_time.number if plan.counts else None)
    groups = [group for word in plan.subject for group in _groups(word, plan.languages)]
    try:
        rows = await store.text.holding(groups, where, MOST_ROWS)
        if len(rows) >= MOST_ROWS and where is not None:
            by_time = await _first_of_many(store, groups, where, within, newest=newest)
            if by_time.rows:
                return replace(ordered, by_time=by_time, every_word=True)
        by_time = await _in_order(store, rows, within, newest=newest)
        if by_time.rows or (plan.counts and by_time.number):
            whole = len(rows) < MOST_ROWS
            count = by_time.number if plan.counts and whole else None
            return replace(ordered, by_time=by_time, every_word=whole, count=count)
        each = [rows] if len(groups) == 1 else [await store.text.holding([one], where, MOST_ROWS) for one in groups]
    except IndexServerError:
        return ordered
    # The longest word says most: a short one may be a verb that stands anywhere.
    by_length = sorted(zip(groups, each, strict=True), key=lambda pair: -len(pair[0][0]))
    some = next((rows for _, rows in by_length if rows), ())
    # Words that are left may be of asking, too: then that none has them says nothing.
    never = (
        bool(groups) and not some and plan.names_topic and not plan.phrases
    )  # of a phrase only the best messages are read
    by_time = await _in_order(store, some, within, newest=newest)
    return replace(ordered, by_time=by_time, never=never, count=0 if never and plan.counts else None)


async def _in_order(store: IndexedStore, rows: Sequence[int], within: Restriction, *, newest: bool) -> RowsByTime:
    return await store.database.read(
        lambda connection: rows_in_time_order(connection, rows, MOST, newest=newest, within=within)
    )


async def _first_of_many(
    store: IndexedStore, groups: Sequence[Sequence[str]], where: CompiledFilter, within: Restriction, *, newest: bool
) -> RowsByTime:
    """Return the first rows that hold the words, of more than an index returns at once: halve the period until it has
    few enough, but some. Empty if no such period is found.
    """
    first, last = await store.database.read(time_span) or (0, 0)
    low = first if where.since is None else max(first, where.since)
    high = last + 1 if where.until is None else min(last + 1, where.until)
    best = RowsByTime()
    for _ in range(MOST_HALVINGS):
        middle = (low + high) // 2
        if middle in (low, high):
            break
        part = replace(where, since=middle) if newest else replace(where, until=middle)
        rows = await store.text.holding(groups, replace(part, by_kind_only=False), MOST_ROWS)
        too_many = len(rows) >= MOST_ROWS
        if not too_many:
            best = await _in_order(store, rows, within, newest=newest)
            if len(best.rows) >= MOST:
                break
        low, high = (middle, high) if too_many == newest else (low, middle)
    return best


def _groups(word: str, languages: Sequence[str]) -> Sequence[Sequence[str]]:
    """Return the terms of which a text about a word has one, by their stems in the languages of the question."""
    if spaceless(word):
        return terms_of_phrase(word)
    forms = [term for code in languages or ("en",) for term in query_terms(word, code) if not term.startswith("_")]
    return [list(dict.fromkeys([*forms, *other_forms(word, languages)]))] if forms else []
