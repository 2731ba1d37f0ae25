"""The queue of jobs: one run of a job at a time, a few jobs beside each other, retries that grow rarer."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import anyio
import pytest
from anyio.lowlevel import checkpoint

from memd.daemon.scheduler import job_queue
from memd.daemon.scheduler.job_queue import JobQueue, JobRequest, RunOutcome, Waiting
from memd.memory.supervision import Workers
from memd.schemas.errors import StoreError

pytestmark = pytest.mark.anyio
DUE = datetime(2024, 1, 15, 3, 0, tzinfo=UTC)


class Shop:
    """Jobs that run until they are let go."""

    def __init__(self) -> None:
        self.begun: list[JobRequest] = []
        self.skipped: list[JobRequest] = []
        self.going = 0
        self.most = 0
        self.gate = anyio.Event()
        self.fails = 0
        self.retries = 0
        self.outcome = RunOutcome()
        self.queue = JobQueue(self._perform, self._skip)

    async def _perform(self, asked: JobRequest) -> RunOutcome:
        self.begun.append(asked)
        self.going += 1
        self.most = max(self.most, self.going)
        try:
            await self.gate.wait()
            if self.fails:
                self.fails -= 1
                raise StoreError("the disk is full")
            if self.retries:
                self.retries -= 1
                return replace(self.outcome, retry=True)
            return self.outcome
        finally:
            self.going -= 1

    async def _skip(self, asked: JobRequest) -> None:
        self.skipped.append(asked)


@asynccontextmanager
async def shop(workers: int = 2) -> AsyncGenerator[Shop]:
    """A queue with workers."""
    found = Shop()
    async with anyio.create_task_group() as tasks:
        for number in range(workers):
            Workers().start(tasks, str(number), found.queue.work)
        yield found
        tasks.cancel_scope.cancel()


async def quiet(times: int = 30) -> None:
    """Let everything happen that can."""
    for _ in range(times):
        await checkpoint()


async def test_a_job_never_runs_twice_at_once() -> None:
    """A second request waits, a third is the second; another job runs beside, and no more than there are workers."""
    async with shop() as found:
        first = found.queue.request("a", "sync")
        await quiet()
        second = found.queue.request("a", "sync")
        assert found.queue.request("a", "watch", again=True) is second
        assert second.again
        others = [found.queue.request(name, "sync") for name in ("b", "c")]
        await quiet()
        assert [each.job for each in found.begun] == ["a", "b"]
        assert (found.queue.state_of("a"), found.queue.state_of("c")) == ("running", "waiting")
        found.gate.set()
        with anyio.fail_after(60):
            for each in (first, second, *others):
                await each.done.wait()
        assert sorted(each.job for each in found.begun) == ["a", "a", "b", "c"]
        assert found.most == 2
        assert found.queue.state_of("a") == ""


async def test_a_due_time_during_a_run_is_left_out() -> None:
    """It is told, so that it is not made up later; what waits already takes the due time over."""
    async with shop() as found:
        found.queue.request("a", "schedule", DUE)
        await quiet()
        late = found.queue.request("a", "schedule", DUE)
        with anyio.fail_after(60):
            await late.done.wait()
        assert (found.skipped, late.error) == ([late], "still running")
        waiting = found.queue.request("a", "sync")
        assert found.queue.request("a", "schedule", DUE) is waiting
        assert waiting.due == DUE


@pytest.mark.slow
async def test_what_fails_is_tried_again_rarer_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """After an error, and where the job asks for it; a success ends that."""
    monkeypatch.setattr(job_queue, "RETRY_SECONDS", (0.01, 0.02, 0.03))
    async with shop(1) as found:
        found.gate.set()
        found.fails, found.retries = 1, 2
        first = found.queue.request("a", "schedule", DUE)
        with anyio.fail_after(60):
            await first.done.wait()
            while len(found.begun) < 4:
                await anyio.sleep(0.01)
        assert first.error == "the disk is full"
        assert [each.trigger for each in found.begun] == ["schedule", "retry", "retry", "retry"]
        await anyio.sleep(0.2)
        assert len(found.begun) == 4


async def test_a_job_that_is_gone_begins_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither what waits nor a retry; whoever waits for it is told."""
    monkeypatch.setattr(job_queue, "RETRY_SECONDS", (0.05,))
    async with shop(1) as found:
        found.queue.request("a", "sync")
        await quiet()
        waiting = found.queue.request("b", "sync")
        found.queue.forget("b")
        with anyio.fail_after(60):
            await waiting.done.wait()
        assert waiting.error
        found.retries = 1
        found.gate.set()
        await quiet()
        found.queue.forget("a")
        await anyio.sleep(0.2)
        assert [each.job for each in found.begun] == ["a"]


async def test_a_request_that_joins_another_is_told_in_the_history() -> None:
    """A run that a person waits for, or that was due, is not one of those that leave no line when nothing was new."""
    async with shop(1) as found:
        found.queue.request("a", "sync")
        await quiet()
        waiting = found.queue.request("b", "watch")
        assert found.queue.request("b", "schedule", DUE) is waiting
        assert (waiting.trigger, waiting.due) == ("schedule", DUE)
        assert found.queue.request("b", "sync").trigger == "sync"
        assert found.queue.request("b", "retry").trigger == "sync"


