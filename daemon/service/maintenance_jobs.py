"""Maintenance at set times: backups, checks, pruning of the history. Each leaves a line in the history of runs."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import partial

from ...memory.supervision import describe_error, is_recoverable
from ...schemas.errors import MemdError
from ..config.settings import MaintenanceSettings
from ..journal.journal import Journal
from ..journal.run_history import RunOrigin
from ..operation_progress import OperationProgress
from ..scheduler.clock import Clock
from ..scheduler.job_queue import JobRequest, RunOutcome
from ..sources.repository import SourceRepository
from .backups import Backups
from .doctor import Doctor
from .jobs import MaintenanceJob
from .requests import BackupRequest, DoctorRequest

log = logging.getLogger(__name__)


class MaintenanceJobs:
    """The maintenance that the settings ask for."""

    def __init__(
        self,
        settings: MaintenanceSettings,
        backups: Backups,
        doctor: Doctor,
        journal: Journal,
        repository: SourceRepository,
        clock: Clock,
    ) -> None:
        self._settings = settings
        self._backups = backups
        self._doctor = doctor
        self._journal = journal
        self._repository = repository
        self._clock = clock

    def all(self) -> dict[str, MaintenanceJob]:
        """By name; what has no schedule, or nowhere to go, is not among them."""
        wanted: list[tuple[str, str, Callable[[], Awaitable[str]]]] = [
            ("backup", self._settings.backup_schedule if self._settings.backup_to is not None else "", self._backup),
            ("doctor", self._settings.doctor_schedule, self._check),
            ("prune", self._settings.prune_schedule, self._prune),
        ]
        jobs = [
            MaintenanceJob(f"maintenance:{name}", schedule, partial(self._perform, work))
            for name, schedule, work in wanted
            if schedule
        ]
        return {job.name: job for job in jobs}

    async def _perform(self, work: Callable[[], Awaitable[str]], request: JobRequest) -> RunOutcome:
        """Do some work as a run; ``work`` returns what is wrong, or nothing."""
        run = uuid.uuid4().hex
        due = None if request.due is None else request.due.timestamp()
        origin = RunOrigin(request.job, request.trigger, due)
        await self._journal.runs.begin(run, request.job.partition(":")[2], origin, whole=True)
        retry = False
        try:
            detail = await work()
            outcome = "partial" if detail else "ok"
        except BaseException as error:
            if not is_recoverable(error):
                raise
            detail, outcome = describe_error(error), "failed"
            retry = isinstance(error, MemdError) and error.meaning.retryable
            log.error("scheduled maintenance failed: %s", detail, extra={"job": request.job})
        await self._journal.runs.end(run, outcome, {}, detail)
        await self._repository.note_end(request.job)
        return RunOutcome(run, retry=retry)

    async def _backup(self) -> str:
        request = BackupRequest(directory=str(self._settings.backup_to), keep=self._settings.backup_keep)
        await self._backups.add(request, _nobody)
        return ""

    async def _check(self) -> str:
        report = await self._doctor.check(DoctorRequest(), _nobody)
        wrong = [each for each in report["findings"] if each["severity"] != "ok"]
        for each in wrong:
            log.warning(
                "%s: %s; %s", each["check"], each["detail"], each.get("hint", ""), extra={"job": "maintenance:doctor"}
            )
        return "; ".join(f"{each['check']}: {each['detail']}" for each in wrong[:3])

    async def _prune(self) -> str:
        before = self._clock() - timedelta(days=self._settings.keep_runs_days)
        await self._journal.runs.prune(before.timestamp())
        return ""


def _nobody(_progress: OperationProgress) -> None:
    """Nobody watches scheduled maintenance."""
