"""Answers for the mirror of one job: which of its notes go, which were retired or forgotten."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import partial
from uuid import UUID

from ...memory.retirement_service import RetirementService
from ..journal import note_files
from ..journal.journal import Journal


@dataclass(frozen=True, slots=True)
class NotesOfJob:
    """The notes of one job, in the journal and in the store."""

    journal: Journal
    retirement: RetirementService
    job: str

    async def divided(self, notes: Collection[UUID]) -> tuple[Collection[UUID], Collection[UUID]]:
        """Return those that would be retired, and those that stay, because something else brought them, too."""
        elsewhere = await self.journal.run(partial(note_files.held_elsewhere, documents=notes, job=self.job))
        removed, kept = await self.retirement.divided(notes, self._lasting)
        return removed - elsewhere, kept | (removed & elsewhere)

    async def _lasting(self, runs: Collection[str]) -> Collection[str]:
        return await self.journal.run(partial(note_files.lasting_runs, runs=runs, job=self.job))

    async def retired(self, notes: Collection[UUID]) -> Collection[UUID]:
        """Return those that are retired."""
        return await self.retirement.retired(notes)

    async def forgotten(self, notes: Collection[UUID]) -> Collection[UUID]:
        """Return those that were forgotten or redacted."""
        return await self.retirement.forgotten(notes)
