"""Forgetting for good, cutting anew, checking."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from uuid import UUID

import pytest

from memd.memory.records import CheckResult, Generation, Rename, StoredDocument
from memd.memory.search_types import Filter
from memd.memory.store import documents_read, forget_rows
from memd.memory.store.vectors import drop_others, keep_vectors, pending_texts
from memd.memory.text import analyzer
from memd.memory.write_batches import Removal, WriteBatch
from memd.schemas import Conversation
from memd.schemas.keys import document_key, text_tombstone_key
from memd.tests.memory.store.samples import (
    GENERATION,
    LINES,
    Opening,
    chunk_of,
    conversation,
    filled,
    group,
    keys_of,
    text_group,
    vector_of,
)
from memd.tests.memory.store.searches import search_vectors, search_words

CHAT = document_key("chat", "", "the chat")


def sound(found: list[CheckResult]) -> bool:
    """Whether nothing was found wrong."""
    return bool(found) and all(each.severity != "error" for each in found)


@pytest.mark.anyio
async def test_a_forgotten_message_is_nowhere(opening: Opening) -> None:
    """Not read, not found by words, by vectors or beside its neighbours; the rest closes the gap."""
    changes = group(conversation("a"), LINES)
    gone, left = changes.messages[2], [*changes.messages[:2], *changes.messages[3:]]
    removal = Removal(
        messages=[gone.key],
        tombstones={gone.document: [gone.key]},
        changes=WriteBatch(moved={each.key: place for place, each in enumerate(left)}),
    )
    async with filled(opening, changes) as store:
        await store.forget(removal)
        stored = (await store.database.read(documents_read.messages, [gone.document]))[gone.document]
        assert [each.key for each in stored] == [each.key for each in left]
        assert [each.position for each in stored] == list(range(5))
        for arm in ("lexical", "near", "wide"):
            assert await search_words(store, arm, analyzer.terms("cabin"), Filter(), 10) == []
        near = await search_vectors(store, vector_of(chunk_of(gone).embed_text), Filter(), 10)
        assert chunk_of(gone).key not in keys_of(near)
        assert await store.database.read(documents_read.find, str(gone.key)) == []
        assert await store.database.read(forget_rows.tombstones, [gone.document]) == {
            gone.document: frozenset([gone.key])
        }
        assert (await store.database.read(documents_read.names)) == {"Ann": 2, "Bob": 3}
        await store.purge()
        assert sound(await store.check())
    async with opening() as store:
        await store.refresh_indexes()
        assert await search_words(store, "wide", analyzer.terms("cabin"), Filter(), 10) == []
        assert await store.database.read(forget_rows.tombstones, [gone.document]) == {
            gone.document: frozenset([gone.key])
        }
        assert sound(await store.check())


@pytest.mark.anyio
async def test_a_forgotten_document_takes_its_chat_and_names_along(opening: Opening) -> None:
    """With the last document of a chat goes the chat; with the last message of a name goes the name."""
    chat = Conversation(id="the chat", source="chat", account="", title="The chat", people=("Ann", "Cem"))
    day = group(conversation("a", chat=CHAT, people=("Ann", "Cem")), [("Ann", "one"), ("Cem", "two")])
    day = replace(day, conversations=[(CHAT, chat)], renames=[Rename(CHAT, "chat", "Dee", "Cem")])
    other = group(conversation("b"), LINES)
    async with filled(opening, day, other) as store:
        await store.forget(Removal(documents=[day.documents[0].key]))
        assert await store.database.read(documents_read.conversations) == []
        assert await store.database.read(documents_read.renames, [CHAT]) == []
        assert set(await store.database.read(documents_read.names)) == {"Ann", "Bob"}
        stats = await store.stats()
        assert (stats.documents, stats.messages, stats.chunks, stats.vectors_done) == (1, 6, 6, 6)
        assert await store.database.read(documents_read.unchanged, {day.documents[0].key: b"x" * 32}) == set()
        assert sound(await store.check())


@pytest.mark.anyio
async def test_a_chat_knows_only_people_of_the_days_it_has(opening: Opening) -> None:
    """Who was there on the forgotten day only, is not among the chat's people any more."""
    chat = Conversation(id="the chat", source="chat", account="", title="The chat", people=("Ann", "Bob", "Cem"))
    first = group(conversation("a", chat=CHAT), LINES)
    second = group(conversation("b", chat=CHAT, people=("Ann", "Cem")), [("Cem", "hello")])
    async with filled(opening, replace(first, conversations=[(CHAT, chat)]), second) as store:
        await store.forget(Removal(documents=[second.documents[0].key]))
        assert [known.people for _, known in await store.database.read(documents_read.conversations)] == [
            ("Ann", "Bob")
        ]


@pytest.mark.anyio
async def test_a_text_that_two_chunks_share_keeps_its_vector(opening: Opening) -> None:
    """Forgetting one of two equal texts leaves the other found, and with its vector."""
    one, two = group(conversation("a"), [("Ann", "same words")]), group(conversation("b"), [("Ann", "same words")])
    async with filled(opening, one, two) as store:
        await store.forget(Removal(documents=[one.documents[0].key]))
        found = await search_vectors(store, vector_of(chunk_of(two.messages[0]).embed_text), Filter(), 10)
        assert keys_of(found) == [two.chunks[0].key]
        assert (await store.stats()).vectors_done == 1
        await store.forget(Removal(documents=[two.documents[0].key]))
        assert (await store.stats()).vectors_done == 0
        assert await store.database.read(pending_texts, 10) == []


