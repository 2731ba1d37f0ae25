"""Evidence recall on LoCoMo through the public query: words alone, vectors alone, the default ranking, and that with contexts.

The data is not part of memd: give the path of a conversation, a folder of them, or the list that is published as one
file. Each conversation has a fresh store, each session is one document, each turn one message with its own id.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson

from memd.memory.embedding.bundled import BundledEmbedder
from memd.memory.index.ports import Indexes
from memd.memory.indexing.indexed_store import open_store
from memd.memory.memory import EvolvingMemory
from memd.schemas import Arm, ConversationDocument, Hit, Query
from memd.tests.weaviate_server.node import Node

DEPTHS = (1, 5, 10, 25, 50)
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
AROUND = "with context"
"""The default ranking as a program gets it: a hit counts with the messages shown around it."""
RANKINGS: Mapping[str, tuple[Arm, ...]] = {
    "words alone": ("lexical",),
    "vectors alone": ("vector",),
    "default": (),
    AROUND: (),
}
_TURN = re.compile(r"D(\d+):(\d+)")
Recall = dict[str, dict[int, list[list[float]]]]


def conversations(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the conversations of a file or folder."""
    for file in sorted(path.glob("*.json")) if path.is_dir() else [path]:
        data = orjson.loads(file.read_bytes())
        yield from data if isinstance(data, list) else [data]


def documents(data: Mapping[str, Any]) -> list[ConversationDocument]:
    """Return one document for each session that has turns; some files date sessions that are not there."""
    talk: Mapping[str, Any] = data.get("conversation", data)
    people = [talk["speaker_a"], talk["speaker_b"]]
    made: list[ConversationDocument] = []
    for number in range(1, 100):
        turns: list[dict[str, Any]] = talk.get(f"session_{number}") or []
        if not turns:
            continue
        start = when(talk[f"session_{number}_date_time"])
        messages = [
            {
                "id": turn["dia_id"],
                "speaker": turn["speaker"],
                "content": content(turn),
                "time": start + timedelta(seconds=30 * index),
            }
            for index, turn in enumerate(turns)
        ]
        made.append(
            ConversationDocument.model_validate(
                {
                    "id": f"session_{number}",
                    "conversation": {
                        "source": "locomo",
                        "people": people,
                        "user": people[0],
                        "conversation": messages,
                    },
                }
            )
        )
    return made


def content(turn: Mapping[str, Any]) -> str:
    """Return the words of a turn; of a shared photo also its caption, which is part of the published turn."""
    caption = turn.get("blip_caption")
    return f"{turn['text']} [photo: {caption}]" if caption else str(turn["text"])


def when(text: str) -> datetime:
    """Read a time such as ``1:56 pm on 8 May, 2023``."""
    return datetime.strptime(text.replace(",", ""), "%I:%M %p on %d %B %Y").replace(tzinfo=UTC)


def questions(data: Mapping[str, Any], known: frozenset[str]) -> Iterator[tuple[str, int, frozenset[str]]]:
    """Yield question, category and evidence. Some evidence bundles several ids; an id of no turn is left out."""
    for item in data["qa"]:
        told = " ".join(map(str, item.get("evidence") or []))
        found = {f"D{int(match[1])}:{int(match[2])}" for match in _TURN.finditer(told)}
        evidence = frozenset(found & known)
        if evidence:
            yield str(item["question"]), int(item["category"]), evidence


async def measure(
    data: Mapping[str, Any], embedder: BundledEmbedder, recall: Recall, indexes: Indexes | None = None
) -> int:
    """Ask every question of one conversation, searched by files or by ``indexes``; return the number of questions."""
    days = documents(data)
    known = frozenset(str(message.id) for day in days for message in day.messages)
    asked = 0
    with tempfile.TemporaryDirectory() as folder:
        async with open_store(Path(folder), indexes=indexes) as store:
            memory = EvolvingMemory(store, embedder, embedder)
            await memory.start()
            await memory.store(days)
            await store.refresh_indexes()
            for question, category, evidence in questions(data, known):
                asked += 1
                for ranking, arms in RANKINGS.items():
                    reach = 1 if ranking == AROUND else 0
                    result = await memory.query(Query(text=question, limit=max(DEPTHS), context=reach, arms=arms))
                    assert "index" not in result.degraded
                    shown = [ids_of(hit) for hit in result.hits]
                    row = [len(evidence & set().union(*shown[:depth])) / len(evidence) for depth in DEPTHS]
                    recall[ranking][category].append(row)
    return asked


def ids_of(hit: Hit) -> set[str]:
    """Return the ids of a hit and of the messages shown around it."""
    return {*hit.message_ids, *(each for line in hit.context for each in line.message_ids)}


def table(recall: Recall) -> Iterable[tuple[str, str, int, list[float]]]:
    """Yield ranking, category, number of questions, mean recall at each depth."""
    for ranking, by_category in recall.items():
        rows = [row for category in by_category.values() for row in category]
        for category, found in [*sorted(by_category.items()), (0, rows)]:
            yield ranking, CATEGORIES.get(category, "all"), len(found), means(found)


def means(rows: Sequence[Sequence[float]]) -> list[float]:
    """Return the mean of each column."""
    return [sum(column) / len(rows) for column in zip(*rows, strict=True)]


async def run(path: Path, most: int | None, node: Node | None = None) -> Recall:
    """Measure all conversations, telling on stderr how far it is; searched by files, or by a Weaviate."""
    recall: Recall = defaultdict(lambda: defaultdict(list))
    embedder = BundledEmbedder()
    for number, data in enumerate(conversations(path), 1):
        if most is not None and number > most:
            break
        asked = await measure(data, embedder, recall, None if node is None else indexes_on(node, number))
        sys.stderr.write(f"conversation {number}: {asked} questions\n")
    return recall


def indexes_on(node: Node, number: int) -> Indexes:
    """Return the indexes of a memory of its own on a server."""
    from memd.memory.index.weaviate.indexes import WeaviateIndexes
    from memd.memory.index.weaviate.settings import Connection

    return WeaviateIndexes(
        Connection(
            f"locomo-{number}",
            port=node.port,
            grpc_port=node.grpc_port,
            api_key=node.key,
            query_seconds=60,
            write_seconds=120,
        )
    )


def measured(options: argparse.Namespace) -> Recall:
    """Measure with or without a server, as the options say."""
    if options.index == "embedded":
        return asyncio.run(run(options.path, options.conversations))
    with tempfile.TemporaryDirectory(prefix="memd-bench-") as folder, Node(Path(folder)) as node:
        return asyncio.run(run(options.path, options.conversations, node))


def main() -> None:
    """Print the table, or one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path)
    parser.add_argument("--conversations", type=int, help="only the first N")
    parser.add_argument("--index", choices=("embedded", "weaviate"), default="embedded", help="what finds")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = list(table(measured(options)))
    if options.json:
        found = [
            {"ranking": a, "category": b, "questions": n, "recall": dict(zip(map(str, DEPTHS), c, strict=True))}
            for a, b, n, c in rows
        ]
        print(orjson.dumps({"rows": found}).decode())
        return
    print(f"{'ranking':15}{'category':13}{'n':>6}" + "".join(f"{'R@' + str(depth):>8}" for depth in DEPTHS))
    for ranking, category, count, values in rows:
        print(f"{ranking:15}{category:13}{count:>6}" + "".join(f"{100 * value:8.1f}" for value in values))


if __name__ == "__main__":
    main()
