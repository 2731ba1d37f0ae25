"""A run: what one ingest has done so far, from its first document to its last vector, as it is told and logged."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime

from ..schemas import Outcome, ProgressUpdate, Stage, StoreReport
from ..schemas.times import rfc3339

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
    finished: bool = False
    searchable: bool = False
    """All is stored, and the words index knows it."""
    read: bool = False
    """Nobody makes facts of it any more, so that it is known how many texts wait for vectors."""
    made_before: int = 0
    """Vectors that the embedder had made when the run began."""
    made_after: int | None = None
    """How many it will have made when those of this run are among them; None until all is stored, and more
    when its messages have been read."""
    told: Stage = "reading"
    stage_began: float = field(default_factory=time.time)

    @property
    def stored(self) -> bool:
        """Whether all that will ever come is written or given up."""
        return self.finished and not self.waiting

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
        return "partial" if self.report.failed or self.report.rejected else "ok"

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
            embedded=made - self.made_before,
            to_embed=0 if self.made_after is None else self.made_after - self.made_before,
            outcome=outcome,
            detail=detail,
        )


def rfc_time(seconds: float) -> str:
    """Seconds since 1970 as RFC 3339, to the millisecond."""
    return rfc3339(datetime.fromtimestamp(seconds, UTC).replace(microsecond=int(seconds % 1 * 1000) * 1000))
