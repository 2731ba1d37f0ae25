"""The response times that earlier designs of such a memory promised, held against a real daemon over its socket.

    python bench/budgets.py 100 1000 10000 100000 --json

An add has three ends: it is acknowledged when it is durable, then searchable by words, then by meaning. The earlier designs
answered an add when its vectors were stored, which is the third; the first is the time until memd answers. A search is hybrid; every
question is new, so no cache helps. Percentiles of the times that a client sees.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Callable
from typing import Any

import anyio
import orjson
from chats import text as message_text
from serving import Daemon
from stores import copied
from timing import cpu_seconds, memory_mb, spread, written_mb

from memd.daemon.operations import STATS
from memd.memory.chunking.registry import chunker
from memd.memory.embedding.bundled import BundledEmbedder

CHUNKS = 100
Spreads = dict[str, float]


def passage(chance: random.Random, characters: int) -> str:
    """Return prose in paragraphs, unlike any other."""
    parts: list[str] = []
    size = 0
    while size < characters:
        sentence = message_text(chance, chance.randrange(10**9)).capitalize() + "."
        parts.append(sentence + ("\n\n" if chance.random() < 0.2 else " "))
        size += len(parts[-1])
    return "".join(parts)[:characters]


def add(daemon: Daemon, name: str, content: str) -> tuple[float, float, float]:
    """Send one text document; return the seconds until it is durable, searchable by words, and by meaning."""
    line = orjson.dumps({"id": name, "content": content, "metadata": {"source": "bench"}}) + b"\n"
    begin = time.perf_counter()
    (answer,) = daemon.client.send_documents([line])
    durable = time.perf_counter() - begin
    words = 0.0
    for update in daemon.client.events(answer.run):
        if not words and update["stage"] in ("embedding", "done"):
            words = time.perf_counter() - begin
    return durable, words, time.perf_counter() - begin


def adds_of(daemon: Daemon, chance: random.Random, name: str, size: int, times: int) -> list[Spreads]:
    """Add so many texts of a size, after two that warm up; return the spread of each of the three times."""
    taken = [add(daemon, f"{name} {number}", passage(chance, size)) for number in range(times + 2)][2:]
    return [spread(list(each)) for each in zip(*taken, strict=True)]


def times_of(work: Callable[[int], object], times: int, warm: int = 2) -> list[float]:
    """Return the seconds of so many calls, after a few that warm up."""
    taken: list[float] = []
    for number in range(times + warm):
        begin = time.perf_counter()
        work(number)
        taken.append(time.perf_counter() - begin)
    return taken[warm:]


def at_size(daemon: Daemon, messages: int, times: int) -> dict[str, Any]:
    """Measure adds, searches, lists and statistics at one size of the store."""
    chance = random.Random(messages)
    figures: dict[str, Any] = {"messages": messages}
    before, began = written_mb(daemon.pid), time.perf_counter()
    figures["add_small"] = adds_of(daemon, chance, f"small {messages}", 900, times)
    seconds = time.perf_counter() - began
    figures["disk_mb_a_s"] = (written_mb(daemon.pid) - before) / seconds
    figures["adds_a_s"] = (times + 2) / seconds
    figures["add_10kb"] = adds_of(daemon, chance, f"middle {messages}", 9_900, max(3, times // 4))
    figures["add_100kb"] = adds_of(daemon, chance, f"large {messages}", 99_000, max(1, times // 15))
    daemon.wait_idle()
    searches = times_of(lambda _: daemon.ask(passage(chance, 60)), times)
    figures["search"] = spread(searches)
    figures["search_again"] = spread(times_of(lambda _: daemon.ask("the choir rehearsal at the lake"), times))
    figures["searches_a_s"] = len(searches) / sum(searches)
    stats = times_of(lambda _: daemon.client.call(STATS), max(5, times // 4))
    figures["stats"] = spread(stats)
    figures["stats_a_s"] = len(stats) / sum(stats)
    figures["idle_cores"] = idle_cores(daemon)
    figures["resident_mb"] = memory_mb(daemon.pid)
    return figures


def idle_cores(daemon: Daemon, seconds: float = 2.0) -> float:
    """Return the processor time that a daemon takes while nobody asks, as a share of one core."""
    before = cpu_seconds(daemon.pid)
    time.sleep(seconds)
    return (cpu_seconds(daemon.pid) - before) / seconds


async def parts() -> dict[str, float]:
    """Measure cutting a text and embedding it, without a store: milliseconds a KB, of one text, of a hundred chunks."""
    embedder = BundledEmbedder()
    await embedder.load()
    chance = random.Random(3)
    long = passage(chance, 100_000)
    cutter = chunker("recursive", embedder)
    cutter.spans(passage(chance, 1_000))
    begin = time.perf_counter()
    cut = cutter.spans(long)
    chunk_ms = (time.perf_counter() - begin) * 1000 / (len(long) / 1024)
    assert cut
    texts = [passage(chance, 500) for _ in range(CHUNKS)]
    await embedder.embed_documents(texts[:8])
    one: list[float] = []
    for text in texts[:20]:
        begin = time.perf_counter()
        await embedder.embed_documents([text])
        one.append(time.perf_counter() - begin)
    begin = time.perf_counter()
    await embedder.embed_documents(texts)
    hundred = (time.perf_counter() - begin) * 1000
    return {"cut_ms_a_kb": chunk_ms, "embed_one_p95_ms": spread(one)["p95_ms"], "embed_hundred_ms": hundred}


def main() -> None:
    """Print the table, or one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", nargs="*", type=int, default=[100, 1_000, 10_000, 100_000])
    parser.add_argument("--times", type=int, default=60, help="adds and searches at each size")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for size in options.sizes:
        with copied(size) as home, home.daemon() as daemon:
            rows.append(at_size(daemon, size, options.times))
    bare = anyio.run(parts)
    if options.json:
        print(json.dumps({"rows": rows, "parts": bare}))
        return
    for row in rows:
        for name, value in row.items():
            print(f"{name:16}{value}")
        print()
    for name, value in bare.items():
        print(f"{name:24}{value:.2f}")


if __name__ == "__main__":
    main()
