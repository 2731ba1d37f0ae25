"""Removed vectors are overwritten in the file of an index, and searches stay as good as they were."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from memd.memory.index import usearch_vectors
from memd.memory.index.usearch_index import EXACT_BELOW, RECENT, SNAPSHOT, UsearchIndex
from memd.memory.index.usearch_vectors import UsearchVectors
from memd.memory.index.vector_file import overwrite_removed
from memd.tests.contracts.vector_index import EvenRows

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
    index.save(tmp_path, purged=True)
    assert _holding(tmp_path / SNAPSHOT, matrix[100:130]) == 0
    assert _holding(tmp_path / SNAPSHOT, np.delete(matrix, np.s_[100:130], axis=0)) == 370
    assert [index.search(vector, 20) for vector in matrix[:50]] == before
    index.update([131], [500], matrix[:1])
    index.save(tmp_path)
    assert _holding(tmp_path / SNAPSHOT, matrix[100:130]) == 0
    index.save(tmp_path, purged=True)
    assert index.removed == 31
    assert _holding(tmp_path / SNAPSHOT, matrix[100:131]) == 0


def test_a_snapshot_takes_every_row_that_came_since(tmp_path: Path) -> None:
    """However many they are, and whether they are more than those that it has or fewer."""
    matrix = _units(400)
    index = _index(matrix[:100])
    index.save(tmp_path)
    for first, last in ((100, 170), (170, 400)):
        index.update([], range(first + 1, last + 1), matrix[first:last])
        index.save(tmp_path)
        assert index.rows() == set(range(1, last + 1))


@pytest.mark.parametrize("left", [0, 1])
def test_an_index_of_which_hardly_anything_is_left_can_be_purged(tmp_path: Path, left: int) -> None:
    """Also one of which nothing is."""
    matrix = _units(40)
    index = _index(matrix)
    index.update(range(1 + left, 41), [], matrix[:0])
    index.save(tmp_path, purged=True)
    assert len(index) == left
    assert _holding(tmp_path / SNAPSHOT, matrix[left:]) == 0
    index.update([], [50], matrix[:1])
    assert 50 in [row for row, _ in index.search(matrix[0], 5)]
    UsearchIndex("some", DIMENSION).save(tmp_path, purged=True)
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
    index.save(tmp_path, purged=True)
    assert _recall(index, left, asked) >= before - 0.03
    index.update([], (gone[:300] + count + 1).tolist(), matrix[gone[:300]])
    assert _recall(index, left, matrix[::40]) > 0.5


@pytest.mark.parametrize("lost", [False, True])
def test_a_saved_index_takes_changes_and_saves_them(tmp_path: Path, lost: bool) -> None:
    """Rows of the snapshot that were removed or replaced are not found, new ones are, before and after it is written again,
    also where somebody removed the file meanwhile.
    """
    matrix = _units(400)
    index = _index(matrix[:300])
    index.save(tmp_path)
    if lost:
        (tmp_path / SNAPSHOT).unlink()
    index.update([1, 2, 2_000], [], matrix[:0])
    index.update([3, 301, 302], [3, 301, 302], np.stack([matrix[350], matrix[300], matrix[301]]))
    index.update([302], [], matrix[:0])
    kept = {row: matrix[row - 1] for row in (*range(4, 301), 301)} | {3: matrix[350]}
    loaded = UsearchIndex("some", DIMENSION)
    for saved in (False, True):
        if saved:
            index.save(tmp_path)
            assert loaded.load(tmp_path)
        for each in (index, loaded) if saved else (index,):
            assert (len(each), each.removed) == (len(kept), 3)
            assert {row for row, _ in each.search(matrix[5], 400)} == set(kept)
            assert [row for row, _ in each.search(matrix[350], 1)] == [3]
            assert [row for row, _ in each.search(matrix[0], 1)] != [1]
            found = each.get([1, 2, 3, 4, 301, 302])
            assert [value is None for value in found] == [True, True, False, False, False, True]
            assert np.isnan(each.cosines(matrix[0], [1, 4])).tolist() == [True, False]
            assert each.cosines(matrix[350], [3])[0] > 0.999
            assert [row for row, _ in each.scores(matrix[300], [1, 2, 3, 301, 302])] == [301, 3]


def test_what_came_since_the_snapshot_is_left_for_the_next_owner(tmp_path: Path) -> None:
    """The snapshot is not written again; rows that went stay away, and the next snapshot takes all of it in."""
    matrix = _units(400)
    index = _index(matrix[:300])
    index.leave(tmp_path)
    assert not (tmp_path / RECENT).exists()
    before = (tmp_path / SNAPSHOT).read_bytes()
    index.update([1, 2, 301], [2, 301], matrix[[350, 300]])
    index.sequence = 9
    index.leave(tmp_path)
    assert (tmp_path / SNAPSHOT).read_bytes() == before
    loaded = UsearchIndex("some", DIMENSION)
    assert loaded.load(tmp_path)
    assert (len(loaded), loaded.sequence, loaded.removed) == (300, 9, 2)
    for vector in (matrix[0], matrix[350], matrix[300]):
        assert loaded.search(vector, 300) == index.search(vector, 300)
    loaded.save(tmp_path)
    assert not (tmp_path / RECENT).exists()
    assert loaded.unmerged == 0
    again = UsearchIndex("some", DIMENSION)
    assert again.load(tmp_path)
    assert {row for row, _ in again.search(matrix[0], 400)} == {row for row, _ in index.search(matrix[0], 400)}


def test_a_small_snapshot_is_taken_into_what_came_since(tmp_path: Path) -> None:
    """Where more came than there was, that is kept as it is and the few are added to it; none is lost or comes back."""
    matrix = _units(400)
    index = _index(matrix[:30])
    index.save(tmp_path)
    index.update([1, 2], range(31, 401), matrix[30:])
    index.update([2, 40], [2], matrix[1:2])
    index.save(tmp_path)
    loaded = UsearchIndex("some", DIMENSION)
    assert loaded.load(tmp_path)
    kept = {2, *range(3, 401)} - {40}
    for each in (index, loaded):
        assert (len(each), each.unmerged) == (398, 0)
        assert {row for row, _ in each.search(matrix[0], 400)} == kept
        assert [row for row, _ in each.search(matrix[9], 1)] == [10]
        assert each.cosines(matrix[1], [2])[0] > 0.999


@pytest.mark.anyio
async def test_who_leaves_much_writes_the_snapshot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next owner finds little to take in, however much came at once."""
    monkeypatch.setattr(usearch_vectors, "SNAPSHOT_AFTER", 50)
    matrix = _units(200)
    index = UsearchVectors(tmp_path, "some", DIMENSION, EvenRows(200), read_only=False)
    await index.update([1], [1], matrix[:1], 1)
    await index.leave()
    await index.update([2], [2], matrix[1:2], 2)
    await index.leave()
    assert (tmp_path / RECENT).exists()
    rows = list(range(3, 201))
    await index.update(rows, rows, matrix[2:], 3)
    await index.leave()
    assert not (tmp_path / RECENT).exists()
    assert (index.unsaved, index.needs_snapshot, len(await index.rows())) == (0, False, 200)


