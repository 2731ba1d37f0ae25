"""Takes back what a run of an import brought, or several runs together."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import anyio

from ...memory.memory import EvolvingMemory
from ...memory.store import inputs
from ...memory.undo import SOMETHING_ELSE, RenamedTexts, UndoPlan
from ...memory.undo_documents import documents_of
from ...schemas.errors import BusyError, NotFoundError
from ..forgetting.saga import ForgetSaga
from ..journal import note_files
from ..operation_progress import OperationProgress, ReportProgress
from ..pipeline.pipeline import Pipeline
from .forgetting import SHOWN, affected_chats
from .requests import UndoImportRequest

if TYPE_CHECKING:
    from .answers.ingestion import UndoImportPlan, UndoImportReport

NAMED_RUNS = 5
"""The maximum number of other runs that a message names."""


class ImportUndo:
    """Undoing imports. Nothing is forgotten by it: what is taken back may come again."""

    def __init__(self, memory: EvolvingMemory, pipeline: Pipeline, saga: ForgetSaga, exclusive: anyio.Lock) -> None:
        self._memory = memory
        self._pipeline = pipeline
        self._saga = saga
        self._exclusive = exclusive

    async def undo(self, request: UndoImportRequest, tell: ReportProgress) -> UndoImportReport:
        """Plan (``dry_run``) to take back what a run brought and no other, or carry the plan of that name out; the same of
        several runs together. What is taken back may come again.

        Raises:
            NotFoundError: there is no such run, it brought nothing that is still there, or where a plan is carried
                out all of it stays, or only the beginning of an id is given.
            BusyError: a run is going on, or something else would go now than was planned.
        """
        async with self._exclusive:
            tell(OperationProgress("planning"))
            await self.settle()
            runs = list(dict.fromkeys([await self._ended_run(each) for each in (request.run, *request.also)]))
            if not request.dry_run and (parts := [each for each in (request.run, *request.also) if each not in runs]):
                whole = next(run for run in runs if run.startswith(parts[0]))
                raise NotFoundError("no run has this id", hint=f"it is the beginning of {whole}: give the whole id")
            for run in runs:
                if not await self._memory.database.read(inputs.documents_of, run):
                    hint = "it was taken back already, brought nothing new, or is older than what memd can take back"
                    raise NotFoundError(f"nothing that the run {run[:12]} brought is there", hint=hint)
            renames = await self._renames(runs)
            plan = await self._memory.plan_undo(*runs, renames=renames)
            others = await self._pipeline.journal.runs.in_order(plan.others)
            changes = _changes(plan, others)
            if request.dry_run:
                return {**changes, "dry_run": True}
            if request.plan is not None and request.plan != plan.token:  # before anything is removed
                raise BusyError(SOMETHING_ELSE, hint="plan it again")
            if plan.empty:
                raise _nothing_to_undo(plan, others)
            try:
                async with self._saga.standstill():
                    tell(OperationProgress("undoing", 0, plan.messages))
                    # As in `forget`: nothing of what goes stays in what was sent. What stays of a document is read again.
                    await self._saga.stores.forget_sent(set(plan.touched), set())
                    await self._pipeline.journal.runs.begin_undo(runs)
                    await self._memory.undo_runs(*runs, token=plan.token, renames=renames)
                    await self._pipeline.journal.runs.end_undo(runs)
                left = await self._saga.erasure.purge()
                await self._saga.read_again(tell)
                self._pipeline.embed_more()
            except BaseException:
                self._saga.erasure.soon()
                raise
            return {**changes, "dry_run": False, "unpurged": left}

    async def settle(self) -> None:
        """Record, for runs whose undoing was interrupted, whether the store undid them, which it did completely or not
        at all.
        """
        journal = self._pipeline.journal
        if runs := await journal.runs.undoing():
            renames = await self._renames(runs)
            left = [run for run in runs if (await documents_of(self._memory.database, [run], renames))[0]]
            await journal.runs.end_undo([run for run in runs if run not in left], left)

    async def _renames(self, runs: Sequence[str]) -> Sequence[RenamedTexts]:
        return await self._pipeline.journal.run(partial(note_files.renames_of_runs, runs=runs))

    async def _ended_run(self, identifier: str) -> str:
        """The whole id of a run of which nothing waits to be stored.

        Raises:
            NotFoundError: there is none.
            BusyError: it is going on.
        """
        journal = self._pipeline.journal
        run = await journal.runs.with_prefix(identifier)
        if run is None:
            raise NotFoundError("no run has this id", hint="`memd runs` lists them")
        if self._pipeline.runs.get(run.run) is not None or run.run in {
            each.run for each in await journal.runs.queued()
        }:
            raise BusyError("the run is not over yet", hint="`memd watch` follows it; undo it when it has ended")
        return run.run


def _changes(plan: UndoPlan, others: Sequence[str]) -> UndoImportPlan:
    """A plan in its wire form."""
    run, *also = plan.runs
    chats = affected_chats(plan.affected)
    changes: UndoImportPlan = {
        "run": run,
        "plan": plan.token,
        "documents": plan.documents,
        "messages": plan.messages,
        "restored": plan.restored,
        "amended": plan.amended,
        "retagged": plan.retagged,
        "shared": plan.shared,
        "kept": plan.kept,
        "chats": chats[:SHOWN],
        "chat_count": len(chats),
    }
    if also:
        changes["also"] = also
    if others:
        changes["others"] = others
    return changes


def _nothing_to_undo(plan: UndoPlan, others: Sequence[str]) -> NotFoundError:
    """Return the error that undoing these runs would change nothing, with the reason and an alternative."""
    if plan.renamed and not plan.shared:
        hint = "what is left of it are notes that only got other names, as their files did"
        return NotFoundError("there is nothing to take back", hint=hint)
    if not plan.shared:
        hint = "something of it was forgotten since: memd keeps no words by which to tell what only this run brought"
        return NotFoundError("there is nothing to take back", hint=hint)
    if not others:  # their inputs were stored by a memd that noted no runs
        hint = "what came in before memd noted its runs cannot be taken back; `memd forget` removes it"
        return NotFoundError("there is nothing to take back: an earlier import brought the same", hint=hint)
    names = ", ".join(run[:12] for run in others[:NAMED_RUNS])
    names += f" and {len(others) - NAMED_RUNS:,} more" if len(others) > NAMED_RUNS else ""
    which = "the run" if len(others) == 1 else "the runs"
    ids = " ".join((*plan.runs, *others))
    return NotFoundError(
        f"there is nothing to take back: {which} {names} brought the same, too",
        hint=f"`memd undo {ids}` takes them back together",
    )
