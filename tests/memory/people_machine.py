"""Random merges, splits and undos: one long sequence between ingests and forgetting, and many short ones. The state is what the
standing decisions give from scratch, and with everything taken back it is that of the beginning.

By hand, with as many steps and as many sequences as are asked for: `python -m memd.tests.memory.people_machine 10000 10000`.
"""

from __future__ import annotations

import random
import sqlite3
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from uuid import UUID

import anyio

from memd.memory.indexing.indexed_store import IndexedStore, open_store
from memd.memory.people.decisions import Action, Decision, identity_key, persons, standing
from memd.memory.store import identity_rows, people_rows
from memd.memory.store.decision_cache import FollowedDecisions
from memd.memory.store.documents_write import apply_changes
from memd.memory.write_batches import Removal
from memd.schemas.keys import document_key
from memd.tests.memory.store.samples import conversation, group

NAMES = tuple(f"Person {letter}" for letter in "ABCDEFGHIJKL")
SOURCES = ("chat", "mail", "slack")
KEYS = tuple(identity_key(source, name) for source in SOURCES for name in NAMES)
OWN = {"": "Person A", "mail": "Person B"}
DAY = datetime(2024, 1, 15, tzinfo=UTC)


def replayed(decisions: Sequence[Decision], own: set[UUID]) -> dict[UUID, str]:
    """What the standing decisions give to somebody who carries them out one after the other, on sets of keys."""
    people: list[set[UUID]] = [set(own)] if own else []
    users = set(own)
    for each in standing(decisions):
        if each.action == "merge":
            whole = set(each.keys)
            for one in [one for one in people if one & whole]:
                whole |= one
                people.remove(one)
            people.append(whole)
        else:
            users -= set(each.keys)
            people = [left for one in people if (left := one - set(each.keys))]
    found: dict[UUID, str] = {}
    for one in people:
        label = "person:user" if one & users else f"person:{min(one).hex}"
        if len(one) > 1 or one & users:
            found |= dict.fromkeys(one, label)
    return found


class Log:
    """Which decisions stand, told apart by a count of the undos that take each back: written apart from `standing`."""

    def __init__(self) -> None:
        self.followed = FollowedDecisions()
        self.targets: dict[int, int | None] = {}
        self._against: dict[int, int] = {}

    def add(self, number: int, target: int | None) -> None:
        """A decision was made."""
        self.targets[number] = target
        self._against[number] = 0
        if target is not None:
            self._count(target, 1)

    def _count(self, number: int, step: int) -> None:
        before = self.stands(number)
        self._against[number] += step
        target = self.targets[number]
        if target is not None and self.stands(number) is not before:
            self._count(target, -1 if before else 1)

    def stands(self, number: int) -> bool:
        """Whether no standing undo takes it back."""
        return not self._against[number]

    def last(self) -> int | None:
        """The latest merge or split that stands."""
        found = (each for each, target in reversed(self.targets.items()) if target is None and self.stands(each))
        return next(found, None)


async def decide(
    store: IndexedStore, log: Log, number: int, action: Action, keys: Sequence[UUID] = (), target: int | None = None
) -> None:
    """Make a decision, and note it."""
    at = DAY + timedelta(seconds=number)
    make = partial(people_rows.decide, action=action, at=at, keys=keys, target=target, followed=log.followed)
    log.add((await store.database.write(make)).number, target)


def chosen(log: Log, chance: random.Random) -> tuple[Action, Sequence[UUID], int | None] | None:
    """A random decision: what, about whom, and what it takes back; None where nothing can be taken back."""
    kind = chance.random()
    if kind < 0.45:
        return "merge", chance.sample(KEYS, chance.randint(2, 4)), None
    if kind < 0.7:
        return "split", chance.sample(KEYS, chance.randint(1, 3)), None
    if not log.targets:
        return None
    last = log.last()
    target = last if last is not None and chance.random() < 0.5 else chance.choice(list(log.targets))
    return ("undo", (), target) if log.stands(target) else None


def sequence(connection: sqlite3.Connection, chance: random.Random) -> int:
    """A few decisions, each compared. All that stand are taken back, in any order, and brought back, in any order: the states are
    those before the first decision and after the last. Returns how many decisions that were; none is left.
    """
    log, at = Log(), DAY
    begun = people_rows.labels(connection)

    def decide_now(action: Action, keys: Sequence[UUID], target: int | None) -> int:
        nonlocal at
        at += timedelta(seconds=1)
        number = people_rows.decide(connection, action, at, keys, target, followed=log.followed).number
        log.add(number, target)
        made = people_rows.labels(connection)
        assert made == replayed(people_rows.decisions(connection), people_rows.own_keys(connection))
        return number

    for _ in range(chance.randint(1, 16)):
        if (one := chosen(log, chance)) is not None:
            decide_now(*one)
    ended = people_rows.labels(connection)
    left = [each for each, target in log.targets.items() if target is None and log.stands(each)]
    undos = [decide_now("undo", (), each) for each in chance.sample(left, len(left))]
    assert people_rows.labels(connection) == begun
    for each in chance.sample(undos, len(undos)):
        decide_now("undo", (), each)
    assert people_rows.labels(connection) == ended
    connection.execute("DELETE FROM people_decisions")
    people_rows.refresh_persons(connection)
    return len(log.targets)


