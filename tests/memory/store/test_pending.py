"""Texts that wait for vectors are cut out of what holds them, and that is read once, however many they are."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from memd.memory.indexing.indexed_store import open_store
from memd.memory.store.documents_write import apply_changes
from memd.memory.store.vectors import pending_texts
from memd.tests.memory.store.samples import conversation, group, text_group

PIECES = [f"the piece {number} of a text" for number in range(40)]


@pytest.mark.anyio
async def test_a_long_text_is_read_once_for_all_its_chunks(tmp_path: Path) -> None:
    """Beside short messages, which are read one by one; nothing is sorted together with what is written in it."""
    async with open_store(tmp_path / "store") as store:
        await store.database.write(apply_changes, text_group("n", PIECES))
        await store.database.write(apply_changes, group(conversation("a"), [("Ann", "hello"), ("Bob", "hi")]))
    asked: list[str] = []
    with closing(sqlite3.connect(tmp_path / "store" / "memory.db")) as connection:
        connection.set_trace_callback(asked.append)
        texts = [each.text for each in pending_texts(connection, 100)]
    assert [text for text in texts if "piece" in text] == PIECES
    assert {"Ann: hello", "Bob: hi"} <= set(texts)
    reading = [statement for statement in asked if "content" in statement]
    assert len([statement for statement in reading if "documents" in statement]) == 1
    assert not [statement for statement in reading if "ORDER BY" in statement]