@pytest.mark.anyio
async def test_a_forgotten_text_goes_with_its_pieces(opening: Opening) -> None:
    """A text document: its content, pieces and tags."""
    changes = text_group("n", ["the kayak is blue", "the lamp is red"])
    async with filled(opening, changes) as store:
        key = changes.documents[0].key
        await store.forget(Removal(documents=[key], tombstones={key: [key]}))
        assert await store.database.read(documents_read.documents, [key]) == {}
        assert await search_words(store, "lexical", analyzer.terms("kayak"), Filter(tags=("note",)), 10) == []
        assert await store.database.read(documents_read.listing, Filter(), None, 10) == []
        assert await store.database.read(forget_rows.tombstones, [key]) == {key: frozenset([key])}


@pytest.mark.anyio
async def test_a_tombstone_is_found_and_lifted_by_itself(opening: Opening) -> None:
    """Without the document it belongs to, which another source of the same text does not know."""
    key, mark = document_key("notes", "", "vault/a"), text_tombstone_key("notes", "", "vault/a", "the kayak is blue")
    async with filled(opening, text_group("n", ["the lamp is red"])) as store:
        await store.forget(Removal(tombstones={key: [key, mark]}))
        assert await store.database.read(forget_rows.tombstones, [mark]) == {mark: frozenset([mark])}
        assert await store.database.read(forget_rows.tombstones, [key, mark]) == {
            key: frozenset([key, mark]),
            mark: frozenset([mark]),
        }
        assert await store.database.write(forget_rows.allow_reingest, [mark]) == 1
        assert await store.database.read(forget_rows.tombstones, [key, mark]) == {key: frozenset([key])}
        await store.forget(Removal(tombstones={key: [key, mark]}))
        assert await store.database.write(forget_rows.allow_reingest, [key, mark]) == 2
        assert await store.database.read(forget_rows.tombstones, [key, mark]) == {}


@pytest.mark.anyio
async def test_forgetting_what_is_not_there_changes_nothing(opening: Opening) -> None:
    """Unknown keys are no error; repeating a removal neither."""
    changes = group(conversation("a"), LINES)
    removal = Removal(messages=[changes.messages[0].key], documents=[document_key("x", "", "y")])
    async with filled(opening, changes) as store:
        await store.forget(removal)
        await store.forget(removal)
        await store.purge()
        await store.purge()
        assert (await store.stats()).messages == 5


@pytest.mark.anyio
async def test_lifted_tombstones_are_gone(opening: Opening) -> None:
    """And the same input counts as new, for it was known with what had been forgotten."""
    changes = group(conversation("a", digests=frozenset([b"d" * 32])), LINES)
    key = changes.documents[0].key
    async with filled(opening, changes) as store:
        assert await store.database.write(forget_rows.allow_reingest, [key]) == 0
        assert await store.database.read(documents_read.unchanged, {key: b"d" * 32}) == {key}
        gone = changes.messages[5].key
        await store.forget(Removal(messages=[gone], tombstones={key: [gone]}))
        assert await store.database.read(documents_read.unchanged, {key: b"d" * 32}) == {key}
        assert await store.database.write(forget_rows.allow_reingest, [key, document_key("x", "", "y")]) == 1
        assert await store.database.read(forget_rows.tombstones, [key]) == {}
        assert await store.database.read(documents_read.unchanged, {key: b"d" * 32}) == set()


@pytest.mark.anyio
async def test_outdated_documents_are_those_cut_in_another_way(opening: Opening) -> None:
    """By the version of their chunks, in the order they came."""
    one, two = group(conversation("a"), LINES), group(conversation("b"), LINES[:2])
    fresh = [replace(chunk, version="message-2") for chunk in two.chunks]
    async with filled(opening, one, replace(two, chunks=fresh)) as store:
        keys = [one.documents[0].key, two.documents[0].key]
        versions = dict(zip(keys, ("message-1", "message-2"), strict=True))

        async def outdated(version_of: Callable[[StoredDocument], str]) -> list[UUID]:
            return await store.database.read(documents_read.outdated, version_of)

        assert await outdated(lambda _: "message-2") == keys[:1]
        assert await outdated(lambda row: versions[row.key]) == []
        assert await outdated(lambda _: "none") == keys
        by_document = await store.database.read(documents_read.chunk_keys, [two.documents[0].key])
        assert by_document == {two.documents[0].key: {chunk.key for chunk in fresh}}


@pytest.mark.anyio
async def test_pruning_drops_what_other_models_made(opening: Opening) -> None:
    """The vectors of the present model stay."""
    changes = group(conversation("a"), LINES)
    async with filled(opening, changes) as store:
        assert await store.database.write(drop_others) == 0
        await store.set_generation(Generation("other", 8, ("message-1",)))
        assert len(await store.database.read(pending_texts, 10)) == 6
        await store.database.write(
            keep_vectors, {text.hash: vector_of(text.text, 8) for text in await store.database.read(pending_texts, 3)}
        )
        assert await store.database.write(drop_others) == 6
        assert len(await store.database.read(pending_texts, 10)) == 3
        stats = await store.stats()
        assert stats.vectors_done == 3
        await store.set_generation(GENERATION)
        assert len(await store.database.read(pending_texts, 10)) == 6


@pytest.mark.anyio
async def test_a_sound_store_is_found_sound_and_repairing_it_changes_no_answer(opening: Opening) -> None:
    """Also an empty one."""
    changes = group(conversation("a"), LINES)
    async with opening() as store:
        assert sound(await store.check())
    async with filled(opening, changes) as store:
        assert sound(await store.check())
        before = await search_words(store, "wide", analyzer.terms("lamp"), Filter(), 10)
        await store.repair()
        assert sound(await store.check())
        assert await search_words(store, "wide", analyzer.terms("lamp"), Filter(), 10) == before
        assert len(await search_vectors(store, vector_of("x"), Filter(), 10)) == 6
