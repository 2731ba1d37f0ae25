"""The store alone: rates of applying and indexing, and searches beside a raw tantivy search and a raw scan, in one run.

    python bench/store.py --messages 10000 100000 1000000 --json

The texts are made of words with Zipf's frequencies, the vectors are random units of 384 numbers, and a message is one
chunk; so the figures tell about the store, not about finding anything.
"""

from __future__ import annotations

import argparse
import json
import random as random_module
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any, cast
from uuid import UUID

import anyio
import numkong
import numpy as np
import tantivy
from timing import spread

from memd.memory.indexing.indexed_store import IndexedStore, open_store
from memd.memory.records import Generation, StoredChunk, StoredDocument, StoredMessage
from memd.memory.search_types import Filter
from memd.memory.store import documents_read
from memd.memory.store.documents_write import apply_changes
from memd.memory.store.vectors import keep_vectors, pending_texts
from memd.memory.write_batches import WriteBatch
from memd.schemas import ConversationMessage
from memd.schemas.keys import chunk_key, document_key, message_key, text_hash
from memd.tests.memory.store.searches import beside, refs, search_vectors, search_words, shown

DIMENSION = 384
GROUP = 500
VOCABULARY = 20_000
WORDS = [f"w{n}" for n in range(VOCABULARY)]
WEIGHTS = list(accumulate(1 / (n + 1) for n in range(VOCABULARY)))
START = datetime(2020, 1, 1, tzinfo=UTC)


def groups(count: int, rng: random_module.Random) -> Iterator[WriteBatch]:
    """Yield days of 500 messages by 40 speakers."""
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
        yield WriteBatch(documents=[document], messages=messages, chunks=chunks)


def units(count: int, random: np.random.Generator) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Return random unit vectors."""
    matrix = random.standard_normal((count, DIMENSION), dtype=np.float32)
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


async def timed(work: Callable[[], Awaitable[object]], times: int = 200) -> dict[str, float]:
    """Return the times of many calls, each timed alone."""
    taken: list[float] = []
    for _ in range(times):
        begin = time.perf_counter()
        await work()
        taken.append(time.perf_counter() - begin)
    return spread(taken)


async def measure(count: int, *, vectors: bool) -> dict[str, Any]:
    """Return all figures at one size. Only the store's own work is timed, not the making of what it is given."""
    rng, random = random_module.Random(7), np.random.default_rng(1)
    figures: dict[str, Any] = {"messages": count}
    keys: list[UUID] = []
    hashes: list[bytes] = []
    with tempfile.TemporaryDirectory(prefix="memd-bench-") as folder:
        directory = Path(folder) / "data"
        async with open_store(directory) as store:
            await store.set_generation(Generation("bench", DIMENSION, ("message-1",)))
            applying = 0.0
            for changes in groups(count, rng):
                keys += [chunk.key for chunk in changes.chunks]
                hashes += [text_hash(chunk.embed_text) for chunk in changes.chunks]
                begin = time.perf_counter()
                await store.database.write(apply_changes, changes)
                applying += time.perf_counter() - begin
            begin = time.perf_counter()
            await store.refresh_indexes()
            figures["apply_per_s"] = round(count / applying)
            figures["searchable_by_words_per_s"] = round(count / (applying + time.perf_counter() - begin))
            if vectors:
                figures["vectors_per_s"] = round(count / await give_vectors(store, hashes, random))
            figures["bytes"] = dict((await store.stats()).bytes_by_part)
        begin = time.perf_counter()
        async with open_store(directory) as store:
            figures["open_s"] = round(time.perf_counter() - begin, 3)
            figures |= await searches(store, directory, keys, rng, vectors=vectors)
    return figures


async def give_vectors(store: IndexedStore, hashes: list[bytes], random: np.random.Generator) -> float:
    """Return the seconds until all vectors are kept and searchable."""
    took = 0.0
    for start in range(0, len(hashes), GROUP):
        part = hashes[start : start + GROUP]
        given = dict(zip(part, units(len(part), random), strict=True))
        begin = time.perf_counter()
        await store.database.write(keep_vectors, given)
        took += time.perf_counter() - begin
    begin = time.perf_counter()
    await store.refresh_indexes()
    return took + time.perf_counter() - begin


