"""Two operations of a question at once, with errors as they are."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio

A = TypeVar("A")
B = TypeVar("B")


async def both(first: Callable[[], Awaitable[A]], second: Callable[[], Awaitable[B]]) -> tuple[A, B]:
    """The results of both; ``second`` runs in the calling task. An error of one cancels the other and is raised as it is,
    not in a group.
    """
    results: list[A] = []

    async def run() -> None:
        results.append(await first())

    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run)
            of_second = await second()
    except ExceptionGroup as group:
        raise group.exceptions[0] from None
    return results[0], of_second
