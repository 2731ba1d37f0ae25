"""Tantivy and the codes of vectors keep the contracts of the two ports."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import numpy as np
import pytest

from memd.memory.index.exact_vectors import ExactVectors
from memd.memory.index.ports import VectorIndex
from memd.memory.index.tantivy_text import TantivyText
from memd.tests.contracts.text_index import TextIndexContract
from memd.tests.contracts.vector_index import DIMENSION, EvenRows, VectorIndexContract, change, matrix_of


class TestTantivyText(TextIndexContract):
    """The whole suite."""

    @pytest.fixture
    def index(self, tmp_path: Path) -> Generator[TantivyText]:
        """In a folder of its own, of a store that is always ahead."""
        index = TantivyText(tmp_path / "words", "a store/1", lambda: 1_000, read_only=False)
        yield index
        index.close_here()


class ExactVectorsContract(VectorIndexContract):
    """The suite, and what an index that compares all vectors promises beyond it."""

    async def test_every_text_is_found_by_its_own_vector(self, index: VectorIndex, rows: EvenRows) -> None:
        """The first hit is as near as can be, also among many equal texts."""
        await change(index, rows, range(101, 161), range(101, 161), np.repeat(matrix_of(7), 60, axis=0), 3, [7] * 60)
        numbers = [number for number in range(1, 41) if number != 7]
        await change(index, rows, numbers, numbers, matrix_of(*numbers), 4)
        for number in numbers:
            assert (await index.search(matrix_of(number)[0], None, 1))[0][0] == number


class TestExactVectors(ExactVectorsContract):
    """The whole suite."""

    @pytest.fixture
    def index(self, tmp_path: Path, rows: EvenRows) -> ExactVectors:
        """In a folder of its own."""
        return ExactVectors(tmp_path, "a store/1", DIMENSION, rows, read_only=False)


class TestExactVectorsInMemory(ExactVectorsContract):
    """The whole suite, where nothing may be written."""

    @pytest.fixture
    def index(self, tmp_path: Path, rows: EvenRows) -> ExactVectors:
        """Beside an empty folder."""
        return ExactVectors(tmp_path, "a store/1", DIMENSION, rows, read_only=True)
