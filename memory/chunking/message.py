"""The strategy of conversations: one message is one chunk, a long one is several passages."""

from __future__ import annotations

from collections.abc import Sequence

from ..embedding.embedder import Tokenizer
from .chunker import Chunker, TextSpan
from .token_splitter import cut_many

PASSAGE = 160
"""Tokens, some eight lines on a terminal: what is found is shown whole, and its vector is of one subject."""


class MessageChunker(Chunker):
    """No overlap: the passages of a long message are neighbours of each other and found as such.

    Args:
        tokenizer: the embedder's own.
        limit: tokens of a chunk with what is reserved; never more than the embedder reads.
    """

    name = "message"
    rules = 1

    def __init__(self, tokenizer: Tokenizer, *, limit: int = PASSAGE) -> None:
        super().__init__(tokenizer, limit=min(limit, tokenizer.max_tokens), overlap=0)

    @property
    def version(self) -> str:
        """``message-1:510``: the limit in force."""
        return f"{self.name}-{self.rules}:{self._limit}"

    def spans_many(self, texts: Sequence[str], reserves: Sequence[int] = ()) -> list[list[TextSpan]]:
        """The spans of many messages; see `Chunker`."""
        limits = [self._limit - reserve for reserve in reserves or [0] * len(texts)]
        return cut_many(texts, self._tokenizer, limits=limits)
