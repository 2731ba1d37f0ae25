"""The index in a Weaviate server beside the embedded one: filling it with given vectors, and asking both the same questions.

    python bench/weaviate_index.py --messages 10000 100000
    python bench/weaviate_index.py --messages 100000 --without-bare

Starts the pinned server of the tests on loopback (`make weaviate-server` builds it). Vectors are those of real messages, varied
(`stores.varied`), and half of them repeat others, few of them often. The bare client writes the very objects that memd
wrote into another tenant of the same collections, in batches of the same size, words and vectors beside each other. Memory and
disk are measured before that. ``recall`` compares the 30 nearest of the server with brute force, ``missed`` counts distinct
vectors that a search by themselves does not find.
"""

from __future__ import annotations

import argparse
import json
import os
import random as random_module
import signal
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import numpy as np
from machine import description, load
from numpy.typing import NDArray
from store import DIMENSION, GROUP, groups
from stores import real_vectors, varied
from timing import spread
from weaviate.classes.data import DataObject

from memd.memory.chunking.document_chunker import DocumentChunker
from memd.memory.embedding.bundled import BundledEmbedder
from memd.memory.index.weaviate import tenant_index
from memd.memory.index.weaviate.batches import BATCH, Item, put
from memd.memory.index.weaviate.indexes import WeaviateIndexes
from memd.memory.index.weaviate.schema import make_tenant
from memd.memory.index.weaviate.server import Place, WeaviateServer
from memd.memory.index.weaviate.settings import Connection
from memd.memory.indexing.indexed_store import IndexedStore, open_store
from memd.memory.memory import EvolvingMemory
from memd.memory.records import Generation
from memd.memory.store.documents_write import apply_changes
from memd.memory.store.vectors import keep_vectors
from memd.schemas import Query
from memd.schemas.keys import text_hash
from memd.tests.weaviate_server.node import Node, why_not

QUESTIONS = 200
WARM_UP = 20
"""The number of questions that load what the others use."""
NEAREST = 30
ROUNDING = 1e-4
"""The rounding of cosines."""
MODEL = "bench"


class VariedEmbedder:
    """An embedder that gives each question a vector at no cost."""

    name = MODEL
    dimension = DIMENSION
    max_tokens = 512

    def __init__(self, real: NDArray[np.float32]) -> None:
        self._real = real
        self._random = np.random.default_rng(3)

    async def embed_documents(self, texts: Sequence[str]) -> np.ndarray[Any, np.dtype[np.float32]]:
        """Return a vector for each text."""
        return varied(self._real, len(texts), self._random)

    async def embed_query(self, text: str) -> np.ndarray[Any, np.dtype[np.float32]]:
        """Return another vector each time."""
        del text
        return varied(self._real, 1, self._random)[0]


class TimedServer(WeaviateServer):
    """A server that counts the time in which at least one call waits for the client library."""

    def __init__(self, settings: Connection) -> None:
        super().__init__(settings)
        self.waited = 0.0
        self.calls = 0
        self._open = 0
        self._since = 0.0

    async def read(self, work: Callable[[Any], Awaitable[Any]]) -> Any:  # noqa: ANN401 - whatever the work gives
        """Work as the parent's method, and count the call and its time."""
        self.calls += 1
        if not self._open:
            self._since = time.perf_counter()
        self._open += 1
        try:
            return await super().read(work)
        finally:
            self._open -= 1
            if not self._open:
                self.waited += time.perf_counter() - self._since


