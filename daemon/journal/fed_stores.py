"""Records which store received the journal's documents. If memory.db was deleted or replaced, its id differs, or it is
an older copy with a lower change number.
"""

from __future__ import annotations

import sqlite3
import time

from .schema import BROUGHT_SOMETHING


def note_store(connection: sqlite3.Connection, store: str) -> None:
    """Record that documents go to this store from now on. Drops stores that no run added anything to."""
    if connection.execute("SELECT 1 FROM fed_stores WHERE store = ?", (store,)).fetchone() is None:
        connection.execute("INSERT INTO fed_stores VALUES (?, ?)", (store, time.time()))
    if not lost_runs(connection, store):
        forget_other_stores(connection, store)


def note_change(connection: sqlite3.Connection, store: str, change: int) -> None:
    """Record the number of a store's last change. A store behind its recorded number is an older copy, and counts as
    another store from now on, until `forget_other_stores`.
    """
    row = connection.execute("SELECT change FROM store_changes WHERE store = ?", (store,)).fetchone()
    if row is not None and row[0] == change:
        return
    if row is not None and row[0] > change:
        now = time.time()
        connection.execute("INSERT OR REPLACE INTO fed_stores VALUES (?, ?)", (f"{store} at {row[0]}", now))
        connection.execute("UPDATE fed_stores SET since = ? WHERE store = ?", (now, store))
    connection.execute("INSERT OR REPLACE INTO store_changes VALUES (?, ?)", (store, change))


def lost_runs(connection: sqlite3.Connection, store: str | None) -> int:
    """Return the number of runs whose content is in another store than ``store``, because memory.db was replaced since.

    Args:
        connection: to the journal.
        store: the id of the present store; None if there is none.
    """
    if connection.execute("SELECT 1 FROM fed_stores WHERE store IS NOT ?", (store,)).fetchone() is None:
        return 0
    (since,) = connection.execute("SELECT max(since) FROM fed_stores WHERE store IS ?", (store,)).fetchone()
    (count,) = connection.execute(
        f"SELECT count(*) FROM runs WHERE ({BROUGHT_SOMETHING}) AND begun < coalesce(?, begun + 1)"  # noqa: S608 - ours
        " AND run NOT IN (SELECT run FROM undone)",
        (since,),
    ).fetchone()
    return int(count)


def forget_other_stores(connection: sqlite3.Connection, store: str) -> None:
    """Accept this store as the right one."""
    connection.execute("DELETE FROM fed_stores WHERE store != ?", (store,))
