"""memd beside mem0 at equal size, with the same texts and the same model: adding, starting, answering.

    python bench/against_mem0.py --messages 10000 --json

In each round both add all texts to a new memory, then both are started on theirs and asked the same questions, one after
the other. memd's rate is that of `memd ingest` as a whole process; mem0 adds one text at a time, as its interface takes
them, and is timed from the moment it is ready. A start lasts until the first question is answered; ``--large`` adds
memd's start on a larger store. memd is asked over its socket, mem0 inside its own process.

Both must keep every text and embed it alike, and answer each question with as many hits as were asked for, all of them
texts that were added: otherwise the run fails.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import anyio
import numpy as np
from chats import messages, write_export
from numpy.typing import NDArray
from peers import environment, require_stored, run_peer
from query import QUESTIONS, start
from serving import Daemon, Home
from stores import EXPORT, copied
from timing import memory_mb, middle, spread

from memd.memory.embedding.bundled import MODELS, NAME, BundledEmbedder, bundled_model

LIMIT = 10
TIMES = 12
"""The number of times that each question is asked in a round."""
LEAST_COSINE = 0.999
"""The least cosine of a text's two vectors. Both come from the same weights; only the order of additions may differ."""
Figures = dict[str, Any]


def peer(verb: str, folder: Path, texts: Sequence[str], limit: int = LIMIT) -> Figures:
    """Let mem0 add texts or search for them; return the figures of peer_mem0.py."""
    recipe = MODELS[NAME]
    job = folder / f"{verb}.json"
    content = {
        "folder": str(folder),
        "model": str(bundled_model() / "model.onnx"),
        "tokenizer": str(bundled_model() / recipe.tokenizer),
        "window": recipe.window,
        "prefix": recipe.document_prefix if verb == "add" else recipe.query_prefix,
        "texts": texts,
        "limit": limit,
    }
    job.write_text(json.dumps(content), encoding="utf-8")
    figures = run_peer("mem0", verb, str(job), environ={"MEM0_DIR": str(folder)}, timeout=3600)
    own, other = anyio.run(_vector, texts[0], verb), np.asarray(figures["vector"])
    if own @ other < LEAST_COSINE * np.linalg.norm(own):
        sys.exit(f"mem0's embedder gives another vector than memd's ({verb})")
    return figures


async def _vector(text: str, verb: str) -> NDArray[np.float32]:
    embedder = BundledEmbedder()
    return await embedder.embed_query(text) if verb == "ask" else (await embedder.embed_documents([text]))[0]


def ask_memd(daemon: Daemon) -> Figures:
    """Return the figures of memd that peer_mem0.py has of mem0."""
    daemon.ask(QUESTIONS[0], limit=LIMIT)
    first_answer = time.perf_counter() - daemon.began
    seconds: list[float] = []
    hits: list[list[str]] = []
    for question in QUESTIONS * TIMES:
        begin = time.perf_counter()
        answer = daemon.ask(question, limit=LIMIT)
        seconds.append(time.perf_counter() - begin)
        hits.append([f"{hit['speaker']}: {hit['text']}" for hit in answer["hits"]])
    return {"first_answer_s": first_answer, "seconds": seconds, "hits": hits, "peak_mb": memory_mb(daemon.pid)}


def ask_mem0(folder: Path) -> Figures:
    """Return the figures of peer_mem0.py, with the seconds from its start to its first answer."""
    begin = time.monotonic()
    figures = peer("ask", folder, QUESTIONS * TIMES)
    return {**figures, "first_answer_s": figures["answered_at"] - begin}


def one_round(folder: Path, export: Path, texts: Sequence[str], large: Home) -> Figures:
    """Add, start and ask, by ``memd`` and ``mem0``; then start memd on the large store."""
    mine, theirs = folder / "memd", folder / "mem0"
    mine.mkdir(parents=True)
    theirs.mkdir()
    home = Home(mine)
    took, counts = home.ingest(export)
    if not counts["added"] == counts["vectors"]["done"] == len(texts):
        sys.exit(
            f"memd added {counts['added']} of {len(texts)} texts, {counts['vectors']['done']} of them with vectors"
        )
    added = peer("add", theirs, texts)
    with home.daemon() as daemon:
        memd = ask_memd(daemon)
    mem0 = ask_mem0(theirs)
    for who, figures in (("memd", memd), ("mem0", mem0)):
        require_stored(who, figures["hits"], set(texts), LIMIT)
    return {
        "memd": {**memd, "per_s": len(texts) / took},
        "mem0": {**mem0, "per_s": added["per_s"]},
        "large_start_s": start(large)[1],
    }


def medians(runs: Sequence[Figures]) -> Figures:
    """Return the medians over the rounds of one program; percentiles over the questions of all rounds."""
    figures = {name: middle([run[name] for run in runs]) for name in ("per_s", "first_answer_s", "peak_mb")}
    return figures | spread([seconds for run in runs for seconds in run["seconds"]])


def measure(count: int, rounds: int, large: int) -> Figures:
    """Return all figures at one size."""
    texts = [f"{speaker}: {words}" for _, speaker, words in messages(count)]
    with TemporaryDirectory(prefix="memd-bench-") as place, copied(large) as larger:
        export = write_export(Path(place) / EXPORT, count)
        runs = [one_round(Path(place) / str(number), export, texts, larger) for number in range(rounds)]
    memd, mem0 = (medians([run[who] for run in runs]) for who in ("memd", "mem0"))
    large_start = middle([run["large_start_s"] for run in runs])
    return {
        "messages": count,
        "memd": memd,
        "mem0": mem0,
        "ingest_to_mem0": memd["per_s"] / mem0["per_s"],
        "answers_to_mem0": mem0["p50_ms"] / memd["p50_ms"],
        "start_to_mem0": memd["first_answer_s"] / mem0["first_answer_s"],
        "large": large,
        "large_start_s": large_start,
        "large_start_to_mem0": large_start / mem0["first_answer_s"],
    }


def main() -> None:
    """Print the table, or one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--large", type=int, default=100_000, help="messages of the store that memd is started on, too")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if environment("mem0") is None:
        print(json.dumps({"messages": options.messages, "mem0": None}))
        return
    figures = measure(options.messages, options.rounds, options.large)
    if options.json:
        print(json.dumps(figures))
        return
    for who in ("memd", "mem0"):
        print(who, " ".join(f"{name} {value:.1f}" for name, value in figures[who].items()))
    for name, value in figures.items():
        if not isinstance(value, dict):
            print(f"{name:24}{value:>10,.3f}")


if __name__ == "__main__":
    main()
