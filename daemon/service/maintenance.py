"""Maintenance of the memory by its owner: forgetting, repairing, chunking and embedding again. The API's
`MaintenanceService`.
"""

from __future__ import annotations

import logging
import unicodedata
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

import anyio

from ...memory.forgetting.selection import ForgetPlan, ForgetSelection, Impact
from ...memory.index.errors import UnreachableServerError
from ...memory.indexing.filling import Filling
from ...memory.memory import EvolvingMemory
from ...memory.records import CheckResult
from ...memory.supervision import Worker
from ...memory.text.names import folded
from ...memory.undo import SOMETHING_ELSE, UndoPlan
from ...schemas.errors import BusyError, EmbeddingError, InvalidError, NotFoundError, StoreError
from ...schemas.times import rfc3339
from ..backup.create import in_thread, make_backup
from ..config.paths import JOURNAL
from ..diagnostics.checks import (
    environment_checks,
    generation_finding,
    journal_findings,
    made_private,
    opt_out_findings,
    replaced_store_findings,
    report,
    secret_findings,
    worker_findings,
)
from ..indexes import indexes_of
from ..journal import fed_stores, memberships
from ..operation_progress import OperationProgress, ReportProgress
from ..pipeline.extraction_worker import ExtractionWorker
from ..pipeline.pipeline import Pipeline
from . import owed_rechecks
from .active_answers import ActiveAnswers
from .changed_settings import EmbeddingSection
from .dead_letters import DeadLetters
from .export import export_lines
from .file_erasure import FileErasure
from .forget_journal import JournalForgetting
from .name_filters import LONGEST, NameFilters
from .owed_rechecks import OwedRecheck
from .requests import (
    BackupRequest,
    DeadLettersRequest,
    DoctorRequest,
    ExportRequest,
    ForgetRequest,
    LettersRequest,
    MigrateRequest,
    ReindexRequest,
    UndoImportRequest,
)

if TYPE_CHECKING:
    from ...memory.llm.factory import LLM
    from ..config.settings import Settings

log = logging.getLogger(__name__)
SHOWN = 20
"""The maximum number of documents, and of chats, that a plan lists; the counts are of all."""
RECHECK_SECONDS = 60.0
"""The seconds between two attempts to read documents again in which others mention forgotten people."""
READING_SECONDS = 30.0
"""The seconds that whoever forgets or undoes waits for documents that are read again: those of rules take less."""
WATCH_SECONDS = 0.5
START_SERVER = "start it, or name another one: `url` in [weaviate] of the settings; what is filled already stays"
NAMED_RUNS = 5
"""The maximum number of other runs that a message names."""


