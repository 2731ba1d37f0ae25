"""The composition root: the one place where a memory, its journal, its workers and its socket are put together."""

from __future__ import annotations

import gc
import logging
import os
import shutil
from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
from anyio import CancelScope
from anyio.abc import TaskStatus

from ..memory.embedding.embedder import EmbeddingModel
from ..memory.embedding.openai_compatible import EndpointEmbedder
from ..memory.extraction.extractor import Extractor
from ..memory.indexing.indexed_store import IndexedStore, open_store
from ..memory.memory import EvolvingMemory
from ..memory.store.change_log import sequence
from ..memory.store.database import Database
from ..memory.store.vectors import generation_of
from ..memory.supervision import Worker, Workers
from ..schemas.errors import ConfigError, EmbeddingError, StoreError
from . import tracing
from .backup.restore import sweep_restores
from .config.account_secrets import recover_secrets
from .config.paths import JOURNAL, STORE, Owner, OwnerKind, make_private, short_socket_path
from .config.settings import Settings
from .embedders import embedder_for, fallback_for
from .http.server import serve_address, serve_api
from .indexes import indexes_for
from .journal import fed_stores
from .journal.journal import Journal, open_journal, read_journal
from .lock import lock_data_dir, locked_now
from .logs import stage
from .pipeline.extraction_worker import ExtractionWorker
from .pipeline.limits import PipelineLimits
from .pipeline.pipeline import Pipeline
from .pipeline.progress import ProgressHub
from .scheduler.clock import Clock, system_clock
from .service.service import NO_CONNECTORS, Service
from .sources.reader_folders import sweep_copies

COLLECT_EVERY = 50_000
"""The number of new objects before the youngest generation is collected."""
INDEX_CATCH_UP_SECONDS = 2.0
"""The maximum seconds that a single request waits for indexes that lag the store after an earlier owner's crash."""

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from ..memory.facts.batch_extraction import BatchExtraction
    from ..memory.facts.llm_judge import LLMJudge
    from ..memory.facts.service import FactService
    from ..memory.llm.factory import LLM
    from .sources.runner import ConnectorFactory

log = logging.getLogger(__name__)


@asynccontextmanager
async def open_app(
    settings: Settings,
    *,
    serve: bool = True,
    single_request: bool = False,
    wait: float = 0.0,
    kind: OwnerKind = "command",
    on_wait: Callable[[Owner, float], None] | None = None,
    embedder: EmbeddingModel | None = None,
    scheduled: bool = False,
    connectors: Mapping[str, ConnectorFactory] = NO_CONNECTORS,
    clock: Clock = system_clock,
) -> AsyncGenerator[Service]:
    """Own the data directory and everything in it for the length of the block.

    Args:
        settings: see `config.resolve`.
        serve: answer at the socket as long as the block lasts; requests are answered when it begins.
        single_request: an owner for one question only, which embeds and extracts nothing.
        wait: the seconds to wait for another owner to release the directory.
        kind: of this owner; a daemon waits for commands, not for another daemon.
        on_wait: see `lock_data_dir`.
        embedder: the embedder of the settings, if the caller has it already; made here otherwise.
        scheduled: read sources and do maintenance when they are due.
        connectors: kinds of sources beside folders.
        clock: the time now, in UTC, for schedules.

    Raises:
        BusyError: another process owns the data directory, or serves the socket.
        ConfigError: the socket, its group, the embedder or a schedule cannot be used.
        StoreError: the store or the journal cannot be opened.
    """
    workers = Workers()
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(tracing.exported(settings.tracing))
        stack.enter_context(_collector_as_found())
        lock = lock_data_dir(settings.data_dir, wait=wait, kind=kind, on_wait=on_wait)
        ownership = await stack.enter_async_context(lock)
        if serve:
            ownership.set_state("starting")
        await anyio.to_thread.run_sync(sweep_restores, settings.data_dir)
        await anyio.to_thread.run_sync(sweep_copies, settings.data_dir)
        await anyio.to_thread.run_sync(recover_secrets, settings.data_dir)
        journal = await stack.enter_async_context(open_journal(settings.data_dir / JOURNAL))
        memory, store, embedder = await _open_memory(stack, settings, workers, embedder)
        if single_request:
            with anyio.move_on_after(INDEX_CATCH_UP_SECONDS):
                await store.refresh_indexes()
        await journal.run(partial(fed_stores.note_store, store=store.database.store))
        await _note_change(journal, store.database)
        stack.push_async_callback(_note_change, journal, store.database)
        embed = settings.embedding.enabled and not single_request
        llm = await anyio.to_thread.run_sync(_open_llm, settings)
        if llm is not None:
            stack.push_async_callback(llm.aclose)
        await add_reranker(stack, settings, memory, llm)
        pipeline = Pipeline(
            memory,
            journal,
            ProgressHub(),
            _pipeline_limits(settings),
            refresh_indexes=store.refresh_indexes,
            embed=embed,
            extraction_worker=None if single_request else _extraction_worker(settings, llm, memory),
            workers=workers,
        )
        socket = Path(short_socket_path(os.fspath(settings.socket), chosen=settings.socket_chosen))
        service = Service(settings, memory, pipeline, os.fspath(socket), llm, connectors=connectors, clock=clock)
        service.metrics.embedder = embedder if embed else None
        await service.user.follow()
        working, serving, jobs = CancelScope(), CancelScope(), CancelScope()
        async with anyio.create_task_group() as tasks:
            await tasks.start(_work, working, service, pipeline, embedder if embed else None)
            if not single_request:
                await tasks.start(_run_jobs, jobs, service, scheduled)
            # From here on a task ends only when told to: if the block is cancelled, acknowledged documents are still
            # stored, and followers get a last update. Not earlier: `start` waits for a task that it cancelled.
            working.shield = True
            try:
                if serve:
                    http = settings.server.http if kind == "daemon" else ""
                    await tasks.start(_serve, serving, service, socket, settings, http)
                    serving.shield = True
                    ownership.announce(os.fspath(socket))
                _start_collector()
                yield service
            finally:
                jobs.cancel()  # readers end first: their documents are in the journal, the rest is read again
                if serve:
                    ownership.set_state("stopping")
                await _close(service, serving, settings.ingest.drain_s)
                working.cancel()


