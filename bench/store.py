"""The embedded backend alone: rates of applying and indexing, and searches against raw tantivy and usearch, in one run.

    python bench/store.py --messages 10000 100000 --json

The texts are made of words with Zipf's frequencies, the vectors are random units of 384 numbers, and a message is one
chunk; so the figures tell about the store, not about finding anything.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from pathlib import Path
from typing import Any

import anyio
import numpy as np
import orjson
import tantivy
from usearch.index import Index

from memd.memory.embedded import EmbeddedBackend
from memd.memory.ports import Changes, Filter, Generation, StoredChunk, StoredDocument, StoredMessage
from memd.schemas import ConversationMessage
from memd.schemas.keys import chunk_key, document_key, message_key, text_hash

DIMENSION = 384
GROUP = 500
VOCABULARY = 20_000
WORDS = [f"w{n}" for n in range(VOCABULARY)]
WEIGHTS = list(accumulate(1 / (n + 1) for n in range(VOCABULARY)))
START = datetime(2020, 1, 1, tzinfo=UTC)


def groups(count: int, rng: random.Random) -> list[Changes]:
    """Days of 500 messages by 40 speakers."""
    made: list[Changes] = []
    for day in range(0, count, GROUP):
        name = f"bench:{day}"
        key = document_key("bench", "", name)
        messages: list[StoredMessage] = []
        chunks: list[StoredChunk] = []
        speakers = [f"Speaker{n}" for n in range(40)]
        for n in range(min(GROUP, count - day)):
            content = " ".join(rng.choices(WORDS, cum_weights=WEIGHTS, k=12))
            time_of = START + timedelta(minutes=day + n)
            message = ConversationMessage(speaker=rng.choice(speakers), content=content, time=time_of, id=f"{day}-{n}")
            own = message_key("bench", "", name, str(n))
            messages.append(StoredMessage(own, key, n, message))
            text = f"{message.speaker}: {content}"
            made_of = chunk_key(own, "message", "message-1", 0, len(content), content)
            chunk = StoredChunk(made_of, key, own, 0, 0, len(content), 12, "message", "message-1", "", text)
            chunks.append(chunk)
        people = tuple(speakers)
        document = StoredDocument(
            key, name, "bench", "", "conversation", people[0], people, timestamp=messages[0].message.time
        )
        made.append(Changes(documents=[document], messages=messages, chunks=chunks))
    return made


def units(count: int) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Random unit vectors."""
    matrix = np.random.default_rng(1).standard_normal((count, DIMENSION)).astype(np.float32)
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


def spread(times: list[float]) -> dict[str, float]:
    """Median and 95th percentile, in milliseconds."""
    ordered = sorted(times)
    return {
        "p50_ms": round(statistics.median(ordered) * 1000, 3),
        "p95_ms": round(ordered[int(len(ordered) * 0.95)] * 1000, 3),
    }


async def timed(work: Callable[[], Awaitable[object]], times: int = 200) -> dict[str, float]:
    """How long each of many calls takes."""
    taken: list[float] = []
    for _ in range(times):
        begin = time.perf_counter()
        await work()
        taken.append(time.perf_counter() - begin)
    return spread(taken)


async def measure(count: int, *, vectors: bool) -> dict[str, Any]:
    """All figures at one size."""
    rng = random.Random(7)
    made = groups(count, rng)
    figures: dict[str, Any] = {"messages": count}
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder) / "data"
        async with EmbeddedBackend.open(directory) as backend:
            await backend.set_generation(Generation("bench", DIMENSION, ("message-1",)))
            begin = time.perf_counter()
            for changes in made:
                await backend.apply(changes)
            applied = time.perf_counter()
            await backend.settle()
            settled = time.perf_counter()
            figures["apply_per_s"] = round(count / (applied - begin))
            figures["searchable_by_words_per_s"] = round(count / (settled - begin))
            matrix = units(count)
            chunks = [chunk for changes in made for chunk in changes.chunks]
            if vectors:
                begin = time.perf_counter()
                for n in range(0, count, GROUP):
                    part = chunks[n : n + GROUP]
                    await backend.put_vectors({text_hash(c.embed_text): matrix[n + i] for i, c in enumerate(part)})
                kept = time.perf_counter()
                await backend.settle()
                figures["put_vectors_per_s"] = round(count / (kept - begin))
                figures["vectors_settled_per_s"] = round(count / (time.perf_counter() - begin))
            figures |= await searches(backend, directory, [chunk.key for chunk in chunks], matrix, rng)
            figures["bytes"] = dict((await backend.stats()).bytes_by_part)
        begin = time.perf_counter()
        async with EmbeddedBackend.open(directory) as backend:
            figures["open_s"] = round(time.perf_counter() - begin, 3)
    return figures


