"""What every `VectorIndex` must hold: subclass `VectorIndexContract` and give it the fixture `index`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from memd.memory.index.ports import VectorIndex
from memd.memory.index.rows import DocumentFields, FilterRow
from memd.memory.search_types import CompiledFilter, Vector
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
    """A store in which the even rows pass. Two rows that follow each other, 1 and 2, 3 and 4, may have one text."""

    def __init__(self, most: int = 40) -> None:
        self._most = most
        self.held: dict[int, tuple[int, NDArray[np.float32]]] = {}
        """By row, its text and its vector."""

    def change(
        self, gone: Sequence[int], rows: Sequence[int], texts: Sequence[int], vectors: NDArray[np.float32]
    ) -> None:
        """Remove, then add."""
        for row in gone:
            self.held.pop(row, None)
        self.held |= {row: (text, vector) for row, text, vector in zip(rows, texts, vectors, strict=True)}

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

    async def texts(self, rows: Sequence[int]) -> dict[int, int]:
        """Of those that are there."""
        return {row: self.held[row][0] for row in rows if row in self.held}

    async def all_texts(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Rows and texts."""
        return np.array(list(self.held), np.int64), np.array([text for text, _ in self.held.values()], np.int64)

    async def texts_with_vectors(self) -> NDArray[np.int64]:
        """Each once."""
        return np.unique(np.array([text for text, _ in self.held.values()], np.int64))

    async def purge_due(self) -> bool:
        """Never."""
        return False

    async def nearest(
        self, vector: Vector, texts: NDArray[np.int64], where: CompiledFilter | None, limit: int, most: int
    ) -> list[tuple[int, float]]:
        """By comparing all."""
        wanted = set(texts.tolist())
        known = {row: each for row, (text, each) in self.held.items() if text in wanted}
        scores = {row: _cosine(each, vector) for row, each in known.items()}
        order = sorted(scores, key=lambda row: (-scores[row], row))
        kept = list(dict.fromkeys(self.held[row][0] for row in order))[:most]
        passed = [row for row in order if self.held[row][0] in kept and (where is None or not row % 2)]
        return [(row, scores[row]) for row in passed[:limit]]


