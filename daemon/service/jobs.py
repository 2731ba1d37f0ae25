"""The daemon's own jobs: reading sources and doing maintenance, when they are due or requested."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import anyio
from anyio import CancelScope
from anyio.abc import TaskGroup

from ...memory.supervision import Worker, Workers
from ...schemas.errors import MemdError, NotFoundError
from ..config.settings import Settings
from ..config.source_settings import SourceSettings
from ..scheduler.clock import Clock, system_clock
from ..scheduler.job_queue import JobQueue, JobRequest, RunOutcome
from ..scheduler.schedule import Schedule, latest_due, parse_schedule
from ..sources.health import INTERRUPTED
from ..sources.repository import JobState, RegisteredSource, SourceRepository
from ..sources.runner import LONGEST_WAIT, SourceRunner

if TYPE_CHECKING:
    from ..scheduler.scheduler import Scheduler

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class MaintenanceJob:
    """Something that is done to the memory at set times."""

    name: str
    """``maintenance:backup``."""
    schedule: str
    perform: Callable[[JobRequest], Awaitable[RunOutcome]]


class JobService:
    """Knows every job, and carries out those that are due or asked for.

    Args:
        settings: how many jobs run beside each other, and the zone of schedules.
        repository: sources, and what is remembered of jobs.
        runner: reads a source.
        maintenance: the other jobs.
        clock: the time now, in UTC.
    """

    def __init__(
        self,
        settings: Settings,
        repository: SourceRepository,
        runner: SourceRunner,
        maintenance: Mapping[str, MaintenanceJob],
        clock: Clock = system_clock,
    ) -> None:
        self._settings = settings
        self._repository = repository
        self._runner = runner
        self._maintenance = maintenance
        self.clock = clock
        self.queue = JobQueue(self._perform, self._skipped)
        self.scheduler: Scheduler | None = None
        """None where nothing is done by itself: in a command that is the owner as long as it takes."""
        self._watching: dict[str, CancelScope] = {}
        self._tasks: TaskGroup | None = None
        self._workers: Workers | None = None

    def schedule_of(self, text: str, anchor: datetime) -> Schedule:
        """A schedule in the configured zone.

        Raises:
            ConfigError: the text is none.
        """
        return parse_schedule(text, self._settings.zone_in_force()[0], anchor)

    async def start(self, tasks: TaskGroup, workers: Workers, *, scheduled: bool) -> None:
        """Begin to work in a task group; where ``scheduled``, also by itself: what is due, what was interrupted, and what
        is watched. A schedule that cannot be read is logged and told by `memd sources`.
        """
        self._tasks, self._workers = tasks, workers
        for number in range(self._settings.sync.workers):
            workers.start(tasks, f"jobs {number + 1}", self.queue.work)
        if not scheduled:
            return
        from ..scheduler.scheduler import Scheduler  # APScheduler takes a while to import, and commands do without

        self.scheduler = Scheduler(self._on_due, self.clock)
        states = await self._repository.states()
        for job in self._maintenance.values():
            await self._schedule_maintenance(job, states.get(job.name))
            self._resume(job.name, states.get(job.name, JobState()))
        for source in await self._repository.all():
            state = states.get(source.settings.job, JobState())
            await self.schedule_source(source, state)  # also holds it back where its server told so
            self._resume(source.settings.job, state)
        workers.start(tasks, "scheduling", self._run_scheduler)

    def _resume(self, job: str, state: JobState) -> None:
        """Ask for a job again whose last run did not end; not for ever, for it may be what ends memd."""
        if 0 < state.interrupted < INTERRUPTED and not state.paused:
            self.queue.request(job, "resume")

    async def schedule_source(
        self, source: RegisteredSource, state: JobState | None = None, *, forget: bool = True
    ) -> None:
        """Schedule and watch a source as its settings say, or no more, where it is paused. With ``forget`` a run of it that goes
        on ends early, and what waits does not begin.
        """
        if self.scheduler is None:
            return
        settings = source.settings
        if state is None:
            state = (await self._repository.states()).get(settings.job, JobState())
        self.unschedule(settings.job, forget=forget)
        if state.paused:
            return
        if state.wait_until is not None and (left := (state.wait_until - self.clock()).total_seconds()) > 0:
            self.queue.hold(settings.job, min(left, LONGEST_WAIT), state.wait_why)
        try:
            schedule = self.schedule_of(settings.schedule, source.added)
        except MemdError as error:  # it is told by status, and the others go on
            log.error("a source has no schedule: %s", error.message, extra={"job": settings.job})
            return
        self.scheduler.add(
            settings.job,
            schedule,
            state.due or source.added,
            jitter=timedelta(seconds=settings.jitter_s),
            grace=None if settings.misfire_grace_s is None else timedelta(seconds=settings.misfire_grace_s),
        )
        if settings.is_watched and self._tasks is not None and self._workers is not None:
            scope = self._watching[settings.job] = CancelScope()
            self._tasks.start_soon(self._watch, scope, settings)

    async def due_maintenance(self) -> list[tuple[str, datetime]]:
        """Return the maintenance that is due now, each with its due time, for an owner without a scheduler. Schedules that
        cannot be read are told by `memd sources`.
        """
        now, states = self.clock(), await self._repository.states()
        jobs: list[tuple[str, datetime]] = []
        for job in self._maintenance.values():
            state = states.get(job.name, JobState())
            if state.due is None:
                await self._repository.note_due(job.name, now)
            elif not state.paused:
                with suppress(MemdError):
                    if (due := latest_due(self.schedule_of(job.schedule, state.due), state.due, now)) is not None:
                        jobs.append((job.name, due))
        return jobs

    def unschedule(self, job: str, *, forget: bool = True) -> None:
        """Do a job no more by itself; with ``forget``, also not what was asked for."""
        if self.scheduler is not None:
            self.scheduler.remove(job)
        if forget:
            self.queue.forget(job)
        if (scope := self._watching.pop(job, None)) is not None:
            scope.cancel()

    def next_due(self, job: str) -> datetime | None:
        """Return the next scheduled time of a job; None when it has none."""
        return None if self.scheduler is None else self.scheduler.next_due(job)

    def first_due(self) -> datetime | None:
        """Return the earliest due time of all schedules; None when there is none."""
        if self.scheduler is None:
            return None
        return min(filter(None, map(self.scheduler.next_due, self.scheduler.jobs())), default=None)

    async def _watch(self, scope: CancelScope, settings: SourceSettings) -> None:
        assert self._workers is not None

        def changed() -> None:
            self.queue.request(settings.job, "watch")

        async def watch(worker: Worker) -> None:
            if settings.path is None:
                await self._runner.watch(settings, changed, worker)
                return
            from ..sources.watcher import watch_folder

            await watch_folder(settings.path, changed, worker)

        with scope:
            await self._workers.run(f"watching {settings.name}", watch)

    async def _schedule_maintenance(self, job: MaintenanceJob, state: JobState | None) -> None:
        assert self.scheduler is not None
        now = self.clock()
        if state is None or state.due is None:
            await self._repository.note_due(job.name, now)
        if state is None or not state.paused:
            begun = state.due if state is not None and state.due is not None else now
            try:
                self.scheduler.add(job.name, self.schedule_of(job.schedule, begun), begun)
            except MemdError as error:
                log.error("maintenance has no schedule: %s", error.message, extra={"job": job.name})

    async def _run_scheduler(self, _worker: Worker) -> None:
        assert self.scheduler is not None
        await self.scheduler.run()

    def _on_due(self, job: str, due: datetime) -> None:
        self.queue.request(job, "schedule", due)

    async def _perform(self, request: JobRequest) -> RunOutcome:
        if request.job in self._maintenance:
            return await self._maintenance[request.job].perform(request)
        try:
            source = await self._repository.get(request.job.removeprefix("source:"))
        except NotFoundError:
            self.unschedule(request.job)
            return RunOutcome()
        state = (await self._repository.states()).get(request.job, JobState())
        if request.trigger != "sync" and state.paused:
            return RunOutcome()
        outcome = await self._runner.run(source, request)
        if outcome.stopped:
            await self._repository.stop(request.job)
            self.unschedule(request.job)
        elif state.stopped and not outcome.failed and not request.unwanted:  # what was wrong is right again
            await self.resume(source)
        return outcome

    async def resume(self, source: RegisteredSource) -> None:
        """Schedule a source again, from now on, that was paused or has stopped."""
        await self._repository.set_paused(source.settings.job, paused=False)
        await self.schedule_source(source, forget=False)

    async def _skipped(self, request: JobRequest) -> None:
        if request.due is not None:
            with anyio.CancelScope(shield=True):
                await self._repository.note_due(request.job, request.due.astimezone(UTC))
