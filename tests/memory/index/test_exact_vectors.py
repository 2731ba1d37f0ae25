"""Searches with a filter that is neither wide nor narrow: the nearest that pass are found with bounded work; axes are learned meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from memd.memory.index import vector_codes
from memd.memory.index.exact_vectors import FILE, ExactVectors
from memd.memory.search_types import CompiledFilter, Vector
from memd.tests.contracts.vector_index import EvenRows

pytestmark = pytest.mark.anyio
DIMENSION = 4
WHERE = CompiledFilter(None, None, ("s",), (), (), None, None)
QUESTION: Vector = np.array([1, 0, 0, 0], np.float32)


class Rows(EvenRows):
    """A store of so many rows, each with a text of its own, the first the nearest, of which every ``step``-th passes."""

    def __init__(self, count: int, step: int) -> None:
        super().__init__()
        self.count, self.step = count, step
        self.compared, self.listed = 0, 0

    @property
    def matrix(self) -> NDArray[np.float32]:
        """The vectors, further and further from the question."""
        angles = np.linspace(0, 3, self.count)
        return np.stack([np.cos(angles), np.sin(angles), 0 * angles, 0 * angles], axis=1).astype(np.float32)

    async def texts(self, rows: Sequence[int]) -> dict[int, int]:
        """Of the same numbers."""
        return {row: row for row in rows}

    async def matching(self, where: CompiledFilter, limit: int) -> list[int]:
        """In an order of its own."""
        assert where is WHERE
        found = list(range(self.step, self.count + 1, self.step))[::-1][:limit]
        self.listed += len(found)
        return found

    async def nearest(
        self, vector: Vector, texts: NDArray[np.int64], where: CompiledFilter | None, limit: int, most: int
    ) -> list[tuple[int, float]]:
        """By their numbers."""
        assert where is WHERE
        assert vector.tolist() == QUESTION.tolist()
        self.compared += len(texts)
        passed = [text for text in sorted(texts.tolist())[:most] if not text % self.step]
        return [(text, 1.0 - text / self.count) for text in passed[:limit]]


async def filled(tmp_path: Path, rows: Rows) -> ExactVectors:
    """An index of them."""
    index = ExactVectors(tmp_path, "some/1", DIMENSION, rows, read_only=True)
    numbers = list(range(1, rows.count + 1))
    await index.update(numbers, numbers, numbers, rows.matrix, 1)
    return index


@pytest.mark.parametrize(("count", "step"), [(300, 7), (2_000, 2), (30_000, 3), (30_000, 700), (30_000, 40_000)])
async def test_the_nearest_that_pass_are_found(tmp_path: Path, count: int, step: int) -> None:
    """However much passes: as many as are asked for, none of them far behind one that was left out."""
    rows = Rows(count, step)
    found = [row for row, _ in await (await filled(tmp_path, rows)).search(QUESTION, WHERE, 10)]
    wanted = list(range(step, count + 1, step))[:10]
    assert len(found) == len(wanted)
    # Codes of four components are too coarse to tell neighbours apart, of which one row in a hundred is.
    assert all(abs(one - other) <= max(count // 20, step) for one, other in zip(found, wanted, strict=True))


async def test_five_hundred_of_thirty_thousand_take_few_questions(tmp_path: Path) -> None:
    """The work is a small multiple of what passes, not of what there is."""
    rows = Rows(30_000, 60)
    index = await filled(tmp_path, rows)
    assert len(await index.search(QUESTION, WHERE, 30)) == 30
    assert rows.compared <= 4 * 500
    assert rows.listed <= 4 * 500


async def test_maintenance_learns_axes_and_saves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same rows are found during it and after it, by the next owner, too; no other file is left."""
    monkeypatch.setattr(vector_codes, "EXACT_ROWS", 100)
    monkeypatch.setattr(vector_codes, "HEAD_AXES", 2)
    store = EvenRows()
    rng = np.random.default_rng(1)
    matrix = rng.standard_normal((300, DIMENSION)).astype(np.float32)
    numbers = list(range(1, 301))
    store.change([], numbers, numbers, matrix)
    index = ExactVectors(tmp_path, "some/1", DIMENSION, store, read_only=False)
    await index.open(0)
    await index.update(numbers, numbers, numbers, matrix, 7)
    before = await index.search(QUESTION, None, 20)
    await index.maintain()
    assert await index.search(QUESTION, None, 20) == before
    await index.close()
    again = ExactVectors(tmp_path, "some/1", DIMENSION, store, read_only=False)
    await again.open(7)
    assert again.sequence == 7
    assert await again.search(QUESTION, None, 20) == before
    assert await again.check() == []
    await again.close()
    assert [path.name for path in tmp_path.iterdir()] == [FILE]
