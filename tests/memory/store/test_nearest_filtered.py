"""A filter that is neither wide nor narrow: the nearest that pass are found with bounded work, and each row is asked for once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from memd.memory.index.nearest import nearest
from memd.memory.search_types import Vector
from memd.memory.store.filters import CompiledFilter

WHERE = CompiledFilter(None, None, ("s",), (), (), None, None)
QUESTION: Vector = np.ones(4, dtype=np.float32)


class Rows:
    """An index of so many rows, the first the nearest, of which every ``step``-th passes the filter."""

    def __init__(self, count: int, step: int) -> None:
        self.count, self.step = count, step
        self.searched: list[int] = []
        self.asked: list[int] = []
        self.listed: list[int] = []

    def __len__(self) -> int:
        return self.count

    async def nearest_of_all(self, vector: Vector, limit: int, *, exact: bool = False) -> list[tuple[int, float]]:  # noqa: ARG002 - its signature
        """The nearest."""
        self.searched.append(limit)
        return await self.best_of(vector, range(min(limit, self.count)))

    async def best_of(self, vector: Vector, rows: Sequence[int]) -> list[tuple[int, float]]:
        """All of them, best first."""
        assert vector is QUESTION
        return [(row, 1.0 - row / self.count) for row in sorted(rows)]

    async def passing(self, where: CompiledFilter, rows: Sequence[int]) -> set[int]:
        """As the store tells."""
        assert where is WHERE
        self.asked += rows
        return {row for row in rows if not row % self.step}

    async def matching(self, where: CompiledFilter, limit: int) -> list[int]:
        """As the store tells, in an order of its own."""
        assert where is WHERE
        found = list(range(0, self.count, self.step))[::-1][:limit]
        self.listed.append(len(found))
        return found


async def _found(rows: Rows, limit: int = 100) -> list[int]:
    return [row for row, _ in await nearest(rows, rows, QUESTION, WHERE, limit)]


@pytest.mark.parametrize(("count", "step"), [(300, 7), (9_000, 2), (30_000, 3), (200_000, 40), (1_000_000, 30_000)])
@pytest.mark.anyio
async def test_the_nearest_that_pass_are_found(count: int, step: int) -> None:
    """However much passes: all of them in their order, as many as are asked for."""
    rows = Rows(count, step)
    assert await _found(rows) == list(range(0, count, step))[:100]


@pytest.mark.anyio
async def test_five_thousand_of_a_million_take_few_questions() -> None:
    """The work is a small multiple of what passes, not of what there is."""
    rows = Rows(1_000_000, 200)
    assert await _found(rows) == list(range(0, 20_000, 200))
    assert len(rows.asked) == len(set(rows.asked)) <= 20_000
    assert sum(rows.searched) <= 20_000
    assert sum(rows.listed) <= 20_000
