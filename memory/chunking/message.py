"""The strategy for conversations: a message is one chunk, a long one several passages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from ...schemas import ConversationMessage
from ..embedding.embedder import Tokenizer
from .chunker import Chunker, TextSpan
from .token_splitter import cut_many

PASSAGE = 160
"""The length of a passage in tokens, some eight lines on a terminal: short enough to be shown whole and to have one
subject.
"""


class MessageChunker(Chunker):
    """No overlap: the passages of a long message are neighbours of each other and found as such.

    Strategies that let the embedder read other messages as well are subclasses with a ``reach``. A chunk is always of one
    message, so that hits, citations and forgetting stay exact; only its vector knows what is around it.

    Args:
        tokenizer: the embedder's own.
        limit: tokens of a chunk with what is reserved; never more than the embedder reads.
    """

    name = "message"
    rules = 1
    reach: ClassVar[int] = 0
    """The most messages before and after a chunk's own that `neighbours` may name; 0: the embedder reads it alone."""

    def __init__(self, tokenizer: Tokenizer, *, limit: int = PASSAGE) -> None:
        super().__init__(tokenizer, limit=min(limit, tokenizer.max_tokens), overlap=0)

    @property
    def version(self) -> str:
        """The version, for example ``message-1:510``, with the limit in force."""
        return f"{self.name}-{self.rules}:{self._limit}"

    def spans_many(self, texts: Sequence[str], reserves: Sequence[int] = ()) -> list[list[TextSpan]]:
        """Return the spans of many messages; see `Chunker`."""
        limits = [self._limit - reserve for reserve in reserves or [0] * len(texts)]
        return cut_many(texts, self._tokenizer, limits=limits)

    def neighbours(self, messages: Sequence[ConversationMessage], at: int, sizes: Sequence[int]) -> range:
        """Return the positions of the messages that the embedder reads together with the one ``at``, which is among them.

        Args:
            messages: of a conversation, in order.
            at: the position of the chunk's message.
            sizes: the tokens of each message as a neighbour; 0 for messages without words of a person.
        """
        del messages, sizes
        return range(at, at + 1)
