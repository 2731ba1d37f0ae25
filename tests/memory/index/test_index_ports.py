"""Tantivy and usearch keep the contracts of the two ports."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from memd.memory.index.ports import VectorIndex
from memd.memory.index.tantivy_text import TantivyText
from memd.memory.index.usearch_vectors import UsearchVectors
from memd.tests.contracts.text_index import TextIndexContract
from memd.tests.contracts.vector_index import DIMENSION, EvenRows, VectorIndexContract, matrix_of


class TestTantivyText(TextIndexContract):
    """The whole suite."""

    @pytest.fixture
    def index(self, tmp_path: Path) -> Generator[TantivyText]:
        """In a folder of its own, of a store that is always ahead."""
        index = TantivyText(tmp_path / "words", "a store/1", lambda: 1_000, read_only=False)
        yield index
        index.close_here()


class TestUsearchVectors(VectorIndexContract):
    """The whole suite."""

    @pytest.fixture
    def index(self, tmp_path: Path) -> UsearchVectors:
        """In a folder of its own."""
        return UsearchVectors(tmp_path, "a store/1", DIMENSION, EvenRows(40), read_only=False)

    async def test_what_came_since_the_snapshot_is_unsaved(self, index: VectorIndex) -> None:
        """Until it is saved, or left for the next owner."""
        await index.update([1], [1], matrix_of(1), 4)
        assert index.unsaved > 0
        await index.leave()
        assert index.unsaved == 0
