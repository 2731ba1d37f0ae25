"""The day documents of many chats at once, whose messages come mixed, in bounded memory. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..connector import Record
from .day_documents import MESSAGE_WEIGHT, Links, Message
from .ordered_days import OrderedDays

OPEN_CHATS = 200
"""Chats whose last days stay open; of the others a further message makes one more document with the same id."""
HELD = 96 << 20
"""Characters of all open days together, each message counted as `MESSAGE_WEIGHT` more: chats that rested longest are closed
from there on, too."""


class MixedDays:
    """Collects messages one by one and yields days; of several messages with the same id on an open day, only the first
    is kept.
    """

    def __init__(self, source: str, user: str, links: Links | None = None) -> None:
        self._links = links
        self._source = source
        self._user = user
        self._open: dict[str, OrderedDays] = {}
        # The chat used last: most messages follow another one of their chat.
        self._last_chat = ""
        self._last: OrderedDays | None = None
        self._held = 0
        """A lower bound of the size of the open days."""
        self._doubled = 0

    @property
    def doubled(self) -> int:
        """Return the number of messages that stood twice in a day."""
        return self._doubled + sum(days.doubled for days in self._open.values())

    def add(
        self, chat: str, metadata: dict[str, str], message: Message, locator: str, index: int | None = None
    ) -> Iterable[Record]:
        """Add a message; yield the days that are complete.

        Args:
            chat: the chat's key.
            metadata: for its documents; counts when the chat is opened.
            message: what ``ConversationMessage`` validates.
            locator: where it stands; or what stands before its ``index`` there.
            index: where it is one of many whose places are hardly ever told.
        """
        days, over = self._last, None
        if chat != self._last_chat or days is None:
            days = self._days_of(chat, metadata)
            if len(self._open) > OPEN_CHATS:
                over = [*self._close(next(iter(self._open)))]
        self._held += MESSAGE_WEIGHT + len(message["content"])
        if self._held > HELD:
            over = [*(over or ()), *self._close_some()]
        added = days.add(message, locator, index)
        return [*over, *added] if over else added

    def add_all(
        self, chat: str, metadata: dict[str, str], messages: Sequence[Message], before_index: str, index: int
    ) -> Iterator[Record]:
        """Add several messages of one chat, as `add` does; ``index`` is that of the first."""
        yield from self.add(chat, metadata, messages[0], before_index, index)
        rest = messages[1:]
        weight = MESSAGE_WEIGHT * len(rest) + sum([len(message["content"]) for message in rest])
        if self._last is not None and self._held + weight <= HELD:
            self._held += weight
            yield from self._last.add_all(rest, before_index, index + 1)
            return
        for place, message in enumerate(rest, index + 1):  # one of them will be too much
            yield from self.add(chat, metadata, message, before_index, place)

    def close(self) -> Iterator[Record]:
        """Yield the records of all open days."""
        self._last = None
        for chat in list(self._open):
            yield from self._close(chat)

    def _days_of(self, chat: str, metadata: dict[str, str]) -> OrderedDays:
        """Return the days of a chat and make them the most recently used."""
        days = self._open.pop(chat, None)
        if days is None:
            days = OrderedDays(self._source, chat, self._user, metadata, once=True, links=self._links)
        self._open[chat] = days
        self._last_chat, self._last = chat, days
        return days

    def _close(self, chat: str) -> Iterator[Record]:
        days = self._open.pop(chat)
        yield from days.close()
        self._doubled += days.doubled

    def _close_some(self) -> Iterator[Record]:
        """Close chats other than the current one until the rest is half of the size limit."""
        held = {chat: days.held() for chat, days in self._open.items()}
        self._held = sum(held.values())
        for chat in list(self._open)[:-1]:
            if self._held * 2 <= HELD:
                return
            self._held -= held[chat]
            yield from self._close(chat)
