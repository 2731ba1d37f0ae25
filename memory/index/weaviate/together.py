"""Calls that run at once; the first failure is raised as it is, not in a group."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

import anyio

T = TypeVar("T")


async def together(calls: Sequence[Callable[[], Awaitable[T]]]) -> list[T]:
    """What each gives, in their order; a failure of one cancels the others."""
    results: dict[int, T] = {}

    async def one(number: int) -> None:
        results[number] = await calls[number]()

    try:
        async with anyio.create_task_group() as group:
            for number in range(len(calls)):
                group.start_soon(one, number)
    except ExceptionGroup as failures:
        error = failures.exceptions[0]
        raise error from error.__cause__
    return [results[number] for number in range(len(calls))]
