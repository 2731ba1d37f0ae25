"""Filling the indexes of another kind from the store, beside those in use, and comparing them with it: from what SQLite holds alone."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import anyio
from anyio import CancelScope

from ..concurrency import both
from ..records import CheckResult
from ..store.change_log import sequence
from ..store.database import Database
from ..store.forget_rows import FollowedLog, forgotten_after
from .fact_sync import FactIndexSync
from .index_sync import TextIndexSync, VectorIndexSync
from .ports import Indexes

Tell = Callable[[str, int, int], None]
"""Gets a stage, how far it is and of how much: numbers of changes."""
TELL_SECONDS = 0.5
TURN_SECONDS = 30.0
"""After so long others may have their turn: what is forgotten, and its removal from the files, waits for no whole filling."""


async def fill_indexes(database: Database, indexes: Indexes, tell: Tell) -> list[CheckResult] | None:
    """Fill them as far as they are not, compare each with the store, and let them go; None when the turn is over before: the next
    call goes on where this one was. An index that may hold what was forgotten since is made anew.

    Raises:
        StoreError: they cannot be written; what was written stays.
    """
    words = TextIndexSync(database, indexes, _nobody)
    vectors = VectorIndexSync(database, indexes, _nobody)
    facts = FactIndexSync(database, indexes, _nobody, read_only=False)
    ends = anyio.current_time() + TURN_SECONDS
    try:
        await words.ask()
        await vectors.ask()
        await facts.ask()
        target = await database.read(sequence)
        followed: list[tuple[str, FollowedLog, TextIndexSync | VectorIndexSync | FactIndexSync]] = [
            ("words", "word_changes", words),
            ("vectors", "vector_changes", vectors),
            ("facts", "fact_changes", facts),
        ]
        for stage, log, follower in followed:
            number = follower.reached
            if number and await database.read(lambda connection, g=log, n=number: forgotten_after(connection, g, n)):
                await _told(stage, follower, target, follower.rebuild, tell)
            if not await _told(stage, follower, target, lambda each=follower: _filled(each, target, ends), tell):
                await vectors.leave()
                return None
        tell("comparing", 0, 0)
        await vectors.leave()
        found = await words.check(contents=True)
        return found + await vectors.check(contents=True) + await facts.check(contents=True)
    finally:
        with CancelScope(shield=True):
            try:
                await vectors.close()
            finally:
                await words.close()


async def _filled(follower: TextIndexSync | VectorIndexSync | FactIndexSync, target: int, ends: float) -> bool:
    """Go on slice by slice until it holds every change up to ``target``; False when the time is over before."""
    while (number := follower.reached) < target:
        await follower.catch_up(number + 1)
        if follower.reached == number:  # what stands behind it concerns other indexes
            return True
        if anyio.current_time() >= ends:
            return False
    return True


async def _told(
    stage: str,
    follower: TextIndexSync | VectorIndexSync | FactIndexSync,
    target: int,
    work: Callable[[], Awaitable[bool | None]],
    tell: Tell,
) -> bool:
    """What the work gives; tells meanwhile how far it is."""
    done = CancelScope()
    given: list[bool | None] = []

    async def watch() -> None:
        with done:
            while True:
                tell(stage, min(follower.reached, target), target)
                await anyio.sleep(TELL_SECONDS)

    async def worked() -> None:
        try:
            given.append(await work())
        finally:
            done.cancel()

    await both(watch, worked)
    return bool(given[0])


def _nobody() -> None:
    """Nobody waits for these indexes."""
