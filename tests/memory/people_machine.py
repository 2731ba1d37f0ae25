"""Random merges, splits and undos between ingests and forgetting: the state is what the standing decisions give from scratch.

By hand, with as many steps as are asked for: `python -m memd.tests.memory.people_machine 10000`.
"""

from __future__ import annotations

import random
import sqlite3
import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import anyio

from memd.memory.people.decisions import Decision, identity_key, last_standing, persons, standing
from memd.memory.store import identity_rows, people_rows
from memd.memory.store.sqlite_store import SQLiteStore
from memd.memory.write_batches import Removal
from memd.schemas.keys import document_key
from memd.tests.memory.store.samples import conversation, group

NAMES = tuple(f"Person {letter}" for letter in "ABCDEFGHIJKL")
SOURCES = ("chat", "mail", "slack")
KEYS = tuple(identity_key(source, name) for source in SOURCES for name in NAMES)
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


def step(connection: sqlite3.Connection, chance: random.Random, number: int) -> None:
    """One random decision."""
    known = people_rows.decisions(connection)
    at = DAY + timedelta(seconds=number)
    kind = chance.random()
    if kind < 0.45:
        people_rows.decide(connection, "merge", at, chance.sample(KEYS, chance.randint(2, 4)))
    elif kind < 0.7:
        people_rows.decide(connection, "split", at, chance.sample(KEYS, chance.randint(1, 3)))
    elif known:
        stand = {each.id for each in standing(known)}
        last = last_standing(known)
        target = last.id if last and chance.random() < 0.5 else chance.choice([each.id for each in known])
        if target in stand or all(each.target != target for each in known):
            people_rows.decide(connection, "undo", at, (), target)


async def run(folder: Path, steps: int, seed: int, every: int = 1) -> tuple[int, int]:
    """So many steps; every so many are compared. Returns how many decisions there are, and how many stand."""
    chance = random.Random(seed)
    async with SQLiteStore.open(folder) as store:
        await store.write(
            lambda connection: people_rows.set_own_names(connection, {"": "Person A", "mail": "Person B"})
        )
        stored: list[UUID] = []
        for number in range(steps):
            kind = chance.random()
            if kind < 0.04:
                source = chance.choice(SOURCES)
                lines = [(name, f"words {number}") for name in chance.sample(NAMES, 3)]
                row = conversation(f"d{number}", source, user=lines[0][0], people=tuple(name for name, _ in lines))
                await store.apply(group(row, lines))
                stored.append(document_key(source, "", row.id))
            elif kind < 0.05 and stored:
                await store.forget(Removal(documents=[stored.pop(chance.randrange(len(stored)))]))
                names = {"": "Person A", "mail": "Person B"}
                await store.write(lambda connection, names=names: people_rows.set_own_names(connection, names))
            else:
                await store.write(lambda connection, number=number: step(connection, chance, number))
            if not number % every or number == steps - 1:
                await store.read(compare)
        known = await store.read(people_rows.decisions)
        return len(known), len(standing(known))


def compare(connection: sqlite3.Connection) -> None:
    """The state is that of the standing decisions from scratch, and the names are those of the documents."""
    decisions = people_rows.decisions(connection)
    own = {key for key, label in persons((), people_rows.own_keys(connection)).items() if label}
    assert people_rows.labels(connection) == replayed(decisions, own)
    assert identity_rows.wrong_identities(connection) == 0


def main() -> None:
    """Run it by hand."""
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory() as folder:
        total, standing_now = anyio.run(run, Path(folder), steps, 7, 25)
    told = f"{total:,} decisions, {standing_now:,} of them stand; the state is that of these from scratch"
    sys.stdout.write(f"{steps:,} steps: {told}\n")


if __name__ == "__main__":
    main()
