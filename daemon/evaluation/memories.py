"""Fresh memories for measuring: in a temporary folder each, by any settings; the user's own memory is never opened."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import anyio.to_thread

from ...memory.embedding.embedder import EmbeddingModel
from ...memory.index.ports import Indexes
from ...memory.indexing.indexed_store import open_store
from ...memory.memory import EvolvingMemory
from ..app import add_reranker, begin, extractor_for, memory_of
from ..config.paths import STORE
from ..config.settings import Settings
from ..indexes import indexes_for
from .datasets.dataset import Scope

if TYPE_CHECKING:
    from ...memory.llm.factory import LLM

RUN = "eval"


@asynccontextmanager
async def filled_memory(
    settings: Settings,
    embedder: EmbeddingModel,
    scope: Scope,
    now: Callable[[], datetime],
    *,
    llm: LLM | None = None,
    indexes: Indexes | None = None,
) -> AsyncGenerator[EvolvingMemory]:
    """Open a memory in a temporary folder that holds the documents of a scope, with vectors and facts as the settings say.

    Args:
        settings: of the memory; its data directory is not used.
        embedder: of the settings; stays open.
        scope: the documents.
        now: the time that questions refer to.
        llm: the model of the settings, for facts.
        indexes: the search indexes, instead of those of the settings.

    Raises:
        MemdError: it cannot be filled.
    """
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="memd-eval-")))
        placed = settings.model_copy(update={"data_dir": folder})
        parts = indexes or await anyio.to_thread.run_sync(indexes_for, placed)
        store = await stack.enter_async_context(open_store(folder / STORE, indexes=parts))
        memory = memory_of(placed, store, embedder, now)
        await begin(memory, store.database, embedder)
        await add_reranker(stack, placed, memory, llm)
        for batch in scope.batches:
            await memory.store(batch)
        if settings.facts.extractor != "off":
            await _extract(placed, memory, llm)
        await store.refresh_indexes()
        yield memory


async def _extract(settings: Settings, memory: EvolvingMemory, llm: LLM | None) -> None:
    service = memory.fact_service
    await service.set_extractor(*await anyio.to_thread.run_sync(extractor_for, settings, llm, service))
    while (await service.extract_pending(RUN)).documents:
        pass
    while memory.embedder is not None and await memory.embed_pending():
        pass
