"""Answers by a model that are under way, and how they end before something is forgotten."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio
from anyio import CancelScope

from ...schemas.errors import BusyError


class ActiveAnswers:
    """Whoever forgets has the answers given up first: what they were found from is sent and noted no more after it."""

    def __init__(self) -> None:
        self._going: set[CancelScope] = set()
        self._changed = anyio.Event()
        self._standing = 0
        """The number of callers that want answers to pause."""

    @asynccontextmanager
    async def under_way(self) -> AsyncGenerator[None]:
        """Something is found and a model asked in this block. It begins when nobody wants stillness.

        Raises:
            BusyError: it was given up.
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
        """Nothing is found for a model in this block, and nothing is on its way to one: what was, is given up."""
        self._standing += 1
        try:
            for scope in self._going:
                scope.cancel()
            while self._going:
                await self._changed.wait()
            yield
        finally:
            self._standing -= 1
            self._tell()

    def _tell(self) -> None:
        self._changed.set()
        self._changed = anyio.Event()
