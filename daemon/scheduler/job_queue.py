"""The queue of jobs: a few run in parallel, but no job runs twice at the same time."""

from __future__ import annotations

import logging
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

import anyio

from ...memory.supervision import Worker, describe_error, is_recoverable
from ..notices import Notices

RETRY_SECONDS = (60.0, 300.0, 900.0, 3600.0)
"""The pauses in seconds before a job that asked for it is tried again, by the number of consecutive retries."""
RETRY_JITTER = 0.1
"""The maximum share by which a pause is lengthened at random, so that the clients of a failed server do not all return
at once.
"""

_NEVER = float("inf")
_BY_ITSELF = frozenset({"schedule", "watch", "resume"})
"""The triggers that wait when a server told memd to wait; a person's request, and the end of that wait, do not."""
_RANKS = ("retry", "watch", "resume", "schedule", "sync")
"""The triggers of a run in ascending rank; a run with several is recorded under the highest."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Waiting:
    """The wait of a job for something other than a worker."""

    until: float
    """The end of the wait, by the clock of the event loop, in seconds."""
    why: str
    """The reason, without private text."""


@dataclass(frozen=True, slots=True)
class _Retry:
    """The next attempt of a job."""

    when: float
    """The time by the clock of the event loop, in seconds; infinity while the attempt runs."""
    count: int
    """The number of consecutive retries."""
    why: str = ""
    holds: bool = False
    """True if only a person can make it run earlier."""


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """The outcome of one run of a job; the queue decides by it when the job runs again."""

    run: str = ""
    """The id of the run; empty if none began."""
    failed: bool = False
    stopped: bool = False
    """True if only a person can fix the error, so that the job is not to run by itself any more."""
    retry: bool = False
    """True if not everything could be done now, and a retry soon may do more."""
    retry_after_s: float = 0.0
    """The least number of seconds before the retry."""
    retry_within_s: float = float("inf")
    """The maximum pause in seconds, unless ``retry_after_s`` is longer."""
    holds: bool = False
    """True if its schedule does not start the job before the retry, because its server is unreachable or asked for that."""
    why: str = ""
    """The reason for the retry, without private text."""
    notices: Notices = field(default_factory=Notices)
    """The notices of the run for the user."""


@dataclass(eq=False, slots=True)
class JobRequest:
    """A request for one run of a job."""

    job: str
    trigger: str
    """The trigger: ``schedule``, ``watch``, ``sync``, ``resume`` or ``retry``."""
    due: datetime | None = None
    again: bool = False
    """True if everything is to be read again."""
    error: str = ""
    """The reason why it could not begin, without private text."""
    waiting: Waiting | None = None
    """The present wait of its run."""
    unwanted: bool = False
    """True if the job was removed or paused meanwhile."""
    outcome: RunOutcome = RunOutcome()
    done: anyio.Event = field(default_factory=anyio.Event)


class JobQueue:
    """Runs requested jobs, in the order of the requests.

    Args:
        perform: runs a job; an exception from it is logged and ends that run alone.
        skipped: called with a scheduled request that was skipped because the job was still running.
    """

    def __init__(
        self, perform: Callable[[JobRequest], Awaitable[RunOutcome]], skipped: Callable[[JobRequest], Awaitable[None]]
    ) -> None:
        self._perform = perform
        self._skipped = skipped
        self._waiting: dict[str, JobRequest] = {}
        self._running: dict[str, JobRequest] = {}
        self._left_out: list[JobRequest] = []
        self._retries: dict[str, _Retry] = {}
        self._wake = anyio.Event()

    def request(self, job: str, trigger: str, due: datetime | None = None, *, again: bool = False) -> JobRequest:
        """Request a run. A request that waits already is returned. A scheduled request is skipped while the job runs;
        any other request runs after it, since its reason may have come too late for the present run. Only a person can
        make a job run before the time that its server asked for.
        """
        waiting = self._waiting.get(job)
        if waiting is not None:
            # A person waits for the one trigger, and a due time is settled by the other: the history records both.
            waiting.trigger = max(waiting.trigger, trigger, key=_RANKS.index)
            waiting.due = due or waiting.due
            waiting.again |= again
            return waiting
        request = JobRequest(job, trigger, due, again)
        if trigger in _BY_ITSELF and job not in self._running and self.is_held(job):
            log.info("a job waits as its server told, and is left out this time", extra={"job": job})
            self._left_out.append(request)
        elif trigger == "schedule" and job in self._running:
            log.warning("a job is still running and is left out this time", extra={"job": job})
            self._left_out.append(request)
        else:
            self._waiting[job] = request
        self._wake.set()
        return request

    def forget(self, job: str) -> None:
        """Drop a job that is removed or paused: it is not retried, and does not begin."""
        self._retries.pop(job, None)
        if (running := self._running.get(job)) is not None:
            running.unwanted = True
        if (waiting := self._waiting.pop(job, None)) is not None:
            waiting.error = "removed or paused"
            waiting.done.set()

    @property
    def is_busy(self) -> bool:
        """Return whether a job runs or waits for a worker."""
        return bool(self._running or self._waiting)

    def state_of(self, job: str) -> Literal["", "running", "waiting"]:
        """Return ``running``, ``waiting`` or an empty text."""
        return "running" if job in self._running else "waiting" if job in self._waiting else ""

    def waiting_for(self, job: str) -> Waiting | None:
        """Return the wait of a job: inside its run, or until it is tried again."""
        if (running := self._running.get(job)) is not None:
            return running.waiting
        planned = self._retries.get(job)
        return None if planned is None or planned.when == _NEVER else Waiting(planned.when, planned.why)

    def hold(self, job: str, seconds: float, why: str) -> None:
        """Try a job after this many seconds and not earlier, for example because its server told an earlier run to
        wait.
        """
        self._retries[job] = _Retry(anyio.current_time() + seconds, 1, why, holds=True)
        self._wake.set()

    def is_held(self, job: str) -> bool:
        """Return whether only a person can make the job run before its next attempt."""
        planned = self._retries.get(job)
        return planned is not None and planned.holds and anyio.current_time() < planned.when < _NEVER

    async def work(self, worker: Worker) -> None:
        """Run requested jobs until cancelled; several workers share the queue."""
        while True:
            request = self._next()
            if request is None:
                await self._settle_left_out()
                await self._wait()
                continue
            self._running[request.job] = request
            try:
                request.outcome = await self._perform(request)
            except BaseException as error:
                if not is_recoverable(error):
                    raise
                request.error = describe_error(error)
                request.outcome = RunOutcome(retry=True)
                worker.failed(error)
            else:
                worker.progressed()
            finally:
                self._running.pop(request.job, None)
                self._plan_retry(request)
                request.done.set()
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
            request = self._left_out.pop(0)  # the last due time is recorded last
            request.error = "still running" if request.job in self._running else "waits as its server told"
            try:
                await self._skipped(request)
            finally:
                request.done.set()

    def _plan_retry(self, request: JobRequest) -> None:
        outcome = request.outcome
        if not outcome.retry or request.unwanted:
            self._retries.pop(request.job, None)
            return
        before = self._retries.get(request.job)
        count = 0 if before is None else before.count
        pause = min(RETRY_SECONDS[min(count, len(RETRY_SECONDS) - 1)], outcome.retry_within_s)
        pause = max(pause * (1 + RETRY_JITTER * random.random()), outcome.retry_after_s)  # noqa: S311 - no secret
        self._retries[request.job] = _Retry(anyio.current_time() + pause, count + 1, outcome.why, outcome.holds)

    async def _wait(self) -> None:
        if self._wake.is_set():
            self._wake = anyio.Event()
            # Requested while something else was awaited: the event that announced it has just been replaced.
            if self._left_out or any(job not in self._running for job in self._waiting):
                return
        soonest = min((planned.when for planned in self._retries.values()), default=_NEVER)
        with anyio.move_on_after(max(0.0, soonest - anyio.current_time())):
            await self._wake.wait()
