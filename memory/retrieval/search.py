"""Search: collects the best candidates of every arm, scores all of them in every arm, ranks them once, reads the hits."""

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
from ..records import StoredFact
from ..search_types import QUESTION_MARKS, CandidateSet, ChunkRef, Column, Vector
from ..store.chunks import rows_apart
from ..store.filters import CompiledFilter
from ..store.hit_rows import HitMessage, HitRows, read_hits
from ..store.people_rows import merged_names, users_names, users_with
from ..store.sqlite_store import SQLiteStore
from ..text.analyzer import fold, query_terms, terms, terms_of_phrase, words
from ..text.highlights import Highlighter
from ..text.phrases import Phrase
from ..text.stopwords import LANGUAGES, stop_words
from .candidates import NearHits, TextTests, WordHits, find_candidates, find_near, find_words, scan_for_words
from .fact_answers import FactQuestion, asked_attributes, fact_question
from .fact_choice import answering_facts, facts_to_choose_from
from .hits import HitShaper, Place, ranks_of
from .past_moments import past_moment
from .people import Mention, SpeakerMatcher, capitals, spoken
from .query_filters import answers_to
from .question_forms import asks_for_number, asks_what_was_said
from .ranking import Ranked, rank
from .time_words import NamedTime, asks_for_times_alone, local_now, places_of, times_in, without_relative_times
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
"""Words of a question that may be misspelled names; more are no question about a person."""
LONGEST_NAME = 40
NAMES_TOLD = 3
"""Of those that a word of the question may be a misspelling of."""
COLLAPSED_TOKENS = 48
"""Of a message that is shown around another instead of being a hit; some three lines on a terminal."""
SENTENCE_CHARACTERS = 4_000
"""Longer ones are not looked for word by word."""
SENTENCE_WORDS = 4
"""So many words that stand together in a message are taken from it; fewer may stand there by chance."""
WORD_ARMS: tuple[Arm, ...] = ("lexical", "near", "wide")


