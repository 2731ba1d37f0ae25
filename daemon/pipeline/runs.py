"""Runs: the progress of each ingest from its first document to its last vector, its publication, its log lines and its
end.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from anyio import CancelScope

from ...memory.supervision import describe_error, is_recoverable
from ...schemas import Outcome, ProgressUpdate, Stage, StoreReport
from ...schemas.errors import InvalidError, NotFoundError
from ...schemas.times import rfc3339
from ..client import STOPPED_MESSAGE
from ..journal.journal import Journal
from ..journal.run_history import EndedRun
from .measurements import Measurements
from .progress import ProgressHub

Milestone = Literal["stored", "vectors"]
"""A point that can be awaited. ``stored``: all of a run is searchable by words. ``vectors``: by vectors too, as far as
possible; the run has ended.
"""
LAST_RUNS = 10
"""The number of ended runs in a status."""
COUNTS = ("processed", "documents", "added", "updated", "unchanged", "rejected", "failed", "forgotten")
"""The fields of a progress update that are logged, and stored with an ended run."""

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Run:
    """The progress of one run; counts of messages, which never fall."""

    run: str
    source: str
    touched: float
    report: StoreReport = field(default_factory=StoreReport)
    """The store's counts, and those of records rejected before it."""
    processed: int = 0
    waiting: int = 0
    """The number of its documents in the journal."""
    checking: bool = False
    """True if changes of folder contents that it found may still change tags of stored documents."""
    finished: bool = False
    searchable: bool = False
    """True if all is stored and in the words index."""
    read: bool = False
    """True if no more facts are extracted from it, so that the number of its texts without a vector is final."""
    of_job: bool = False
    """True if a job of memd sends its documents and ends it."""
    takes_up: bool = True
    """True if windows that could not be read are tried again with it."""
    ending: bool = False
    """True if its end is being recorded, and about to be published."""
    made_before: int = 0
    """The number of vectors that the embedder had made when the run began."""
    made_after: int | None = None
    """The number of vectors made when those of this run are complete; None until all is stored, and higher once facts
    are extracted.
    """
    logged: Stage = "reading"
    stage_began: float = field(default_factory=time.time)
    trouble: str = ""
    """The reason if it is incomplete, without private text."""
    broken: bool = False
    """True if an error ended the sending."""
    whole: bool = False
    """True if all its documents come in one request."""

    @property
    def stored(self) -> bool:
        """Return whether all its documents are stored or given up, and no more can come."""
        return self.finished and not self.waiting and not self.checking

    @property
    def stage(self) -> Stage:
        """Return its present stage."""
        if not self.finished:
            return "reading"
        return "embedding" if self.searchable else "storing"

    def outcome(self) -> Outcome:
        """Return its outcome, by the counts of failed and rejected records."""
        if self.report.failed and self.report.failed >= self.processed:
            return "failed"
        if self.broken and not self.processed:
            return "failed"
        return "partial" if self.report.failed or self.report.rejected or self.trouble else "ok"

    def log_stage(self, now: ProgressUpdate) -> None:
        """Log the stage that has ended with this update."""
        began, self.stage_began = self.stage_began, time.time()
        stage, self.logged = self.logged, now.stage
        facts: dict[str, object] = {
            "correlation_id": self.run,
            "stage": stage,
            "start": rfc_time(began),
            "end": rfc_time(self.stage_began),
            "took_ms": round((self.stage_began - began) * 1000, 1),
            **{name: getattr(now, name) for name in (*COUNTS, "embedded", "to_embed")},
        }
        if now.outcome is not None:
            facts["outcome"] = now.outcome
        log.info("%s ended", stage, extra=facts)

    def update(self, stage: Stage, vectors: int, *, outcome: Outcome | None = None, detail: str = "") -> ProgressUpdate:
        """Return the state in its wire form; ``vectors`` is the number of all vectors made since the embedder started."""
        made = vectors if self.made_after is None else min(vectors, self.made_after)
        return ProgressUpdate(
            run=self.run,
            stage=stage,
            source=self.source,
            processed=self.processed,
            total=self.processed if self.finished else None,
            added=self.report.added,
            updated=self.report.updated,
            unchanged=self.report.unchanged,
            rejected=self.report.rejected,
            failed=self.report.failed,
            forgotten=self.report.forgotten,
            documents=self.report.documents,
            waiting=self.waiting,
            embedded=made - self.made_before,
            to_embed=0 if self.made_after is None else self.made_after - self.made_before,
            outcome=outcome,
            detail=detail,
        )


def rfc_time(seconds: float) -> str:
    """Format seconds since 1970 as RFC 3339, to the millisecond."""
    return rfc3339(datetime.fromtimestamp(seconds, UTC).replace(microsecond=int(seconds % 1 * 1000) * 1000))


def ended_run(run: EndedRun) -> dict[str, Any]:
    """Return the wire form of an ended run."""
    body: dict[str, Any] = {
        "run": run.run,
        "source": run.source,
        "started": rfc_time(run.begun),
        "finished": rfc_time(run.ended),
        "outcome": run.outcome,
        **run.counts,
    }
    texts = {"job": run.job, "trigger": run.trigger, "detail": run.detail}
    body |= {name: value for name, value in texts.items() if value}
    moments = {"due": run.due, "undone": run.undone}
    return body | {name: rfc_time(moment) for name, moment in moments.items() if moment is not None}


