"""The time to forget one message and one day, until no file holds them: the store alone, without the daemon.

    python bench/forget.py --messages 10000 100000

The store is that of ``store.py``: days of 500 messages, random vectors. Beside the time of the whole is that of each
part, how long a search had to wait at most meanwhile, and what making everything anew would have taken.
"""

from __future__ import annotations

import argparse
import json
import random as random_module
import tempfile
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

import anyio
import numpy as np
from store import DIMENSION, WEIGHTS, WORDS, give_vectors, groups, units

from memd.memory.indexing.indexed_store import IndexedStore, open_store
from memd.memory.records import Generation
from memd.memory.search_types import Filter
from memd.memory.store.documents_write import apply_changes
from memd.memory.write_batches import Removal
from memd.schemas.keys import text_hash
from memd.tests.memory.store.searches import search_vectors, search_words

_PARTS = {"words": ("words", "purge"), "vectors": ("vectors", "purge"), "database": ("database", "compact")}


async def measure(count: int, *, vectors: bool, anew: bool) -> dict[str, Any]:
    """Return all figures at one size."""
    rng, random = random_module.Random(7), np.random.default_rng(1)
    figures: dict[str, Any] = {"messages": count}
    hashes: list[bytes] = []
    with tempfile.TemporaryDirectory(prefix="memd-bench-") as folder:
        async with open_store(Path(folder) / "data") as store:
            await store.set_generation(Generation("bench", DIMENSION, ("message-1",)))
            days: list[UUID] = []
            message: UUID | None = None
            for changes in groups(count, rng):
                await store.database.write(apply_changes, changes)
                days.append(changes.documents[0].key)
                message = changes.messages[7].key if message is None else message
                hashes += [text_hash(chunk.embed_text) for chunk in changes.chunks]
            await store.refresh_indexes()
            if vectors:
                await give_vectors(store, hashes, random)
            figures["bytes"] = dict((await store.stats()).bytes_by_part)
            assert message is not None
            figures["message"] = await _forgotten(store, Removal(messages=[message]), rng)
            figures["day"] = await _forgotten(store, Removal(documents=[days[len(days) // 2]]), rng)
            if anew:
                figures["rebuilding_s"] = await _seconds(store.repair)
    return figures


async def _forgotten(store: IndexedStore, removal: Removal, rng: random_module.Random) -> dict[str, float]:
    """Return the seconds of each part, and milliseconds of the slowest search meanwhile."""
    taken: dict[str, float] = {}
    for name, (owner, method) in _PARTS.items():
        part: Any = getattr(store, owner)
        part.__dict__.pop(method, None)
        part.__dict__[method] = partial(_timed, taken, f"{name}_s", getattr(part, method))
    slowest = removing = purging = 0.0

    async def ask() -> None:
        nonlocal slowest
        near = units(1, np.random.default_rng(3))[0]
        while True:
            begin = time.perf_counter()
            await search_words(store, "lexical", rng.choices(WORDS, cum_weights=WEIGHTS, k=6), Filter(), 100)
            await search_vectors(store, near, Filter(), 100)
            slowest = max(slowest, time.perf_counter() - begin)
            await anyio.sleep(0.01)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ask)
        removing = await _seconds(partial(store.forget, removal))
        purging = await _seconds(store.purge)
        tasks.cancel_scope.cancel()
    figures = {"removing_s": removing, **taken, "whole_s": removing + purging, "slowest_search_ms": slowest * 1000}
    return {name: round(value, 3) for name, value in figures.items()}


async def _timed(
    taken: dict[str, float], name: str, work: Callable[..., Awaitable[object]], *arguments: object
) -> None:
    taken[name] = await _seconds(partial(work, *arguments))


async def _seconds(work: Callable[[], Awaitable[object]]) -> float:
    begin = time.perf_counter()
    await work()
    return time.perf_counter() - begin


def main() -> None:
    """Print a table, or one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--no-vectors", action="store_true", help="leave the vectors out of the store")
    parser.add_argument("--anew", action="store_true", help="measure what making both indexes anew takes, too")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = [
        anyio.run(partial(measure, count, vectors=not options.no_vectors, anew=options.anew))
        for count in options.messages
    ]
    if options.json:
        print(json.dumps({"rows": rows}))
        return
    for row in rows:
        for name, value in row.items():
            print(f"{name:16} {value}")
        print()


if __name__ == "__main__":
    main()
