"""Ingest by the real command beside the bare embedder, on the same texts; then unchanged, once more.

    python bench/ingest.py --messages 4000 --again 100000 --json

A rate of memd's is that of the whole process, its start included; the bare embedder's counts from the moment it is
ready. ``words``: the command without waiting for vectors, less what the same command takes for one message.

``again`` ingests the unchanged export of a prepared store. Its first ingest is not done with real vectors, which takes
several minutes: it is put together from the rate of words and the rate of the bare embedder in this run, which no
ingest surpasses. ``--whole`` really does it.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import anyio
from chats import messages, write_export
from serving import Home
from stores import EXPORT, copied, figures_of
from timing import middle

from memd.memory.embedding.bundled import BundledEmbedder


async def bare(texts: list[str]) -> float:
    """Return the seconds that the embedder alone takes, sorted and batched as it likes best; loading not counted."""
    embedder = BundledEmbedder()
    await embedder.embed_documents(texts[:32])
    start = time.perf_counter()
    await embedder.embed_documents(texts)
    return time.perf_counter() - start


def bare_process(lines: Path) -> float:
    """Return the same from a process of its own, as everything that it is compared with is."""
    command = [sys.executable, __file__, "--bare", str(lines)]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def fresh(folder: Path, export: Path, *flags: str) -> float:
    """Return the seconds of ingesting into a new home."""
    with TemporaryDirectory(dir=folder) as place:
        return Home(Path(place)).ingest(export, *flags)[0]


def measure(count: int, rounds: int, words_count: int) -> dict[str, Any]:
    """Return the rates of one size, in messages a second; medians of rounds in turn."""
    texts = [f"{speaker}: {words}" for _, speaker, words in messages(count)]
    alone: list[float] = []
    whole: list[float] = []
    words: list[float] = []
    nothing: list[float] = []
    with TemporaryDirectory(prefix="memd-bench-") as place:
        folder = Path(place)
        (folder / "texts.json").write_text(json.dumps(texts), encoding="utf-8")
        export = write_export(folder / EXPORT, count)
        many = write_export(folder / "WhatsApp Chat with Many.txt", words_count)
        one = write_export(folder / "WhatsApp Chat with One.txt", 1)
        for _ in range(rounds):
            alone.append(bare_process(folder / "texts.json"))
            whole.append(fresh(folder, export))
            words.append(fresh(folder, many, "--no-wait"))
            nothing.append(fresh(folder, one, "--no-wait"))
    words_per_s = words_count / (middle(words) - middle(nothing))
    ingest_per_s, bare_per_s = count / middle(whole), count / middle(alone)
    return {
        "messages": count,
        "bare_per_s": bare_per_s,
        "ingest_per_s": ingest_per_s,
        "start_s": middle(nothing),
        "ingest_to_bare": middle([a / w for a, w in zip(alone, whole, strict=True)]),
        "words_messages": words_count,
        "words_per_s": words_per_s,
        "words_to_vectors": words_per_s / ingest_per_s,
    }


def again(count: int, rates: dict[str, Any], rounds: int, *, whole: bool) -> dict[str, Any]:
    """Ingest the unchanged export again, so many times; ``rates`` are those of `measure`."""
    with copied(count) as home:
        made = figures_of(home.folder)
        export = home.folder / EXPORT
        if whole:
            first = fresh(home.folder, export)
        else:
            first = rates["start_s"] + count / rates["words_per_s"] + made["vectors"] / rates["bare_per_s"]
        runs = [home.ingest(export) for _ in range(rounds)]
        took = middle([seconds for seconds, _ in runs])
    return {
        "messages": count,
        "first_s": first,
        "first_measured": whole,
        "again_s": took,
        "again_to_first": took / first,
        "unchanged": min(summary["unchanged"] for _, summary in runs),
        "embedded": max(summary["vectors"]["done"] for _, summary in runs),
    }


def main() -> None:
    """Print the table, or one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=6_000)
    parser.add_argument("--words", type=int, default=30_000, help="messages of the ingest without vectors")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--again", type=int, default=100_000, help="messages of the unchanged export; 0 leaves it out")
    parser.add_argument("--whole", action="store_true", help="really ingest it first, vectors and all")
    parser.add_argument("--bare", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.bare:
        print(anyio.run(bare, json.loads(options.bare.read_text(encoding="utf-8"))))
        return
    figures = measure(options.messages, options.rounds, options.words)
    if options.again:
        figures["again"] = again(options.again, figures, options.rounds, whole=options.whole)
    if options.json:
        print(json.dumps(figures))
        return
    again_figures: dict[str, Any] = figures.pop("again", {})
    for name, value in [*figures.items(), *((f"again: {name}", value) for name, value in again_figures.items())]:
        print(f"{name:24}{value:>12.3f}" if isinstance(value, float) else f"{name:24}{value!s:>12}")


if __name__ == "__main__":
    main()
