"""Reading by batches: windows are asked about ahead, and their documents held back until the answers are in the cache.

Who reads then finds every answer there. What came back without one is asked for directly; so is everything where the
endpoint has no batches.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any
from uuid import UUID

from ...schemas.errors import BudgetError, ExtractionError
from ..extraction.llm import LLMExtractor, worth_asking
from ..extraction.window import Window
from ..llm.batch import BatchGateway
from ..llm.request import LLMRequest
from .service import FactService

DOCUMENTS_AT_ONCE = 500
"""Whose windows are cut at once; what they ask goes out as one batch."""


class BatchExtraction:
    """Prepares what is unread.

    Each document is looked at when it is new and when its answers have come: the work of all calls together grows with
    the number of documents, however many of them wait.

    Args:
        fact_service: lists the documents that await extraction.
        extractor: words the questions, in the very words of the one that reads.
        batches: sends them.
        pause: seconds between two looks at batches under way.
    """

    def __init__(
        self, fact_service: FactService, extractor: LLMExtractor, batches: BatchGateway, pause: float = 60.0
    ) -> None:
        self._fact_service = fact_service
        self._extractor = extractor
        self._batches = batches
        self.pause = pause
        self.trouble = ""
        """Why some are not asked for; without private text."""
        self._waiting: dict[UUID, frozenset[bytes]] = {}
        """Documents whose answers are not there yet, and the keys of these answers."""
        self._ready: dict[UUID, None] = {}
        """Documents to be read now, in their order."""
        self._looked = 0.0
        self._after = 0
        """The number of the last unread document that was looked at."""
        self._direct = False
        """The endpoint has no batches."""

    async def prepare(self, run: str, limit: int, without: Collection[UUID] = ()) -> list[UUID] | None:
        """Take the answers of batches that have ended, and send what is new as a batch, which counts for ``run``.

        Returns:
            At most ``limit`` unread documents that can be read now, none of them one of ``without``; None when all can
            be, because the endpoint has no batches.

        Raises:
            ExtractionError: the endpoint cannot be reached or used, or the model's answers are useless; what was noted
                stays noted.
        """
        now = time.monotonic()
        due = not self._looked or now - self._looked >= self.pause
        if self._direct:
            if due:
                self._looked = now
                await self._take_the_last()
            return None
        if due:
            await self._batches.poll()
            self._looked, self.trouble = now, ""
            await self._look_again()
        self._extractor.require_useful()
        await self._ask_about_new(run)
        if self._direct:
            self._waiting.clear()
            self._ready.clear()
            return None
        return await self._next(limit, without)

    async def _take_the_last(self) -> None:
        """Look after what was sent before the endpoint offered no batches any more: it is paid for, and holds our words."""
        if await self._batches.under_way():
            with suppress(ExtractionError):  # reading goes on without them
                await self._batches.poll()

    async def _look_again(self) -> None:
        """Documents none of whose answers is under way any more are looked at like new ones: the answers came, or the
        questions were not sent, or got lost. So are those that changed after they were read.
        """
        asked = {key for keys in self._waiting.values() for key in keys}
        under_way = await self._batches.waiting(asked)
        self._waiting = {key: keys for key, keys in self._waiting.items() if not keys.isdisjoint(under_way)}
        self._after = 0

    async def _ask_about_new(self, run: str) -> None:
        while not self._direct and not self.trouble:
            page = await self._fact_service.pending_extraction(self._after, DOCUMENTS_AT_ONCE)
            if not page:
                return
            new = [key for _, key in page if key not in self._waiting and key not in self._ready]
            if new:
                await self._ask_about(new, run)
            self._after = page[-1][0]

    async def _ask_about(self, documents: Sequence[UUID], run: str) -> None:
        wanted = await self._fact_service.new_windows(documents)
        asked = {document: self._questions(windows) for document, windows in wanted.items()}
        await self._submit([question for questions in asked.values() for question in questions.values()], run)
        known = await self._batches.known([key for questions in asked.values() for key in questions])
        for document, questions in asked.items():
            waits = questions.keys() - known - self._batches.unanswered
            if waits:
                self._waiting[document] = frozenset(waits)
            else:
                self._ready[document] = None

    async def _next(self, limit: int, without: Collection[UUID]) -> list[UUID]:
        """The first documents that are ready; those that were read meanwhile are dropped."""
        while True:
            first = list(islice((key for key in self._ready if key not in without), limit))
            done = set(first) - await self._fact_service.pending_extraction_among(first)
            if not done:
                return first
            for key in done:
                del self._ready[key]

    def _questions(self, windows: Sequence[Window]) -> Mapping[bytes, LLMRequest[Any]]:
        worth = [each for each in windows if worth_asking(each) and not self._extractor.is_private(each)]
        questions = [self._extractor.question(window) for window in worth]
        return {self._batches.key(question): question for question in questions}

    async def _submit(self, questions: Sequence[LLMRequest[Any]], run: str) -> None:
        left = [each for each in questions if self._batches.key(each) not in self._batches.unanswered]
        while left:
            try:
                done = await self._batches.submit(left, run)
            except BudgetError as error:
                self.trouble = error.message  # they stay held, and are tried again at the next look
                return
            self._direct = not done.supported
            if self._direct or not done.left:
                return
