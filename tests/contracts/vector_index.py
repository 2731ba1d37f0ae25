"""What every `VectorIndex` must hold: subclass `VectorIndexContract` and give it the fixture `index`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from memd.memory.index.ports import VectorIndex
from memd.memory.index.text_documents import DocumentFields, FilterRow
from memd.memory.search_types import Vector
from memd.memory.store.filters import CompiledFilter
from memd.schemas.errors import EmbeddingError

DIMENSION = 8
EVEN = CompiledFilter(None, None, ("even",), (), (), None, None)


def matrix_of(*rows: int) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    """A vector for each row, which depends on its number alone."""
    return np.array([np.random.default_rng(row).standard_normal(DIMENSION) for row in rows], dtype=np.float32)


def asked() -> Vector:
    """A question."""
    return matrix_of(1_000)[0]


def cosine(row: int) -> float:
    """What comparing the question with a row gives."""
    vector, question = matrix_of(row)[0].astype(float), asked().astype(float)
    return float(vector @ question / np.linalg.norm(vector) / np.linalg.norm(question))


class EvenRows:
    """A store in which the even rows pass."""

    def __init__(self, most: int) -> None:
        self._most = most

    async def passing(self, where: CompiledFilter, rows: Sequence[int]) -> set[int]:
        """The even ones of these."""
        assert where == EVEN
        return {row for row in rows if not row % 2}

    async def matching(self, where: CompiledFilter, limit: int) -> list[int]:
        """The even ones there are."""
        assert where == EVEN
        return list(range(2, self._most + 1, 2))[:limit]

    async def filtered(self, rows: Sequence[int]) -> list[FilterRow]:
        """The even ones are of a source of that name."""
        sources = {row: "odd" if row % 2 else "even" for row in rows}
        return [
            FilterRow(row, None, "text", None, DocumentFields(source, "", (), None, (), None, ""))
            for row, source in sources.items()
        ]


class VectorIndexContract:
    """The suite; the index is of 8 dimensions, and the store behind it lets the even rows pass, see `EvenRows`."""

    pytestmark = pytest.mark.anyio

    @pytest.fixture
    def index(self) -> VectorIndex:
        """An empty index."""
        raise AssertionError("an implementation's tests give this fixture")

    async def test_an_empty_index_answers(self, index: VectorIndex) -> None:
        """It finds nothing, and no row has a cosine."""
        assert (index.dimension, index.sequence, index.needs_rebuild) == (DIMENSION, 0, False)
        assert await index.rows() == set()
        assert await index.search(asked(), None, 5) == []
        assert np.isnan(await index.cosines(asked(), [1, 2])).all()
        assert np.isnan((await index.compare(asked(), [1])).typical).all()
        assert await index.check() == []

    async def test_the_nearest_come_first(self, index: VectorIndex) -> None:
        """By their cosines, up to the limit."""
        rows = list(range(1, 41))
        await index.update(rows, rows, matrix_of(*rows), 4)
        assert (len(await index.rows()), index.sequence) == (40, 4)
        found = await index.search(asked(), None, 5)
        assert [row for row, _ in found] == sorted(rows, key=cosine, reverse=True)[:5]
        assert [score for _, score in found] == pytest.approx([cosine(row) for row, _ in found], abs=0.01)

    async def test_given_rows_are_compared_exactly(self, index: VectorIndex) -> None:
        """In the order they are asked for; those without a vector give NaN."""
        await index.update([1, 2, 3], [1, 3], matrix_of(1, 3), 4)
        found = await index.cosines(asked(), [3, 2, 1])
        assert found.tolist() == pytest.approx([cosine(3), np.nan, cosine(1)], abs=0.01, nan_ok=True)
        compared = await index.compare(asked(), [3, 2, 1])
        assert compared.cosines.tolist() == pytest.approx(found.tolist(), nan_ok=True)
        assert np.isnan(compared.typical[1])
        both = matrix_of(1, 3) / np.linalg.norm(matrix_of(1, 3), axis=1, keepdims=True)
        near = both @ (both.mean(axis=0) / np.linalg.norm(both.mean(axis=0)))
        assert [compared.typical[2], compared.typical[0]] == pytest.approx(near.tolist(), abs=0.01)
        held = await index.get([2, 1])
        assert held[0] is None
        assert held[1] is not None
        assert held[1] == pytest.approx(matrix_of(1)[0], abs=0.01)

    async def test_updates_replace_and_may_be_repeated(self, index: VectorIndex) -> None:
        """A row has its latest vector, once; what goes is not found."""
        for _ in range(2):
            await index.update([1, 2, 3], [1, 2, 3], matrix_of(1, 2, 3), 4)
        await index.update([1, 2], [1], matrix_of(9), 6)
        assert (len(await index.rows()), index.sequence) == (2, 6)
        assert {row for row, _ in await index.search(asked(), None, 9)} == {1, 3}
        assert (await index.cosines(asked(), [1]))[0] == pytest.approx(cosine(9), abs=0.01)

    async def test_a_filter_is_applied_inside_the_search(self, index: VectorIndex) -> None:
        """As many as are asked for, though the nearest of all do not pass."""
        rows = list(range(1, 41))
        await index.update(rows, rows, matrix_of(*rows), 4)
        even = sorted((row for row in rows if not row % 2), key=cosine, reverse=True)
        for limit in (1, 7, 40):
            assert [row for row, _ in await index.search(asked(), EVEN, limit)] == even[:limit]

    async def test_what_cannot_be_compared_is_refused(self, index: VectorIndex) -> None:
        """A question of another dimension, of zeros, or not finite."""
        for vector in (np.ones(DIMENSION + 1), np.zeros(DIMENSION), np.full(DIMENSION, np.nan)):
            with pytest.raises(EmbeddingError):
                await index.search(vector.astype(np.float32), None, 3)
            with pytest.raises(EmbeddingError):
                await index.cosines(vector.astype(np.float32), [1])
            with pytest.raises(EmbeddingError):
                await index.compare(vector.astype(np.float32), [1])

    async def test_purging_and_saving_keep_what_is_there(self, index: VectorIndex) -> None:
        """Where it can be done, the same rows are found afterwards, and updates go on."""
        rows = list(range(1, 41))
        await index.update(rows, rows, matrix_of(*rows), 4)
        await index.update(rows[:10], [], matrix_of(), 5)
        await index.save()
        assert index.unsaved == 0
        before = await index.search(asked(), None, 30)
        await index.purge()
        await index.finish()
        assert await index.search(asked(), None, 30) == before
        await index.update([99], [99], matrix_of(99), 6)
        assert not index.needs_snapshot
        await index.leave()
        assert index.unsaved == 0
        assert len(await index.rows()) == 31
        assert await index.check() == []
