"""The service of the process that owns a data directory: the operations of the API, most of them in its part services."""

from __future__ import annotations

import os
import time
import uuid
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from datetime import datetime, tzinfo
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, cast
from uuid import UUID

import anyio
import anyio.to_thread
from anyio.abc import ObjectReceiveStream

from ... import __version__
from ...connectors.reading.content_counts import ContentCounts
from ...memory import lookup
from ...memory.index.engines import ENGINES
from ...memory.memory import EvolvingMemory
from ...memory.records import DocumentLine as StoredLine
from ...memory.retrieval.query_filters import filter_of
from ...memory.store import annotation_rows, documents_read
from ...memory.store.vectors import generation_of
from ...memory.supervision import Worker
from ...schemas import ProgressUpdate, Query, QueryResult, StoreReport
from ...schemas.errors import NotFoundError
from ...schemas.times import rfc3339
from ..activity import Activity
from ..buffering.message_buffer import MessageBuffer
from ..buffering.policy import policy_of
from ..forgetting.active_answers import ActiveAnswers
from ..forgetting.saga import ForgetSaga
from ..journal.journal import QueueDepth
from ..journal.receipts import expecting_receipt, saving_receipt
from ..operation_progress import ReportProgress
from ..pipeline.pipeline import Pipeline
from ..querying.mounts import other_memories
from ..querying.query_buffer import QueryBuffer
from ..scheduler.clock import Clock, system_clock
from .backups import Backups
from .dead_letters import DeadLetters
from .doctor import Doctor
from .document_lines import Lines, read_digests, read_lines
from .export import Exports
from .forgetting import ForgettingService
from .graph import GraphService
from .import_undo import ImportUndo
from .index_migration import IndexMigration
from .knowledge import KnowledgeService
from .metrics import Measured, MetricsService
from .name_filters import NameFilters
from .notifications import Notifier
from .people import PeopleService
from .problems import MODEL_SILENCE, Problem, problems_of
from .reindexing import Reindexing
from .requests import AddFactRequest, ListingRequest, MessagesRequest, StoreRequest, SyncRequest
from .stated_facts import message_of, require_facts
from .status_line import status_line
from .trials import ModelTrials
from .user_identity import UserIdentity

if TYPE_CHECKING:
    from ...memory.llm.factory import LLM
    from ..config.settings import Settings
    from ..sources.runner import ConnectorFactory
    from .account_service import AccountService
    from .answers.ingestion import StoreAnswer
    from .answers.questions import (
        AddedFact,
        Annotation,
        DocumentAnswer,
        DocumentLine,
        DocumentPage,
        MessagesAnswer,
        ShownDocument,
    )
    from .answers.sources import SyncReport
    from .answers.status import (
        ExtractionState,
        HealthAnswer,
        IndexState,
        QueueState,
        StatsAnswer,
        StatusAnswer,
        UnreadableDocument,
    )
    from .source_service import SourceService


UNREADABLE_SHOWN = 20
NO_CONNECTORS: Mapping[str, ConnectorFactory] = {}


