"""Readers of progress over real sockets: slow ones, dead ones and late ones, beside a pipeline that never waits for them."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import pytest
from anyio.abc import SocketStream

from memd.daemon.app import open_app
from memd.daemon.http.limits import FOLLOWERS
from memd.daemon.service.service import Service
from memd.schemas import ProgressUpdate
from memd.tests.daemon.house import talk
from memd.tests.daemon.test_service import ingest, words_only

pytestmark = pytest.mark.anyio

FLOOD = 4000
"""Updates, each some hundred bytes: several times what a socket, and a server that waits for its reader, hold."""


@asynccontextmanager
async def served(folder: Path) -> AsyncGenerator[tuple[Service, Path]]:
    """A memory that serves its socket."""
    settings = words_only(folder / "d", socket=folder / "s", facts={"extractor": "off"})
    with anyio.fail_after(240):
        async with open_app(settings) as service:
            yield service, settings.socket


@asynccontextmanager
async def reader(path: Path, run: str | None = None) -> AsyncGenerator[SocketStream]:
    """A stream of progress, accepted and with nothing read but the head of the answer."""
    target = "/v1/progress" + (f"?run={run}" if run else "")
    async with await anyio.connect_unix(path) as stream:
        await stream.send(f"GET {target} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        head = b""
        while b": memd\n\n" not in head:
            head += await stream.receive(1)
        assert head.startswith(b"HTTP/1.1 200"), head
        yield stream


async def events(stream: SocketStream) -> AsyncIterator[dict[str, Any]]:
    """Updates, until the stream ends."""
    text = b""
    with suppress(anyio.EndOfStream, anyio.BrokenResourceError):
        while True:
            text += await stream.receive()
            *whole, text = text.split(b"\n\n")
            for event in whole:
                _, found, data = event.partition(b"data: ")
                if found:
                    yield json.loads(data.split(b"\r\n", 1)[0])


async def flood(service: Service, run: str) -> None:
    """Far more updates than anybody takes who does not read."""
    hub = service.pipeline.runs.hub
    for count in range(FLOOD):
        hub.publish(ProgressUpdate(run=run, stage="storing", processed=count, detail="x" * 300))
        await anyio.lowlevel.checkpoint()


@pytest.mark.slow
async def test_nobody_who_does_not_read_holds_up_an_ingest(tmp_path: Path) -> None:
    """Streams that are full to the brim: documents are accepted, stored and found all the same, and a reader that reads
    gets the last word of every run.
    """
    async with served(tmp_path) as (service, path), AsyncExitStack() as stack:
        for _ in range(20):
            await stack.enter_async_context(reader(path))
        alert = await stack.enter_async_context(reader(path))
        ended: list[str] = []
        last: list[ProgressUpdate] = []

        async def read() -> None:
            async for update in events(alert):
                if update.get("outcome"):
                    ended.append(update["run"])  # noqa: PERF401 - each as it comes: the reader never ends by itself

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(read)
            await flood(service, "another")
            last += [(await ingest(service, talk(str(number), 30))) for number in range(5)]
            while len(ended) < 5:
                await anyio.sleep(0.01)
            tasks.cancel_scope.cancel()
        assert [update.outcome for update in last] == ["ok"] * 5
        assert ended == [update.run for update in last]
        assert (await service.stats())["messages"] == 150


@pytest.mark.slow
async def test_the_last_word_reaches_who_reads_late(tmp_path: Path) -> None:
    """A follower that reads nothing until its run has ended: few of the updates were kept for it, and the last is the end."""
    async with served(tmp_path) as (service, path):
        run = await service.pipeline.begin("tests")
        async with reader(path, run) as slow, reader(path) as of_all:
            await flood(service, run)
            await service.pipeline.accept(run, [talk("a", 3)])
            await service.pipeline.finish(run)
            await service.pipeline.runs.wait(run, "vectors")
            got = [update async for update in events(slow)]
            assert (got[-1]["outcome"], got[-1]["added"]) == ("ok", 3)
            assert len(got) < FLOOD
            async for update in events(of_all):
                if update.get("outcome"):
                    assert update == got[-1]
                    break


@pytest.mark.slow
async def test_a_late_reader_sees_the_present_state_first(tmp_path: Path) -> None:
    """Of the run that it follows, of all runs that go on, and of a run that has ended: at once, with nothing published."""
    async with served(tmp_path) as (service, path):
        first, second = [await service.pipeline.begin("tests") for _ in range(2)]
        await service.pipeline.accept(first, [talk("a", 4)])
        await service.pipeline.drain()
        async with reader(path, first) as stream:
            update = await anext(events(stream))
            assert (update["run"], update["processed"], update["added"]) == (first, 4, 4)
        async with reader(path) as stream:
            told = events(stream)
            assert {(await anext(told))["run"] for _ in range(2)} == {first, second}
        await service.pipeline.finish(first)
        await service.pipeline.runs.wait(first, "vectors")
        async with reader(path, first) as stream:
            assert [update["outcome"] async for update in events(stream)] == ["ok"]
        async with reader(path) as stream:
            assert (await anext(events(stream)))["run"] == second


@pytest.mark.slow
async def test_readers_that_vanish_leave_their_places(tmp_path: Path) -> None:
    """Twice as many as there are places come and go, with unread updates or without; the next is let in."""
    async with served(tmp_path) as (service, path):
        run = await service.pipeline.begin("tests")
        state = service.pipeline.runs.open(run)
        for number in range(2 * FOLLOWERS):
            async with reader(path):
                state.processed = number
                service.pipeline.runs.tell(state)
        async with reader(path) as stream:
            assert (await anext(events(stream)))["run"] == run
        await service.pipeline.finish(run)
