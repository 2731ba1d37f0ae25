"""A filter that is neither wide nor narrow: the nearest that pass are found with bounded work, and each row is asked for once."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import cast

import numpy as np
import pytest

from memd.memory.index.usearch_vectors import VectorIndex
from memd.memory.search_types import Vector
from memd.memory.store import candidates
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

    def search(self, _: Vector, limit: int, *, exact: bool = False) -> list[tuple[int, float]]:  # noqa: ARG002 - its signature
        """The nearest."""
        self.searched.append(limit)
        return self.scores(_, range(min(limit, self.count)))

    def scores(self, _: Vector, rows: Sequence[int]) -> list[tuple[int, float]]:
        """All of them, best first."""
        return [(row, 1.0 - row / self.count) for row in sorted(rows)]

    def passing(self, _: sqlite3.Connection, __: CompiledFilter, rows: Sequence[int]) -> set[int]:
        """As the store tells."""
        self.asked += rows
        return {row for row in rows if not row % self.step}

    def matching(self, _: sqlite3.Connection, __: CompiledFilter, limit: int) -> list[int]:
        """As the store tells, in an order of its own."""
        found = list(range(0, self.count, self.step))[::-1][:limit]
        self.listed.append(len(found))
        return found


def _found(rows: Rows, monkeypatch: pytest.MonkeyPatch, limit: int = 100) -> list[int]:
    monkeypatch.setattr(candidates, "passing", rows.passing)
    monkeypatch.setattr(candidates, "matching_chunks", rows.matching)
    none = cast("sqlite3.Connection", None)
    return [row for row, _ in candidates.nearest(none, cast("VectorIndex", rows), QUESTION, WHERE, limit)]


@pytest.mark.parametrize(("count", "step"), [(300, 7), (9_000, 2), (30_000, 3), (200_000, 40), (1_000_000, 30_000)])
def test_the_nearest_that_pass_are_found(monkeypatch: pytest.MonkeyPatch, count: int, step: int) -> None:
    """However much passes: all of them in their order, as many as are asked for."""
    rows = Rows(count, step)
    assert _found(rows, monkeypatch) == list(range(0, count, step))[:100]


def test_five_thousand_of_a_million_take_few_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    """The work is a small multiple of what passes, not of what there is."""
    rows = Rows(1_000_000, 200)
    assert _found(rows, monkeypatch) == list(range(0, 20_000, 200))
    assert len(rows.asked) == len(set(rows.asked)) <= 20_000
    assert sum(rows.searched) <= 20_000
    assert sum(rows.listed) <= 20_000
