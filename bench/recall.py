"""Recall on the labelled chats of tests/retrieval, by language: words alone, vectors alone, and the default ranking.

Each language has a store of its own; ``all in one`` asks the same questions of one store that holds all five. Rows named
``cross xx`` are questions in the other languages about the chats of ``xx``. The questions that weights were set by
(``dev``) and the others (``held-out``) have rows of their own; ``--half`` asks one of the halves alone.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from memd.memory.embedding.bundled import BundledEmbedder
from memd.memory.embedding.embedder import Embedder
from memd.memory.indexing.indexed_store import open_store
from memd.memory.memory import EvolvingMemory
from memd.schemas import Arm, Query
from memd.tests.retrieval.labelled import ASKED, KINDS, LANGUAGES, Question, cross, documents, questions

DEPTHS = (1, 5, 10)
RANKINGS: Mapping[str, tuple[Arm, ...]] = {"words alone": ("lexical",), "vectors alone": ("vector",), "default": ()}
TOGETHER = "all in one"
HALVES = ("dev", "held-out")


@dataclass(frozen=True, slots=True)
class Asked:
    """One question of one store by one ranking."""

    ranking: str
    store: str
    """The language of its chats, or `TOGETHER`."""
    question: Question
    recall: Sequence[float]
    """The share of the answers among the first hits, at each of `DEPTHS`."""

    @property
    def half(self) -> str:
        """Return the half that the question belongs to."""
        return HALVES[self.question.held_out]

    @property
    def is_cross(self) -> bool:
        """Return whether question and chats are in different languages."""
        return self.question.kind == "cross"


@dataclass(frozen=True, slots=True)
class Row:
    """The mean recall of some questions at each of `DEPTHS`."""

    ranking: str
    name: str
    half: str
    questions: int
    recall: Sequence[float]


async def measure(
    store: str,
    languages: Sequence[str],
    bundled: BundledEmbedder,
    embedder: Embedder,
    asked: Mapping[str, Sequence[Question]],
) -> list[Asked]:
    """Ask a fresh store with the chats of these languages all of their questions."""
    found: list[Asked] = []
    with tempfile.TemporaryDirectory() as folder:
        async with open_store(Path(folder)) as indexed:
            memory = EvolvingMemory(indexed, embedder, bundled, now=lambda: ASKED)
            await memory.start()
            for language in languages:
                await memory.store(documents(language))
            await indexed.refresh_indexes()
            for language in languages:
                for question in asked[language]:
                    for ranking, arms in RANKINGS.items():
                        query = Query(text=question.text, chats=question.chats, limit=max(DEPTHS), context=0, arms=arms)
                        ids = [hit.message_ids[0] for hit in (await memory.query(query)).hits]
                        recall = [len(question.answers.intersection(ids[:d])) / len(question.answers) for d in DEPTHS]
                        found.append(Asked(ranking, store, question, recall))
    return found


async def run(half: str = "both", embedder: Embedder | None = None) -> list[Asked]:
    """Measure all languages, each alone and all in one."""
    bundled = BundledEmbedder()
    embedder = embedder or bundled
    asked = {
        language: [
            question
            for question in [*questions(language), *cross(language)]
            if half in ("both", HALVES[question.held_out])
        ]
        for language in LANGUAGES
    }
    found: list[Asked] = []
    for language in LANGUAGES:
        found += await measure(language, [language], bundled, embedder, asked)
    return found + await measure(TOGETHER, LANGUAGES, bundled, embedder, asked)


def table(asked: Sequence[Asked]) -> Iterator[Row]:
    """Yield by ranking each store, then all languages; first in their own language, then in others; each half alone."""
    for ranking in RANKINGS:
        for is_cross, before in ((False, ""), (True, "cross ")):
            some = [each for each in asked if each.ranking == ranking and each.is_cross == is_cross]
            for store in (*LANGUAGES, TOGETHER):
                yield from _rows(ranking, before + store, [each for each in some if each.store == store])
            yield from _rows(ranking, before + "all", [each for each in some if each.store != TOGETHER])


def table_of_kinds(asked: Sequence[Asked]) -> Iterator[Row]:
    """Yield by ranking each kind of question, all languages together, each asked of a store of its own."""
    for ranking in RANKINGS:
        some = [each for each in asked if each.ranking == ranking and each.store != TOGETHER]
        for kind in (*KINDS, "cross"):
            yield from _rows(ranking, kind, [each for each in some if each.question.kind == kind])


def _rows(ranking: str, name: str, asked: Sequence[Asked]) -> Iterator[Row]:
    for half in HALVES:
        if found := [each.recall for each in asked if each.half == half]:
            means = [sum(column) / len(found) for column in zip(*found, strict=True)]
            yield Row(ranking, name, half, len(found), means)


def main() -> None:
    """Print the table, or one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=["both", *HALVES], default="both")
    parser.add_argument("--kinds", action="store_true", help="a row for each kind of question instead of each language")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    asked = asyncio.run(run(options.half))
    rows = list(table_of_kinds(asked) if options.kinds else table(asked))
    if options.json:
        print(orjson.dumps({"rows": [_to_wire(row) for row in rows]}).decode())
        return
    print(f"{'ranking':15}{'questions':18}{'half':10}{'n':>5}" + "".join(f"{'R@' + str(d):>8}" for d in DEPTHS))
    for row in rows:
        values = "".join(f"{100 * value:8.1f}" for value in row.recall)
        print(f"{row.ranking:15}{row.name:18}{row.half:10}{row.questions:>5}{values}")


def _to_wire(row: Row) -> dict[str, Any]:
    recall = dict(zip(map(str, DEPTHS), row.recall, strict=True))
    return {
        "ranking": row.ranking,
        "language": row.name,
        "half": row.half,
        "questions": row.questions,
        "recall": recall,
    }


if __name__ == "__main__":
    main()