@pytest.mark.slow
async def test_a_job_may_say_how_soon_it_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not sooner than the source wants it."""
    monkeypatch.setattr(job_queue, "RETRY_SECONDS", (0.01,))
    async with shop(1) as found:
        found.retries = 1
        found.outcome = RunOutcome(retry_after_s=0.4)
        found.queue.request("a", "sync")
        found.gate.set()
        began = anyio.current_time()
        with anyio.fail_after(60):
            while len(found.begun) < 2:
                await anyio.sleep(0.01)
        assert anyio.current_time() - began >= 0.4


async def test_a_job_that_is_paused_while_it_runs_is_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Though the run asks for it at its end."""
    monkeypatch.setattr(job_queue, "RETRY_SECONDS", (0.01,))
    async with shop(1) as found:
        found.retries = 1
        found.queue.request("a", "sync")
        await quiet()
        found.queue.forget("a")
        found.gate.set()
        await anyio.sleep(0.2)
        assert len(found.begun) == 1


async def test_due_times_that_are_left_out_are_noted_in_their_order() -> None:
    """The last of them is what is remembered."""
    async with shop(1) as found:
        found.queue.request("a", "schedule", DUE)
        await quiet()
        late = [found.queue.request("a", "schedule", DUE + timedelta(hours=hour)) for hour in (1, 2, 3)]
        found.gate.set()
        with anyio.fail_after(60):
            for each in late:
                await each.done.wait()
        assert found.skipped == late


async def test_what_is_asked_for_while_a_due_time_is_noted_begins_at_once() -> None:
    """A free worker does not sleep over it."""
    noted, noting = anyio.Event(), anyio.Event()
    begun: list[str] = []
    hold = anyio.Event()

    async def perform(asked: JobRequest) -> RunOutcome:
        begun.append(asked.job)
        if asked.job == "long":
            await hold.wait()
        return RunOutcome()

    async def skip(_asked: JobRequest) -> None:
        noting.set()
        await noted.wait()

    queue = JobQueue(perform, skip)
    async with anyio.create_task_group() as tasks:
        for number in range(2):
            Workers().start(tasks, str(number), queue.work)
        queue.request("long", "schedule", DUE)
        await quiet()
        queue.request("long", "schedule", DUE)
        with anyio.fail_after(60):
            await noting.wait()
            queue.request("short", "sync")
            noted.set()
            while "short" not in begun:
                await anyio.sleep(0.01)
        hold.set()
        tasks.cancel_scope.cancel()


async def test_what_a_job_waits_for_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Inside its run, and until it is tried again, which is no later than it asked for, or than its server did; nothing of a
    job that waits for neither.
    """
    monkeypatch.setattr(job_queue, "RETRY_SECONDS", (3600.0,))
    async with shop(1) as found:
        asked = found.queue.request("a", "sync")
        await quiet()
        assert found.queue.waiting_for("a") is None
        asked.waiting = Waiting(anyio.current_time() + 5, "the server is away")
        assert found.queue.waiting_for("a") == asked.waiting
        found.outcome = RunOutcome(retry=True, retry_within_s=900.0, why="the server is away")
        found.gate.set()
        with anyio.fail_after(60):
            await asked.done.wait()
        told = found.queue.waiting_for("a")
        assert told is not None
        assert told.why == "the server is away"
        assert 800 < told.until - anyio.current_time() <= 900 * (1 + job_queue.RETRY_JITTER)
        found.outcome = RunOutcome(retry=True, retry_within_s=900.0, retry_after_s=7200.0)
        again = found.queue.request("a", "sync")
        with anyio.fail_after(60):
            await again.done.wait()
        told = found.queue.waiting_for("a")
        assert told is not None
        assert told.until - anyio.current_time() > 7000
        assert found.queue.waiting_for("b") is None


async def test_the_time_that_a_server_told_wins_over_the_schedule() -> None:
    """A due time before it is noted and left out; a person does not wait; when it has come, the job is tried."""
    async with shop(1) as found:
        found.gate.set()
        found.queue.hold("a", 3600.0, "too many requests")
        early = found.queue.request("a", "schedule", DUE)
        with anyio.fail_after(60):
            await early.done.wait()
        assert (found.skipped, found.begun) == ([early], [])
        person = found.queue.request("a", "sync")
        with anyio.fail_after(60):
            await person.done.wait()
        assert (found.begun, found.queue.waiting_for("a")) == ([person], None)
        found.queue.hold("a", 0.05, "too many requests")
        with anyio.fail_after(60):
            while len(found.begun) < 2:
                await anyio.sleep(0.01)
            await found.begun[1].done.wait()
        assert found.begun[1].trigger == "retry"
        late = found.queue.request("a", "schedule", DUE)
        with anyio.fail_after(60):
            await late.done.wait()
        assert late in found.begun
