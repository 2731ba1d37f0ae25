"""Three nodes that hold every object each: the contracts of the two ports, the state machine of the store, a node that is killed, and
one whose disk is gone.
"""

from __future__ import annotations

import shutil
from collections.abc import AsyncGenerator, Generator
from dataclasses import replace
from uuid import uuid4

import anyio
import pytest

from memd.memory.index.errors import IndexServerError
from memd.memory.index.weaviate.server import WeaviateServer
from memd.memory.index.weaviate.settings import Connection
from memd.memory.index.weaviate.text import WeaviateText
from memd.memory.index.weaviate.vectors import WeaviateVectors
from memd.tests import effort
from memd.tests.contracts.text_index import FIELDS, TextIndexContract, rows_of
from memd.tests.contracts.vector_index import DIMENSION, EvenRows, VectorIndexContract, asked, matrix_of
from memd.tests.memory.index.weaviate.store_machine import run_stories
from memd.tests.weaviate_server.cluster import NODES, Cluster
from memd.tests.weaviate_server.node import Node, why_not

ATTEMPTS = 10
REPAIRED_WITHIN = 180
"""Seconds in which a node that comes back gets what it lacks; the others compare every 30."""
REAL = [pytest.mark.long, pytest.mark.anyio, pytest.mark.skipif(bool(why_not()), reason=why_not())]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Generator[Cluster]:
    """For all tests of this file."""
    with Cluster(tmp_path_factory.mktemp("cluster")) as cluster:
        yield cluster


def connection(node: Node, memory: str) -> WeaviateServer:
    """To one of the nodes, at a quorum."""
    return WeaviateServer(
        Connection(memory, port=node.port, grpc_port=node.grpc_port, api_key=node.key, query_seconds=30, replicas=NODES)
    )


@pytest.fixture
async def server(cluster: Cluster) -> AsyncGenerator[WeaviateServer]:
    """A connection of a new memory to the second node."""
    server = connection(cluster.nodes[1], f"test-{uuid4().hex}")
    yield server
    await server.close()


def words_of(server: WeaviateServer) -> WeaviateText:
    """Of a store that is always ahead."""
    return WeaviateText(server, "a-store/1")


def vectors_of(server: WeaviateServer, rows: EvenRows | None = None) -> WeaviateVectors:
    """Of a model of the tests."""
    return WeaviateVectors(server, "a-store/1", "a model", DIMENSION, rows or EvenRows())


async def opened(server: WeaviateServer) -> tuple[WeaviateText, WeaviateVectors]:
    """Both, opened."""
    words, vectors = words_of(server), vectors_of(server)
    await words.open(1_000)
    await vectors.open(1_000)
    return words, vectors


class TestWeaviateText(TextIndexContract):
    """The whole suite."""

    pytestmark = REAL

    @pytest.fixture
    async def index(self, server: WeaviateServer) -> AsyncGenerator[WeaviateText]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Of a store that is always ahead."""
        index = words_of(server)
        await index.open(1_000)
        yield index
        await index.close()


class TestWeaviateVectors(VectorIndexContract):
    """The whole suite."""

    pytestmark = REAL

    @pytest.fixture
    async def index(self, server: WeaviateServer, rows: EvenRows) -> WeaviateVectors:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Of a model of the tests."""
        index = vectors_of(server, rows)
        await index.open(1_000)
        return index


@pytest.mark.long
@pytest.mark.skipif(bool(why_not()), reason=why_not())
def test_the_store_is_a_plain_model_on_three_nodes(cluster: Cluster) -> None:
    """The same stories as in files, told to the second node."""
    run_stories(cluster.nodes[1], effort.examples(10), replicas=NODES)


@pytest.mark.long
@pytest.mark.anyio
@pytest.mark.skipif(bool(why_not()), reason=why_not())
async def test_a_node_whose_disk_is_gone_gets_everything_again(cluster: Cluster) -> None:
    """It starts with an empty folder and joins under its name; what the others hold comes to it by itself."""
    memory = f"test-{uuid4().hex}"
    server = connection(cluster.nodes[0], memory)
    words, vectors = await opened(server)
    await words.update([], rows_of(1, 2, 3, 4, 5), 5)
    await vectors.update([1, 2, 3, 4], [1, 2, 3, 4], [1, 2, 3, 4], matrix_of(1, 2, 3, 4), 5)
    lost = cluster.nodes[2]
    lost.kill()
    shutil.rmtree(lost.folder / "data")
    lost.start()
    await until_held(lost, memory, {1, 2, 3, 4, 5}, 5)
    assert {row for row, _ in await vectors.search(asked(), None, 10)} == {1, 2, 3, 4}
    await server.close()


async def until_held(node: Node, memory: str, rows: set[int], number: int) -> None:
    """Wait until this node alone gives these rows, and its head this number."""
    server = WeaviateServer(replace(connection(node, memory).settings, consistency="ONE"))
    index = WeaviateText(server, "a-store/1", read_only=True)
    with anyio.fail_after(REPAIRED_WITHIN):
        while True:
            try:
                await index.open(1_000)
                if await index.rows() == rows:
                    break
            except IndexServerError:
                pass  # the head, or the tenant, is not there yet
            await anyio.sleep(0.5)
    assert index.sequence == number
    await server.close()


@pytest.mark.long
@pytest.mark.anyio
@pytest.mark.skipif(bool(why_not()), reason=why_not())
async def test_a_node_may_die(cluster: Cluster) -> None:
    """With one of three killed, writes and questions go on; back again, it alone gives what was written without it."""
    memory = f"test-{uuid4().hex}"
    server = connection(cluster.nodes[0], memory)
    words, vectors = await opened(server)
    await words.update([], rows_of(1, 2), 3)
    await vectors.update([1, 2], [1, 2], [1, 2], matrix_of(1, 2), 3)
    cluster.nodes[2].kill()

    async def write() -> None:
        await words.open(1_000)
        await words.update([], rows_of(3, 4, 5), 5)
        await vectors.open(1_000)
        await vectors.update([3, 4], [3, 4], [3, 4], matrix_of(3, 4), 5)

    # Until the others know that it is gone, they may wait for it; what follows a store tries again, too.
    for attempt in range(ATTEMPTS):
        try:
            await write()
            break
        except IndexServerError:
            assert attempt < ATTEMPTS - 1
    found = await words.search(FIELDS, ["lamp", "ferry", "candles"], None, 10)
    assert {row for row, _ in found["lexical"]} == {1, 2, 3, 4, 5}
    assert {row for row, _ in await vectors.search(asked(), None, 10)} == {1, 2, 3, 4}
    cluster.nodes[2].start()
    await until_held(cluster.nodes[2], memory, {1, 2, 3, 4, 5}, 5)
    await server.close()