async def _note_change(journal: Journal, database: Database) -> None:
    """Record the number of the store's last change, so that an older copy in its place is noticed."""
    with suppress(StoreError), CancelScope(shield=True):  # on a full disk a query still gets an answer
        change = await database.read(sequence)
        await journal.run(partial(fed_stores.note_change, store=database.store, change=change))


@asynccontextmanager
async def open_reader(settings: Settings, embedder: EmbeddingModel | None = None) -> AsyncGenerator[Service]:
    """Answer questions at the socket for the length of the block without writing to the data directory, for a full or a
    read-only disk. Several processes may read it so at the same time, but no process may own it.

    Queued documents stay in the journal. The indexes are used as far as they are built.

    Args:
        settings: see `config.resolve`; the socket's folder must be writable.
        embedder: as in `open_app`.

    Raises:
        BusyError: a process owns the data directory.
        StoreError: there is nothing to read, or it must be changed before it can be read.
    """
    workers = Workers()
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(tracing.exported(settings.tracing))
        stack.enter_context(_collector_as_found())
        stack.enter_context(locked_now(settings.data_dir, reading=True))
        journal = await stack.enter_async_context(read_journal(settings.data_dir / JOURNAL))
        memory, store, _ = await _open_memory(stack, settings, workers, embedder, read_only=True)
        if settings.rerank.provider != "http":  # what is sent is recorded before, and nothing can be written here
            await add_reranker(stack, settings, memory, None)
        pipeline = Pipeline(
            memory,
            journal,
            ProgressHub(),
            _pipeline_limits(settings),
            refresh_indexes=store.refresh_indexes,
            embed=False,
            extraction_worker=None,
            workers=workers,
        )
        await pipeline.count_waiting()
        service = Service(settings, memory, pipeline, os.fspath(settings.socket))
        serving = CancelScope()
        async with anyio.create_task_group() as tasks:
            await tasks.start(_serve, serving, service, settings.socket, settings)
            _start_collector()
            try:
                yield service
            finally:
                pipeline.close()
                serving.cancel()


