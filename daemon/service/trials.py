"""Trials of the language model on stored messages: what it proposes, what is refused and why, and what that takes."""

from __future__ import annotations

import time
import uuid
from typing import TYPE_CHECKING

from ...memory.memory import EvolvingMemory
from ...memory.search_types import Filter
from ...memory.store import documents_read
from ...schemas.errors import ConfigError
from ..forgetting.active_answers import ActiveAnswers
from ..operation_progress import OperationProgress, ReportProgress
from ..pipeline.pipeline import Pipeline
from .requests import TrialRequest

if TYPE_CHECKING:
    from ...memory.extraction.extractor import Extraction
    from ...memory.extraction.llm import LLMExtractor
    from ...memory.extraction.window import Window
    from ...memory.llm.factory import LLM
    from ..config.settings import Settings
    from .answers.facts import TrialReport, TriedMessage, TriedProposals

PAGE = 200
"""Documents of a page."""


class ModelTrials:
    """Shows the model some messages, and stores nothing of what it says.

    Args:
        settings: of the process.
        memory: whose messages are shown.
        pipeline: reads on when the model proved useful.
        answering: ends what is under way before something is forgotten.
        llm: the model; None where none is set.
    """

    def __init__(
        self, settings: Settings, memory: EvolvingMemory, pipeline: Pipeline, answering: ActiveAnswers, llm: LLM | None
    ) -> None:
        self._settings = settings
        self._memory = memory
        self._pipeline = pipeline
        self._answering = answering
        self._llm = llm

    async def try_model(self, request: TrialRequest, report: ReportProgress) -> TrialReport:
        """Show the model the messages that are the most likely to hold facts. A model that was asked no more because its
        answers were useless is asked again when most of these are of use.

        Raises:
            ConfigError: no model is set.
            BudgetError: what may be spent is spent.
            BusyError: something was forgotten meanwhile.
            ExtractionError: the model cannot be reached or used.
        """
        if self._llm is None:
            raise ConfigError(
                "no language model is set",
                hint="`memd llm setup` finds one on this machine; a running memd takes it after a restart",
            )
        from ...memory.facts.trial_choice import CHOICE, likely_messages
        from ...memory.llm.usefulness import AnswerTally
        from ..llm import rules_of, trial_extractor_of

        tally = AnswerTally()
        extractor = trial_extractor_of(self._llm, self._settings.llm, tally)
        async with self._answering.under_way():
            windows = await self._newest_windows()
            allowed = [window for window in windows if not extractor.is_private(window)]
            chosen = await likely_messages(allowed, rules_of(), request.limit)
            tried: list[TriedMessage] = []
            for number, window in enumerate(chosen):
                report(OperationProgress("asking the model", number, len(chosen)))
                tried.append(await self._tried(extractor, window, self._llm))
        usable = tally.useful > 0 and tally.useful >= tally.useless
        if usable:
            await self._llm.usefulness.note_useful()
            if self._pipeline.extraction_worker is not None:
                self._pipeline.extraction_worker.wake()
        return {
            "model": self._llm.model.name,
            "place": self._llm.model.place,
            "choice": CHOICE,
            "withheld": sum(len(window.lines) for window in windows) - sum(len(window.lines) for window in allowed),
            "messages": tried,
            "useful": tally.useful,
            "useless": tally.useless,
            "usable": usable,
        }

    async def _newest_windows(self) -> list[Window]:
        from ...memory.facts.trial_choice import MESSAGES

        keys: list[uuid.UUID] = []
        messages = 0
        while messages < MESSAGES:
            page = await self._memory.database.read(documents_read.listing, Filter(), keys[-1] if keys else None, PAGE)
            for line in page:
                if messages < MESSAGES:
                    keys.append(line.key)
                    messages += max(1, line.messages)
            if len(page) < PAGE:
                break
        return await self._memory.fact_service.windows(keys)

    async def _tried(self, extractor: LLMExtractor, window: Window, llm: LLM) -> TriedMessage:
        """Show the model one message, and return the result."""
        run, began = uuid.uuid4().hex, time.perf_counter()
        (extraction,) = await extractor.extract([window], run)
        seconds = time.perf_counter() - began
        spent = await llm.ledger.totals("run", run=run)
        line = window.lines[0]
        return {
            "document_id": window.document_id,
            "message_id": line.message_id,
            "speaker": line.speaker,
            "time": line.time,
            "text": line.text,
            **_proposals(extraction),
            "seconds": round(seconds, 3),
            "calls": sum(each.usage.calls for each in spent),
            "prompt_tokens": sum(each.usage.prompt_tokens for each in spent),
            "completion_tokens": sum(each.usage.completion_tokens for each in spent),
            "money": sum(each.money or 0.0 for each in spent) if _is_priced(llm) else None,
        }


def _is_priced(llm: LLM) -> bool:
    return llm.model.name in llm.ledger.settings.prices


def _proposals(extraction: Extraction) -> TriedProposals:
    return {
        "proposals": [
            {
                "subject": each.subject,
                "attribute": each.attribute,
                "value": each.value,
                "content": each.content,
                "quote": next((cited.quote for cited in each.evidence), ""),
            }
            for each in extraction.statements
        ],
        "refused": [
            {
                "subject": each.subject,
                "attribute": each.attribute,
                "value": each.value,
                "content": each.content,
                "quote": each.quote,
                "reason": each.reason,
            }
            for each in extraction.refusals
        ],
        "failure": extraction.failure,
    }
