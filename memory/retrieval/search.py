"""Answers a question: plans it, finds candidates in every arm, ranks them once, and reads the hits and facts."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial

import numpy as np
from anyio import to_thread

from ...schemas import Fact, Hit, Query, QueryResult
from ...schemas.times import utc_microseconds
from ..embedding.embedder import Embedder
from ..facts.life_cycle import at_moment, is_over
from ..indexing.indexed_store import IndexedStore
from ..question.kinds import sources_of
from ..question.people import SpeakerMatcher
from ..question.plan import QuestionPlan, plan_question
from ..question.times import NamedTime, local_now
from ..question.understood import First, first_said, nothing_of, summary_of, understood_of
from ..records import StoredFact
from ..search_types import CandidateSet, ChunkRef
from ..store.addressed_rows import Addressed, addressed, documents_to
from ..store.chunks import rows_apart
from ..store.codec import utc_of
from ..store.document_kinds import documents_from, rows_with_pictures
from ..store.documents_read import names as speaker_counts
from ..store.hit_rows import HitMessage, HitRows, read_hits
from ..store.people_rows import merged_names, users_names
from ..store.time_rows import passing_in_time_order
from ..store.vectors import compared_chunks
from ..text.analyzer import fold, query_terms, words
from ..text.highlights import Highlighter
from .asked_attributes import asked_attributes
from .candidates import compiled_filter
from .events import EventSeries
from .fact_answers import FactQuestion, fact_question
from .fact_choice import answering_facts, facts_to_choose_from
from .find import Finder
from .hits import HitShaper, Place, ranks_of
from .in_order import Ordered, in_order
from .matching import is_all_that_is_asked, names_the_time
from .own_words import asks_for_reply
from .query_filters import answers_to, times_within
from .ranking import Ranked, rank
from .relatives import relatives_in
from .weights import (
    CANDIDATES,
    DEEP,
    DEFAULT,
    JUDGED,
    LEAST_SAMPLE,
    LONG_TIME,
    SAMPLE,
    SHALLOW,
    WEAK_COSINE,
    WEAK_LEAD,
    WORDS_ONLY,
    Weights,
    alone,
)
from .written_day import rows_of_written_day, single_day

NAMES_COMPARED = 3
"""The most words of a question that are compared with names; a question with more unknown words is not about a person.
"""
LONGEST_NAME = 40
NAMES_TOLD = 3
"""The most names that are suggested for misspelled words."""
COLLAPSED_TOKENS = 48
"""The most tokens of a message that is shown around another instead of being a hit; some three lines on a terminal."""


@dataclass(frozen=True, slots=True)
class _Names:
    """The names of a store, read from one snapshot."""

    matcher: SpeakerMatcher
    me: frozenset[str]
    """The user's names."""


@dataclass(slots=True)
class _Search:
    """A question in work: its plan, and the candidates of the best few and of the many hits."""

    query: Query
    plan: QuestionPlan
    missing: list[str]
    within: Query
    """The query, perhaps limited to the time that is all the question asks for."""
    nothing_then: bool = False
    """True if there is nothing of that time, and all times were searched instead."""
    few: CandidateSet = field(default_factory=CandidateSet)
    many: CandidateSet | None = None
    to: Addressed | None = None
    """The chats of the people to whom the messages were written that the question asks for."""
    ordered: Ordered | None = None
    first: Ranked | None = None
    """The message that is certainly the first in the order that the question asks for."""
    dated: frozenset[int] = frozenset()
    """The rows that mention the day that the question names."""
    repeating: frozenset[int] = frozenset()
    """The rows of the events that repeat at the times that the question names."""
    scattered: Sequence[str] = ()
    """The quoted phrases that stand together nowhere, so that their words are searched alone."""
    top: Sequence[Ranked] = ()


