"""Concurrent operations whose errors are raised without an exception group, and signals between tasks."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar, overload

import anyio

A = TypeVar("A")
B = TypeVar("B")
T = TypeVar("T")


@overload
async def together(first: Callable[[], Awaitable[A]], second: Callable[[], Awaitable[B]], /) -> tuple[A, B]: ...
@overload
async def together(*calls: Callable[[], Awaitable[T]]) -> tuple[T, ...]: ...
async def together(*calls: Callable[[], Awaitable[Any]]) -> tuple[Any, ...]:
    """Return the results in order; the last call runs in the calling task. An error cancels the other calls and is
    raised as it is, not in a group.
    """
    results: dict[int, Any] = {}

    async def one(number: int) -> None:
        results[number] = await calls[number]()

    try:
        async with anyio.create_task_group() as tasks:
            for number in range(len(calls) - 1):
                tasks.start_soon(one, number)
            if calls:
                await one(len(calls) - 1)
    except ExceptionGroup as group:
        error = group.exceptions[0]
        raise error from error.__cause__
    return tuple(results[number] for number in range(len(calls)))


class Signal:
    """A signal to one task; it stays set until the task has waited for it."""

    def __init__(self) -> None:
        self._event = anyio.Event()

    def set(self) -> None:
        """Let `wait` return, now or when it is called next."""
        self._event.set()

    async def wait(self) -> None:
        """Return when the signal is set, and clear it."""
        await self._event.wait()
        self._event = anyio.Event()
