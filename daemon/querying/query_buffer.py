"""The way of every question: a kept answer, or the store and what waits to be stored, merged.

An answer is kept with the state of all that it depends on: the writes to the store and the reach of its indexes, the
names, the journal where something waits, the day and zone, and the minute if it depends on the clock. It is not kept
where a part was missing from it.
"""

from __future__ import annotations

import time
from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import anyio.lowlevel

from ...memory.memory import EvolvingMemory
from ...memory.retrieval.search import Answer
from ...schemas import Query, QueryResult
from ...schemas.errors import NotFoundError
from .answer_cache import AnswerCache
from .fusion import FoundHits, merged, order_of
from .mounts import THIS_ONE, Mounts, Resolver, nothing, with_mounts
from .prefetch import Prefetcher
from .statistics import QueryStatistics
from .waiting import WaitingMessages, in_order, memory_state

if TYPE_CHECKING:
    from ..config.settings import QuerySettings
    from ..pipeline.pipeline import Pipeline

CAUGHT_UP = 500
"""The most changes that the word index takes over before an answer, some 20 ms; with more the answer says ``queue``."""


TIMELESS = " at any time"
"""Behind the question, the key of an answer that does not depend on the minute."""


class _Unstored(NamedTuple):
    """The hits among what is not stored yet, and what an answer lacks because of the rest: ``queue``, ``pending``."""

    hits: Sequence[FoundHits] = ()
    lacks: str = ""


