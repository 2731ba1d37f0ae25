"""Puts the messages that a question is about into the order of time: "the latest mail from Bert", "when did Bert first
mention the boat?"; and counts them: "how often did Bert mention the boat?".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...schemas import Query
from ..index.errors import IndexServerError
from ..indexing.indexed_store import IndexedStore
from ..question.kinds import sources_of
from ..question.plan import QuestionPlan
from ..search_types import CompiledFilter
from ..store.phrase_rows import MOST_ROWS
from ..store.time_rows import RowsByTime, passing_in_time_order, rows_in_time_order
from ..text.analyzer import query_terms, spaceless, terms_of_phrase
from ..text.other_forms import other_forms
from .candidates import compiled_filter
from .query_filters import answers_to
from .ranking import Ranked

MOST = 30
"""The most messages that are put in order."""
NEAR_WITH_WORD, NEAR = 6.0, 2.5
"""The lag behind the best score of a message with the words of the question, and of another one, that is put in order.
"""


@dataclass(frozen=True, slots=True)
class Ordered:
    """The messages that a question asks for in the order of time."""

    rows: tuple[int, ...]
    """The first row ids."""
    owners: tuple[int, ...]
    """For each row its message, or the negative document of a text."""
    newest: bool
    counts: bool
    speakers: frozenset[str]
    """The people whose messages are asked for; empty for everybody's."""
    topical: bool
    """True if the question has a topic, so that the scores decide which messages are about it."""
    count: int | None = None
    """The number of messages, if the question asks for it."""
    first: int | None = None
    last: int | None = None
    """The times of the earliest and the latest of these messages, in UTC microseconds."""

    def led(self, top: Sequence[Ranked]) -> list[Ranked]:
        """Return the ranking with the messages about the question's topic first, in the order of time."""
        if not top or (self.counts and self.topical):
            return list(top)
        # By their messages: the ranking may keep another chunk of a long one.
        position = {owner: number for number, owner in enumerate(self.owners)}
        if not self.topical:
            leading = sorted(
                (item for item in top if _owner(item) in position), key=lambda item: position[_owner(item)]
            )
        else:
            best = max(item.score for item in top)
            leading = [
                item
                for item in top
                if item.place.time is not None
                and (not self.speakers or item.place.speaker in self.speakers)
                and item.score >= best - (NEAR_WITH_WORD if _owner(item) in position else NEAR)
            ]
            leading.sort(key=lambda item: item.place.time or 0, reverse=self.newest)
        rows = {item.place.row for item in leading}
        return [*leading, *(item for item in top if item.place.row not in rows)]


def _owner(item: Ranked) -> int:
    return -item.place.document if item.place.message is None else item.place.message


async def in_order(store: IndexedStore, query: Query, plan: QuestionPlan) -> Ordered | None:
    """Return the messages that a question asks for in an order of time or by their number; None if it asks for neither.

    Args:
        store: the store to search.
        query: the filters.
        plan: the plan of the question.
    """
    if (plan.order == "best" and not plan.counts) or "picture" in plan.kinds:  # no filter knows pictures
        return None
    update: dict[str, object] = {}
    # Notes and mails to the user are the user's, too: "my last note" has no speaker.
    people = plan.mention.preferred or plan.mention.several
    if people and not query.speakers and (plan.asks_words or not plan.mention.asker):
        update["speakers"] = tuple(people)
    if plan.mention.addressed and not query.people:
        update["people"] = tuple(plan.mention.addressed)
    if plan.kinds and not query.sources:
        update["sources"] = sources_of(plan.kinds)
    if len(plan.times) == 1 and not (query.since or query.until):
        update |= {"since": plan.times[0].start, "until": plan.times[0].end}
    where = await compiled_filter(store, answers_to(query.model_copy(update=update), plan.phrases))
    newest = plan.order != "oldest"
    if not plan.subject:
        by_time = await store.database.read(
            lambda connection: passing_in_time_order(connection, where, MOST, newest=newest)
        )
        whole = True
    else:
        rows, whole = await _holding(store, plan.subject, plan.languages, where)
        by_time = await store.database.read(
            lambda connection: rows_in_time_order(connection, rows, MOST, newest=newest)
        )
    return _ordered(by_time, plan, newest=newest, counted=whole and _is_certain(query, plan))


def _is_certain(query: Query, plan: QuestionPlan) -> bool:
    """Return whether the number of these messages is what the question asks for: not if it names several people or times,
    or somebody to whom was written, nor if filters change what it asks for, nor if nobody knows who "I" is.
    """
    mention = plan.mention
    vague = mention.several or mention.addressed or len(plan.times) > 1 or plan.anonymous
    return not (vague or query.speakers or query.people or query.since or query.until)


def _ordered(by_time: RowsByTime, plan: QuestionPlan, *, newest: bool, counted: bool) -> Ordered:
    return Ordered(
        by_time.rows,
        by_time.owners,
        newest,
        plan.counts,
        plan.mention.preferred if plan.asks_words or not plan.mention.asker else frozenset(),
        bool(plan.subject),
        by_time.number if counted and plan.counts and (by_time.number or not plan.subject) else None,
        by_time.first,
        by_time.last,
    )


def _groups(word: str, languages: Sequence[str]) -> Sequence[Sequence[str]]:
    """Return the terms of which a text about a word has one, by their stems in the languages of the question."""
    if spaceless(word):
        return terms_of_phrase(word)
    forms = [term for code in languages or ("en",) for term in query_terms(word, code) if not term.startswith("_")]
    return [list(dict.fromkeys([*forms, *other_forms(word, languages)]))] if forms else []


async def _holding(
    store: IndexedStore, subject: Sequence[str], languages: Sequence[str], where: CompiledFilter | None
) -> tuple[Sequence[int], bool]:
    """Return the rows that hold all words of the subject, or else the longest of them, and whether these are all rows
    with all words.
    """
    groups = [group for word in subject for group in _groups(word, languages)]
    try:
        rows = await store.text.holding(groups, where, MOST_ROWS)
        if rows or len(groups) == 1:
            return rows, 0 < len(rows) < MOST_ROWS
        each = [await store.text.holding([group], where, MOST_ROWS) for group in groups]
    except IndexServerError:
        return (), False
    # The longest word says most: a short one may be a verb that stands anywhere.
    by_length = sorted(zip(groups, each, strict=True), key=lambda pair: -len(pair[0][0]))
    return next((rows for _, rows in by_length if rows), ()), False
