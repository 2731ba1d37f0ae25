"""Counts, per queue entry, the messages added and updated by documents that may be delivered again because their sender
did not record that they were stored. Written in the storing transaction, so a repeated delivery reports the original
counts.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Mapping

from ..write_batches import EntryName

_NAME = "written"
"""The entry in ``meta``: the counts of added and updated messages by run and entry number, as JSON."""


def written_entries(connection: sqlite3.Connection) -> dict[EntryName, tuple[int, int]]:
    """Return (added, updated) messages by queue entry."""
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
    """Add to the counts of some entries; entries that are not ``outstanding`` will not be delivered again and are
    deleted.
    """
    kept_entries = {*outstanding}
    totals = {name: count for name, count in written_entries(connection).items() if name in kept_entries}
    for name, (added, updated) in counts.items():
        before = totals.get(name, (0, 0))
        totals[name] = before[0] + added, before[1] + updated
    by_run: dict[str, dict[int, tuple[int, int]]] = {}
    for (run, number), count in totals.items():
        by_run.setdefault(run, {})[number] = count
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_NAME, json.dumps(by_run)))
