"""Runs a source once: journals what its reader yields, batch by batch, with the cursor."""

from __future__ import annotations

import logging
import random
import shlex
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import anyio
import anyio.to_thread

from ...connectors.errors import (
    AuthorizationError,
    ConflictError,
    RateLimitError,
    UnavailableError,
    UntrustedCertificateError,
)
from ...connectors.live.contract import LiveConnector, Pause
from ...memory.ingest.batching import write_batches_of
from ...memory.supervision import Worker, describe_error, is_recoverable
from ...schemas import Notice
from ...schemas.errors import BusyError, ConfigError, MemdError, SourceError
from ..config.source_settings import SourceSettings
from ..journal.note_files import NoteChanges
from ..journal.receipts import saving_receipt
from ..journal.run_history import HINT_CAP, RunOrigin
from ..notices import Notices
from ..pipeline.pipeline import Pipeline
from ..scheduler.job_queue import JobRequest, RunOutcome, Waiting
from .account_watcher import watch_account
from .repository import JobState, RegisteredSource, SourceRepository, together
from .source_reader import LiveReader, SourceBatch, SourceReader

BATCH_MESSAGES = 2000
"""The maximum number of messages in one journal transaction."""
STALLED_SECONDS = 900.0
"""The time after which a reader that yields nothing counts as stuck, and its run ends."""
RATE_LIMIT_SECONDS = 60.0
"""The wait in seconds after a rate limit, if the source names none."""
LONGEST_WAIT = 86_400.0
"""The maximum wait in seconds that a source may ask for: its clock or its answer may be wrong."""
RATE_LIMIT_LEAST = 1.0
"""The minimum wait in seconds, even if the source asks for less."""
ENDED_EARLY = "the source was paused, removed or scheduled anew while it was read; the rest is left for its next run"
RATE_LIMIT_BUDGET = 120.0
"""The maximum total wait in seconds of one run, because it occupies a worker. A source that wants more is read again
later.
"""
UNREACHABLE_PAUSES = (1.0, 4.0, 15.0)
"""The pauses in seconds before an unreachable source is tried again in the same run; each is lengthened by up to half
at random.
"""
UNREACHABLE_MOST = 900.0
"""The longest pause in seconds after a run before an unreachable account is read again."""
FULL_QUEUE_TRIES = 20
"""The number of attempts to add a batch to a full queue; each attempt waits half a minute for room."""


class _SlowSourceError(RateLimitError):
    """A source that is always slow wants a longer wait than a run may take; the rest is left for the next run."""


@dataclass(slots=True)
class _Run:
    """A run in progress: its id, and the results so far."""

    id: str
    kept: int = 0
    incomplete: bool = False
    problems: list[str] = field(default_factory=list[str])
    notices: Notices = field(default_factory=Notices)


ConnectorFactory = Callable[[SourceSettings], LiveConnector]
log = logging.getLogger(__name__)


