"""The words of a server's error messages that may be shown: its own, never what was sent to it.

A refused object or question is often quoted in the answer, and holds what people wrote. Only what is known to be Weaviate's
own words goes on, into the log and to whoever asks; everything else stays in the server's log.
"""

from __future__ import annotations

OWN_WORDS = (
    "no space left on device",
    "read-only file system",
    "store is read-only",
    "shard is read-only",
    "read-only",
    "disk usage",
    "too many open files",
    "memory pressure",
    "not enough memory",
    "cannot allocate memory",
    "cannot achieve consistency level",
    "cannot reach enough replicas",
    "not enough replicas",
    "read repair",
    "leader not found",
    "no quorum",
    "not a leader",
    "context deadline exceeded",
    "deadline exceeded",
    "connection refused",
    "connection reset",
    "could not find class",
    "class not found",
    "collection not found",
    "tenant not found",
    "tenant not active",
    "multi-tenancy is not enabled",
    "multi-tenancy is enabled",
    "already exists",
    "no such prop",
    "does not exist in schema",
    "vector lengths don't match",
    "maximum number of collections",
    "anonymous access not enabled",
    "invalid api key",
    "unauthorized",
    "forbidden",
    "rate limit",
    "shutting down",
    "not ready",
    "bm25",
    "out of range",
    "message larger than max",
    "queue is full",
)
"""In small letters."""


def own_words(text: str) -> str:
    """Return the known phrases of the server in a text, in order and each once; empty if there are none."""
    small = " ".join(text.casefold().split())
    matches = sorted((small.index(words), -len(words), words) for words in OWN_WORDS if words in small)
    phrases: list[str] = []
    for _, _, words in matches:
        if not any(words in longer for longer in phrases):
            phrases.append(words)
    return ", ".join(phrases)
