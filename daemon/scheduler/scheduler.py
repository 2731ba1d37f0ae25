"""The scheduler: says when a job is due. APScheduler keeps the timetable; a due time is told once, however late."""

# APScheduler has no types of its own.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportIncompatibleMethodOverride=false

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from random import Random

import anyio
import anyio.lowlevel
from apscheduler.executors.debug import DebugExecutor
from apscheduler.schedulers.asyncio import AsyncIOScheduler
from apscheduler.triggers.base import BaseTrigger

from .clock import Clock, system_clock
from .schedule import Schedule, latest_due, typical_gap

TICK_SECONDS = 20.0
"""Between two looks at the clock. Timers of the event loop stand still while the machine sleeps, and do not notice when
the clock is set; a look at the clock does."""
CLOCK_MARGIN = timedelta(hours=1)
"""A clock that was set back by more than this, or by more than half the time between two due times where that is less,
starts a schedule anew; one set back by less does not make a job run twice for one due time."""

_PRESENT = timedelta(seconds=1)
"""How long it may take from asking for the time to converting it."""
log = logging.getLogger(__name__)


class Scheduler:
    """Calls ``on_due`` with the name of a job and its due time.

    A job whose due time passed while nothing ran, because the machine was off, asleep or busy, is due once, for the last
    of the times that were missed.

    Args:
        on_due: called in the event loop; must not block.
        clock: the time now, in UTC.
        random: for jitter.
    """

    def __init__(
        self, on_due: Callable[[str, datetime], None], clock: Clock = system_clock, random: Random | None = None
    ) -> None:
        self._on_due = on_due
        self._clock = clock
        self._random = random or Random()  # noqa: S311 - spreads load, protects nothing
        self._timetable = self._new_timetable()
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
            jitter: it is told up to so much later, by chance.
            grace: a due time that was missed by more than this is left out; None: none is.
        """
        trigger = _JobTrigger(schedule, last_due, jitter, grace, self._random)
        self._triggers[job] = trigger
        self._enter(job, trigger)

    def remove(self, job: str) -> None:
        """Schedule a job no more; nothing where it is not scheduled."""
        if self._triggers.pop(job, None) is not None:
            self._timetable.remove_job(job)

    def next_due(self, job: str) -> datetime | None:
        """When a job runs next; None when it is not scheduled."""
        found = self._timetable.get_job(job) if job in self._triggers else None
        due: datetime | None = None if found is None else found.next_run_time
        return None if due is None else due.astimezone(UTC)

    def jobs(self) -> list[str]:
        """The jobs that are scheduled."""
        return list(self._triggers)

    async def run(self) -> None:
        """Tell what is due, until cancelled."""
        self.start()
        try:
            while True:
                await self.tick()
                await anyio.sleep(TICK_SECONDS)
        finally:
            self._timetable.shutdown(wait=False)
            self._timetable = self._new_timetable()  # one that was shut down has lost its jobs
            for job, trigger in self._triggers.items():
                self._enter(job, trigger)

    def start(self) -> None:
        """Begin to tell what is due; `tick` must be called now and then. `run` does both."""
        self._timetable.start()

    def _new_timetable(self) -> AsyncIOScheduler:
        zone: tzinfo = UTC if self._clock is system_clock else _ClockZone(self._clock)
        return AsyncIOScheduler(timezone=zone, executors={"default": DebugExecutor()})

    def _enter(self, job: str, trigger: _JobTrigger) -> None:
        self._timetable.add_job(
            self._fire,
            trigger,
            args=(job,),
            id=job,
            replace_existing=True,
            next_run_time=trigger.first(self._clock()),
            coalesce=True,
            misfire_grace_time=None,  # the trigger decides what is too late, by the clock that was given
        )

    async def tick(self) -> None:
        """Look at the clock, and tell what is due."""
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
        if trigger is None:  # removed in this moment
            return
        due = trigger.take(self._clock())
        if due is None:
            log.warning("a due time was missed for too long and is left out", extra={"job": job})
        else:
            self._on_due(job, due)


@dataclass
class _JobTrigger(BaseTrigger):
    """Adapts a schedule to APScheduler: the next time is after now, so that missed ones are one."""

    schedule: Schedule
    last_due: datetime
    jitter: timedelta
    grace: timedelta | None
    random: Random

    def get_next_fire_time(self, previous_fire_time: datetime | None, now: datetime) -> datetime | None:  # noqa: ARG002 - as APScheduler has it
        """The next due time after now, with jitter."""
        due = self.schedule.next_after(max(now.astimezone(UTC), self.last_due))
        return None if due is None else due + self.jitter * self.random.random()

    def first(self, now: datetime) -> datetime | None:
        """When to begin: at once, where a due time was missed."""
        missed = self.schedule.next_after(self.last_due)
        return now if missed is not None and missed <= now else self.get_next_fire_time(None, now)

    def take(self, now: datetime) -> datetime | None:
        """The due time that is to be told now; None when it is missed by too much."""
        due = latest_due(self.schedule, self.last_due, now)
        if due is None:  # the clock was set back between the look at it and this
            return None
        self.last_due = due
        # A run that began late by chance is not one that was missed.
        return None if self.grace is not None and now - due > self.grace + self.jitter else due

    def is_ahead_of(self, now: datetime) -> bool:
        """Whether the job has run for a time that is so far ahead that the clock must have been set back."""
        if self.last_due <= now:
            return False
        return self.last_due - now > min(CLOCK_MARGIN, typical_gap(self.schedule, now) / 2)


class _ClockZone(tzinfo):
    """UTC by another clock. APScheduler asks for the time with ``datetime.now(zone)``, which asks the zone to convert the
    machine's time: of that moment it gives the clock's. Any other moment is what it is.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def fromutc(self, moment: datetime, /) -> datetime:
        """The time that the clock tells, for the present moment."""
        now = datetime.now(UTC).replace(tzinfo=self)
        return self._clock().replace(tzinfo=self) if abs(now - moment) < _PRESENT else moment

    def utcoffset(self, _moment: datetime | None, /) -> timedelta:
        """None from UTC."""
        return timedelta(0)

    def dst(self, _moment: datetime | None, /) -> timedelta:
        """None."""
        return timedelta(0)

    def tzname(self, _moment: datetime | None, /) -> str:
        """A name."""
        return "UTC"
