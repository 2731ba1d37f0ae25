"""Filling the indexes of another kind from the store, beside those in use, and comparing them with it: from what SQLite holds alone."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import anyio
from anyio import CancelScope

from ..concurrency import both
from ..records import CheckResult
from ..store.change_log import sequence
from ..store.database import Database
from .fact_sync import FactIndexSync
from .index_sync import TextIndexSync, VectorIndexSync
from .ports import Indexes

Tell = Callable[[str, int, int], None]
"""Gets a stage, how far it is and of how much: numbers of changes."""
TELL_SECONDS = 0.5


async def fill_indexes(database: Database, indexes: Indexes, tell: Tell) -> list[CheckResult]:
    """Fill them as far as they are not, compare each with the store, and let them go. Interrupted, it goes on the next time.

    Raises:
        StoreError: they cannot be written; what was written stays.
    """
    words = TextIndexSync(database, indexes, _nobody)
    vectors = VectorIndexSync(database, indexes, _nobody)
    facts = FactIndexSync(database, indexes, _nobody, read_only=False)
    try:
        await words.open()
        await vectors.open()
        await facts.open()
        target = await database.read(sequence)
        reached = {
            "words": lambda: words.index.sequence,
            "vectors": lambda: 0 if vectors.index is None else vectors.index.sequence,
            "facts": lambda: 0 if facts.index is None else facts.index.sequence,
        }
        for stage, follower in (("words", words), ("vectors", vectors), ("facts", facts)):
            await _told(stage, reached[stage], target, lambda each=follower: each.catch_up(target), tell)
        tell("comparing", 0, 0)
        found = await words.check()
        await vectors.leave()
        return found + await vectors.check() + await facts.check()
    finally:
        with CancelScope(shield=True):
            try:
                await vectors.close()
            finally:
                await words.close()


async def _told(
    stage: str, reached: Callable[[], int], target: int, work: Callable[[], Awaitable[None]], tell: Tell
) -> None:
    """Do the work, and tell meanwhile how far it is."""
    done = CancelScope()

    async def watch() -> None:
        with done:
            while True:
                tell(stage, min(reached(), target), target)
                await anyio.sleep(TELL_SECONDS)

    async def worked() -> None:
        try:
            await work()
        finally:
            done.cancel()

    await both(watch, worked)


def _nobody() -> None:
    """Nobody waits for these indexes."""