class SourceRunner:
    """Reads sources.

    Args:
        pipeline: takes the documents.
        repository: knows the sources.
        folder_reader: a reader of a folder.
        connectors: by kind, what makes a connector for a source.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        repository: SourceRepository,
        folder_reader: Callable[[SourceSettings, bool], Awaitable[SourceReader]],
        connectors: Mapping[str, ConnectorFactory],
    ) -> None:
        self._pipeline = pipeline
        self._repository = repository
        self._folder_reader = folder_reader
        self._connectors = connectors

    async def watch(self, settings: SourceSettings, changed: Callable[[], None], worker: Worker) -> None:
        """Call ``changed`` whenever an account announces something new; returns where it cannot."""
        if (make := self._connectors.get(settings.kind)) is not None:
            await watch_account(partial(make, settings), changed, worker)

    async def run(self, source: RegisteredSource, request: JobRequest) -> RunOutcome:
        """Read what is new.

        Raises:
            BusyError: the daemon is about to end.
            StoreError: the journal cannot be used; nothing began.
        """
        settings = source.settings
        due = None if request.due is None else request.due.timestamp()
        run = _Run(await self._pipeline.begin(settings.name, RunOrigin(settings.job, request.trigger, due)))
        try:
            await self._read(settings, request, run)
        except BaseException as error:
            if not is_recoverable(error):
                raise  # the daemon is shutting down: the run counts as interrupted, and is repeated
            run.problems.append(_words(error, settings))
            outcome = _outcome_of(error, run)
            if not isinstance(error, MemdError):
                log.exception("a source cannot be read", extra={"job": settings.job})
        else:
            outcome = RunOutcome(run.id, retry=run.incomplete, notices=run.notices)
        with anyio.CancelScope(shield=True):
            await self._record(settings, request.trigger, run, outcome)
        return outcome

    async def _read(self, settings: SourceSettings, request: JobRequest, run: _Run) -> None:
        async with aclosing(self._batches(settings, request)) as batches:
            async for batch in batches:
                if request.unwanted:  # nothing more is read, deleted or moved for this request
                    run.problems.append(ENDED_EARLY)
                    break
                run.kept += len(batch.documents) + batch.rejected
                run.incomplete |= bool(batch.incomplete)
                run.notices.merge(batch.notices)
                if batch.trouble:
                    run.problems.append(batch.trouble)
                if problem := await self._keep(run.id, batch):
                    run.problems.append(problem)
                run.kept += batch.memberships is not None and batch.memberships.noted
                if isinstance(batch.memberships, NoteChanges) and batch.memberships.noted and batch.memberships.removed:
                    run.notices.add(_removed_notes(settings, batch.memberships.removed, run.id))

    async def _record(self, settings: SourceSettings, trigger: str, run: _Run, outcome: RunOutcome) -> None:
        """Record the end of a run in the history, unless it says nothing new, and the wait that the server asked for."""
        job = settings.job
        await self._repository.note_end(job)
        if outcome.retry_after_s:
            await self._repository.note_wait_for(job, outcome.retry_after_s, outcome.why)
        elif (await self._repository.states()).get(job, JobState()).wait_until is not None:
            await self._repository.note_wait_for(job, None)
        notices = outcome.notices.to_wire()
        detail = "; ".join(run.problems[:3])
        # An account may be polled every few minutes, mostly without news.
        by_itself = ("watch", "retry") if settings.kind == "folder" else ("watch", "retry", "schedule", "resume")
        if not run.kept and trigger in by_itself and await self._is_told(job, detail, notices):
            if not detail:
                await self._repository.note_asked(job)
            await self._pipeline.withdraw(run.id)
            return
        if notices:
            await self._pipeline.journal.runs.note_notices(run.id, notices)
        if detail:
            log.warning("a source was not read whole: %s", detail, extra={"job": job, "run": run.id})
        await self._pipeline.finish(run.id, detail, broken=outcome.failed)

    async def _is_told(self, job: str, detail: str, notices: Sequence[Mapping[str, Any]]) -> bool:
        """Return whether an empty run may be left out of the history: same outcome as the previous run, and no new
        notices. A success after a failure is recorded, because the last run decides the health of a source.
        """
        last = await self._pipeline.journal.runs.last(1, job=job)
        if notices:
            stored = await self._pipeline.journal.runs.notices(last[0].run) if last else []
            if {(each["code"], each["hint"][:HINT_CAP]) for each in notices} - {
                (each["code"], each["hint"]) for each in stored
            }:
                return False
        if not last:
            return not detail
        return last[0].detail == detail and (bool(detail) or last[0].outcome == "ok")

    async def _batches(self, settings: SourceSettings, request: JobRequest) -> AsyncGenerator[SourceBatch, None]:
        """Yield the batches of the reader; retry after a rate limit or when the source cannot be reached."""
        failures, left, again = 0, RATE_LIMIT_BUDGET, request.again
        while True:
            reader = await self._reader(settings, again=again, told_alone=request.trigger == "watch")
            try:
                async with aclosing(reader.batches()) as batches:
                    while (batch := await _next_of(batches)) is not None:
                        yield batch
                        if batch.save is not None:  # the cursor has advanced, also in a full reread
                            failures, again = 0, False
                        if batch.pause is not None:
                            left -= await self._pause(settings.job, request, batch.pause, left)
                return
            except RateLimitError as error:
                seconds = (
                    RATE_LIMIT_SECONDS if error.retry_after_s is None else max(RATE_LIMIT_LEAST, error.retry_after_s)
                )
                if seconds > left:
                    raise
                left -= seconds
                log.info("a source asks to wait", extra={"job": settings.job, "seconds": seconds})
                await self._repository.note_wait_for(settings.job, seconds, error.message)  # also for the next owner
                await _wait(request, seconds, error.message)
            except UnavailableError as error:
                failures += 1
                if failures > len(UNREACHABLE_PAUSES):
                    raise
                pause = UNREACHABLE_PAUSES[failures - 1] * random.uniform(1.0, 1.5)  # noqa: S311 - no secret
                await _wait(request, pause, error.message)

    async def _pause(self, job: str, request: JobRequest, pause: Pause, left: float) -> float:
        """Wait as the source asks, then continue with the same reader; return the seconds waited.

        Raises:
            RateLimitError: the wait exceeds ``left``.
        """
        seconds = max(RATE_LIMIT_LEAST, pause.seconds)
        if seconds > left:
            raise (_SlowSourceError if pause.usual else RateLimitError)(pause.why, retry_after_s=seconds)
        await self._repository.note_wait_for(job, seconds, pause.why)
        await _wait(request, seconds, pause.why)
        return seconds

    async def _reader(self, settings: SourceSettings, *, again: bool, told_alone: bool) -> SourceReader:
        if settings.kind == "folder":
            return await self._folder_reader(settings, again)
        make = self._connectors.get(settings.kind)
        if make is None:
            kinds = ", ".join(["folder", *self._connectors])
            raise ConfigError(f"there is no kind of source {settings.kind!r}", hint=f"kinds: {kinds}")
        state = (await self._repository.states()).get(settings.job, JobState())
        cursor = None if again else state.cursor_of(settings)
        connector = await anyio.to_thread.run_sync(make, settings)
        return LiveReader(connector, settings, cursor, told_alone=told_alone)

    async def _keep(self, run: str, batch: SourceBatch) -> str:
        """Journal a batch; its last transaction also stores the cursor. Return the error of the step after storing, if
        any.
        """
        parts = list(write_batches_of(batch.documents, BATCH_MESSAGES)) or [()]
        receipts = [saving_receipt(run, receipt, placed=True) for receipt in batch.receipts]
        along = together(batch.save, *receipts) if receipts else batch.save
        begin = 0
        for number, part in enumerate(parts, start=1):
            places = batch.places[begin : begin + len(part)]
            begin += len(part)
            last = number == len(parts)
            lying = batch.memberships and batch.memberships.part({each.id for each in part}, last=last)
            for left in reversed(range(FULL_QUEUE_TRIES)):
                try:
                    await self._pipeline.accept(
                        run,
                        part,
                        rejected=batch.rejected if last else 0,
                        places=places,
                        along=along if last else None,
                        memberships=lying,
                    )
                    if batch.memberships is not None and lying is not None:
                        batch.memberships.noted |= lying.noted
                    break
                except BusyError:
                    if not left or self._pipeline.closed:
                        raise
        return "" if batch.after is None else await anyio.to_thread.run_sync(batch.after)


async def _next_of(batches: AsyncGenerator[SourceBatch, None]) -> SourceBatch | None:
    """Return the next batch; None at the end.

    Raises:
        UnavailableError: nothing came for too long.
    """
    with anyio.move_on_after(STALLED_SECONDS):
        return await anext(batches, None)
    raise UnavailableError(f"the source gave nothing for {STALLED_SECONDS:.0f} seconds")


async def _wait(request: JobRequest, seconds: float, why: str) -> None:
    """Sleep, and show the end and the reason of the wait in the request."""
    request.waiting = Waiting(anyio.current_time() + seconds, why)
    try:
        await anyio.sleep(seconds)
    finally:
        request.waiting = None


def _outcome_of(error: BaseException, run: _Run) -> RunOutcome:
    """Return what follows a run that an error ended: a stop until a person acts, or a later retry."""
    after = min(error.retry_after_s or 0.0, LONGEST_WAIT) if isinstance(error, RateLimitError) else 0.0
    away = isinstance(error, RateLimitError | UnavailableError)
    slow = isinstance(error, _SlowSourceError)
    return RunOutcome(
        run.id,
        failed=not slow,
        stopped=isinstance(error, AuthorizationError | ConflictError | UntrustedCertificateError),
        retry=run.incomplete or (isinstance(error, MemdError) and error.meaning.retryable),
        retry_after_s=after,
        retry_within_s=after if slow else UNREACHABLE_MOST if away else float("inf"),
        holds=away,
        why=describe_error(error),
        notices=run.notices,
    )


def _removed_notes(settings: SourceSettings, count: int, run: str) -> Notice:
    """Return the notice that notes go with their files, and how they come back."""
    what = (
        "1 note is removed, because its file is gone"
        if count == 1
        else f"{count:,} notes are removed, because their files are gone"
    )
    back = "it" if count == 1 else "them"
    return Notice(
        code="notes-removed", locator=str(settings.path), hint=f"{what}; `memd undo {run[:12]}` brings {back} back"
    )


def _words(error: BaseException, settings: SourceSettings) -> str:
    if isinstance(error, AuthorizationError):
        file = settings.secret_file
        name = shlex.quote(settings.name)
        then = f"correct {file}, then `memd sync {name}`" if file else f"`memd sources login {name}`"
        hints = "; ".join(dict.fromkeys(each for each in (error.hint, then) if each))
        return f"access was refused: {error.message}; {hints}"
    if isinstance(error, SourceError) and error.hint:
        return f"{error.message}; {error.hint}"
    return describe_error(error)
