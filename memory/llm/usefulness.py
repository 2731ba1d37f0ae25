"""Counts a model's useless answers. A model that gives no other is not asked again until its settings change or it is
tested.

The counts are stored in llm.db under the settings that identify the model, so that they survive a restart.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from hashlib import sha256
from typing import Protocol

from ...schemas.errors import ExtractionError
from .store import LLMStore

MOST_USELESS = 7
"""The number of useless answers in a row after which a model is not asked again. A model that fails at every tenth
window would be stopped by mistake once in ten million windows, at every fifth once in 80,000; a model that never gives
a useful answer costs 7 windows, those under way at that time, and one repair for each.
"""


class AnswerCounts(Protocol):
    """Counts useful and useless answers, one for each window."""

    def require(self) -> None:
        """Refuse to go on asking; see `Usefulness`.

        Raises:
            ExtractionError: the model must not be asked again.
        """
        ...

    async def note_useless(self) -> None:
        """Count an answer without anything usable."""
        ...

    def note_empty(self) -> None:
        """Count an answer without proposals, which says nothing about the model."""
        ...

    async def note_useful(self) -> None:
        """Count an answer with a proposal taken from the lines."""
        ...


@dataclass(slots=True)
class AnswerTally:
    """The counts of a trial, which never stops the model."""

    useful: int = 0
    useless: int = 0
    empty: int = 0

    def require(self) -> None:
        """Allow every question."""

    async def note_useless(self) -> None:
        """See `AnswerCounts`."""
        self.useless += 1

    def note_empty(self) -> None:
        """See `AnswerCounts`."""
        self.empty += 1

    async def note_useful(self) -> None:
        """See `AnswerCounts`."""
        self.useful += 1


class Usefulness:
    """Counts the windows since the last useful answer.

    Args:
        store: stores the counts.
        model: the model's name, for messages.
        settings: the settings that identify the model; other settings start new counts.
    """

    def __init__(self, store: LLMStore, model: str, settings: str) -> None:
        self._store = store
        self._model = model
        self._key = sha256(settings.encode()).hexdigest()
        row = store.run_here(self._row)
        self._windows, self._useless = row or (0, 0)

    def _row(self, connection: sqlite3.Connection) -> tuple[int, int] | None:
        statement = "SELECT windows, useless FROM usefulness WHERE settings = ?"
        return connection.execute(statement, (self._key,)).fetchone()

    @property
    def stopped(self) -> str:
        """The reason why the model must not be asked again, for messages; empty while it may be."""
        if self._useless < MOST_USELESS:
            return ""
        return f"{self._model} gave no usable answer in {self._useless} of {self._windows} windows"

    def require(self) -> None:
        """Refuse to ask a model that gave too many useless answers.

        Raises:
            ExtractionError: it did.
        """
        if self.stopped:
            hint = "`memd llm setup` takes another model; `memd llm test` asks this one again"
            raise ExtractionError(self.stopped, hint=hint)

    async def note_useless(self) -> None:
        """See `AnswerCounts`."""
        self._windows += 1
        self._useless += 1
        row = (self._key, self._windows, self._useless)

        def work(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM usefulness WHERE settings <> ?", (self._key,))
            connection.execute("INSERT OR REPLACE INTO usefulness VALUES (?, ?, ?)", row)

        await self._store.run(work)

    def note_empty(self) -> None:
        """See `AnswerCounts`."""
        if self._useless:
            self._windows += 1

    async def note_useful(self) -> None:
        """Reset the counts after a useful answer."""
        if self._useless:
            self._windows = self._useless = 0
            await self._store.run(
                lambda connection: connection.execute("DELETE FROM usefulness WHERE settings = ?", (self._key,))
            )
