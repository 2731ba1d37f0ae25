"""The queue of jobs: no job runs twice at once, and a few run beside each other."""

from __future__ import annotations

import logging
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import datetime

import anyio

from ...memory.supervision import Worker, describe_error, is_recoverable
from ..notices import Notices

RETRY_SECONDS = (60.0, 300.0, 900.0, 3600.0)
"""Before a job is tried again that asked for it, by the number of times in a row."""
RETRY_JITTER = 0.1
"""So much longer a pause is at most, by chance: many who lost one server do not come back to it at once."""

_NEVER = float("inf")
_BY_ITSELF = frozenset({"schedule", "watch", "resume"})
"""What has to wait where a server told memd to; a person, and the end of that wait, do not."""
_RANKS = ("retry", "watch", "resume", "schedule", "sync")
"""Why a job may run; the last of several is what one run of it is remembered for."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Waiting:
    """A job waits, for something other than a worker."""

    until: float
    """By the clock of the event loop, in seconds."""
    why: str
    """Without private text."""


@dataclass(frozen=True, slots=True)
class _Retry:
    """When a job is tried again."""

    when: float
    """By the clock of the event loop, in seconds; infinity: it is being tried."""
    count: int
    """For how-many times in a row."""
    why: str = ""
    holds: bool = False
    """Nothing but a person makes it run before."""


@dataclass(eq=False, slots=True)
class JobRequest:
    """One run of a job that was asked for."""

    job: str
    trigger: str
    """``schedule``, ``watch``, ``sync``, ``resume``, ``retry``."""
    due: datetime | None = None
    again: bool = False
    """Read also what was read before."""
    run: str = ""
    """The id of its run, as soon as there is one."""
    error: str = ""
    """Why it could not begin, without private text."""
    retry: bool = False
    """Set by the job: not everything could be done now, and it may go on soon."""
    retry_after_s: float = 0.0
    """Set by the job: not sooner than in so many seconds."""
    retry_within_s: float = float("inf")
    """Set by the job: no pause is longer, unless ``retry_after_s`` is."""
    holds: bool = False
    """Set by the job: its schedule does not make it run before it is tried again, for its server is away or wants it so."""
    waiting: Waiting | None = None
    """Set by the job: what its run waits for at present; after its end, why it is to be tried again."""
    stopped: bool = False
    """Set by the job: nothing but a person helps, so that it is not to be done by itself any more."""
    broken: bool = False
    """Set by the job: its run failed."""
    unwanted: bool = False
    """The job was removed or paused meanwhile."""
    notices: Notices = field(default_factory=Notices)
    """Set by the job: what a reader of what was read should know."""
    done: anyio.Event = field(default_factory=anyio.Event)


class JobQueue:
    """Runs jobs that were asked for, in the order of asking.

    Args:
        perform: carries one out; what it raises is logged and ends that run alone.
        skipped: told of a scheduled run that was left out because the job was still running.
    """

    def __init__(
        self, perform: Callable[[JobRequest], Awaitable[None]], skipped: Callable[[JobRequest], Awaitable[None]]
    ) -> None:
        self._perform = perform
        self._skipped = skipped
        self._waiting: dict[str, JobRequest] = {}
        self._running: dict[str, JobRequest] = {}
        self._left_out: list[JobRequest] = []
        self._retries: dict[str, _Retry] = {}
        self._wake = anyio.Event()

    def request(self, job: str, trigger: str, due: datetime | None = None, *, again: bool = False) -> JobRequest:
        """Ask for a run. One that waits already is that run. A scheduled one is left out while the job runs; any other
        comes after it, since what it is for may have come too late for the run. Nothing but a person makes a job run before
        the time that its server told.
        """
        waiting = self._waiting.get(job)
        if waiting is not None:
            # A person waits for the one, and a due time is done with by the other: both are told in the history.
            waiting.trigger = max(waiting.trigger, trigger, key=_RANKS.index)
            waiting.due = due or waiting.due
            waiting.again |= again
            return waiting
        asked = JobRequest(job, trigger, due, again)
        if trigger in _BY_ITSELF and job not in self._running and self.is_held(job):
            log.info("a job waits as its server told, and is left out this time", extra={"job": job})
            self._left_out.append(asked)
        elif trigger == "schedule" and job in self._running:
            log.warning("a job is still running and is left out this time", extra={"job": job})
            self._left_out.append(asked)
        else:
            self._waiting[job] = asked
        self._wake.set()
        return asked

    def forget(self, job: str) -> None:
        """A job that is gone, or paused: it is not tried again, and does not begin."""
        self._retries.pop(job, None)
        if (running := self._running.get(job)) is not None:
            running.unwanted = True
        if (waiting := self._waiting.pop(job, None)) is not None:
            waiting.error = "removed or paused"
            waiting.done.set()

    def state_of(self, job: str) -> str:
        """``running``, ``waiting`` or nothing."""
        return "running" if job in self._running else "waiting" if job in self._waiting else ""

    def waiting_for(self, job: str) -> Waiting | None:
        """What a job waits for: inside its run, or until it is tried again."""
        if (running := self._running.get(job)) is not None:
            return running.waiting
        planned = self._retries.get(job)
        return None if planned is None or planned.when == _NEVER else Waiting(planned.when, planned.why)

    def hold(self, job: str, seconds: float, why: str) -> None:
        """Try a job in so many seconds, and not before: what its server told a run before this start, for example."""
        self._retries[job] = _Retry(anyio.current_time() + seconds, 1, why, holds=True)
        self._wake.set()

    def is_held(self, job: str) -> bool:
        """Whether nothing but a person makes the job run before it is tried again."""
        planned = self._retries.get(job)
        return planned is not None and planned.holds and anyio.current_time() < planned.when < _NEVER

    def running(self, job: str) -> JobRequest | None:
        """The run that is going on."""
        return self._running.get(job)

    async def work(self, worker: Worker) -> None:
        """Carry out what was asked for, until cancelled; several workers share the queue."""
        while True:
            asked = self._next()
            if asked is None:
                await self._settle_left_out()
                await self._wait()
                continue
            self._running[asked.job] = asked
            try:
                await self._perform(asked)
            except BaseException as error:
                if not is_recoverable(error):
                    raise
                asked.error = describe_error(error)
                asked.retry = True
                worker.failed(error)
            else:
                worker.progressed()
            finally:
                self._running.pop(asked.job, None)
                self._plan_retry(asked)
                asked.done.set()
                self._wake.set()

    def _next(self) -> JobRequest | None:
        now = anyio.current_time()
        for job, planned in list(self._retries.items()):
            if planned.when <= now and job not in self._waiting and job not in self._running:
                self._retries[job] = replace(planned, when=_NEVER)
                self.request(job, "retry")
        for job in self._waiting:
            if job not in self._running:
                return self._waiting.pop(job)
        return None

    async def _settle_left_out(self) -> None:
        while self._left_out:
            asked = self._left_out.pop(0)  # the last due time is noted last
            asked.error = "still running" if asked.job in self._running else "waits as its server told"
            try:
                await self._skipped(asked)
            finally:
                asked.done.set()

    def _plan_retry(self, asked: JobRequest) -> None:
        if not asked.retry or asked.unwanted:
            self._retries.pop(asked.job, None)
            return
        before = self._retries.get(asked.job)
        count = 0 if before is None else before.count
        pause = min(RETRY_SECONDS[min(count, len(RETRY_SECONDS) - 1)], asked.retry_within_s)
        pause = max(pause * (1 + RETRY_JITTER * random.random()), asked.retry_after_s)  # noqa: S311 - no secret
        why = "" if asked.waiting is None else asked.waiting.why
        self._retries[asked.job] = _Retry(anyio.current_time() + pause, count + 1, why, asked.holds)

    async def _wait(self) -> None:
        if self._wake.is_set():
            self._wake = anyio.Event()
            # Asked for while something else was awaited: the event that told of it is gone now.
            if self._left_out or any(job not in self._running for job in self._waiting):
                return
        soonest = min((planned.when for planned in self._retries.values()), default=_NEVER)
        with anyio.move_on_after(max(0.0, soonest - anyio.current_time())):
            await self._wake.wait()
