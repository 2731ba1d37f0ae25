"""The API of sources: their state, adding, pausing, reading now; and the history of runs."""

from __future__ import annotations

import logging
import shlex
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
from anyio import to_thread
from pydantic import ValidationError

from ...connectors.live.account_registry import ACCOUNT_KINDS
from ...connectors.reading.registry import require_format
from ...memory.memory import EvolvingMemory
from ...schemas.errors import InvalidError, MemdError, NotFoundError, StoreError
from ...schemas.times import rfc3339
from ..config.account_secrets import UNUSED_DAYS, remove_secrets, store_secrets, sweep_secrets
from ..config.source_settings import SETTING_NAMES, FolderSettings, SourceSettings, source_settings
from ..config.user_names import user_names
from ..journal import note_files
from ..journal.receipts import going_on, paths_read, receipt_of, saving_receipt
from ..journal.run_history import EndedRun, JobHistory
from ..operation_progress import OperationProgress, ReportProgress
from ..pipeline.pipeline import Pipeline
from ..pipeline.runs import ended_run, rfc_time
from ..scheduler.clock import Clock
from ..scheduler.job_queue import JobRequest
from ..sources.accounts import Accounts, secrets_of
from ..sources.folder_reader import FolderReader
from ..sources.health import NEWS, flags_of, maintenance_flags
from ..sources.mirror import Mirror
from ..sources.notes_of_job import NotesOfJob
from ..sources.repository import FileCounts, FileState, JobState, RegisteredSource, SourceRepository
from ..sources.runner import ConnectorFactory, SourceRunner
from ..sources.source_reader import SourceReader
from .backups import Backups
from .doctor import Doctor
from .jobs import JobService
from .maintenance_jobs import MaintenanceJobs
from .metrics import Measured
from .requests import (
    AddSourceRequest,
    ChangeSourceRequest,
    PauseSourceRequest,
    ReceiptRequest,
    RunsRequest,
    SourceRequest,
    SyncRequest,
    problems_of,
)

_PATHS_LISTED = 20
"""Paths of a run that the list of runs holds; the run by itself has all."""

if TYPE_CHECKING:
    from ..config.settings import Settings
    from .answers.ingestion import ReceiptAnswer, RunAnswerWire, RunPage
    from .answers.sources import (
        MaintenanceStatus,
        RemovedSource,
        SourceAnswer,
        SourceFile,
        SourceListing,
        SourceStatus,
        StoppedSource,
        SyncReport,
        WaitingStatus,
    )

log = logging.getLogger(__name__)
FILES_SHOWN = 20
"""The maximum number of files that are shown of each kind: unreadable, partly readable and skipped ones."""
LOOK_SECONDS = 1.0
"""The seconds allowed for a check whether a folder exists."""
_MEASURED_FLAGS = {
    "failing": "Whether the last run of a source failed.",
    "silent": "Whether a source brought nothing new for much longer than usual.",
    "overdue": "Whether the time of a source has passed and nothing ran.",
    "incomplete": "Whether the last run of a source could not read everything.",
    "interrupted": "Whether runs of a source ended memd again and again.",
    "stopped": "Whether a source has stopped until somebody acts.",
    "paused": "Whether a source is paused.",
}


