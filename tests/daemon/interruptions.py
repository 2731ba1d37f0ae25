"""Errors injected at what the background workers await, and the application that they are injected into."""

from __future__ import annotations

import inspect
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, cast

import anyio
import pytest

from memd.daemon.app import open_app
from memd.daemon.config.settings import Settings
from memd.daemon.journal.journal import Journal
from memd.daemon.journal.run_history import RunHistory
from memd.daemon.pipeline import extraction_worker
from memd.daemon.pipeline.runs import Runs
from memd.daemon.service.requests import DoctorRequest
from memd.daemon.service.service import Service
from memd.memory import supervision
from memd.memory.embedding.bundled import BundledEmbedder
from memd.memory.embedding.embedder import EmbeddingModel
from memd.memory.embedding_queue import EmbeddingQueue
from memd.memory.extraction.rules.engine import RulesExtractor
from memd.memory.facts.service import FactService
from memd.memory.indexing.indexed_store import IndexedStore
from memd.memory.indexing.vector_sync import VectorIndexSync
from memd.memory.indexing.word_sync import TextIndexSync
from memd.memory.memory import EvolvingMemory
from memd.memory.store.database import Database
from memd.schemas import Document, ProgressUpdate
from memd.tests.daemon.house import Letters

SECONDS = 120.0
"""How long anything may take that is waited for."""
PRIVATE = "a private word"
PARTS = (
    Journal, RunHistory, Runs, EvolvingMemory, FactService, RulesExtractor, IndexedStore, Database, TextIndexSync,
    VectorIndexSync, EmbeddingQueue,
)  # fmt: skip
"""What the workers await, beside events and pauses, which never raise."""
WORKER = "memd "
"""How the tasks of workers are named."""

_PLACES: ContextVar[tuple[str, ...]] = ContextVar("_PLACES", default=())
"""Places that are being awaited, each within the one before it."""


class BrokenError(Exception):
    """An error that nobody foresaw."""


class PanicException(BaseException):
    """What an extension written in Rust raises when it panics."""


class Lettered(Letters):
    """The embedder that counts letters, with what the daemon asks of a model beside."""

    def __init__(self) -> None:
        super().__init__()
        self._tokenizer = BundledEmbedder()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tokenizer, name)

    async def load(self) -> None:
        """Nothing to load."""


class Interruptions:
    """Knows what each worker awaits, and raises at one such place as long as it is told to."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.seen: dict[str, dict[str, None]] = {}
        """By worker, in the order of their first use."""
        self.enclosing: dict[str, set[str]] = {}
        """By worker, places that await another place: an error there comes through them."""
        self.target: tuple[str, str] | None = None
        self.error: type[BaseException] = BrokenError
        self.raised = 0
        for part in PARTS:
            for name, method in list(vars(part).items()):
                if inspect.iscoroutinefunction(method) and not name.startswith("_"):
                    patch.setattr(part, name, self._watched(f"{part.__name__}.{name}", method))

    def _watched(self, name: str, method: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def call(*args: Any, **named: Any) -> Any:
            work = args[1].__name__.strip("<>_") if name in ("Database.read", "Database.write") else ""
            place = f"{name} {work}".rstrip()
            task = anyio.get_current_task().name or ""
            if task.startswith(WORKER):
                worker = task.removeprefix(WORKER)
                self.seen.setdefault(worker, {})[place] = None
                if not place.startswith("Database."):
                    self.enclosing.setdefault(worker, set()).update(_PLACES.get())
                if (worker, place) == self.target:
                    self.raised += 1
                    raise self.error(PRIVATE)
            token = _PLACES.set((*_PLACES.get(), place))
            try:
                return await method(*args, **named)
            finally:
                _PLACES.reset(token)

        return call


def hasten(patch: pytest.MonkeyPatch) -> None:
    """Pauses that a test can wait for."""
    patch.setattr(supervision, "PAUSES", (0.01, 0.05))
    patch.setattr(extraction_worker, "PAUSES", (0.01, 0.05))
    patch.setattr(extraction_worker, "DOCUMENT_PAUSES", (0.05,))


@asynccontextmanager
async def opened(folder: Path, **more: Any) -> AsyncGenerator[Service]:
    """The whole application with an embedder that costs nothing."""
    settings = Settings.model_validate({"data_dir": folder, **more})
    async with open_app(settings, serve=False, embedder=cast("EmbeddingModel", Lettered())) as service:
        yield service


async def ingest(service: Service, *documents: Document) -> ProgressUpdate:
    """A whole run, which ends whatever happens."""
    run = await service.pipeline.begin("tests")
    await service.pipeline.accept(run, documents)
    await service.pipeline.finish(run)
    with anyio.fail_after(SECONDS):
        return await service.pipeline.runs.wait(run, "vectors")


async def until(true: Callable[[], bool]) -> None:
    """Return when it holds."""
    with anyio.fail_after(SECONDS):
        while not true():
            await anyio.sleep(0.01)


async def findings(service: Service) -> dict[str, Any]:
    """What doctor finds, by check."""
    report = await service.doctor.check(DoctorRequest(), lambda _step: None)
    return {each["check"]: each for each in report["findings"]} | {"healthy": report["healthy"]}
