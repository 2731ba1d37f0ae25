"""Finds what is accepted and not stored yet, by its words: documents in the queue, lists that a buffer holds back.

Documents are planned as they would be stored now, so that a message has the key that it will have, what the store has
already is left out, and what was forgotten stays out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any
from uuid import UUID

import anyio.to_thread

from ...memory.memory import EvolvingMemory, planned_changes
from ...memory.records import StoredChunk, StoredDocument, StoredMessage
from ...memory.retrieval.hits import alias_of
from ...memory.retrieval.query_filters import answers_to
from ...memory.search_types import CompiledFilter, NameFilter
from ...memory.store.filters import compile_filter
from ...memory.text import analyzer
from ...memory.text.highlights import Highlighter
from ...memory.text.names import folded
from ...memory.text.phrases import Phrase, quoted
from ...memory.write_batches import WriteBatch
from ...schemas import ChunkReference, ContextLine, Hit, Query, TextRange
from ...schemas.times import utc_microseconds
from ..journal.journal import Journal
from .fusion import FoundHits, MergeOrder

STRONG = 0.5
"""The share of the question's words from which a hit stands among those of the store; others stand behind them."""


def memory_state(memory: EvolvingMemory) -> tuple[int, ...]:
    """Return all that an answer from the store depends on beside the clock and `EvolvingMemory.degraded`, as numbers
    that never come back: writes, the reach of the indexes, and how often names were read.
    """
    return (*memory.indexed.state, memory.retriever.renewals)


@dataclass(frozen=True, slots=True)
class WaitingText:
    """A message, or a piece of a text, that waits to be stored."""

    document: StoredDocument
    text: str
    terms: frozenset[str]
    message: StoredMessage | None = None
    chunk: StoredChunk | None = None


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """The texts that wait, in one state of the journal and of the store."""

    changes: int
    state: tuple[int, ...]
    texts: Sequence[WaitingText] = ()
    whole: bool = True
    places: Mapping[tuple[UUID, int], StoredMessage] = field(default_factory=dict[tuple[UUID, int], StoredMessage])
    """The messages by document and position."""


class WaitingMessages:
    """Searches what waits in a journal. Keeps its terms until something changes; `forget` drops them at once.

    Args:
        messages: the most messages that are looked at, the newest ones.
    """

    def __init__(self, memory: EvolvingMemory, journal: Journal, messages: int) -> None:
        self._memory = memory
        self._journal = journal
        self._messages = messages
        self._snapshot: _Snapshot | None = None

    def forget(self) -> None:
        """Drop the texts."""
        self._snapshot = None

    async def search(self, query: Query) -> tuple[list[FoundHits], bool]:
        """Return the hits that match well, and the others; and whether all that waits was looked at.

        Raises:
            StoreError: the journal or the store cannot be read.
        """
        snapshot = await self._current()
        where = await self._memory.database.read(compile_filter, answers_to(query))
        hits = await anyio.to_thread.run_sync(_search, snapshot, query, where)
        return hits, snapshot.whole

    async def _current(self) -> _Snapshot:
        changes, state = self._journal.changes, memory_state(self._memory)
        snapshot = self._snapshot
        if snapshot is None or (snapshot.changes, snapshot.state) != (changes, state):
            documents, whole = await self._journal.newest(self._messages)
            batch = await planned_changes(self._memory, documents)
            texts = await anyio.to_thread.run_sync(_texts_of, batch)
            places = {(row.document, row.position): row for row in batch.messages}
            snapshot = _Snapshot(changes, state, texts, whole, places)
            if (self._journal.changes, memory_state(self._memory)) == (changes, state):
                self._snapshot = snapshot
        return snapshot


def _texts_of(batch: WriteBatch) -> list[WaitingText]:
    documents = {document.key: document for document in batch.documents}
    texts = [
        WaitingText(documents[row.document], row.message.content, _terms(row.message.content, row.message.speaker), row)
        for row in batch.messages
        if row.document in documents
    ]
    for chunk in batch.chunks:
        if chunk.message is None and (document := documents.get(chunk.document)) is not None:
            text = document.content[chunk.start : chunk.end]
            texts.append(WaitingText(document, text, _terms(text, document.metadata.get("title", "")), chunk=chunk))
    return texts


def _terms(text: str, name: str) -> frozenset[str]:
    return frozenset(analyzer.terms(f"{name}: {text}"))