class Service:
    """A memory with its pipeline, owned by this process. Made by `app.open_app`.

    Methods raise the errors of ``schemas.errors``; each says which beside ``StoreError`` (the disk).
    """

    def __init__(
        self,
        settings: Settings,
        memory: EvolvingMemory,
        pipeline: Pipeline,
        socket: str,
        llm: LLM | None = None,
        *,
        connectors: Mapping[str, ConnectorFactory] = NO_CONNECTORS,
        clock: Clock = system_clock,
    ) -> None:
        self._settings = settings
        self._memory = memory
        self.pipeline = pipeline
        self._socket = socket
        self.http = ""
        """The loopback address where the owner listens, too."""
        self._llm = llm
        self.names = NameFilters(memory)
        self.user = UserIdentity(settings, memory)
        self._answering = answering = ActiveAnswers()
        self.queries = QueryBuffer(
            settings.query,
            memory,
            pipeline,
            lambda memory: NameFilters(memory).of_query,
            other_memories(settings.mounts, settings.data_dir),
        )
        answering.on_pause = self.queries.forget
        exclusive = anyio.Lock()
        """The lock of the operations on all that is stored, which run one at a time."""
        self.saga = ForgetSaga(settings.data_dir, memory, pipeline, answering, llm, exclusive)
        self.forgetting = ForgettingService(memory, self.names, self.saga, exclusive)
        self.imports = ImportUndo(memory, pipeline, self.saga, exclusive)
        self.letters = DeadLetters(pipeline, memory.fact_service, self.saga.erasure.soon)
        self.exports = Exports(memory, self.names, pipeline)
        self.backups = Backups(settings, exclusive)
        self.doctor = Doctor(settings, memory, pipeline, llm, exclusive)
        self.reindexing = Reindexing(memory, pipeline, settings.config, exclusive)
        self.migration = IndexMigration(settings, memory, exclusive)
        self.knowledge = KnowledgeService(settings, memory, pipeline, answering, llm, self.user)
        self.trials = ModelTrials(settings, memory, pipeline, answering, llm)
        self.people = PeopleService(memory, pipeline, self.user)
        self.graph = GraphService(memory, self.names)
        self.metrics = MetricsService(settings, memory, pipeline)
        self.metrics.add("sources", self._measured_sources)
        self.metrics.add("queries", self._measured_queries)
        self.messages = MessageBuffer(memory, pipeline, policy_of(settings.ingest), self.zone)
        self.notifier = Notifier(settings.notify, self._problems, clock, str(settings.data_dir))
        self.activity = Activity()
        self._began = time.monotonic()
        self._connectors = connectors
        self._clock = clock

    async def annotating(self, *, serves: bool) -> Callable[[Worker], Awaitable[None]] | None:
        """Return the worker that annotates messages; None if the settings have none, or this process is no daemon. Where
        the setting is off, annotations of former settings are deleted.
        """
        if not self._settings.evolution.notes:
            if await self._memory.database.read(annotation_rows.exist):
                from .annotations import without_annotations

                await without_annotations(self._memory)
                self.pipeline.embed_more()
            return None
        if self._llm is None or not serves:
            return None
        from .annotations import AnnotationWorker

        return AnnotationWorker(self._memory, self.pipeline, self._answering, self._llm, self._settings.llm).work

    # A command that only asks needs neither: what reads sources is a tenth of all imports of a lone question.
    @cached_property
    def sources(self) -> SourceService:
        """The service of the sources that are read repeatedly."""
        from .source_service import SourceService

        return SourceService(
            self._settings, self._memory, self.pipeline, self.backups, self.doctor, self._connectors, self._clock
        )

    @cached_property
    def accounts(self) -> AccountService:
        """Logging in to them."""
        from .account_service import AccountService

        return AccountService(self._settings, self.sources)

    async def _measured_queries(self) -> list[Measured]:
        counts = self.queries.statistics
        answers = {"hit": float(counts.hits), "miss": float(counts.misses)}
        by_source = {name: float(count) for name, count in counts.searches.items()}
        return [
            Measured(
                "memd_query_cache", "Questions that a kept answer answered, or not.", answers, "result", "counter"
            ),
            Measured("memd_query_cache_answers", "Answers that are kept.", len(self.queries.cache)),
            Measured("memd_query_searches", "Searches of questions by source.", by_source, "source", "counter"),
        ]

    async def _measured_sources(self) -> list[Measured]:
        silent = Measured(
            "memd_model_silent",
            "Whether messages have waited for a language model for more than a day that answered before.",
            float(await self._silent_since() is not None),
        )
        return [*await self.sources.measured(), silent]

    async def sync(self, request: SyncRequest, tell: ReportProgress) -> SyncReport:
        """Read sources as `SourceService.sync`; where it is ``nightly`` and no daemon does it by itself, the message about
        problems is sent at the end.

        Raises:
            NotFoundError: there is no source of a name.
        """
        report = await self.sources.sync(request, tell)
        if request.nightly and self.sources.jobs.scheduler is None:
            await self.notifier.look()
        return report

    async def _problems(self) -> list[Problem]:
        """The problems that somebody may want to be told of."""
        return problems_of(
            await self.sources.statuses(),
            await self.sources.maintenance_statuses(),
            model_stopped=bool(self._stopped()),
            model_silent=await self._silent_since() is not None,
            scheduled=self.sources.jobs.scheduler is not None,
        )

    async def _silent_since(self) -> datetime | None:
        """Return the time of the language model's last answer, if messages have waited for it since, for longer than
        `MODEL_SILENCE`; None for a model that never answered, which its trouble tells of.
        """
        if self._llm is None or self._settings.facts.extractor in ("rules", "off"):
            return None
        last, limit = await self._llm.ledger.store.last(), self._clock() - MODEL_SILENCE
        if last is None or last > limit:
            return None
        waiting = (
            await self._memory.fact_service.pending_extraction_count()
            + await self._memory.fact_service.provisional_count()
        )
        runs = self.pipeline.journal.runs
        return last if waiting and await runs.brought_between(last.timestamp(), limit.timestamp()) else None

    @property
    def zone(self) -> tzinfo:
        """The configured zone: where a bare date begins."""
        return self._settings.zone_in_force()[0]

    # --- answers ------------------------------------------------------------------------------------------------

    async def query(self, query: Query) -> QueryResult:
        """Answer a question; its duration goes into ``stats``.

        Raises:
            InvalidError: the query breaks a rule.
            NotFoundError: a filter names nobody, or several.
            BusyError: the question would be sent to a reranker while something is being forgotten.
        """
        began = time.perf_counter()
        fields_set = query.model_fields_set
        defaults = {
            name: getattr(self._settings.query, name) for name in ("limit", "context") if name not in fields_set
        }
        await self.user.follow()
        reranking = self._memory.retriever.reranking
        sends = reranking is not None and reranking.private is not None
        async with self._answering.under_way() if sends else nullcontext():  # what is being forgotten is not sent
            result = await self.queries.query(query.model_copy(update=defaults))
        self.pipeline.measurements.queries.add(time.perf_counter() - began)
        return result

    async def listing(self, request: ListingRequest) -> DocumentPage:
        """A page of ``documents``, the newest first; ``next`` (a key, for ``after``) when there may be more."""
        query = await self.names.of_query(request.as_query())
        lines = await self._memory.database.read(documents_read.listing, filter_of(query), request.after, request.limit)
        about = await self._memory.fact_reader.summaries_of([line.key for line in lines])
        page: DocumentPage = {"documents": [_line(line, about.get(line.key)) for line in lines]}
        if len(lines) == request.limit:
            page["next"] = str(lines[-1].key)
        return page

    async def document(self, identifier: str) -> DocumentAnswer:
        """A document in its wire form, by its own id or that of a message in it.

        Raises:
            NotFoundError: nothing has that id.
        """
        return ((await lookup.find(self._memory.database, identifier)).document).to_wire()

    async def show(self, identifier: str) -> ShownDocument:
        """``document``; for a message also its ``message`` (key) and ``position`` (from 0) in it; for a piece of a text
        its ``passage`` {start, end} of the content; of a text the number of its ``chunks``; ``summaries`` of what
        is said there, where its reader told, each with the ids of the messages it covers.

        Raises:
            NotFoundError: nothing has that id.
        """
        match = await lookup.find(self._memory.database, identifier)
        body: ShownDocument = {"document": match.document.to_wire()}
        if match.message is not None:
            body["message"], body["position"] = str(match.message.key), match.message.position
            if (annotation := await self._memory.database.read(annotation_rows.current, match.message.key)) is not None:
                body["annotation"] = cast("Annotation", annotation)
        if match.passage is not None:
            body["passage"] = match.passage
        if not match.document.is_conversation():
            body["chunks"] = len((await self._memory.database.read(documents_read.chunk_keys, {match.key}))[match.key])
        if summaries := await self._memory.fact_reader.summaries(match.key):
            body["summaries"] = summaries
        return body

    # --- documents in -------------------------------------------------------------------------------------------

    async def receive(self, request: StoreRequest, body: bytes) -> StoreAnswer:
        """Keep the documents of a body, as `Pipeline.accept` does; with ``check`` only look for ``conflicts``, with
        ``digests`` for ``undecided`` days of chats.

        Raises:
            NotFoundError, InvalidError, BusyError: as `Pipeline.accept`.
        """
        if request.digests:
            days = await anyio.to_thread.run_sync(read_digests, body)
            return {"undecided": [str(key) for key in await self._memory.undecided(days)]}
        lines = await anyio.to_thread.run_sync(read_lines, body)
        if request.check:
            return {"conflicts": await self._memory.conflicts(lines.documents)}
        run = request.run or await self.pipeline.begin(request.source, whole=not request.more)
        try:
            rejected = lines.refused + request.rejected
            along = expecting_receipt(run) if request.receipt else saving_receipt(run, _receipt_of(lines))
            places = [f"1/{place}" if place else "" for place in lines.places] if request.receipt else ()
            report = await self.pipeline.accept(
                run, lines.documents, rejected=rejected, again=request.again, places=places, along=along
            )
        except BaseException:
            if request.run is None:  # nobody has learned of it
                await self.pipeline.withdraw(run)
            raise
        if not request.more:
            await self.pipeline.finish(run)
        return _accepted(run, report, lines)

    async def add_messages(self, request: MessagesRequest) -> MessagesAnswer:
        """Keep lists of messages, which wait in buffers until they are stored.

        Raises:
            InvalidError: a message carries a fact of which none would be made.
            BusyError: as `MessageBuffer.add_batch`.
        """
        extracted = self._settings.facts.extractor != "off"
        await anyio.to_thread.run_sync(partial(require_facts, request, datetime.now(self.zone), extracted=extracted))
        added = await self.messages.add_batch(request.batch)
        accepted = added.report.added + added.report.unchanged
        return {"run": added.run, "accepted": accepted, "buffered": added.held}

    async def add_fact(self, request: AddFactRequest) -> AddedFact:
        """Keep a message that states a fact, as `add_messages` does.

        Raises:
            InvalidError: no fact would be made of it.
            BusyError: as `MessageBuffer.add_batch`.
        """
        message = message_of(request, uuid.uuid4().hex)
        lists = MessagesRequest(messages=(message,), user=request.user, agent=request.agent, session=request.session)
        return {**await self.add_messages(lists), "message_id": message.id or ""}

    def follow(self, run: str | None = None) -> AbstractAsyncContextManager[ObjectReceiveStream[ProgressUpdate]]:
        """Progress of one run until its last update, or of all until the daemon ends. It begins with the state now.

        Raises:
            NotFoundError: there is no such run, so nothing would ever be told.
        """
        if run is not None and self.pipeline.runs.hub.last(run) is None:
            raise NotFoundError("there is no such run", hint="`memd status` names the last ones")
        return self.pipeline.runs.hub.follow(run)

    # --- the owner ----------------------------------------------------------------------------------------------

    async def stats(self) -> StatsAnswer:
        """Counts, sizes and times, in the shape of ``memd stats --json``."""
        counts = await self._memory.stats()
        queue = await self.pipeline.journal.depth()
        return {
            **counts,
            "query_ms": self.queries.statistics.all.to_wire(),
            "queries": self.queries.statistics.to_wire(len(self.queries.cache)),
            "queue": _queue(queue),
            "dead_letters": queue.dead,
        }

    async def status(self) -> StatusAnswer:
        """Return the owner of the memory, the paths in force, the work in progress, and the outcomes of the last runs."""
        stats = await self._memory.stats()
        queue = await self.pipeline.journal.depth()
        indexed = self._memory.indexed
        failure = "" if indexed.index_failure is None else indexed.index_failure.message
        index: IndexState = {"name": indexed.engine.name, "failure": failure, "lag": stats["index_lag"]}
        if await indexed.other_index_kept():
            index["other"] = next(each for each in ENGINES if each != self._settings.storage.index)
        return {
            "version": __version__,
            "pid": os.getpid(),
            "uptime_s": round(time.monotonic() - self._began, 1),
            "config": str(self._settings.config),
            "data_dir": str(self._settings.data_dir),
            "socket": self._socket,
            "http": self.http,
            "zone": str(self.zone),
            "generation": stats["generation"],
            "fallback": stats["fallback"],
            "degraded": await self._degraded_parts(),
            "failures": dict(self.pipeline.trouble.items()),
            "workers": self.pipeline.workers.failing(),
            "vectors": stats["vectors"],
            "index": index,
            "reading": await self.reading(),
            "queue": _queue(queue),
            "queries": self.queries.statistics.in_short(),
            "dead_letters": queue.dead,
            "running": self.pipeline.runs.hub.active(),
            "last_runs": await self.pipeline.runs.last(),
            **await self.sources.listing(),
        }

    async def reading(self) -> ExtractionState:
        """Return the number of unread documents, the number of unanswered batches of questions, and the reason why
        nothing is read.
        """
        if self._settings.facts.extractor == "off":
            return {
                "unread": 0,
                "batches": 0,
                "trouble": "",
                "by_rules": 0,
                "stopped": "",
                "unreadable": [],
                "given_up": 0,
            }
        extraction_worker = self.pipeline.extraction_worker
        silent = await self._silent_since()
        given_up, waiting = await self._memory.fact_service.unread_window_counts()
        state: ExtractionState = {
            "unread": await self._memory.fact_service.pending_extraction_count() + waiting,
            "batches": 0 if self._llm is None else await self._llm.batches.under_way(),
            "trouble": "" if extraction_worker is None else extraction_worker.trouble,
            "by_rules": await self._memory.fact_service.provisional_count(),
            "stopped": self._stopped(),
            "unreadable": [] if extraction_worker is None else await self._unreadable(extraction_worker.unreadable),
            "given_up": given_up,
        }
        if silent is not None:
            state["silent_since"] = rfc3339(silent.replace(microsecond=0))
        return state

    async def _unreadable(self, failing: Mapping[UUID, str]) -> list[UnreadableDocument]:
        """The first documents that cannot be read for facts, with what fails."""
        rows = await self._memory.fact_service.documents(list(failing)[:UNREADABLE_SHOWN])
        return [{"id": row.id, "error": failing[key]} for key, row in rows.items() if key in failing]

    async def has_work(self) -> bool:
        """Return whether something goes on, or waits, that this process can do: storing, vectors, facts, jobs."""
        pipeline = self.pipeline
        if pipeline.has_backlog or pipeline.runs.hub.active() or self.sources.jobs.queue.is_busy:
            return True
        degraded = self._degraded()
        embeds = self._settings.embedding.enabled and not {"vector", "embedder"}.intersection(degraded)
        if embeds and (await self._memory.stats())["vectors"]["pending"]:
            return True
        worker = pipeline.extraction_worker
        return worker is not None and not worker.trouble and bool((await self.reading())["unread"])

    def health(self) -> HealthAnswer:
        """Return the health, without touching store or journal: ``ok``, or ``degraded`` with the parts that do not
        work.
        """
        return _health(self._degraded())

    async def health_with_sources(self) -> HealthAnswer:
        """`health`, degraded by ``sources`` as well where a daemon's source or maintenance needs somebody."""
        await self.pipeline.journal.try_again()
        degraded = await self._degraded_parts()
        if self.sources.jobs.scheduler is not None and await self.sources.failing():
            degraded.append("sources")
        return _health(degraded)

    @property
    def socket(self) -> str:
        """Return the path where the owner listens."""
        return self._socket

    async def read_store(self) -> None:
        """One cheap read of the store by the way that every question takes: proof that it answers.

        Raises:
            StoreError: it answers with an error.
        """
        await self._memory.database.read(generation_of)

    async def status_line(self) -> str:
        """Return the daemon's present activity in one line, for a service manager."""
        sources = len(await self.sources.repository.all())
        active, storing = self.pipeline.runs.hub.active(), self.pipeline.trouble.get("storing")
        return status_line(
            active, sources, self.sources.jobs.first_due(), self.zone, storing=storing, model=self._stopped()
        )

    def _degraded(self) -> list[str]:
        model = ["model"] if self._stopped() else []
        return list(dict.fromkeys([*self._memory.degraded(), *self.pipeline.degraded(), *model]))

    async def _degraded_parts(self) -> list[str]:
        """`_degraded`, with the language model also where it is silent."""
        silent = ["model"] if await self._silent_since() is not None else []
        return list(dict.fromkeys([*self._degraded(), *silent]))

    def _stopped(self) -> str:
        """Return the reason why the language model is no longer used, if it is to read."""
        if self._llm is None or self._settings.facts.extractor in ("rules", "off"):
            return ""
        return self._llm.usefulness.stopped