class MaintenanceService:
    """The maintenance operations on the stored data. Methods raise ``StoreError`` when the disk fails, and the errors
    that they name.
    """

    def __init__(
        self,
        settings: Settings,
        memory: EvolvingMemory,
        pipeline: Pipeline,
        answering: ActiveAnswers,
        llm: LLM | None = None,
    ) -> None:
        self._settings = settings
        self._answering = answering
        self._memory = memory
        self._llm = llm
        self._pipeline = pipeline
        self._names = NameFilters(memory)
        self._embedding = EmbeddingSection(settings.config)
        self._letters = DeadLetters(pipeline, memory.fact_service)
        self._queue = JournalForgetting(memory, pipeline)
        self.purging = FileErasure(settings.data_dir, memory, pipeline.journal, llm, self._queue.finish)
        pipeline.writer.on_kept_out = self.purging.soon
        pipeline.runs.on_kept_out = self.purging.take_out_names
        self._one = anyio.Lock()
        """The lock of the operations, which run one at a time."""
        self._recheck_wanted = anyio.Event()

    async def forget(self, request: ForgetRequest, tell: ReportProgress) -> dict[str, Any]:
        """Plan (``dry_run``), or carry out the plan of that name: remove from the store, the journal and every file.

        Raises:
            InvalidError: it selects nothing in particular.
            BusyError: something else would go now than was planned.
            NotFoundError: the part of a name means several, or stands where names must be whole.
        """
        asked = _selection(request)
        parts = request.dry_run and not request.whole_names
        async with self._one:
            tell(OperationProgress("planning"))
            whole = await self._names.of_selection(asked, parts=parts)
            selection = await self._memory.with_all_names(whole)
            if request.dry_run:
                unpurged = await self.purging.purge()
                plan = await self._memory.plan_forget(selection)
                async with self._pipeline.paused():
                    queued = await self._queue.plan(selection, plan.removal.tombstones)
                told = _told(selection, plan, queued.messages, len(queued.damaged))
                taken = await self._names.taken(asked, whole, parts=parts, present=plan.present | queued.names)
                return told | {"taken": taken, "dry_run": True, "unpurged": unpurged}
            try:
                async with self._pipeline.paused(), self._unread(), self._answering.paused():
                    plan = await self._memory.plan_forget(selection)
                    if plan.token != request.plan:
                        await self._refuse_parts(asked, whole)
                        raise BusyError("something else would be forgotten now than was planned", hint="plan it again")
                    tell(OperationProgress("forgetting", 0, plan.messages))
                    await self.purging.owe()
                    about = {each.statement.document for each in plan.about}
                    if selection.people and self._pipeline.extraction_worker is not None:
                        reread = {*about, *plan.removal.tombstones}
                        await self._pipeline.journal.run(
                            partial(owed_rechecks.owe, selection=selection, documents=reread)
                        )
                    gone = partial(memberships.forget, documents={*plan.removal.documents, *plan.removal.tombstones})
                    await self._pipeline.journal.run(gone)
                    # Sent texts and returned answers first: if killed in between, the plan still names them.
                    await self._forget_sent({*plan.removal.documents, *plan.removal.tombstones}, about)
                    queued = await self._queue.plan(selection, plan.removal.tombstones)
                    await self._queue.remove_damaged(queued)
                    # One transaction: after a kill the rest is completed from its tombstones at the next start.
                    await self._memory.forget(queued.with_tombstones(plan))
                    waiting = await self._queue.remove(queued, selection)
                tell(OperationProgress("purging"))
                left = await self.purging.purge()
                if self._pipeline.extraction_worker is not None:
                    await self._read_again(self._pipeline.extraction_worker, tell)
                    left = await self._recheck() or left
            except BaseException:  # the caller may have gone: the forgetting is completed all the same
                self.purging.soon()
                self._recheck_wanted.set()
                raise
            return _told(selection, plan, waiting, len(queued.damaged)) | {"dry_run": False, "unpurged": left}

    async def _read_again(self, worker: ExtractionWorker, tell: ReportProgress) -> None:
        """Let the documents that lost a part be read again. A slow model with much to read is not waited for: the rest is
        read in the background, and `_recheck` waits for what it needs.
        """
        tell(OperationProgress("reading"))
        with self._pipeline.background_work_first(), anyio.move_on_after(READING_SECONDS):
            worker.wake()
            await worker.caught_up()

    async def _refuse_parts(self, asked: ForgetSelection, whole: ForgetSelection) -> None:
        """Refuse a name that is only a part of others; in a plan it stands for them.

        Raises:
            NotFoundError: there is one.
        """
        for each in await self._names.taken(asked, whole, parts=False):
            if part_of := each.get("part_of"):
                message = (
                    f"there is no {each['kind']} {each['asked'][:LONGEST]!r}; it is a part of {', '.join(part_of)}"
                )
                raise NotFoundError(
                    message, hint="what is forgotten is named whole; `taken` of the plan tells the names"
                )

    async def undo_import(self, request: UndoImportRequest, tell: ReportProgress) -> dict[str, Any]:
        """Plan (``dry_run``) to take back what a run brought and no other, or carry the plan of that name out; the same of
        several runs together. What is taken back may come again.

        Raises:
            NotFoundError: there is no such run, it brought nothing that is still there, or where a plan is carried
                out all of it stays, or only the beginning of an id is given.
            BusyError: a run is going on, or something else would go now than was planned.
        """
        async with self._one:
            tell(OperationProgress("planning"))
            await self.settle_undoing()
            runs = list(dict.fromkeys([await self._ended_run(each) for each in (request.run, *request.also)]))
            if not request.dry_run and (parts := [each for each in (request.run, *request.also) if each not in runs]):
                whole = next(run for run in runs if run.startswith(parts[0]))
                raise NotFoundError("no run has this id", hint=f"it is the beginning of {whole}: give the whole id")
            for run in runs:
                if not await self._memory.brought_something(run):
                    hint = "it was taken back already, brought nothing new, or is older than what memd can take back"
                    raise NotFoundError(f"nothing that the run {run[:12]} brought is there", hint=hint)
            plan = await self._memory.plan_undo(*runs)
            others = await self._pipeline.journal.runs.in_order(plan.others)
            told = _undo_told(plan, others)
            if request.dry_run:
                return told | {"dry_run": True}
            if request.plan is not None and request.plan != plan.token:  # before anything is removed
                raise BusyError(SOMETHING_ELSE, hint="plan it again")
            if plan.empty:
                raise _nothing_to_undo(plan, others)
            try:
                async with self._pipeline.paused(), self._unread(), self._answering.paused():
                    tell(OperationProgress("undoing", 0, plan.messages))
                    # As in `forget`: nothing of what goes stays in what was sent. What stays of a document is read again.
                    await self._forget_sent(set(plan.touched), set())
                    await self._pipeline.journal.runs.begin_undo(runs)
                    await self._memory.undo_runs(*runs, token=plan.token)
                    await self._pipeline.journal.runs.end_undo(runs)
                left = await self.purging.purge()
                if self._pipeline.extraction_worker is not None:
                    await self._read_again(self._pipeline.extraction_worker, tell)
                self._pipeline.embed_more()
            except BaseException:
                self.purging.soon()
                raise
            return told | {"dry_run": False, "unpurged": left}

    async def settle_undoing(self) -> None:
        """Record, for runs whose undoing was interrupted, whether the store undid them, which it did completely or not
        at all.
        """
        journal = self._pipeline.journal
        if runs := await journal.runs.undoing():
            left = [run for run in runs if await self._memory.brought_something(run)]
            await journal.runs.end_undo([run for run in runs if run not in left], left)

    async def _ended_run(self, identifier: str) -> str:
        """The whole id of a run of which nothing waits to be stored.

        Raises:
            NotFoundError: there is none.
            BusyError: it is going on.
        """
        journal = self._pipeline.journal
        found = await journal.runs.with_prefix(identifier)
        if found is None:
            raise NotFoundError("no run has this id", hint="`memd runs` lists them")
        if self._pipeline.runs.get(found.run) is not None or found.run in {
            each.run for each in await journal.runs.queued()
        }:
            raise BusyError("the run is not over yet", hint="`memd watch` follows it; undo it when it has ended")
        return found.run

    @asynccontextmanager
    async def _unread(self) -> AsyncGenerator[None]:
        """Pause the extraction in this block, so that text forgotten in it does not come back from a model."""
        extraction_worker = self._pipeline.extraction_worker
        if extraction_worker is None:
            yield
        else:
            async with extraction_worker.paused():
                yield

    async def _forget_sent(self, documents: set[UUID], about: set[UUID]) -> None:
        """Leave nothing of what was sent and answered for these documents, and of what was answered for those in which
        others tell ``about`` a person; also by a model of former settings.
        """
        if self._llm is not None:
            await self._llm.forget(documents, about)
        else:
            from ...memory.llm.store import forget_in  # none of it is loaded where no model is used

            keys = [[each.bytes for each in some] for some in (documents, about)]
            await forget_in(self._settings.data_dir, *keys)

    async def _recheck(self) -> list[str]:
        """Forget what others say about forgotten people, where reading it again brought it in, in whatever words; returns
        the files that are not purged of it yet.
        """
        journal = self._pipeline.journal
        if not (due := await journal.run(owed_rechecks.owed)):
            return []
        done: list[OwedRecheck] = []
        async with self._unread():
            for each in due:
                if await self._memory.fact_service.unfinished_among(each.documents):
                    self._recheck_wanted.set()  # a model that cannot be reached: the name waits in the journal for it
                    continue
                # Nothing would look for the name in what is read after this.
                await self._memory.fact_service.close_given_up(each.documents)
                again = await self._memory.plan_forget(each.selection)
                if about := {found.statement.document for found in again.about} | each.documents:
                    await self._forget_sent(set(), about)
                if again.about:
                    await self._memory.forget(ForgetPlan(about=again.about))
                done.append(each)
        if done:
            await journal.run(partial(owed_rechecks.settle, done=done))
        left = await self.purging.purge()
        return left if len(done) == len(due) or JOURNAL in left else [*left, JOURNAL]

    async def complete(self, worker: Worker) -> None:
        """Complete forgettings that were interrupted or wait for a model, until cancelled."""
        extraction_worker = self._pipeline.extraction_worker
        while extraction_worker is not None:
            if await self._pipeline.journal.run(owed_rechecks.owed):
                await extraction_worker.caught_up()
                self._recheck_wanted = anyio.Event()
                async with self._one:
                    await self._recheck()
                if self._recheck_wanted.is_set():
                    await anyio.sleep(RECHECK_SECONDS)
                    continue
            worker.progressed()
            await self._recheck_wanted.wait()

    async def export(self, request: ExportRequest) -> AsyncGenerator[bytes, None]:
        """Return the documents as JSON lines, with the counts or the error in the last line; see `export.export_lines`."""
        waiting = (
            await self._pipeline.queue()
        ).documents  # before the first look at the store: what is stored since is in it
        return await export_lines(self._memory, request, waiting)

    async def dead_letters(self, request: DeadLettersRequest) -> dict[str, Any]:
        """Return a page of dead letters; see `DeadLetters`, as for the two methods below."""
        return await self._letters.listing(request)

    async def retry(self, request: LettersRequest) -> dict[str, Any]:
        """Put dead letters back into the queue."""
        return await self._letters.retry(request)

    async def discard(self, request: LettersRequest) -> dict[str, Any]:
        """Remove dead letters."""
        done = await self._letters.discard(request)
        if done["documents"]:
            self.purging.soon()
        return done

    async def backup(self, request: BackupRequest, tell: ReportProgress) -> dict[str, Any]:
        """Add a snapshot to the backups in a folder; see `create.make_backup`, which says what it raises."""
        folder = Path(request.directory)
        async with self._one:
            return await in_thread(
                lambda told, check: make_backup(self._settings.data_dir, folder, request.keep, told, check), tell
            )

    async def doctor(self, request: DoctorRequest, tell: ReportProgress) -> dict[str, Any]:
        """Check everything while the daemon runs; with ``repair``, repair derived data."""
        repair = request.repair
        async with self._one:
            tell(OperationProgress("looking around"))
            found = await anyio.to_thread.run_sync(lambda: list(environment_checks(self._settings)))
            repaired: list[str] = []
            if repair and any(each.check == "permissions" and each.repairable for each in found):
                await anyio.to_thread.run_sync(made_private, self._settings)
                repaired.append("permissions")
                found = await anyio.to_thread.run_sync(lambda: list(environment_checks(self._settings)))
            tell(OperationProgress("checking the journal"))
            found += await journal_findings(self._pipeline.journal)
            found += await secret_findings(self._settings, self._pipeline.journal)
            replaced = await replaced_store_findings(self._pipeline.journal, self._memory.store_id)
            if replaced and repair:
                await self._pipeline.journal.run(partial(fed_stores.forget_other_stores, store=self._memory.store_id))
                repaired.append("store")
                replaced = []
            found += replaced
            found += self._working()
            found += await opt_out_findings(self._settings, self._memory)
            tell(OperationProgress("checking the store"))
            async with self._pipeline.paused():
                mended = await self._memory.check()
                if repair and any(each.repairable for each in mended):
                    tell(OperationProgress("repairing"))
                    await self._memory.repair()
                    repaired += [each.check for each in mended if each.repairable]
                    mended = await self._memory.check()
            self._pipeline.embed_more()
            return report(found + mended, repaired=repaired)

    async def warn_of_opt_outs(self) -> None:
        """Log the names that the settings keep from the model and that match nothing stored."""
        if self._llm is not None:
            try:
                for found in await opt_out_findings(self._settings, self._memory):
                    log.warning("%s; %s", found.detail, found.hint)
            except StoreError as error:
                log.warning("whether the names in llm.keep_conversations fit cannot be looked up: %s", error)

    def _working(self) -> list[CheckResult]:
        """Return the present failures of this owner."""
        found: list[CheckResult] = []
        for what, why in self._pipeline.trouble.items():
            found.append(CheckResult(what, "warning", f"{what} fails at present: {why}", "it is tried again by itself"))
        return found + worker_findings(self._pipeline) + generation_finding(self._memory.degraded())

    async def reindex(self, request: ReindexRequest, tell: ReportProgress) -> dict[str, Any]:
        """Take over the settings in force: cut again, embed again; questions are answered meanwhile.

        Interrupted at any time it goes on where it was, when it is asked for again; vectors go on by themselves.

        Raises:
            ConfigError: the settings in force are not those of the configuration any more.
            EmbeddingError: the embedder fails; what it made is kept.
        """
        await anyio.to_thread.run_sync(self._embedding.refuse_if_changed)
        async with self._one:
            tell(OperationProgress("cutting"))
            documents = await self._memory.rechunk(lambda done, total: tell(OperationProgress("cutting", done, total)))
            self._pipeline.embed_more()
            pending = await self._memory.pending_count()
            left = pending
            while request.wait and "pending" in self._memory.degraded():
                tell(OperationProgress("embedding", pending - left, pending))
                await anyio.sleep(WATCH_SECONDS)
                if "embedding" in self._pipeline.trouble:
                    raise EmbeddingError(
                        f"the embedder fails: {self._pipeline.trouble['embedding']}",
                        hint="what was made is kept; memd goes on by itself while it runs",
                    )
                left = await self._memory.pending_count()
            left = await self._memory.pending_count()
            dropped = 0 if left or request.keep_old else await self._memory.prune()
            return {"documents": documents, "embedded": pending - left, "pending": left, "dropped": dropped}

    async def migrate(self, request: MigrateRequest, tell: ReportProgress) -> dict[str, Any]:
        """Fill another index beside the one in use, from the store alone, and compare it; questions are answered meanwhile.

        Interrupted at any time it goes on where it was, when it is asked for again. Other operations get their turn in between.

        Raises:
            ConfigError: the settings of its server cannot be used.
            UnreachableServerError: it does not answer.
            InvalidError: the index that would be removed is in use.
        """
        in_use = request.index == self._settings.storage.index
        if request.remove_other and not in_use:
            raise InvalidError(
                f"the settings in force do not name {request.index}: the other index is in use",
                hint=f'first set index = "{request.index}" in [storage], and start memd again if it runs',
            )
        try:
            found = await (self._compared(tell) if in_use else self._filled(request.index, tell))
            complete = not any(each.severity == "error" for each in found)
            if removed := request.remove_other and complete:
                async with self._one:
                    await self._remove_index("embedded" if request.index == "weaviate" else "weaviate")
        except UnreachableServerError as error:
            raise UnreachableServerError(error.message, hint=START_SERVER) from error
        return {
            "index": request.index,
            "in_use": in_use,
            "complete": complete,
            "findings": report(found, repaired=[])["findings"],
            "removed": removed,
        }

    async def _compared(self, tell: ReportProgress) -> list[CheckResult]:
        tell(OperationProgress("comparing"))
        async with self._one:
            return await self._memory.check_indexes()

    async def _filled(self, index: str, tell: ReportProgress) -> list[CheckResult]:
        indexes = await anyio.to_thread.run_sync(indexes_of, self._settings, index)
        filling = Filling(indexes)
        try:
            while True:
                async with self._one:
                    found = await self._memory.fill(
                        filling, lambda stage, done, total: tell(OperationProgress(stage, done, total))
                    )
                if found is not None:
                    return found
        finally:
            with anyio.CancelScope(shield=True):
                await indexes.close()

    async def _remove_index(self, index: str) -> None:
        indexes = await anyio.to_thread.run_sync(indexes_of, self._settings, index)
        try:
            await self._memory.remove_index(indexes)
        finally:
            with anyio.CancelScope(shield=True):
                await indexes.close()


