"""The counts and sizes of a memory, in the shape in which they are shown."""

from __future__ import annotations

from typing_extensions import TypedDict


class VectorCounts(TypedDict):
    """Vectors that are made, and that are not made yet."""

    done: int
    pending: int


class CacheCounts(TypedDict):
    """Texts that needed no embedding, and texts that did, since the start."""

    hits: int
    misses: int


class VectorModel(TypedDict):
    """The model that made the vectors."""

    model: str
    dimension: int


class MemoryStats(TypedDict):
    """Counts and sizes, as far as the memory knows them."""

    documents: int
    messages: int
    chunks: int
    facts: int
    facts_rejected: dict[str, int]
    """By reason."""
    people: int
    vectors: VectorCounts
    bytes: dict[str, int]
    embedding_cache: CacheCounts
    index_lag: dict[str, int]
    generation: VectorModel | None
