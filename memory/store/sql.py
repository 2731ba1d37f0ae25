"""SQL over many values at once: placeholders in a few fixed numbers, so that statements stay prepared."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

LARGEST = 512


def rows_for(
    connection: sqlite3.Connection, statement: str, values: Iterable[Any], *rest: str | bytes | int | None
) -> Iterator[Any]:
    """The rows of ``statement``, whose ``{}`` becomes a list of placeholders, for all values, in slices.

    The list is padded with NULLs, which equal nothing, to the next power of two. ``rest`` are parameters after it.
    """
    everything = list(values)
    for begin in range(0, len(everything), LARGEST):
        part = everything[begin : begin + LARGEST]
        size = 1 << (len(part) - 1).bit_length()
        marks = ",".join("?" * size)
        yield from connection.execute(statement.replace("{}", marks), [*part, *[None] * (size - len(part)), *rest])


def spans(positions: Sequence[int], before: int, after: int) -> list[tuple[int, int]]:
    """Closed ranges that cover ``before`` in front of and ``after`` behind each position; touching ones are joined."""
    joined: list[tuple[int, int]] = []
    for position in sorted(positions):
        low, high = position - before, position + after
        if joined and low <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(joined[-1][1], high))
        else:
            joined.append((low, high))
    return joined