def _selection(request: ForgetRequest) -> ForgetSelection:
    selection = ForgetSelection(
        **{each.name: getattr(request, each.name) for each in fields(ForgetSelection) if hasattr(request, each.name)}
    )
    if selection.empty:
        hint = "name a document, source, chat, speaker, person or time; `memd forget --help` has examples"
        raise InvalidError("nothing was named that should be forgotten", hint=hint)
    return selection


def _told(selection: ForgetSelection, plan: ForgetPlan, waiting: int, damaged: int) -> dict[str, Any]:
    largest = sorted(plan.affected, key=lambda each: -each.messages)[:SHOWN]
    return {
        "plan": plan.token,
        "messages": plan.messages,
        "documents": {
            "whole": sum(each.whole for each in plan.affected),
            "partly": sum(not each.whole for each in plan.affected),
        },
        "names": sorted({unicodedata.normalize("NFC", name) for name in plan.names}),
        "identities": _identities_of(plan) if selection.people or selection.speakers else [],
        "facts_about": plan.facts,
        "waiting": waiting,
        "damaged": damaged,
        "largest": [
            {"id": each.id, "source": each.source, "title": each.title, "messages": each.messages, "whole": each.whole}
            for each in largest
        ],
        **_chats_of(plan),
    }


def _identities_of(plan: ForgetPlan) -> list[dict[str, Any]]:
    """Return the names whose messages are removed, with counts, by source and name: each merged name, also one without
    a message.
    """
    counts: dict[tuple[str, str], int] = {}
    shown: dict[tuple[str, str], str] = {}
    for each in plan.affected:
        for name, messages in each.names.items():
            key = (each.source, folded(name))
            shown.setdefault(key, name)
            counts[key] = counts.get(key, 0) + messages
    for source, name in plan.merged:
        counts.setdefault((source, folded(name)), 0)
    return [
        {"source": key[0], "name": shown.get(key, key[1]), "messages": number} for key, number in sorted(counts.items())
    ]


