"""The strategy for busy chats: the embedder reads each message with those of the minutes around it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from ...schemas import ConversationMessage
from ..embedding.embedder import Tokenizer
from .contextual import CONTEXT, REACH, ContextualChunker
from .message import PASSAGE


class TimeWindowChunker(ContextualChunker):
    """A vector of a message and of its neighbours, the nearest in time first.

    Args:
        tokenizer: the embedder's own.
        limit: tokens of a chunk with what is reserved; at most half of what the embedder reads.
        context: tokens of other messages.
        window: minutes before and after the message.
    """

    name = "time-window"
    rules = 1

    def __init__(self, tokenizer: Tokenizer, *, limit: int = PASSAGE, context: int = CONTEXT, window: int = 5) -> None:
        super().__init__(tokenizer, limit=limit, context=context)
        self._window = timedelta(minutes=window)

    @property
    def version(self) -> str:
        """The version, for example ``time-window-1:160+128/5``: tokens, and minutes."""
        return f"{super().version}/{self._window // timedelta(minutes=1)}"

    def neighbours(self, messages: Sequence[ConversationMessage], at: int, sizes: Sequence[int]) -> range:
        """Return the messages of the window, as many as fit; see `MessageChunker`."""
        time, room = messages[at].time, self._context
        low = high = at
        while True:
            before, after = (self._distance(messages, at, place) for place in (low - 1, high + 1))
            if before is None and after is None:
                return range(low, high + 1)
            backwards = after is None or (before is not None and before <= after)
            place = low - 1 if backwards else high + 1
            if sizes[place] > room or abs(messages[place].time - time) > self._window:
                return range(low, high + 1)
            room -= sizes[place]
            low, high = min(low, place), max(high, place)

    def _distance(self, messages: Sequence[ConversationMessage], at: int, place: int) -> timedelta | None:
        """Return how far a message is from the one ``at``; None if there is none, or it is beyond the reach."""
        if not 0 <= place < len(messages) or abs(place - at) > REACH:
            return None
        return abs(messages[place].time - messages[at].time)
