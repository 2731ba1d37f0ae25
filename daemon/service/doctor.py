"""Checks everything that is stored while the daemon runs, and repairs what is derived."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING

import anyio

from ...memory.memory import EvolvingMemory
from ...memory.records import CheckResult
from ...schemas.errors import StoreError
from ..diagnostics.checks import (
    DoctorReport,
    environment_checks,
    generation_finding,
    journal_findings,
    made_private,
    opt_out_findings,
    replaced_store_findings,
    report,
    secret_findings,
    worker_findings,
)
from ..journal import fed_stores
from ..operation_progress import OperationProgress, ReportProgress
from ..pipeline.pipeline import Pipeline
from .requests import DoctorRequest

if TYPE_CHECKING:
    from ...memory.llm.factory import LLM
    from ..config.settings import Settings

log = logging.getLogger(__name__)


class Doctor:
    """Checks and repairs of a running memory."""

    def __init__(
        self, settings: Settings, memory: EvolvingMemory, pipeline: Pipeline, llm: LLM | None, exclusive: anyio.Lock
    ) -> None:
        self._settings = settings
        self._memory = memory
        self._pipeline = pipeline
        self._llm = llm
        self._exclusive = exclusive

    async def check(self, request: DoctorRequest, tell: ReportProgress) -> DoctorReport:
        """Check everything while the daemon runs; with ``repair``, repair derived data."""
        repair = request.repair
        async with self._exclusive:
            tell(OperationProgress("looking around"))
            results = await anyio.to_thread.run_sync(lambda: list(environment_checks(self._settings)))
            repaired: list[str] = []
            if repair and any(each.check == "permissions" and each.repairable for each in results):
                await anyio.to_thread.run_sync(made_private, self._settings)
                repaired.append("permissions")
                results = await anyio.to_thread.run_sync(lambda: list(environment_checks(self._settings)))
            tell(OperationProgress("checking the journal"))
            results += await journal_findings(self._pipeline.journal)
            results += await secret_findings(self._settings, self._pipeline.journal)
            replaced = await replaced_store_findings(self._pipeline.journal, self._memory.database.store)
            if replaced and repair:
                await self._pipeline.journal.run(
                    partial(fed_stores.forget_other_stores, store=self._memory.database.store)
                )
                repaired.append("store")
                replaced = []
            results += replaced
            results += self._working()
            results += await opt_out_findings(self._settings, self._memory)
            tell(OperationProgress("checking the store"))
            async with self._pipeline.paused():
                mended = await self._memory.check()
                if repair and any(each.repairable for each in mended):
                    tell(OperationProgress("repairing"))
                    await self._memory.repair()
                    repaired += [each.check for each in mended if each.repairable]
                    mended = await self._memory.check()
            self._pipeline.embed_more()
            return report(results + mended, repaired=repaired)

    async def warn_of_opt_outs(self) -> None:
        """Log the names that the settings keep from the model and that match nothing stored."""
        if self._llm is None:
            return
        try:
            for finding in await opt_out_findings(self._settings, self._memory):
                log.warning("%s; %s", finding.detail, finding.hint)
        except StoreError as error:
            log.warning("whether the names in llm.keep_conversations fit cannot be looked up: %s", error)

    def _working(self) -> list[CheckResult]:
        """Return the present failures of this owner."""
        results: list[CheckResult] = []
        for what, why in self._pipeline.trouble.items():
            results.append(
                CheckResult(what, "warning", f"{what} fails at present: {why}", "it is tried again by itself")
            )
        return results + worker_findings(self._pipeline) + generation_finding(self._memory.degraded())
