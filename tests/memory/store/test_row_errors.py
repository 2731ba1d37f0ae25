"""A row that memd never wrote is told of as damage; an error of any other code stays what it is."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import NoReturn

import anyio
import pytest

from memd.memory.index.tantivy_text import TantivyText
from memd.memory.indexing.indexed_store import IndexedStore, open_store
from memd.memory.retrieval.candidates import NearHits, find_candidates, find_words
from memd.memory.search_types import Filter
from memd.memory.store import documents_read, inputs
from memd.memory.store.documents_write import apply_changes
from memd.memory.store.person_stats import person_stats
from memd.memory.store.vectors import generation_of, keep_vectors
from memd.memory.write_batches import WriteBatch
from memd.schemas import Conversation
from memd.schemas.errors import StoreError
from memd.schemas.keys import document_key
from memd.tests.cases import check_all
from memd.tests.memory.store.samples import GENERATION, LINES, conversation, group, text_group, vectors_for
from memd.tests.memory.store.searches import refs, search_words, shown

CHAT = document_key("chat", "", "the chat")
TEXT = text_group("n", ["alpha one", "beta two"])
FIRST = group(conversation("a", chat=CHAT, metadata={"title": "One"}), LINES)
TALK = Conversation(id="the chat", source="chat", account="", title="The chat", people=("Ann", "Bob"))
KEYS = [chunk.key for chunk in FIRST.chunks]
DOCUMENTS = [FIRST.documents[0].key]
Use = Callable[[IndexedStore], Awaitable[object]]

DAMAGE: dict[str, tuple[str, Use]] = {
    "time of a message": (
        "UPDATE messages SET micros = 1 << 62",
        lambda b: b.database.read(documents_read.messages, DOCUMENTS),
    ),
    "offset of a message": (
        "UPDATE messages SET offset = 99999",
        lambda b: b.database.read(documents_read.messages, DOCUMENTS),
    ),
    "rest of a message": (
        "UPDATE messages SET rest = '{'",
        lambda b: b.database.read(documents_read.messages, DOCUMENTS),
    ),
    "field of a message": (
        "UPDATE messages SET rest = '{\"ghost\":1}'",
        lambda b: b.database.read(documents_read.messages, DOCUMENTS),
    ),
    "metadata": ("UPDATE documents SET metadata = '{'", lambda b: b.database.read(documents_read.documents, DOCUMENTS)),
    "time of a document": (
        "UPDATE documents SET micros = 1 << 62",
        lambda b: b.database.read(documents_read.listing, Filter(), None, 9),
    ),
    "key of a document": (
        "UPDATE documents SET key = x'00' WHERE id = 1",
        lambda b: b.database.read(documents_read.listing, Filter(), None, 9),
    ),
    "key of a chunk": (
        "UPDATE chunks SET key = x'00' WHERE id = 1",
        lambda b: b.database.read(documents_read.chunk_keys, DOCUMENTS),
    ),
    "place of a chunk": ("UPDATE chunks SET start = 'x'", lambda b: shown(b, [chunk.key for chunk in TEXT.chunks])),
    "position of a hit": ("UPDATE messages SET position = 'x'", lambda b: shown(b, KEYS)),
    "time of a hit": ("UPDATE messages SET micros = 'x'", lambda b: shown(b, KEYS, 1)),
    "kind of a hit": ("UPDATE messages SET kind = 'ghost'", lambda b: shown(b, KEYS)),
    "words of a hit": ("UPDATE messages SET content = x'00'", lambda b: shown(b, KEYS)),
    "far position of a hit": ("UPDATE messages SET position = 9223372036854775807", lambda b: shown(b, KEYS, 1)),
    "far position of a candidate": ("UPDATE messages SET position = 9223372036854775807", lambda b: refs(b, KEYS)),
    "document of a hit": ("UPDATE messages SET document = 99", lambda b: shown(b, KEYS)),
    "missing document of a hit": ("DELETE FROM documents", lambda b: shown(b, [TEXT.chunks[0].key])),
    "name of a document": ("UPDATE documents SET name = x'ff'", lambda b: shown(b, KEYS)),
    "source of a document": ("UPDATE documents SET source = x'ff'", lambda b: shown(b, KEYS)),
    "id of a message": ("UPDATE messages SET source_id = x'ff'", lambda b: shown(b, KEYS)),
    "tag of a document": ("INSERT INTO tags VALUES (1, 9, x'ff')", lambda b: shown(b, KEYS)),
    "negative tokens of a candidate": ("UPDATE chunks SET tokens = -1", lambda b: refs(b, KEYS)),
    "tokens of a candidate": ("UPDATE chunks SET tokens = 'x'", lambda b: refs(b, KEYS)),
    "time of a text": ("UPDATE documents SET micros = 'x'", lambda b: shown(b, [TEXT.chunks[0].key])),
    "people of a chat": (
        "UPDATE conversations SET people = '['",
        lambda b: b.database.read(documents_read.conversations),
    ),
    "words of an input": (
        "INSERT INTO inputs VALUES (1, 1, 'r', x'00', x'ff')",
        lambda b: b.database.read(inputs.inputs_of, DOCUMENTS),
    ),
    "documents of a run": (
        "INSERT INTO repeats VALUES (1, 'r', 0, 0, 99, x'ff')",
        lambda b: b.database.read(inputs.documents_of, "r"),
    ),
    "generation": ("UPDATE meta SET value = '{}' WHERE name = 'generation'", lambda b: b.database.read(generation_of)),
    "first message of a person": (
        "UPDATE messages SET micros = 1 << 62",
        lambda b: b.database.read(person_stats, "Ann"),
    ),
}


async def _filled(directory: Path) -> None:
    async with open_store(directory) as store:
        await store.set_generation(GENERATION)
        await store.database.write(
            apply_changes, WriteBatch(FIRST.documents, FIRST.messages, FIRST.chunks, conversations=[(CHAT, TALK)])
        )
        await store.database.write(apply_changes, TEXT)
        await store.database.write(keep_vectors, vectors_for(FIRST))
        await store.refresh_indexes()


@pytest.mark.slow
def test_a_damaged_row_is_told_of_as_damage(tmp_path: Path) -> None:
    """Whatever value of a row cannot be, whoever reads it is told that the database holds it, and what helps."""
    filled, data = tmp_path / "filled", tmp_path / "data"
    anyio.run(_filled, filled)

    async def check(name: str) -> None:
        harm, use = DAMAGE[name]
        shutil.rmtree(data, ignore_errors=True)
        shutil.copytree(filled, data)
        async with open_store(data) as store:
            with closing(sqlite3.connect(data / "memory.db", isolation_level=None)) as connection:
                connection.execute(harm)
            with pytest.raises(StoreError, match="never wrote") as caught:
                await use(store)
            assert "memd doctor" in caught.value.hint

    check_all(DAMAGE, lambda name: anyio.run(check, name))


@pytest.mark.slow
@pytest.mark.anyio
@pytest.mark.parametrize("error", [ValueError, TypeError, OverflowError, KeyError])
async def test_an_error_of_our_own_stays_what_it_is(tmp_path: Path, error: type[Exception]) -> None:
    """A mistake in ranking, which runs inside a reading of the store, is no damage and makes no index anew."""

    def promising(*_: object) -> NoReturn:
        raise error("a mistake")

    await _filled(tmp_path)
    async with open_store(tmp_path) as store:
        await store.refresh_indexes()
        index = store.words.index
        assert isinstance(index, TantivyText)
        before = index.index
        found = await find_words(store, ["lexical"], ["lamp"], None, 9)
        with pytest.raises(error, match="a mistake"):
            await find_candidates(store, found, NearHits(), ["lamp"], None, promising)
        await store.refresh_indexes()
        assert index.index is before
        assert await search_words(store, "lexical", ["lamp"], Filter(), 9)
