"""One Weaviate for all tests of a worker, and on it a memory of each test's own."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator
from uuid import uuid4

import pytest

from memd.tests.weaviate_server.node import Node


@pytest.fixture(scope="session")
def weaviate_node(tmp_path_factory: pytest.TempPathFactory) -> Generator[Node]:
    """A node."""
    with Node(tmp_path_factory.mktemp("weaviate")) as node:
        yield node


@pytest.fixture
async def weaviate_server(weaviate_node: Node) -> AsyncGenerator[object]:
    """A connection of a new memory."""
    from memd.memory.index.weaviate.server import WeaviateServer
    from memd.memory.index.weaviate.settings import Connection

    node = weaviate_node
    settings = Connection(
        f"test-{uuid4().hex}", port=node.port, grpc_port=node.grpc_port, api_key=node.key, query_seconds=30
    )
    server = WeaviateServer(settings)
    yield server
    await server.close()
