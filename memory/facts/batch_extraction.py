"""Extraction by batches: windows are asked about ahead, and their documents are held back until the answers are in the
cache.

The extractor then finds every answer there. Questions without an answer are asked directly; so are all questions if the
endpoint has no Batch API.
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
"""The documents whose windows are cut at once; their questions go out as one batch."""


class BatchExtraction:
    """Prepares unread documents.

    Each document is checked when it is new and when its answers have arrived, so that the total work of all calls is
    linear in the number of documents, however many of them wait.

    Args:
        fact_service: lists the documents that await extraction.
        extractor: makes the questions; its prompt must equal that of the extractor that reads afterwards.
        batches: sends the questions.
        pause: seconds between two polls of batches under way.
    """

    def __init__(
        self, fact_service: FactService, extractor: LLMExtractor, batches: BatchGateway, pause: float = 60.0
    ) -> None:
        self._fact_service = fact_service
        self._extractor = extractor
        self._batches = batches
        self.pause = pause
        self.trouble = ""
        """The reason why some questions were not sent; without private text."""
        self._waiting: dict[UUID, frozenset[bytes]] = {}
        """Documents whose answers have not arrived, with the keys of these answers."""
        self._ready: dict[UUID, None] = {}
        """Documents to be read now, in their order."""
        self._looked = 0.0
        self._after = 0
        """The number of the last unread document that was checked."""
        self._direct = False
        """True if the endpoint has no Batch API."""

    async def prepare(self, run: str, limit: int, without: Collection[UUID] = ()) -> list[UUID] | None:
        """Take the answers of batches that have ended, and send new questions as a batch, charged to ``run``.

        Returns:
            At most ``limit`` unread documents that can be read now, none of them in ``without``; None if all can be
            read, because the endpoint has no Batch API.

        Raises:
            ExtractionError: the endpoint cannot be reached or used, or the model's answers are useless; recorded
                batches stay recorded.
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
        """Poll the batches sent before the endpoint stopped offering batches: they are paid for, and their files hold
        private text.
        """
        if await self._batches.under_way():
            with suppress(ExtractionError):  # extraction continues without these answers
                await self._batches.poll()

    async def _look_again(self) -> None:
        """Return documents to the unchecked ones if none of their answers is under way any more: the answers arrived,
        or the questions were not sent or got lost. Documents that changed after they were read are checked again, too.
        """
        keys_waiting = {key for keys in self._waiting.values() for key in keys}
        under_way = await self._batches.waiting(keys_waiting)
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
        questions_by_document = {document: self._questions(windows) for document, windows in wanted.items()}
        await self._submit(
            [question for questions in questions_by_document.values() for question in questions.values()], run
        )
        submitted = await self._batches.known(
            [key for questions in questions_by_document.values() for key in questions]
        )
        for document, questions in questions_by_document.items():
            waits = questions.keys() - submitted - self._batches.unanswered
            if waits:
                self._waiting[document] = frozenset(waits)
            else:
                self._ready[document] = None

    async def _next(self, limit: int, without: Collection[UUID]) -> list[UUID]:
        """Return the first documents that are ready; drop those that were read in the meantime."""
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
                self.trouble = error.message  # these documents stay held, and are tried again at the next check
                return
            self._direct = not done.supported
            if self._direct or not done.left:
                return