async def sequences(folder: Path, count: int, seed: int) -> int:
    """So many sequences, each from the same beginning: some of the names are the user's. Returns how many decisions that were."""
    chance = random.Random(seed)

    def some(connection: sqlite3.Connection, number: int) -> int:
        return sum(sequence(connection, chance) for _ in range(number))

    async with open_store(folder) as store:
        for source in SOURCES:
            row = conversation(source, source, user="Person A", people=NAMES)
            await store.database.write(apply_changes, group(row, [(name, "words") for name in NAMES]))
        await store.database.write(lambda connection: people_rows.set_own_names(connection, OWN))
        assert await store.database.read(people_rows.own_keys)
        parts = [min(100, count - begun) for begun in range(0, count, 100)]
        return sum([await store.database.write(partial(some, number=part)) for part in parts])


async def run(folder: Path, steps: int, seed: int, every: int = 1) -> tuple[int, int]:
    """So many steps; every so many are compared. Then everything that stands is taken back, in any order. Returns how many
    decisions there were after the steps, and how many of them stood.
    """
    chance = random.Random(seed)
    async with open_store(folder) as store:
        await store.database.write(lambda connection: people_rows.set_own_names(connection, OWN))
        stored: list[UUID] = []
        log = Log()
        for number in range(steps):
            kind = chance.random()
            if kind < 0.04:
                source = chance.choice(SOURCES)
                lines = [(name, f"words {number}") for name in chance.sample(NAMES, 3)]
                row = conversation(f"d{number}", source, user=lines[0][0], people=tuple(name for name, _ in lines))
                await store.database.write(apply_changes, group(row, lines))
                stored.append(document_key(source, "", row.id))
            elif kind < 0.05 and stored:
                await store.forget(Removal(documents=[stored.pop(chance.randrange(len(stored)))]))
                await store.database.write(lambda connection: people_rows.set_own_names(connection, OWN))
            elif (one := chosen(log, chance)) is not None:
                await decide(store, log, number, *one)
            if not number % every or number == steps - 1:
                await store.database.read(partial(compare, log=log))
        counted = len(log.targets), sum(log.stands(each) for each, target in log.targets.items() if target is None)
        await take_all_back(store, log, chance, every)
    return counted


async def take_all_back(store: IndexedStore, log: Log, chance: random.Random, every: int) -> None:
    """Nobody is merged or split any more: there are the user's names as if nothing had been decided."""
    left = [each for each, target in log.targets.items() if target is None and log.stands(each)]
    chance.shuffle(left)
    for number, each in enumerate(left):
        await decide(store, log, number, "undo", target=each)
        if not number % every:
            await store.database.read(partial(compare, log=log))
    await store.database.read(partial(compare, log=log))
    undecided = persons((), await store.database.read(people_rows.own_keys))
    assert await store.database.read(people_rows.labels) == undecided


def compare(connection: sqlite3.Connection, log: Log) -> None:
    """The state is that of the standing decisions from scratch, and the names are those of the documents."""
    decisions = people_rows.decisions(connection)
    assert {each.id for each in standing(decisions)} == {
        each for each, target in log.targets.items() if target is None and log.stands(each)
    }
    assert people_rows.labels(connection) == replayed(decisions, people_rows.own_keys(connection))
    assert identity_rows.wrong_identities(connection) == 0


def main() -> None:
    """Run it by hand."""
    steps, count = [int(word) for word in [*sys.argv[1:3], "10000", "10000"][:2]]
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        total, standing_now = anyio.run(run, Path(folder), steps, 7, max(1, steps // 40))
    told = f"{total:,} decisions, {standing_now:,} of them stood; the state was that of these from scratch"
    spent = f"{time.monotonic() - begun:.0f} s with taking all back"
    sys.stdout.write(f"{steps:,} steps: {told}; {spent}\n")
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        total = anyio.run(sequences, Path(folder), count, 7)
    told = f"{total:,} decisions; each state was that of its decisions from scratch, taken back that of the beginning"
    sys.stdout.write(f"{count:,} sequences: {told}; {time.monotonic() - begun:.0f} s\n")


if __name__ == "__main__":
    main()
