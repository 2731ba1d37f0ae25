"""Fills the indexes of another engine from SQLite for `memd migrate`, while those in use go on, and compares them with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import anyio
from anyio import CancelScope

from ..concurrency import together
from ..index.ports import Indexes
from ..records import CheckResult
from ..store.change_log import sequence
from ..store.database import Database
from ..store.forget_rows import last_before_forgetting
from .fact_sync import FactIndexSync
from .index_sync import IndexSync, RunningCheck
from .vector_sync import VectorIndexSync
from .word_sync import TextIndexSync

Tell = Callable[[str, int, int], None]
"""Receives a stage, the change reached in it, and the last change."""
Follower = IndexSync[Any]
TELL_SECONDS = 0.5
TURN_SECONDS = 30.0
"""The length of a turn in seconds: forgetting, and purging its files, must not wait for a complete filling."""
TWICE_OTHERWISE = "`memd migrate` fills it again; if it differs once more, the log of its server tells more"


class Filling:
    """The indexes of another engine, and the state of earlier turns."""

    def __init__(self, indexes: Indexes) -> None:
        self.indexes = indexes
        self.restarted: dict[str, int] = {}
        """The change number of the latest forgetting at which a stage was emptied: such an index holds nothing
        forgotten then, whatever number it has reached.
        """
        self.checks: dict[str, RunningCheck] = {}
        """The progress of the comparison by stage."""
        self.mended: set[str] = set()
        """The stages that differed from the store once and were rebuilt."""


async def fill_indexes(database: Database, filling: Filling, tell: Tell) -> list[CheckResult] | None:
    """Fill the indexes and compare each with the store, then close them; None when the turn ends before, and the next
    call continues.

    An index that may hold content forgotten since is emptied first; one that differs from the store is rebuilt once.

    Raises:
        StoreError: an index cannot be written; the content written so far stays.
    """
    words = TextIndexSync(database, filling.indexes, _ignore_damage)
    vectors = VectorIndexSync(database, filling.indexes, _ignore_damage)
    facts = FactIndexSync(database, filling.indexes, _ignore_damage, read_only=False)
    followers: Mapping[str, Follower] = {"words": words, "vectors": vectors, "facts": facts}
    try:
        for follower in followers.values():
            await follower.ask()
        ends = anyio.current_time() + TURN_SECONDS
        results = None
        if await _fill(database, filling, followers, ends, tell):
            tell("comparing", 0, 0)
            await vectors.save()
            results = await _compare(filling, followers, ends)
        await vectors.save()
        return results
    finally:
        with CancelScope(shield=True):
            try:
                await vectors.close()
            finally:
                await words.close()


async def _fill(
    database: Database, filling: Filling, followers: Mapping[str, Follower], ends: float, tell: Tell
) -> bool:
    """Fill each index up to the store's current change; return False when the turn ends before."""
    target = await database.read(sequence)
    for stage, follower in followers.items():
        await _restart_if_forgotten(database, filling, stage, follower)
        if not await _filled(stage, follower, target, ends, tell):
            return False
    return True


async def _restart_if_forgotten(database: Database, filling: Filling, stage: str, follower: Follower) -> None:
    """Empty an index that may hold content forgotten since."""
    last = await database.read(lambda connection: last_before_forgetting(connection, follower.logs))
    if follower.reached > last or filling.restarted.get(stage) == last:
        return
    if follower.reached:
        filling.checks.pop(stage, None)
        await follower.restart()
    filling.restarted[stage] = last


async def _compare(filling: Filling, followers: Mapping[str, Follower], ends: float) -> list[CheckResult] | None:
    """Compare all indexes; return the results, or None when the turn ends or an index was emptied because it differed."""
    results: list[CheckResult] = []
    for stage, follower in followers.items():
        findings = await _compared(filling, stage, follower, ends)
        if findings is None:
            return None
        results += findings
    return results


async def _compared(filling: Filling, stage: str, follower: Follower, ends: float) -> list[CheckResult] | None:
    """Compare one index; return the results, or None when the turn ends or the index was emptied because it differed."""
    running = filling.checks.setdefault(stage, RunningCheck(contents=True))
    while running.findings is None:
        await follower.check_step(running)
        if running.findings is None and anyio.current_time() >= ends:
            return None
    if not any(each.repairable for each in running.findings):
        return running.findings
    del filling.checks[stage]
    if stage in filling.mended:
        return [replace(each, hint=TWICE_OTHERWISE) if each.repairable else each for each in running.findings]
    await follower.restart()
    filling.mended.add(stage)
    return None


async def _catch_up(follower: Follower, target: int, ends: float) -> bool:
    """Update slice by slice until the index holds every change up to ``target``; return False when the turn ends
    before.
    """
    while (number := follower.reached) < target:
        await follower.catch_up(number + 1)
        if follower.reached == number:  # the remaining changes concern other indexes
            return True
        if anyio.current_time() >= ends:
            return False
    return True


async def _filled(stage: str, follower: Follower, target: int, ends: float, tell: Tell) -> bool:
    """Run `_catch_up` and return its result, reporting the progress meanwhile."""
    done = CancelScope()
    results: list[bool] = []

    async def watch() -> None:
        with done:
            while True:
                tell(stage, min(follower.reached, target), target)
                await anyio.sleep(TELL_SECONDS)

    async def worked() -> None:
        try:
            results.append(await _catch_up(follower, target, ends))
        finally:
            done.cancel()

    await together(watch, worked)
    return results[0]


def _ignore_damage() -> None:
    """Ignore damage: no task waits for these indexes."""
