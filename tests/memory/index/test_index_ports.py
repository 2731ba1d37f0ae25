"""Tantivy and the codes of vectors keep the contracts of the two ports."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Protocol

import pytest

from memd.memory.index import ports
from memd.memory.index.engines import ENGINES, EngineName, open_engine
from memd.memory.index.exact_vectors import ExactVectors
from memd.memory.index.tantivy_text import TantivyText
from memd.memory.index.weaviate.settings import WeaviateSettings
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


def test_a_port_has_ten_members_at_most() -> None:
    """What a search needs, beside one life that all have."""
    protocols = {name: each for name, each in vars(ports).items() if isinstance(each, type) and is_protocol(each)}
    members = {name: [each for each in vars(port) if not each.startswith("_")] for name, port in protocols.items()}
    assert {"Index", "TextIndex", "VectorIndex", "FactIndex", "VectorRows", "Indexes"} <= members.keys()
    assert {name: found for name, found in members.items() if len(found) > 10} == {}


def test_each_engine_is_opened_by_its_name(tmp_path: Path) -> None:
    """One list of names; each returns indexes that say the same name."""
    sections: dict[EngineName, object] = {"weaviate": WeaviateSettings()}
    for name in ENGINES:
        assert open_engine(name, tmp_path, sections.get(name), "", read_only=False).name == name


def is_protocol(each: type) -> bool:
    """Whether it is one, and no implementation."""
    return bool(getattr(each, "_is_protocol", False)) and each is not Protocol
