"""Finding by id and listing by time."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from memd.memory.records import (
    DocumentLine,
    Rename,
)
from memd.memory.search_types import Filter
from memd.memory.store import documents_read
from memd.memory.store.documents_write import apply_changes
from memd.memory.store.vectors import generation_of
from memd.memory.write_batches import WriteBatch
from memd.schemas import Conversation
from memd.tests.memory.store.samples import (
    GENERATION,
    LINES,
    NOON,
    Opening,
    conversation,
    filled,
    group,
    keys_of,
    message_of,
    text_group,
    vector_of,
)
from memd.tests.memory.store.searches import search_vectors, search_words


@pytest.mark.anyio
async def test_find_knows_every_id(opening: Opening) -> None:
    """A key, a source's own id and a document's id each find what carries them."""
    first, second = group(conversation("a"), LINES), group(conversation("b"), LINES)
    async with filled(opening, first, second) as store:
        assert await store.database.read(documents_read.find, "m3") == [first.messages[3], second.messages[3]]
        assert await store.database.read(documents_read.find, str(first.messages[2].key)) == [first.messages[2]]
        assert await store.database.read(documents_read.find, "b") == [second.documents[0]]
        assert await store.database.read(documents_read.find, str(first.documents[0].key)) == [first.documents[0]]
        assert await store.database.read(documents_read.find, "' OR 1=1 --") == []


@pytest.mark.anyio
async def test_keys_are_found_by_how_they_begin(opening: Opening) -> None:
    """Of messages and documents, with all of them that begin so, up to the limit of each."""
    first = group(conversation("a"), LINES)
    keys = [message.key for message in first.messages]
    async with filled(opening, first) as store:
        assert await store.database.read(documents_read.keys_beginning, keys[0].hex[:31], 5) == [
            key for key in keys if key.hex[:31] == keys[0].hex[:31]
        ]
        assert first.documents[0].key in await store.database.read(
            documents_read.keys_beginning, first.documents[0].key.hex[:8], 5
        )
        assert len(await store.database.read(documents_read.keys_beginning, "", 2)) == 3
        assert await store.database.read(documents_read.keys_beginning, "ffffffff", 5) == []


@pytest.mark.anyio
async def test_a_listing_has_pages(opening: Opening) -> None:
    """Page by page every document comes once, the newest first, equal times and undated ones included."""
    times = [NOON + timedelta(days=n // 2) for n in range(9)]
    dated = [group(conversation(f"d{n}", timestamp=time), LINES[:2]) for n, time in enumerate(times)]
    undated = [text_group(f"u{n}", ["some text"]) for n in range(3)]
    async with filled(opening, *dated, *undated) as store:
        seen: list[DocumentLine] = []
        after: UUID | None = None
        while page := await store.database.read(documents_read.listing, Filter(), after, 4):
            assert len(page) <= 4
            seen += page
            after = page[-1].key
        assert len({line.key for line in seen}) == len(seen) == 12
        stamps = [line.timestamp for line in seen]
        assert stamps[9:] == [None] * 3
        known = [stamp for stamp in stamps if stamp is not None]
        assert known == sorted(known, reverse=True)
        assert {line.messages for line in seen[:9]} == {2}
        only = await store.database.read(documents_read.listing, Filter(sources=("notes",)), None, 10)
        assert {line.id for line in only} == {"u0", "u1", "u2"}


@pytest.mark.anyio
async def test_names_and_chats(opening: Opening) -> None:
    """Reserved speakers are nobody; a chat's people add up, and an empty title replaces none."""
    changes = group(conversation("a"), [*LINES, ("(system)", "Bob left"), ("(me)", "hm")])
    key = uuid4()
    chat = Conversation(id="c", source="chat", title="Trip", people=("Ann",))
    async with filled(opening, changes) as store:
        assert await store.database.read(documents_read.names) == {"Ann": 3, "Bob": 3}
        renamed = message_of(changes.documents[0], 0, "Anna", LINES[0][1])
        await store.database.write(apply_changes, WriteBatch(messages=[renamed], conversations=[(key, chat)]))
        assert await store.database.read(documents_read.names) == {"Bob": 3, "Ann": 2, "Anna": 1}
        later = Conversation(id="c", source="chat", people=("Bob", "Ann"))
        await store.database.write(apply_changes, WriteBatch(conversations=[(key, later)]))
        assert await store.database.read(documents_read.conversations) == [(key, replace_people(chat, ("Ann", "Bob")))]
        quiet = group(conversation("b", people=("Zoë", "Carl")), [("Carl", "hm")])
        await store.database.write(apply_changes, replace(quiet, renames=[Rename(key, "chat", "Karl", "Carl")]))
        assert {"ann", "anna", "bob", "zoë", "carl", "karl"} <= await store.database.read(documents_read.mentioned)


@pytest.mark.anyio
async def test_statistics_count_the_store(opening: Opening) -> None:
    """Counts, sizes, and no lag after settling."""
    changes = group(conversation("a"), LINES)
    async with filled(opening, changes, text_group("n", ["x one", "y two"])) as store:
        stats = await store.stats()
        assert (stats.documents, stats.messages, stats.chunks, stats.people) == (2, 6, 8, 2)
        assert (stats.vectors_done, stats.vectors_pending, stats.facts) == (8, 0, 0)
        assert set(stats.bytes_by_part) == {"database", "words", "vectors"}
        assert set(stats.lag.values()) == {0}


@pytest.mark.anyio
async def test_everything_survives_reopening(opening: Opening) -> None:
    """What was applied is found after closing and opening, by words and by vectors."""
    changes = group(conversation("a"), LINES)
    async with filled(opening, changes):
        pass
    async with opening() as store:
        await store.refresh_indexes()
        assert await store.database.read(generation_of) == GENERATION
        assert len(await search_words(store, "lexical", ["lamp"], Filter(), 10)) == 2
        asked = vector_of(changes.chunks[4].embed_text)
        assert keys_of(await search_vectors(store, asked, Filter(), 1)) == [changes.chunks[4].key]


def replace_people(chat: Conversation, people: tuple[str, ...]) -> Conversation:
    """The chat with other people."""
    return chat.model_copy(update={"people": people})
