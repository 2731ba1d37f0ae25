"""The steps of a forgetting in their order, each with what it removes and why it comes where it does.

A crash between two steps loses nothing: what a step notes is completed at the next start, and as long as nothing is
noted the plan still names everything.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

from ...memory.forgetting.selection import ForgetPlan, ForgetSelection
from ...memory.memory import EvolvingMemory
from ..journal import memberships
from ..pipeline.pipeline import Pipeline
from . import owed_rechecks
from .file_erasure import FileErasure
from .journal_entries import JournalForgetPlan, JournalForgetting

if TYPE_CHECKING:
    from ...memory.llm.factory import LLM


@dataclass(frozen=True, slots=True)
class Stores:
    """Everything that holds texts and names."""

    data_dir: Path
    memory: EvolvingMemory
    pipeline: Pipeline
    entries: JournalForgetting
    erasure: FileErasure
    llm: LLM | None

    async def forget_sent(self, documents: set[UUID], about: set[UUID]) -> None:
        """Delete the sent texts and the answers of these documents, and the answers of those in which others tell
        ``about`` a person; also those of a model of former settings.
        """
        if self.llm is not None:
            await self.llm.forget(documents, about)
        else:
            from ...memory.llm.store import forget_in  # none of it is loaded where no model is used

            keys = [[each.bytes for each in some] for some in (documents, about)]
            await forget_in(self.data_dir, *keys)


@dataclass(slots=True)
class ForgetRun:
    """A forgetting under way. Its methods are the steps; the pipeline, the extraction and answers stand still meanwhile."""

    stores: Stores
    selection: ForgetSelection
    plan: ForgetPlan
    queued: JournalForgetPlan = field(default_factory=lambda: JournalForgetPlan({}, {}, 0))
    waiting: int = 0
    """The number of messages that were removed from the queue."""

    @property
    def documents(self) -> set[UUID]:
        """Return the keys of the documents that lose something."""
        return {*self.plan.removal.documents, *self.plan.removal.tombstones}

    @property
    def about(self) -> set[UUID]:
        """Return the keys of the documents in which others tell about the forgotten people."""
        return {each.statement.document for each in self.plan.about}

    async def note_erasure(self) -> None:
        """Note durably that a removal from the journal and its purge are due; the other files note it with the removal."""
        await self.stores.pipeline.journal.owe_removal()

    async def note_recheck(self) -> None:
        """Note durably that facts about forgotten people are looked for again after their documents are read again."""
        if self.selection.people and self.stores.pipeline.extraction_worker is not None:
            again = {*self.about, *self.plan.removal.tombstones}
            note = partial(owed_rechecks.owe, selection=self.selection, documents=again)
            await self.stores.pipeline.journal.run(note)

    async def remove_memberships(self) -> None:
        """Remove the record of the files and folders that held the documents, but for texts that stay redacted."""
        redacted = {row.key for row in self.plan.removal.changes.documents if row.kind == "text"}
        gone = self.documents - redacted
        await self.stores.pipeline.journal.run(partial(memberships.forget, documents=gone))

    async def remove_sent(self) -> None:
        """Remove what was sent to a language model, and its answers."""
        await self.stores.forget_sent(self.documents, self.about)

    async def remove_damaged(self) -> None:
        """Plan what goes from the queue, and remove its unreadable entries."""
        self.queued = await self.stores.entries.plan(self.selection, self.plan.removal.tombstones)
        await self.stores.entries.remove_damaged(self.queued)

    async def remove_stored(self) -> None:
        """Remove the rows of the store, and keep what is forgotten out by tombstones, also what only waits."""
        await self.stores.memory.forget(self.queued.with_tombstones(self.plan))

    async def remove_queued(self) -> None:
        """Remove what waits to be stored, and dead letters."""
        self.waiting = await self.stores.entries.remove(self.queued, self.selection)


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a forgetting."""

    perform: Callable[[ForgetRun], Awaitable[None]]
    place: str
    """The file, and what goes from it."""
    reason: str
    """The reason for its place in the order."""


STEPS = (
    Step(
        ForgetRun.note_erasure,
        "journal.db: nothing yet",
        "Whatever follows may be cut off: the next start completes the removal and purges the file.",
    ),
    Step(
        ForgetRun.note_recheck,
        "journal.db: nothing yet, the names are kept until documents were read again",
        "After the removal nothing else knows the names, and a model may tell about them in other words.",
    ),
    Step(ForgetRun.remove_memberships, "journal.db: which file held a document", "The plan still names the documents."),
    Step(
        ForgetRun.remove_sent,
        "llm.db: texts that were sent, and answers",
        "The plan comes from the store: if this is cut off, the same plan still names them.",
    ),
    Step(
        ForgetRun.remove_damaged,
        "journal.db: entries that cannot be read",
        "They have no tombstone that would remove them later.",
    ),
    Step(
        ForgetRun.remove_stored,
        "memory.db: messages, documents, facts and index entries, in one transaction with the tombstones",
        "From here on it is forgotten: the next start removes from the journal what has a tombstone.",
    ),
    Step(
        ForgetRun.remove_queued,
        "journal.db: what waits to be stored, and dead letters",
        "The tombstones keep out what the pipeline would store of it.",
    ),
)
"""All steps. Then the files are purged (`FileErasure`), documents that lost a part are read again, and what is owed by
`ForgetRun.note_recheck` is done (`ForgetSaga`).
"""