def _search(snapshot: _Snapshot, query: Query, where: CompiledFilter | None) -> list[FoundHits]:
    """Return the best hits by the share of the question's words that they hold; of equals the newest first."""
    terms = frozenset(analyzer.query_terms(query.text))
    groups = [group for group in analyzer.terms_of_phrase(query.text) if not terms.isdisjoint(group)]
    phrases = [Phrase(each) for each in quoted(query.text)] if "phrase" not in query.ignore else []
    matches: list[tuple[float, float, WaitingText]] = []
    for each in snapshot.texts:
        share = sum(not each.terms.isdisjoint(group) for group in groups) / max(1, len(groups))
        if share and all(phrase.is_in(each.text) for phrase in phrases) and _passes(each, query, where):
            matches.append((-share, -_micros(each), each))
    by_time = {"score": 0, "newest": 1, "time": -1}[query.sort]
    matches.sort(key=lambda match: (match[1] == inf, by_time * match[1]) if by_time else match[:2])
    highlighter = Highlighter(terms)
    sources: list[FoundHits] = []
    for weak in (False, True):
        tier = [(-share, each) for share, _, each in matches if (-share < STRONG) == weak][: query.limit]
        hits = [_hit(number, share, each, snapshot, query, highlighter) for number, (share, each) in enumerate(tier, 1)]
        sources.append(FoundHits(hits, weak))
    return sources


def in_order(hits: Sequence[Hit], order: MergeOrder) -> Sequence[Hit]:
    """Return hits in an order, those without a time last."""
    if order == "best":
        return hits
    sign = -1.0 if order == "newest" else 1.0
    return sorted(hits, key=lambda hit: (hit.time is None, 0.0 if hit.time is None else sign * hit.time.timestamp()))


def _micros(each: WaitingText) -> float:
    time = each.document.timestamp if each.message is None else each.message.message.time
    return float("-inf") if time is None else utc_microseconds(time)


def _passes(each: WaitingText, query: Query, where: CompiledFilter | None) -> bool:
    """Return whether a text passes the filters, by the rules of `memory.store.filters`."""
    is_message = each.message is not None
    if not (query.include_messages if is_message else query.include_chunks):
        return False
    if where is None:
        return True
    document, speaker = each.document, "" if each.message is None else each.message.message.speaker
    kind = "text" if each.message is None else each.message.message.kind
    micros = _micros(each)
    return (
        (where.speakers is None or (is_message and _named(where.speakers, [speaker], document)))
        and (where.people is None or _named(where.people, document.people, document))
        and (not where.sources or document.source in where.sources)
        and all(not {*document.tags}.isdisjoint(group) for group in where.tags)
        and (not where.kinds or kind in where.kinds)
        and kind not in where.without_kinds
        and (where.since is None or micros >= where.since)
        and (where.until is None or float("-inf") < micros < where.until)
        and (where.chats is None or _in_chat(document, query.chats))
    )


def _named(names: NameFilter, candidates: Sequence[str], document: StoredDocument) -> bool:
    chat = None if document.chat is None else document.chat.bytes
    allowed = names.anywhere.union(*_scoped(names, chat, document.source))
    return any(folded(name) in allowed for name in candidates)


def _scoped(names: NameFilter, chat: bytes | None, source: str) -> Iterator[frozenset[str]]:
    yield from (aliases for key, aliases in names.in_chats if key == chat)
    yield from (aliases for name, aliases in names.in_sources if name == source)


def _in_chat(document: StoredDocument, chats: Sequence[str]) -> bool:
    names = {folded(document.metadata.get(name, "")) for name in ("chat", "title")} - {""}
    return document.kind != "text" and not names.isdisjoint(map(folded, chats))


def _hit(
    rank: int, share: float, each: WaitingText, snapshot: _Snapshot, query: Query, highlighter: Highlighter
) -> Hit:
    document = each.document
    spans = [TextRange(start=start, end=end) for start, end in highlighter.spans(each.text)]
    about: dict[str, Any] = {
        "rank": rank,
        "score": round(share, 4),
        "scores": {"words": round(share, 4)},
        "source": document.source,
        "document_id": document.id,
        "tags": document.tags,
        "text": each.text,
        "highlights": tuple(spans),
        "waiting": True,
    }
    if each.message is not None:
        row, message = each.message, each.message.message
        return Hit(
            id=row.key,
            type="message",
            kind=message.kind,
            speaker=message.speaker,
            time=message.time,
            chat=document.metadata.get("title") or document.metadata.get("chat"),
            message_ids=(message.id or str(row.key),),
            context=tuple(_context(row, snapshot, query.context)),
            **about,
        )
    assert each.chunk is not None  # it is one of the two
    chunk = each.chunk
    reference = ChunkReference(
        id=chunk.key,
        alias=alias_of(document.id, chunk.section, chunk.index),
        index=chunk.index,
        section=chunk.section,
        start=chunk.start,
        end=chunk.end,
        strategy=chunk.strategy,
    )
    return Hit(id=chunk.key, type="chunk", time=document.timestamp, chunk=reference, **about)


def _context(row: StoredMessage, snapshot: _Snapshot, reach: int) -> Iterator[ContextLine]:
    """Yield the messages around one that wait with it."""
    for step in (each for each in range(-reach, reach + 1) if each):
        beside = snapshot.places.get((row.document, row.position + step))
        if beside is not None:
            message = beside.message
            names = (message.id or str(beside.key),)
            yield ContextLine(
                id=beside.key, speaker=message.speaker, text=message.content, time=message.time, message_ids=names
            )
