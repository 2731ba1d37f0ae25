"""Tantivy and the codes of vectors keep the contracts of the two ports."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from memd.memory.index.exact_vectors import ExactVectors
from memd.memory.index.tantivy_text import TantivyText
from memd.tests.contracts.text_index import TextIndexContract, stored_rows
from memd.tests.contracts.vector_index import DIMENSION, EvenRows, VectorIndexContract


class TestTantivyText(TextIndexContract):
    """The whole suite."""

    @pytest.fixture
    async def index(self, tmp_path: Path) -> AsyncGenerator[TantivyText]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """In a folder of its own, of a store that is always ahead."""
        index = TantivyText(tmp_path / "words", "a store/1", stored_rows, read_only=False)
        await index.open(1_000)
        yield index
        index.close_here()


class TestExactVectors(VectorIndexContract):
    """The whole suite."""

    @pytest.fixture
    def index(self, tmp_path: Path, rows: EvenRows) -> ExactVectors:
        """In a folder of its own."""
        return ExactVectors(tmp_path, "a store/1", DIMENSION, rows, read_only=False)


class TestExactVectorsInMemory(VectorIndexContract):
    """The whole suite, where nothing may be written."""

    @pytest.fixture
    def index(self, tmp_path: Path, rows: EvenRows) -> ExactVectors:
        """Beside an empty folder."""
        return ExactVectors(tmp_path, "a store/1", DIMENSION, rows, read_only=True)
