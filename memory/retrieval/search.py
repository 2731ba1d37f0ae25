"""Answers a question: plans it, finds candidates in every arm, ranks them once, and reads the hits and facts."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

import numpy as np

from ...schemas import Fact, Hit, Query, QueryResult
from ..embedding.embedder import Embedder
from ..facts.life_cycle import at_moment, is_over
from ..indexing.indexed_store import IndexedStore
from ..question.kinds import sources_of
from ..question.plan import QuestionPlan, plan_question
from ..question.times import local_now
from ..question.understood import First, either_days, first_said, nothing_of, phrase_words, summary_of, understood_of
from ..records import StoredFact
from ..search_types import CandidateSet
from ..store.addressed_rows import addressed
from ..store.codec import utc_of
from ..store.document_kinds import has_source
from ..store.hit_rows import HitMessage, HitRows, hit_chunks, read_hits
from ..text.analyzer import query_terms
from ..text.highlights import Highlighter
from ..tracing import span
from .candidates import compiled_filter
from .events import EventSeries
from .fact_answers import FactQuestion, fact_question
from .fact_choice import answering_facts, facts_to_choose_from
from .find import Finder
from .hits import HitShaper, Place, ranks_of, with_chunks
from .in_order import first_rows, in_order
from .known_names import KnownNames
from .marks import marked
from .matching import names_the_time
from .nearest import led_by_nearness, nothing_then, rows_nearest
from .own_words import asks_for_reply
from .query_filters import answers_to, filter_of, times_within
from .ranking import Ranked, rank
from .relatives import relatives_in
from .reranking import Reranking, rerank
from .search_state import SearchState
from .weak import is_weak
from .weights import (
    CANDIDATES,
    DEEP,
    DEFAULT,
    JUDGED,
    LONG_TIME,
    PREFERRED,
    SHALLOW,
    WORDS_ONLY,
    Weights,
    alone,
)
from .written_day import rows_of_written_day, single_day

COLLAPSED_TOKENS = 48
"""The most tokens of a message that is shown around another instead of being a hit; some three lines on a terminal."""


class Answer(NamedTuple):
    """The answer to a query."""

    result: QueryResult
    timely: bool
    """True if another minute of asking may change it; else another day may."""


class Retriever:
    """Answers queries from the store. Caches only the speakers' names; call `forget_names` when they change.

    Args:
        store: the store to search.
        embedder: None for search by words only.
        fallback: see `Finder`.
        now: returns the time that "last week" in a question refers to, in the zone in which days begin.
    """

    def __init__(
        self,
        store: IndexedStore,
        embedder: Embedder | None,
        weights: Weights = DEFAULT,
        now: Callable[[], datetime] = local_now,
        fallback: Embedder | None = None,
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._weights = weights
        self._finder = Finder(store, embedder, weights, fallback)
        self._events = EventSeries(store)
        self._now = now
        self._names = KnownNames(store)
        self._user: tuple[str, ...] = ()
        self.renewals = 0
        """The number of times that names were to be read again; answers before and after may differ."""
        self.reranking: Reranking | None = None
        """The reranker of the settings; None: the first ranking stands."""

    def forget_names(self) -> None:
        """Read the names again at the next question, since something was stored or forgotten."""
        self.renewals += 1
        self._names.forget()
        self._events.forget()

    def set_user(self, names: Iterable[str]) -> None:
        """Take over the user's names as the settings have them, for the notice that nobody has them."""
        self._user = tuple(dict.fromkeys(names))

    async def query(self, query: Query, degraded: Iterable[str] = ()) -> QueryResult:
        """Answer a query, as `answer` does."""
        return (await self.answer(query, degraded)).result

    async def answer(self, query: Query, degraded: Iterable[str] = ()) -> Answer:
        """Answer a query; ``degraded`` contains the parts that the caller knows to be missing (``generation`` turns
        vectors off).
        """
        start = time.perf_counter()
        with span("plan"):
            search = await self._planned(query, list(degraded))
        hits: Sequence[Hit] = ()
        facts: tuple[Fact, ...] = ()
        like: tuple[str, ...] = ()
        weak = False
        if search.plan.terms:  # punctuation alone has no terms
            with span("find") as counts:
                await self._find(search)
                counts["candidates"] = len(search.few.places)
            with span("rank and read"):
                shown, facts = await self._shape(search, nearest=search.nothing_said)
            if search.nothing_then:
                search.named = names_the_time(shown[:JUDGED], search.plan.text, search.plan.times)
                if search.nearest and not (search.named or search.nothing_said):
                    shown, facts = await self._shape(search, nearest=True)
            limit = query.limit if query.include_messages or query.include_chunks else 0
            hits, judged = shown[:limit], shown[:JUDGED]
            search.unknown = await self._names.unknown(search.plan.unknown, judged)
            strangers = search.plan.strangers or search.unknown
            if strangers and not filter_of(query).scope:  # the names of a user's contacts are not another user's
                like = await self._names.like(strangers, judged)
            weak = await is_weak(self._store, self._embedder, search, judged, facts)
        missing = search.missing
        if "vector" in missing:  # without the search by vectors, pending ones do not matter
            missing = [name for name in missing if name != "pending"]
        # Values read from the store are valid: validating the result again would take a third of the time to build it.
        result = QueryResult.model_construct(
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
        return Answer(result, search.timely or _reads_clock(search.plan))

    @property
    def now(self) -> datetime:
        """The time that "last week" in a question refers to, in the zone in which days begin."""
        return self._now()

    async def _planned(self, query: Query, missing: list[str]) -> SearchState:
        # With chosen arms, for measurements, the question is searched as it is, and nothing is added.
        if query.arms:
            plan = QuestionPlan(query.text, query_terms(query.text), query.text)
            return SearchState(query, plan, missing, query)
        names = await self._names.read()
        relatives: Mapping[str, frozenset[str]] = {}
        if not {"me", "person"} & {*query.ignore}:
            relatives = await relatives_in(self._store, query.text, names.me)
        plan = plan_question(query.text, self._now(), names.matcher, names.me, query.ignore, relatives, names.chats)
        if query.sort != "score":
            # Whatever the question says: the first by time, not the best in the order of time.
            plan = replace(plan, order="newest" if query.sort == "newest" else "oldest")
        return SearchState(query, plan, missing, query)

    async def _find(self, search: SearchState) -> None:
        """Find and rank the candidates. A quoted phrase that stands nowhere, and phrases that never stand in one
        message, are replaced by their words.
        """
        query, mention = search.query, search.plan.mention
        if mention.addressed:
            writers = mention.preferred - mention.addressed
            search.to = await self._store.database.read(addressed, mention.addressed, writers)
        few = await self._found(search)
        if search.plan.phrases and not few.places:
            quotes = search.plan.phrases
            standing = tuple([each for each in quotes if await self._stands(query, each)])
            search.scattered = tuple(each for each in quotes if each not in standing)
            search.apart = () if search.scattered else standing
            for phrases in dict.fromkeys([standing if search.scattered else (), ()]):
                search.plan = replace(search.plan, phrases=phrases)
                few = await self._found(search)
                if few.places:
                    break
                search.apart = phrases
        plan, beside = search.plan, search.repeating
        search.few = await self._events.without_times(await marked(self._store, search, few), plan, beside)
        if plan.kinds and not search.few.of_kind and "picture" not in plan.kinds:
            search.no_kind = not await self._store.database.read(has_source, sources_of(plan.kinds))
        search.top = self._rank(query, plan, search.few)
        if self.reranking is not None or query.rerank:
            await rerank(self._store, self.reranking, search)
        if query.limit > SHALLOW:
            rows = [item.place.row for item in search.top]
            many = await self._finder.candidates(
                search.within, plan, search.missing, DEEP, rows, search.vectors, beside, search.to
            )
            search.many = await self._events.without_times(await marked(self._store, search, many), plan, beside)

    async def _stands(self, query: Query, phrase: str) -> bool:
        """Return whether a message that passes the filters of the query contains a phrase."""
        where = await compiled_filter(self._store, answers_to(query, (phrase,)))
        return where is None or bool(where.rows)

    async def _found(self, search: SearchState) -> CandidateSet:
        """Return the candidates of the time that is all the question asks for; of any time if there are none."""
        query, plan = search.query, search.plan
        search.within, search.nothing_then = _of_time(query, plan) or query, False
        if search.ordered is None or not plan.counts:  # a phrase that stands nowhere was said never
            search.ordered = await in_order(self._store, query, plan, search.to)  # which follows the time by itself
        joined: Sequence[int] = () if search.ordered is None else search.ordered.rows
        search.dated = await self._dated(query, plan)
        search.repeating = beside = await self._events.rows_asked(plan, query)
        search.nothing_said, search.nearest = await self._nothing_said(search), ()
        if search.nothing_said:
            search.nearest = await rows_nearest(self._store, query, plan)
        search.upcoming = await self._events.upcoming(plan, query, self._now())
        joined = [*joined, *search.dated, *search.nearest, *search.upcoming.rows]
        # Without vectors nothing else finds what has no word of the question.
        of_time: Sequence[int] = ()
        if search.within is not query:
            of_time = await first_rows(self._store, search.within, plan, CANDIDATES, newest=False)
        if plan.of_kind_alone and search.ordered is None:
            of_time = [*of_time, *await self._of_kind(query, plan)]
        few = await self._candidates(search, [*joined, *of_time], beside)
        if search.within is not query and not few.places:
            search.nothing_then, search.within = True, query
            search.nearest = search.nearest or await rows_nearest(self._store, query, plan)
            joined = [*joined, *search.nearest]
            few = await self._candidates(search, joined, beside)
        return few

    async def _candidates(self, search: SearchState, joined: Sequence[int], beside: Collection[int]) -> CandidateSet:
        """Return the best few candidates; the question is embedded once, however often it is tried."""
        few = await self._finder.candidates(
            search.within,
            search.plan,
            search.missing,
            joined=joined,
            vectors=search.vectors,
            beside=beside,
            to=search.to,
        )
        search.vectors = few.vectors
        return few

    async def _nothing_said(self, search: SearchState) -> bool:
        """Return whether the question asks for somebody's messages of a time at which there are none."""
        plan, mention = search.plan, search.plan.mention
        if not plan.by_person_in_time or mention.addressed or mention.asker:
            return False
        return await nothing_then(self._store, search.query, plan)

    async def _of_kind(self, query: Query, plan: QuestionPlan) -> Sequence[int]:
        """Return the newest rows of the kind, by the people and of the time that are all the question asks for."""
        update: dict[str, object] = {} if query.sources else {"sources": sources_of(plan.kinds)}
        if plan.mention.preferred and not (plan.mention.asker or query.speakers):
            update["speakers"] = tuple(plan.mention.preferred)
        if len(spans := times_within(query, plan.times)) == 1:
            update |= {"since": spans[0].start, "until": spans[0].end}
        return await first_rows(self._store, query.model_copy(update=update), plan, PREFERRED, newest=True)

    async def _dated(self, query: Query, plan: QuestionPlan) -> frozenset[int]:
        """Return the rows that mention the day that the question names."""
        if single_day(plan.times) is None:
            return frozenset()
        where = await compiled_filter(self._store, answers_to(query, plan.phrases))
        return frozenset(await rows_of_written_day(self._store, plan.times, where))

    async def _shape(self, search: SearchState, *, nearest: bool) -> tuple[Sequence[Hit], tuple[Fact, ...]]:
        """Return at least `JUDGED` hits, best first, and the facts. The facts depend on the best few hits, and the
        order of the best does not depend on the requested number: deeper hits are added behind them.

        Args:
            search: the question with its candidates.
            nearest: those nearest to the named time come first.
        """
        query, plan, few = search.query, search.plan, search.few
        raw, top, about = few.scores, search.top, plan.mention.about
        judged, around = _apart(top, query.context, JUDGED)
        if search.many is not None:
            raw = search.many.scores
            top = _led_by(_apart(top, query.context, SHALLOW)[0], self._rank(query, plan, search.many))
        leading: Sequence[Ranked] = ()
        if search.ordered is not None:
            leading = await search.ordered.leading(self._store, search.top)
            search.first = next(filter(search.ordered.is_first, leading[:1]), None)
            top = _led_by(leading, top)
        elif search.upcoming.rows:
            leading = [item for item in search.top if item.place.row in search.upcoming.rows]
            if search.upcoming.certain:
                leading.sort(key=lambda item: search.upcoming.rows.index(item.place.row))
            top = _led_by(leading, top)
        if nearest and search.nearest and not leading:
            top = led_by_nearness(top, plan, search.nearest)
        if search.ordered is not None or search.upcoming.rows or (nearest and search.nearest):
            judged, around = _apart(top, query.context, JUDGED)
        series = await self._events.among(() if query.arms else top, plan, self._now())
        search.timely |= series.takes_part(top)
        top = series.joined(top, {item.place.document for item in search.top})
        best, collapsed = _apart(top, query.context, max(query.limit, JUDGED))
        as_of = query.as_of or plan.as_of
        question = await self._fact_question(query, plan)
        rows, shown, behind = await self._store.database.read(
            _read_hits, query, best, (judged, around), about, question, as_of
        )
        moment = as_of or self._now()
        search.timely |= as_of is None and any(_ends_after(each.fact, moment) for each, _ in behind)
        if not (query.superseded or as_of or question.former):
            behind = [(each, rows) for each, rows in behind if not is_over(each.fact, moment)]
        still = [item for item in judged if item.place.row in rows.found]
        facts = tuple(at_moment(fact, moment) for fact in answering_facts(question, behind, few, still))
        ranks = ranks_of(raw) if query.explain else None
        highlighter = Highlighter(plan.terms)
        shaper = HitShaper(
            query, highlighter, rows, collapsed, raw, ranks, plan.times, series.dates, series.time, search.reranked
        )
        hits = [shaper.hit(number, item) for number, item in enumerate(shown, 1)]
        if query.show_chunks:
            candidates = search.many or few
            chunks = {place.row for place in candidates.places[: candidates.found]}
            chunks |= {item.place.row for item in shown}
            hits = with_chunks(hits, await self._store.database.read(hit_chunks, chunks))
        return hits, facts

    async def _fact_question(self, query: Query, plan: QuestionPlan) -> FactQuestion:
        mention = plan.mention
        return fact_question(
            plan.text,
            mention.about,
            (await self._names.read()).matcher.folded if mention.about else frozenset(),
            plan.strangers,
            mention.speakers,
            mention.said,
            query_terms(" ".join(each.words for each in plan.times)),
            former=plan.former and not (query.superseded or query.as_of or plan.as_of),
        )

    def _summary(self, search: SearchState) -> str | None:
        ordered, plan, query = search.ordered, search.plan, search.query
        if ordered is None or (query.sort != "score" and not plan.counts) or (plan.acts and not plan.subject):
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

    def _notices(self, search: SearchState) -> tuple[str, ...]:
        """Return in words what the answer could not follow of the question."""
        plan = search.plan
        nothing = search.nothing_then or search.nothing_said
        notices = (
            _unknown_user(self._user) if plan.anonymous and self._user else "",
            *(f"“{phrase}” stands together nowhere; the words alone:" for phrase in search.scattered),
            f"{phrase_words(search.apart)} stand in no message together; the words alone:" if search.apart else "",
            f"nobody is called {' or '.join(search.unknown)}" if search.unknown else "",
            *either_days(plan),
            f"no {' or '.join(plan.kinds)} is stored as such; the nearest:" if search.no_kind else "",
            f"not understood: {', '.join(plan.unread)}" if plan.unread else "",
            nothing_of(plan, named=search.named) if plan.terms and nothing else "",
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
        if not (plan.asks_words or plan.mention.addressed or plan.of_kind_alone):
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
            spaces=candidates.spaces,
            numeric=candidates.numeric,
            of_kind=candidates.of_kind,
        )


def _reads_clock(plan: QuestionPlan) -> bool:
    """Return whether a plan depends on the time of asking: it names a time, or asks for the newest or the next."""
    return bool(plan.times or plan.unread or plan.years or plan.as_of) or plan.order in ("newest", "next")


def _ends_after(fact: Fact, moment: datetime) -> bool:
    return fact.valid_to is not None and fact.valid_to > moment


def _unknown_user(names: Sequence[str]) -> str:
    """Return the notice that nobody has the user's names."""
    return f"nobody called {' or '.join(names)} wrote anything; who are you? memd config me NAME"


def _of_time(query: Query, plan: QuestionPlan) -> Query | None:
    """Return the query limited to the time that it names, within its filter, if it asks for nothing else.

    A mere preference would not suffice: the nearest messages to the words of a date are about other dates.
    """
    within = times_within(query, plan.times) if plan.of_times_alone and len(plan.times) == 1 else ()
    return query.model_copy(update={"since": within[0].start, "until": within[0].end}) if within else None


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


def _led_by(first: Sequence[Ranked], ranked: Sequence[Ranked]) -> list[Ranked]:
    """Return the ranking with the hits of ``first`` moved to the front, in their order; their scores stay unchanged."""
    places = {item.identity: item for item in ranked}
    led = [places[each.identity] for each in first if each.identity in places]
    leading = {item.place.row for item in led}
    return [*led, *(item for item in ranked if item.place.row not in leading)]


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
    if not query.include_knowledge:
        return rows, shown, []
    return rows, shown, facts_to_choose_from(connection, query, keys, about, question, as_of)
