"""The backlog: how many messages wait to be stored, and the back-pressure on those who send more."""

from __future__ import annotations

import anyio


class Backlog:
    """Counts the messages of queued documents, including accepted ones on their way into the journal.

    Args:
        limit: messages above which `has_room` is false.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self.messages = 0
        self.held = 0
        """Those among them that a buffer holds back."""
        self._changed = anyio.Event()

    @property
    def has_room(self) -> bool:
        """Whether more may be accepted. What a buffer holds back has a limit of its own, see `buffers_full`."""
        return self.messages - self.held < self._limit

    @property
    def buffers_full(self) -> bool:
        """Whether as much is held back as may be in the queue."""
        return self.held >= self._limit

    def add(self, messages: int) -> None:
        """Count messages in."""
        self.messages += messages

    def remove(self, messages: int) -> None:
        """Count messages out, and wake whoever waits for fewer of them."""
        self.messages -= messages
        if self.has_room or not self.messages:
            self.notify()

    def hold(self, messages: int) -> None:
        """So many messages are held back now; wake whoever waits for room, when this gives some."""
        self.held = messages
        if self.has_room:
            self.notify()

    def notify(self) -> None:
        """Wake everybody who waits, to look again."""
        self._changed.set()
        self._changed = anyio.Event()

    async def changed(self) -> None:
        """Return after the next change."""
        await self._changed.wait()

    async def wait_until_empty(self) -> None:
        """Return when nothing waits to be stored."""
        while self.messages > 0:
            await self.changed()
