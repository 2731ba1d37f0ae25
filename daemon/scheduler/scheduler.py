"""The scheduler: reports due jobs. APScheduler keeps the timetable; each due time is reported once, however late."""

# APScheduler has no types of its own.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportIncompatibleMethodOverride=false

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random

import anyio
import anyio.lowlevel
from apscheduler.executors.debug import DebugExecutor
from apscheduler.schedulers.asyncio import AsyncIOScheduler
from apscheduler.triggers.base import BaseTrigger

from .clock import Clock, system_clock
from .schedule import Schedule, latest_due, typical_gap

TICK_SECONDS = 20.0
"""The seconds between two checks of the clock. Timers of the event loop stand still while the machine sleeps, and do
not notice changes of the clock.
"""
CLOCK_MARGIN = timedelta(hours=1)
"""The tolerance for a clock that is set back. If it is set back by more than this, or by more than half the time
between two due times where that is less, a schedule starts again; if by less, a job does not run twice for one due
time.
"""

log = logging.getLogger(__name__)


class Scheduler:
    """Calls ``on_due`` with the name of a job and its due time.

    A job whose due times passed while nothing ran, because the machine was off, asleep or busy, is due once, for the
    last of the missed times.

    Args:
        on_due: called in the event loop; must not block.
        clock: the time now, in UTC; the timetable goes by the machine's.
        random: for jitter.
    """

    def __init__(
        self, on_due: Callable[[str, datetime], None], clock: Clock = system_clock, random: Random | None = None
    ) -> None:
        self._on_due = on_due
        self._clock = clock
        self._random = random or Random()  # noqa: S311 - spreads load, protects nothing
        self._timetable = AsyncIOScheduler(timezone=UTC, executors={"default": DebugExecutor()})
        self._triggers: dict[str, _JobTrigger] = {}
        logging.getLogger("apscheduler").setLevel(logging.WARNING)

    def add(
        self,
        job: str,
        schedule: Schedule,
        last_due: datetime,
        *,
        jitter: timedelta = timedelta(0),
        grace: timedelta | None = None,
    ) -> None:
        """Schedule a job, or change its schedule.

        Args:
            job: its name.
            schedule: when it is due.
            last_due: the due time that it ran for last, or the time from which it is scheduled.
            jitter: the maximum random delay of a report.
            grace: a due time missed by more than this is skipped; None: never.
        """
        self._triggers[job] = trigger = _JobTrigger(schedule, last_due, jitter, grace, self._random)
        self._timetable.add_job(
            self._fire,
            trigger,
            args=(job,),
            id=job,
            replace_existing=True,
            next_run_time=trigger.first(self._clock()),
            coalesce=True,
            misfire_grace_time=None,  # the trigger decides when a due time is too late, by the given clock
        )

    def remove(self, job: str) -> None:
        """Stop scheduling a job; do nothing if it is not scheduled."""
        if self._triggers.pop(job, None) is not None:
            self._timetable.remove_job(job)

    def next_due(self, job: str) -> datetime | None:
        """Return the next time a job runs; None when it is not scheduled."""
        entry = self._timetable.get_job(job) if job in self._triggers else None
        due: datetime | None = None if entry is None else entry.next_run_time
        return None if due is None else due.astimezone(UTC)

    def jobs(self) -> list[str]:
        """Return the jobs that are scheduled."""
        return list(self._triggers)

    async def run(self) -> None:
        """Report due jobs, until cancelled."""
        self.start()
        try:
            while True:
                await self.tick()
                await anyio.sleep(TICK_SECONDS)
        finally:
            self._timetable.pause()  # a timetable that is shut down loses its jobs

    def start(self) -> None:
        """Start reporting due jobs; `tick` must be called now and then. `run` does both."""
        if self._timetable.running:
            self._timetable.resume()
        else:
            self._timetable.start()

    async def tick(self) -> None:
        """Check the clock, and report due jobs."""
        now = self._clock()
        for job, trigger in list(self._triggers.items()):
            if trigger.is_ahead_of(now):
                log.warning("the clock was set back; a schedule starts anew", extra={"job": job})
                self.add(job, trigger.schedule, now, jitter=trigger.jitter, grace=trigger.grace)
        self._timetable.wakeup()
        for _ in range(2):  # APScheduler does its work in a callback of the event loop
            await anyio.lowlevel.checkpoint()

    def _fire(self, job: str) -> None:
        trigger = self._triggers.get(job)
        if trigger is None:  # just removed
            return
        due = trigger.take(self._clock())
        if due is None:
            log.warning("a due time was missed for too long and is left out", extra={"job": job})
        else:
            self._on_due(job, due)


@dataclass
class _JobTrigger(BaseTrigger):
    """Adapts a schedule to APScheduler: the next time is always after now, so that several missed times become one."""

    schedule: Schedule
    last_due: datetime
    jitter: timedelta
    grace: timedelta | None
    random: Random

    def get_next_fire_time(self, previous_fire_time: datetime | None, now: datetime) -> datetime | None:  # noqa: ARG002 - as APScheduler has it
        """Return the next due time after now, with jitter."""
        due = self.schedule.next_after(max(now.astimezone(UTC), self.last_due))
        return None if due is None else due + self.jitter * self.random.random()

    def first(self, now: datetime) -> datetime | None:
        """Return the first time to fire: at once if a due time was missed."""
        missed = self.schedule.next_after(self.last_due)
        return now if missed is not None and missed <= now else self.get_next_fire_time(None, now)

    def take(self, now: datetime) -> datetime | None:
        """Return the due time to report now; None when it was missed by too much."""
        due = latest_due(self.schedule, self.last_due, now)
        if due is None:  # the clock was set back since it was checked
            return None
        self.last_due = due
        # A delay by jitter does not count as missed.
        return None if self.grace is not None and now - due > self.grace + self.jitter else due

    def is_ahead_of(self, now: datetime) -> bool:
        """Return whether the job's last due time is so far ahead that the clock must have been set back."""
        if self.last_due <= now:
            return False
        return self.last_due - now > min(CLOCK_MARGIN, typical_gap(self.schedule, now) / 2)