async def _open_memory(
    stack: AsyncExitStack,
    settings: Settings,
    workers: Workers,
    embedder: EmbeddingModel | None,
    *,
    read_only: bool = False,
) -> tuple[EvolvingMemory, IndexedStore, EmbeddingModel]:
    """Return the memory, its store and its embedder, all of which ``stack`` closes. ``read_only``: as the store's."""
    if not read_only:
        await anyio.to_thread.run_sync(make_private, os.fspath(settings.data_dir / STORE))
    indexes = await anyio.to_thread.run_sync(lambda: indexes_for(settings, read_only=read_only))
    store = await stack.enter_async_context(
        open_store(settings.data_dir / STORE, read_only=read_only, workers=workers, indexes=indexes)
    )
    if embedder is None:
        embedder = await anyio.to_thread.run_sync(embedder_for, settings.embedding)
    stack.push_async_callback(embedder.aclose)
    memory = memory_of(settings, store, embedder)
    if memory.fallback is None and settings.embedding.enabled and not read_only and store.fallback.index is not None:
        await store.end_fallback()  # of other settings than those in force
    await begin(memory, store.database, embedder)
    return memory, store, embedder


def memory_of(
    settings: Settings, store: IndexedStore, embedder: EmbeddingModel, now: Callable[[], datetime] | None = None
) -> EvolvingMemory:
    """Return the memory of a store, as the settings describe it; ``now``: the time that questions refer to, instead of the
    system's.
    """
    return EvolvingMemory(
        store,
        embedder if settings.embedding.enabled else None,
        embedder,
        now=now or (lambda: datetime.now(settings.zone_in_force()[0])),
        chunking=settings.chunking,
        fallback=fallback_for(settings.embedding),
    )


async def add_reranker(stack: AsyncExitStack, settings: Settings, memory: EvolvingMemory, llm: LLM | None) -> None:
    """Let the reranker of the settings, if there is one, take part in answers for as long as the stack lasts."""
    if settings.rerank.provider != "none":
        from .rerank import reranking_of

        memory.retriever.reranking = await reranking_of(stack, settings, memory.fact_service, llm)


def _pipeline_limits(settings: Settings) -> PipelineLimits:
    return PipelineLimits(
        batch_messages=settings.ingest.batch_messages,
        batch_bytes=settings.ingest.batch_bytes,
        queue_messages=settings.ingest.queue_messages,
        attempts=settings.ingest.attempts,
        embed_batch=settings.embedding.batch,
    )


def _extraction_worker(settings: Settings, llm: LLM | None, memory: EvolvingMemory) -> ExtractionWorker | None:
    if settings.facts.extractor == "off":
        return None
    return ExtractionWorker(
        memory.fact_service,
        lambda: extractor_for(settings, llm, memory.fact_service),
        _batch_extraction_of(settings, llm, memory),
    )


def _start_collector() -> None:
    """Turn the garbage collector on, which the command turned off during its imports.

    Existing objects are frozen, so that collecting them costs nothing in the middle of an answer. Objects of an ingest
    are hardly ever cyclic garbage: looking for it every 700 objects took 6 to 10 % of an ingest without vectors.
    """
    gc.freeze()
    gc.set_threshold(COLLECT_EVERY)
    gc.enable()


@contextmanager
def _collector_as_found() -> Generator[None]:
    """Restore the collector's settings at the end of the block. Frozen objects stay frozen: otherwise all would be
    traversed when the process ends.
    """
    enabled, threshold = gc.isenabled(), gc.get_threshold()
    try:
        yield
    finally:
        gc.set_threshold(*threshold)
        (gc.enable if enabled else gc.disable)()


def extractor_for(
    settings: Settings, llm: LLM | None, fact_service: FactService
) -> tuple[Extractor, LLMJudge | None, Extractor | None]:
    """Return the extractor, the judge of facts that rules cannot compare, and the substitute while the model fails;
    call it in a worker thread, because the imports take a while.
    """
    from ..memory.extraction.rules.deferred import DeferredRulesExtractor

    rules = DeferredRulesExtractor()
    if llm is None or settings.facts.extractor == "rules":
        return rules, None, None
    from .llm import extractor_of, judge_of

    return extractor_of(llm, settings.llm), judge_of(llm, settings.llm, fact_service), rules


def _open_llm(settings: Settings) -> LLM | None:
    if settings.evolution.notes and not (settings.llm.model and settings.embedding.enabled):
        hint = "name a model in the section llm, and leave embedding.enabled on; or set evolution.notes = false"
        raise ConfigError("evolution.notes needs a language model and vectors", hint=hint)
    if not settings.llm.model:
        if settings.facts.extractor == "llm":
            raise ConfigError("facts.extractor is llm, and llm.model names none", hint="name one in the section llm")
        return None
    from .llm import open_llm

    return open_llm(settings.data_dir, settings.llm, settings.zone_in_force()[0])


