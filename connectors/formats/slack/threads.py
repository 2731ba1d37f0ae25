"""Threads while their replies are gathered: those lie in the files of later days. In bounded memory, no I/O.

A thread's first message tells when its last reply came (``latest_reply``), so a thread is complete when the reading has
passed that time, and is given out then. Threads that do not tell it stay open until the end of their chat. When more
stays open than may be kept, the threads that nobody wrote in for the longest time are given out as far as they are known:
a reply that comes after that makes one more document with the same id that holds only what came late, as a straggler of
a day does, and whoever stores them unites the messages of equal ids.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, field

from .message import SlackMessage

OPEN_MESSAGES = 40_000
"""Messages in open threads; about a kilobyte of memory each beside their text."""
OPEN_TEXT = 24 << 20
"""Characters in them."""
_KNOWN = 100_000
"""So many threads that were given out in part are remembered, only to tell whose first message the export lacks."""


@dataclass(slots=True)
class Thread:
    """What is known of one thread."""

    stamp: str
    messages: list[SlackMessage] = field(default_factory=list[SlackMessage])
    text: int = 0

    def once(self) -> list[SlackMessage]:
        """Its messages by their time, the first one first; a copy of a reply that stands in the channel, too, but once."""
        once: dict[str, SlackMessage] = {}
        for each in sorted(self.messages, key=lambda each: each.micros):
            once.setdefault(each.stamp, each)
        return [*once.values()]


class OpenThreads:
    """The threads of one chat. ``orphans`` counts those that were given out without their first message."""

    def __init__(self, most_messages: int = OPEN_MESSAGES, most_text: int = OPEN_TEXT) -> None:
        self.orphans = 0
        self._most_messages = most_messages
        self._most_text = most_text
        self._open: dict[str, Thread] = {}
        """In the order in which they were last written in."""
        self._ends: list[tuple[int, str]] = []
        self._messages = 0
        self._text = 0
        self._known: set[str] = set()
        """Threads given out in part, whose first message was among it."""

    def add(self, message: SlackMessage) -> Iterator[Thread]:
        """Put a message into its thread; yields what can no longer be kept."""
        thread = self._open.pop(message.thread, None) or Thread(message.thread)
        self._open[message.thread] = thread
        thread.messages.append(message)
        size = len(message.fields["content"])
        thread.text += size
        self._messages += 1
        self._text += size
        if message.latest is not None:
            heapq.heappush(self._ends, (message.latest, message.thread))
            if len(self._ends) > 2 * self._most_messages:  # many threads were given out before their end
                self._ends = [(end, stamp) for end, stamp in self._ends if stamp in self._open]
                heapq.heapify(self._ends)
        if self._messages > self._most_messages or self._text > self._most_text:
            while self._open and (self._messages > self._most_messages // 2 or self._text > self._most_text // 2):
                yield self._taken(next(iter(self._open)), is_complete=False)

    def complete(self, now: int) -> Iterator[Thread]:
        """The threads whose last reply came before or at a time (microseconds), when all until then was read."""
        while self._ends and self._ends[0][0] <= now:
            _, stamp = heapq.heappop(self._ends)
            if stamp in self._open:
                yield self._taken(stamp, is_complete=True)

    def close(self) -> Iterator[Thread]:
        """All that are open."""
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
