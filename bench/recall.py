"""Recall on the labelled chats of tests/retrieval, by language: words alone, vectors alone, and the default ranking.

Each language has a store of its own; ``all in one`` asks the same questions of one store that holds all five.
``--half`` reports the questions that weights were set by (``dev``) or the others (``held-out``).
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import orjson

from memd.memory.embedding.bundled import BundledEmbedder
from memd.memory.embedding.embedder import Embedder
from memd.memory.memory import EvolvingMemory
from memd.memory.store.sqlite_store import SQLiteStore
from memd.schemas import Arm, Query
from memd.tests.retrieval.labelled import LANGUAGES, Question, documents, questions

DEPTHS = (1, 5, 10)
RANKINGS: Mapping[str, tuple[Arm, ...]] = {"words alone": ("lexical",), "vectors alone": ("vector",), "default": ()}
TOGETHER = "all in one"
Rows = dict[str, dict[str, list[list[float]]]]
"""By ranking and language, the recall of each question at each depth."""


async def measure(
    languages: Sequence[str],
    bundled: BundledEmbedder,
    embedder: Embedder,
    asked: Mapping[str, Sequence[Question]],
) -> Rows:
    """One fresh store with the chats of these languages, asked all of their questions."""
    rows: Rows = defaultdict(lambda: defaultdict(list))
    with tempfile.TemporaryDirectory() as folder:
        async with SQLiteStore.open(Path(folder)) as backend:
            memory = EvolvingMemory(backend, embedder, bundled)
            await memory.start()
            for language in languages:
                await memory.store(documents(language))
            await backend.refresh_indexes()
            for language in languages:
                for question in asked[language]:
                    for ranking, arms in RANKINGS.items():
                        query = Query(text=question.text, limit=max(DEPTHS), context=0, arms=arms)
                        ids = [hit.message_ids[0] for hit in (await memory.query(query)).hits]
                        found = [len(question.answers.intersection(ids[:d])) / len(question.answers) for d in DEPTHS]
                        rows[ranking][language].append(found)
    return rows


async def run(half: str = "both", embedder: Embedder | None = None) -> Rows:
    """All languages, each alone and all in one."""
    bundled = BundledEmbedder()
    embedder = embedder or bundled
    asked = {
        language: [q for q in questions(language) if half == "both" or q.held_out == (half == "held-out")]
        for language in LANGUAGES
    }
    rows: Rows = defaultdict(dict)
    for language in LANGUAGES:
        for ranking, found in (await measure([language], bundled, embedder, asked)).items():
            rows[ranking] |= found
    for ranking, found in (await measure(LANGUAGES, bundled, embedder, asked)).items():
        rows[ranking][TOGETHER] = [row for by_language in found.values() for row in by_language]
    return rows


def table(rows: Rows) -> Iterator[tuple[str, str, int, list[float]]]:
    """Ranking, language, number of questions, mean recall at each depth."""
    for ranking, by_language in rows.items():
        every = [row for language in LANGUAGES for row in by_language[language]]
        for language, found in [*by_language.items(), ("all", every)]:
            yield ranking, language, len(found), [sum(column) / len(found) for column in zip(*found, strict=True)]


def main() -> None:
    """Print the table, or one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=["both", "dev", "held-out"], default="both")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = list(table(asyncio.run(run(options.half))))
    if options.json:
        lines = [
            {"ranking": a, "language": b, "questions": n, "recall": dict(zip(map(str, DEPTHS), c, strict=True))}
            for a, b, n, c in found
        ]
        print(orjson.dumps({"rows": lines}).decode())
        return
    print(f"{'ranking':15}{'language':12}{'n':>5}" + "".join(f"{'R@' + str(depth):>8}" for depth in DEPTHS))
    for ranking, language, count, values in found:
        print(f"{ranking:15}{language:12}{count:>5}" + "".join(f"{100 * value:8.1f}" for value in values))


if __name__ == "__main__":
    main()
