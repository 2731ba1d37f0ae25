"""The queue of texts without a vector: reads them from the store in windows, embeds them and stores the vectors. Texts
that cannot be embedded are set aside.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Mapping, Sequence

import anyio
import numpy as np

from ..schemas.errors import EmbeddingError, MemdError
from .embedding.embedder import Embedder
from .records import PendingText
from .search_types import Vector
from .store.database import Database
from .store.row_counts import count_of
from .store.vectors import keep_vectors, pending_texts
from .supervision import is_recoverable

WINDOW_BATCHES = 8
"""Batches sorted together: texts of similar length need no padding, a tenth of the work."""
MOST_ASIDE = 1_000
"""The number of unusable vectors above which the embedder is at fault, not the texts."""

PROBE = "memd"
"""A text that every embedder can embed."""

_LOG = logging.getLogger(__name__)


class EmbeddingQueue:
    """The texts of one store that have no vector yet. ``busy`` is held while some of them are being embedded.

    Args:
        database: the store.
        embedder: makes the vectors.
        keep: stores them.
        of_fallback: True for the texts without a vector of the fallback, among those that await one.
    """

    def __init__(
        self,
        database: Database,
        embedder: Embedder,
        keep: Callable[[sqlite3.Connection, Mapping[bytes, Vector]], None] = keep_vectors,
        *,
        of_fallback: bool = False,
    ) -> None:
        self._database = database
        self._embedder = embedder
        self._keep = keep
        self._of_fallback = of_fallback
        self._window: list[PendingText] = []
        """Texts read from the store and not embedded yet, short ones first."""
        self._aside: set[bytes] = set()
        """Texts for which the embedder returned something unusable; they are tried again at the next start."""
        self.busy = anyio.Lock()
        self.more = False
        """True if texts wait that can be embedded."""
        self.made = 0
        """Vectors made since the start."""
        self._keeping = anyio.Lock()
        """Held while vectors are stored and counted, so that the store's count and `made` belong to the same moment."""

    async def look_for_pending(self) -> None:
        """Check whether any texts wait, and set `more`."""
        self.more = bool(self._window or await self._fetch(1))

    def clear(self) -> None:
        """Discard the texts that were read, after the queue in the store changed."""
        self._window.clear()

    async def embed(self, limit: int) -> int:
        """Embed up to ``limit`` texts; return their number, 0 if no text is left that can be embedded.

        Raises:
            EmbeddingError: the embedder failed; these texts stay where they are.
            StoreError: the vectors could not be kept; these texts stay where they are.
        """
        async with self.busy:
            if not self._window:
                ahead = await self._fetch(limit * WINDOW_BATCHES)
                self._window = sorted(ahead, key=lambda text: len(text.text))
            batch = self._window[:limit]
            if not batch:
                self.more = False
                return 0
            vectors = await self._vectors_of([text.text for text in batch])
            usable = {
                text.hash: vector
                for text, vector in zip(batch, vectors, strict=True)
                if vector is not None and self._usable(vector)
            }
            if not usable and all(vector is not None for vector in vectors):
                raise EmbeddingError(
                    "the embedder gives vectors that are zero, not finite or of a wrong size",
                    hint="another model, or another file of it, may do better",
                )
            self._set_aside([text.hash for text in batch if text.hash not in usable])
            async with self._keeping:
                if usable:
                    await self._database.write(self._keep, usable)
                del self._window[:limit]
                self.made += len(usable)
            await self.look_for_pending()
        return len(batch)

    async def _vectors_of(self, texts: Sequence[str]) -> Sequence[Vector | None]:
        """Return the vectors of these texts; None for texts that fail unexpectedly while others can be embedded."""
        try:
            return list(await self._embedder.embed_documents(texts))
        except BaseException as error:
            if isinstance(error, MemdError) or not is_recoverable(error):
                raise
            await self._embedder.embed_documents([PROBE])  # where this fails too, the texts have no part in it
        vectors: list[Vector | None] = []
        for text in texts:
            try:
                vectors += list(await self._embedder.embed_documents([text]))
            except BaseException as error:
                if isinstance(error, MemdError) or not is_recoverable(error):
                    raise
                vectors.append(None)
        return vectors

    async def vector_counts(self) -> tuple[int, int]:
        """Return the vectors made since the start and the chunks that await one, at one moment."""
        async with self._keeping:
            return self.made, await self._database.read(count_of, "pending")

    async def _fetch(self, limit: int) -> list[PendingText]:
        texts = await self._database.read(pending_texts, limit + len(self._aside), of_fallback=self._of_fallback)
        return [text for text in texts if text.hash not in self._aside][:limit]

    def _usable(self, vector: Vector) -> bool:
        return vector.shape == (self._embedder.dimension,) and bool(np.isfinite(vector).all()) and bool(vector.any())

    def _set_aside(self, hashes: list[bytes]) -> None:
        if not hashes:
            return
        if len(self._aside) + len(hashes) > MOST_ASIDE:
            raise EmbeddingError("the embedder makes no usable vector of too many texts", hint="try another model")
        self._aside.update(hashes)
        _LOG.warning("%d texts have no usable vector; they are found by their words", len(hashes))
