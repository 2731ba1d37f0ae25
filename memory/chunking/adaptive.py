"""The strategy that looks at each message: a short one is read with those before it, a long one is cut by its headings."""

from __future__ import annotations

from collections.abc import Sequence

from ...schemas import ConversationMessage
from .chunker import TextSpan
from .contextual import ContextualChunker
from .headers import HeadersChunker

SHORT = 16
"""Tokens of a message, with its speaker, that is hardly understood alone: "Yes, at eight then"."""


class AdaptiveChunker(ContextualChunker):
    """Answers get their question, messages that stand by themselves nothing, and Markdown in messages its sections."""

    name = "adaptive"
    rules = 1

    def neighbours(self, messages: Sequence[ConversationMessage], at: int, sizes: Sequence[int]) -> range:
        """Return the messages before a short one; see `MessageChunker`."""
        return super().neighbours(messages, at, sizes) if sizes[at] <= SHORT else range(at, at + 1)

    def spans_many(self, texts: Sequence[str], reserves: Sequence[int] = ()) -> list[list[TextSpan]]:
        """Return the spans of many messages; see `Chunker`."""
        by_headings = HeadersChunker(self._tokenizer, limit=self._limit, overlap=0)
        return by_headings.spans_many(texts, reserves)
