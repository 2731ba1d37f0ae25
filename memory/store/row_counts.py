"""Counts of rows that SQLite keeps by triggers, so that nobody reads whole tables to tell how much there is.

Rule 1: a count changes with its rows in one transaction, whichever statement changes them. Never REPLACE rows of a counted
table: SQLite runs no trigger for the row that goes.
"""

# ruff: noqa: S608 - statements are put together of names of ours; every value is bound

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

COUNTED = ("documents", "messages", "chunks", "pending", "unread")
"""Tables whose rows are counted under their own names."""
FACTS = "facts"
"""Versions that are present."""
VECTORS = "vectors/"
"""With the row id of a model: its vectors."""
REJECTED = "rejected/"
"""With a reason: proposals that became no statement."""
TABLE = "CREATE TABLE counts (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID"


def _change(name: str, sign: str) -> str:
    return f"UPDATE counts SET value = value {sign} 1 WHERE name = {name};"


def _known(names: str) -> str:
    """Names that were never counted begin at 0. Not by OR IGNORE: the statement that runs a trigger overrides that."""
    return f"INSERT INTO counts SELECT n, 0 FROM ({names}) WHERE n NOT IN (SELECT name FROM counts);"


def _triggers() -> list[str]:
    made: list[str] = []
    for table in COUNTED:
        name = f"'{table}'"
        made.append(f"CREATE TRIGGER {table}_came AFTER INSERT ON {table} BEGIN {_change(name, '+')} END")
        made.append(f"CREATE TRIGGER {table}_went AFTER DELETE ON {table} BEGIN {_change(name, '-')} END")
    fact = f"'{FACTS}'"
    for name, event, sign in (
        ("came", "INSERT ON facts WHEN new.replaced IS NULL", "+"),
        ("went", "DELETE ON facts WHEN old.replaced IS NULL", "-"),
        ("replaced", "UPDATE ON facts WHEN old.replaced IS NULL AND new.replaced IS NOT NULL", "-"),
        ("returned", "UPDATE ON facts WHEN old.replaced IS NOT NULL AND new.replaced IS NULL", "+"),
    ):
        made.append(f"CREATE TRIGGER facts_{name} AFTER {event} BEGIN {_change(fact, sign)} END")
    mine, theirs = f"'{VECTORS}' || new.model", f"'{VECTORS}' || old.model"
    known = _known(f"SELECT {mine} AS n")
    made.append(f"CREATE TRIGGER vectors_came AFTER INSERT ON vectors BEGIN {known} {_change(mine, '+')} END")
    made.append(f"CREATE TRIGGER vectors_went AFTER DELETE ON vectors BEGIN {_change(theirs, '-')} END")
    for event, row, sign in (("INSERT", "new", "+"), ("DELETE", "old", "-")):
        reasons = f"SELECT '{REJECTED}' || key AS n, value AS v FROM json_each({row}.rejected)"
        made.append(
            f"CREATE TRIGGER windows_{'came' if sign == '+' else 'went'} AFTER {event} ON windows"
            f" WHEN json_valid({row}.rejected) BEGIN {_known(reasons)}"
            f" UPDATE counts SET value = value {sign} (SELECT v FROM ({reasons}) WHERE n = counts.name)"
            f" WHERE name IN (SELECT n FROM ({reasons})); END"
        )
    return made


TRIGGERS = _triggers()


def make_counts(connection: sqlite3.Connection) -> None:
    """Begin to count, in the caller's transaction."""
    connection.execute(TABLE)
    recount(connection)
    for trigger in TRIGGERS:
        connection.execute(trigger)


def count_of(connection: sqlite3.Connection, name: str) -> int:
    """What is counted under a name; 0 for one that never was."""
    row = connection.execute("SELECT value FROM counts WHERE name = ?", (name,)).fetchone()
    return 0 if row is None else int(row[0])


def counts_under(connection: sqlite3.Connection, prefix: str) -> dict[str, int]:
    """The counts whose names begin so, by the rest of the name, without those that are 0."""
    rows = connection.execute(
        "SELECT name, value FROM counts WHERE name >= ? AND name < ? AND value > 0", (prefix, prefix[:-1] + "0")
    )
    return {name.removeprefix(prefix): count for name, count in rows}


def true_counts(connection: sqlite3.Connection) -> dict[str, int]:
    """Every count by its rows; reads whole tables."""
    found = {table: int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]) for table in COUNTED}
    found[FACTS] = int(connection.execute("SELECT count(*) FROM facts WHERE replaced IS NULL").fetchone()[0])
    for model, count in connection.execute("SELECT model, count(*) FROM vectors GROUP BY model"):
        found[f"{VECTORS}{model}"] = count
    reasons = connection.execute(
        "SELECT e.key, sum(e.value) FROM windows w, json_each(w.rejected) e WHERE json_valid(w.rejected) GROUP BY e.key"
    )
    return found | {f"{REJECTED}{reason}": count for reason, count in reasons}


def wrong_counts(connection: sqlite3.Connection) -> Mapping[str, tuple[int, int]]:
    """By name, what is counted and what is there, where they differ."""
    kept = dict(connection.execute("SELECT name, value FROM counts").fetchall())
    there = true_counts(connection)
    pairs = {name: (int(kept.get(name, 0)), there.get(name, 0)) for name in kept.keys() | there.keys()}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def recount(connection: sqlite3.Connection) -> None:
    """Make every count anew."""
    connection.execute("DELETE FROM counts")
    connection.executemany("INSERT INTO counts VALUES (?, ?)", list(true_counts(connection).items()))