class Runs:
    """The runs that are not over.

    Args:
        journal: stores the end of each.
        hub: publishes updates.
        made: returns the number of vectors made since the start.
        measurements: counts ended runs.
    """

    def __init__(self, journal: Journal, hub: ProgressHub, made: Callable[[], int], measurements: Measurements) -> None:
        self._journal = journal
        self.hub = hub
        self._made = made
        self._measurements = measurements
        self._going: dict[str, Run] = {}
        self.on_kept_out: Callable[[], Awaitable[None]] = _nothing
        """Called at the end of a run that brought something forgotten again: its receipt may name a forgotten person.
        """

    def __iter__(self) -> Iterator[Run]:
        return iter(list(self._going.values()))

    def add(self, run: str, source: str, *, of_job: bool = False, whole: bool = False) -> Run:
        """Begin a run."""
        state = self._going[run] = Run(
            run, source, time.monotonic(), made_before=self._made(), of_job=of_job, whole=whole
        )
        return state

    def open(self, run: str) -> Run:
        """Return the run with this id, to which more may be added.

        Raises:
            NotFoundError: there is none.
            InvalidError: it is finished.
        """
        state = self._going.get(run)
        if state is None:
            raise NotFoundError("there is no such run", hint="send the documents again, without `run`")
        if state.finished:
            raise InvalidError("the run is finished", hint="send the documents without `run` to begin another")
        return state

    async def wait(self, run: str, until: Milestone) -> ProgressUpdate:
        """Wait until a run has reached a milestone, and return its state.

        Raises:
            NotFoundError: there is no such run.
        """
        if self.hub.last(run) is None:
            raise NotFoundError("there is no such run")
        async with self.hub.follow(run) as updates:
            async for update in updates:
                if update.terminal or (until == "stored" and update.stage == "embedding"):
                    return update
        raise NotFoundError("the daemon ended before the run did")

    async def last(self) -> list[dict[str, Any]]:
        """Return the runs that ended last, the newest first, of this owner or an earlier one."""
        return [ended_run(run) for run in await self._journal.runs.last(LAST_RUNS)]

    async def end(self, run: Run, *, detail: str = "") -> None:
        """End a run: record the outcome, and publish it. With ``detail``, an error, it is partial at best."""
        if run.ending or run.run not in self._going:
            return
        run.ending = True
        detail = detail or run.trouble
        outcome = run.outcome()
        outcome = "partial" if detail and outcome == "ok" else outcome
        last = run.update("done", self._made(), outcome=outcome, detail=detail)
        with CancelScope(shield=True):  # shielded: a run whose end was interrupted would never end
            if run.report.forgotten:
                await self.on_kept_out()
            await self._note(run, last)
        run.log_stage(last)
        self._measurements.runs[outcome] += 1
        self.hub.publish(last)
        self._going.pop(run.run, None)

    async def note_stored(self) -> None:
        """Record the outcomes of runs that lack only vectors and facts: memd is shutting down, and the next owner makes
        those.
        """
        for run in self:
            if run.stored and not run.ending:
                await self._note(run, run.update("done", self._made(), outcome=run.outcome(), detail=run.trouble))

    async def _note(self, run: Run, last: ProgressUpdate) -> None:
        counts = {name: getattr(last, name) for name in COUNTS}
        try:
            await self._journal.runs.end(run.run, last.outcome or "partial", counts, last.detail)
        except BaseException as error:
            if not is_recoverable(error):
                raise
            log.warning("the end of a run was not noted: %s", describe_error(error), extra={"correlation_id": run.run})

    async def note_complete(self, run: Run) -> None:
        """Record that nothing more comes in this run: if memd is killed before its end, it counts as complete all the
        same.
        """
        if run.whole:
            return
        with CancelScope(shield=True):
            try:
                await self._journal.runs.note_complete(run.run, run.trouble)
            except BaseException as error:
                if not is_recoverable(error):
                    raise
                description = describe_error(error)
                log.warning("the last of a run was not noted: %s", description, extra={"correlation_id": run.run})

    async def withdraw(self, run: str) -> None:
        """Delete a run, as if it had never begun."""
        if self._going.pop(run, None) is not None:
            self.hub.withdraw(run)
            await self._journal.runs.withdraw(run)

    def tell(self, run: Run) -> None:
        """Publish the present state of a run."""
        update = run.update(run.stage, self._made())
        if run.logged != update.stage:
            run.log_stage(update)
        self.hub.publish(update)

    def get(self, run: str) -> Run | None:
        """Return the run with this id, if it is not over."""
        return self._going.get(run)

    def close(self) -> None:
        """Publish a last state of every run to its followers; unfinished work goes on with the next owner."""
        for run in self:
            self.hub.publish(run.update("done", self._made(), outcome="partial", detail=STOPPED_MESSAGE))
        self._going.clear()
        self.hub.close()


async def _nothing() -> None:
    pass
