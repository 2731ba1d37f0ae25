"""Removed vectors are overwritten in the file of an index, and searches stay as good as they were."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from memd.memory.index.usearch_index import EXACT_BELOW, SNAPSHOT, UsearchIndex
from memd.memory.index.vector_file import overwrite_removed

DIMENSION = 16


def _units(count: int, seed: int = 1) -> NDArray[np.float32]:
    """Vectors around a hundred centres, as those of a chat are."""
    rng = np.random.default_rng(seed)
    matrix = np.repeat(rng.standard_normal((100, DIMENSION)), -(-count // 100), axis=0)[:count]
    matrix += 0.5 * rng.standard_normal((count, DIMENSION))
    return (matrix / np.linalg.norm(matrix, axis=1, keepdims=True)).astype(np.float32)


def _index(matrix: NDArray[np.float32]) -> UsearchIndex:
    index = UsearchIndex("some", DIMENSION)
    index.update([], range(1, len(matrix) + 1), matrix)
    return index


def _holding(path: Path, matrix: NDArray[np.float32]) -> int:
    data = path.read_bytes()
    return sum(row.astype("<f2").tobytes() in data for row in matrix)


def _recall(index: UsearchIndex, matrix: NDArray[np.float32], asked: NDArray[np.float32]) -> float:
    """The share of the ten nearest rows, of those that are not zero, that searches find."""
    found = 0
    for vector in asked:
        best = {int(row) + 1 for row in np.argsort(-(matrix @ vector))[:10]}
        found += len(best & {row for row, _ in index.search(vector, 10)})
    return found / 10 / len(asked)


def test_removed_vectors_are_in_the_snapshot_until_it_is_purged(tmp_path: Path) -> None:
    """And not in a later one either; those that are left answer to the digit what they did."""
    matrix = _units(400)
    index = _index(matrix)
    index.update(range(101, 131), [], matrix[:0])
    index.save(tmp_path)
    assert _holding(tmp_path / SNAPSHOT, matrix[100:130]) == 30
    before = [index.search(vector, 20) for vector in matrix[:50]]
    fresh = index.purged(tmp_path)
    assert _holding(tmp_path / SNAPSHOT, matrix[100:130]) == 0
    assert _holding(tmp_path / SNAPSHOT, np.delete(matrix, np.s_[100:130], axis=0)) == 370
    assert [fresh.search(vector, 20) for vector in matrix[:50]] == before
    fresh.update([131], [500], matrix[:1])
    fresh.save(tmp_path)
    assert _holding(tmp_path / SNAPSHOT, matrix[100:130]) == 0
    assert fresh.purged(tmp_path).removed == 31
    assert _holding(tmp_path / SNAPSHOT, matrix[100:131]) == 0


@pytest.mark.parametrize("left", [0, 1])
def test_an_index_of_which_hardly_anything_is_left_can_be_purged(tmp_path: Path, left: int) -> None:
    """Also one of which nothing is."""
    matrix = _units(40)
    index = _index(matrix)
    index.update(range(1 + left, 41), [], matrix[:0])
    fresh = index.purged(tmp_path)
    assert len(fresh) == left
    assert _holding(tmp_path / SNAPSHOT, matrix[left:]) == 0
    fresh.update([], [50], matrix[:1])
    assert 50 in [row for row, _ in fresh.search(matrix[0], 5)]
    assert len(UsearchIndex("some", DIMENSION).purged(tmp_path)) == 0
    assert _holding(tmp_path / SNAPSHOT, matrix) == 0


@pytest.mark.slow
def test_a_purged_graph_is_searched_as_well_as_before(tmp_path: Path) -> None:
    """With as many removed as an index may have before it is rebuilt, half of them all of some centres."""
    count = EXACT_BELOW * 5 // 4 + 400
    matrix = _units(count)
    index = _index(matrix)
    rng = np.random.default_rng(2)
    gone = np.unique(np.concatenate([np.arange(count // 10), rng.choice(count, count // 11)]))
    index.update((gone + 1).tolist(), [], matrix[:0])
    assert not index.needs_rebuild
    assert len(index) > EXACT_BELOW
    left = matrix.copy()
    left[gone] = 0
    asked = _units(200, seed=3)
    before = _recall(index, left, asked)
    fresh = index.purged(tmp_path)
    assert _recall(fresh, left, asked) >= before - 0.03
    fresh.update([], (gone[:300] + count + 1).tolist(), matrix[gone[:300]])
    assert _recall(fresh, left, matrix[::40]) > 0.5


@pytest.mark.parametrize("offset", [0, 4, 8 + 400 * DIMENSION * 2 + 3, 8 + 400 * DIMENSION * 2 + 8, -40])
def test_a_file_of_another_layout_is_refused(tmp_path: Path, offset: int) -> None:
    """Whichever number does not fit: nothing is written on a guess."""
    index = _index(_units(400))
    index.update([1, 2], [], np.empty((0, DIMENSION), np.float32))
    index.save(tmp_path)
    path = tmp_path / SNAPSHOT
    data = bytearray(path.read_bytes()[: -512 if offset >= 0 else -520])
    if offset >= 0:
        data[offset] ^= 0x11
    path.write_bytes(data)
    with pytest.raises(ValueError, match=r"file|numbers|node|head"):
        overwrite_removed(path, DIMENSION)
    assert path.read_bytes() == data
