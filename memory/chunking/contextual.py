"""The strategy for conversations whose messages say little alone: the embedder reads the messages before each as well."""

from __future__ import annotations

from collections.abc import Sequence

from ...schemas import ConversationMessage
from ..embedding.embedder import Tokenizer
from .message import PASSAGE, MessageChunker

CONTEXT = 128
"""Tokens of other messages that are read with a message: some five short messages."""
REACH = 8


class ContextualChunker(MessageChunker):
    """A vector of a message and of those before it in its conversation.

    Args:
        tokenizer: the embedder's own.
        limit: tokens of a chunk with what is reserved; at most half of what the embedder reads.
        context: tokens of other messages.
    """

    name = "contextual"
    rules = 1
    reach = REACH

    def __init__(self, tokenizer: Tokenizer, *, limit: int = PASSAGE, context: int = CONTEXT) -> None:
        super().__init__(tokenizer, limit=min(limit, max(1, tokenizer.max_tokens // 2)))
        self._context = min(context, tokenizer.max_tokens - self._limit)

    @property
    def version(self) -> str:
        """The version, for example ``contextual-1:160+128``."""
        return f"{self.name}-{self.rules}:{self._limit}+{self._context}"

    def neighbours(self, messages: Sequence[ConversationMessage], at: int, sizes: Sequence[int]) -> range:
        """Return the messages before, as many as fit; see `MessageChunker`."""
        del messages
        return range(first_that_fits(at, sizes, self._context), at + 1)


def first_that_fits(at: int, sizes: Sequence[int], room: int) -> int:
    """Return the position of the first message before ``at`` from which on all fit into ``room`` tokens."""
    first = at
    while first > max(0, at - REACH) and sizes[first - 1] <= room:
        first -= 1
        room -= sizes[first]
    return first
