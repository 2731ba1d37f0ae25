"""Progress to whoever watches: one slot for the newest state and one for the last, so that nobody is ever waited for.

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
"""How many ended runs are remembered for those who ask late."""


class ProgressHub:
    """Fans updates out to subscribers of one event loop."""

    def __init__(self) -> None:
        self._last: OrderedDict[str, ProgressUpdate] = OrderedDict()
        self._followers: set[_Follower] = set()
        self._closed = False

    def publish(self, update: ProgressUpdate) -> None:
        """Make this the run's newest state. Nothing follows a terminal update: a later one is dropped."""
        before = self._last.get(update.run)
        if before is not None and before.terminal:
            return
        self._last[update.run] = update
        self._last.move_to_end(update.run)
        self._forget()
        for follower in self._followers:
            if follower.run in (None, update.run):
                follower.put(update)

    def withdraw(self, run: str) -> None:
        """Forget a run that never was; whoever follows it alone has nothing to wait for."""
        self._last.pop(run, None)
        for follower in self._followers:
            follower.withdraw(run)

    def last(self, run: str) -> ProgressUpdate | None:
        """The newest state of a run, also when it has ended; None when it is not known any more."""
        return self._last.get(run)

    def active(self) -> list[ProgressUpdate]:
        """The newest states of all runs that go on."""
        return [update for update in self._last.values() if not update.terminal]

    @asynccontextmanager
    async def follow(self, run: str | None = None) -> AsyncGenerator[ObjectReceiveStream[ProgressUpdate]]:
        """Updates of one run, until its last; or of all (None), until the hub closes. It begins with the state now."""
        follower = _Follower(run)
        for update in self._last.values():
            if update.run == run or (run is None and not update.terminal):
                follower.put(update)
        if self._closed:
            follower.end()
        self._followers.add(follower)
        try:
            yield follower
        finally:
            self._followers.discard(follower)

    def close(self) -> None:
        """No more updates: every follower gets what waits for it, and then the end."""
        self._closed = True
        for follower in self._followers:
            follower.end()

    def _forget(self) -> None:
        if len(self._last) > KEPT:
            ended = [run for run, update in self._last.items() if update.terminal]
            for run in ended[: len(self._last) - KEPT]:
                del self._last[run]


class _Follower(ObjectReceiveStream[ProgressUpdate]):
    """One subscriber's slots, by run: the newest update, and terminal ones, which nothing replaces."""

    def __init__(self, run: str | None) -> None:
        self.run = run
        self._newest: dict[str, ProgressUpdate] = {}
        self._terminal: OrderedDict[str, ProgressUpdate] = OrderedDict()
        self._wake = anyio.Event()
        self._ended = False

    def put(self, update: ProgressUpdate) -> None:
        """Take an update in place of the one that waits."""
        if update.terminal:
            self._newest.pop(update.run, None)
            self._terminal[update.run] = update
            # Whoever follows everything and reads nothing must not fill the memory: only so many ends are kept.
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
        """Nothing follows what waits now."""
        self._ended = True
        self._wake.set()

    async def receive(self) -> ProgressUpdate:
        """The next update.

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
        """Nothing to let go of."""
        self.end()
