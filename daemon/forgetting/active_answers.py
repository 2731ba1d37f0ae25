"""Answers by a model that are being made; a forgetting cancels them first, so that nothing forgotten is sent after it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

import anyio
from anyio import CancelScope

from ...schemas.errors import BusyError


class ActiveAnswers:
    """The answers that are being made now. `paused` cancels them and keeps new ones from beginning."""

    def __init__(self) -> None:
        self._going: set[CancelScope] = set()
        self._changed = anyio.Event()
        self._standing = 0
        """The number of callers that want answers to pause."""
        self.on_pause: Callable[[], None] = lambda: None
        """Called when answers pause and when they may go on; drops the answers that are kept."""

    @asynccontextmanager
    async def under_way(self) -> AsyncGenerator[None]:
        """Count this block as an answer: it waits while answers are paused, and may be cancelled by `paused`.

        Raises:
            BusyError: it was cancelled.
        """
        while self._standing:
            await self._changed.wait()
        with CancelScope() as scope:
            self._going.add(scope)
            try:
                yield
            finally:
                self._going.discard(scope)
                self._tell()
        if scope.cancelled_caught:
            raise BusyError("something is being forgotten", hint="ask again when that is done")

    @asynccontextmanager
    async def paused(self) -> AsyncGenerator[None]:
        """Cancel all answers, and let none begin in this block."""
        self._standing += 1
        self.on_pause()
        try:
            for scope in self._going:
                scope.cancel()
            while self._going:
                await self._changed.wait()
            yield
        finally:
            self._standing -= 1
            self.on_pause()
            self._tell()

    def _tell(self) -> None:
        self._changed.set()
        self._changed = anyio.Event()
