"""The counts and sizes of a memory, in the shape in which they are shown."""

from __future__ import annotations

from typing_extensions import TypedDict


class VectorCounts(TypedDict):
    """Vectors that are made, and that are not made yet."""

    done: int
    """Number of vectors that are made."""
    pending: int
    """Number of vectors that are not made yet."""


class FallbackVectors(TypedDict):
    """The vectors of the model that stands in for the embedder."""

    model: str
    """The name of the model."""
    vectors: int
    """Number of texts that have only a vector of this model."""


class CacheCounts(TypedDict):
    """Texts that needed no embedding, and texts that did, since the start."""

    hits: int
    """Number of texts that needed no embedding."""
    misses: int
    """Number of texts that were embedded."""


class VectorModel(TypedDict):
    """The model that made the vectors."""

    model: str
    """The name of the model."""
    dimension: int
    """The number of components of a vector."""


class MemoryStats(TypedDict):
    """Counts and sizes, as far as the memory knows them."""

    documents: int
    """Number of documents."""
    messages: int
    """Number of messages."""
    chunks: int
    """Number of texts that are searched: messages, passages of messages, and pieces of texts."""
    facts: int
    """Number of facts that hold."""
    facts_rejected: dict[str, int]
    """By reason."""
    people: int
    """Number of people who wrote."""
    vectors: VectorCounts
    """Number of vectors."""
    bytes: dict[str, int]
    """Sizes on the disk in bytes: of the database, and of the indexes of words and vectors."""
    embedding_cache: CacheCounts
    """Uses of the cache of vectors."""
    index_lag: dict[str, int]
    """By index, how many changes of the store it does not contain yet."""
    generation: VectorModel | None
    """The model that made the vectors; null before the first vector."""
    fallback: FallbackVectors | None
    """The model that stands in for it while the endpoint is away; null otherwise."""
