"""The rates of the embedder alone: chat turns a second, sorted and batched as it likes best, and one question's time.

    python bench/embed.py [--texts N] [--threads N] [--json]

The texts are made up from a small vocabulary with a fixed seed: 37 tokens on average, as in chats.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial

import anyio

from memd.memory.embedding.bundled import BundledEmbedder

_WORDS = """
    the a to and of in it is that we you was for on have they with at but not what so just from can do about if will
    meeting dinner train ticket sister brother garden school office weekend birthday doctor kitchen holiday concert
    moved booked forgot called bought painted cooked visited finished started lost found borrowed repaired promised
    Alice Bob Carol Lisbon Vienna tomorrow yesterday Thursday morning evening early late blue small expensive quiet
    really maybe probably again already never always almost because although until since before after
"""
VOCABULARY = _WORDS.split()
QUESTIONS = 100


@dataclass(frozen=True)
class Figures:
    """The figures of one run; rates are of this machine and minute, so only ratios within one run tell something."""

    texts: int
    tokens_per_text: float
    load_seconds: float
    texts_per_second: float
    question_ms_p50: float
    question_ms_p95: float
    loaded_mb: float
    peak_mb: float


def chat_texts(count: int, seed: int = 1) -> list[str]:
    """Return ``Speaker: text`` lines of 8 to 60 words, the short ones more often."""
    chance = random.Random(seed)
    texts: list[str] = []
    for _ in range(count):
        length = int(chance.triangular(8, 66, 29))
        texts.append(f"{chance.choice(['Alice', 'Bob', 'Carol'])}: {' '.join(chance.choices(VOCABULARY, k=length))}.")
    return texts


async def measure(texts: Sequence[str], threads: int | None) -> Figures:
    """Load, embed everything once, then ask."""
    embedder = BundledEmbedder(threads=threads)
    started = time.perf_counter()
    await embedder.load()
    loading = time.perf_counter() - started
    loaded = _peak_mb()
    await embedder.embed_documents(texts[:32])  # the first inference also plans
    started = time.perf_counter()
    await embedder.embed_documents(texts)
    rate = len(texts) / (time.perf_counter() - started)
    waits: list[float] = []
    for index in range(QUESTIONS):
        started = time.perf_counter()
        await embedder.embed_query(f"what did {texts[index % len(texts)][:30]} in {index}?")
        waits.append((time.perf_counter() - started) * 1000)
    hundredths = statistics.quantiles(waits, n=100)
    return Figures(
        texts=len(texts),
        tokens_per_text=round(statistics.fmean(embedder.count_many(texts)), 1),
        load_seconds=round(loading, 3),
        texts_per_second=round(rate, 1),
        question_ms_p50=round(hundredths[49], 2),
        question_ms_p95=round(hundredths[94], 2),
        loaded_mb=round(loaded, 1),
        peak_mb=round(_peak_mb(), 1),
    )


def _peak_mb() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2**20 if sys.platform == "darwin" else peak / 2**10


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--texts", type=int, default=3_000, metavar="N", help="how many texts (3000)")
    parser.add_argument("--threads", type=int, default=None, metavar="N", help="cores that embed (all)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    figures = asdict(anyio.run(partial(measure, chat_texts(max(1, options.texts)), options.threads)))
    if options.json:
        print(json.dumps(figures))
        return
    for name, value in figures.items():
        print(f"{name.replace('_', ' '):20} {value:>10}")


if __name__ == "__main__":
    main()