class QueryBuffer:
    """Answers questions for one owner.

    Args:
        settings: the sizes.
        memory: the memory.
        pipeline: what waits.
        resolver: see `Mounts`.
        mounts: the data directories of other memories by name.
    """

    def __init__(
        self,
        settings: QuerySettings,
        memory: EvolvingMemory,
        pipeline: Pipeline,
        resolver: Resolver,
        mounts: Mapping[str, Path] = {},
    ) -> None:
        self._settings = settings
        self._memory = memory
        self._pipeline = pipeline
        self._waiting = WaitingMessages(memory, pipeline.journal, settings.waiting_messages)
        self.cache = AnswerCache(settings.cache_answers, settings.cache_s)
        self.statistics = QueryStatistics()
        self._resolve = resolver(memory)
        self._mounts = Mounts(mounts, memory, resolver, self.statistics)
        self._never = {"vector"} if memory.embedder is None else set[str]()
        """The parts that are never there, so that their absence ends no answer's use."""
        self.prefetcher = Prefetcher(self.prepare, lambda: pipeline.has_backlog) if settings.prefetch else None
        self._forgets = 0
        """The number of times that something was to be forgotten; an answer that was begun before is not kept."""
        memory.indexed.on_change = self.cache.clear

    def forget(self) -> None:
        """Drop all that is kept of the texts of answers."""
        self._forgets += 1
        self.cache.clear()
        self._waiting.forget()
        if self.prefetcher is not None:
            self.prefetcher.forget()

    async def query(self, query: Query) -> QueryResult:
        """Answer a question.

        Raises:
            InvalidError: its filters break a rule.
            NotFoundError: a filter names nobody, several, or no memory.
            StoreError: the store or the journal cannot be read.
        """
        began, forgets = time.perf_counter(), self._forgets
        if self.prefetcher is not None:
            self.prefetcher.interrupt()
        self._require_memories(query)
        key, mounted = query.model_dump_json(), await self._mounted(query)
        if self._settings.waiting_messages:
            await self._memory.indexed.catch_up_words(CAUGHT_UP)
        result = await self._kept(key, mounted) if mounted is not None else None
        if result is None:
            result, _ = await self._search_and_keep(query, key, began, mounted)
        else:
            await anyio.lowlevel.checkpoint()  # nothing else here waits: who asks in a loop would stop all others
            took = (time.perf_counter() - began) * 1000
            self.statistics.add("cache", took)
            result = result.model_copy(update={"took_ms": took, "cached": query.explain})
        self.statistics.all.add((time.perf_counter() - began) * 1000)
        if self.prefetcher is not None and forgets == self._forgets:
            self.prefetcher.observe(query, result)
        return result

    async def prepare(self, query: Query, strategy: str) -> bool:
        """Keep the answer to a question that nobody has asked; returns False if it is kept already, or cannot be, or if
        messages would be sent to a reranker for it.
        """
        key, reranking = query.model_dump_json(), self._memory.retriever.reranking
        if reranking is not None and reranking.private is not None and query.rerank is not False:
            return False
        if key in self.cache or f"{key}{TIMELESS}" in self.cache or (mounted := await self._mounted(query)) is None:
            return False
        _, is_new = await self._search_and_keep(query, key, time.perf_counter(), mounted, strategy)
        self.statistics.prefetched += is_new
        return is_new

    async def _mounted(self, query: Query) -> Hashable | None:
        """Return the state of the mounted memories that a question asks; None if its answer is not to be kept."""
        return await self._mounts.state(query) if self._settings.cache_answers else None

    async def _search_and_keep(
        self, query: Query, key: str, began: float, mounted: Hashable | None, strategy: str = ""
    ) -> tuple[QueryResult, bool]:
        """Search, and keep the answer if it may be; return it, and whether it is kept."""
        state, minute = self._state(mounted), self._minute()
        answer, whole = await self._searched(query, began)
        is_kept = whole and mounted is not None and await self._mounted(query) == mounted
        is_kept &= self._state(mounted) == state
        if is_kept:
            name, valid_in = (key, (*state, minute)) if answer.timely else (f"{key}{TIMELESS}", state)
            self.cache.put(name, valid_in, answer.result, strategy)
        return answer.result, is_kept

    async def _kept(self, key: str, mounted: Hashable) -> QueryResult | None:
        entry = None
        if not self._memory.degraded() and not await self._memory.indexed.words_behind():
            state = self._state(mounted)
            entry = self.cache.get(key, (*state, self._minute())) or self.cache.get(f"{key}{TIMELESS}", state)
        if entry is not None and entry.prefetched and self.prefetcher is not None:
            self.statistics.prefetch_used += 1
            self.prefetcher.used[entry.prefetched] += 1
        self.statistics.hits += entry is not None
        self.statistics.misses += entry is None
        return None if entry is None else entry.result

    def _state(self, mounted: Hashable = ()) -> tuple[Hashable, ...]:
        """Return the state of all that an answer depends on, but for the minute."""
        now = self._memory.retriever.now
        waits = self._pipeline.journal.changes if self._pipeline.has_backlog else None
        return (memory_state(self._memory), waits, now.date(), str(now.tzinfo), mounted)

    def _minute(self) -> int:
        return int(self._memory.retriever.now.timestamp() // 60)

    def _require_memories(self, query: Query) -> None:
        for name in query.memories:
            if name != THIS_ONE and name not in self._mounts.names:
                names = ", ".join([THIS_ONE, *self._mounts.names])
                raise NotFoundError("no memory of that name is mounted", hint=f"there are: {names}")

    async def _searched(self, query: Query, began: float) -> tuple[Answer, bool]:
        """Return the answer, and whether nothing was missing from it that may be there the next time."""
        if not self._mounts.chosen(query):
            return await self._searched_here(query, began)
        # The memory itself last: what is forgotten while others are silent must not be in its answer.
        others = await self._mounts.ask(query)
        answer, whole, problem = await self._searched_beside(query, began)
        if problem is not None and not any(each.result is not None and each.result.hits for each in others):
            raise problem
        result = with_mounts(query, answer.result, others)
        took = (time.perf_counter() - began) * 1000
        whole &= all(each.result is not None and {*each.result.degraded} <= self._never for each in others)
        # Whether the hour changes what others answer is not in their answers.
        return Answer(result.model_copy(update={"took_ms": took}), timely=True), whole

    async def _searched_beside(self, query: Query, began: float) -> tuple[Answer, bool, NotFoundError | None]:
        """Search the memory itself beside others, which may know a name that it does not know."""
        if query.memories and THIS_ONE not in query.memories:
            return Answer(nothing(query), timely=False), True, None
        try:
            return *await self._searched_here(query, began), None
        except NotFoundError as error:
            return Answer(nothing(query), timely=False), True, error

    async def _searched_here(self, query: Query, began: float) -> tuple[Answer, bool]:
        """Search the memory itself, as `_searched`. A whole name that is not stored may be one of what waits."""
        try:
            query, is_named = await self._resolve(query), True
        except NotFoundError:
            if not (self._settings.waiting_messages and self._pipeline.has_backlog):
                raise
            is_named = False
        unstored = await self._search_unstored(query)
        if not (is_named or any(each.hits for each in unstored.hits)):
            query = await self._resolve(query)  # it may be stored by now
        start = time.perf_counter()
        answer = await self._memory.retriever.answer(query, self._memory.degraded())
        self.statistics.add("store", (time.perf_counter() - start) * 1000)
        stored = answer.result
        whole = unstored.lacks != "queue" and {*stored.degraded} <= self._never
        if unstored.lacks or any(each.hits for each in unstored.hits):
            result = _joined(query, stored, unstored)
            took = (time.perf_counter() - began) * 1000 if unstored.hits else stored.took_ms
            answer = answer._replace(result=result.model_copy(update={"took_ms": took}))
        return answer, whole

    async def _search_unstored(self, query: Query) -> _Unstored:
        """Search what waits, before the store: what is stored meanwhile is found there, too."""
        indexed = self._memory.indexed
        if not self._settings.waiting_messages or query.arms:
            behind = self._pipeline.has_backlog or await indexed.words_behind()
            return _Unstored(lacks="queue" if behind else "")
        if not self._pipeline.has_backlog:
            return _Unstored(lacks="queue" if await indexed.words_behind() else "")
        start = time.perf_counter()
        hits, whole = await self._waiting.search(query)
        self.statistics.add("waiting", (time.perf_counter() - start) * 1000)
        # A write that is about to return has changed the store already, and waits no more.
        whole &= await indexed.catch_up_words(CAUGHT_UP, certain=True)
        if not whole:
            return _Unstored(hits, "queue")
        return _Unstored(hits, "pending" if self._memory.embedder is not None else "")


def _joined(query: Query, stored: QueryResult, unstored: _Unstored) -> QueryResult:
    order = order_of(query, stored.understood)
    waiting = [FoundHits(in_order(each.hits, order), each.weak) for each in unstored.hits]
    edits = {hit.id: hit for each in waiting for hit in each.hits}
    here = [hit if hit.id not in edits or edits[hit.id].text == hit.text else edits[hit.id] for hit in stored.hits]
    hits = merged([FoundHits(here, stored.weak), *waiting], order, query.limit)
    counts = stored.count is not None or stored.summary is not None
    # What waits is not counted, and a sentence on what is stored alone may be wrong.
    has_hits = any(each.hits for each in waiting)
    lacks = "queue" if counts and (unstored.lacks or has_hits) else unstored.lacks
    degraded = tuple(dict.fromkeys([*stored.degraded, *([lacks] if lacks else [])]))
    weak = stored.weak and not any(each.hits and not each.weak for each in waiting)
    summary = None if has_hits else stored.summary
    return stored.model_copy(update={"hits": hits, "degraded": degraded, "weak": weak, "summary": summary})
