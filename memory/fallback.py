"""The fallback: a bundled model that embeds what awaits a vector while the endpoint of the embedder fails.

Its vectors are a space of their own (see `store.vectors`), which begins with the first failure that outlasts the embedder's
retries, and ends when the embedder has made the vector of every text.
"""

from __future__ import annotations

import logging
from typing import Protocol

from .embedding.embedder import Embedder
from .embedding_queue import EmbeddingQueue
from .indexing.indexed_store import IndexedStore
from .store.vectors import keep_fallback_vectors

_LOG = logging.getLogger(__name__)


class FallbackModel(Embedder, Protocol):
    """A model on this machine that takes memory only while it is used."""

    def unload(self) -> None:
        """Free the model; the next text loads it again."""
        ...


class Fallback:
    """The fallback of one store.

    Args:
        store: the store.
        model: loaded when the first text or question needs it.
    """

    def __init__(self, store: IndexedStore, model: FallbackModel) -> None:
        self.model = model
        self._store = store
        self.written = 0
        """A number that grows with each text that is stored."""
        self._covered = -1
        self.queue = EmbeddingQueue(store.database, model, keep_fallback_vectors, of_fallback=True)

    @property
    def active(self) -> bool:
        """True while the store has a space of the fallback."""
        return self._store.fallback.index is not None

    @property
    def covers(self) -> bool:
        """True while all texts that await a vector have one of the fallback."""
        return self.active and self._covered == self.written

    async def start(self) -> None:
        """Look whether the fallback of an earlier process has left a text without a vector."""
        if self.active:
            await self.queue.look_for_pending()
            self._covered = -1 if self.queue.more else self.written

    async def embed(self, limit: int) -> int:
        """Embed up to ``limit`` texts that await a vector; return their number, 0 when all have one of the fallback.

        Raises:
            EmbeddingError: the model cannot be loaded.
            StoreError: the vectors could not be kept.
        """
        written = self.written
        if self.covers:
            return 0
        if not self.active:
            _LOG.warning("the embedder fails: %s stands in for it until it is back", self.model.name)
            await self._store.begin_fallback(self.model.name, self.model.dimension)
            if not self.active:  # it is the store's own model
                return 0
        made = await self.queue.embed(limit)
        if not made:
            self._covered = written
        return made

    async def end(self) -> None:
        """Remove the vectors of the fallback and its index, and free the model."""
        async with self.queue.busy:
            self.queue.clear()
            await self._store.end_fallback()
            self._covered = -1
            self.model.unload()
        _LOG.warning("%s does not stand in any more: no text awaits a vector", self.model.name)
