"""Memory of the daemon on a large store while it embeds, beside a process that only loads the model and embeds.

    python bench/footprint.py --messages 100000 --json

The limit is 1.5 times that process, plus the bytes of the store's vectors as the index holds them (384 codes of a byte,
and an offset). The peak is what was resident at most, mapped files included (``VmHWM``), whose pages the system can drop
at any time: the codes of the vectors and the weights of the model. What belongs to the process alone (``RssAnon``) is
sampled beside it. A question asked where no daemon runs is a process of its own, and measured alike. The reference
embeds one batch of 1,024 tokens, as large as the embedder ever makes one.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import threading
from typing import Any

import anyio
from chats import write_export
from serving import Home, memd
from stores import copied, figures_of
from timing import memory_mb, middle

from memd.memory.embedding.bundled import BundledEmbedder
from memd.memory.embedding.local import BATCH_TOKENS

BYTES_A_VECTOR = 384 + 4
_BETWEEN = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code)
"""


async def only_embed() -> float:
    """Return the MB at the peak of a process with the model and one largest batch; nothing else of memd is loaded."""
    embedder = BundledEmbedder()
    await embedder.load()
    long = "the train to Lisbon leaves at nine and Alice has the tickets " * 60
    await embedder.embed_documents([long, long])  # cut to the model's window: the widest rows there are
    width = 32
    await embedder.embed_documents(["word " * (width - 2)] * (BATCH_TOKENS // width))
    return memory_mb(os.getpid())


def reference() -> float:
    """Return the middle of three such processes."""
    command = [sys.executable, __file__, "--only-embed"]
    return middle([float(subprocess.run(command, capture_output=True, text=True, check=True).stdout) for _ in range(3)])


def embedding_daemon(home: Home, more: int) -> dict[str, float]:
    """Return the peak of a daemon that has answered a question and then takes in and embeds more messages."""
    export = write_export(home.folder / "WhatsApp Chat with Others.txt", more, seed=11)
    own: list[float] = []
    with home.daemon() as daemon:
        daemon.ask("where is the red bicycle?")
        idle, idle_own = memory_mb(daemon.pid, "VmRSS"), memory_mb(daemon.pid, "RssAnon")
        done = threading.Event()

        def watch() -> None:
            while not done.wait(0.05):
                own.append(memory_mb(daemon.pid, "RssAnon"))

        watcher = threading.Thread(target=watch)
        watcher.start()
        try:
            _, summary = home.ingest(export)
        finally:
            done.set()
            watcher.join()
        if summary["vectors"]["done"] < more * 0.9:
            sys.exit(f"only {summary['vectors']['done']} of {more} messages were embedded")
        peak = memory_mb(daemon.pid)
    return {"idle_mb": idle, "idle_own_mb": idle_own, "peak_mb": peak, "peak_own_mb": max(own, default=0.0)}


def lone_question(home: Home) -> float:
    """Return the MB at the peak of `memd query` where no daemon runs, as the system counted it at its end."""
    command = [*memd(), "query", "where is the red bicycle?", "--json"]
    # A process begins with the peak of the one that it was forked from, so a small one stands between it and this one.
    done = subprocess.run(
        [sys.executable, "-I", "-c", _BETWEEN, *command],
        check=False,
        env=home.environ,
        cwd=home.folder,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        sys.exit("memd query failed")
    return float(done.stdout) / 1024


def measure(count: int, more: int) -> dict[str, Any]:
    """Measure all of it."""
    alone = reference()
    with copied(count) as home:
        vectors = figures_of(home.folder)["vectors"]
        question = lone_question(home)
        found = embedding_daemon(home, more)
    vectors_mb = (vectors + more) * BYTES_A_VECTOR / 2**20
    limit = 1.5 * alone + vectors_mb
    return {
        "messages": count,
        "embedded": more,
        **found,
        "lone_question_mb": question,
        "only_embed_mb": alone,
        "vectors_mb": vectors_mb,
        "limit_mb": limit,
        "peak_to_limit": found["peak_mb"] / limit,
    }


def main() -> None:
    """Print the table, or one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--more", type=int, default=3_000, help="messages taken in while it is watched")
    parser.add_argument("--only-embed", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.only_embed:
        print(anyio.run(only_embed))
        return
    figures = measure(options.messages, options.more)
    if options.json:
        print(json.dumps(figures))
        return
    for name, value in figures.items():
        print(f"{name:20}{value:>12.2f}" if isinstance(value, float) else f"{name:20}{value:>12}")


if __name__ == "__main__":
    main()
