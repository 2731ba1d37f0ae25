"""Recall on the English labelled chats while a fallback stands in: by the share of the messages that came while the
endpoint was away, with the endpoint away altogether, and with it back but not done with these messages yet.

The English model plays the part of the endpoint: another model, in a space of its own. First the seconds from the first text
that waits to its vector, the loading of the fallback included.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from memd.daemon.evaluation.datasets.labelled_chats import ASKED
from memd.memory.embedding.bundled import ENGLISH, BundledEmbedder
from memd.memory.indexing.indexed_store import open_store
from memd.memory.memory import EvolvingMemory
from memd.schemas import Query
from memd.schemas.errors import EmbeddingError
from memd.tests.retrieval.labelled import documents, questions

SHARES = (0.0, 0.02, 0.1, 0.5, 0.9, 1.0)
DEPTH = 10


class Endpoint(BundledEmbedder):
    """The English model, which fails on demand."""

    def __init__(self) -> None:
        super().__init__(model=ENGLISH)
        self.fails_texts = self.fails_questions = False

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts, or fail."""
        if self.fails_texts:
            raise EmbeddingError("the endpoint is away")
        return await super().embed_documents(texts)

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        """Embed a question, or fail."""
        if self.fails_questions:
            raise EmbeddingError("the endpoint is away")
        return await super().embed_query(text)


async def recall(memory: EvolvingMemory) -> float:
    """Return the mean share of the answers among the first hits."""
    shares: list[float] = []
    for question in questions("en"):
        query = Query(text=question.text, chats=question.chats, limit=DEPTH, context=0)
        ids = {hit.message_ids[0] for hit in (await memory.query(query)).hits}
        shares.append(len(question.evidence & ids) / len(question.evidence))
    return fmean(shares)


async def measure(share: float, fallback: BundledEmbedder) -> tuple[float, float, float]:
    """Return the recall with the endpoint back and away, and the seconds to the first vector of the fallback."""
    endpoint = Endpoint()
    with tempfile.TemporaryDirectory() as folder:
        async with open_store(Path(folder)) as store:
            memory = EvolvingMemory(store, endpoint, endpoint, now=lambda: ASKED, fallback=fallback)
            await memory.start()
            for document in documents("en"):
                await memory.write([document])
            left = round((await memory.vector_counts())[1] * (1 - share))
            while left > 0:
                left -= await memory.embed_pending(min(left, 64))
            endpoint.fails_texts = share > 0
            began, first = time.perf_counter(), 0.0
            while share and memory.fallback is not None and await memory.fallback.embed(64):
                first = first or time.perf_counter() - began
            await store.refresh_indexes()
            back = await recall(memory)
            endpoint.fails_questions = True
            return back, await recall(memory), first


async def run() -> None:
    """Print a row for each share."""
    print(f"recall@{DEPTH}, English   share  endpoint back  endpoint away  seconds to the first vectors")
    for share in SHARES:
        back, away, first = await measure(share, BundledEmbedder())
        print(f"{share:>27.0%}{back:>15.3f}{away:>15.3f}{first:>30.2f}", flush=True)


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    asyncio.run(run())
