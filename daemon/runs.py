"""Runs: what one ingest has done so far, from its first document to its last vector. Counts only, no texts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import anyio

from ..schemas import Outcome, ProgressUpdate, Stage, StoreReport

Milestone = Literal["stored", "vectors"]
"""``stored``: searchable by words. ``vectors``: by vectors too, or as far as that is possible; the run has ended."""


@dataclass
class Run:
    """One run. Counts are of messages (a text counts as one) and never fall."""

    id: str
    source: str
    started: float
    """Seconds since 1970."""
    stage: Stage = "reading"
    open: bool = True
    """More documents may come."""
    processed: int = 0
    """Acknowledged: in the journal, or known already."""
    queued: int = 0
    """Messages in the journal: to be written, or to be tried again."""
    entries: int = 0
    """Entries of the journal they are in."""
    report: StoreReport = field(default_factory=StoreReport)
    embedded: int = 0
    to_embed: int = 0
    made_before: int = 0
    """How many vectors the worker had made when this run began."""
    outcome: Outcome | None = None
    detail: str = ""
    finished: float | None = None
    stored: anyio.Event = field(default_factory=anyio.Event)
    ended: anyio.Event = field(default_factory=anyio.Event)

    @property
    def drained(self) -> bool:
        """Whether all that will ever come is written or given up."""
        return not self.open and self.entries == 0

    def update(self) -> ProgressUpdate:
        """The state as it travels."""
        report = self.report
        return ProgressUpdate(
            run=self.id,
            stage=self.stage,
            source=self.source,
            processed=self.processed,
            total=None if self.open else self.processed,
            added=report.added,
            updated=report.updated,
            unchanged=report.unchanged,
            rejected=report.rejected,
            failed=report.failed,
            documents=report.documents,
            embedded=min(self.embedded, self.to_embed) if self.to_embed else self.embedded,
            to_embed=self.to_embed,
            outcome=self.outcome,
            detail=self.detail,
        )

    def verdict(self) -> Outcome:
        """How it went, by what was rejected or given up."""
        bad = self.report.failed + self.report.rejected
        good = self.report.added + self.report.updated + self.report.unchanged
        if not bad:
            return "ok"
        return "partial" if good else "failed"
