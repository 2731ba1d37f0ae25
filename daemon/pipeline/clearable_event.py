"""An event that can be cleared, which `anyio.Event` cannot."""

from __future__ import annotations

import anyio


class ClearableEvent:
    """Wakes a worker: `set` from anywhere in the event loop, `wait` and `clear` by the worker alone."""

    def __init__(self) -> None:
        self._event = anyio.Event()

    def set(self) -> None:
        """Wake the waiters, now or later."""
        self._event.set()

    def is_set(self) -> bool:
        """Return whether it was set since it was last cleared."""
        return self._event.is_set()

    async def wait(self) -> None:
        """Wait until it is set."""
        await self._event.wait()

    def clear(self) -> None:
        """Reset the event. Nothing may be awaited between the return of `wait` and this call, or a `set` is lost."""
        if self._event.is_set():
            self._event = anyio.Event()