def _chats_of(plan: ForgetPlan) -> dict[str, Any]:
    """Return the chats and texts that lose most messages, and the number of all."""
    found: dict[tuple[str, str, bool], list[Impact]] = {}
    for each in plan.affected:
        found.setdefault((each.source, each.title or each.id, each.text), []).append(each)
    chats: list[dict[str, Any]] = []
    for (source, title, text), documents in found.items():
        times = [time for each in documents for time in (each.first, each.last) if time is not None]
        span = {"first": rfc3339(min(times)), "last": rfc3339(max(times))} if times else {}
        messages = sum(each.messages for each in documents)
        chat = {"title": title, "source": source, "kind": "text" if text else "conversation", "messages": messages}
        chats.append(chat | {"documents": len(documents)} | span)
    chats.sort(key=lambda chat: -chat["messages"])
    return {"chats": chats[:SHOWN], "chat_count": len(chats)}


def _undo_told(plan: UndoPlan, others: Sequence[str]) -> dict[str, Any]:
    """A plan in its wire form."""
    names = ("documents", "messages", "restored", "amended", "retagged", "shared", "kept")
    counts = {name: getattr(plan, name) for name in names}
    run, *also = plan.runs
    told: dict[str, Any] = {"run": run, "plan": plan.token, **counts}
    return told | ({"also": also} if also else {}) | ({"others": list(others)} if others else {})


def _nothing_to_undo(plan: UndoPlan, others: Sequence[str]) -> NotFoundError:
    """Return the error that undoing these runs would change nothing, with the reason and an alternative."""
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
