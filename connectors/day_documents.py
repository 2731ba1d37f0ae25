"""From messages to day documents, in the order of the file and in bounded memory.

A chat has one document for each local day. Lines may stand out of order, so a few days stay open; a day is given out
when the file has moved on to others. A straggler for a day that was given out makes one more document with the same
id that holds only what came late: whoever stores them unites the messages of equal ids. The same happens to a day
too big to keep in memory, which is cut between two minutes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..schemas import ConversationDocument

OPEN_DAYS = 3
LARGE_DAY = 20_000
"""Messages after which a day is given out in parts."""

LARGE_TEXT = 32 << 20
"""Characters after which it is, too."""

Message = dict[str, Any]


class DayDocuments:
    """Collects plain messages by day. ``day_messages`` is the list of the current day: append to it.

    A document's id is ``source:chat:day``; its messages are the dicts that ``ConversationMessage`` validates.
    """

    def __init__(self, source: str, chat: str, user: str, metadata: dict[str, str]) -> None:
        self._source = source
        self._prefix = f"{source}:{chat}:"
        self._user = user
        self._metadata = metadata
        self._open: dict[str, list[Message]] = {}
        self.current = ""
        self.day_messages: list[Message] = []
        self.text = 0
        self._again = 0

    def start_day(self, day: str) -> Iterator[ConversationDocument]:
        """Make ``day`` the current one; yields the day that is thereby closed."""
        self.day_messages = self._open.pop(day, [])
        self._open[day] = self.day_messages  # last in the order of use
        self.current, self.text, self._again = day, 0, 0
        if len(self._open) > OPEN_DAYS:
            oldest = next(iter(self._open))
            yield from self._document(oldest, self._open.pop(oldest))

    def flush_large_day(self, more_text: int) -> Iterator[ConversationDocument]:
        """Give out most of the current day when it is too big; its last minute stays open."""
        self.text += more_text
        if not self.day_messages or (len(self.day_messages) < LARGE_DAY and self.text < LARGE_TEXT):
            return
        if len(self.day_messages) < self._again:
            return
        last = self.day_messages[-1]["time"].replace(second=0)
        keep = len(self.day_messages)
        while keep and self.day_messages[keep - 1]["time"].replace(second=0) == last:
            keep -= 1
        if keep:
            head = self.day_messages[:keep]
            del self.day_messages[:keep]
            self.text = 0
            yield from self._document(self.current, head)
        # A minute that is larger than that is looked through again when it has doubled: else each message would do it.
        self._again = 0 if keep else 2 * len(self.day_messages)

    def close(self) -> Iterator[ConversationDocument]:
        """What is still open, in the order of use."""
        for day, messages in self._open.items():
            yield from self._document(day, messages)
        self._open = {}
        self.day_messages = []

    def _document(self, day: str, messages: list[Message]) -> Iterator[ConversationDocument]:
        if not messages:
            return
        people = dict.fromkeys(message["speaker"] for message in messages)
        people[self._user] = None
        yield ConversationDocument.model_validate(
            {
                "id": self._prefix + day,
                "conversation": {
                    "source": self._source,
                    "people": list(people),
                    "user": self._user,
                    "conversation": messages,
                },
                "metadata": self._metadata,
            }
        )
