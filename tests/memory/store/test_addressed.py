"""The chats in which somebody is addressed, by the names in the table of chats."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from memd.memory.indexing.indexed_store import open_store
from memd.memory.store.addressed_rows import addressed

pytestmark = pytest.mark.anyio


async def test_a_name_is_found_however_it_is_written(tmp_path: Path) -> None:
    """In any case, with characters that JSON escapes, and beside names in other scripts; a part of a name is none."""
    chats = {
        b"a": ["BOB RAY", "Ann"],
        b"b": ["bob ray", "Zoë"],
        b"c": ["Bob Rayner", "Ann"],
        b"d": ['Bob "B" Ray', "Ann"],
        b"e": ["Ann", "Tom"],
        b"f": ["Zoë", "Ann"],
    }
    async with open_store(tmp_path) as store:
        rows = [(key, key.hex(), "chat", "", "", "", orjson.dumps(people).decode()) for key, people in chats.items()]
        await store.database.write(
            lambda connection: connection.executemany("INSERT INTO conversations VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
        )
        for name, keys in (("Bob Ray", {b"a", b"b"}), ('bob "b" ray', {b"d"}), ("ZOË", {b"b", b"f"})):
            to = await store.database.read(addressed, [name], ["Ann"])
            assert {*to.direct, *to.others} == keys, name
