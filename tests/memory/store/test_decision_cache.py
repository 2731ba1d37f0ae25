"""The cache of decisions on people after a transaction that was rolled back."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from memd.memory.store.decision_cache import FollowedDecisions, note_rewritten

ANN, BOB, EVE = b"a" * 16, b"b" * 16, b"e" * 16


def test_what_was_rewritten_in_a_rolled_back_transaction_is_read_anew() -> None:
    """Also where decisions are rewritten once more afterwards, otherwise."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.execute("CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID")
        connection.execute("CREATE TABLE people_decisions (id INTEGER PRIMARY KEY, at, action, keys, target)")
        for keys in (ANN + BOB + EVE, ANN + BOB + EVE):
            connection.execute("INSERT INTO people_decisions (at, action, keys) VALUES (1, 'merge', ?)", (keys,))
        followed = FollowedDecisions()
        for kept in (ANN + BOB, ANN + EVE):
            connection.execute("BEGIN")
            connection.execute("UPDATE people_decisions SET keys = ? WHERE id = 1", (kept,))
            connection.execute("UPDATE people_decisions SET keys = x'' WHERE id = 2 AND ? = ?", (kept, ANN + BOB))
            note_rewritten(connection)
            followed.follow(connection)
            if kept == ANN + BOB:
                connection.execute("ROLLBACK")
                connection.execute("DELETE FROM people_decisions WHERE id = 2")
                connection.execute("INSERT INTO people_decisions VALUES (2, 1, 'merge', x'', NULL)")
        assert set(followed.log.people({ANN, BOB, EVE}, [])[1]) == {ANN, EVE}
