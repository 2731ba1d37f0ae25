"""Converts hits to the form of the answer, with the messages around them, passages, highlights and explanations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import datetime
from math import isnan
from typing import Any
from uuid import UUID

import numpy as np

from ...schemas import Arm, ContextLine, Explanation, Hit, Occurrences, Query, TextRange
from ...schemas.query import ChunkReference, TimeSpan
from ...schemas.timeline import ALSO
from ..chunking.headers import HeadersChunker, front_matter_end
from ..question.times import NamedTime
from ..search_types import Column
from ..store.hit_rows import HitChunk, HitDocument, HitMessage, HitPiece, HitRows
from ..text.highlights import Highlighter
from .ranking import Ranked

Raw = Mapping[Arm, Column]
"""The score of each place by arm; NaN for none."""
Ranks = Mapping[Arm, Mapping[int, int]]
"""The rank of each place by arm, for places that the arm scores."""
Place = tuple[int, int]
"""A document and a position in it."""


@dataclass(slots=True)
class HitShaper:
    """Converts ranked candidates to hits."""

    query: Query
    words: Highlighter
    rows: HitRows
    collapsed: AbstractSet[Place]
    """Messages that are shown around better hits instead of being hits of their own."""
    raw: Raw
    ranks: Ranks | None
    """The ranks for explanations; None for no explanations."""
    times: Sequence[NamedTime] = ()
    dates: Callable[[int], Occurrences | None] = lambda _: None
    """Returns the dates of an event that is shown as one hit, by its document."""
    time: Callable[[int], datetime | None] = lambda _: None
    """Returns the time under which an event that repeats is shown, by its document."""
    reranked: Mapping[tuple[bool, int], tuple[int, float]] = field(
        default_factory=dict[tuple[bool, int], tuple[int, float]]
    )
    """The reranker's rank and score, by the identity of the hit."""

    def hit(self, number: int, item: Ranked) -> Hit:
        """Return the hit of this rank."""
        found = self.rows.found[item.place.row]
        given: dict[str, float] = {
            str(arm): score for arm, column in self.raw.items() if not isnan(score := float(column[item.number]))
        }
        place, score = self.reranked.get(item.identity, (None, 0.0))
        if place is not None:
            given["rerank"] = score
        explain = None
        if self.ranks is not None:
            explain = Explanation(
                times=tuple(TimeSpan(words=each.words, start=each.start, end=each.end) for each in self.times),
                ranks={str(arm): numbers.get(item.number) for arm, numbers in self.ranks.items()}
                | ({} if place is None else {"rerank": place}),
                raw=dict(given),
                shares=dict(item.shares),
            )
        document = self.rows.documents[found.document]
        shared = {
            "rank": number,
            "id": found.key,
            "source": document.source,
            "document_id": document.id,
            "chat": document.chat,
            "score": round(item.score, 4),
            "scores": {name: round(score, 4) for name, score in given.items()},
            "tags": document.tags,
            "explain": explain,
        }
        own = self._of_piece(found, document) if isinstance(found, HitPiece) else self._of_message(found)
        return Hit(**shared, **own)

    def _of_piece(self, found: HitPiece, document: HitDocument) -> dict[str, Any]:
        reference = ChunkReference(
            id=found.key,
            alias=alias_of(document.id, found.section, found.ordinal),
            index=found.ordinal,
            section=found.section,
            start=found.start,
            end=found.end,
            strategy=found.strategy,
        )
        dates = self.dates(found.document)
        passage = _behind_front_matter(found) if dates is None else _before_times(found)
        return {
            "type": "chunk",
            "text": found.text,
            "time": self.time(found.document) or document.time,
            "chunk": reference,
            "passage": None if passage is None else _range(passage),
            "highlights": self._highlights(found.text, passage),
            "occurrences": dates,
        }

    def _of_message(self, found: HitMessage) -> dict[str, Any]:
        return {
            "type": "message",
            "kind": found.kind,
            "text": found.line.text,
            "speaker": found.line.speaker,
            "time": found.line.time,
            "message_ids": (found.line.message_id,),
            "passage": None if found.passage is None else _range(found.passage),
            "highlights": self._highlights(found.line.text, found.passage),
            "context": self._context(found),
        }

    def _highlights(self, text: str, within: tuple[int, int] | None) -> tuple[TextRange, ...]:
        return tuple(map(_range, self.words.spans(text, *(within or (0, None)))))

    def _context(self, message: HitMessage) -> tuple[ContextLine, ...]:
        reach = self.query.context
        around = (message.position + step for step in range(-reach, reach + 1) if step)
        return tuple(
            ContextLine(
                id=line.key,
                speaker=line.speaker,
                text=line.text,
                time=line.time,
                message_ids=(line.message_id,),
                matches=(message.document, position) in self.collapsed,
            )
            for position in around
            if (line := self.rows.line(message.document, position)) is not None
        )


def _behind_front_matter(piece: HitPiece) -> tuple[int, int] | None:
    """Return the part of a note's first piece behind its front matter; None if there is no front matter or nothing
    else.
    """
    end = front_matter_end(piece.text) if piece.start == 0 and piece.strategy == HeadersChunker.name else 0
    begin = len(piece.text) - len(piece.text[end:].lstrip())
    return (begin, len(piece.text)) if end and begin < len(piece.text) else None


def _before_times(piece: HitPiece) -> tuple[int, int] | None:
    """Return the part of an event before the list of its further times; None if there is no list."""
    end = piece.text.find(f"\n{ALSO}")
    return (0, end) if end > 0 else None


def _range(span: tuple[int, int]) -> TextRange:
    return TextRange(start=span[0], end=span[1])


def alias_of(document_id: str, section: str, index: int) -> str:
    """Return ``path#chunk_3`` or ``path#section#chunk_3``."""
    return f"{document_id}#{section}#chunk_{index}" if section else f"{document_id}#chunk_{index}"


def with_chunks(hits: Sequence[Hit], chunks: Iterable[HitChunk]) -> list[Hit]:
    """Return the hits, each with those of these chunks that are its own. The chunk of a message has the message's id before
    its number: ``path#message#chunk_0``.
    """
    by_owner: defaultdict[UUID, list[HitChunk]] = defaultdict(list)
    for chunk in chunks:
        by_owner[chunk.owner].append(chunk)
    return [
        hit.model_copy(
            update={
                "chunks": tuple(
                    ChunkReference(
                        id=chunk.key,
                        alias=alias_of(hit.document_id, next(iter(hit.message_ids), chunk.section), chunk.ordinal),
                        index=chunk.ordinal,
                        section=chunk.section,
                        start=chunk.start,
                        end=chunk.end,
                        strategy=chunk.strategy,
                    )
                    for chunk in by_owner[hit.id]
                )
            }
        )
        for hit in hits
    ]


def ranks_of(raw: Raw) -> Ranks:
    """Return the rank of each place in each arm that scores it."""
    return {
        arm: {
            number: rank_of
            for rank_of, number in enumerate(np.argsort(-column, kind="stable").tolist(), 1)
            if not np.isnan(column[number])
        }
        for arm, column in raw.items()
    }
