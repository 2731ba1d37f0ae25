"""Counts the requests in progress of a daemon, and the seconds since the last one ended."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager


class Activity:
    """The requests of one daemon.

    Args:
        clock: seconds, which never go back.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._open = 0
        self._last = clock()

    @property
    def idle_s(self) -> float:
        """Return the seconds without any request; 0 while one is in progress."""
        return 0.0 if self._open else self._clock() - self._last

    @contextmanager
    def request(self) -> Generator[None]:
        """Count a request for the length of the block."""
        self._open += 1
        try:
            yield
        finally:
            self._open -= 1
            self._last = self._clock()
