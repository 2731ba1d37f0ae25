"""Answering a question: every arm's best, their union and neighbours scored exactly, one ranking, hits with context."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from uuid import UUID

import anyio

from ...schemas import Arm, ContextLine, Explanation, Hit, Query, QueryResult
from ...schemas.errors import EmbeddingError
from ...schemas.query import ChunkReference
from ..analysis import query_terms
from ..embedding.embedder import Embedder
from ..ports import Backend, Entry, Filter, Place, Scored, Vector
from .people import Names
from .ranking import Ranked, rank
from .weights import BESIDE, CANDIDATES, DEFAULT, RANK_OFFSET, WORDS_ONLY, Weights, alone

WORD_ARMS: tuple[Arm, ...] = ("lexical", "near", "wide")
Raw = dict[Arm, dict[UUID, float]]


class Retriever:
    """Asks a backend; holds nothing but the names of the store, which it is told when they change.

    Args:
        backend: what is searched.
        embedder: None for words only.
    """

    def __init__(self, backend: Backend, embedder: Embedder | None, weights: Weights = DEFAULT) -> None:
        self._backend = backend
        self._embedder = embedder
        self._weights = weights
        self._names: Names | None = None

    def forget_names(self) -> None:
        """Read the names again at the next question: something was stored."""
        self._names = None

    async def query(self, query: Query, degraded: Iterable[str] = ()) -> QueryResult:
        """Answer; ``degraded`` tells what the caller knows to be missing (``generation`` turns vectors off)."""
        start = time.perf_counter()
        missing = list(degraded)
        ranked: list[Ranked] = []
        raw: Raw = {}
        if query.text.strip():
            where = filter_of(query)
            found = await self._candidates(query, where, missing)
            raw, places = await self._score(query, where, found)
            ranked = await self._rank(query, raw, places)
        hits = await self._hits(query, ranked, raw)
        took = (time.perf_counter() - start) * 1000
        if "vector" in missing:  # without any vector it does not matter that some are missing
            missing = [name for name in missing if name != "pending"]
        return QueryResult(query=query.text, took_ms=took, degraded=tuple(dict.fromkeys(missing)), hits=tuple(hits))

    async def _candidates(self, query: Query, where: Filter, missing: list[str]) -> _Found:
        """Each arm's own best, words and vector at the same time."""
        found = _Found(terms=query_terms(query.text))
        arms = query.arms or (*WORD_ARMS, "vector")
        depth = max(CANDIDATES, query.limit)

        async def words() -> None:
            fields: list[Arm] = [arm for arm in WORD_ARMS if arm in arms]
            if fields and found.terms:
                found.by_arm |= await self._backend.search_fields(fields, found.terms, where, depth)

        async def vectors() -> None:
            found.vector = await self._embed(query.text, missing)
            if found.vector is not None:
                found.by_arm["vector"] = await self._backend.search_vectors(found.vector, where, depth)

        async with anyio.create_task_group() as tasks:
            if "vector" in arms:
                tasks.start_soon(vectors)
            tasks.start_soon(words)
        return found

    async def _embed(self, text: str, missing: list[str]) -> Vector | None:
        if self._embedder is None or "generation" in missing:
            missing += [] if "generation" in missing else ["vector"]
            return None
        try:
            return await self._embedder.embed_query(text)
        except EmbeddingError:
            missing.append("vector")
            return None

    async def _score(self, query: Query, where: Filter, found: _Found) -> tuple[Raw, dict[UUID, Place]]:
        """The union of all arms and its neighbours, exactly scored in every arm that took part."""
        raw: Raw = {arm: {hit.key: hit.score for hit in hits} for arm, hits in found.by_arm.items()}
        union = {key for scores in raw.values() for key in scores}
        if len(query.arms) == 1 or not union:
            return raw, await self._backend.places(union)
        # Neighbours cost as much as all the rest: only those of the union's best come in.
        promising = self._promising(raw, union, query.limit)
        arms: list[Arm] = [arm for arm in found.by_arm if arm != "vector" and self._weights.arms.get(arm)]
        seen = await self._backend.survey(arms, found.terms, found.vector, where, union, promising)
        raw |= {arm: {hit.key: hit.score for hit in hits} for arm, hits in seen.scores.items()}
        places = dict(seen.places)
        if not where.empty:
            # A neighbour may be outside the filter: it lends its score to nobody and is no hit.
            passed = union | {key for scores in raw.values() for key in scores}
            places = {key: place for key, place in places.items() if key in passed}
        return raw, places

    def _promising(self, raw: Raw, union: set[UUID], limit: int) -> list[UUID]:
        """The union's best by rank alone, before anything is scored exactly."""
        merit = dict.fromkeys(union, 0.0)
        for arm, scores in raw.items():
            weight = self._weights.arms.get(arm, 0.0) or 0.5
            for number, key in enumerate(sorted(scores, key=lambda key: -scores[key])):
                merit[key] += weight / (number + RANK_OFFSET)
        return sorted(union, key=lambda key: (-merit[key], key.bytes))[: max(BESIDE, limit)]

    async def _rank(self, query: Query, raw: Raw, places: Mapping[UUID, Place]) -> list[Ranked]:
        weights = self._weights if raw.get("vector") else WORDS_ONLY
        if self._embedder is not None:
            weights = weights.for_question(query.text, self._embedder.name)
        if query.arms:
            # For measurements: the named arms alone, equally weighted, nothing added.
            weights = alone(query.arms)
        named = frozenset[str]() if query.arms else (await self._known_names()).named(query.text)
        return rank(list(places.values()), raw, weights, named, query.limit)

    async def _known_names(self) -> Names:
        if self._names is None:
            self._names = Names(await self._backend.names())
        return self._names

    async def _hits(self, query: Query, top: Sequence[Ranked], raw: Raw) -> list[Hit]:
        entries = await self._backend.entries([item.place.key for item in top], query.context)
        around = _around(entries.values())
        ranks = _ranks(raw) if query.explain else {}
        kept = [item for item in top if item.place.key in entries]
        if query.sort == "time":
            kept.sort(key=lambda item: _time_of(entries[item.place.key]))
        return [
            _hit(number, item, entries[item.place.key], raw, around, query.context, ranks if query.explain else None)
            for number, item in enumerate(kept, 1)
        ]


