"""Homes with a chat of so many messages in them, made once and kept: real ingest, vectors computed beforehand.

The export is ingested by the real command, without waiting for vectors, and read by the rules. Then every text gets a vector through the
public store: that of a message of the labelled chats (`tests/retrieval`), moved at random by about as much as two messages of one
subject lie apart. Embedding 100,000 messages takes minutes, a million takes an hour, and neither changes what start, search or
re-ingest cost afterwards. Vectors that are random alone lie all equally far apart, which no text does.

Prepared homes live in `.bench/stores`, which git ignores, named after the size and a sum of the code that writes them;
those of other code are removed. Every measurement works on a copy.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import anyio
import numpy as np
from chats import write_export
from numpy.typing import NDArray
from serving import Home

from memd.memory.embedding.bundled import BundledEmbedder
from memd.memory.extraction.rules.engine import RulesExtractor
from memd.memory.indexing.indexed_store import open_store
from memd.memory.memory import EvolvingMemory
from memd.memory.store.vectors import keep_vectors, pending_texts
from memd.tests.retrieval.labelled import LANGUAGES, documents

CHECKOUT = Path(__file__).parent.parent
FOLDER = CHECKOUT / ".bench" / "stores"
WRITERS = ("schemas", "connectors", "memory")
STORE = "store"
EXPORT = "WhatsApp Chat with Bench.txt"
AT_ONCE = 4_000
ATTEMPTS = 20
VARIED = 0.5
"""The share of the mean distance of a vector from the mean of all by which vectors are moved."""
RECIPE = 3
"""The version of what this file makes; to be raised when it makes something else of the same code."""


def prepared(count: int) -> Path:
    """Return a home of so many messages; its figures are in ``prepared.json``. Not to be changed: use `copied`."""
    home = FOLDER / f"{count}-{_code()}"
    if not (home / "prepared.json").is_file():
        _remove_others(count, home)
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir(parents=True)
        print(f"preparing a store of {count:,} messages", file=sys.stderr)
        figures = _make(Home(home), count)
        (home / "prepared.json").write_text(json.dumps(figures), encoding="utf-8")
    return home


def figures_of(home: Path) -> dict[str, Any]:
    """Return the figures of its preparation: ``words_s``, ``vectors_s``, ``vectors``."""
    found: dict[str, Any] = json.loads((home / "prepared.json").read_text(encoding="utf-8"))
    return found


@contextmanager
def copied(count: int) -> Generator[Home]:
    """Yield a copy that may be changed, with the export that it was made of."""
    source = prepared(count)
    with TemporaryDirectory(prefix="memd-bench-") as folder:
        home = Home(Path(folder) / "home")
        shutil.copytree(source, home.folder, ignore=shutil.ignore_patterns("s", "log", "*.lock"))
        yield home


def _make(home: Home, count: int) -> dict[str, Any]:
    export = write_export(home.folder / EXPORT, count)
    begin = time.perf_counter()
    summary: dict[str, Any] | str = ""
    for _ in range(ATTEMPTS):
        summary = home.attempt("ingest", str(export), "--zone", "UTC", "--no-wait")
        # A busy memory refuses what it cannot take soon; the rest is sent again, as its message asks.
        if not isinstance(summary, str) or "BUSY" not in summary:
            break
    if isinstance(summary, str) or summary["added"] + summary["unchanged"] != count:
        sys.exit(f"a store of {count:,} messages could not be prepared: {summary}")
    words = time.perf_counter() - begin
    begin = time.perf_counter()
    vectors = anyio.run(_give_vectors, home.data / STORE)
    return {"messages": count, "words_s": words, "vectors_s": time.perf_counter() - begin, "vectors": vectors}


async def real_vectors(embedder: BundledEmbedder) -> NDArray[np.float32]:
    """Return the vectors of all messages of the labelled chats, shape (messages, dimension)."""
    texts = [
        f"{line.speaker}: {line.content}" for code in LANGUAGES for each in documents(code) for line in each.messages
    ]
    return await embedder.embed_documents(texts)


def varied(real: NDArray[np.float32], count: int, random: np.random.Generator) -> NDArray[np.float32]:
    """Return unit vectors, each that of a message moved at random, shape (count, dimension)."""
    spread = VARIED * float(np.linalg.norm(real - real.mean(axis=0), axis=1).mean()) / real.shape[1] ** 0.5
    vectors = real[random.integers(len(real), size=count)]
    vectors = vectors + random.standard_normal(vectors.shape).astype(np.float32) * np.float32(spread)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


async def _give_vectors(folder: Path) -> int:
    random = np.random.default_rng(7)
    embedder = BundledEmbedder()
    real = await real_vectors(embedder)
    given = 0
    async with open_store(folder) as store:
        memory = EvolvingMemory(store, embedder, embedder, RulesExtractor())
        await memory.start()
        while (await memory.fact_service.extract_pending("bench")).documents:
            pass
        while waiting := await store.database.read(pending_texts, AT_ONCE):
            vectors = varied(real, len(waiting), random)
            await store.database.write(
                keep_vectors, {text.hash: vector for text, vector in zip(waiting, vectors, strict=True)}
            )
            given += len(waiting)
        await store.refresh_indexes()
    return given


def _code() -> str:
    total = hashlib.sha256(str(RECIPE).encode())
    files = [path for name in WRITERS for path in (CHECKOUT / name).rglob("*.py")]
    for path in sorted([*files, Path(__file__).with_name("chats.py")]):
        total.update(path.relative_to(CHECKOUT).as_posix().encode() + path.read_bytes())
    return total.hexdigest()[:12]


def _remove_others(count: int, keep: Path) -> None:
    for other in FOLDER.glob(f"{count}-*"):
        if other != keep:
            shutil.rmtree(other, ignore_errors=True)
