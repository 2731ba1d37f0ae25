"""Forgetting in the journal: documents that wait to be stored, and dead letters (refused too often)."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from ...memory.forgetting.selection import ForgetPlan, ForgetSelection
from ...memory.ingest.batching import concrete_document, size_of
from ...memory.memory import EvolvingMemory
from ...memory.merge.plan import key_of
from ...memory.store import forget_rows
from ...memory.text.names import folded
from ...memory.write_batches import Removal
from ...schemas import ConversationDocument, Document
from ..pipeline.pipeline import Pipeline

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class JournalForgetPlan:
    """The remaining content of entries, by number, and the keys that may not come back, by document."""

    left: Mapping[int, Document | None]
    tombstones: Mapping[UUID, frozenset[UUID]]
    messages: int
    """The number of messages that are removed; a text counts as one."""
    damaged: Sequence[int] = ()
    """Numbers of entries that cannot be read: nobody knows whether they hold what is forgotten."""
    names: frozenset[str] = frozenset()
    """Folded names of the documents that lose something: of their sources, chats, speakers and authors."""
    entries: int = 0
    """The number of documents in the journal."""

    def with_tombstones(self, plan: ForgetPlan) -> ForgetPlan:
        """A plan for the store that keeps out what goes from the journal as well."""
        both = {document: frozenset(keys) for document, keys in plan.removal.tombstones.items()}
        for document, keys in self.tombstones.items():
            both[document] = both.get(document, frozenset()) | keys
        return replace(plan, removal=replace(plan.removal, tombstones=both))


class JournalForgetting:
    """Forgetting in the journal of a pipeline, which must stand still meanwhile unless a method says otherwise."""

    def __init__(self, memory: EvolvingMemory, pipeline: Pipeline) -> None:
        self._memory = memory
        self._pipeline = pipeline
        self._journal = pipeline.journal

    async def plan(self, selection: ForgetSelection, gone: Mapping[UUID, Collection[UUID]]) -> JournalForgetPlan:
        """Plan what a selection removes from the journal, and what is queued under keys that are ``gone`` from the
        store, by document.
        """
        damaged = dict.fromkeys(await self._journal.numbers())  # before the look: what comes in meanwhile is whole
        entries = len(damaged)
        numbers: defaultdict[UUID, list[int]] = defaultdict(list)
        for number, key in await self._journal.scan(lambda document: key_of(concrete_document(document))):
            numbers[key].append(number)
            damaged.pop(number, None)
        left: dict[int, Document | None] = {}
        tombstones: dict[UUID, frozenset[UUID]] = {}
        messages = 0
        names: set[str] = set()
        for key, its_numbers in numbers.items():
            if selection.empty and key not in gone:
                continue
            documents = await self._journal.documents(its_numbers)
            queued = await self._memory.forget_planner.plan_queued(
                selection, list(documents.values()), gone.get(key, ())
            )
            for (number, document), rest in zip(documents.items(), queued.left, strict=True):
                if rest is not document:
                    left[number] = rest
                    messages += size_of(document) - (0 if rest is None else size_of(rest))
                    names |= _names_of(document)
            if queued.tombstones:
                tombstones[key] = queued.tombstones
        return JournalForgetPlan(left, tombstones, messages, list(damaged), frozenset(names), entries)

    async def remove_damaged(self, plan: JournalForgetPlan) -> None:
        """Remove the entries that cannot be read, as a purge removes damaged journals."""
        if plan.damaged:
            self._pipeline.writer.removed(await self._journal.replace(dict.fromkeys(plan.damaged)))
            log.warning("%d damaged documents were removed from the journal by a forgetting", len(plan.damaged))

    async def remove(self, plan: JournalForgetPlan, selection: ForgetSelection) -> int:
        """Carry a plan out whose tombstones are stored, and go on with what came in since it was made; returns how many
        messages went.
        """
        messages = 0
        while plan.left:
            self._pipeline.writer.removed(await self._journal.replace(plan.left))
            messages += plan.messages
            plan = await self.plan(selection, {})
            if plan.tombstones:
                await self._memory.forget(ForgetPlan(Removal(tombstones=plan.tombstones)))
        return messages

    async def finish(self) -> None:
        """Remove what the store keeps out: a forgetting that was killed had not come so far. Stops the pipeline itself."""
        async with self._pipeline.paused():
            keys = await self._journal.scan(lambda document: key_of(concrete_document(document)))
            gone = await self._memory.database.read(forget_rows.tombstones, {key for _, key in keys})
            plan = await self.plan(ForgetSelection(), gone)
            if plan.left:
                self._pipeline.writer.removed(await self._journal.replace(plan.left))
            # No forgetting is under way, for it would stand still as well: whatever it noted is removed.
            await self._journal.note_removed()


def _names_of(document: Document) -> set[str]:
    """The names by which a selection may name a document or what is in it, folded."""
    plain = concrete_document(document)
    names = {plain.source, *(plain.metadata.get(name, "") for name in ("title", "chat", "author"))}
    if isinstance(plain, ConversationDocument):
        names |= {message.speaker for message in plain.messages}
    return set(map(folded, names - {""}))
