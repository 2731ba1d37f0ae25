"""What the store made of documents that may be given again, because whoever gave them may not have noted that they are stored:
counted in the transaction that stores them, so that given again they are told as what they were.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Mapping

from ..write_batches import EntryName

_NAME = "written"
"""In ``meta``: by run and number of an entry what was added and updated, as JSON."""


def written_entries(connection: sqlite3.Connection) -> dict[EntryName, tuple[int, int]]:
    """By entry, how many messages of it were added, and how many updated."""
    row = connection.execute("SELECT value FROM meta WHERE name = ?", (_NAME,)).fetchone()
    if row is None:
        return {}
    return {
        (run, int(number)): (added, updated)
        for run, numbers in json.loads(row[0]).items()
        for number, (added, updated) in numbers.items()
    }


def count_written(
    connection: sqlite3.Connection,
    counts: Mapping[EntryName, tuple[int, int]],
    outstanding: Collection[EntryName],
) -> None:
    """Add to what is counted of some entries; whatever is not ``outstanding`` will not be given again, and goes."""
    wanted = {*outstanding}
    known = {name: count for name, count in written_entries(connection).items() if name in wanted}
    for name, (added, updated) in counts.items():
        before = known.get(name, (0, 0))
        known[name] = before[0] + added, before[1] + updated
    by_run: dict[str, dict[int, tuple[int, int]]] = {}
    for (run, number), count in known.items():
        by_run.setdefault(run, {})[number] = count
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_NAME, json.dumps(by_run)))
