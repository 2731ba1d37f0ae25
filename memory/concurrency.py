"""Runs asynchronous operations concurrently and raises the error of any one without an exception group."""

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
