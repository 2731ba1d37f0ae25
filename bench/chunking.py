"""Evidence recall and chunk counts of each chunking strategy, by the default ranking and by vectors alone.

Strategies for conversations are asked on the labelled chats of tests/retrieval, and on LoCoMo and REALTALK where their
paths are given (they are not part of memd); strategies for texts on the forty long texts of bench/long_texts.py, where
a hit counts if its chunk contains the whole answer. Every strategy has fresh stores.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

import orjson

from memd.bench import locomo
from memd.bench.long_texts import long_texts
from memd.memory.chunking.settings import ChunkingSettings
from memd.memory.embedding.bundled import BundledEmbedder
from memd.memory.indexing.indexed_store import open_store
from memd.memory.memory import EvolvingMemory
from memd.schemas import Arm, ConversationDocument, Document, Hit, Query, TextDocument
from memd.tests.retrieval.labelled import ASKED, LANGUAGES, cross, documents, questions

DEPTHS = (1, 5, 10)
RANKINGS: Mapping[str, tuple[Arm, ...]] = {"default": (), "vectors alone": ("vector",)}
CONVERSATIONS = ("message", "contextual", "time-window", "adaptive")
TEXTS = ("recursive", "paragraph", "sentences", "semantic", "semantic-similarity", "character")


@dataclass(frozen=True, slots=True)
class Place:
    """An answer: the id of a message, or a span of a text."""

    id: str
    start: int = -1
    end: int = -1

    def is_in(self, hit: Hit) -> bool:
        """Return whether a hit is this message, or a chunk that contains this span."""
        if hit.chunk is None:
            return self.id in hit.message_ids
        return hit.document_id == self.id and hit.chunk.start <= self.start and self.end <= hit.chunk.end


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its answers, and the chats it is asked of."""

    text: str
    answers: Sequence[Place]
    chats: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """What one store holds, and what it is asked."""

    documents: Sequence[Document]
    asked: Sequence[Asked]
    now: datetime = ASKED


@dataclass(slots=True)
class Row:
    """The measurement of a strategy on a set."""

    name: str
    strategy: str
    chunks: int = 0
    recall: dict[str, list[list[float]]] = field(default_factory=lambda: defaultdict(list))
    """By ranking, for each question the share of its answers among the first hits, at each of `DEPTHS`."""

    def to_wire(self) -> dict[str, Any]:
        """Return the row with mean recalls."""
        means = {
            ranking: {
                str(depth): sum(column) / len(rows)
                for depth, column in zip(DEPTHS, zip(*rows, strict=True), strict=True)
            }
            for ranking, rows in self.recall.items()
        }
        asked = max(map(len, self.recall.values()), default=0)
        return {"set": self.name, "strategy": self.strategy, "chunks": self.chunks, "questions": asked, "recall": means}


def labelled(most: int) -> Iterator[Part]:
    """Yield the labelled chats of each language, with the questions in that and in other languages."""
    for language in LANGUAGES[:most]:
        asked = [
            Asked(each.text, [Place(answer) for answer in sorted(each.answers)], each.chats)
            for each in (*questions(language), *cross(language))
        ]
        yield Part(documents(language), asked)


def of_locomo(path: Path, most: int) -> Iterator[Part]:
    """Yield the conversations of LoCoMo."""
    for data in islice(locomo.conversations(path), most):
        yield _with_evidence(locomo.documents(data), data)


def of_realtalk(path: Path, most: int) -> Iterator[Part]:
    """Yield the conversations of REALTALK, each session a document."""
    for data in islice(locomo.conversations(path), most):
        yield _with_evidence(_sessions(data), data)


def _with_evidence(days: Sequence[ConversationDocument], data: Mapping[str, Any]) -> Part:
    turns = frozenset(str(message.id) for day in days for message in day.messages)
    asked = [
        Asked(question, [Place(turn) for turn in sorted(evidence)])
        for question, _, evidence in locomo.questions(data, turns)
    ]
    return Part(days, asked, max(message.time for day in days for message in day.messages))


