"""Questions over the socket of a real `memd serve`, against their raw parts in the same run: embed, tantivy, usearch.

    python bench/query.py 10000 100000 --json

The messages are made-up chats; their vectors are random units, put into the store directly, because embedding 100,000
messages takes minutes and does not change what a search costs.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from chats import PEOPLE, messages
from store import raw

from memd.daemon.client import Client
from memd.memory.analysis import query_terms
from memd.memory.embedded import EmbeddedBackend
from memd.memory.embedding.bundled import BundledEmbedder
from memd.memory.evolving import EvolvingMemory
from memd.schemas import ConversationDocument

QUESTIONS = (
    "where is the red bicycle?",
    "when did Alice talk about the birthday cake",
    "who cannot stand the dentist",
    "what about swimming lessons on Sunday",
    "the choir rehearsal at the lake",
    "two hundred euros for a ride to the airport",
    "what did Dmitri say about our landlord?",
    "is the neighbour's piano still for sale",
)
ROUNDS = 12


def days(count: int) -> list[ConversationDocument]:
    """The chat as day documents, as the WhatsApp connector makes them."""
    made: list[ConversationDocument] = []
    for day, group in groupby(messages(count), key=lambda row: row[0].date()):
        lines = [
            {
                "speaker": speaker,
                "content": words,
                "time": moment.replace(tzinfo=UTC),
                "zone_origin": "option",
                "time_precision": "minute",
            }
            for moment, speaker, words in group
        ]
        body = {"source": "whatsapp", "people": PEOPLE, "user": PEOPLE[0], "conversation": lines}
        metadata = {"chat": "Bench", "title": "Bench"}
        made.append(
            ConversationDocument.model_validate(
                {"id": f"whatsapp:Bench:{day}", "conversation": body, "metadata": metadata}
            )
        )
    return made


async def fill(folder: Path, count: int, embedder: BundledEmbedder) -> None:
    """A store of so many messages with random vectors."""
    random = np.random.default_rng(7)
    async with EmbeddedBackend.open(folder) as backend:
        memory = EvolvingMemory(backend, embedder, embedder)
        await memory.start()
        await memory.write(days(count))
        while waiting := await backend.pending(4000):
            vectors = random.standard_normal((len(waiting), embedder.dimension)).astype(np.float32)
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
            await backend.put_vectors({text.hash: vector for text, vector in zip(waiting, vectors, strict=True)})
        await backend.settle()


def timed(work: Callable[[str], object]) -> dict[str, float]:
    """p50 and p95 in milliseconds, after one warm round."""
    for question in QUESTIONS:
        work(question)
    took: list[float] = []
    for _ in range(ROUNDS):
        for question in QUESTIONS:
            start = time.perf_counter()
            work(question)
            took.append((time.perf_counter() - start) * 1000)
    took.sort()
    return {"p50": took[len(took) // 2], "p95": took[len(took) * 95 // 100]}


def raw_parts(count: int, embedder: BundledEmbedder, folder: Path) -> dict[str, float]:
    """One embedding, one tantivy search, one usearch search, each alone: the sum is what nobody can be faster than."""
    random = np.random.default_rng(7)
    vectors = random.standard_normal((count, embedder.dimension)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    words, nearest = raw(folder, vectors)

    async def embed() -> dict[str, float]:
        took: list[float] = []
        for question in QUESTIONS * ROUNDS:
            start = time.perf_counter()
            await embedder.embed_query(question)
            took.append((time.perf_counter() - start) * 1000)
        return {"p50": sorted(took)[len(took) // 2]}

    embedding = asyncio.run(embed())["p50"]
    lexical = timed(lambda question: words(query_terms(question)))["p50"]
    vector = timed(lambda _: nearest(vectors[0]))["p50"]
    return {"embed": embedding, "tantivy": lexical, "usearch": vector, "sum": embedding + lexical + vector}


def serve(home: Path) -> tuple[subprocess.Popen[bytes], float]:
    """A daemon on the store, and the seconds until it answered."""
    environment = {
        **os.environ,
        "MEMD_DATA_DIR": str(home),
        "MEMD_SOCKET": str(home / "s"),
        "MEMD_CONFIG": str(home / "config.toml"),
    }
    (home / "config.toml").touch()
    command = [sys.executable, "-P", "-m", "memd.daemon.cli", "serve"]
    start = time.perf_counter()
    with (home / "log").open("wb") as log:
        daemon = subprocess.Popen(command, env=environment, cwd=home, stdout=log, stderr=log)
    while time.perf_counter() - start < 60:
        if (home / "s").exists():
            try:
                Client(str(home / "s")).ask("GET", "/v1/health", None, "")
            except Exception:  # noqa: BLE001 - not ready yet, whatever it says
                continue
            return daemon, time.perf_counter() - start
        time.sleep(0.01)
    raise SystemExit((home / "log").read_text())


def measure(count: int, store_folder: str) -> dict[str, Any]:
    """One size."""
    embedder = BundledEmbedder()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        asyncio.run(fill(home / store_folder, count, embedder))
        daemon, ready = serve(home)
        try:
            client = Client(str(home / "s"))

            def ask(question: str) -> object:
                body = orjson.dumps({"text": question})
                return client.ask("POST", "/v1/query", body, "application/json")

            found = timed(ask)
        finally:
            daemon.terminate()
            daemon.wait(30)
        parts = raw_parts(count, embedder, home / store_folder)
    ratios = {"p50_ratio": found["p50"] / parts["sum"], "p95_ratio": found["p95"] / parts["sum"]}
    return {"messages": count, **found, "raw": parts, **ratios, "ready_s": ready}


def main() -> None:
    """Print the table, or one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", nargs="*", type=int, default=[10_000, 100_000])
    parser.add_argument("--store", default="store", help="the store's folder in a data directory")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = [measure(size, options.store) for size in options.sizes]
    if options.json:
        print(orjson.dumps({"rows": rows}).decode())
        return
    print(f"{'messages':>9}{'p50 ms':>9}{'p95 ms':>9}{'raw ms':>9}{'p50/raw':>9}{'p95/raw':>9}{'ready s':>9}")
    for row in rows:
        print(
            f"{row['messages']:>9}{row['p50']:9.1f}{row['p95']:9.1f}{row['raw']['sum']:9.1f}"
            f"{row['p50_ratio']:9.2f}{row['p95_ratio']:9.2f}{row['ready_s']:9.2f}"
        )


if __name__ == "__main__":
    main()