def _health(degraded: list[str]) -> HealthAnswer:
    return {
        "status": "degraded" if degraded else "ok",
        "degraded": degraded,
        "version": __version__,
        "pid": os.getpid(),
    }


def _queue(queue: QueueDepth) -> QueueState:
    return {"depth": queue.messages, "oldest_s": queue.oldest_s, "buffered": queue.buffered}


def _accepted(run: str, report: StoreReport, lines: Lines) -> StoreAnswer:
    body: StoreAnswer = {
        "run": run,
        "accepted": report.added + report.updated,
        "unchanged": report.unchanged,
        "rejected": lines.refused,
    }
    if lines.rejected:
        body["reasons"] = lines.rejected
    if notices := lines.notices.to_wire():
        body["notices"] = notices
    return body


def _line(line: StoredLine, summaries: list[str] | None) -> DocumentLine:
    body: DocumentLine = {
        "key": str(line.key),
        "id": line.id,
        "source": line.source,
        "kind": line.kind,
        "title": line.title,
        "messages": line.messages,
    }
    if summaries:
        body["summaries"] = summaries
    if line.timestamp is not None:
        body["timestamp"] = line.timestamp
    return body


def _receipt_of(lines: Lines) -> dict[str, Any]:
    """Return the receipt of documents that were sent without a file."""
    counts = ContentCounts()
    for document in lines.documents:
        counts.add(document)
    notices: Counter[str] = Counter()
    for each in lines.notices.to_wire():
        notices[each["code"]] += each["count"]
    rejected = {"not a document": lines.refused} if lines.refused else {}
    export: dict[str, Any] = {
        "format": "documents",
        "version": 1,
        "path": "",
        "files": [],
        "rejected": rejected,
        "notices": notices,
    }
    return {"exports": [export | counts.receipt()], "skipped": []}
