"""The change log of facts: it begins with all of them, and notes each that comes, changes or goes, whoever writes."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator
from contextlib import closing

import pytest

from memd.memory.store.fact_log import (
    count_fact_changes_after,
    fact_changes_after,
    prepare,
    remove,
    renumber,
    version_rows,
)
from memd.memory.store.facts_schema import KNOWLEDGE

ONE, TWO = b"1" * 16, b"2" * 16


@pytest.fixture
def connection() -> Generator[sqlite3.Connection]:
    """Tables of facts with three versions of two facts, and no log."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE documents (id INTEGER PRIMARY KEY)")
        connection.execute("CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID")
        connection.execute("INSERT INTO meta VALUES ('sequence', 40)")
        connection.executescript(KNOWLEDGE)
        put(connection, ONE, replaced=9)
        put(connection, TWO)
        put(connection, ONE)
        yield connection


def put(connection: sqlite3.Connection, key: bytes, replaced: int | None = None) -> None:
    """A version of a fact."""
    statement = (
        "INSERT INTO facts (key, cluster, speaker, subject, attribute, status, micros, recorded, replaced, run, body)"
    )
    connection.execute(f"{statement} VALUES (?, '', '', '', '', 'active', 0, 0, ?, '', '')", (key, replaced))


def noted(connection: sqlite3.Connection, after: int = 0) -> list[tuple[int, bytes]]:
    """Everything that is noted."""
    return fact_changes_after(connection, after, 100)


def test_it_begins_with_every_fact(connection: sqlite3.Connection) -> None:
    """Each once, under numbers of the store's own sequence; beginning again changes nothing."""
    for _ in range(2):
        prepare(connection)
        assert noted(connection) == [(41, TWO), (42, ONE)]
    assert connection.execute("SELECT value FROM meta").fetchone() == (42,)
    assert count_fact_changes_after(connection, 41) == 1
    assert version_rows(connection) == [1, 2, 3]


def test_every_change_is_noted(connection: sqlite3.Connection) -> None:
    """A fact has the number of its latest change alone, also when it has gone."""
    prepare(connection)
    connection.execute("UPDATE facts SET replaced = 10 WHERE key = ? AND replaced IS NULL", (TWO,))
    assert noted(connection) == [(42, ONE), (43, TWO)]
    put(connection, TWO)
    connection.execute("DELETE FROM facts WHERE key = ?", (ONE,))
    assert [key for _, key in noted(connection)] == [TWO, ONE]
    assert noted(connection, 44)[0][1] == ONE
    renumber(connection)
    assert [key for _, key in noted(connection)] == [TWO]


def test_without_a_log_nothing_is_numbered(connection: sqlite3.Connection) -> None:
    """Where no index of facts is in use."""
    renumber(connection)
    assert connection.execute("SELECT value FROM meta").fetchone() == (40,)


def test_a_trigger_that_is_missing_is_made_again(connection: sqlite3.Connection) -> None:
    """What changed without it is not known: every fact is noted anew."""
    prepare(connection)
    connection.execute("DROP TRIGGER facts_inserted")
    put(connection, b"3" * 16)
    prepare(connection)
    assert [key for _, key in noted(connection, 42)] == [TWO, ONE, b"3" * 16]
    put(connection, b"4" * 16)
    assert noted(connection)[-1][1] == b"4" * 16


def test_a_log_that_is_removed_leaves_nothing(connection: sqlite3.Connection) -> None:
    """Neither the table nor a trigger, and facts are written as before it."""
    before = connection.execute("SELECT name FROM sqlite_master ORDER BY name").fetchall()
    prepare(connection)
    remove(connection)
    assert connection.execute("SELECT name FROM sqlite_master ORDER BY name").fetchall() == before
    put(connection, b"3" * 16)
    remove(connection)
