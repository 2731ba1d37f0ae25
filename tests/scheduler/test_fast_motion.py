"""Thirty nights in a second or two: each job is told exactly when it is due, whatever clocks and machine do."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random
from zoneinfo import ZoneInfo

import anyio
import pytest

from memd.daemon.scheduler.schedule import parse_schedule
from memd.daemon.scheduler.scheduler import Scheduler
from memd.tests.moved_clock import move_timetable

pytestmark = pytest.mark.anyio
BERLIN = ZoneInfo("Europe/Berlin")
STEP = timedelta(minutes=10)


class World:
    """A clock that is moved by hand, and a scheduler by it that notes what it is told."""

    last: World | None = None

    def __init__(self, now: datetime) -> None:
        World.last = self
        self.now = now.astimezone(UTC)
        self.told: list[tuple[str, datetime, datetime]] = []
        self.scheduler = Scheduler(self._due, lambda: self.now, Random(1))

    def _due(self, job: str, due: datetime) -> None:
        self.told.append((job, due, self.now))

    def add(self, job: str, text: str, last_due: datetime | None = None, **more: timedelta) -> None:
        """Schedule a job, for the first time now, or as it was before."""
        begun = (last_due or self.now).astimezone(UTC)
        self.scheduler.add(job, parse_schedule(text, BERLIN, begun), begun, **more)

    async def until(self, end: datetime, step: timedelta = STEP) -> None:
        """Let time pass."""
        while self.now < end:
            self.now = min(self.now + step, end.astimezone(UTC))
            await self.scheduler.tick()

    def local(self, job: str) -> list[str]:
        """Due times of a job on the wall."""
        return [f"{due.astimezone(BERLIN):%m-%d %H:%M}" for name, due, _ in self.told if name == job]


@pytest.fixture(autouse=True)
def clock_of_the_world(monkeypatch: pytest.MonkeyPatch) -> None:
    """The timetable goes by the clock of the last world; without one by the machine's."""
    World.last = None
    move_timetable(monkeypatch, lambda: datetime.now(UTC) if World.last is None else World.last.now)


async def in_world(now: datetime) -> World:
    """A world whose scheduler runs."""
    world = World(now)
    world.scheduler.start()
    return world


def at(month: int, day: int, hour: int = 0, minute: int = 0) -> datetime:
    """A time of 2026 in Berlin."""
    return datetime(2026, month, day, hour, minute, tzinfo=BERLIN)


@pytest.mark.slow
@pytest.mark.parametrize("begin", [at(3, 15), at(10, 10)], ids=["summer", "winter"])
async def test_thirty_nights_over_a_change_of_clocks(begin: datetime) -> None:
    """Nightly at a time that exists, nightly at one that does not or is there twice, every hour, every six hours."""
    world = await in_world(begin)
    for job, text in (("night", "0 3 * * *"), ("gap", "30 2 * * *"), ("hour", "0 * * * *"), ("six", "every 6h")):
        world.add(job, text)
    await world.until(begin + timedelta(days=30))
    days = {f"{(begin + timedelta(days=number)):%m-%d}" for number in range(30)}
    assert [each[:5] for each in world.local("night")] == sorted(days)
    assert [each[:5] for each in world.local("gap")] == sorted(days)
    assert {each[6:] for each in world.local("night")} == {"03:00"}
    assert {each[6:] for each in world.local("gap")} == {"02:30", *(["03:30"] if begin.month == 3 else [])}
    real = (begin + timedelta(days=30)).astimezone(UTC) - begin.astimezone(UTC)
    assert len(world.local("hour")) == real // timedelta(hours=1)
    assert len(world.local("six")) == real // timedelta(hours=6)
    assert all(now - due <= STEP for _, due, now in world.told)
    assert len({(job, due) for job, due, _ in world.told}) == len(world.told)


async def test_what_was_missed_is_made_up_once() -> None:
    """Asleep for three nights, and off for five: one run each, for the last night, as soon as the machine is up."""
    world = await in_world(at(5, 1, 12))
    world.add("night", "0 3 * * *")
    await world.until(at(5, 2, 12))
    world.now = at(5, 5, 9).astimezone(UTC)  # the machine slept: no tick, no timer
    await world.scheduler.tick()
    assert world.local("night") == ["05-02 03:00", "05-05 03:00"]
    await world.until(at(5, 6, 12))
    assert world.local("night")[2:] == ["05-06 03:00"]
    later = await in_world(at(5, 11, 8))  # a new process: the last due time is what it knows
    later.add("night", "0 3 * * *", last_due=at(5, 6, 3))
    await later.scheduler.tick()
    assert later.local("night") == ["05-11 03:00"]
    await later.until(at(5, 12, 8))
    assert later.local("night") == ["05-11 03:00", "05-12 03:00"]