class Retriever:
    """Asks a backend; holds nothing but the names of the store, which it is told when they change.

    Args:
        backend: what is searched.
        embedder: None for words only.
        now: what "last week" in a question is relative to, in the zone in which days begin.
    """

    def __init__(
        self,
        backend: SQLiteStore,
        embedder: Embedder | None,
        weights: Weights = DEFAULT,
        now: Callable[[], datetime] = local_now,
    ) -> None:
        self._backend = backend
        self._embedder = embedder
        self._weights = weights
        self._now = now
        self._names: SpeakerMatcher | None = None
        self._names_changed = 0

    def forget_names(self) -> None:
        """Read the names again at the next question: something was stored, or forgotten."""
        self._names = None
        self._names_changed += 1

    async def query(self, query: Query, degraded: Iterable[str] = ()) -> QueryResult:
        """Answer; ``degraded`` tells what the caller knows to be missing (``generation`` turns vectors off)."""
        start = time.perf_counter()
        missing = list(degraded)
        hits: list[Hit] = []
        facts: tuple[Fact, ...] = ()
        meant: tuple[str, ...] = ()
        weak = False
        if terms := query_terms(query.text):  # punctuation alone asks for nothing
            # For measurements of arms: what they find by the question as it stands, and nothing added.
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
                weak = not said  # who is named said nothing then: what is shown instead is something else
            elif nothing_then:
                weak = not _names_the_time(judged, query.text, times)
            else:
                weak = of_time is None and await self._weak(judged, seen.vector)
                # What is known of somebody answers, however far away all messages are.
                weak = weak and not (
                    mention.preferred
                    and asked_attributes(query.text, mention.said) & {each.attribute for each in facts}
                )
                weak = weak and not _is_all_that_is_asked(judged, mention, times)
            hits = _by_time(hits) if query.sort == "time" else hits
        took = (time.perf_counter() - start) * 1000
        if "vector" in missing:  # without any vector it does not matter that some are missing
            missing = [name for name in missing if name != "pending"]
        # What was read from the store is valid: validating the answer once more is a third of building it.
        return QueryResult.model_construct(
            query=query.text, took_ms=took, weak=weak, degraded=tuple(dict.fromkeys(missing)), hits=tuple(hits), facts=facts,
            did_you_mean=meant,
        )  # fmt: skip

    async def _weak(self, hits: Sequence[Hit], vector: Vector | None) -> bool:
        """Whether no hit holds a word of the question, and the nearest vector is hardly nearer than that of any message."""
        name = "" if self._embedder is None else self._embedder.name
        index = self._backend.vectors
        if vector is None or index is None or name not in WEAK_COSINE or not hits or _holds_a_word(hits):
            return False
        nearest = max(hit.scores.get("vector", 0.0) for hit in hits)
        rows = await self._backend.read(lambda connection: rows_apart(connection, SAMPLE))
        cosines = (await self._backend.compare(vector, rows)).cosines
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
        """The best ``depth`` of each arm, what stands beside it, and the rows ``joined``; words are searched while the question is
        embedded, unless its vector is given.

        A name says who spoke, which the ranking knows; in the vector it only blurs what was said. Without it recall
        at 10 rises from 81.4 to 83.8 on LoCoMo's development half.
        """
        where = await self._backend.compiled(answers_to(query))
        arms = query.arms or (*WORD_ARMS, "vector")
        fields: list[Arm] = [arm for arm in WORD_ARMS if arm in arms]

        async def words() -> WordHits:
            return await find_words(self._backend, fields, terms, where, depth) if fields and terms else WordHits()

        async def near() -> NearHits:
            asked = vector
            if asked is None and "vector" in arms:
                asked = await self._embed(query, mention, missing)
            preferred = await self._preferred(query, mention, times, by_vector=asked is not None)
            return await find_near(self._backend, asked, where, depth, preferred)

        # For measurements of a single arm: what it finds, as it finds it.
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
            seen = await find_candidates(self._backend, found, close, terms, where, promising, tests)
        except IndexServerError:
            missing.append("index")
            return await self._scanned(terms, where, depth, tests)
        whole = where is None or where.by_kind_only or len(seen.places) == seen.found
        return replace(seen if whole else _passed(seen), vector=close.vector)

    async def _scanned(
        self, terms: Sequence[str], where: CompiledFilter | None, depth: int, tests: TextTests
    ) -> CandidateSet:
        """What can be found while the server of the index does not answer.

        Raises:
            StoreError: too much is stored for that.
        """
        found = await scan_for_words(self._backend, terms, where, depth)
        return await find_candidates(self._backend, found, NearHits(), terms, where, None, tests)

    async def _preferred(
        self, query: Query, mention: Mention, times: Sequence[NamedTime], *, by_vector: bool
    ) -> Sequence[CompiledFilter]:
        """What was said at each time and by the person that the question names, within what the query asks for; without
        vectors, which tell what is near among that, only both together, where the question asks for it.
        """
        spans: list[dict[str, Any]] = [
            {"since": each.start, "until": each.end} for each in times if not (query.since or query.until)
        ]
        by = {} if query.speakers else {"speakers": tuple(mention.preferred)}
        by |= {} if query.people or not mention.addressed else {"people": tuple(mention.addressed)}
        wanted = [*spans, *([by] if by.get("speakers") else [])] if by_vector else [by] if mention.addressed else []
        if mention.preferred and asks_what_was_said(query.text) and (spans or query.since or query.until):
            wanted += [each | by for each in spans or [{}]]
        found = [await self._backend.compiled(answers_to(query.model_copy(update=each))) for each in wanted]
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
        """Neighbours cost as much as all the rest: only those of the best by rank alone come in."""
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
        if query.arms:
            # For measurements: the named arms alone, equally weighted, nothing added.
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
        """The row ids of what the user said where those are whom the question names as addressed; nobody's, where it names none."""
        if not mention.addressed:
            return frozenset()
        documents = {place.document for place in places if place.speaker in mention.speakers}
        users = await self._backend.read(lambda connection: users_with(connection, documents, mention.addressed))
        return frozenset(place.row for place in places if place.speaker and users.get(place.document) == place.speaker)

    async def _known_names(self) -> SpeakerMatcher:
        while (names := self._names) is None:
            changed = self._names_changed
            merged, own = await self._backend.read(
                lambda connection: (merged_names(connection), users_names(connection))
            )
            names = SpeakerMatcher(await self._backend.names(), merged, own)
            if changed == self._names_changed:  # else they may hold somebody who was forgotten meanwhile
                self._names = names
        return names

    async def _names_like(self, words: Sequence[str]) -> tuple[str, ...]:
        """Names that the first of these words may be misspellings of."""
        asked = [word for word in words if len(word) <= LONGEST_NAME][:NAMES_COMPARED]
        if not asked:
            return ()
        # In a thread: a word takes up to 0.1 s among all names.
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
        """As many hits as are asked for, `JUDGED` at least, the best first, and the facts. These rest on the best few hits, and the
        order of the best does not depend on how many are asked for: what is found deeper comes behind them.
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
        question = fact_question(query.text, about, speakers, may_be_names, mention.speakers, mention.said, of_times)
        rows, shown, behind = await self._backend.read(
            lambda connection: _read_hits(connection, query, best, (judged, around), about, question, as_of)
        )
        moment = as_of or self._now()
        if not query.superseded:
            behind = [(each, rows) for each, rows in behind if as_of or not is_over(each.fact, moment)]
        still = [item for item in judged if item.place.row in rows.found]
        facts = tuple(at_moment(fact, moment) for fact in answering_facts(question, behind, seen, still))
        shaper = HitShaper(
            query, Highlighter(terms), rows, collapsed, raw, ranks_of(raw) if query.explain else None, times
        )
        return [shaper.hit(number, item) for number, item in enumerate(shown, 1)], facts


def _meant(question: str, times: Sequence[NamedTime]) -> str:
    """The question without relative times, unless nothing else is in it."""
    rest = without_relative_times(question, times)
    return rest if rest == question or query_terms(rest) else question


def _sentence(question: str) -> Phrase | None:
    """The question as words that a message may hold one by one, where it is a sentence and no question."""
    text = question.strip()
    if len(text) > SENTENCE_CHARACTERS or text.endswith(QUESTION_MARKS):
        return None
    phrase = Phrase(text)
    return phrase if len(phrase.terms) >= SENTENCE_WORDS else None


def _apart(top: Sequence[Ranked], reach: int, limit: int) -> tuple[list[Ranked], set[Place]]:
    """The best, without messages that stand around a better one, and where those stand that are left out for that."""
    apart: list[Ranked] = []
    shown: set[Place] = set()
    collapsed: set[Place] = set()
    for item in top:
        document, position = item.place.document, item.place.ordinal
        # Around another a message stands in a few lines: a long one would be cut where it answers.
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
    """The words of the question that may be names and stand in no hit."""
    found = capitals(question)
    shown = {word for hit in hits for word in words(hit.text)} if found else ()
    return [word for word in found if fold(word) not in shown]


def _holds_a_word(hits: Sequence[Hit]) -> bool:
    return any(hit.highlights for hit in hits)


def _names_the_time(hits: Sequence[Hit], question: str, times: Sequence[NamedTime]) -> bool:
    """Whether a hit tells of the time that a question names, though it is of another: by all words of it but small ones such as
    "in", for "May" alone is that of any year. In a message, words that are relative to now mean another time.
    """
    if without_relative_times(question, times) != question:
        return False
    small = frozenset[str]().union(*map(stop_words, LANGUAGES))
    names = [[word for word in each.words.split() if word not in small] for each in times]
    named = [terms_of_phrase(" ".join(name)) for name in names if name]
    held = [frozenset(terms(hit.text)) for hit in hits]
    return any(all(not own.isdisjoint(word) for word in name) for own in held for name in named)


def _of_time(query: Query, mention: Mention, times: Sequence[NamedTime]) -> Query | None:
    """The question among the messages of the time that it names, where it asks for nothing else.

    Beside nothing else a preference is too little: what is near to the words of a date are other dates.
    """
    if len(times) != 1 or query.since or query.until:
        return None
    if not asks_for_times_alone(mention.rest, times, (*map(spoken, mention.preferred), *mention.said)):
        return None
    return query.model_copy(update={"since": times[0].start, "until": times[0].end})


def _in_time(places: Sequence[ChunkRef], times: Sequence[NamedTime]) -> frozenset[int]:
    """The row ids of those of any of these times."""
    if not times:
        return frozenset()
    spans = [(utc_microseconds(each.start), utc_microseconds(each.end)) for each in times]
    return frozenset(
        place.row
        for place in places
        if place.time is not None and any(start <= place.time < end for start, end in spans)
    )


def _said(places: Sequence[ChunkRef], mention: Mention, in_time: AbstractSet[int]) -> frozenset[int]:
    """The row ids of what the one person who is named, or whom the name may mean, said at that time."""
    return frozenset(place.row for place in places if place.row in in_time and place.speaker in mention.preferred)


def _is_all_that_is_asked(hits: Sequence[Hit], mention: Mention, times: Sequence[NamedTime]) -> bool:
    """Whether a question asks for nothing but what somebody wrote, or what was at some time, and a hit is that."""
    people = mention.preferred or mention.possible or mention.several
    if not (people or times) or not asks_for_times_alone(mention.rest, times, (*map(spoken, people), *mention.said)):
        return False
    return any(
        (not people or hit.speaker in people)
        and (not times or (hit.time is not None and any(each.start <= hit.time < each.end for each in times)))
        for hit in hits
    )


def _led_by(first: Sequence[Ranked], ranked: Sequence[Ranked]) -> list[Ranked]:
    """The same order, but for the messages and pieces of texts of ``first``, which lead in theirs; their scores stay what they are."""
    found = {_hit_of(item): item for item in ranked}
    led = [found[hit] for each in first if (hit := _hit_of(each)) in found]
    leading = {item.place.row for item in led}
    return [*led, *(item for item in ranked if item.place.row not in leading)]


def _hit_of(item: Ranked) -> tuple[bool, int]:
    """What it is a hit of: a message, or a piece of a text."""
    message = item.place.message
    return (False, item.place.row) if message is None else (True, message)


def _by_time(hits: Sequence[Hit]) -> list[Hit]:
    """The earliest first, those without a time last."""
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
    """What the hits show, which of them are still there, and the facts that may answer, on one snapshot.

    ``judged`` are the few best, and where those stand that are left out beside them: by these facts are chosen.
    """
    few, around = judged
    # The two lists may hold different chunks of a long message.
    places = {item.place.row: item.place for item in (*best, *few)}
    rows = read_hits(connection, list(places.values()), query.context)
    shown = [item for item in best if item.place.row in rows.found]
    keys = [found.key for item in few if isinstance(found := rows.found.get(item.place.row), HitMessage)]
    keys += [line.key for document, position in sorted(around) if (line := rows.line(document, position))]
    return rows, shown, facts_to_choose_from(connection, query, keys, about, question, as_of)


def _passed(seen: CandidateSet) -> CandidateSet:
    """A neighbour may be outside the filter: it lends its score to nobody and is no hit."""
    kept = [
        number
        for number in range(len(seen.places))
        if number < seen.found or not all(isnan(column[number]) for column in seen.scores.values())
    ]
    places = [seen.places[number] for number in kept]
    typical = None if seen.typical is None else seen.typical[kept]
    scores: dict[Arm, Column] = {arm: column[kept] for arm, column in seen.scores.items()}
    return replace(seen, places=places, best={}, scores=scores, typical=typical)
