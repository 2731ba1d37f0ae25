"""Runs asynchronous operations at once and raises the error of any without a group around it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

import anyio

A = TypeVar("A")
B = TypeVar("B")
T = TypeVar("T")


async def both(first: Callable[[], Awaitable[A]], second: Callable[[], Awaitable[B]]) -> tuple[A, B]:
    """The results of both; ``second`` runs in the calling task. An error of one cancels the other and is raised as it is,
    not in a group.
    """
    of_first: list[A] = []
    of_second: list[B] = []

    async def run() -> None:
        of_first.append(await first())

    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run)
            of_second.append(await second())
    except ExceptionGroup as group:
        error = group.exceptions[0]
        raise error from error.__cause__
    return of_first[0], of_second[0]


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
