"""Every filter is applied inside both searches, and agrees with the list of documents."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, timedelta
from uuid import uuid4

import pytest

from memd.memory.records import (
    Rename,
)
from memd.memory.search_types import Filter
from memd.memory.store import documents_read
from memd.memory.store.documents_write import apply_changes
from memd.memory.store.person_stats import person_stats
from memd.memory.write_batches import WriteBatch
from memd.schemas import ConversationMessage
from memd.tests.memory.store.samples import (
    LINES,
    NOON,
    Opening,
    chunk_of,
    conversation,
    filled,
    group,
    keys_of,
    message_of,
    text_group,
    vector_of,
)
from memd.tests.memory.store.searches import search_vectors, search_words, shown


@pytest.mark.slow
@pytest.mark.anyio
async def test_filters_are_applied_inside_the_arms(opening: Opening) -> None:
    """A filter that one of 2,000 equal candidates passes finds it with a limit of 1."""
    many = group(conversation("many"), [("Ann", f"lamp {n}") for n in range(1999)])
    single_request = group(
        conversation("lone", "mail", tags=("rare", "also"), people=("Ann", "Carla")), [("Carla", "dim lamp here")]
    )
    async with filled(opening, many, single_request) as store:
        expected = [single_request.chunks[0].key]
        far = -vector_of(single_request.chunks[0].embed_text)
        for where in (
            Filter(speakers=("CARLA",)),
            Filter(people=("carla",)),
            Filter(sources=("mail",)),
            Filter(tags=("rare", "none")),
            Filter(scope=(("rare",), ("other", "also"))),
            Filter(speakers=("carla", "nobody"), sources=("mail",), kinds=("text",)),
        ):
            assert keys_of(await search_words(store, "wide", ["lamp"], where, 1)) == expected
            assert keys_of(await search_vectors(store, far, where, 1)) == expected


@pytest.mark.anyio
async def test_every_filter_field(opening: Opening) -> None:
    """Values of one field mean any, several fields all; both arms and the listing agree."""
    chat = group(conversation("a", tags=("x", "y")), LINES)
    call = replace(
        message_of(conversation("a"), 6, "Bob", "missed lamp call"),
        message=ConversationMessage(speaker="Bob", content="missed lamp call", time=NOON, kind="call"),
    )
    called = WriteBatch(messages=[call], chunks=[chunk_of(call)])
    dated = text_group("dated", ["lamp manual"], NOON + timedelta(days=1))
    undated = text_group("undated", ["lamp notes"])
    lamps = {
        "ann": chat.chunks[2].key,
        "bob": chat.chunks[3].key,
        "call": called.chunks[0].key,
        "dated": dated.chunks[0].key,
        "undated": undated.chunks[0].key,
    }
    cases: list[tuple[Filter, set[str]]] = [
        (Filter(), {"ann", "bob", "call", "dated", "undated"}),
        (Filter(speakers=("ann", "BOB")), {"ann", "bob", "call"}),
        (Filter(speakers=("nobody",)), set()),
        (Filter(people=("bob",)), {"ann", "bob", "call"}),
        (Filter(kinds=("text",)), {"ann", "bob", "dated", "undated"}),
        (Filter(kinds=("call", "poll")), {"call"}),
        (Filter(sources=("notes",)), {"dated", "undated"}),
        (Filter(tags=("x", "note")), {"ann", "bob", "call", "dated", "undated"}),
        (Filter(tags=("note",), until=NOON + timedelta(days=9)), {"dated"}),
        (Filter(scope=(("x",),)), {"ann", "bob", "call"}),
        (Filter(scope=(("x", "note"),), kinds=("call",)), {"call"}),
        (Filter(scope=(("x",), ("note",))), set()),
        (Filter(scope=(("x",), ("y", "z")), speakers=("bob",)), {"bob", "call"}),
        (Filter(tags=("note",), scope=(("x",),)), set()),
        (Filter(since=NOON), {"ann", "bob", "call", "dated"}),
        (Filter(since=NOON + timedelta(minutes=2), until=NOON + timedelta(minutes=3)), {"ann"}),
        (Filter(since=(NOON + timedelta(minutes=3)).astimezone(UTC), kinds=("text",)), {"bob", "dated"}),
        (Filter(speakers=("bob",), kinds=("text",)), {"bob"}),
    ]
    async with filled(opening, chat, called, dated, undated) as store:
        for where, expected in cases:
            wanted = {lamps[name] for name in expected}
            found = await search_words(store, "lexical", ["lamp"], where, 10)
            assert set(keys_of(found)) == wanted, where
            near = await search_vectors(store, vector_of("q"), where, 100)
            assert set(keys_of(near)) & set(lamps.values()) == wanted, where
            among = await search_vectors(store, vector_of("q"), where, 100, list(lamps.values()))
            assert set(keys_of(among)) == wanted, where
            listed = {line.id for line in await store.database.read(documents_read.listing, where, None, 10)}
            documents = (await shown(store, list(wanted))).documents.values()
            assert {document.id for document in documents} <= listed, where


@pytest.mark.anyio
async def test_a_renamed_person_is_found_under_all_names(opening: Opening) -> None:
    """In that chat and nowhere else, over several renames, in any spelling of case."""
    chat, other = uuid4(), uuid4()
    here = group(conversation("here", chat=chat), [("Bob", "lamp one"), ("Bobby", "lamp two"), ("Ann", "lamp three")])
    there = group(conversation("there", chat=other, people=("Ann", "Robert")), [("Robert", "lamp four")])
    renames = [Rename(chat, "chat", "Bob", "Bobby"), Rename(chat, "chat", "Bobby", "Robert")]
    async with filled(opening, here, there) as store:
        await store.database.write(apply_changes, WriteBatch(renames=renames))
        await store.database.write(apply_changes, WriteBatch(renames=renames))
        assert await store.database.read(documents_read.renames, [chat]) == renames
        assert (
            await store.database.read(documents_read.renames, [])
            == await store.database.read(documents_read.renames, [uuid4()])
            == []
        )
        await store.refresh_indexes()
        both = {here.chunks[0].key, here.chunks[1].key}
        for name, expected in (("bob", both), ("BOBBY", both), ("Robert", {*both, there.chunks[0].key})):
            found = await search_words(store, "lexical", ["lamp"], Filter(speakers=(name,)), 10)
            assert set(keys_of(found)) == expected
            near = await search_vectors(store, vector_of("q"), Filter(speakers=(name,)), 10)
            assert set(keys_of(near)) == expected
        people = await search_words(store, "lexical", ["lamp"], Filter(people=("robert",)), 10)
        assert set(keys_of(people)) == {chunk.key for chunk in [*here.chunks, *there.chunks]}


@pytest.mark.anyio
async def test_a_name_is_found_however_its_accents_are_composed(opening: Opening) -> None:
    """As a speaker and among people, also by a rename."""
    chat = uuid4()
    composed, apart = "Zo\u00eb \u00c5", "Zoe\u0308 A\u030a"
    one = group(conversation("one", people=("Ann", apart)), [(apart, "lamp one")])
    two = group(conversation("two", people=("Ann", composed)), [(composed, "lamp two")])
    three = group(conversation("three", chat=chat, people=("Ann", "Zed")), [("Zed", "lamp three")])
    async with filled(opening, one, two, three) as store:
        await store.database.write(apply_changes, WriteBatch(renames=[Rename(chat, "chat", apart, "Zed")]))
        await store.refresh_indexes()
        everything = {each.chunks[0].key for each in (one, two, three)}
        for name in (composed, apart, composed.upper(), apart.lower(), "Zoe\u0308 \u00c5"):
            for where in (Filter(speakers=(name,)), Filter(people=(name,))):
                found = await search_words(store, "lexical", ["lamp"], where, 10)
                assert set(keys_of(found)) == everything, where
                near = await search_vectors(store, vector_of("q"), where, 10)
                assert set(keys_of(near)) == everything, where
                assert len(await store.database.read(documents_read.listing, where, None, 10)) == 3, where
            known = await store.database.read(person_stats, name)
            assert known is not None
            assert set(known.names) == {composed, apart, "Zed"}


@pytest.mark.anyio
async def test_a_documents_new_tags_and_people_are_found(opening: Opening) -> None:
    """Filters see what a later group changed about a document."""
    changes = group(conversation("a"), LINES)
    async with filled(opening, changes) as store:
        where = Filter(tags=("new",), people=("carla",))
        assert await search_words(store, "lexical", ["lamp"], where, 10) == []
        await store.database.write(
            apply_changes, WriteBatch(documents=[conversation("a", tags=("new",), people=("Ann", "Bob", "Carla"))])
        )
        await store.refresh_indexes()
        assert len(await search_words(store, "lexical", ["lamp"], where, 10)) == 2
        assert len(await search_vectors(store, vector_of("q"), where, 10)) == 6