async def test_a_run_that_is_too_late_is_left_out_where_that_is_wanted() -> None:
    """Within the grace it is made up."""
    world = await in_world(at(5, 5, 9))
    world.add("strict", "0 3 * * *", last_due=at(5, 1, 3), grace=timedelta(hours=2))
    world.add("patient", "0 3 * * *", last_due=at(5, 1, 3), grace=timedelta(hours=8))
    await world.scheduler.tick()
    assert (world.local("strict"), world.local("patient")) == ([], ["05-05 03:00"])
    await world.until(at(5, 6, 9))
    assert (world.local("strict"), world.local("patient")) == (["05-06 03:00"], ["05-05 03:00", "05-06 03:00"])


async def test_a_clock_that_is_set_back_a_little_repeats_nothing() -> None:
    """Ten minutes back over the due time."""
    world = await in_world(at(5, 1, 12))
    world.add("night", "0 3 * * *")
    await world.until(at(5, 2, 3, 1), timedelta(minutes=1))
    assert world.local("night") == ["05-02 03:00"]
    world.now = at(5, 2, 2, 51).astimezone(UTC)
    await world.until(at(5, 3, 12), timedelta(minutes=1))
    assert world.local("night") == ["05-02 03:00", "05-03 03:00"]


@pytest.mark.parametrize("restarted", [False, True])
async def test_a_clock_that_was_years_ahead_does_not_stop_a_job_for_years(restarted: bool) -> None:
    """It begins anew from the time that is right, in the same process and in the next."""
    world = await in_world(at(5, 1, 12) + timedelta(days=365 * 4))
    world.add("night", "0 3 * * *")
    await world.until(world.now + timedelta(days=1))
    (ahead,) = [due for _, due, _ in world.told]
    right = at(5, 1, 12)
    if restarted:
        world = await in_world(right)
        world.add("night", "0 3 * * *", last_due=ahead)
    world.now, world.told = right.astimezone(UTC), []
    await world.until(at(5, 4, 12))
    assert world.local("night") == ["05-02 03:00", "05-03 03:00", "05-04 03:00"]


@pytest.mark.slow
async def test_jitter_delays_and_never_repeats() -> None:
    """Up to half an hour late, on each of thirty nights, for the due time itself."""
    world = await in_world(at(5, 1, 12))
    world.add("night", "0 3 * * *", jitter=timedelta(minutes=30))
    await world.until(at(5, 31, 12), timedelta(minutes=1))
    assert len(world.told) == 30
    delays = [now - due for _, due, now in world.told]
    assert all(timedelta(0) <= delay <= timedelta(minutes=31) for delay in delays)
    assert len({delay // timedelta(minutes=5) for delay in delays}) > 2


async def test_a_job_may_go_and_change() -> None:
    """What is removed is not told; a new schedule counts from then on."""
    world = await in_world(at(5, 1, 12))
    world.add("a", "0 3 * * *")
    world.add("b", "0 3 * * *")
    assert world.scheduler.next_due("a") == at(5, 2, 3)
    world.scheduler.remove("a")
    world.scheduler.remove("a")
    world.add("b", "0 5 * * *")
    await world.until(at(5, 2, 12))
    assert [(job, f"{due.astimezone(BERLIN):%H:%M}") for job, due, _ in world.told] == [("b", "05:00")]
    assert world.scheduler.next_due("a") is None


async def test_it_runs_in_real_time_too() -> None:
    """A due time that has passed is told at once when the scheduler starts."""
    told = anyio.Event()
    scheduler = Scheduler(lambda _job, _due: told.set())
    begun = datetime.now(UTC) - timedelta(days=2)
    scheduler.add("night", parse_schedule("0 3 * * *", BERLIN, begun), begun)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(scheduler.run)
        with anyio.fail_after(60):
            await told.wait()
        tasks.cancel_scope.cancel()


async def test_it_goes_on_after_it_was_stopped() -> None:
    """As a worker that failed and is started again: jobs are still there."""
    world = World(at(5, 2, 12))
    again = world.scheduler
    world.add("night", "0 3 * * *")
    for _ in range(2):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(again.run)
            await anyio.sleep(0.05)
            tasks.cancel_scope.cancel()
    again.start()
    world.now = at(5, 3, 12).astimezone(UTC)
    await again.tick()
    assert world.local("night") == ["05-03 03:00"]


@pytest.mark.slow
async def test_a_run_that_is_late_by_chance_is_not_missed() -> None:
    """Jitter longer than the grace leaves nothing out."""
    world = await in_world(at(5, 1, 12))
    world.add("night", "0 3 * * *", jitter=timedelta(hours=1), grace=timedelta(minutes=10))
    await world.until(at(5, 31, 12), timedelta(minutes=1))
    assert len(world.told) == 30
