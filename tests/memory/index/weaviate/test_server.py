"""What a Weaviate server may do to an index: lose hits, be another memory's, die, come back, come back empty."""

from __future__ import annotations

import shutil
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, Literal

import anyio
import pytest
from weaviate.classes.tenants import Tenant, TenantActivityStatus

from memd.memory.index.errors import IndexServerError, UnreachableServerError
from memd.memory.index.weaviate import batches, schema, tenant_index
from memd.memory.index.weaviate.batches import Item, put
from memd.memory.index.weaviate.heads import read_head, tenant_of
from memd.memory.index.weaviate.rows import object_id, text_properties
from memd.memory.index.weaviate.schema import MESSAGES
from memd.memory.index.weaviate.server import Place, WeaviateServer
from memd.memory.index.weaviate.settings import Connection
from memd.memory.index.weaviate.text import WeaviateText
from memd.memory.index.weaviate.vectors import WeaviateVectors
from memd.tests.contracts.text_index import FIELDS, TEXTS, rows_of
from memd.tests.contracts.vector_index import DIMENSION, EvenRows, matrix_of
from memd.tests.weaviate_server.node import Node, why_not

pytestmark = [pytest.mark.slow, pytest.mark.anyio, pytest.mark.skipif(bool(why_not()), reason=why_not())]

KILLS = 5
SEED = 15


def settings_of(node: Node, memory: str = "memory") -> Connection:
    """A memory on a node."""
    return Connection(memory, port=node.port, grpc_port=node.grpc_port, api_key=node.key, query_seconds=30)


@pytest.fixture
async def index(weaviate_server: WeaviateServer) -> AsyncGenerator[WeaviateText]:
    """Of a new memory."""
    index = WeaviateText(weaviate_server, "a-store/1")
    await index.open(1_000)
    yield index
    await index.close()


async def flush(server: WeaviateServer, tenant: str) -> None:
    """Make the server write what it has in memory."""
    for status in (TenantActivityStatus.INACTIVE, TenantActivityStatus.ACTIVE):
        await server.write(
            lambda client, s=status: client.collections.use(MESSAGES).tenants.update(
                Tenant(name=tenant, activity_status=s)
            )
        )


async def test_a_server_that_loses_hits_of_filtered_searches_is_refused(tmp_path: Path) -> None:
    """The error names the setting that ends it, and nothing is asked of the server afterwards."""
    with Node(tmp_path, {"USE_BLOCKMAX_WAND": "true"}) as node:
        server = WeaviateServer(settings_of(node))
        index = WeaviateText(server, "a-store/1")
        with pytest.raises(IndexServerError) as refused:
            await index.open(1_000)
        assert "USE_BLOCKMAX_WAND=false" in refused.value.hint
        with pytest.raises(IndexServerError):
            await index.search(FIELDS, ["lamp"], None, 5)
        await server.close()


async def test_among_is_exact_after_flushes_and_rewrites(index: WeaviateText, weaviate_server: WeaviateServer) -> None:
    """Objects on disk, replaced, removed: a search among all rows gives what a search without gives, of every row."""
    row = rows_of(4)[0]
    rows = [replace(row, chunk=number) for number in range(1, 301)]
    await index.update([], rows, 1)
    tenant = tenant_of(weaviate_server.settings.memory, 1)
    for turn in range(2, 5):
        await flush(weaviate_server, tenant)
        await index.update([each.chunk for each in rows[::turn]], rows[::turn], turn)
    gone = range(1, 301, 3)
    await index.update(list(gone), [], 9)
    left = set(range(1, 301)) - set(gone)
    everything = await index.search(FIELDS, ["red", "ferry"], None, 1_000)
    among = await index.scores(FIELDS, ["red", "ferry"], None, list(range(1, 301)))
    for field in FIELDS:
        assert {number for number, _ in everything[field]} == left
        assert dict(among[field]) == pytest.approx(dict(everything[field]))
    assert await index.rows() == left