def _cosine(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    return float(one.astype(float) @ other.astype(float) / np.linalg.norm(one) / np.linalg.norm(other))


class VectorIndexContract:
    """The suite; the index is of 8 dimensions, and the store behind it is the fixture `rows`."""

    pytestmark = pytest.mark.anyio

    @pytest.fixture
    def rows(self) -> EvenRows:
        """A store with no vector."""
        return EvenRows()

    @pytest.fixture
    def index(self, rows: EvenRows) -> VectorIndex:
        """An empty index."""
        del rows
        raise AssertionError("an implementation's tests give this fixture")

    async def test_an_empty_index_answers(self, index: VectorIndex) -> None:
        """It finds nothing, and holds no vector."""
        assert (index.dimension, index.sequence) == (DIMENSION, 0)
        assert await index.rows() == set()
        assert await index.search(asked(), None, 5) == []
        assert await index.get([1, 2]) == [None, None]
        assert await index.check() == []

    async def test_the_nearest_come_first(self, index: VectorIndex, rows: EvenRows) -> None:
        """By their cosines, up to the limit."""
        numbers = list(range(1, 41))
        await change(index, rows, numbers, numbers, matrix_of(*numbers), 4)
        assert (len(await index.rows()), index.sequence) == (40, 4)
        found = await index.search(asked(), None, 5)
        assert [row for row, _ in found] == sorted(numbers, key=cosine, reverse=True)[:5]
        assert [score for _, score in found] == pytest.approx([cosine(row) for row, _ in found], abs=0.01)

    async def test_what_is_held_of_a_row_is_its_vector(self, index: VectorIndex, rows: EvenRows) -> None:
        """In the order they are asked for, perhaps rounded; None where there is none."""
        await change(index, rows, [1, 2, 3], [1, 3], matrix_of(1, 3), 4)
        held = await index.get([2, 1])
        assert held[0] is None
        assert held[1] is not None
        assert _cosine(held[1], matrix_of(1)[0]) > 0.999

    async def test_updates_replace_and_may_be_repeated(self, index: VectorIndex, rows: EvenRows) -> None:
        """A row has its latest vector, once; what goes is not found."""
        for _ in range(2):
            await change(index, rows, [1, 2, 3], [1, 2, 3], matrix_of(1, 2, 3), 4)
        await change(index, rows, [1, 2], [1], matrix_of(9), 6)
        assert (len(await index.rows()), index.sequence) == (2, 6)
        assert {row for row, _ in await index.search(asked(), None, 9)} == {1, 3}
        assert dict(await index.search(asked(), None, 9))[1] == pytest.approx(cosine(9), abs=0.01)

    async def test_a_filter_is_applied_inside_the_search(self, index: VectorIndex, rows: EvenRows) -> None:
        """As many as are asked for, though the nearest of all do not pass."""
        numbers = list(range(1, 41))
        await change(index, rows, numbers, numbers, matrix_of(*numbers), 4)
        even = sorted((row for row in numbers if not row % 2), key=cosine, reverse=True)
        for limit in (1, 7, 40):
            assert [row for row, _ in await index.search(asked(), EVEN, limit)] == even[:limit]

    async def test_what_cannot_be_compared_is_refused(self, index: VectorIndex) -> None:
        """A question of another dimension, of zeros, or not finite."""
        for vector in (np.ones(DIMENSION + 1), np.zeros(DIMENSION), np.full(DIMENSION, np.nan)):
            with pytest.raises(EmbeddingError):
                await index.search(vector.astype(np.float32), None, 3)

    async def test_equal_texts_are_all_found(self, index: VectorIndex, rows: EvenRows) -> None:
        """Half of the rows repeat a text: each is found, and no text hides another. Compared with all cosines."""
        numbers = list(range(1, 41))
        texts = [(number + 1) // 2 for number in numbers]
        vectors = matrix_of(*texts)
        await change(index, rows, numbers, numbers, vectors, 4, texts)
        every = sorted(numbers, key=lambda number: (-cosine((number + 1) // 2), number))
        for limit in (1, 2, 7, 40):
            found = await index.search(asked(), None, limit)
            assert sorted(row for row, _ in found) == sorted(every[:limit]) or limit % 2
            assert [score for _, score in found] == pytest.approx(
                [cosine((n + 1) // 2) for n in every[:limit]], abs=0.01
            )
        assert [row for row, _ in await index.search(asked(), EVEN, 20)] == [row for row in every if not row % 2]
        await change(index, rows, [1, 4], [], matrix_of(), 5)
        assert {row for row, _ in await index.search(asked(), None, 40)} == {*numbers} - {1, 4}

    async def test_every_text_is_found_by_its_own_vector(self, index: VectorIndex, rows: EvenRows) -> None:
        """The first hit is as near as can be, also among many equal texts."""
        await change(index, rows, range(101, 161), range(101, 161), np.repeat(matrix_of(7), 60, axis=0), 3, [7] * 60)
        numbers = [number for number in range(1, 41) if number != 7]
        await change(index, rows, numbers, numbers, matrix_of(*numbers), 4)
        for number in numbers:
            assert (await index.search(matrix_of(number)[0], None, 1))[0][0] == number

    async def test_purging_and_saving_keep_what_is_there(self, index: VectorIndex, rows: EvenRows) -> None:
        """Where it can be done, the same rows are found afterwards, and updates go on."""
        numbers = list(range(1, 41))
        await change(index, rows, numbers, numbers, matrix_of(*numbers), 4)
        await change(index, rows, numbers[:10], [], matrix_of(), 5)
        await index.save()
        before = await index.search(asked(), None, 30)
        await index.purge()
        await index.maintain()
        assert await index.search(asked(), None, 30) == before
        await change(index, rows, [99], [99], matrix_of(99), 6)
        await index.save()
        assert len(await index.rows()) == 31
        assert await index.check() == []

    async def test_a_rebuilt_index_takes_the_place(self, index: VectorIndex, rows: EvenRows) -> None:
        """Filled beside while this one answers, then changed over; one that is not taken over leaves nothing."""
        await change(index, rows, [1, 2], [1, 2], matrix_of(1, 2), 3)
        unused = await index.fresh()
        await unused.update([1], [1], [1], matrix_of(1), 4)
        await unused.close()
        fresh = await index.fresh()
        assert await index.rows() == {1, 2}
        rows.held.clear()
        await change(fresh, rows, [3, 4], [3, 4], matrix_of(3, 4), 5)
        await index.change_over(fresh)
        await fresh.close()
        assert (index.sequence, await index.rows()) == (5, {3, 4})
        await change(index, rows, [5], [5], matrix_of(5), 6)
        assert await index.rows() == {3, 4, 5}
        assert {row for row, _ in await index.search(asked(), None, 9)} == {3, 4, 5}


async def change(
    index: VectorIndex,
    store: EvenRows,
    gone: Sequence[int],
    rows: Sequence[int],
    vectors: NDArray[np.float32],
    sequence: int,
    texts: Sequence[int] | None = None,
) -> None:
    """Change the store, and then the index. Without ``texts`` each row has one of its own, of its number."""
    store.change(gone, rows, texts or rows, vectors)
    await index.update(gone, rows, texts or rows, vectors, sequence)