class SourceService:
    """The sources of one memory. Methods raise ``StoreError`` when the journal cannot be used, and the errors that they
    name.
    """

    def __init__(
        self,
        settings: Settings,
        memory: EvolvingMemory,
        pipeline: Pipeline,
        backups: Backups,
        doctor: Doctor,
        connectors: Mapping[str, ConnectorFactory],
        clock: Clock,
    ) -> None:
        self._settings = settings
        self._memory = memory
        self._pipeline = pipeline
        self.accounts = Accounts(settings)
        self.keeping_secrets = anyio.Lock()
        """The lock while secrets of a source are stored or removed, so that none are stored for a removed source."""
        self._connectors = {**dict.fromkeys(ACCOUNT_KINDS, self.accounts.connector), **connectors}
        self.repository = SourceRepository(pipeline.journal, settings.sources, clock)
        runner = SourceRunner(pipeline, self.repository, self._folder_reader, self._connectors)
        scheduled = MaintenanceJobs(settings.maintenance, backups, doctor, pipeline.journal, self.repository, clock)
        self._maintenance = scheduled.all()
        self.jobs = JobService(settings, self.repository, runner, self._maintenance, clock)

    async def _folder_reader(self, settings: SourceSettings, again: bool) -> SourceReader:
        assert isinstance(settings, FolderSettings)
        _refuse_own_data(settings, self._settings.data_dir)
        states = await self.repository.files(settings.name)
        state = (await self.repository.states()).get(settings.job, JobState())
        zone, origin = self._settings.zone_in_force()
        names = await to_thread.run_sync(user_names, self._settings)
        options = {
            "zone": settings.zone or str(zone),
            "zone_origin": "option" if settings.zone else origin,
            "me": settings.me,
            "names": names,
            "chat": settings.chat,
            "date_order": settings.date_order,
            "format": settings.format,
        }
        return FolderReader(
            settings,
            states,
            options,
            self._memory.conflicts,
            self._settings.sync.settle_s,
            self._settings.data_dir,
            again=again,
            otherwise=state.reads_otherwise(settings),
            mirror=await self._mirror_of(settings),
        )

    async def _mirror_of(self, settings: FolderSettings) -> Mirror | None:
        """Return the notes of the files of a folder, if they go with the files."""
        if not settings.mirror:
            return None
        notes = await self._pipeline.journal.run(partial(note_files.of_job, job=settings.job))
        return Mirror(settings.job, notes, NotesOfJob(self._pipeline.journal, self._memory.retirement, settings.job))

    # --- answers ----------------------------------------------------------------------------------------------------

    async def listing(self) -> SourceListing:
        """Return every source with its last run, the next, and its problems."""
        return {
            "scheduled": self.jobs.scheduler is not None,
            "sources": await self.statuses(),
            "maintenance": await self.maintenance_statuses(),
        }

    async def statuses(self) -> list[SourceStatus]:
        """Return every source, by name."""
        states, counts = await self.repository.states(), await self.repository.file_counts()
        return [await self._status(source, states, counts) for source in await self.repository.all()]

    async def show(self, name: str) -> SourceAnswer:
        """Return one source, with its settings, its last runs, and the files that cannot be read.

        Raises:
            NotFoundError: there is none of this name.
        """
        source = await self.repository.get(name)
        states, counts = await self.repository.states(), await self.repository.file_counts()
        files = await self.repository.files_not_read(name, FILES_SHOWN)
        runs = await self._pipeline.journal.runs.last(10, job=source.settings.job)
        status = await self._status(source, states, counts)
        return {
            **status,
            "settings": source.settings.to_wire(),
            "unreadable": _file_lines(files["unreadable"]),
            "incomplete": _file_lines(files["incomplete"]),
            "left_out": _file_lines(files["left_out"]),
            "runs": [ended_run(run) for run in runs],
            "notices": await self._last_notices(runs),
        }

    async def _last_notices(self, runs: Sequence[EndedRun]) -> list[dict[str, Any]]:
        """Return the notices of the last run that read something new or had notices; most runs have neither."""
        for run in runs:
            if (notices := await self._pipeline.journal.runs.notices(run.run)) or any(run.counts.values()):
                return notices
        return []

    async def _status(
        self, source: RegisteredSource, states: Mapping[str, JobState], counts: Mapping[str, FileCounts]
    ) -> SourceStatus:
        settings = source.settings
        state = states.get(settings.job, JobState())
        history = await self._pipeline.journal.runs.of_job(settings.job, NEWS)
        runs = history.last
        files = counts.get(settings.name, FileCounts())
        now = self.jobs.clock()
        doing = self.jobs.queue.state_of(settings.job)
        waiting = self._waiting(settings.job, state, now)
        due = self.jobs.next_due(settings.job)
        if due is not None and waiting is not None and self.jobs.queue.is_held(settings.job):
            due = max(due, waiting["until"])
        whole = max(filter(None, (history.whole, state.asked and state.asked.timestamp())), default=None)
        flags, trouble = await self._problems(source, state, history, files, doing=bool(doing))
        return {
            "name": settings.name,
            "kind": settings.kind,
            "path": None if settings.path is None else str(settings.path),
            "declared": source.declared,
            "schedule": settings.schedule,
            "watch": settings.is_watched,
            "paused": state.paused,
            "doing": doing,
            "next": _wire_time(due),
            "last": ended_run(runs[0]) if runs else None,
            "asked": _wire_time(_asked(state, runs)),
            "news": rfc_time(history.news[0]) if history.news else None,
            "since": rfc3339(source.added.replace(microsecond=0)),
            "waiting": waiting,
            "lag_s": None if whole is None else round(max(0.0, now.timestamp() - whole), 1),
            "files": files,
            "flags": flags,
            "trouble": trouble,
        }

    async def _problems(
        self, source: RegisteredSource, state: JobState, history: JobHistory, files: FileCounts, *, doing: bool
    ) -> tuple[list[str], str]:
        """Return the flags of a source, and the error that explains them."""
        path = source.settings.path
        try:
            schedule = self.jobs.schedule_of(source.settings.schedule, source.added)
        except MemdError as error:
            return ["schedule"], error.message
        flags = flags_of(state, schedule, history, files.unreadable, self.jobs.clock(), running=doing)
        if not state.paused and path is not None and await _is_absent(path):
            flags = ["absent", *flags]
        explained = history.last and {"failing", "incomplete", "stopped"} & {*flags}
        return flags, history.last[0].detail if explained else ""

    def _waiting(self, job: str, state: JobState, now: datetime) -> WaitingStatus | None:
        """Return the wait of a source; without a schedule, the wait that its server told an earlier owner."""
        if (wait := self.jobs.queue.waiting_for(job)) is not None:
            until = now + timedelta(seconds=max(0.0, wait.until - anyio.current_time()))
            return {"until": until.replace(microsecond=0), "why": wait.why}
        if state.wait_until is None or state.wait_until <= now or self.jobs.queue.state_of(job) == "running":
            return None
        return {"until": state.wait_until.replace(microsecond=0), "why": state.wait_why}

    async def maintenance_statuses(self) -> list[MaintenanceStatus]:
        """Return every scheduled maintenance with its last run and the next."""
        statuses: list[MaintenanceStatus] = []
        states = await self.repository.states()
        for job in self._maintenance.values():
            runs = await self._pipeline.journal.runs.last(1, job=job.name)
            last = runs[0] if runs else None
            doing = self.jobs.queue.state_of(job.name)
            now, state = self.jobs.clock(), states.get(job.name, JobState())
            try:
                schedule = self.jobs.schedule_of(job.schedule, state.due or now)  # by the schedule that was in force
            except MemdError as error:
                flags, trouble = ["schedule"], error.message
            else:
                flags = maintenance_flags(state, schedule, last, now, running=bool(doing))
                trouble = last.detail if last else ""
            statuses.append(
                {
                    "name": job.name.partition(":")[2],
                    "schedule": job.schedule,
                    "doing": doing,
                    "next": _wire_time(self.jobs.next_due(job.name)),
                    "last": ended_run(last) if last else None,
                    "flags": flags,
                    "trouble": trouble,
                }
            )
        return statuses

    async def failing(self) -> bool:
        """Return whether a source or maintenance needs a person: a daemon that brings nothing in is not healthy."""
        wrong = {"failing", "silent", "overdue", "interrupted", "schedule", "absent", "stopped"}
        jobs = [*await self.statuses(), *await self.maintenance_statuses()]
        return any(wrong & {*each["flags"]} for each in jobs)

    async def runs(self, request: RunsRequest) -> RunPage:
        """Return a page of the runs that ended last, the newest first; ``next`` (a run, for ``before``) when there may
        be more.

        Raises:
            NotFoundError: there is no such source, and no run of one.
        """
        job = None if request.source is None else await self._job_of(request.source)
        journal = self._pipeline.journal
        ended_runs = await journal.runs.last(request.limit, job=job, before=request.before)
        paths = await journal.run(partial(paths_read, runs=[run.run for run in ended_runs]))
        notes = await journal.run(partial(note_files.counts_of_runs, runs=[run.run for run in ended_runs]))
        page: RunPage = {
            "runs": [
                ended_run(run) | _read_part(paths.get(run.run, [])) | _notes_part(notes.get(run.run))
                for run in ended_runs
            ]
        }
        if len(ended_runs) == request.limit:
            page["next"] = ended_runs[-1].run
        return page

    async def run(self, identifier: str) -> RunAnswerWire:
        """Return a run, by its id or the beginning of it, with its receipt and its notices.

        Raises:
            NotFoundError: there is none, or several begin so.
        """
        journal = self._pipeline.journal
        record = await journal.runs.with_prefix(identifier)
        if record is None:
            raise NotFoundError("no run has this id", hint="`memd runs` lists them")
        answer = ended_run(record) if record.ended else ended_run(record) | {"finished": ""}
        notices = await journal.runs.notices(record.run)
        notes = await journal.run(partial(note_files.counts_of_runs, runs=[record.run]))
        receipt = await journal.run(partial(receipt_of, run=record.run))
        return answer | receipt | {"notices": notices} | _notes_part(notes.get(record.run))

    async def add_receipt(self, request: ReceiptRequest) -> ReceiptAnswer:
        """Add a receipt part to a run.

        Raises:
            NotFoundError: there is no such run, or it has no receipt to go on with.
        """
        record = await self._pipeline.journal.runs.with_prefix(request.run)
        if record is None or record.run != request.run:
            raise NotFoundError("there is no such run")
        receipt = request.model_dump(
            mode="json", exclude={"run", "continues", "more"}, exclude_none=True, exclude_defaults=False
        )
        save = going_on if request.continues else partial(saving_receipt, placed=True)
        await self._pipeline.journal.run(save(record.run, receipt, more=request.more))
        return {"run": record.run}

    async def _job_of(self, name: str) -> str:
        """The job of a source, also of one that was removed and of which runs are remembered.

        Raises:
            NotFoundError: there is neither.
        """
        if await self._pipeline.journal.runs.last(1, job=f"source:{name}"):
            return f"source:{name}"
        return (await self.repository.get(name)).settings.job

    async def measured(self) -> list[Measured]:
        """The metrics of sources and of what is scheduled; labels are the names that the user gave."""
        states, maintenance = await self.statuses(), await self.maintenance_statuses()
        jobs = [(f"source:{each['name']}", each) for each in states]
        jobs += [(f"maintenance:{each['name']}", each) for each in maintenance]
        flags = {flag: {each["name"]: float(flag in each["flags"]) for each in states} for flag in _MEASURED_FLAGS}
        return [
            Measured(f"memd_source_{flag}", words, flags[flag], "source") for flag, words in _MEASURED_FLAGS.items()
        ] + [
            Measured(
                "memd_source_unreadable_files",
                "Files of a source that cannot be read.",
                {each["name"]: float(each["files"].unreadable) for each in states},
                "source",
            ),
            Measured(
                "memd_source_lag_seconds",
                "Time since the begin of the last run that read everything.",
                {each["name"]: each["lag_s"] for each in states if each["lag_s"] is not None},
                "source",
            ),
            Measured(
                "memd_job_last_end_timestamp_seconds",
                "When a source was read, or maintenance done, last.",
                {job: max(_ends_of(each)) for job, each in jobs if each["last"] or each.get("asked")},
                "job",
            ),
            Measured(
                "memd_job_last_success",
                "Whether the last run of a source or of maintenance ended well.",
                {job: float(each["last"]["outcome"] == "ok") for job, each in jobs if each["last"]},
                "job",
            ),
            Measured(
                "memd_job_next_run_timestamp_seconds",
                "When a source is read, or maintenance done, next.",
                {job: _seconds(each["next"]) for job, each in jobs if each["next"]},
                "job",
            ),
            Measured("memd_jobs_running", "Jobs that run.", float(sum(each["doing"] == "running" for _, each in jobs))),
            Measured(
                "memd_jobs_waiting", "Jobs that wait.", float(sum(each["doing"] == "waiting" for _, each in jobs))
            ),
        ]

    # --- changes ----------------------------------------------------------------------------------------------------

    async def add(self, request: AddSourceRequest) -> SourceAnswer:
        """Remember a source and schedule it.

        Raises:
            InvalidError: its settings cannot be used, or such a source is there.
        """
        settings = await self.usable(request.settings)
        if settings.path is not None and not await to_thread.run_sync(settings.path.is_dir):
            raise await _no_folder(settings.path)
        secrets = secrets_of(settings, request.secrets)
        secrets.pop("access_token", None)  # it is valid for an hour
        async with self.keeping_secrets:
            await self.repository.add(settings)
            try:
                await to_thread.run_sync(
                    remove_secrets, settings.name, self._settings.data_dir
                )  # of one that was declared
                if secrets:
                    await to_thread.run_sync(store_secrets, settings, self._settings.data_dir, secrets)
            except StoreError:  # half a source would only stop
                await self.repository.remove(settings.name)
                raise
        await self.jobs.schedule_source(await self.repository.get(settings.name))
        return await self.show(settings.name)

    async def change(self, request: ChangeSourceRequest) -> SourceAnswer:
        """Change settings of a source. A run of it that goes on ends early, and the next reads with the new ones; what was
        read, its history and whether it is paused stay.

        Raises:
            NotFoundError: there is none of this name.
            InvalidError: the settings cannot be used, or it is declared in the configuration.
        """
        before = (await self.repository.get(request.name)).settings
        if wrong := [name for name in ("name", "kind") if name in request.settings]:
            raise InvalidError(f"the {wrong[0]} of a source cannot be changed", hint="remove it, and add another")
        merged = {**before.to_wire(), **request.settings, "name": before.name, "kind": before.kind}
        settings = await self.usable({name: value for name, value in merged.items() if value is not None})
        # An absent folder is no reason against another schedule: it may be mounted later.
        if settings.path not in (None, before.path) and not await to_thread.run_sync(settings.path.is_dir):
            raise await _no_folder(settings.path)
        if settings != before:
            await self.repository.change(settings)
            await self.jobs.schedule_source(await self.repository.get(settings.name))
        return await self.show(settings.name)

    async def sweep_secrets(self) -> None:
        """Remove secrets that no source has had for long, and say so."""
        async with self.keeping_secrets:
            names = await self.repository.names()
            try:
                removed, waiting = await to_thread.run_sync(sweep_secrets, self._settings.data_dir, names)
            except StoreError as error:  # doctor tells it, too; nothing else depends on it
                log.warning("secrets of no source were not removed: %s", error.message)
                return
        for name in removed:
            log.warning("the secrets of %r were removed: there is no such source", name)
        for name in waiting:
            log.warning("there are secrets of %r and no such source: they are removed in %d days", name, UNUSED_DAYS)

    async def usable(self, values: Mapping[str, Any]) -> SourceSettings:
        """The settings of a source that somebody gave.

        Raises:
            InvalidError: they cannot be used.
        """
        try:
            settings = source_settings(values)
        except ValidationError as error:
            problems = tuple(problems_of(error, SETTING_NAMES))
            raise InvalidError("; ".join(problems), problems=problems) from None
        if settings.kind != "folder" and settings.kind not in self._connectors:
            kinds = ", ".join(["folder", *self._connectors])
            raise InvalidError(f"there is no kind of source {settings.kind!r}", hint=f"kinds: {kinds}")
        if isinstance(settings, FolderSettings) and settings.format is not None:
            require_format(settings.format)
        self.jobs.schedule_of(settings.schedule, self.jobs.clock())
        await to_thread.run_sync(_refuse_own_data, settings, self._settings.data_dir)
        return settings

    async def remove(self, request: SourceRequest) -> RemovedSource:
        """Read a source no more; what was read of it stays.

        Raises:
            NotFoundError: there is none of this name.
            InvalidError: it is declared in the configuration.
        """
        async with self.keeping_secrets:
            await self.repository.remove(request.name)
            await to_thread.run_sync(remove_secrets, request.name, self._settings.data_dir)
        self.jobs.unschedule(f"source:{request.name}")
        await to_thread.run_sync(self.accounts.forget, request.name, f"source:{request.name}")
        return {"name": request.name}

    async def pause(self, request: PauseSourceRequest) -> SourceAnswer:
        """Stop reading a source by itself, or go on.

        Raises:
            NotFoundError: there is none of this name.
        """
        source = await self.repository.get(request.name)
        await self.repository.set_paused(source.settings.job, paused=request.paused)
        await self.jobs.schedule_source(source)
        return await self.show(request.name)

    async def sync(self, request: SyncRequest, tell: ReportProgress) -> SyncReport:
        """Read sources now: those named, else all that are not paused. With ``wait`` it returns when what is new is found
        by words and vectors, else when the runs were asked for.

        Raises:
            NotFoundError: there is no source of a name.
        """
        sources = await self.repository.all()
        states = await self.repository.states()
        stopped: list[StoppedSource] = []
        if request.sources:
            chosen = [await self.repository.get(name) for name in dict.fromkeys(request.sources)]
        else:
            chosen = [each for each in sources if not states.get(each.settings.job, JobState()).paused]
            left_out = [each for each in sources if states.get(each.settings.job, JobState()).stopped]
            stopped = [await self._stopped(each) for each in left_out]
        requests = [(each, self.jobs.queue.request(each.settings.job, "sync", again=request.again)) for each in chosen]
        report: SyncReport = {"waited": request.wait, "sources": [{"name": each.settings.name} for each in chosen]}
        if stopped:
            report["stopped"] = stopped
        for number, (source, one) in enumerate(requests if request.wait else ()):
            tell(OperationProgress(f"reading {source.settings.name}", number, len(requests)))
            await one.done.wait()
            report["sources"][number] = await self._result(source, one, tell, (number, len(requests)))
        if request.nightly and self.jobs.scheduler is None:
            report["maintenance"] = await self._do_due_maintenance(tell)
        return report

    async def _do_due_maintenance(self, tell: ReportProgress) -> list[dict[str, Any]]:
        """Do the maintenance whose time has come since it was last done, one after the other; return the runs. What is
        seen for the first time is due from its next time on.
        """
        runs: list[dict[str, Any]] = []
        jobs = await self.jobs.due_maintenance()
        for number, (job, due) in enumerate(jobs):
            tell(OperationProgress(job.partition(":")[2], number, len(jobs)))
            one = self.jobs.queue.request(job, "schedule", due)
            await one.done.wait()
            if (record := await self._pipeline.journal.runs.with_prefix(one.outcome.run)) is not None:
                runs.append(ended_run(record))
        return runs

    async def _stopped(self, source: RegisteredSource) -> StoppedSource:
        """Return the entry of a source that is skipped until a person acts."""
        runs = await self._pipeline.journal.runs.last(1, job=source.settings.job)
        name = source.settings.name
        hint = f"then `memd sync {shlex.quote(name)}` reads it, and it goes on by itself"
        return {"name": name, "why": runs[0].detail if runs else "", "hint": hint}

    async def _result(
        self, source: RegisteredSource, request: JobRequest, tell: ReportProgress, place: tuple[int, int]
    ) -> dict[str, Any]:
        name, run = source.settings.name, request.outcome.run
        if not run:
            return {"name": name, "outcome": "failed", "detail": request.error or "it did not begin"}
        tell(OperationProgress(f"storing {name}", *place))
        try:
            last = await self._pipeline.runs.wait(run, "vectors")
        except NotFoundError:
            return {"name": name, "outcome": "partial", "detail": "memd ended first", "run": run}
        notices = request.outcome.notices.to_wire()
        receipt = await self._pipeline.journal.run(partial(receipt_of, run=run))
        return {"name": name, **last.to_wire(), **receipt} | ({"notices": notices} if notices else {})


