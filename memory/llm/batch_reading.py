"""Reading by batches: windows are asked about ahead, and their documents held back until the answers are in the cache.

Who reads then finds every answer there. What came back without one is asked for directly; so is everything where the
endpoint has no batches.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from ...schemas.errors import BudgetError
from ..extraction.llm import LLMExtractor, worth_asking
from ..extraction.window import Window
from ..understanding import Understanding
from .batch import BatchDesk
from .question import Question

DOCUMENTS_AT_ONCE = 500
"""Whose windows are cut at once; what they ask goes out as one batch."""


class BatchReading:
    """Prepares what is unread.

    Args:
        understanding: knows what is unread.
        extractor: words the questions, in the very words of the one that reads.
        batches: sends them.
        pause: seconds between two looks at batches under way.
    """

    def __init__(
        self, understanding: Understanding, extractor: LLMExtractor, batches: BatchDesk, pause: float = 60.0
    ) -> None:
        self._understanding = understanding
        self._extractor = extractor
        self._batches = batches
        self.pause = pause
        self.held: set[UUID] = set()
        """Documents whose answers are not there yet."""
        self.trouble = ""
        """Why some are not asked for; without private text."""
        self._ready: set[UUID] = set()
        """Looked at, and to be read now."""
        self._looked = 0.0
        self._direct = False
        """The endpoint has no batches."""

    async def prepare(self, run: str) -> None:
        """Take the answers of batches that have ended, send what is new as a batch, hold back what is not answered. What
        is sent counts for ``run``.

        Raises:
            ExtractionError: the endpoint cannot be reached or used; what was noted stays noted.
        """
        if self._direct:
            return
        now = time.monotonic()
        if not self._looked or now - self._looked >= self.pause:
            await self._batches.poll()
            self._looked, self.trouble = now, ""
            self.held.clear()  # documents may have changed, budgets may have room again: all are looked at once more
            self._ready.clear()
        unread = await self._understanding.unread()
        self.held &= set(unread)
        self._ready &= set(unread)
        fresh = [key for key in unread if key not in self.held and key not in self._ready]
        for start in range(0, len(fresh), DOCUMENTS_AT_ONCE):
            await self._ask_about(fresh[start : start + DOCUMENTS_AT_ONCE], run)
            if self._direct:
                self.held.clear()
                return

    async def _ask_about(self, documents: Sequence[UUID], run: str) -> None:
        wanted = await self._understanding.wanted(documents)
        asked = {document: self._questions(windows) for document, windows in wanted.items()}
        await self._submit([question for questions in asked.values() for question in questions.values()], run)
        known = await self._batches.known([key for questions in asked.values() for key in questions])
        for document in documents:
            waits = asked.get(document, {}).keys() - known - self._batches.unanswered
            (self.held if waits else self._ready).add(document)

    def _questions(self, windows: Sequence[Window]) -> Mapping[bytes, Question[Any]]:
        worth = [each for each in windows if worth_asking(each) and not self._extractor.is_private(each)]
        questions = [self._extractor.question(window) for window in worth]
        return {self._batches.key(question): question for question in questions}

    async def _submit(self, questions: Sequence[Question[Any]], run: str) -> None:
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
