"""Progress to subscribers: one slot for the newest state and one for the last, so that a slow subscriber delays nobody.

A plain `send_nowait` on a full stream would drop the newest update, and with it the one that says how it ended.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio
import anyio.lowlevel
from anyio.abc import ObjectReceiveStream

from ...schemas import ProgressUpdate

KEPT = 256
"""The number of ended runs that are kept for late subscribers."""


class ProgressHub:
    """Fans updates out to subscribers of one event loop."""

    def __init__(self) -> None:
        self._last: OrderedDict[str, ProgressUpdate] = OrderedDict()
        self._followers: set[ProgressChannel] = set()
        self._closed = False

    def publish(self, update: ProgressUpdate) -> None:
        """Make this the run's newest state. An update after a terminal one is dropped."""
        before = self._last.get(update.run)
        if before is not None and before.terminal:
            return
        self._last[update.run] = update
        self._last.move_to_end(update.run)
        self._forget()
        for follower in self._followers:
            if follower.run in (None, update.run):
                follower.send(update)

    def withdraw(self, run: str) -> None:
        """Forget a withdrawn run, and end the subscriptions to it alone."""
        self._last.pop(run, None)
        for follower in self._followers:
            follower.withdraw(run)

    def last(self, run: str) -> ProgressUpdate | None:
        """Return the newest state of a run, also when it has ended; None when it is no longer kept."""
        return self._last.get(run)

    def active(self) -> list[ProgressUpdate]:
        """Return the newest states of all runs in progress."""
        return [update for update in self._last.values() if not update.terminal]

    @asynccontextmanager
    async def follow(self, run: str | None = None) -> AsyncGenerator[ObjectReceiveStream[ProgressUpdate]]:
        """Subscribe to updates of one run, until its last, or of all runs (None), until the hub closes. The present
        state comes first.
        """
        follower = ProgressChannel(run)
        for update in self._last.values():
            if update.run == run or (run is None and not update.terminal):
                follower.send(update)
        if self._closed:
            follower.end()
        self._followers.add(follower)
        try:
            yield follower
        finally:
            self._followers.discard(follower)

    def close(self) -> None:
        """End all updates: every follower gets its pending updates, and then the end."""
        self._closed = True
        for follower in self._followers:
            follower.end()

    def _forget(self) -> None:
        if len(self._last) > KEPT:
            ended = [run for run, update in self._last.items() if update.terminal]
            for run in ended[: len(self._last) - KEPT]:
                del self._last[run]


class ProgressChannel(ObjectReceiveStream[ProgressUpdate]):
    """The slots of one subscriber, by run: the newest update, and terminal ones, which nothing replaces. For one event
    loop: sends and receives in its thread.

    Args:
        run: the stream ends with this run's terminal update; None: with `end`.
    """

    def __init__(self, run: str | None = None) -> None:
        self.run = run
        self._newest: dict[str, ProgressUpdate] = {}
        self._terminal: OrderedDict[str, ProgressUpdate] = OrderedDict()
        self._wake = anyio.Event()
        self._ended = False

    def send(self, update: ProgressUpdate) -> None:
        """Replace the pending update of the run."""
        if update.terminal:
            self._newest.pop(update.run, None)
            self._terminal[update.run] = update
            # A subscriber to everything that reads nothing must not fill the memory: the number of kept ends is
            # limited.
            if len(self._terminal) > KEPT:
                self._terminal.popitem(last=False)
        else:
            self._newest[update.run] = update
        self._wake.set()

    def withdraw(self, run: str) -> None:
        """Forget a run; a follower of that run alone ends."""
        self._newest.pop(run, None)
        if self.run == run:
            self.end()

    def end(self) -> None:
        """End the stream after the pending updates."""
        self._ended = True
        self._wake.set()

    async def receive(self) -> ProgressUpdate:
        """Return the next update.

        Raises:
            anyio.EndOfStream: the run, or the hub, has ended.
        """
        while True:
            if self._newest:
                run = next(iter(self._newest))
                await anyio.lowlevel.checkpoint()
                if run in self._newest:
                    return self._newest.pop(run)
                continue
            if self._terminal:
                await anyio.lowlevel.checkpoint()
                _, update = self._terminal.popitem(last=False)
                self._ended = self._ended or self.run == update.run
                return update
            if self._ended:
                raise anyio.EndOfStream
            self._wake = anyio.Event()
            await self._wake.wait()

    async def aclose(self) -> None:
        """End the stream; there is nothing to close."""
        self.end()