class Retriever:
    """Answers queries from the store. Caches only the speakers' names; call `forget_names` when they change.

    Args:
        store: the store to search.
        embedder: None for search by words only.
        now: returns the time that "last week" in a question refers to, in the zone in which days begin.
    """

    def __init__(
        self,
        store: IndexedStore,
        embedder: Embedder | None,
        weights: Weights = DEFAULT,
        now: Callable[[], datetime] = local_now,
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._weights = weights
        self._finder = Finder(store, embedder, weights)
        self._events = EventSeries(store)
        self._now = now
        self._names: _Names | None = None
        self._names_changed = 0

    def forget_names(self) -> None:
        """Read the names again at the next question, since something was stored or forgotten."""
        self._names = None
        self._names_changed += 1
        self._events.forget()

    async def query(self, query: Query, degraded: Iterable[str] = ()) -> QueryResult:
        """Answer a query; ``degraded`` contains the parts that the caller knows to be missing (``generation`` turns
        vectors off).
        """
        start = time.perf_counter()
        search = await self._planned(query, list(degraded))
        hits: Sequence[Hit] = ()
        facts: tuple[Fact, ...] = ()
        like: tuple[str, ...] = ()
        weak = False
        if search.plan.terms:  # punctuation alone has no terms
            await self._find(search)
            shown, facts = await self._shape(search)
            hits, judged = shown[: query.limit], shown[:JUDGED]
            if search.plan.strangers:
                like = await self._names_like(_strange(search.plan.strangers, judged))
            weak = await self._is_weak(search, judged, facts)
        missing = search.missing
        if "vector" in missing:  # without the search by vectors, pending ones do not matter
            missing = [name for name in missing if name != "pending"]
        # Values read from the store are valid: validating the result again would take a third of the time to build it.
        return QueryResult.model_construct(
            query=query.text,
            took_ms=(time.perf_counter() - start) * 1000,
            weak=weak,
            degraded=tuple(dict.fromkeys(missing)),
            hits=tuple(_sorted(hits, query)),
            facts=facts,
            did_you_mean=like,
            understood=None if query.arms else understood_of(search.plan),
            count=None if search.ordered is None else search.ordered.count,
            summary=self._summary(search),
            notices=self._notices(search),
        )

    async def _planned(self, query: Query, missing: list[str]) -> _Search:
        # With chosen arms, for measurements, the question is searched as it is, and nothing is added.
        if query.arms:
            plan = QuestionPlan(query.text, query_terms(query.text), query.text)
            return _Search(query, plan, missing, query)
        names = await self._known_names()
        relatives: Mapping[str, frozenset[str]] = {}
        if not {"me", "person"} & {*query.ignore}:
            relatives = await relatives_in(self._store, query.text, names.me)
        plan = plan_question(query.text, self._now(), names.matcher, names.me, query.ignore, relatives)
        if query.sort != "score":
            plan = replace(plan, order="best")  # a requested order is that of the hits, whatever the question says
        return _Search(query, plan, missing, _of_time(query, plan) or query)

    async def _find(self, search: _Search) -> None:
        """Find and rank the candidates."""
        query, plan, missing = search.query, search.plan, search.missing
        if plan.mention.addressed:
            writers = plan.mention.preferred - plan.mention.addressed
            search.to = await self._store.database.read(addressed, plan.mention.addressed, writers)
        search.ordered = await in_order(self._store, search.within, plan, search.to)
        joined: Sequence[int] = () if search.ordered is None else search.ordered.rows
        if search.within is not query:  # without vectors nothing else finds what has no word of the question
            joined = [*joined, *await self._of_within(search.within, plan)]
        search.dated = await self._dated(query, plan)
        search.repeating = beside = await self._events.rows_asked(plan, query)
        joined = [*joined, *search.dated]
        find = partial(self._finder.candidates, missing=missing, joined=joined, beside=beside, to=search.to)
        few = await find(search.within, plan)
        if search.within is not query and not few.places:
            search.nothing_then, search.within = True, query
            few = await find(query, plan, vector=few.vector)
        if plan.phrases and not few.places:
            search.scattered = plan.phrases
            search.plan = plan = replace(plan, phrases=())
            few = await find(search.within, plan, vector=few.vector)
        search.few = await self._marked(search, few)
        search.top = self._rank(query, plan, search.few)
        if query.limit > SHALLOW:
            rows = [item.place.row for item in search.top]
            many = await find(search.within, plan, depth=DEEP, joined=rows, vector=search.few.vector)
            search.many = await self._marked(search, many)

    async def _of_within(self, within: Query, plan: QuestionPlan) -> Sequence[int]:
        """Return the rows of the time that is all the question asks for, the first of it."""
        where = await compiled_filter(self._store, answers_to(within, plan.phrases))
        by_time = await self._store.database.read(
            lambda connection: passing_in_time_order(connection, where, CANDIDATES, newest=False)
        )
        return by_time.rows

    async def _dated(self, query: Query, plan: QuestionPlan) -> frozenset[int]:
        """Return the rows that mention the day that the question names."""
        if single_day(plan.times) is None:
            return frozenset()
        where = await compiled_filter(self._store, answers_to(query, plan.phrases))
        return frozenset(await rows_of_written_day(self._store, plan.times, where))

    async def _marked(self, search: _Search, candidates: CandidateSet) -> CandidateSet:
        """Return the candidates with those marked that are of the named time, and by the named person."""
        plan, mention = search.plan, search.plan.mention
        in_time = _in_time(candidates.places, plan.times or plan.years)
        said = frozenset[int]()
        if mention.addressed:
            said = await self._said_to(search, candidates.places)
            said = said & in_time if plan.times else said
        elif plan.by_person_in_time:
            said = frozenset(
                place.row for place in candidates.places if place.row in in_time and place.speaker in mention.preferred
            )
        of_kind = await self._of_kind(plan, candidates.places)
        in_time |= {place.row for place in candidates.places if place.row in search.dated | search.repeating}
        return replace(candidates, in_time=in_time, said=said, of_kind=of_kind)

    async def _of_kind(self, plan: QuestionPlan, places: Sequence[ChunkRef]) -> frozenset[int]:
        """Return the row ids of the places in documents of the kinds that the question asks for."""
        if not plan.kinds:
            return frozenset()
        documents = {place.document for place in places}
        rows_of_pictures = frozenset[int]()
        if "picture" in plan.kinds:
            rows_of_pictures = await self._store.database.read(rows_with_pictures, [place.row for place in places])
        matching = await self._store.database.read(documents_from, documents, sources_of(plan.kinds))
        return rows_of_pictures | {place.row for place in places if place.document in matching}

    async def _shape(self, search: _Search) -> tuple[Sequence[Hit], tuple[Fact, ...]]:
        """Return at least `JUDGED` hits, best first, and the facts. The facts depend on the best few hits, and the
        order of the best does not depend on the requested number: deeper hits are added behind them.
        """
        query, plan, few = search.query, search.plan, search.few
        raw, top, about = few.scores, search.top, plan.mention.about
        judged, around = _apart(top, query.context, JUDGED)
        if search.many is not None:
            raw = search.many.scores
            top = _led_by(_apart(top, query.context, SHALLOW)[0], self._rank(query, plan, search.many))
        if search.ordered is not None:
            leading = await search.ordered.leading(self._store, search.top)
            search.first = next(filter(search.ordered.is_first, leading[:1]), None)
            top = _led_by(leading, top)
            judged, around = _apart(top, query.context, JUDGED)
        series = await self._events.among(() if query.arms else top, plan, self._now())
        top = series.joined(top, {item.place.document for item in search.top})
        best, collapsed = _apart(top, query.context, max(query.limit, JUDGED))
        as_of = query.as_of or plan.as_of
        question = await self._fact_question(query, plan)
        rows, shown, behind = await self._store.database.read(
            _read_hits, query, best, (judged, around), about, question, as_of
        )
        moment = as_of or self._now()
        if not (query.superseded or as_of or question.former):
            behind = [(each, rows) for each, rows in behind if not is_over(each.fact, moment)]
        still = [item for item in judged if item.place.row in rows.found]
        facts = tuple(at_moment(fact, moment) for fact in answering_facts(question, behind, few, still))
        ranks = ranks_of(raw) if query.explain else None
        shaper = HitShaper(query, Highlighter(plan.terms), rows, collapsed, raw, ranks, plan.times, series.dates)
        return [shaper.hit(number, item) for number, item in enumerate(shown, 1)], facts

    async def _fact_question(self, query: Query, plan: QuestionPlan) -> FactQuestion:
        mention = plan.mention
        return fact_question(
            plan.text,
            mention.about,
            (await self._known_names()).matcher.folded if mention.about else frozenset(),
            plan.strangers,
            mention.speakers,
            mention.said,
            query_terms(" ".join(each.words for each in plan.times)),
            former=plan.former and not (query.superseded or query.as_of or plan.as_of),
        )

    async def _is_weak(self, search: _Search, hits: Sequence[Hit], facts: Sequence[Fact]) -> bool:
        """Return whether nothing matches well: the named person wrote nothing at the named time, nothing is of that
        time, or no hit is near to the question.
        """
        plan = search.plan
        if search.ordered is not None:
            return not search.ordered.rows
        if plan.by_person_in_time and (plan.asks_words or plan.of_times_alone):
            return not search.few.said
        if search.nothing_then:
            return not names_the_time(hits, plan.text, plan.times)
        # A fact about the mentioned person is an answer, however far all messages are from the question.
        if plan.mention.preferred and {fact.attribute for fact in facts} & asked_attributes(
            plan.text, plan.mention.said
        ):
            return False
        limited = search.within is not search.query
        return not limited and await self._is_far(hits, search.few) and not is_all_that_is_asked(hits, plan)

    async def _is_far(self, hits: Sequence[Hit], candidates: CandidateSet) -> bool:
        """Return whether no hit contains a word of the question, and the nearest vector is hardly nearer than that of
        an average message.
        """
        name = "" if self._embedder is None else self._embedder.name
        index, vector = self._store.vectors.index, candidates.vector
        if vector is None or index is None or name not in WEAK_COSINE or not hits:
            return False
        if any(hit.highlights for hit in hits):
            return False
        nearest = max(hit.scores.get("vector", 0.0) for hit in hits)
        rows = await self._store.database.read(rows_apart, SAMPLE)
        cosines = (await self._store.database.read(compared_chunks, vector, rows)).cosines
        cosines = cosines[~np.isnan(cosines)]
        if len(cosines) < LEAST_SAMPLE:
            return nearest < WEAK_COSINE[name]
        return nearest - float(cosines.mean()) < WEAK_LEAD[name]

    def _summary(self, search: _Search) -> str | None:
        ordered, plan, query = search.ordered, search.plan, search.query
        if ordered is None:
            return None
        ends = (self._moment(ordered.by_time.first), self._moment(ordered.by_time.last))
        if plan.counts or ordered.never:
            return summary_of(plan, ordered.count, *ends, never=ordered.never)
        at = None if search.first is None else self._moment(search.first.place.time)
        # Of "my" things nobody knows whether they are the user's words or another's.
        if search.first is None or at is None or (plan.mention.asker and not plan.subject):
            return None
        filtered = query.speakers or query.people or query.since or query.until
        in_group = ordered.within.to is not None and ordered.within.groups
        return first_said(plan, First(at, search.first.place.speaker, in_group), filtered=bool(filtered))

    def _moment(self, micros: int | None) -> datetime | None:
        return None if micros is None else utc_of(micros).astimezone(self._now().tzinfo)

    def _notices(self, search: _Search) -> tuple[str, ...]:
        """Return in words what the answer could not follow of the question."""
        plan = search.plan
        nothing = search.nothing_then or (
            plan.by_person_in_time and not search.few.said and not plan.mention.addressed and not plan.mention.asker
        )
        notices = (
            "who are you? memd config me NAME" if plan.anonymous else "",
            *(f"“{phrase}” stands together nowhere; the words alone:" for phrase in search.scattered),
            f"not understood: {', '.join(plan.unread)}" if plan.unread else "",
            nothing_of(plan) if plan.terms and nothing else "",
        )
        return tuple(filter(None, notices))

    def _rank(self, query: Query, plan: QuestionPlan, candidates: CandidateSet) -> list[Ranked]:
        vectors = candidates.scores.get("vector")
        weights = self._weights if vectors is not None and not np.isnan(vectors).all() else WORDS_ONLY
        if self._embedder is not None:
            weights = weights.for_question(query.text, self._embedder.name)
        if asks_for_reply(query.text):
            weights = replace(weights, assistant=0)
        if query.arms:
            # Chosen arms, for measurements, have equal weights, and nothing is added.
            weights = alone(query.arms)
        if plan.mention.asker:
            weights = replace(weights, speaker=0)  # "my" things are told by others as often
        if any(each.end - each.start > LONG_TIME for each in plan.times or plan.years):
            weights = replace(weights, time=weights.long_time)
        if plan.times and plan.of_times_alone:
            weights = replace(weights, length=weights.vague_length)
        if not plan.asks_words and not plan.mention.addressed:
            weights = replace(weights, said=weights.then)
        return rank(
            candidates.places,
            candidates.scores,
            weights,
            plan.mention.preferred,
            len(candidates.places),
            exact=candidates.exact,
            in_time=candidates.in_time,
            said=candidates.said,
            typical=candidates.typical,
            numeric=candidates.numeric,
            of_kind=candidates.of_kind,
        )

    async def _said_to(self, search: _Search, places: Sequence[ChunkRef]) -> frozenset[int]:
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
        to_them = await self._store.database.read(documents_to, documents, search.to)
        return frozenset(place.row for place in of_writers if place.document in to_them)

    async def _known_names(self) -> _Names:
        while (names := self._names) is None:
            changed = self._names_changed
            speakers, merged, own = await self._store.database.read(
                lambda connection: (speaker_counts(connection), merged_names(connection), users_names(connection))
            )
            names = _Names(SpeakerMatcher(speakers, merged), frozenset(own))
            if changed == self._names_changed:  # else the names may include a person forgotten in the meantime
                self._names = names
        return names

    async def _names_like(self, words: Sequence[str]) -> tuple[str, ...]:
        """Return names that the first of these words may misspell."""
        candidates = [word for word in words if len(word) <= LONGEST_NAME][:NAMES_COMPARED]
        if not candidates:
            return ()
        # In a thread: comparing a word with all names takes up to 0.1 s.
        return await to_thread.run_sync((await self._known_names()).matcher.like, candidates, NAMES_TOLD)


def _of_time(query: Query, plan: QuestionPlan) -> Query | None:
    """Return the query limited to the time that it names, within its filter, if it asks for nothing else.

    A mere preference would not suffice: the nearest messages to the words of a date are about other dates.
    """
    within = times_within(query, plan.times) if plan.of_times_alone and len(plan.times) == 1 else ()
    return query.model_copy(update={"since": within[0].start, "until": within[0].end}) if within else None


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


def _apart(top: Sequence[Ranked], reach: int, limit: int) -> tuple[list[Ranked], set[Place]]:
    """Return the best candidates without messages shown around a better one, and the places of those left out."""
    apart: list[Ranked] = []
    shown: set[Place] = set()
    collapsed: set[Place] = set()
    for item in top:
        document, position = item.place.document, item.place.ordinal
        # Messages around a hit are shown in a few lines: a long one might be cut at the answer.
        short = not item.place.part and item.place.tokens <= COLLAPSED_TOKENS
        if item.place.message is not None and short and (document, position) in shown:
            collapsed.add((document, position))
            continue
        if len(apart) == limit:
            break
        apart.append(item)
        if item.place.message is not None:
            shown.update((document, position + step) for step in range(-reach, reach + 1) if step)
    return apart, collapsed


def _strange(names: Collection[str], hits: Sequence[Hit]) -> Sequence[str]:
    """Return those of the possible names that occur in no hit."""
    shown = {word for hit in hits for word in words(hit.text)}
    return [word for word in names if fold(word) not in shown]


def _led_by(first: Sequence[Ranked], ranked: Sequence[Ranked]) -> list[Ranked]:
    """Return the ranking with the hits of ``first`` moved to the front, in their order; their scores stay unchanged."""
    places = {_hit_of(item): item for item in ranked}
    led = [places[hit] for each in first if (hit := _hit_of(each)) in places]
    leading = {item.place.row for item in led}
    return [*led, *(item for item in ranked if item.place.row not in leading)]


def _hit_of(item: Ranked) -> tuple[bool, int]:
    """Return the identity of a hit: a message, or a piece of a text."""
    message = item.place.message
    return (False, item.place.row) if message is None else (True, message)


def _sorted(hits: Sequence[Hit], query: Query) -> Sequence[Hit]:
    """Return the hits in the requested order: by time, those without a time last, or as they are ranked."""
    if query.sort == "score":
        return hits
    sign = -1.0 if query.sort == "newest" else 1.0
    return sorted(hits, key=lambda hit: (hit.time is None, 0.0 if hit.time is None else sign * hit.time.timestamp()))


def _read_hits(
    connection: sqlite3.Connection,
    query: Query,
    best: Sequence[Ranked],
    judged: tuple[Sequence[Ranked], AbstractSet[Place]],
    about: frozenset[str],
    question: FactQuestion,
    as_of: datetime | None,
) -> tuple[HitRows, list[Ranked], list[tuple[StoredFact, list[int]]]]:
    """Read the rows of the hits, the candidates that still exist, and the facts that may answer, from one snapshot.

    ``judged`` contains the few best candidates and the places left out beside them: facts are chosen by these.
    """
    few, around = judged
    # The two lists may contain different chunks of a long message.
    places = {item.place.row: item.place for item in (*best, *few)}
    rows = read_hits(connection, list(places.values()), query.context)
    shown = [item for item in best if item.place.row in rows.found]
    keys = [found.key for item in few if isinstance(found := rows.found.get(item.place.row), HitMessage)]
    keys += [line.key for document, position in sorted(around) if (line := rows.line(document, position))]
    return rows, shown, facts_to_choose_from(connection, query, keys, about, question, as_of)
