"""Gain and cost of a reranker: recall of the first hits of the default ranking without it, and with it at some weights.

    python bench/rerank.py --model FOLDER [--dataset PATH] [--weights 0.25 0.5 1] [--candidates 20]

The questions are those of the labelled chats of tests/retrieval, by language, or of another data set of `memd eval`. The model is an ONNX cross-encoder in a folder, see docs/embedders.md.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from statistics import median

from memd.daemon.evaluation.datasets.dataset import Scope
from memd.daemon.evaluation.datasets.opening import open_dataset
from memd.daemon.evaluation.rankings import query_of
from memd.memory.embedding.bundled import BundledEmbedder
from memd.memory.indexing.indexed_store import open_store
from memd.memory.memory import EvolvingMemory
from memd.memory.rerank.cross_encoder import CrossEncoder
from memd.memory.retrieval.reranking import Reranking
from memd.tests.retrieval.labelled import FOLDER

DEPTHS = (1, 3, 5, 10)
PATIENCE = 600.0
"""Seconds that a question waits: here a slow model is measured, not left out."""


async def measure(
    options: argparse.Namespace, encoder: CrossEncoder, scope: Scope
) -> dict[str, list[tuple[float, list[float]]]]:
    """Return, by ranking, for each question its milliseconds and its recall at each of `DEPTHS`."""
    bundled = BundledEmbedder()
    rankings: dict[str, Reranking | None] = {"without": None}
    for weight in options.weights:
        rankings[f"weight {weight:g}"] = Reranking(encoder, options.candidates, weight, PATIENCE)
    at = next((each.asked_at for each in scope.questions if each.asked_at), None) or datetime.now().astimezone()
    results: dict[str, list[tuple[float, list[float]]]] = {name: [] for name in rankings}
    with tempfile.TemporaryDirectory() as folder:
        async with open_store(Path(folder)) as store:
            memory = EvolvingMemory(store, bundled, bundled, now=lambda: at)
            await memory.start()
            for batch in scope.batches:
                await memory.store(batch)
            await store.refresh_indexes()
            for question in scope.questions:
                if not question.evidence or question.unanswerable:
                    continue
                for name, reranking in rankings.items():
                    memory.retriever.reranking = reranking
                    began = time.perf_counter()
                    result = await memory.query(query_of(question, limit=max(DEPTHS)))
                    took = (time.perf_counter() - began) * 1000
                    if "rerank" in result.degraded:
                        raise SystemExit("the model cannot be used: `memd query` with log.level debug says why")
                    ids = [next(iter(hit.message_ids), str(hit.id)) for hit in result.hits]
                    recall = [len(question.evidence.intersection(ids[:depth])) / question.wanted for depth in DEPTHS]
                    results[name].append((took, recall))
    return results


async def run(options: argparse.Namespace) -> None:
    """Print a row for each set of questions and ranking, and the rows of all."""
    encoder = CrossEncoder(options.model)
    everything: dict[str, list[tuple[float, list[float]]]] = {}
    print(f"{'questions':12}{'ranking':14}{'n':>6}" + "".join(f"{f'R@{depth}':>8}" for depth in DEPTHS) + f"{'ms':>8}")
    for scope in open_dataset(options.dataset, options.form).scopes():
        for ranking, rows in (await measure(options, encoder, scope)).items():
            _print(scope.name, ranking, rows)
            everything.setdefault(ranking, []).extend(rows)
    for ranking, rows in everything.items():
        _print("all", ranking, rows)


def _print(name: str, ranking: str, rows: Sequence[tuple[float, list[float]]]) -> None:
    means = [100 * sum(column) / len(rows) for column in zip(*(recall for _, recall in rows), strict=True)]
    figures = "".join(f"{mean:8.1f}" for mean in means)
    print(f"{name:12}{ranking:14}{len(rows):>6}{figures}{median(took for took, _ in rows):8.1f}", flush=True)


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, required=True, help="the folder of the cross-encoder")
    parser.add_argument("--dataset", type=Path, default=FOLDER, help="any that `memd eval` reads")
    parser.add_argument("--form", default="auto", help="its form, where it cannot be told")
    parser.add_argument("--weights", type=float, nargs="+", default=[0.25, 0.5, 1.0])
    parser.add_argument("--candidates", type=int, default=20)
    asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