def _refuse_own_data(settings: SourceSettings, data_dir: Path) -> None:
    """Refuse a folder in which memd would read its own files, and one for read exports that leads into either; links count.

    Raises:
        InvalidError: it is the data directory, lies in it, or holds it in a folder that is not hidden; or exports would
            be moved into the folder that they are read from, or among memd's own files.
    """
    if not isinstance(settings, FolderSettings) or settings.path is None:
        return
    folder, data_folder = settings.path.resolve(), data_dir.resolve()
    inside = data_folder.is_relative_to(folder) and not any(
        part.startswith(".") for part in data_folder.relative_to(folder).parts
    )
    if inside or folder.is_relative_to(data_folder):
        raise InvalidError(f"{settings.path} holds memd's own data", hint="name the folder of the exports alone")
    if settings.move_to is not None:
        target = settings.move_to.resolve()
        if target.is_relative_to(folder) or target.is_relative_to(data_folder):
            what = "the folder that is read" if target.is_relative_to(folder) else "memd's own data"
            raise InvalidError(f"{settings.move_to} leads into {what}", hint="move read exports to a folder beside it")


async def _is_absent(path: Path) -> bool:
    """Return whether the folder is missing. A file system that does not answer is not waited for: the run will report
    it.
    """
    with anyio.move_on_after(LOOK_SECONDS):
        return not await to_thread.run_sync(path.is_dir, abandon_on_cancel=True)
    return False


