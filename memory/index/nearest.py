"""The nearest vectors that pass a filter, of an index that cannot filter: by searching more, or by comparing all that pass."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ..search_types import Vector
from ..store.filters import CompiledFilter
from .ports import RowFilter

EXACT_SCAN = 4_000
"""Rows that a filter may leave for their vectors to be fetched one by one, about 10 ms; more are found by searching."""


class Unfiltered(Protocol):
    """An index that finds the nearest of all, and compares given rows exactly."""

    def __len__(self) -> int: ...

    async def nearest_of_all(self, vector: Vector, limit: int, *, exact: bool = False) -> list[tuple[int, float]]:
        """Row ids and cosines, best first."""
        ...

    async def best_of(self, vector: Vector, rows: Sequence[int]) -> list[tuple[int, float]]:
        """Of these rows, those that are in the index, best first."""
        ...


async def nearest(
    index: Unfiltered, rows: RowFilter, vector: Vector, where: CompiledFilter | None, limit: int
) -> list[tuple[int, float]]:
    """Row ids and cosines of the nearest that pass: first among the nearest of all; if these are too few, exactly among all that pass.

    A filter that passes much is answered by the first, one that passes little by the
    second. What lies between is looked for among four times as many each time, in the one way and in the other, so that
    neither costs much more than the better one would have; each row is asked for once whether it passes.
    """
    if where is None:
        return await index.nearest_of_all(vector, limit)
    if where.rows is not None:
        return (await index.best_of(vector, await rows.matching(where, len(where.rows))))[:limit]
    found = await index.nearest_of_all(vector, limit * 4)
    passed = await rows.passing(where, [row for row, _ in found])
    asked = {row for row, _ in found}
    best = [(row, score) for row, score in found if row in passed]
    wanted = limit * 4
    most = 0
    while len(best) < limit and len(found) < len(index):
        if most < max(EXACT_SCAN, wanted):
            most = max(EXACT_SCAN, wanted)
            matching = await rows.matching(where, most + 1)
            if len(matching) <= most:
                return (await index.best_of(vector, matching))[:limit]
        wanted *= 4
        found = await index.nearest_of_all(vector, wanted, exact=wanted * 10 > len(index))
        passed |= await rows.passing(where, [row for row, _ in found if row not in asked])
        asked.update(row for row, _ in found)
        best = [(row, score) for row, score in found if row in passed]
    return best[:limit]
