"""Weaviate keeps the contracts of the two ports."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import pytest

from memd.memory.index.weaviate.server import WeaviateServer
from memd.memory.index.weaviate.text import WeaviateText
from memd.memory.index.weaviate.vectors import WeaviateVectors
from memd.tests.contracts.text_index import TextIndexContract
from memd.tests.contracts.vector_index import DIMENSION, EvenRows, VectorIndexContract
from memd.tests.weaviate_server.node import why_not

REAL = [pytest.mark.slow, pytest.mark.anyio, pytest.mark.skipif(bool(why_not()), reason=why_not())]


class TestWeaviateText(TextIndexContract):
    """The whole suite."""

    pytestmark = REAL

    @pytest.fixture
    async def index(self, weaviate_server: WeaviateServer) -> AsyncGenerator[WeaviateText]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Of a store that is always ahead."""
        index = WeaviateText(weaviate_server, "a-store/1", lambda: 1_000)
        await index.reopen()
        yield index
        await index.close()


class TestWeaviateVectors(VectorIndexContract):
    """The whole suite."""

    pytestmark = REAL

    @pytest.fixture
    async def index(self, weaviate_server: WeaviateServer) -> WeaviateVectors:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Of a model of the tests."""
        index = WeaviateVectors(weaviate_server, "a-store/1", "a model", DIMENSION, EvenRows(40))
        await index.open(1_000)
        return index
