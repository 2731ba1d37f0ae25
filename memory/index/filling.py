"""Filling the indexes of another kind from the store, beside those in use, and comparing them with it: from what SQLite holds alone."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace

import anyio
from anyio import CancelScope

from ..concurrency import together
from ..records import CheckResult
from ..store.change_log import sequence
from ..store.database import Database
from ..store.forget_rows import last_before_forgetting
from .checking import RunningCheck
from .fact_sync import FactIndexSync
from .index_sync import TextIndexSync, VectorIndexSync
from .ports import Indexes

Tell = Callable[[str, int, int], None]
"""Gets a stage, how far it is and of how much: numbers of changes."""
Follower = TextIndexSync | VectorIndexSync | FactIndexSync
TELL_SECONDS = 0.5
TURN_SECONDS = 30.0
"""After so long others may have their turn: what is forgotten, and its removal from the files, waits for no whole filling."""
TWICE_OTHERWISE = "`memd migrate` fills it again; if it differs once more, the log of its server tells more"


class Filling:
    """Other indexes than those in use, and what was found out of them in earlier turns."""

    def __init__(self, indexes: Indexes) -> None:
        self.indexes = indexes
        self.restarted: dict[str, int] = {}
        """By stage, the change behind which came the latest forgetting when it was empty: whatever its number, it holds nothing of that."""
        self.checks: dict[str, RunningCheck] = {}
        """By stage, how far it is compared with the store."""
        self.mended: set[str] = set()
        """The stages that differed from the store once, and were made anew."""


async def fill_indexes(database: Database, filling: Filling, tell: Tell) -> list[CheckResult] | None:
    """Fill them as far as they are not, compare each with the store, and let them go; None when the turn is over before: the next
    call goes on where this one was. An index that may hold what was forgotten since is made anew, and so is, once, one that differs.

    Raises:
        StoreError: they cannot be written; what was written stays.
    """
    words = TextIndexSync(database, filling.indexes, _nobody)
    vectors = VectorIndexSync(database, filling.indexes, _nobody)
    facts = FactIndexSync(database, filling.indexes, _nobody, read_only=False)
    try:
        for follower in (words, vectors, facts):
            await follower.ask()
        ends = anyio.current_time() + TURN_SECONDS
        found = None
        if await _fill(database, filling, {"words": words, "vectors": vectors, "facts": facts}, ends, tell):
            tell("comparing", 0, 0)
            await vectors.save()
            found = await _compare(filling, {"words": words, "vectors": vectors, "facts": facts}, ends)
        await vectors.save()
        return found
    finally:
        with CancelScope(shield=True):
            try:
                await vectors.close()
            finally:
                await words.close()


async def _fill(
    database: Database, filling: Filling, followers: Mapping[str, Follower], ends: float, tell: Tell
) -> bool:
    """Whether each holds all of the store as it was at the beginning."""
    target = await database.read(sequence)
    for stage, follower in followers.items():
        await _restart_if_forgotten(database, filling, stage, follower)
        if not await _told(stage, follower, target, lambda each=follower: _filled(each, target, ends), tell):
            return False
    return True


async def _restart_if_forgotten(database: Database, filling: Filling, stage: str, follower: Follower) -> None:
    """Empty an index that may hold what was forgotten since."""
    last = await database.read(lambda connection: last_before_forgetting(connection, follower.logs))
    if follower.reached > last or filling.restarted.get(stage) == last:
        return
    if follower.reached:
        filling.checks.pop(stage, None)
        await follower.restart()
    filling.restarted[stage] = last


async def _compare(filling: Filling, followers: Mapping[str, Follower], ends: float) -> list[CheckResult] | None:
    """What the comparison of all found; None when the time is over, or one was emptied because it differed."""
    found: list[CheckResult] = []
    for stage, follower in followers.items():
        findings = await _compared(filling, stage, follower, ends)
        if findings is None:
            return None
        found += findings
    return found


async def _compared(filling: Filling, stage: str, follower: Follower, ends: float) -> list[CheckResult] | None:
    """What the comparison found; None when the time is over, or the index was emptied because it differed."""
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


async def _filled(follower: Follower, target: int, ends: float) -> bool:
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
    follower: Follower,
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

    await together(watch, worked)
    return bool(given[0])


def _nobody() -> None:
    """Nobody waits for these indexes."""
