"""Questions over the socket of a real `memd serve`, beside their raw parts in the same minutes; start; whole processes.

    python bench/query.py 10000 100000 --json

The raw parts are the question embedded once, one tantivy search, and one comparison with as many codes of eight bits as
the store has vectors, each alone. Questions to the daemon and raw parts are measured in turn, round by round. The stores are prepared
ones (see stores.py). A start lasts until the first question was answered with all its arms.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import anyio
from serving import Daemon, Home, memd
from store import raw_scan, raw_words
from stores import STORE, copied, figures_of
from timing import cpu_seconds, in_turn, memory_mb, middle, spread, whole_process

from memd.memory.embedding.bundled import BundledEmbedder
from memd.memory.text.analyzer import query_terms

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


class Parts:
    """The raw parts, ready to be asked: each method is one question to one of them alone."""

    def __init__(self, folder: Path, vectors: int) -> None:
        self._embedder = BundledEmbedder()
        self._words, self._scan = raw_words(folder), raw_scan(vectors)
        if not all(self._words(query_terms(question)).hits for question in QUESTIONS):
            sys.exit("a raw search finds nothing: its time would be that of no search")

    def round(self) -> dict[str, list[float]]:
        """Return the seconds of each question, by part."""

        async def embed() -> list[float]:
            return [await _timed_async(self._embedder, question) for question in QUESTIONS]

        return {
            "embed": anyio.run(embed),
            "tantivy": [_timed(lambda q=question: self._words(query_terms(q))) for question in QUESTIONS],
            "scan": [_timed(self._scan) for _ in QUESTIONS],
        }


async def _timed_async(embedder: BundledEmbedder, question: str) -> float:
    begin = time.perf_counter()
    await embedder.embed_query(question)
    return time.perf_counter() - begin


def _timed(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def questions(daemon: Daemon, parts: Parts, rounds: int) -> dict[str, Any]:
    """Measure answers over the socket and raw parts in turn, after one round that warms up."""
    asked: list[float] = []
    raw_times: dict[str, list[float]] = {"embed": [], "tantivy": [], "scan": []}
    for number in range(rounds + 1):
        found = [_timed(lambda q=question: daemon.ask(q)) for question in QUESTIONS]
        beside = parts.round()
        if number:
            asked += found
            for name, times in beside.items():
                raw_times[name] += times
    medians = {name: middle(times) * 1000 for name, times in raw_times.items()}
    total = sum(medians.values())
    found_ms = spread(asked)
    ratios = {"p50_ratio": found_ms["p50_ms"] / total, "p95_ratio": found_ms["p95_ms"] / total}
    return {**found_ms, "raw_ms": {**medians, "sum": total}, **ratios}


def command_line(home: Home, rounds: int) -> dict[str, float]:
    """Measure `memd query` as a whole process beside an import of pydantic, in turn; medians."""
    environ = home.environ
    works = {
        "pydantic": [sys.executable, "-P", "-c", "import pydantic"],
        "nothing": [sys.executable, "-P", "-c", "pass"],
        "query": [*memd(), "query", QUESTIONS[0]],
    }
    runs = {name: partial(whole_process, command, environ=environ) for name, command in works.items()}
    in_turn(runs, 1)
    seconds = {name: middle(found) for name, found in in_turn(runs, rounds).items()}
    return {f"{name}_s": found for name, found in seconds.items()} | {
        "query_to_pydantic": seconds["query"] / seconds["pydantic"]
    }


def start(home: Home) -> tuple[float, float]:
    """Return the seconds until a new daemon answers at all, and until it has answered a question."""
    with home.daemon() as daemon:
        daemon.ask(QUESTIONS[0])
        return daemon.ready_s, time.perf_counter() - daemon.began


def starts(home: Home, rounds: int) -> dict[str, float]:
    """Return the medians of `start`."""
    ready, answered = zip(*(start(home) for _ in range(rounds)), strict=True)
    return {"ready_s": middle(ready), "first_answer_s": middle(answered)}


def measure(count: int, rounds: int, process_rounds: int) -> dict[str, Any]:
    """Measure one size."""
    with copied(count) as home:
        figures: dict[str, Any] = {"messages": count}
        with home.daemon() as daemon:
            figures |= questions(daemon, Parts(home.data / STORE, figures_of(home.folder)["vectors"]), rounds)
            figures["command"] = command_line(home, process_rounds)
            figures["peak_mb"] = memory_mb(daemon.pid)
            figures["cpu_s"] = cpu_seconds(daemon.pid)
        figures |= starts(home, max(1, process_rounds // 3))
    return figures


def main() -> None:
    """Print the table, or one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", nargs="*", type=int, default=[10_000, 100_000])
    parser.add_argument("--rounds", type=int, default=12, help="how often each of the eight questions is asked")
    parser.add_argument("--process-rounds", type=int, default=15, help="whole processes; a third as many starts")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = [measure(size, options.rounds, options.process_rounds) for size in options.sizes]
    if options.json:
        print(json.dumps({"rows": rows}))
        return
    print(
        f"{'messages':>9}{'p50 ms':>9}{'p95 ms':>9}{'raw ms':>9}{'p50/raw':>9}{'p95/raw':>9}{'start s':>9}{'query s':>9}"
    )
    for row in rows:
        print(
            f"{row['messages']:>9}{row['p50_ms']:9.1f}{row['p95_ms']:9.1f}{row['raw_ms']['sum']:9.1f}"
            f"{row['p50_ratio']:9.2f}{row['p95_ratio']:9.2f}{row['first_answer_s']:9.2f}{row['command']['query_s']:9.3f}"
        )


if __name__ == "__main__":
    main()