def _sessions(data: Mapping[str, Any]) -> list[ConversationDocument]:
    people = [data["name"]["speaker_1"], data["name"]["speaker_2"]]
    days: list[ConversationDocument] = []
    for number in range(1, 100):
        turns: list[dict[str, Any]] = [
            turn for turn in data.get(f"session_{number}") or [] if str(turn["clean_text"]).strip()
        ]
        messages = [
            {
                "id": turn["dia_id"],
                "speaker": turn["speaker"],
                "content": turn["clean_text"],
                "time": datetime.strptime(turn["date_time"], "%d.%m.%Y, %H:%M:%S").replace(tzinfo=UTC),
            }
            for turn in turns
        ]
        speakers = list(dict.fromkeys([*people, *(turn["speaker"] for turn in turns)]))
        conversation = {"source": "realtalk", "people": speakers, "user": people[0], "conversation": messages}
        if messages:
            days.append(ConversationDocument.model_validate({"id": f"session_{number}", "conversation": conversation}))
    return days


def of_long_texts(most: int) -> Iterator[Part]:
    """Yield the long texts, all in one store."""
    texts = list(islice(long_texts(), most))
    asked = [Asked(words, [Place(each.id, start, end)]) for each in texts for words, start, end in each.questions]
    yield Part(
        [TextDocument(id=each.id, content=each.content, metadata={"title": each.title}) for each in texts], asked
    )


async def measure(row: Row, part: Part, embedder: BundledEmbedder, settings: ChunkingSettings) -> None:
    """Ask a fresh store all questions, and add the results to the row."""
    with tempfile.TemporaryDirectory() as folder:
        async with open_store(Path(folder)) as store:
            memory = EvolvingMemory(store, embedder, embedder, now=lambda: part.now, chunking=settings)
            await memory.start()
            await memory.store(part.documents)
            while await memory.embed_pending():
                pass
            await store.refresh_indexes()
            row.chunks += (await memory.stats())["chunks"]
            for asked in part.asked:
                for ranking, arms in RANKINGS.items():
                    query = Query(text=asked.text, chats=asked.chats, limit=max(DEPTHS), context=0, arms=arms)
                    hits = (await memory.query(query)).hits
                    row.recall[ranking].append([
                        sum(any(place.is_in(hit) for hit in hits[:depth]) for place in asked.answers) / len(asked.answers)
                        for depth in DEPTHS
                    ])  # fmt: skip


async def run(options: argparse.Namespace) -> list[Row]:
    """Measure what the options ask for."""
    embedder = BundledEmbedder()
    sets: dict[str, list[Part]] = {"labelled chats": list(labelled(options.most))}
    if options.locomo is not None:
        sets["LoCoMo"] = list(of_locomo(options.locomo, options.most))
    if options.realtalk is not None:
        sets["REALTALK"] = list(of_realtalk(options.realtalk, options.most))
    jobs = [(name, parts, "conversations", each) for name, parts in sets.items() for each in CONVERSATIONS]
    jobs += [("long texts", list(of_long_texts(options.texts)), "texts", each) for each in TEXTS]
    rows: list[Row] = []
    for name, parts, key, strategy in jobs:
        if options.strategies and strategy not in options.strategies:
            continue
        row = Row(name, strategy)
        for part in parts:
            await measure(row, part, embedder, ChunkingSettings.model_validate({key: strategy}))
        rows.append(row)
        if not options.json:
            _print(row)
    return rows


def _print(row: Row) -> None:
    wire = row.to_wire()
    values = "".join(f"{100 * wire['recall'][ranking][str(depth)]:7.1f}" for ranking in RANKINGS for depth in DEPTHS)
    print(f"{row.name:16}{row.strategy:21}{row.chunks:>7}{wire['questions']:>6}{values}", flush=True)


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
    if not options.json:
        print(f"{'set':16}{'strategy':21}{'chunks':>7}{'n':>6}" + "".join(f"{'R@' + str(d):>7}" for d in DEPTHS) * 2)
        print(f"{'':50}{'default':21}vectors alone")
    rows = asyncio.run(run(options))
    if options.json:
        print(orjson.dumps({"rows": [row.to_wire() for row in rows]}).decode())


if __name__ == "__main__":
    main()
