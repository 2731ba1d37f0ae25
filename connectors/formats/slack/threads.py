"""Collection of threads, whose replies lie in the files of later days. In bounded memory, no I/O.

A thread's first message states the time of its last reply (``latest_reply``), so a thread is complete, and is yielded,
when the reading has passed that time. Threads without it stay open until the end of their chat. When the open threads
exceed the limits, the longest unchanged are yielded incomplete: later replies make another document with the same id
that holds only them, as for late messages of a day, and the store unites the messages of documents with equal ids.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, field

from .message import SlackMessage

OPEN_MESSAGES = 40_000
"""The maximum number of messages in open threads; each takes about a kilobyte of memory beside its text."""
OPEN_TEXT = 24 << 20
"""The maximum number of characters in open threads."""
_KNOWN = 100_000
"""The maximum number of incomplete threads remembered, for counting those without a first message."""


@dataclass(slots=True)
class Thread:
    """The messages of one thread so far."""

    stamp: str
    messages: list[SlackMessage] = field(default_factory=list[SlackMessage])
    text: int = 0

    def once(self) -> list[SlackMessage]:
        """Return the messages ordered by time, without the channel's copies of replies."""
        once: dict[str, SlackMessage] = {}
        for each in sorted(self.messages, key=lambda each: each.micros):
            once.setdefault(each.stamp, each)
        return [*once.values()]


class OpenThreads:
    """The open threads of one chat. ``orphans`` counts those yielded without their first message."""

    def __init__(self, most_messages: int = OPEN_MESSAGES, most_text: int = OPEN_TEXT) -> None:
        self.orphans = 0
        self._most_messages = most_messages
        self._most_text = most_text
        self._open: dict[str, Thread] = {}
        """The open threads, the longest unchanged first."""
        self._ends: list[tuple[int, str]] = []
        self._messages = 0
        self._text = 0
        self._known: set[str] = set()
        """The threads that were yielded in part, with their first message."""

    def add(self, message: SlackMessage) -> Iterator[Thread]:
        """Add a message to its thread; yield the threads that exceed the limits."""
        thread = self._open.pop(message.thread, None) or Thread(message.thread)
        self._open[message.thread] = thread
        thread.messages.append(message)
        size = len(message.fields["content"])
        thread.text += size
        self._messages += 1
        self._text += size
        if message.latest is not None:
            heapq.heappush(self._ends, (message.latest, message.thread))
            if len(self._ends) > 2 * self._most_messages:  # many threads were yielded before their end
                self._ends = [(end, stamp) for end, stamp in self._ends if stamp in self._open]
                heapq.heapify(self._ends)
        if self._messages > self._most_messages or self._text > self._most_text:
            while self._open and (self._messages > self._most_messages // 2 or self._text > self._most_text // 2):
                yield self._taken(next(iter(self._open)), is_complete=False)

    def complete(self, now: int) -> Iterator[Thread]:
        """Yield the threads whose last reply is not later than ``now`` (microseconds), up to which everything has been
        read.
        """
        while self._ends and self._ends[0][0] <= now:
            _, stamp = heapq.heappop(self._ends)
            if stamp in self._open:
                yield self._taken(stamp, is_complete=True)

    def close(self) -> Iterator[Thread]:
        """Yield all open threads."""
        for stamp in list(self._open):
            yield self._taken(stamp, is_complete=True)
        self._ends.clear()
        self._known.clear()

    def _taken(self, stamp: str, *, is_complete: bool) -> Thread:
        thread = self._open.pop(stamp)
        self._messages -= len(thread.messages)
        self._text -= thread.text
        if not any(each.stamp == stamp for each in thread.messages) and stamp not in self._known:
            self.orphans += is_complete
        elif not is_complete and len(self._known) < _KNOWN:
            self._known.add(stamp)
        return thread
