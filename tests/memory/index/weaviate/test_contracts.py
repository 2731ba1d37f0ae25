"""Weaviate keeps the contracts of the two ports."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any

import pytest

from memd.memory.index.weaviate.server import WeaviateServer
from memd.memory.index.weaviate.text import WeaviateText
from memd.memory.index.weaviate.vectors import WeaviateVectors
from memd.tests.contracts.text_index import FIELDS, TextIndexContract, rows_of
from memd.tests.contracts.vector_index import DIMENSION, EvenRows, VectorIndexContract
from memd.tests.weaviate_server.node import why_not

REAL = [pytest.mark.slow, pytest.mark.anyio, pytest.mark.skipif(bool(why_not()), reason=why_not())]


class TestWeaviateText(TextIndexContract):
    """The whole suite."""

    pytestmark = REAL

    @pytest.fixture
    async def index(self, weaviate_server: WeaviateServer) -> AsyncGenerator[WeaviateText]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Of a store that is always ahead."""
        index = WeaviateText(weaviate_server, "a-store/1")
        await index.open(1_000)
        yield index
        await index.close()

    async def test_a_search_in_all_fields_is_one_call(
        self, index: WeaviateText, weaviate_server: WeaviateServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Once the sample is there; the scores of other rows are another one."""
        await index.update([], rows_of(1, 2, 3, 4, 5), 1)
        await index.search(FIELDS, ["red"], None, 5)
        calls: list[object] = []
        read = weaviate_server.read

        async def counted(work: Callable[[Any], Awaitable[Any]]) -> Any:
            calls.append(work)
            return await read(work)

        monkeypatch.setattr(weaviate_server, "read", counted)
        assert await index.search(FIELDS, ["red", "ferry"], None, 5)
        assert len(calls) == 1
        await index.scores(FIELDS, ["red", "ferry"], None, [2, 5])
        assert len(calls) == 2


class TestWeaviateVectors(VectorIndexContract):
    """The whole suite."""

    pytestmark = REAL

    @pytest.fixture
    async def index(self, weaviate_server: WeaviateServer, rows: EvenRows) -> WeaviateVectors:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Of a model of the tests."""
        index = WeaviateVectors(weaviate_server, "a-store/1", "a model", DIMENSION, rows)
        await index.open(1_000)
        return index
