"""Whether a model's answers are of use. A model that gives none is asked no more until somebody changes the settings or tests it.

Kept in llm.db under the settings that name the model, so that a restart does not begin anew.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from hashlib import sha256
from typing import Protocol

from ...schemas.errors import ExtractionError
from .store import LLMStore

MOST_USELESS = 7
"""Useless answers without a useful one between them, after which a model is asked no more. One that fails at every tenth
window would be stopped by mistake once in ten million windows, at every fifth once in 80,000; a model that never gives a
useful answer costs 7 windows, those that are under way at once, and one repair for each.
"""


class AnswerCounts(Protocol):
    """Counts what a model's answers are worth, a window each."""

    def require(self) -> None:
        """Refuse to ask on; see `Usefulness`.

        Raises:
            ExtractionError: the model is asked no more.
        """
        ...

    async def note_useless(self) -> None:
        """Count an answer without anything usable."""
        ...

    def note_empty(self) -> None:
        """Count an answer that proposes nothing, which tells nothing about the model."""
        ...

    async def note_useful(self) -> None:
        """Count an answer that was read off the lines."""
        ...


@dataclass(slots=True)
class AnswerTally:
    """The counts of a trial, which stops nobody."""

    useful: int = 0
    useless: int = 0
    empty: int = 0

    def require(self) -> None:
        """Let everything be asked."""

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
        store: where the counts are kept.
        model: the name, for people.
        settings: whatever names the model and how it is asked; with other settings the counts begin anew.
    """

    def __init__(self, store: LLMStore, model: str, settings: str) -> None:
        self._store = store
        self._model = model
        self._key = sha256(settings.encode()).hexdigest()
        found = store.run_here(self._row)
        self._windows, self._useless = found or (0, 0)

    def _row(self, connection: sqlite3.Connection) -> tuple[int, int] | None:
        statement = "SELECT windows, useless FROM usefulness WHERE settings = ?"
        return connection.execute(statement, (self._key,)).fetchone()

    @property
    def stopped(self) -> str:
        """Why the model is asked no more, for people; empty while it is asked."""
        if self._useless < MOST_USELESS:
            return ""
        return f"{self._model} gave no usable answer in {self._useless} of {self._windows} windows"

    def require(self) -> None:
        """Refuse to ask a model that is asked no more.

        Raises:
            ExtractionError: it gave too many useless answers.
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
        """Begin anew after a useful answer."""
        if self._useless:
            self._windows = self._useless = 0
            await self._store.run(
                lambda connection: connection.execute("DELETE FROM usefulness WHERE settings = ?", (self._key,))
            )
