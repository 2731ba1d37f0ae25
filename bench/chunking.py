"""Evidence recall and chunk counts of each chunking strategy, by the default ranking and by vectors alone.

Strategies for conversations are asked on the labelled chats of tests/retrieval, and on LoCoMo and REALTALK where their
paths are given (they are not part of memd); strategies for texts on the forty long texts of bench/long_texts.py, where
a hit counts if its chunk contains the whole answer. Every strategy has fresh memories, as in ``memd eval``.
"""

from __future__ import annotations

import argparse
import asyncio
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import orjson

from memd.bench.long_texts import long_texts
from memd.daemon.evaluation.datasets.dataset import Dataset, Question, Scope
from memd.daemon.evaluation.datasets.opening import open_dataset
from memd.daemon.evaluation.rankings import DEFAULT, Found, Opener, Ranked, openers
from memd.daemon.evaluation.runner import Outcome, Plan, Variant, run
from memd.daemon.evaluation.summary import ALL, table
from memd.daemon.evaluation.variants import settings_of
from memd.memory.memory import EvolvingMemory
from memd.schemas import Hit, TextDocument
from memd.tests.retrieval.labelled import FOLDER

DEPTHS = (1, 5, 10)
RANKINGS = (DEFAULT, "vectors alone")
CONVERSATIONS = ("message", "contextual", "time-window", "adaptive")
TEXTS = ("recursive", "paragraph", "sentences", "semantic", "semantic-similarity", "character")


@dataclass(frozen=True, slots=True)
class Measured:
    """The measurement of a strategy on a set."""

    name: str
    strategy: str
    chunks: int
    questions: int
    recall: dict[str, dict[str, float]]
    """By ranking and depth."""


def conversations(name: str, path: Path, form: str, most: int) -> Dataset:
    """Return the first memories of a data set of conversations."""
    dataset = open_dataset(path, form)

    def scopes() -> Iterator[Scope]:
        return islice((scope for scope in dataset.scopes() if not scope.repeats), most)

    return replace(dataset, name=name, scopes=scopes, hits=max(DEPTHS))


def texts(most: int) -> Dataset:
    """Return the long texts, all in one memory; the evidence of a question is a place such as ``long/03.txt:210-240``."""
    chosen = list(islice(long_texts(), most))
    documents = [TextDocument(id=each.id, content=each.content, metadata={"title": each.title}) for each in chosen]
    asked = [
        Question(f"{each.id}:{start}", words, "place", frozenset({f"{each.id}:{start}-{end}"}))
        for each in chosen
        for words, start, end in each.questions
    ]
    scope = Scope("long texts", [documents], asked)
    return Dataset("long texts", "texts", (), lambda: iter([scope]), hits=max(DEPTHS))


def measure(dataset: Dataset, key: str, strategy: str) -> Measured:
    """Ask all questions of fresh memories that are cut by a strategy."""
    counts: list[int] = []
    outcomes: list[Outcome] = []
    rankings = {
        name: _counting(opener, counts if name == DEFAULT else []) for name, opener in openers(RANKINGS).items()
    }
    plan = Plan([Variant("", settings_of({}, {f"chunking.{key}": strategy}))], rankings)
    asyncio.run(run(dataset, plan, outcomes.append))
    # The halves of the labelled chats are told apart by a group, which is no matter here.
    together = [replace(each, question=replace(each.question, group="")) for each in outcomes]
    rows = {row.ranking: row for row in table(together) if row.name == ALL}
    recall = {name: {str(depth): row.figures[f"recall@{depth}"] for depth in DEPTHS} for name, row in rows.items()}
    return Measured(dataset.name, strategy, sum(counts), rows[DEFAULT].questions, recall)


def _counting(opener: Opener, counts: list[int]) -> Opener:
    """Return an opener that also counts the chunks of its memory, and names the places that a hit in a text contains."""

    async def opened(memory: EvolvingMemory, scope: Scope) -> Callable[..., Any]:
        ranker = await opener(memory, scope)
        counts.append((await memory.stats())["chunks"])

        async def rank(question: Question, limit: int) -> Ranked:
            ranked = await ranker(question, limit)
            assert ranked.result is not None
            hits = [
                Found(
                    found.ids | {place for place in question.evidence if _contains(hit, place)},
                    found.text,
                    found.document,
                )
                for found, hit in zip(ranked.hits, ranked.result.hits, strict=True)
            ]
            return replace(ranked, hits=hits)

        return rank

    return opened


def _contains(hit: Hit, place: str) -> bool:
    """Return whether a hit in a text contains a place of it."""
    if hit.chunk is None:
        return False
    document, _, span = place.rpartition(":")
    start, _, end = span.partition("-")
    return hit.document_id == document and hit.chunk.start <= int(start) and int(end) <= hit.chunk.end


def main() -> None:
    """Print the table, or one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--locomo", type=Path, default=os.environ.get("MEMD_LOCOMO"), help="a folder of LoCoMo")
    parser.add_argument("--realtalk", type=Path, default=os.environ.get("MEMD_REALTALK"), help="a folder of REALTALK")
    parser.add_argument(
        "--most", type=int, default=100, help="conversations of each set; languages of the labelled chats"
    )
    parser.add_argument("--texts", type=int, default=100, help="long texts")
    parser.add_argument("--strategies", nargs="*", help="only these")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    sets = [("labelled chats", FOLDER, "auto")]
    sets += [("LoCoMo", Path(options.locomo), "locomo")] if options.locomo else []
    sets += [("REALTALK", Path(options.realtalk), "realtalk")] if options.realtalk else []
    jobs = [(conversations(*each, options.most), "conversations", name) for each in sets for name in CONVERSATIONS]
    jobs += [(texts(options.texts), "texts", name) for name in TEXTS]
    rows: list[Measured] = []
    if not options.json:
        depths = "".join(f"{'R@' + str(depth):>7}" for depth in DEPTHS)
        print(f"{'set':16}{'strategy':21}{'chunks':>7}{'n':>6}{depths} vectors{depths[1:]}")
    for dataset, key, strategy in jobs:
        if options.strategies and strategy not in options.strategies:
            continue
        row = measure(dataset, key, strategy)
        rows.append(row)
        if not options.json:
            values = ("".join(f"{100 * each:7.1f}" for each in row.recall[name].values()) for name in RANKINGS)
            print(f"{row.name:16}{strategy:21}{row.chunks:>7}{row.questions:>6}{'       '.join(values)}", flush=True)
    if options.json:
        print(orjson.dumps({"rows": rows}).decode())


if __name__ == "__main__":
    main()
