"""Runs: what each ingest has done so far, from its first document to its last vector, as it is told, logged and ended."""

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
"""``stored``: all of a run is searchable by words. ``vectors``: by vectors too, as far as possible; the run has ended."""
LAST_RUNS = 10
"""How many ended runs a status tells of."""
COUNTS = ("processed", "documents", "added", "updated", "unchanged", "rejected", "failed", "forgotten")
"""The fields of a progress update that are remembered of an ended run, and logged."""

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Run:
    """What one run has done so far; counts of messages, which never fall."""

    run: str
    source: str
    touched: float
    report: StoreReport = field(default_factory=StoreReport)
    """What the store did, and what was rejected before it."""
    processed: int = 0
    waiting: int = 0
    """Documents in the journal."""
    checking: bool = False
    """Tags of stored documents may still change by what it found out."""
    finished: bool = False
    searchable: bool = False
    """All is stored, and the words index knows it."""
    read: bool = False
    """Nobody makes facts of it any more, so that it is known how many texts wait for vectors."""
    of_job: bool = False
    """A job of ours sends what belongs to it, and ends it."""
    takes_up: bool = True
    """Windows that could not be read are tried again with it."""
    ending: bool = False
    """Its end is being noted, and told in a moment."""
    made_before: int = 0
    """Vectors that the embedder had made when the run began."""
    made_after: int | None = None
    """How many it will have made when those of this run are among them; None until all is stored, and more
    when its messages have been read."""
    told: Stage = "reading"
    stage_began: float = field(default_factory=time.time)
    trouble: str = ""
    """Why not everything came in that should have, without private text."""
    broken: bool = False
    """An error ended what was sent."""
    whole: bool = False
    """Everything comes at once."""

    @property
    def stored(self) -> bool:
        """Whether all that will ever come is written or given up."""
        return self.finished and not self.waiting and not self.checking

    @property
    def stage(self) -> Stage:
        """Where it is."""
        if not self.finished:
            return "reading"
        return "embedding" if self.searchable else "storing"

    def outcome(self) -> Outcome:
        """How it went, by what was given up and rejected."""
        if self.report.failed and self.report.failed >= self.processed:
            return "failed"
        if self.broken and not self.processed:
            return "failed"
        return "partial" if self.report.failed or self.report.rejected or self.trouble else "ok"

    def log_stage(self, now: ProgressUpdate) -> None:
        """Log the stage that has ended with this update."""
        began, self.stage_began = self.stage_began, time.time()
        told, self.told = self.told, now.stage
        facts: dict[str, object] = {
            "correlation_id": self.run,
            "stage": told,
            "start": rfc_time(began),
            "end": rfc_time(self.stage_began),
            "took_ms": round((self.stage_began - began) * 1000, 1),
            **{name: getattr(now, name) for name in (*COUNTS, "embedded", "to_embed")},
        }
        if now.outcome is not None:
            facts["outcome"] = now.outcome
        log.info("%s ended", told, extra=facts)

    def update(self, stage: Stage, vectors: int, *, outcome: Outcome | None = None, detail: str = "") -> ProgressUpdate:
        """The state as it travels; ``vectors`` are all that the embedder has made since it started."""
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
    """Seconds since 1970 as RFC 3339, to the millisecond."""
    return rfc3339(datetime.fromtimestamp(seconds, UTC).replace(microsecond=int(seconds % 1 * 1000) * 1000))


def ended_run(run: EndedRun) -> dict[str, Any]:
    """A run that is over, in its wire form."""
    body: dict[str, Any] = {
        "run": run.run,
        "source": run.source,
        "started": rfc_time(run.begun),
        "finished": rfc_time(run.ended),
        "outcome": run.outcome,
        **run.counts,
    }
    told = {"job": run.job, "trigger": run.trigger, "detail": run.detail}
    body |= {name: value for name, value in told.items() if value}
    moments = {"due": run.due, "undone": run.undone}
    return body | {name: rfc_time(moment) for name, moment in moments.items() if moment is not None}


class Runs:
    """The runs that are not over.

    Args:
        journal: remembers how each ended.
        hub: tells whoever follows.
        made: how many vectors were made since the start.
        measurements: count ended runs.
    """

    def __init__(self, journal: Journal, hub: ProgressHub, made: Callable[[], int], measurements: Measurements) -> None:
        self._journal = journal
        self.hub = hub
        self._made = made
        self._measurements = measurements
        self._going: dict[str, Run] = {}
        self.on_kept_out: Callable[[], Awaitable[None]] = _nothing
        """Called at the end of a run that brought something forgotten again: its receipt may name whoever was forgotten."""

    def __iter__(self) -> Iterator[Run]:
        return iter(list(self._going.values()))

    def add(self, run: str, source: str, *, of_job: bool = False, whole: bool = False) -> Run:
        """Begin a run."""
        state = self._going[run] = Run(
            run, source, time.monotonic(), made_before=self._made(), of_job=of_job, whole=whole
        )
        return state

    def open(self, run: str) -> Run:
        """The run of that id, to which more may be added.

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
        """Return the run's state when it has come so far.

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
        """The runs that ended last, the newest first, by this owner or an earlier one."""
        return [ended_run(run) for run in await self._journal.runs.last(LAST_RUNS)]

    async def end(self, run: Run, *, detail: str = "") -> None:
        """It is over: remember how, and tell. With ``detail``, what went wrong, it is partial at best."""
        if run.ending or run.run not in self._going:
            return
        run.ending = True
        detail = detail or run.trouble
        outcome = run.outcome()
        outcome = "partial" if detail and outcome == "ok" else outcome
        last = run.update("done", self._made(), outcome=outcome, detail=detail)
        with CancelScope(shield=True):  # a run whose end has begun would never end
            if run.report.forgotten:
                await self.on_kept_out()
            await self._note(run, last)
        run.log_stage(last)
        self._measurements.runs[outcome] += 1
        self.hub.publish(last)
        self._going.pop(run.run, None)

    async def note_stored(self) -> None:
        """Remember how the runs went of which nothing is left but vectors and facts: memd ends, its next owner makes them."""
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
        """Remember that nothing more comes in it: if memd is killed before its end, it is as complete as it would have been."""
        if run.whole:
            return
        with CancelScope(shield=True):
            try:
                await self._journal.runs.note_complete(run.run, run.trouble)
            except BaseException as error:
                if not is_recoverable(error):
                    raise
                told = describe_error(error)
                log.warning("the last of a run was not noted: %s", told, extra={"correlation_id": run.run})

    async def withdraw(self, run: str) -> None:
        """Forget a run, as if it had never begun."""
        if self._going.pop(run, None) is not None:
            self.hub.withdraw(run)
            await self._journal.runs.withdraw(run)

    def tell(self, run: Run) -> None:
        """Tell how it stands."""
        update = run.update(run.stage, self._made())
        if run.told != update.stage:
            run.log_stage(update)
        self.hub.publish(update)

    def get(self, run: str) -> Run | None:
        """The run of that id, if it is not over."""
        return self._going.get(run)

    def close(self) -> None:
        """Tell every follower how its run stands; what is left goes on with the next owner."""
        for run in self:
            self.hub.publish(run.update("done", self._made(), outcome="partial", detail=STOPPED_MESSAGE))
        self._going.clear()
        self.hub.close()


async def _nothing() -> None:
    pass
