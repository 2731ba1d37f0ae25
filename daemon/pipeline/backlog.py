"""The backlog: the number of messages that wait to be stored, and the back-pressure on senders."""

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
        """The number of these messages that a buffer holds back."""
        self._changed = anyio.Event()

    @property
    def has_room(self) -> bool:
        """Return whether more may be accepted. Messages held back by a buffer have a limit of their own, see
        `buffers_full`.
        """
        return self.messages - self.held < self._limit

    @property
    def buffers_full(self) -> bool:
        """Return whether buffers hold back as many messages as the queue may contain."""
        return self.held >= self._limit

    def add(self, messages: int) -> None:
        """Count messages in."""
        self.messages += messages

    def remove(self, messages: int) -> None:
        """Count messages out, and wake the waiters if there is room again."""
        self.messages -= messages
        if self.has_room or not self.messages:
            self.notify()

    def hold(self, messages: int) -> None:
        """Set the number of messages held back; wake the waiters if there is room again."""
        self.held = messages
        if self.has_room:
            self.notify()

    def notify(self) -> None:
        """Wake all waiters."""
        self._changed.set()
        self._changed = anyio.Event()

    async def changed(self) -> None:
        """Wait for the next change."""
        await self._changed.wait()

    async def wait_until_empty(self) -> None:
        """Wait until no message is left to store."""
        while self.messages > 0:
            await self.changed()