def _file_lines(states: Sequence[FileState]) -> list[SourceFile]:
    """Return the files that are not in the memory, or not whole, and why; a count where it is a matter of records."""
    lines: list[SourceFile] = []
    for state in states:
        line: SourceFile = {"path": state.path, "reason": state.reason or state.note}
        if state.rejected:
            line["rejected"] = state.rejected
        lines.append(line)
    return lines


def _asked(state: JobState, runs: Sequence[EndedRun]) -> datetime | None:
    """Return the time when a source was asked last, with or without news."""
    ended = datetime.fromtimestamp(runs[0].ended, UTC) if runs else None
    return max(filter(None, (state.asked, ended)), default=None)


def _ends_of(status: Mapping[str, Any]) -> list[float]:
    """Return the last times when a job ended, by its history and by its source."""
    ends = (status["last"] and status["last"]["finished"], status.get("asked"))
    return [_seconds(text) for text in ends if text]


def _seconds(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


def _wire_time(moment: datetime | None) -> str | None:
    return None if moment is None else rfc3339(moment.replace(microsecond=0))


def _read_part(paths: Sequence[str]) -> dict[str, Any]:
    """The part of a listed run that names what it read; empty if it read no file."""
    return {"read": {"count": len(paths), "paths": [*paths[:_PATHS_LISTED]]}} if paths else {}


def _notes_part(counts: Mapping[str, int] | None) -> dict[str, Any]:
    """The part of a run that counts the notes of a mirror; empty if none went, came back or got another name."""
    return {"notes": dict(counts)} if counts else {}


async def _no_folder(path: Path) -> InvalidError:
    """Return the error for a path that is no folder: a file, or nothing at all."""
    if await to_thread.run_sync(path.exists):
        return InvalidError(
            f"{path}: it is a file, not a folder", hint=f"memd ingest {shlex.quote(str(path))} reads it"
        )
    return InvalidError(f"{path}: no such folder", hint="check the path; a folder of another disk must be mounted")
