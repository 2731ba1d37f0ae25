"""Evidence recall on LoCoMo through `memd eval`: words alone, vectors alone, the default ranking, and that with contexts.

The data is not part of memd: give the path of a conversation, a folder of them, or the list that is published as one
file. Each conversation has a fresh memory, each session is one document, each turn one message with its own id.
``--index weaviate`` searches by a server that it starts.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import orjson

from memd.daemon.evaluation.datasets.dataset import Scope
from memd.daemon.evaluation.datasets.opening import open_dataset
from memd.daemon.evaluation.metrics_retrieval import DEPTHS
from memd.daemon.evaluation.rankings import ARMS, openers
from memd.daemon.evaluation.runner import Outcome, Plan, Variant, run
from memd.daemon.evaluation.summary import Row, table
from memd.daemon.evaluation.variants import settings_of
from memd.daemon.operation_progress import OperationProgress
from memd.memory.index.ports import Indexes
from memd.tests.weaviate_server.node import Node


def measured(path: Path, most: int | None, indexes: Callable[[Scope], Indexes] | None = None) -> list[Outcome]:
    """Ask all questions of the first ``most`` conversations, telling on stderr how far it is."""
    dataset = open_dataset(path, "locomo")
    some = replace(dataset, scopes=lambda: islice(dataset.scopes(), most))
    outcomes: list[Outcome] = []
    plan = Plan([Variant("", settings_of({}, {}))], openers(ARMS), indexes=indexes)

    def tell(step: OperationProgress) -> None:
        if step.total and step.done == step.total:
            sys.stderr.write(f"{step.stage}: {step.total} questions\n")

    asyncio.run(run(some, plan, outcomes.append, tell))
    return outcomes


def indexes_on(node: Node) -> Callable[[Scope], Indexes]:
    """Return a function that gives each conversation the indexes of a memory of its own on a server."""
    from memd.memory.index.weaviate.indexes import WeaviateIndexes
    from memd.memory.index.weaviate.settings import Connection

    def indexes(scope: Scope) -> Indexes:
        name = "".join(letter if letter.isalnum() else "-" for letter in scope.name)
        connection = Connection(
            f"locomo-{name}",
            port=node.port,
            grpc_port=node.grpc_port,
            api_key=node.key,
            query_seconds=60,
            write_seconds=120,
        )
        return WeaviateIndexes(connection)

    return indexes


def rows_to_wire(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Return rows as bench/figures.py reads them."""
    return [
        {
            "ranking": row.ranking,
            "category": row.name,
            "questions": row.questions,
            "recall": {str(each): row.figures[f"recall@{each}"] for each in DEPTHS if f"recall@{each}" in row.figures},
        }
        for row in rows
    ]


def lines_of(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the lines of a table."""
    yield f"{'ranking':15}{'category':13}{'n':>6}" + "".join(f"{'R@' + str(depth):>8}" for depth in DEPTHS)
    for row in rows:
        recalls = (row.figures.get(f"recall@{depth}") for depth in DEPTHS)
        values = "".join(" " * 8 if recall is None else f"{100 * recall:8.1f}" for recall in recalls)
        yield f"{row.ranking:15}{row.name:13}{row.questions:>6}{values}"


def main() -> None:
    """Print the table, or one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path)
    parser.add_argument("--conversations", type=int, help="only the first N")
    parser.add_argument("--index", choices=("embedded", "weaviate"), default="embedded", help="what finds")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.index == "embedded":
        outcomes = measured(options.path, options.conversations)
    else:
        with tempfile.TemporaryDirectory(prefix="memd-bench-") as folder, Node(Path(folder)) as node:
            outcomes = measured(options.path, options.conversations, indexes_on(node))
    rows = list(table(outcomes))
    print(orjson.dumps({"rows": rows_to_wire(rows)}).decode() if options.json else "\n".join(lines_of(rows)))


if __name__ == "__main__":
    main()
