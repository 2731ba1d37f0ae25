"""The documents of days, made from messages in the order of the file and in bounded memory.

A chat has one document for each local day. Lines may stand out of order, so a few days stay open; a day is given out
when the file has moved on to others. A straggler for a day that was given out makes one more document with the same
id that holds only what came late: whoever stores them unites the messages of equal ids. The same happens when the open
days together are too big to keep in memory: all are given out, the current one up to its last minute.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from ...schemas import ConversationDocument, Rejected
from ...schemas.identity_links import identity_metadata
from ..record_faults import document_of

OPEN_DAYS = 3
LARGE_DAY = 20_000
"""The number of messages in open days from which on they are given out."""

LARGE_TEXT = 32 << 20
"""Characters after which they are, too."""

MESSAGE_WEIGHT = 1_000
"""The cost of a message besides its text, in characters."""

Message = dict[str, Any]
DayRecord = ConversationDocument | Rejected
"""A day, or a message of which no document can be made."""


Links = Callable[[str], Iterable[str | None]]
"""A function that returns what a source knows of a name as identity links (account, phone number); see `identity_links`."""


class DayDocuments:
    """Collects plain messages by day. ``day_messages`` is the list of the current day: append to it.

    A document's id is ``source:chat:day``; its messages are the dicts that ``ConversationMessage`` validates. ``links``
    tells what is known of a name beside it; see `identity_links`.
    """

    def __init__(
        self,
        source: str,
        chat: str,
        user: str,
        metadata: dict[str, str],
        links: Links | None = None,
    ) -> None:
        self._source = source
        self._prefix = f"{source}:{chat}:"
        self._user = user
        self._metadata = metadata
        self._links = links
        self._open: dict[str, list[Message]] = {}
        self.current = ""
        self.day_messages: list[Message] = []
        # The counted characters of the open days, and the number of messages of the current day below which it is not
        # flushed.
        self._text = 0
        self._again = 0

    @property
    def open_days(self) -> Collection[str]:
        """Return the days that were not given out yet."""
        return self._open.keys()

    def start_day(self, day: str) -> Iterator[DayRecord]:
        """Make ``day`` the current one; yield the day that is closed to make room."""
        self.day_messages = self._open.pop(day, [])
        self._open[day] = self.day_messages  # last in the order of use
        self.current, self._again = day, 0
        if len(self._open) > OPEN_DAYS:
            oldest = next(iter(self._open))
            yield from self._document(oldest, self._open.pop(oldest))

    def flush_large_day(self, more_text: int) -> Iterable[DayRecord]:
        """Give out the open days when they are too big; the last minute of the current one stays open.

        Args:
            more_text: characters of the messages that came since the last call, of whatever day.
        """
        self._text += more_text
        many = self._count() >= LARGE_DAY
        if (many or self._text >= LARGE_TEXT) and len(self.day_messages) >= self._again:
            return self._flush(many=many)
        return ()  # nearly always: a generator for each message would cost more than all else here

    def room(self) -> tuple[int, int]:
        """Return the number of messages and of characters that may still come before `flush_large_day` has anything to
        do.
        """
        return LARGE_DAY - self._count(), LARGE_TEXT - self._text

    def _count(self) -> int:
        """Return the number of messages of the open days."""
        return sum(map(len, self._open.values()))

    def _flush(self, *, many: bool) -> Iterator[DayRecord]:
        if not many and not self._is_much_text():
            return
        for day in [day for day in self._open if day != self.current]:
            yield from self._document(day, self._open.pop(day))
        if self.day_messages:
            yield from self._flush_current()

    def _is_much_text(self) -> bool:
        """Count the text that is really held: days that were given out took theirs with them."""
        self._text = sum(len(message["content"]) for messages in self._open.values() for message in messages)
        return self._text * 2 >= LARGE_TEXT  # of less, so much more comes before the next count that counting is cheap

    def _flush_current(self) -> Iterator[DayRecord]:
        last = self.day_messages[-1]["time"].replace(second=0)
        keep = len(self.day_messages)
        while keep and self.day_messages[keep - 1]["time"].replace(second=0) == last:
            keep -= 1
        if keep:
            head = self.day_messages[:keep]
            del self.day_messages[:keep]
            self._text = 0
            yield from self._document(self.current, head)
        # A larger minute is examined again only after it has doubled: otherwise each message would cause that.
        self._again = 0 if keep else 2 * len(self.day_messages)

    def held(self) -> int:
        """Return the size of the open days: their characters, plus `MESSAGE_WEIGHT` for each message."""
        return sum(MESSAGE_WEIGHT + len(each["content"]) for day in self._open.values() for each in day)

    def close(self) -> Iterator[DayRecord]:
        """Yield the documents of the open days, in the order of use."""
        for day, messages in self._open.items():
            yield from self._document(day, messages)
        self._open = {}
        self.current = ""
        self.day_messages = []
        self._text = 0

    def _document(self, day: str, messages: list[Message]) -> Iterator[DayRecord]:
        if messages:
            place = f"{self._prefix}{day}#/"
            yield from document_of(partial(self._made, day), messages, lambda index: f"{place}{index}")

    def _made(self, day: str, messages: Sequence[Message]) -> ConversationDocument:
        people = dict.fromkeys([message["speaker"] for message in messages])
        people[self._user] = None
        return ConversationDocument.model_validate(
            {
                "id": self._prefix + day,
                "conversation": {
                    "source": self._source,
                    "people": list(people),
                    "user": self._user,
                    "conversation": [*messages],
                },
                "metadata": {**self._metadata, **identity_metadata(people, self._links)},
            }
        )
