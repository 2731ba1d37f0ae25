"""Progress: never waits for a reader, always delivers the last word, counts only grow."""

from __future__ import annotations

import anyio
import anyio.lowlevel
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.daemon.pipeline.progress import KEPT, ProgressHub
from memd.schemas import ProgressUpdate

pytestmark = pytest.mark.anyio


def at(count: int, run: str = "r", *, last: bool = False) -> ProgressUpdate:
    """A state of a run."""
    return ProgressUpdate(run=run, stage="done" if last else "storing", processed=count, outcome="ok" if last else None)


async def everything(hub: ProgressHub, run: str | None = "r") -> list[ProgressUpdate]:
    """All that a follower gets."""
    async with hub.follow(run) as updates:
        return [update async for update in updates]


async def test_a_slow_reader_gets_the_newest_and_the_last() -> None:
    """A flood leaves it one update of the middle, the newest, and the end."""
    hub = ProgressHub()
    async with hub.follow("r") as updates:
        for count in range(10_000):
            hub.publish(at(count))
        assert (await updates.receive()).processed == 9_999
        for count in range(10_000, 20_000):
            hub.publish(at(count))
        hub.publish(at(20_000, last=True))
        last = await updates.receive()
        assert (last.processed, last.terminal) == (20_000, True)
        with pytest.raises(anyio.EndOfStream):
            await updates.receive()


async def test_a_dead_reader_harms_nobody() -> None:
    """One that never reads, and one that was cancelled while it waited; the others get everything."""
    hub = ProgressHub()
    async with hub.follow("r"), anyio.create_task_group() as tasks:
        waiting = anyio.CancelScope()

        async def die() -> None:
            with waiting:
                await everything(hub)

        tasks.start_soon(die)
        await anyio.wait_all_tasks_blocked()
        waiting.cancel()
        await anyio.wait_all_tasks_blocked()
        got: list[list[ProgressUpdate]] = []

        async def read() -> None:
            got.append(await everything(hub))

        for _ in range(20):
            tasks.start_soon(read)
        await anyio.wait_all_tasks_blocked()
        for count in range(100):
            hub.publish(at(count))
            await anyio.lowlevel.checkpoint()
        hub.publish(at(100, last=True))
        await anyio.wait_all_tasks_blocked()
        assert len(got) == 20
        assert all(updates[-1].terminal for updates in got)


async def test_who_comes_late_gets_the_last_word() -> None:
    """Of a run that has ended at once; of one that is forgotten, nothing but the end of the hub."""
    hub = ProgressHub()
    hub.publish(at(5, last=True))
    with anyio.fail_after(30):
        assert [update.processed for update in await everything(hub)] == [5]
    for number in range(KEPT + 1):
        hub.publish(at(1, f"other {number}", last=True))
    assert hub.last("r") is None
    hub.close()
    with anyio.fail_after(30):
        assert await everything(hub) == []


async def test_nothing_follows_the_last_word() -> None:
    """A later update of an ended run is dropped."""
    hub = ProgressHub()
    hub.publish(at(5, last=True))
    hub.publish(at(6))
    hub.publish(at(7, last=True))
    last = hub.last("r")
    assert last is not None
    assert last.processed == 5


async def test_one_may_follow_all_runs() -> None:
    """Runs that go on are told at once, ended ones not; each that ends is told; the hub's end is the end."""
    hub = ProgressHub()
    hub.publish(at(1, "old", last=True))
    hub.publish(at(2, "now"))
    async with hub.follow() as updates:
        assert (await updates.receive()).run == "now"
        for number in range(5):
            hub.publish(at(number, f"run {number}", last=True))
        hub.publish(at(3, "now"))
        hub.close()
        told = [update async for update in updates]
    assert {update.run for update in told} == {"now", *(f"run {number}" for number in range(5))}
    assert [update.run for update in hub.active()] == ["now"]


@pytest.mark.slow
@given(steps=st.lists(st.tuples(st.integers(0, 3), st.booleans()), max_size=60))
def test_what_a_reader_sees_only_grows_and_ends(steps: list[tuple[int, bool]]) -> None:
    """Whenever it reads between whatever is sent: its counts never fall, and the last update is the run's."""

    async def story() -> None:
        hub = ProgressHub()
        seen: list[ProgressUpdate] = []
        count = 0
        async with hub.follow("r") as updates:
            unread = False
            for grown, reads in steps:
                count += grown
                hub.publish(at(count))
                unread = True
                if reads and unread:
                    seen.append(await updates.receive())
                    unread = False
            hub.publish(at(count + 1, last=True))
            seen.extend([update async for update in updates])
        values = [update.processed for update in seen]
        assert values == sorted(values)
        assert seen[-1].terminal
        assert seen[-1].processed == count + 1

    anyio.run(story)