async def searches(
    store: IndexedStore, directory: Path, keys: list[UUID], rng: random_module.Random, *, vectors: bool
) -> dict[str, Any]:
    """Time the raw parts and the calls made of them, p50 and p95."""
    likely = units(256, np.random.default_rng(2))

    def question() -> list[str]:
        return rng.choices(WORDS, cum_weights=WEIGHTS, k=6)

    def near() -> np.ndarray[Any, np.dtype[np.float32]]:
        return likely[rng.randrange(len(likely))]

    words, scan = raw_words(directory), raw_scan(len(keys))

    async def tantivy_raw() -> None:
        words(question())

    async def scan_raw() -> None:
        scan()

    some = Filter(speakers=("speaker7",))
    calls: dict[str, Callable[[], Awaitable[object]]] = {
        "tantivy_raw": tantivy_raw,
        "scan_raw": scan_raw,
        "search_words": lambda: search_words(store, "lexical", question(), Filter(), 100),
        "search_words_wide": lambda: search_words(store, "wide", question(), Filter(), 100),
        "search_words_speaker": lambda: search_words(store, "lexical", question(), some, 100),
        "search_words_among_300": lambda: search_words(
            store, "wide", question(), Filter(), 300, rng.sample(keys, min(300, len(keys)))
        ),
        "search_vectors": lambda: search_vectors(store, near(), Filter(), 100),
        "search_vectors_speaker": lambda: search_vectors(store, near(), some, 100),
        "search_vectors_among_300": lambda: search_vectors(
            store, near(), Filter(), 300, rng.sample(keys, min(300, len(keys)))
        ),
        "refs_300": lambda: refs(store, rng.sample(keys, 300)),
        "beside_100": lambda: beside(store, rng.sample(keys, 100), 1),
        "shown_20": lambda: shown(store, rng.sample(keys, 20), 1),
        "names": lambda: store.database.read(documents_read.names),
        "pending_500": lambda: store.database.read(pending_texts, 500),
    }
    left_out = () if vectors else ("scan_raw", "search_vectors")
    return {name: await timed(work) for name, work in calls.items() if not name.startswith(left_out)}


def raw_words(directory: Path) -> Callable[[list[str]], tantivy.SearchResult]:
    """Return a tantivy search on the store's own files, with nothing of memd's around it."""
    index = tantivy.Index.open(str(directory / "words"))
    index.register_tokenizer("memd", tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build())
    searcher, schema = index.searcher(), index.schema

    def words(terms: list[str]) -> tantivy.SearchResult:
        should = [
            (tantivy.Occur.Should, tantivy.Query.term_query(schema, "lexical", term, index_option="freq"))
            for term in terms
        ]
        return searcher.search(tantivy.Query.boolean_query(should), 100, count=False)

    return words


def raw_scan(count: int) -> Callable[[], object]:
    """Return a scan that compares a question with ``count`` codes of eight bits a component and picks the best hundred.

    The codes are random: the time depends on their number alone.
    """
    random = np.random.default_rng(5)
    codes = random.integers(-127, 128, (count, DIMENSION), np.int8)
    best = min(100, count)

    def scan() -> object:
        scores = np.asarray(cast("Any", numkong).cdist(codes[:1], codes, "dot", out_dtype="float32", threads=1))[0]
        return np.argpartition(scores, -best)[-best:]

    return scan


def main() -> None:
    """Print a table, or one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--no-vectors", action="store_true", help="leave the vectors out of the store")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = [anyio.run(partial(measure, count, vectors=not options.no_vectors)) for count in options.messages]
    if options.json:
        print(json.dumps({"rows": rows}))
        return
    for row in rows:
        for name, value in row.items():
            print(f"{name:28} {value}")
        print()


if __name__ == "__main__":
    main()
