"""The query buffer: kept answers, what waits, a mounted memory, and whether preparing answers pays.

    python bench/query_buffer.py --messages 100000
    python bench/query_buffer.py --questions DATASET locomo --questions DATASET realtalk

Without vectors: what is measured here does not depend on how an answer is found. Questions go over the socket of a
service in this process. The sequences are the questions of each conversation in their order, with a pause for preparing
after each; a hit is an answer that was kept, whatever prepared it.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path

import anyio
import anyio.to_thread
from timing import spread

from memd.daemon.app import open_app
from memd.daemon.client import Client
from memd.daemon.config.settings import Settings
from memd.daemon.evaluation.datasets.opening import open_dataset
from memd.daemon.operations import QUERY
from memd.daemon.service.requests import MessagesRequest
from memd.daemon.service.service import Service
from memd.schemas import ConversationDocument, Document, Query

WORDS = [
    f"{a}{b}"
    for a in ["harbour", "lighthouse", "bicycle", "rehearsal", "landlord", "swimming", "airport", "dentist"]
    for b in ("", "s", "ing")
]
ROUNDS = 40


def settings(folder: Path, **more: object) -> Settings:
    """Words alone, no facts, a buffer that releases nothing by itself."""
    plain = {
        "embedding": {"enabled": False},
        "facts": {"extractor": "off"},
        "ingest": {"buffer": "round", "buffer_lists": 10_000, "buffer_tokens": 10_000_000},
    }
    return Settings.model_validate({"data_dir": folder, "socket": folder / "s", "zone": "UTC", **plain, **more})


def days(messages: int, seed: int) -> list[Document]:
    """Conversations of 50 messages of 8 words each."""
    chance = random.Random(seed)
    start = datetime(2024, 1, 1, tzinfo=UTC)
    documents: list[Document] = []
    for number in range(messages // 50):
        lines = [
            {
                "speaker": chance.choice(("Ann", "Bob", "Cem")),
                "content": " ".join([*chance.choices(WORDS, k=7), f"n{seed}x{number}x{line}"]),
                "time": start + timedelta(hours=number, minutes=line),
            }
            for line in range(50)
        ]
        talk = {"source": "bench", "people": ["Ann", "Bob", "Cem"], "user": "Ann", "conversation": lines}
        documents.append(ConversationDocument.model_validate({"id": f"{seed}:{number}", "conversation": talk}))
    return documents


async def store(service: Service, documents: Sequence[Document]) -> None:
    """Store documents; returns when they are found."""
    run = await service.pipeline.begin("bench")
    for begin in range(0, len(documents), 100):
        await service.pipeline.accept(run, documents[begin : begin + 100])
    await service.pipeline.finish(run)
    async with service.follow(run) as updates:
        async for _ in updates:
            pass


def _asked(socket: Path, texts: Sequence[str], **more: object) -> list[float]:
    """Return the seconds of each question over the socket."""
    client, times = Client(str(socket)), list[float]()
    for text in texts:
        begin = time.perf_counter()
        client.call(QUERY, {"text": text, **more}, idempotent=True)
        times.append(time.perf_counter() - begin)
    client.close()
    return times


async def sizes(folder: Path, messages: int) -> None:
    """Print the times of kept answers, of others, with a thousand messages that wait, and with a mount."""
    own, other = folder / "own", folder / "other"
    texts = [" ".join(random.Random(n).sample(WORDS, 3)) for n in range(ROUNDS)]

    def show(title: str, times: list[float]) -> None:
        print(f"{title:46}" + "".join(f"{name}: {value:8.2f}  " for name, value in spread(times).items()))

    async def ask(title: str, repeat: Sequence[str] = texts, **more: object) -> None:
        show(title, await anyio.to_thread.run_sync(lambda: _asked(own / "s", repeat, **more)))

    async with open_app(settings(other), serve=False) as service:
        await store(service, days(messages, 2))
    async with open_app(settings(own)) as service:
        await store(service, days(messages, 1))
        await ask("searched", texts)
        await ask("kept", texts)
        for limit in (100,):
            await ask(f"searched, {limit} hits", texts, limit=limit)
            await ask(f"kept, {limit} hits", texts, limit=limit)
        lines = [
            {
                "role": "user",
                "content": f"{' '.join(random.Random(n).choices(WORDS, k=7))} w{n}",
                "metadata": {"session_id": f"s{n % 20}"},
            }
            for n in range(1_000)
        ]
        for begin in range(0, 1_000, 50):
            await service.add_messages(MessagesRequest.model_validate({"messages": lines[begin : begin + 50]}))
        await ask("first question with 1,000 that wait", [f"{texts[0]} once"])
        await ask("searched, with 1,000 that wait", [f"{text} again" for text in texts])
    async with open_app(settings(own, mounts={"other": other})) as service:
        await ask("searched, with a mount that nobody owns", texts[:10])
        await ask("kept, with that mount", texts[:10])
        async with open_app(settings(other)):
            await ask("with a mount that a process owns", [f"{text} then" for text in texts])
            await ask("the same questions again", [f"{text} then" for text in texts])


async def sequences(path: Path, name: str) -> None:
    """Print the hit rate of a dataset's questions without and with preparing."""
    for prefetch in (False, True):
        counts = {"questions": 0, "hits": 0, "prepared": 0, "used": 0}
        for scope in open_dataset(path, name).scopes():
            with tempfile.TemporaryDirectory(prefix="memd-bench-") as folder:
                async with AsyncExitStack() as stack:
                    opened = open_app(settings(Path(folder), query={"prefetch": prefetch}), serve=False)
                    service = await stack.enter_async_context(opened)
                    await store(service, list(scope.documents))
                    await _session(service, [question.text for question in scope.questions])
                    statistics = service.queries.statistics
                    counts["questions"] += statistics.all.count
                    counts["hits"] += statistics.hits
                    counts["prepared"] += statistics.prefetched
                    counts["used"] += statistics.prefetch_used
        rate = counts["hits"] / max(1, counts["questions"])
        print(f"{name:10} prefetch {prefetch!s:5}  {counts}  hit rate {rate:.2%}", flush=True)


async def _session(service: Service, texts: Sequence[str]) -> None:
    prefetcher = service.queries.prefetcher
    for text in texts:
        await service.query(Query(text=text))
        if prefetcher is not None:
            await prefetcher.run_once()


def main() -> None:
    """Measure the sizes, or the sequences."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int)
    parser.add_argument("--questions", nargs=2, action="append", default=[], metavar=("PATH", "NAME"))
    options = parser.parse_args()
    if not options.messages and not options.questions:
        sys.exit("give --messages or --questions")
    if options.messages:
        with tempfile.TemporaryDirectory(prefix="memd-bench-") as folder:
            anyio.run(sizes, Path(folder), options.messages)
    for path, name in options.questions:
        anyio.run(sequences, Path(path), name)


if __name__ == "__main__":
    main()