class _Found:
    """What the first round brought."""

    __slots__ = ("by_arm", "terms", "vector")

    def __init__(self, terms: Sequence[str]) -> None:
        self.terms = terms
        self.by_arm: dict[Arm, list[Scored]] = {}
        self.vector: Vector | None = None


def filter_of(query: Query) -> Filter:
    """The filter that a query asks for."""
    return Filter(
        speakers=query.speakers,
        people=query.people,
        sources=query.sources,
        tags=query.tags,
        kinds=query.kinds,
        since=query.since,
        until=query.until,
    )


def _ranks(raw: Raw) -> dict[Arm, dict[UUID, int]]:
    return {
        arm: {key: n for n, key in enumerate(sorted(scores, key=lambda key: -scores[key]), 1)}
        for arm, scores in raw.items()
    }


def _time_of(entry: Entry) -> tuple[bool, float]:
    moment = entry.message.message.time if entry.message else entry.document.timestamp
    return (moment is None, 0.0 if moment is None else moment.timestamp())


def _hit(
    number: int,
    item: Ranked,
    entry: Entry,
    raw: Raw,
    around: Mapping[UUID, Mapping[int, Entry]],
    reach: int,
    ranks: Mapping[Arm, Mapping[UUID, int]] | None,
) -> Hit:
    key = item.place.key
    document, chunk, row = entry.document, entry.chunk, entry.message
    explain = None
    if ranks is not None:
        explain = Explanation(
            ranks={arm: by_key.get(key) for arm, by_key in ranks.items()},
            raw={arm: scores[key] for arm, scores in raw.items() if key in scores},
            shares=dict(item.shares),
        )
    scores = {str(arm): round(by_key[key], 4) for arm, by_key in raw.items() if key in by_key}
    score = round(item.score, 4)
    if row is None:
        reference = ChunkReference(
            id=key,
            alias=alias_of(document.id, chunk.section, chunk.index),
            index=chunk.index,
            section=chunk.section,
            start=chunk.start,
            end=chunk.end,
            strategy=chunk.strategy,
        )
        return Hit(
            rank=number, id=key, type="chunk", text=entry.text, time=document.timestamp, source=document.source,
            document_id=document.id, score=score, scores=scores, tags=document.tags, chunk=reference, explain=explain,
        )  # fmt: skip
    message = row.message
    lines = _context_lines(item.place, around, reach)
    return Hit(
        rank=number, id=row.key, type="message", kind=message.kind, text=message.content, speaker=message.speaker,
        time=message.time, source=document.source, document_id=document.id, message_ids=(message.id or str(row.key),),
        score=score, scores=scores, tags=document.tags, context=lines, explain=explain,
    )  # fmt: skip


def _around(entries: Iterable[Entry]) -> dict[UUID, dict[int, Entry]]:
    """By document and running number, the hits' messages and those around them."""
    found: dict[UUID, dict[int, Entry]] = {}
    for entry in entries:
        if entry.message is not None:
            found.setdefault(entry.document.key, {}).setdefault(entry.message.position, entry)
    return found


def _context_lines(place: Place, around: Mapping[UUID, Mapping[int, Entry]], reach: int) -> tuple[ContextLine, ...]:
    lines: list[ContextLine] = []
    for ordinal, entry in sorted(around.get(place.document, {}).items()):
        row = entry.message
        if row is not None and 0 < abs(ordinal - place.ordinal) <= reach:
            lines.append(ContextLine(speaker=row.message.speaker, text=row.message.content, time=row.message.time))
    return tuple(lines)


def alias_of(document_id: str, section: str, index: int) -> str:
    """``path#chunk_3`` or ``path#section#chunk_3``."""
    return f"{document_id}#{section}#chunk_{index}" if section else f"{document_id}#chunk_{index}"
