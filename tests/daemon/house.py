"""What the daemon's tests share: documents of our own, and a pipeline on real parts that can be made to fail."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import anyio
import numpy as np
import orjson
from numpy.typing import NDArray

from memd.daemon.http.streaming import answer_json
from memd.daemon.journal.journal import Journal, open_journal
from memd.daemon.pipeline.limits import PipelineLimits
from memd.daemon.pipeline.pipeline import Pipeline
from memd.daemon.pipeline.progress import ProgressHub
from memd.memory.embedding.bundled import BundledEmbedder
from memd.memory.indexing.indexed_store import IndexedStore, open_store
from memd.memory.memory import EvolvingMemory, Homes
from memd.memory.write_batches import QueuedEntries
from memd.schemas import ConversationDocument, Document, StoreReport, TextDocument
from memd.schemas.errors import EmbeddingError, StoreError

START = datetime(2024, 1, 15, 12, 0, tzinfo=UTC)


def talk(name: str, count: int, *, words: str = "speaks of topic") -> ConversationDocument:
    """A conversation of so many messages, one a minute, each unlike all others."""
    return ConversationDocument.model_validate(
        {
            "id": f"talk:{name}",
            "conversation": {
                "source": "tests",
                "people": ("Ann", "Bob"),
                "user": "Ann",
                "conversation": tuple(
                    {
                        "speaker": "Ann" if number % 2 else "Bob",
                        "content": f"message {number} of {name} {words} {number * 7919 % 1013}",
                        "time": START + timedelta(minutes=number),
                    }
                    for number in range(count)
                ),
            },
        }
    )


def wire(answer: object) -> Any:
    """An answer of the service as a client reads it."""
    return orjson.loads(answer_json(answer))


def note(name: str, content: str) -> TextDocument:
    """A text."""
    return TextDocument(id=f"note:{name}", content=content, metadata={"source": "tests"})


class Letters:
    """An embedder that counts letters: fast, and good enough where vectors only have to be there."""

    name = "letters"
    dimension = 26
    max_tokens = 510

    def __init__(self) -> None:
        self.broken = False
        self.texts = 0
        self.gate: anyio.Event | None = None

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """A row of letter counts for each text."""
        if self.gate is not None:
            await self.gate.wait()
        await anyio.lowlevel.checkpoint()
        if self.broken:
            raise EmbeddingError("the embedder is broken")
        self.texts += len(texts)
        return np.stack([self._row(text) for text in texts])

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        """The same for a question."""
        return self._row(text)

    def _row(self, text: str) -> NDArray[np.float32]:
        row = np.array([1.0 + text.lower().count(chr(97 + index)) for index in range(26)], np.float32)
        return (row / np.linalg.norm(row)).astype(np.float32)


class Faulty(EvolvingMemory):
    """The real memory, except for documents of bad names and while it is told to refuse everything."""

    refusing = False
    tolerant = False
    """Bad names are good names now."""
    writes = 0

    async def write(
        self,
        documents: Sequence[Document],
        run: str = "",
        homes: Homes | None = None,
        reports: list[StoreReport] | None = None,
        entries: QueuedEntries | None = None,
    ) -> StoreReport:
        """Refuse, or write."""
        self.writes += 1
        if self.refusing:
            raise StoreError("the disk is full")
        if not self.tolerant and any(document.id.endswith("poison") for document in documents):
            raise ValueError("a private word")
        if any(document.id.endswith("refused") for document in documents):
            raise StoreError("this one is refused")
        return await super().write(documents, run, homes, reports, entries)


@dataclass
class House:
    """A pipeline and its parts."""

    journal: Journal
    store: IndexedStore
    memory: Faulty
    embedder: Letters
    pipeline: Pipeline = field(init=False)

    async def ingest(self, *documents: Document, finish: bool = True) -> str:
        """A run with these documents; returns its id."""
        run = await self.pipeline.begin("tests")
        await self.pipeline.accept(run, documents)
        if finish:
            await self.pipeline.finish(run)
        return run


@asynccontextmanager
async def house(
    folder: Path, *, bounds: PipelineLimits | None = None, embed: bool = True, embedder: Letters | None = None
) -> AsyncGenerator[House]:
    """A pipeline at work on a journal and a store in ``folder``; cancelled at the end of the block, as by a kill."""
    folder.mkdir(exist_ok=True)
    letters = embedder or Letters()
    async with open_journal(folder / "journal.db") as journal, open_store(folder / "store") as store:
        memory = Faulty(store, letters, BundledEmbedder())
        await memory.start()
        parts = House(journal, store, memory, letters)
        async with anyio.create_task_group() as tasks:
            parts.pipeline = Pipeline(
                memory, journal, ProgressHub(), bounds, refresh_indexes=store.refresh_indexes, embed=embed
            )
            await parts.pipeline.start(tasks)
            try:
                yield parts
            finally:
                tasks.cancel_scope.cancel()