async def searches(
    backend: EmbeddedBackend, directory: Path, keys: list[Any], matrix: np.ndarray[Any, Any], rng: random.Random
) -> dict[str, Any]:
    """Raw parts and the calls made of them, p50 and p95."""

    def question() -> list[str]:
        return rng.choices(WORDS, cum_weights=WEIGHTS, k=6)

    def near() -> np.ndarray[Any, np.dtype[np.float32]]:
        return matrix[rng.randrange(len(matrix))] + rng.random() * 0.5 * matrix[rng.randrange(len(matrix))]

    raw_words, raw_vectors = raw(directory, matrix)

    async def tantivy_raw() -> None:
        raw_words(question())

    async def usearch_raw() -> None:
        raw_vectors(near())

    some = Filter(speakers=("speaker7",))
    calls: dict[str, Callable[[], Awaitable[object]]] = {
        "tantivy_raw": tantivy_raw,
        "usearch_raw": usearch_raw,
        "search_words": lambda: backend.search_words("lexical", question(), Filter(), 100),
        "search_words_wide": lambda: backend.search_words("wide", question(), Filter(), 100),
        "search_words_speaker": lambda: backend.search_words("lexical", question(), some, 100),
        "search_words_among_300": lambda: backend.search_words(
            "wide", question(), Filter(), 300, rng.sample(keys, min(300, len(keys)))
        ),
        "search_vectors": lambda: backend.search_vectors(near(), Filter(), 100),
        "search_vectors_speaker": lambda: backend.search_vectors(near(), some, 100),
        "search_vectors_among_300": lambda: backend.search_vectors(
            near(), Filter(), 300, rng.sample(keys, min(300, len(keys)))
        ),
        "places_300": lambda: backend.places(rng.sample(keys, 300)),
        "neighbours_100": lambda: backend.neighbours(rng.sample(keys, 100), 1, 1),
        "entries_20": lambda: backend.entries(rng.sample(keys, 20)),
        "names": backend.names,
        "pending_500": lambda: backend.pending(500),
    }
    return {name: await timed(work) for name, work in calls.items()}


def raw(directory: Path, matrix: np.ndarray[Any, Any]) -> tuple[Callable[[list[str]], object], Callable[[Any], object]]:
    """One tantivy search on the store's own files, and one usearch search on an index of the same vectors."""
    index = tantivy.Index.open(str(directory / "words"))
    index.register_tokenizer("memd", tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build())
    searcher, schema = index.searcher(), index.schema
    nearest = Index(ndim=DIMENSION, metric="cos", dtype="f16")
    nearest.add(np.arange(len(matrix), dtype=np.uint64), matrix)

    def words(terms: list[str]) -> object:
        should = [
            (tantivy.Occur.Should, tantivy.Query.term_query(schema, "lexical", term, index_option="freq"))
            for term in terms
        ]
        return searcher.search(tantivy.Query.boolean_query(should), 100, count=False)

    return words, lambda vector: nearest.search(vector, 100)


def main() -> None:
    """Print a table, or JSON lines with ``--json``."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--no-vectors", action="store_true", help="leave the vectors out of the store")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    for count in options.messages:
        figures = anyio.run(lambda count=count: measure(count, vectors=not options.no_vectors))
        if options.json:
            sys.stdout.write(orjson.dumps(figures).decode() + "\n")
        else:
            for name, value in figures.items():
                print(f"{name:28} {value}")
            print()


if __name__ == "__main__":
    main()
