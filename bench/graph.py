"""The graph of a chat of so many messages: processor seconds to derive it, memory that it takes, milliseconds of an answer from it."""

from __future__ import annotations

import argparse
import time
import tracemalloc
from pathlib import Path

from serving import Home
from stores import STORE, prepared

from memd.memory.graph.builder import graph_of
from memd.memory.store.schema import DATABASE, connect


def main() -> None:
    """Measure and print one line; ``--data`` is a data directory of one's own instead of made-up chats."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--data", type=Path, help="a folder with memory.db")
    arguments = parser.parse_args()
    folder = arguments.data or Home(prepared(arguments.messages)).data / STORE
    connection = connect(folder / DATABASE, read_only=True)
    graph_of(connection)
    began = time.process_time()
    graph = graph_of(connection)
    derived = time.process_time() - began
    tracemalloc.start()
    kept = graph_of(connection)
    size, peak = (each / 2**20 for each in tracemalloc.get_traced_memory())
    tracemalloc.stop()
    busiest = max(kept.nodes, key=lambda node: len(kept.around(node)))
    began = time.process_time()
    for node in list(graph.nodes)[:100]:
        graph.neighbourhood(node, 2, 100)
        graph.paths(busiest, node, 4, 5)
    answer = (time.process_time() - began) * 10
    (messages,) = connection.execute("SELECT count(*) FROM messages").fetchone()
    print(
        f"{messages:,} messages: {len(graph.nodes):,} nodes, {len(graph.edges):,} edges, {derived:.2f} s to derive,"
        f" {size:.1f} MiB kept, {peak:.1f} MiB at most, {answer:.2f} ms for neighbours and paths",
    )


if __name__ == "__main__":
    main()