async def test_what_is_held_otherwise_is_found(index: WeaviateText, weaviate_server: WeaviateServer) -> None:
    """Somebody changes a text, removes an object: a comparison by hashes names both, and no other."""
    rows = rows_of(1, 2, 3, 4, 5)
    await index.update([], rows, 7)
    assert await index.differing(rows) == set()
    place = Place(MESSAGES, tenant_of(weaviate_server.settings.memory, 1))
    await weaviate_server.write(
        lambda client: weaviate_server.collection(client, place).data.update(object_id(2), {"lexical": "another"})
    )
    await weaviate_server.write(
        lambda client: weaviate_server.collection(client, place).data.delete_by_id(object_id(4))
    )
    assert await index.differing(rows) == {2, 4}


async def test_a_batch_that_a_server_refuses_is_sent_again_as_a_whole(
    index: WeaviateText,
    weaviate_server: WeaviateServer,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A read-only server refuses all objects and reports the first alone. No log has a word of an object."""
    tenant = tenant_of(weaviate_server.settings.memory, 1)

    async def set_status(status: Literal["READY", "READONLY"]) -> None:
        await weaviate_server.write(
            lambda client: client.collections.use(MESSAGES).config.update_shards(status, tenant)
        )

    async def make_room(_seconds: float) -> None:
        await set_status("READY")

    await index.update([], rows_of(1), 1)
    await set_status("READONLY")
    with monkeypatch.context() as patch, caplog.at_level("INFO"):
        patch.setattr(batches.anyio, "sleep", make_room)
        await index.update([], rows_of(2, 3, 4), 2)
    assert await index.rows() == {1, 2, 3, 4}
    assert "again" in caplog.text
    assert not [word for word in ("lamp", "ferry") if word in caplog.text]


async def test_what_may_be_half_written_is_indexed_anew(index: WeaviateText, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a failure, and after opening, each object is put with another vector before: a server skips equal objects."""
    vectors: list[bool] = []

    async def failing(server: WeaviateServer, place: Place, items: Sequence[Item]) -> None:
        vectors.append(items[0].vector is not None)
        if len(vectors) == 2:
            raise IndexServerError("killed")
        await put(server, place, items)

    monkeypatch.setattr(tenant_index, "put", failing)
    await index.update([], rows_of(1), 1)
    with pytest.raises(IndexServerError):
        await index.update([], rows_of(2, 3), 2)
    await index.update([], rows_of(2, 3), 2)
    await index.update([], rows_of(4), 3)
    await index.open(1_000)
    await index.update([], rows_of(5), 4)
    assert vectors == [False, False, True, False, False, True, False]
    assert await index.differing(rows_of(1, 2, 3, 4, 5)) == set()
    assert len((await index.search(FIELDS, ["red"], None, 9))["wide"]) == 5


@pytest.mark.long
@pytest.mark.timeout(900)
async def test_a_killed_server_loses_nothing_that_it_is_sent_again(tmp_path: Path) -> None:
    """Killed at random instants of an update, then sent the same again: searches find every row by its words and by its vector."""
    chance, rows = Random(SEED), [replace(rows_of(4)[0], chunk=number) for number in range(1, 601)]
    numbers = [row.chunk for row in rows]
    with Node(tmp_path) as node:
        for turn in range(KILLS):
            server = WeaviateServer(settings_of(node, f"memory{turn}"))
            words = WeaviateText(server, "a-store/1")
            near = WeaviateVectors(server, "a-store/1", "a model", DIMENSION, EvenRows())
            await words.open(1_000)
            await near.open(1_000)

            async def update(part: slice, sequence: int, words: WeaviateText = words) -> None:
                await words.update([], rows[part], sequence)

            async def update_near(part: slice, sequence: int, near: WeaviateVectors = near) -> None:
                await near.update([], numbers[part], numbers[part], matrix_of(*numbers[part]), sequence)

            async def tried(call: Callable[[slice, int], Awaitable[None]]) -> None:
                with suppress(IndexServerError):
                    await call(slice(5, None), 2)

            await update(slice(5), 1)
            await update_near(slice(5), 1)
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(tried, update)
                tasks.start_soon(tried, update_near)
                await anyio.sleep(chance.uniform(0.02, 0.7))
                node.kill()
            node.start()
            await words.open(1_000)
            await near.open(1_000)
            await update(slice(5, None), 2)
            await update_near(slice(5, None), 2)
            assert len((await words.search(["lexical"], ["red"], None, 1_000))["lexical"]) == 600
            assert {row for row, _ in await near.search(matrix_of(1)[0], None, 1_000)} == set(numbers)
            await server.close()


async def test_vectors_of_an_older_definition_are_made_anew(
    weaviate_server: WeaviateServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In another collection; what the older one has of the memory goes."""
    with monkeypatch.context() as patch:
        patch.setattr(schema, "VECTORS_FORMAT", 1)
        older = schema.vectors_of("a model")
        index = WeaviateVectors(weaviate_server, "a-store/1", "a model", DIMENSION, EvenRows())
        await index.open(1_000)
        await index.update([], [1, 2], [1, 2], matrix_of(1, 2), 3)
    index = WeaviateVectors(weaviate_server, "a-store/1", "a model", DIMENSION, EvenRows())
    await index.open(1_000)
    assert (index.sequence, await index.rows()) == (0, set())
    assert await read_head(weaviate_server, older) is None
    assert not await schema.has_tenant(weaviate_server, Place(older, tenant_of(weaviate_server.settings.memory, 1)))


async def test_an_index_that_was_left_in_its_first_batch_begins_from_nothing(
    index: WeaviateText, weaviate_server: WeaviateServer
) -> None:
    """Its objects are perhaps of what was forgotten since, and no head tells of them."""
    place = Place(MESSAGES, tenant_of(weaviate_server.settings.memory, 1))
    await put(weaviate_server, place, [Item(object_id(row.chunk), text_properties(row)) for row in rows_of(1, 2)])
    assert await index.rows() == {1, 2}
    await index.open(1_000)
    assert (index.sequence, await index.rows()) == (0, set())
    await index.update([], rows_of(3), 4)
    await index.open(1_000)
    assert (index.sequence, await index.rows()) == (4, {3})


async def test_memories_of_one_server_do_not_see_each_other(
    index: WeaviateText, weaviate_server: WeaviateServer, weaviate_node: Node
) -> None:
    """Nothing of one is found through another; a memory whose name is taken by another store is refused, and loses nothing."""
    await index.update([], rows_of(1, 2, 3, 4, 5), 7)
    other = WeaviateServer(settings_of(weaviate_node, "another"))
    stranger = WeaviateText(other, "b-store/1")
    await stranger.open(1_000)
    assert await stranger.rows() == set()
    words = [word for text in TEXTS for word in text.split()]
    assert await stranger.search(FIELDS, words, None, 10) == {field: [] for field in FIELDS}
    await other.close()
    same = WeaviateText(weaviate_server, "b-store/1")
    with pytest.raises(IndexServerError) as refused:
        await same.open(1_000)
    assert "another one" in refused.value.message
    assert await index.rows() == {1, 2, 3, 4, 5}


async def test_a_question_that_fails_alone_keeps_no_other_from_the_server(
    index: WeaviateText, weaviate_server: WeaviateServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is too slow, or refused, fails by itself: the next is asked, and nobody opens the index anew."""
    await index.update([], rows_of(1, 2, 3), 7)
    read = weaviate_server.read
    for error in (UnreachableServerError("too slow"), IndexServerError("refused")):
        failures = [error]

        async def once(work: Any, failures: list[IndexServerError] = failures) -> Any:
            if failures:
                raise failures.pop()
            return await read(work)

        monkeypatch.setattr(weaviate_server, "read", once)
        with pytest.raises(IndexServerError):
            await index.search(["lexical"], ["lamp"], None, 5)
        assert (index.damaged, index.failure) == (False, None)
        found = await index.search(["lexical"], ["lamp"], None, 5)
        assert {row for row, _ in found["lexical"]} == {1, 2}


async def test_opening_keeps_what_a_rebuild_fills(index: WeaviateText, weaviate_server: WeaviateServer) -> None:
    """The index in use may fail and be opened anew, even have lost its tenant, while another one is filled beside it."""
    await index.update([], rows_of(1, 2), 3)
    fresh = await index.fresh()
    await fresh.update([], rows_of(3, 4), 5)
    await index.open(1_000)
    assert await fresh.rows() == {3, 4}
    memory = weaviate_server.settings.memory
    await schema.remove_tenants(weaviate_server, [Place(MESSAGES, tenant_of(memory, 1))])
    await index.open(1_000)
    assert (index.sequence, await index.rows(), await fresh.rows()) == (0, set(), {3, 4})
    await index.update([], rows_of(5), 1)
    await index.change_over(fresh)
    await fresh.close()
    assert (index.sequence, await index.rows()) == (5, {3, 4})
    await index.open(1_000)
    assert (index.sequence, await index.rows()) == (5, {3, 4})
    assert not weaviate_server.filling


async def test_a_server_that_hangs_is_not_waited_for(tmp_path: Path) -> None:
    """In the middle of a connection: the question ends in its time, with an error of ours, and the next one at once."""
    with Node(tmp_path) as node:
        server = WeaviateServer(replace(settings_of(node), query_seconds=2, write_seconds=2))
        index = WeaviateText(server, "a-store/1")
        await index.open(1_000)
        await index.update([], rows_of(1, 2, 3), 7)
        node.pause()
        try:
            for ask in (
                lambda: index.update([], rows_of(4), 8),
                lambda: index.search(FIELDS, ["lamp"], None, 5),
                lambda: index.open(1_000),
            ):
                with pytest.raises(UnreachableServerError):
                    await ask()
            with anyio.move_on_after(0.2) as given_up:  # whoever asked may leave at any time
                await server.write(lambda client: client.collections.list_all(simple=True))
            assert given_up.cancelled_caught
        finally:
            node.resume()
        server.settings = replace(server.settings, query_seconds=30, write_seconds=30)
        await index.open(1_000)
        assert {1, 2, 3} <= await index.rows() <= {1, 2, 3, 4}
        await server.close()


async def test_an_index_that_is_off_raises_another_error_each_time(tmp_path: Path) -> None:
    """One that was kept and raised again would grow by every question's traceback."""
    with Node(tmp_path) as node:
        server = WeaviateServer(replace(settings_of(node), query_seconds=3))
        index = WeaviateText(server, "a-store/1")
        await index.open(1_000)
        node.kill()
        raised: list[IndexServerError] = []
        for _ in range(3):
            with pytest.raises(UnreachableServerError) as failed:
                await index.search(FIELDS, ["lamp"], None, 5)
            raised.append(failed.value)
        assert len({id(each) for each in raised}) == 3
        assert len({each.message for each in raised}) == 1
        await server.close()


async def test_a_server_may_die_and_come_back_with_and_without_its_data(tmp_path: Path) -> None:
    """A dead one is told at once, and costs later questions no wait; the same data goes on; lost data begins anew, from nothing."""
    damaged: list[bool] = []
    with Node(tmp_path) as node:
        server = WeaviateServer(replace(settings_of(node), query_seconds=3))
        index = WeaviateText(server, "a-store/1", lambda: damaged.append(True))
        await index.open(1_000)
        await index.update([], rows_of(1, 2, 3), 7)
        near = WeaviateVectors(server, "a-store/1", "a model", DIMENSION, EvenRows())
        await near.open(1_000)
        await near.update([], [1, 2, 3], [1, 2, 3], matrix_of(1, 2, 3), 7)
        node.kill()
        with pytest.raises(UnreachableServerError):
            await index.search(FIELDS, ["lamp"], None, 5)
        assert (index.damaged, damaged) == (True, [True])
        with pytest.raises(UnreachableServerError):
            await index.search(FIELDS, ["lamp"], None, 5)
        with pytest.raises(UnreachableServerError):
            await index.open(1_000)
        node.start()
        await index.open(1_000)
        assert (index.damaged, index.sequence, await index.rows()) == (False, 7, {1, 2, 3})
        assert {row for row, _ in await near.search(matrix_of(9)[0], None, 5)} == {1, 2, 3}
        node.kill()
        shutil.rmtree(tmp_path / "data")
        node.start()
        with pytest.raises(IndexServerError):
            await index.update([4], rows_of(4), 8)
        await index.open(1_000)
        assert (index.damaged, index.sequence, await index.rows()) == (False, 0, set())
        await server.close()
