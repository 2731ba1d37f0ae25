"""Words looked for in the store itself: of a fact those of its message, whatever its own span is."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from memd.memory.store.scan import scan_words
from memd.memory.text import analyzer


def test_a_fact_stands_for_all_of_its_message() -> None:
    """Its span counts in a text of its own; a piece of a message has no more than its part."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute('CREATE TABLE chunks (id, document, message, ordinal, start, "end")')
        connection.execute("CREATE TABLE messages (id, content, speaker)")
        connection.execute("CREATE TABLE speakers (id, name)")
        connection.execute("INSERT INTO messages VALUES (1, 'we moved from Kiel to Lyon', NULL)")
        connection.executemany("INSERT INTO chunks VALUES (?, 1, 1, ?, ?, ?)", [(1, 0, 0, 18), (2, 1000, 0, 8)])
        assert [row for row, _ in scan_words(connection, analyzer.terms("Lyon"), None, 10)] == [2]
        assert [row for row, _ in scan_words(connection, analyzer.terms("Kiel"), None, 10)] == [1, 2]
