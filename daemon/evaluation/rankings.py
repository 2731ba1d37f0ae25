"""The rankings that a run compares, by name: those of the memory, and the baselines."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ...memory.memory import EvolvingMemory
from ...memory.retrieval.standing_out import before_largest_gap, standing_out
from ...schemas import Arm, Hit, Query, QueryResult
from .baselines import Bm25, Grep, Unit, units_of
from .datasets.dataset import Question, Scope

UNJUDGED = 20
"""The hits that come back from a ranking that shows all it has: the limit of PrecisionMemBench's harness."""
DEFAULT = "default"
IN_CONTEXT = "with context"
"""The default ranking as a program gets it: a hit counts with the messages shown around it."""
ARMS: Mapping[str, tuple[Arm, ...]] = {
    "words alone": ("lexical",),
    "vectors alone": ("vector",),
    DEFAULT: (),
    IN_CONTEXT: (),
}
"""The rankings of the memory, by the ways of finding that take part; empty: all."""
GREP, BM25 = "grep", "bm25"
PRECISE = "precise"
"""The hits of the default ranking before the largest gap of their scores, and nothing behind it."""
NAMES = (GREP, BM25, *ARMS, PRECISE)
USUAL = (GREP, BM25, *ARMS)
"""The rankings of a run that names none."""
SHORT = {"words": "words alone", "vectors": "vectors alone", "context": IN_CONTEXT}
"""Short names of some of `NAMES`, for the command line."""


@dataclass(frozen=True, slots=True)
class Found:
    """One hit."""

    ids: frozenset[str]
    """The ids that it counts for."""
    text: str
    document: str
    """The id of its document."""
    score: float = 0.0


def _unjudged(_: Sequence[float]) -> int:
    return UNJUDGED


@dataclass(frozen=True, slots=True)
class Ranked:
    """The hits of one question."""

    hits: Sequence[Found]
    took_ms: float = 0.0
    weak: bool | None = None
    """The memory's own judgement that nothing answers the question; None: no judgement."""
    cut: Callable[[Sequence[float]], int] = _unjudged
    """Returns, of the scores, how many first hits are shown."""
    ends: bool = False
    """True if hits behind the cut do not count at all."""
    result: QueryResult | None = None
    """The memory's own answer."""

    @property
    def shown(self) -> Sequence[Found]:
        """The hits that are shown to a person who asks for no more; none if the answer is weak."""
        return () if self.weak else self.hits[: self.cut([hit.score for hit in self.hits])]

    def without(self, ignored: Collection[str]) -> Ranked:
        """Return the ranking without the ignored hits, and without those behind the cut if it ends there."""
        kept = replace(self, hits=[hit for hit in self.hits if not hit.ids & set(ignored)])
        return replace(kept, hits=kept.shown) if self.ends else kept


Ranker = Callable[[Question, int], Awaitable[Ranked]]
"""Ranks for a question; the number is the most hits."""
Opener = Callable[[EvolvingMemory, Scope], Awaitable[Ranker]]
"""Makes the ranker of a scope whose documents the memory holds."""


def openers(names: Collection[str]) -> dict[str, Opener]:
    """Return the openers of some of `NAMES`, in their order there."""
    return {name: _baseline(name) if name in (GREP, BM25) else _of_memory(name) for name in NAMES if name in names}


def query_of(question: Question, *, limit: int, context: int = 0, arms: tuple[Arm, ...] = ()) -> Query:
    """Return the request that a program would send."""
    return Query(text=question.text, chats=question.chats, tags=question.tags, limit=limit, context=context, arms=arms)


def _of_memory(name: str) -> Opener:
    reach: Literal[0, 1] = 1 if name == IN_CONTEXT else 0

    async def opened(memory: EvolvingMemory, _: Scope) -> Ranker:
        async def rank(question: Question, limit: int) -> Ranked:
            result = await memory.query(query_of(question, limit=limit, context=reach, arms=ARMS.get(name, ())))
            hits = [Found(ids_of(hit), hit.text, hit.document_id, hit.score) for hit in result.hits]
            cut = before_largest_gap if name == PRECISE else standing_out
            return Ranked(hits, result.took_ms, result.weak, cut, name == PRECISE, result)

        return rank

    return opened


def _baseline(name: str) -> Opener:
    async def opened(memory: EvolvingMemory, scope: Scope) -> Ranker:
        units = await units_of(scope, memory)
        engine = Grep(units) if name == GREP else Bm25(units)

        async def rank(question: Question, limit: int) -> Ranked:
            start = time.perf_counter()
            units: list[Unit] = engine.rank(question, limit)
            took = (time.perf_counter() - start) * 1000
            return Ranked([Found(unit.ids, unit.text, unit.document) for unit in units], took)

        return rank

    return opened


def ids_of(hit: Hit) -> frozenset[str]:
    """Return the ids of a hit and of the messages shown around it: of messages, documents and pieces."""
    around = (each for line in hit.context for each in line.message_ids)
    piece = () if hit.chunk is None else (hit.chunk.alias,)
    return frozenset((*hit.message_ids, *around, *piece, hit.document_id))