@pytest.mark.parametrize("harm", ["flipped", "cut", "of another snapshot", "of another store"])
def test_what_was_left_is_not_believed_when_it_does_not_fit(tmp_path: Path, harm: str) -> None:
    """The snapshot is used alone, with its own number, so that what is missing is taken from the store again."""
    matrix = _units(400)
    index = _index(matrix[:300])
    index.sequence = 5
    index.save(tmp_path)
    index.update([1, 301], [301], matrix[300:301])
    index.sequence = 9
    index.leave(tmp_path)
    left = (tmp_path / RECENT).read_bytes()
    if harm == "flipped":
        left = left[:40] + bytes([left[40] ^ 1]) + left[41:]
    elif harm == "cut":
        left = left[:-600]
    else:
        other = UsearchIndex("some" if "snapshot" in harm else "another", DIMENSION)
        other.update([], range(1, 301), matrix[100:])
        other.save(tmp_path)
        if "store" in harm:
            index.save(tmp_path)
    (tmp_path / RECENT).write_bytes(left)
    loaded = UsearchIndex("some", DIMENSION)
    assert loaded.load(tmp_path)
    assert loaded.unmerged == 0
    assert loaded.sequence == {"of another snapshot": 0, "of another store": 9}.get(harm, 5)


def test_nothing_purged_is_left_beside_the_snapshot(tmp_path: Path) -> None:
    """What an owner left is gone with the snapshot that takes it in."""
    matrix = _units(400)
    index = _index(matrix[:300])
    index.save(tmp_path)
    index.update([301, 302], [301, 302], matrix[300:302])
    index.leave(tmp_path)
    assert _holding(tmp_path / RECENT, matrix[300:302]) == 2
    index.update([302], [], matrix[:0])
    index.save(tmp_path, purged=True)
    assert [_holding(path, matrix[301:302]) for path in tmp_path.iterdir()] == [0]


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