def _batch_extraction_of(
    settings: Settings, llm: LLM | None, memory: EvolvingMemory
) -> Callable[[], BatchExtraction] | None:
    if llm is None or not settings.llm.batch or settings.facts.extractor == "rules":
        return None

    def make() -> BatchExtraction:
        from .llm import batches_of

        return batches_of(llm, settings.llm, memory.fact_service)

    return make


async def begin(memory: EvolvingMemory, database: Database, embedder: EmbeddingModel) -> None:
    """Compare store and settings. For a new store with an endpoint, the comparison waits until the first answer shows
    the dimension; until then words are stored and searched without vectors.
    """
    if memory.fallback is not None:
        await memory.fallback.start()
    if isinstance(embedder, EndpointEmbedder) and not embedder.dimension:
        stored = await database.read(generation_of)
        if stored is None:
            embedder.when_measured = memory.start
            return
        if stored.model == embedder.name:
            embedder.expect(stored.dimension)
    await memory.start()


async def _work(
    scope: CancelScope,
    service: Service,
    pipeline: Pipeline,
    embedder: EmbeddingModel | None,
    *,
    task_status: TaskStatus[None],
) -> None:
    """Run the workers, until the scope is cancelled."""
    with scope:
        async with anyio.create_task_group() as workers:
            await pipeline.start(workers)
            await service.imports.settle()  # before a request can ask which runs were undone
            pipeline.workers.start(workers, "purging files", service.saga.erasure.work)
            pipeline.workers.start(workers, "completing forgetting", service.saga.complete)
            pipeline.workers.start(workers, "releasing", service.messages.work)
            if (prefetcher := service.queries.prefetcher) is not None:
                pipeline.workers.start(workers, "preparing answers", prefetcher.work)
            workers.start_soon(service.doctor.warn_of_opt_outs)
            if embedder is not None:
                pipeline.workers.start(workers, "loading the model", partial(_load_model_in_background, embedder))
            task_status.started()


async def _run_jobs(scope: CancelScope, service: Service, scheduled: bool, *, task_status: TaskStatus[None]) -> None:
    """Read sources and do maintenance, until the scope is cancelled."""
    with scope:
        if scheduled:
            await service.sources.sweep_secrets()
        async with anyio.create_task_group() as tasks:
            await service.sources.jobs.start(tasks, service.pipeline.workers, scheduled=scheduled)
            if annotate := await service.annotating(serves=scheduled):
                service.pipeline.workers.start(tasks, "annotating", annotate)
            if scheduled and service.notifier.is_on:
                service.pipeline.workers.start(tasks, "notifying", service.notifier.run)
            task_status.started()


async def _close(service: Service, serving: CancelScope, seconds: float) -> None:
    """Stop accepting documents, store acknowledged ones within the deadline, then close the socket."""
    pipeline = service.pipeline
    with stage(log, "closing"), anyio.move_on_after(seconds, shield=True):
        pipeline.stop_accepting()
        await service.messages.release_all()
        await pipeline.drain()
        await pipeline.conclude()
    pipeline.close()
    serving.cancel()


async def _serve(
    scope: CancelScope,
    service: Service,
    socket: Path,
    settings: Settings,
    http: str = "",
    *,
    task_status: TaskStatus[None],
) -> None:
    """Serve until the scope is cancelled, at a loopback address ``http`` too; then remove the private folder of a socket
    whose path was too long.
    """
    try:
        with scope:
            async with anyio.create_task_group() as tasks:
                await tasks.start(partial(serve_api, service, socket, group=settings.server.group))
                if http:
                    beside = partial(_with_agents, socket)
                    service.http = await tasks.start(serve_address, service, http, settings.data_dir, beside)
                task_status.started()
    finally:
        if socket != settings.socket:
            with CancelScope(shield=True):
                await anyio.to_thread.run_sync(lambda: shutil.rmtree(socket.parent, ignore_errors=True))


def _with_agents(socket: Path, app: ASGIApp) -> ASGIApp:
    """Return the application that serves agents, too, who reach the memory through the socket like all others."""
    from .mcp.memd_server import memd_server
    from .mcp.memory import Memory, RunningDaemon
    from .mcp.streamable_http import McpEndpoint

    return McpEndpoint(app, memd_server(Memory(RunningDaemon(str(socket)))))


async def _load_model_in_background(embedder: EmbeddingModel, _worker: Worker) -> None:
    """Load the model in the background: words are searched meanwhile, the first vector waits for it."""
    try:
        await embedder.load()
    except EmbeddingError as error:
        log.warning("the embedder cannot be loaded: %s", error.message)