def repeating(real: NDArray[np.float32], count: int) -> NDArray[np.float32]:
    """Return unit vectors of which half repeat others; the frequencies of the repeats follow Zipf's law."""
    random = np.random.default_rng(1)
    distinct = varied(real, max(1, count // 2), random)
    often = 1 / np.arange(1, len(distinct) + 1)
    repeats = random.choice(len(distinct), count - len(distinct), p=often / often.sum())
    return distinct[random.permutation(np.concatenate([np.arange(len(distinct)), repeats]))]


async def made(folder: Path, vectors: NDArray[np.float32]) -> list[str]:
    """Make a store with a message for each of these vectors, searched by the embedded index; return some texts."""
    rng, given = random_module.Random(7), 0
    texts: list[str] = []
    async with open_store(folder) as store:
        await store.set_generation(Generation(MODEL, DIMENSION, DocumentChunker(BundledEmbedder()).versions))
        for changes in groups(len(vectors), rng):
            await store.database.write(apply_changes, changes)
            texts += [chunk.embed_text.partition(": ")[2] for chunk in changes.chunks[:3]]
            hashes = [text_hash(chunk.embed_text) for chunk in changes.chunks]
            for begin in range(0, len(hashes), GROUP):
                part = hashes[begin : begin + GROUP]
                await store.database.write(
                    keep_vectors, dict(zip(part, vectors[given : given + len(part)], strict=True))
                )
                given += len(part)
        await store.refresh_indexes()
    return texts


@asynccontextmanager
async def on_server(folder: Path, settings: Connection) -> AsyncGenerator[tuple[IndexedStore, TimedServer]]:
    """Open the store, searched by the server."""
    indexes = WeaviateIndexes(settings)
    timed = indexes.server = TimedServer(settings)
    async with open_store(folder, indexes=indexes) as store:
        yield store, timed


async def filled(folder: Path, settings: Connection) -> tuple[float, list[tuple[str, list[Item]]]]:
    """Return the seconds until the server holds all words and vectors, and the objects it was given, by collection."""
    given: dict[str, list[Item]] = {}

    async def recorded(server: WeaviateServer, place: Place, items: Sequence[Item]) -> None:
        given.setdefault(place.collection, []).extend(items)
        await put(server, place, items)

    tenant_index.put = recorded
    try:
        begin = time.perf_counter()
        async with on_server(folder, settings) as (store, _):
            while True:
                await store.refresh_indexes()
                if not any((await store.stats()).lag.values()):
                    return time.perf_counter() - begin, list(given.items())
    finally:
        tenant_index.put = put


async def bare(settings: Connection, given: Sequence[tuple[str, list[Item]]]) -> float:
    """Return the seconds in which the client alone writes the same objects into another tenant."""
    server = WeaviateServer(settings)

    async def write(place: Place, items: Sequence[Item]) -> None:
        for begin in range(0, len(items), BATCH):
            part = [DataObject(each.properties, each.id, each.vector) for each in items[begin : begin + BATCH]]
            done = await server.write(lambda client, p=part: server.collection(client, place).data.insert_many(p))
            assert not done.has_errors

    places = [Place(collection, "bare") for collection, _ in given]
    for place in places:
        await make_tenant(server, place)
    begin = time.perf_counter()
    async with anyio.create_task_group() as group:
        for place, (_, items) in zip(places, given, strict=True):
            group.start_soon(write, place, items)
    took = time.perf_counter() - begin
    await server.close()
    return took


async def recalled(store: IndexedStore, real: NDArray[np.float32], vectors: NDArray[np.float32]) -> dict[str, float]:
    """Return the share of the nearest that the vector index finds, and the number of vectors it misses."""
    index = store.vectors.index
    assert index is not None
    random = np.random.default_rng(9)
    nearest = min(NEAREST, len(vectors))
    shares: list[float] = []
    for question in varied(real, QUESTIONS, random):
        least = np.partition(vectors @ question, -nearest)[-nearest] - ROUNDING
        found = await index.search(question, None, nearest)
        shares.append(sum(score >= least for _, score in found) / nearest)
    missed = 0
    for vector in vectors[random.integers(len(vectors), size=QUESTIONS)]:
        missed += (await index.search(vector, None, 1))[0][1] < 1 - ROUNDING
    return {"recall": round(float(np.mean(shares)), 4), "missed": missed}


async def asked(
    store: IndexedStore, texts: Sequence[str], real: NDArray[np.float32], count: int
) -> tuple[dict[str, float], float, list[list[str]]]:
    """Return the times of so many questions, their sum, and the ids in each answer."""
    rng = random_module.Random(5)
    memory = EvolvingMemory(store, VariedEmbedder(real), BundledEmbedder())
    await memory.start()
    taken: list[float] = []
    found: list[list[str]] = []
    for number in range(count + WARM_UP):
        words = rng.choice(texts).split()
        question = Query(text=" ".join(rng.sample(words, min(6, len(words)))), context=0)
        begin = time.perf_counter()
        answer = await memory.query(question)
        if number >= WARM_UP:
            taken.append(time.perf_counter() - begin)
            found.append([str(hit.id) for hit in answer.hits])
        assert not answer.degraded, answer.degraded
    return spread(taken), sum(taken), found


async def measure(count: int, questions: int, node: Node, *, with_bare: bool) -> dict[str, Any]:
    """Return all figures at one size."""
    settings = Connection(
        f"bench-{count}",
        port=node.port,
        grpc_port=node.grpc_port,
        api_key=node.key,
        query_seconds=60,
        write_seconds=120,
    )
    with tempfile.TemporaryDirectory(prefix="memd-bench-") as home:
        folder = Path(home) / "store"
        real = await real_vectors(BundledEmbedder())
        vectors = repeating(real, count)
        texts = await made(folder, vectors)
        clock = ProcessorTime(node)
        took, given = await filled(folder, settings)
        filling = clock.lap()
        resident, disk = resident_mb(node), disk_mb(node)
        print(f"{2 * count / took:,.0f} objects/s, {resident} MB, {disk} MB on disk", file=sys.stderr, flush=True)
        async with on_server(folder, settings) as (store, timed):
            waited, calls = timed.waited, timed.calls
            clock.lap()
            on_weaviate, total, theirs = await asked(store, texts, real, questions)
            asking = clock.lap()
            waited, calls = timed.waited - waited, timed.calls - calls
            recall = await recalled(store, real, vectors)
        async with open_store(folder) as store:
            clock.lap()
            embedded, _, ours = await asked(store, texts, real, questions)
            asking_here = clock.lap()
        took_bare = await bare(settings, given) if with_bare else None
        bare_filling = clock.lap()
    same = [len({*a} & {*b}) / max(1, len(b)) for a, b in zip(theirs, ours, strict=True)]
    asked_in_all = questions + WARM_UP
    per_question = 1000 / asked_in_all
    return {
        "messages": count,
        "objects_per_s": round(2 * count / took),
        "bare_objects_per_s": None if took_bare is None else round(2 * count / took_bare),
        "of_bare": None if took_bare is None else round(took_bare / took, 2),
        "question_ms": on_weaviate,
        "embedded_question_ms": embedded,
        "memd_share": round(1 - waited / total, 2) if waited < total else 0.0,
        "calls_per_question": round(calls / asked_in_all, 1),
        **recall,
        "overlap": round(sum(same) / len(same), 3),
        "server_mb": resident,
        "disk_mb": disk,
        "cpu_s": {
            "memd": round(filling[0], 1),
            "server": round(filling[1], 1),
            "bare_client": round(bare_filling[0], 1) if with_bare else None,
            "bare_server": round(bare_filling[1], 1) if with_bare else None,
        },
        "question_cpu_ms": {
            "memd": round(asking[0] * per_question, 1),
            "server": round(asking[1] * per_question, 1),
            "embedded": round(asking_here[0] * per_question, 1),
        },
    }


class ProcessorTime:
    """The processor time of this process and the server, in seconds; other work of the machine changes it little."""

    def __init__(self, node: Node) -> None:
        assert node.process is not None
        self._server = Path(f"/proc/{node.process.pid}/stat")
        self._last = self._now()

    def lap(self) -> tuple[float, float]:
        """Return the seconds used since the last call."""
        before, self._last = self._last, self._now()
        return self._last[0] - before[0], self._last[1] - before[1]

    def _now(self) -> tuple[float, float]:
        ticks = self._server.read_text(encoding="ascii").rpartition(")")[2].split()[11:13]
        return time.process_time(), sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


def resident_mb(node: Node) -> int:
    """Return the resident memory of the server's process, now."""
    assert node.process is not None
    status = Path(f"/proc/{node.process.pid}/status").read_text(encoding="ascii")
    (line,) = [each for each in status.splitlines() if each.startswith("VmRSS")]
    return int(line.split()[1]) // 1024


def disk_mb(node: Node) -> int:
    """Return the size of the server's data on disk."""
    total = 0
    for path in (node.folder / "data").rglob("*"):
        with suppress(FileNotFoundError):  # the server merges its files meanwhile
            total += path.stat().st_size if path.is_file() else 0
    return total // 2**20


def main() -> int:
    """Measure all sizes, each on a server of its own."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--messages", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--questions", type=int, default=QUESTIONS, help="that each index is asked")
    parser.add_argument(
        "--without-bare", action="store_true", help="do not measure the bare client, which takes as long again"
    )
    if reason := why_not():
        print(reason, file=sys.stderr)
        return 1
    print(f"{description()}, load {load():.1f}", file=sys.stderr)
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # or the server would stay
    for count in arguments.messages:
        with tempfile.TemporaryDirectory(prefix="memd-bench-") as folder, Node(Path(folder)) as node:
            told = anyio.run(partial(measure, count, arguments.questions, node, with_bare=not arguments.without_bare))
            print(json.dumps(told), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
