"""The growth of a whole store, vectors included: bytes on disk, memory while serving, cost of each kind of question.

    python bench/growth.py 10000 100000 1000000 --json

The stores are prepared ones (see stores.py): a real ingest of a generated chat, and vectors of real texts, varied. Preparing a million
messages takes about half an hour and 10 GB of disk while it lasts. ``serving_mb`` is what was resident at most while
the questions below were answered, mapped files included; ``serving_own_mb`` is the process's own at the end. The
targets: at a million messages at most 600 MB and 6 KB a message.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from query import QUESTIONS
from serving import Daemon, Home
from stores import copied, figures_of
from timing import memory_mb, seconds_of, spread

FILTERS: dict[str, dict[str, Any]] = {
    "plain": {},
    "speaker": {"speakers": ["Alice"]},
    "person": {"people": ["Alice"]},
    "month": {"since": "2023-03-01T00:00:00Z", "until": "2023-04-01T00:00:00Z"},
    "kind": {"kinds": ["text"]},
    "source": {"sources": ["whatsapp"]},
    "by_time": {"sort": "time"},
}
"""The filters that go with each question's words."""


def disk_bytes(folder: Path) -> int:
    """Return the bytes of the files under a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def questions(daemon: Daemon, rounds: int) -> dict[str, dict[str, float]]:
    """Return the milliseconds of each kind of question, after one round that warms up."""
    found: dict[str, dict[str, float]] = {}
    for name, more in FILTERS.items():
        seconds: list[float] = []
        for number in range(rounds + 1):
            asked = [seconds_of(partial(daemon.ask, question, **more)) for question in QUESTIONS]
            seconds += asked if number else []
        found[name] = spread(seconds)
    return found


def pages(daemon: Daemon) -> dict[str, float]:
    """Return the milliseconds of the pages that `memd status`, `stats`, `people` and `documents` show."""

    def once(call: Callable[[], object]) -> float:
        call()
        return min(seconds_of(call) for _ in range(3)) * 1000

    paths = ("/v1/status", "/v1/stats", "/v1/people", "/v1/documents?limit=100", "/v1/facts?limit=100")
    return {path: once(partial(daemon.client.ask, "GET", path)) for path in paths}


def measure(count: int, rounds: int) -> dict[str, Any]:
    """Measure one size."""
    with copied(count) as home:
        figures: dict[str, Any] = {"messages": count, "prepared": figures_of(home.folder)}
        figures["disk_bytes"] = disk_bytes(home.data)
        figures["bytes_a_message"] = figures["disk_bytes"] / count
        with home.daemon() as daemon:
            daemon.ask(QUESTIONS[0])
            figures["first_answer_s"] = time.perf_counter() - daemon.began
            figures["questions"] = questions(daemon, rounds)
            figures["pages_ms"] = pages(daemon)
            figures["serving_mb"] = memory_mb(daemon.pid)
            figures["serving_own_mb"] = memory_mb(daemon.pid, "RssAnon")
        figures["doctor_s"] = command(home, "doctor")
    return figures


def command(home: Home, *arguments: str) -> float:
    """Return the seconds of a command in a process of its own."""
    return seconds_of(lambda: home.run(*arguments))


def main() -> None:
    """Print a line a size, or one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", nargs="*", type=int, default=[10_000, 100_000])
    parser.add_argument("--rounds", type=int, default=5, help="how often each question is asked in each way")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = [measure(size, options.rounds) for size in options.sizes]
    if options.json:
        print(json.dumps({"rows": rows}))
        return
    for row in rows:
        print(
            f"{row['messages']:>9,} messages: {row['bytes_a_message']:,.0f} bytes each, {row['serving_mb']:.0f} MB serving"
            f" ({row['serving_own_mb']:.0f} its own), first answer after {row['first_answer_s']:.2f} s,"
            f" doctor {row['doctor_s']:.1f} s"
        )
        for name, times in row["questions"].items():
            print(f"{'':11}{name:28}p50 {times['p50_ms']:8.1f} ms   p95 {times['p95_ms']:8.1f} ms")
        for name, took in row["pages_ms"].items():
            print(f"{'':11}{name:28}{took:12.1f} ms")


if __name__ == "__main__":
    main()
