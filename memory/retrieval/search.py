"""Search: collects the best candidates of every arm, scores all of them in every arm, ranks them once, and reads the
hits.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from datetime import datetime
from functools import partial
from math import isnan
from typing import Any

import numpy as np
from anyio import to_thread

from ...schemas import Arm, Fact, Hit, Query, QueryResult
from ...schemas.errors import EmbeddingError
from ...schemas.times import utc_microseconds
from ..concurrency import together
from ..embedding.embedder import Embedder
from ..facts.life_cycle import at_moment, is_over
from ..index.errors import IndexServerError
from ..indexing.indexed_store import IndexedStore
from ..question.forms import asks_for_number, asks_what_was_said
from ..question.times import NamedTime, asks_for_times_alone, local_now, places_of, times_in, without_relative_times
from ..records import StoredFact
from ..search_types import QUESTION_MARKS, CandidateSet, ChunkRef, Column, CompiledFilter, Vector
from ..store.chunks import rows_apart
from ..store.documents_read import names as speaker_counts
from ..store.hit_rows import HitMessage, HitRows, read_hits
from ..store.people_rows import merged_names, users_names, users_with
from ..store.vectors import compared_chunks
from ..text.analyzer import fold, query_terms, terms, terms_of_phrase, words
from ..text.highlights import Highlighter
from ..text.phrases import Phrase
from ..text.stopwords import LANGUAGES, stop_words
from .candidates import (
    NearHits,
    TextTests,
    WordHits,
    compiled_filter,
    find_candidates,
    find_near,
    find_words,
    scan_for_words,
)
from .fact_answers import FactQuestion, asked_attributes, fact_question
from .fact_choice import answering_facts, facts_to_choose_from
from .hits import HitShaper, Place, ranks_of
from .own_words import asks_for_reply
from .past_moments import asks_of_former_state, past_moment
from .people import Mention, SpeakerMatcher, capitals, spoken
from .query_filters import answers_to
from .ranking import Ranked, rank
from .weights import (
    BESIDE,
    CANDIDATES,
    DEEP,
    DEFAULT,
    JUDGED,
    LEAST_SAMPLE,
    RANK_OFFSET,
    SAMPLE,
    SHALLOW,
    WEAK_COSINE,
    WEAK_LEAD,
    WORDS_ONLY,
    Weights,
    alone,
)

NAMES_COMPARED = 3
"""The most words of a question that are compared with names; a question with more unknown words is not about a person.
"""
LONGEST_NAME = 40
NAMES_TOLD = 3
"""The most names that are suggested for misspelled words."""
COLLAPSED_TOKENS = 48
"""The most tokens of a message that is shown around another instead of being a hit; some three lines on a terminal."""
SENTENCE_CHARACTERS = 4_000
"""The most characters of a question that is looked for word by word."""
SENTENCE_WORDS = 4
"""The least words of a question that is looked for word by word; fewer may occur together by chance."""
WORD_ARMS: tuple[Arm, ...] = ("lexical", "near", "wide")


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
        self._now = now
        self._names: SpeakerMatcher | None = None
        self._names_changed = 0

    def forget_names(self) -> None:
        """Read the names again at the next question, since something was stored or forgotten."""
        self._names = None
        self._names_changed += 1

    async def query(self, query: Query, degraded: Iterable[str] = ()) -> QueryResult:
        """Answer a query; ``degraded`` contains the parts that the caller knows to be missing (``generation`` turns
        vectors off).
        """
        start = time.perf_counter()
        missing = list(degraded)
        hits: list[Hit] = []
        facts: tuple[Fact, ...] = ()
        meant: tuple[str, ...] = ()
        weak = False
        if terms := query_terms(query.text):  # punctuation alone has no terms
            # With chosen arms, for measurements, the question is searched as it is, and nothing is added.
            now = self._now()
            names = SpeakerMatcher(()) if query.arms else await self._known_names()
            times = () if query.arms else times_in(query.text, now, names.words)
            as_of = query.as_of or past_moment(query.text, times, now)
            asked = _meant(query.text, times)
            mention = names.mention(asked, tuple(places_of(asked, times)) if times else ())
            terms = terms if asked == query.text else query_terms(asked)
            of_time = _of_time(query, mention, times)
            seen = None if of_time is None else await self._candidates(of_time, mention, terms, (), missing)
            nothing_then = seen is not None and not seen.places
            if seen is None or nothing_then:
                seen = await self._candidates(query, mention, terms, times, missing)
            in_time = _in_time(seen.places, times)
            asks = of_time is not None and asks_what_was_said(query.text)
            said = _said(seen.places, mention, in_time) if asks else frozenset[int]()
            if mention.addressed:
                said = await self._said_to(mention, seen.places)
                said = said & in_time if times else said
            seen = replace(seen, in_time=in_time, said=said)
            top = self._rank(query, mention, seen)
            more = None
            if query.limit > SHALLOW:
                within = of_time if of_time is not None and not nothing_then else query
                more = await self._candidates(
                    within, mention, terms, times, missing, DEEP, [item.place.row for item in top], seen.vector
                )
                more = replace(more, in_time=_in_time(more.places, times), said=said)
            shown, facts = await self._hits(query, terms, times, top, seen, more, mention, as_of)
            hits, judged = shown[: query.limit], shown[:JUDGED]
            if not (times or mention.about):
                meant = await self._names_like(_strange(query.text, judged))
            if asks and mention.preferred:
                weak = not said  # the named person said nothing then: the hits are something else
            elif nothing_then:
                weak = not _names_the_time(judged, query.text, times)
            else:
                weak = of_time is None and await self._weak(judged, seen.vector)
                # A fact about the mentioned person is an answer, however far all messages are from the question.
                weak = weak and not (
                    mention.preferred
                    and asked_attributes(query.text, mention.said) & {each.attribute for each in facts}
                )
                weak = weak and not _is_all_that_is_asked(judged, mention, times)
            hits = _by_time(hits) if query.sort == "time" else hits
        took = (time.perf_counter() - start) * 1000
        if "vector" in missing:  # without the search by vectors, pending ones do not matter
            missing = [name for name in missing if name != "pending"]
        # Values read from the store are valid: validating the result again would take a third of the time to build it.
        return QueryResult.model_construct(
            query=query.text, took_ms=took, weak=weak, degraded=tuple(dict.fromkeys(missing)), hits=tuple(hits), facts=facts,
            did_you_mean=meant,
        )  # fmt: skip

    async def _weak(self, hits: Sequence[Hit], vector: Vector | None) -> bool:
        """Return whether no hit contains a word of the question, and the nearest vector is hardly nearer than that of
        an average message.
        """
        name = "" if self._embedder is None else self._embedder.name
        index = self._store.vectors.index
        if vector is None or index is None or name not in WEAK_COSINE or not hits or _holds_a_word(hits):
            return False
        nearest = max(hit.scores.get("vector", 0.0) for hit in hits)
        rows = await self._store.database.read(rows_apart, SAMPLE)
        cosines = (await self._store.database.read(compared_chunks, vector, rows)).cosines
        known = cosines[~np.isnan(cosines)]
        if len(known) < LEAST_SAMPLE:
            return nearest < WEAK_COSINE[name]
        return nearest - float(known.mean()) < WEAK_LEAD[name]

    async def _candidates(
        self,
        query: Query,
        mention: Mention,
        terms: Sequence[str],
        times: Sequence[NamedTime],
        missing: list[str],
        depth: int = CANDIDATES,
        joined: Sequence[int] = (),
        vector: Vector | None = None,
    ) -> CandidateSet:
        """Return the best ``depth`` candidates of each arm, their neighbours, and the rows ``joined``; the question is
        embedded concurrently with the search by words, unless its vector is given.

        Names are left out of the embedded text: the ranking uses them to prefer the speaker, and in the vector they
        only blur the content. Without them recall at 10 rises from 81.4 to 83.8 on LoCoMo's development half.
        """
        where = await compiled_filter(self._store, answers_to(query))
        arms = query.arms or (*WORD_ARMS, "vector")
        fields: list[Arm] = [arm for arm in WORD_ARMS if arm in arms]

        async def words() -> WordHits:
            return await find_words(self._store, fields, terms, where, depth) if fields and terms else WordHits()

        async def near() -> NearHits:
            asked = vector
            if asked is None and "vector" in arms:
                asked = await self._embed(query, mention, missing)
            preferred = await self._preferred(query, mention, times, by_vector=asked is not None)
            return await find_near(self._store, asked, where, depth, preferred)

        # A single arm, for measurements, keeps its own candidates and scores.
        promising = (
            None if len(query.arms) == 1 else partial(self._promising, limit=BESIDE if depth == CANDIDATES else depth)
        )
        tests = TextTests() if query.arms else TextTests(_sentence(query.text), asks_for_number(query.text))
        if "index" in missing:
            return await self._scanned(terms, where, depth, tests)
        try:
            at_once = self._embedder is not None
            found, close = await together(words, near) if at_once else (await words(), await near())
            close = replace(close, wanted=[*close.wanted, *joined])
            seen = await find_candidates(self._store, found, close, terms, where, promising, tests)
        except IndexServerError:
            missing.append("index")
            return await self._scanned(terms, where, depth, tests)
        whole = where is None or where.by_kind_only or len(seen.places) == seen.found
        return replace(seen if whole else _passed(seen), vector=close.vector)

    async def _scanned(
        self, terms: Sequence[str], where: CompiledFilter | None, depth: int, tests: TextTests
    ) -> CandidateSet:
        """Return the candidates that can be found while the server of the index does not answer.

        Raises:
            StoreError: the store has too many messages for that.
        """
        found = await scan_for_words(self._store, terms, where, depth)
        return await find_candidates(self._store, found, NearHits(), terms, where, None, tests)

    async def _preferred(
        self, query: Query, mention: Mention, times: Sequence[NamedTime], *, by_vector: bool
    ) -> Sequence[CompiledFilter]:
        """Return filters for the messages of each named time and of the named person, within the query's filters.
        Without vectors, which rank these messages, return only the filter for the user's messages to an addressed
        person, and that for the named person at the named time if the question asks for somebody's words.
        """
        spans: list[dict[str, Any]] = [
            {"since": each.start, "until": each.end} for each in times if not (query.since or query.until)
        ]
        by = {} if query.speakers else {"speakers": tuple(mention.preferred)}
        by |= {} if query.people or not mention.addressed else {"people": tuple(mention.addressed)}
        wanted = [*spans, *([by] if by.get("speakers") else [])] if by_vector else [by] if mention.addressed else []
        if mention.preferred and asks_what_was_said(query.text) and (spans or query.since or query.until):
            wanted += [each | by for each in spans or [{}]]
        found = [await compiled_filter(self._store, answers_to(query.model_copy(update=each))) for each in wanted]
        return [each for each in found if each is not None]

    async def _embed(self, query: Query, mention: Mention, missing: list[str]) -> Vector | None:
        if self._embedder is None or "generation" in missing:
            missing += [] if "generation" in missing else ["vector"]
            return None
        try:
            return await self._embedder.embed_query(mention.rest if query_terms(mention.rest) else query.text)
        except EmbeddingError:
            missing.append("vector")
            return None

    def _promising(self, places: Sequence[ChunkRef], best: Mapping[Arm, Sequence[int]], limit: int) -> list[int]:
        """Return the ``limit`` best candidates by reciprocal rank fusion, whose neighbours join; neighbours cost as
        much as everything else.
        """
        merit = [0.0] * len(places)
        for arm, numbers in best.items():
            weight = self._weights.arms.get(arm, 0.0) or 0.5
            for rank_of, number in enumerate(numbers):
                merit[number] += weight / (rank_of + RANK_OFFSET)
        order = sorted(range(len(places)), key=lambda number: (-merit[number], places[number].key))
        return order[:limit]

    def _rank(self, query: Query, mention: Mention, seen: CandidateSet) -> list[Ranked]:
        vectors = seen.scores.get("vector")
        weights = self._weights if vectors is not None and not np.isnan(vectors).all() else WORDS_ONLY
        if self._embedder is not None:
            weights = weights.for_question(query.text, self._embedder.name)
        if asks_for_reply(query.text):
            weights = replace(weights, assistant=0)
        if query.arms:
            # Chosen arms, for measurements, have equal weights, and nothing is added.
            weights = alone(query.arms)
        return rank(
            seen.places,
            seen.scores,
            weights,
            mention.preferred,
            len(seen.places),
            exact=seen.exact,
            in_time=seen.in_time,
            said=seen.said,
            typical=seen.typical,
            numeric=seen.numeric,
        )

    async def _said_to(self, mention: Mention, places: Sequence[ChunkRef]) -> frozenset[int]:
        """Return the row ids of the user's messages in documents with the addressed people; none if the question
        addresses nobody.
        """
        if not mention.addressed:
            return frozenset()
        documents = {place.document for place in places if place.speaker in mention.speakers}
        users = await self._store.database.read(users_with, documents, mention.addressed)
        return frozenset(place.row for place in places if place.speaker and users.get(place.document) == place.speaker)

    async def _known_names(self) -> SpeakerMatcher:
        while (names := self._names) is None:
            changed = self._names_changed
            speakers, merged, own = await self._store.database.read(
                lambda connection: (speaker_counts(connection), merged_names(connection), users_names(connection))
            )
            names = SpeakerMatcher(speakers, merged, own)
            if changed == self._names_changed:  # else the names may include a person forgotten in the meantime
                self._names = names
        return names

    async def _names_like(self, words: Sequence[str]) -> tuple[str, ...]:
        """Return names that the first of these words may misspell."""
        asked = [word for word in words if len(word) <= LONGEST_NAME][:NAMES_COMPARED]
        if not asked:
            return ()
        # In a thread: comparing a word with all names takes up to 0.1 s.
        return await to_thread.run_sync((await self._known_names()).like, asked, NAMES_TOLD)

    async def _hits(
        self,
        query: Query,
        terms: Sequence[str],
        times: Sequence[NamedTime],
        top: Sequence[Ranked],
        seen: CandidateSet,
        more: CandidateSet | None,
        mention: Mention,
        as_of: datetime | None,
    ) -> tuple[list[Hit], tuple[Fact, ...]]:
        """Return at least `JUDGED` hits, best first, and the facts. The facts depend on the best few hits, and the
        order of the best does not depend on the requested number: deeper hits are added behind them.
        """
        raw, about = seen.scores, mention.about
        judged, around = _apart(top, query.context, JUDGED)
        if more is not None:
            raw = more.scores
            top = _led_by(_apart(top, query.context, SHALLOW)[0], self._rank(query, mention, more))
        best, collapsed = _apart(top, query.context, max(query.limit, JUDGED))
        names = await self._known_names()
        may_be_names = () if about or times else capitals(query.text)
        speakers = names.folded if about else frozenset[str]()
        of_times = query_terms(" ".join(each.words for each in times))
        former = not query.superseded and as_of is None and asks_of_former_state(query.text, times)
        question = fact_question(
            query.text, about, speakers, may_be_names, mention.speakers, mention.said, of_times, former=former
        )
        rows, shown, behind = await self._store.database.read(
            _read_hits, query, best, (judged, around), about, question, as_of
        )
        moment = as_of or self._now()
        if not (query.superseded or as_of or former):
            behind = [(each, rows) for each, rows in behind if not is_over(each.fact, moment)]
        still = [item for item in judged if item.place.row in rows.found]
        facts = tuple(at_moment(fact, moment) for fact in answering_facts(question, behind, seen, still))
        shaper = HitShaper(
            query, Highlighter(terms), rows, collapsed, raw, ranks_of(raw) if query.explain else None, times
        )
        return [shaper.hit(number, item) for number, item in enumerate(shown, 1)], facts


def _meant(question: str, times: Sequence[NamedTime]) -> str:
    """Return the question without relative times, unless it contains nothing else."""
    rest = without_relative_times(question, times)
    return rest if rest == question or query_terms(rest) else question


def _sentence(question: str) -> Phrase | None:
    """Return the question as a phrase that a message may contain, if it is a statement of enough words."""
    text = question.strip()
    if len(text) > SENTENCE_CHARACTERS or text.endswith(QUESTION_MARKS):
        return None
    phrase = Phrase(text)
    return phrase if len(phrase.terms) >= SENTENCE_WORDS else None


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


def _strange(question: str, hits: Sequence[Hit]) -> Sequence[str]:
    """Return the words of the question that may be names and occur in no hit."""
    found = capitals(question)
    shown = {word for hit in hits for word in words(hit.text)} if found else ()
    return [word for word in found if fold(word) not in shown]


def _holds_a_word(hits: Sequence[Hit]) -> bool:
    return any(hit.highlights for hit in hits)


def _names_the_time(hits: Sequence[Hit], question: str, times: Sequence[NamedTime]) -> bool:
    """Return whether a hit mentions the time that a question names, although it was written at another: by all words of
    it except small ones such as "in", since "May" alone is that of any year. Relative expressions in a message mean
    another time.
    """
    if without_relative_times(question, times) != question:
        return False
    small = frozenset[str]().union(*map(stop_words, LANGUAGES))
    names = [[word for word in each.words.split() if word not in small] for each in times]
    named = [terms_of_phrase(" ".join(name)) for name in names if name]
    held = [frozenset(terms(hit.text)) for hit in hits]
    return any(all(not own.isdisjoint(word) for word in name) for own in held for name in named)


def _of_time(query: Query, mention: Mention, times: Sequence[NamedTime]) -> Query | None:
    """Return the query limited to the time that it names, if it asks for nothing else.

    A mere preference would not suffice: the nearest messages to the words of a date are about other dates.
    """
    if len(times) != 1 or query.since or query.until:
        return None
    if not asks_for_times_alone(mention.rest, times, (*map(spoken, mention.preferred), *mention.said)):
        return None
    return query.model_copy(update={"since": times[0].start, "until": times[0].end})


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


def _said(places: Sequence[ChunkRef], mention: Mention, in_time: AbstractSet[int]) -> frozenset[int]:
    """Return the row ids of the messages by the preferred people at that time."""
    return frozenset(place.row for place in places if place.row in in_time and place.speaker in mention.preferred)


def _is_all_that_is_asked(hits: Sequence[Hit], mention: Mention, times: Sequence[NamedTime]) -> bool:
    """Return whether a question asks only for messages of a person or a time, and a hit is one of them."""
    people = mention.preferred or mention.possible or mention.several
    if not (people or times) or not asks_for_times_alone(mention.rest, times, (*map(spoken, people), *mention.said)):
        return False
    return any(
        (not people or hit.speaker in people)
        and (not times or (hit.time is not None and any(each.start <= hit.time < each.end for each in times)))
        for hit in hits
    )


def _led_by(first: Sequence[Ranked], ranked: Sequence[Ranked]) -> list[Ranked]:
    """Return the ranking with the hits of ``first`` moved to the front, in their order; their scores stay unchanged."""
    found = {_hit_of(item): item for item in ranked}
    led = [found[hit] for each in first if (hit := _hit_of(each)) in found]
    leading = {item.place.row for item in led}
    return [*led, *(item for item in ranked if item.place.row not in leading)]


def _hit_of(item: Ranked) -> tuple[bool, int]:
    """Return the identity of a hit: a message, or a piece of a text."""
    message = item.place.message
    return (False, item.place.row) if message is None else (True, message)


def _by_time(hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits by time, the earliest first, those without a time last."""
    return sorted(hits, key=lambda hit: (hit.time is None, 0.0 if hit.time is None else hit.time.timestamp()))


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


def _passed(seen: CandidateSet) -> CandidateSet:
    """Drop the neighbours outside the filter: they must not affect the scores of others, and are no hits."""
    kept = [
        number
        for number in range(len(seen.places))
        if number < seen.found or not all(isnan(column[number]) for column in seen.scores.values())
    ]
    places = [seen.places[number] for number in kept]
    typical = None if seen.typical is None else seen.typical[kept]
    scores: dict[Arm, Column] = {arm: column[kept] for arm, column in seen.scores.items()}
    return replace(seen, places=places, best={}, scores=scores, typical=typical)
