"""Runs SQL for many values, with placeholder lists of a few fixed lengths so that prepared statements are reused."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

LARGEST = 512


def rows_for(
    connection: sqlite3.Connection, statement: str, values: Iterable[Any], *rest: str | bytes | int | None
) -> Iterator[Any]:
    """Yield the rows of ``statement``, whose ``{}`` becomes a list of placeholders, for all values, in slices.

    The list is padded to the next power of two with NULLs, which equal nothing. ``rest`` are the parameters after the
    list.
    """
    everything = list(values)
    for begin in range(0, len(everything), LARGEST):
        part = everything[begin : begin + LARGEST]
        size = 1 << (len(part) - 1).bit_length()
        marks = ",".join("?" * size)
        yield from connection.execute(statement.replace("{}", marks), [*part, *[None] * (size - len(part)), *rest])


def spans(positions: Sequence[int], before: int, after: int) -> list[tuple[int, int]]:
    """Return closed ranges that cover `before` positions in front of and `after` behind each position; adjacent ones
    are joined.
    """
    joined: list[tuple[int, int]] = []
    for position in sorted(positions):
        low, high = position - before, position + after
        if joined and low <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(joined[-1][1], high))
        else:
            joined.append((low, high))
    return joined


def rows_in_spans(
    connection: sqlite3.Connection, statement: str, ranges: Sequence[tuple[int, int, int]], *rest: str
) -> Iterator[Any]:
    """Yield the rows of ``statement``, which reads a table ``asked`` of (document, low, high), for all ranges, in
    slices; ``rest`` are its own parameters.
    """
    for begin in range(0, len(ranges), LARGEST):
        part = ranges[begin : begin + LARGEST]
        size = 1 << (len(part) - 1).bit_length()
        marks = ",".join(["(?,?,?)"] * size)
        bound = [*chain.from_iterable(part), *[None] * (3 * (size - len(part)))]
        yield from connection.execute(
            f"WITH asked(document, low, high) AS (VALUES {marks}) {statement}", [*bound, *rest]
        )
