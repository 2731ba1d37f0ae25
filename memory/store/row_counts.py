"""Row counts maintained by triggers, so that statistics need not scan whole tables.

Rule 1: a count changes in the same transaction as its rows, whatever statement changes them. Never REPLACE rows of a
counted table: SQLite runs no delete trigger for the replaced row.
"""

# ruff: noqa: S608 - statements are put together of names of ours; every value is bound

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

COUNTED = ("documents", "messages", "chunks", "pending", "unread")
"""Tables whose rows are counted under the table's name."""
FACTS = "facts"
"""The number of current facts."""
VECTORS = "vectors/"
"""The prefix for the number of vectors of a model, followed by the model's row id."""
REJECTED = "rejected/"
"""The prefix for the number of refused proposals, followed by the reason."""
TABLE = "CREATE TABLE counts (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID"


def _change(name: str, sign: str) -> str:
    return f"UPDATE counts SET value = value {sign} 1 WHERE name = {name};"


def _known(names: str) -> str:
    """Return SQL that starts missing counts at 0. OR IGNORE would not work: the conflict clause of the triggering
    statement overrides it.
    """
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
    missing_counts = _known(f"SELECT {mine} AS n")
    made.append(f"CREATE TRIGGER vectors_came AFTER INSERT ON vectors BEGIN {missing_counts} {_change(mine, '+')} END")
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
    """Create and fill the table of counts with its triggers, in the caller's transaction."""
    connection.execute(TABLE)
    recount(connection)
    for trigger in TRIGGERS:
        connection.execute(trigger)


def count_of(connection: sqlite3.Connection, name: str) -> int:
    """Return the count of this name; 0 if it does not exist."""
    row = connection.execute("SELECT value FROM counts WHERE name = ?", (name,)).fetchone()
    return 0 if row is None else int(row[0])


def counts_under(connection: sqlite3.Connection, prefix: str) -> dict[str, int]:
    """Return the non-zero counts whose names begin with `prefix`, by the rest of the name."""
    rows = connection.execute(
        "SELECT name, value FROM counts WHERE name >= ? AND name < ? AND value > 0", (prefix, prefix[:-1] + "0")
    )
    return {name.removeprefix(prefix): count for name, count in rows}


def true_counts(connection: sqlite3.Connection) -> dict[str, int]:
    """Return all counts computed from the rows; reads whole tables."""
    counts = {table: int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]) for table in COUNTED}
    counts[FACTS] = int(connection.execute("SELECT count(*) FROM facts WHERE replaced IS NULL").fetchone()[0])
    for model, count in connection.execute("SELECT model, count(*) FROM vectors GROUP BY model"):
        counts[f"{VECTORS}{model}"] = count
    reasons = connection.execute(
        "SELECT e.key, sum(e.value) FROM windows w, json_each(w.rejected) e WHERE json_valid(w.rejected) GROUP BY e.key"
    )
    return counts | {f"{REJECTED}{reason}": count for reason, count in reasons}


def wrong_counts(connection: sqlite3.Connection) -> Mapping[str, tuple[int, int]]:
    """Return (stored, true) counts by name where the two differ."""
    kept = dict(connection.execute("SELECT name, value FROM counts").fetchall())
    true = true_counts(connection)
    pairs = {name: (int(kept.get(name, 0)), true.get(name, 0)) for name in kept.keys() | true.keys()}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def recount(connection: sqlite3.Connection) -> None:
    """Recompute every count."""
    connection.execute("DELETE FROM counts")
    connection.executemany("INSERT INTO counts VALUES (?, ?)", list(true_counts(connection).items()))
