"""What is written is read back as it was: documents, messages, chunks, chats and names."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone
from uuid import uuid4

import anyio
import pytest

from memd.memory.search_types import Filter
from memd.memory.store import documents_read
from memd.memory.store.documents_write import apply_changes
from memd.memory.store.hit_rows import HitMessage
from memd.memory.store.vectors import generation_of, keep_vectors, pending_texts
from memd.memory.text import analyzer
from memd.memory.write_batches import WriteBatch
from memd.schemas import Attachment, ConversationMessage, Edit, Reaction
from memd.schemas.errors import StoreError
from memd.schemas.keys import document_key
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
    vector_of,
    vectors_for,
)
from memd.tests.memory.store.searches import chunks_of, refs, search_vectors, search_words, shown


@pytest.mark.anyio
async def test_an_empty_store_answers(opening: Opening) -> None:
    """Every read of a new store is empty, and none fails."""
    async with opening() as store:
        await store.refresh_indexes()
        nobody = [uuid4()]
        assert await store.database.read(generation_of) is None
        assert await search_words(store, "lexical", ["lamp"], Filter(), 10) == []
        assert await search_words(store, "lexical", [], Filter(), 10) == []
        assert await search_vectors(store, vector_of("x"), Filter(), 10) == []
        assert await store.database.read(documents_read.documents, nobody) == {}
        assert await store.database.read(documents_read.messages, nobody) == {}
        assert await refs(store, nobody) == {}
        assert await store.database.read(documents_read.find, "nothing") == []
        assert await store.database.read(documents_read.listing, Filter(), None, 10) == []
        assert await store.database.read(documents_read.names) == {}
        assert await store.database.read(documents_read.mentioned) == set()
        assert await store.database.read(documents_read.conversations) == []
        assert await store.database.read(pending_texts, 10) == []
        await store.database.write(apply_changes, WriteBatch())
        stats = await store.stats()
        assert (stats.documents, stats.messages, stats.chunks, stats.vectors_pending) == (0, 0, 0, 0)


@pytest.mark.anyio
async def test_rows_come_back_as_they_were(opening: Opening) -> None:
    """Documents, messages with all that they may carry, and chunks are equal to what was given, also after reopening."""
    document = conversation(
        "full",
        tags=("b", "a"),
        metadata={"title": "T", "x": "\u2028 \U0001f6f6"},
        digests=frozenset({b"d" * 32}),
        chat=document_key("chat", "", "whole"),
        people=("Ann", "Bob", "Ängström"),
    )
    plain = message_of(document, 0, "Ann", "  spaces \n kept\u0301 ")
    rich = replace(
        message_of(document, 1, "Ängström", "[photo]"),
        message=ConversationMessage(
            speaker="Ängström",
            content="[photo]",
            time=datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=timezone(timedelta(hours=-9, minutes=-30))),
            kind="media",
            reply_to="m0",
            edited=True,
            edits=(Edit(content="old", time=NOON),),
            attachments=(Attachment(name="a.jpg", size=0),),
            reactions=(Reaction(emoji="\U0001f44d", people=("Bob",)),),
            time_precision="minute",
            metadata={"k": "v"},
        ),
    )
    changes = WriteBatch(documents=[document], messages=[plain, rich], chunks=[chunk_of(plain), chunk_of(rich)])
    for first in (True, False):
        async with opening() as store:
            if first:
                await store.database.write(apply_changes, changes)
            assert await store.database.read(documents_read.documents, [document.key, uuid4()]) == {
                document.key: document
            }
            assert await store.database.read(documents_read.messages, [document.key]) == {document.key: [plain, rich]}
            assert await chunks_of(store, [chunk_of(rich).key]) == {chunk_of(rich).key: chunk_of(rich)}
            rows = await shown(store, [chunk_of(rich).key])
            (hit,), (described,) = rows.found.values(), rows.documents.values()
            assert isinstance(hit, HitMessage)
            assert (hit.key, hit.kind) == (rich.key, rich.message.kind)
            assert hit.line == (rich.key, rich.message.speaker, "[photo]", rich.message.time, rich.message.id)
            assert (described.id, described.tags) == ("full", document.tags)


@pytest.mark.anyio
async def test_a_group_may_be_repeated(opening: Opening) -> None:
    """Applying an equal group again changes nothing: no counts, no sequence, no names."""
    changes = group(conversation("a"), LINES)
    async with filled(opening, changes) as store:
        before, names = await store.stats(), await store.database.read(documents_read.names)
        await store.database.write(apply_changes, changes)
        await store.database.write(keep_vectors, vectors_for(changes))
        await store.refresh_indexes()
        after = await store.stats()
        assert (after.sequence, after.messages, after.chunks) == (before.sequence, 6, 6)
        assert await store.database.read(documents_read.names) == names == {"Ann": 3, "Bob": 3}


@pytest.mark.anyio
async def test_a_group_is_applied_whole_or_not_at_all(opening: Opening) -> None:
    """A group with a message of an unknown document is refused and leaves nothing."""
    good, homeless = group(conversation("a"), LINES), group(conversation("b"), LINES)
    async with opening() as store:
        with pytest.raises(StoreError):
            await store.database.write(apply_changes, replace(good, messages=[*good.messages, *homeless.messages]))
        assert (await store.stats()).documents == 0
        assert await store.database.read(pending_texts, 10) == []
        await store.database.write(apply_changes, good)
        assert (await store.stats()).messages == len(LINES)


@pytest.mark.anyio
async def test_a_cancelled_group_is_whole_or_nothing(opening: Opening) -> None:
    """Wherever the cancellation falls, all or none of a group is there, and the store works on."""
    async with opening() as store:
        for n in range(12):
            document = conversation(f"c{n}")
            with anyio.move_on_after(0.0003 * n):
                await store.database.write(apply_changes, group(document, LINES * 10))
            found = await store.database.read(documents_read.messages, [document.key])
            assert len(found.get(document.key, [])) in (0, len(LINES) * 10)
        await store.refresh_indexes()


@pytest.mark.anyio
async def test_digests_add_up(opening: Opening) -> None:
    """An input is unchanged when its digest is among all that were ever merged into that document."""
    one, two = conversation("a", digests=frozenset({b"1" * 32})), conversation("a", digests=frozenset({b"2" * 32}))
    async with filled(opening, group(one, LINES[:1]), group(two, LINES[:1])) as store:
        other = conversation("b").key
        assert await store.database.read(documents_read.unchanged, {one.key: b"1" * 32, other: b"1" * 32}) == {one.key}
        assert await store.database.read(documents_read.unchanged, {one.key: b"2" * 32}) == {one.key}
        assert await store.database.read(documents_read.unchanged, {one.key: b"3" * 32}) == set()
        assert (await store.database.read(documents_read.documents, [one.key]))[one.key].digests == {
            b"1" * 32,
            b"2" * 32,
        }


@pytest.mark.anyio
@pytest.mark.slow
async def test_moves_keep_everything_else(opening: Opening) -> None:
    """A message inserted in the middle moves the later ones, and the words of their neighbourhoods follow."""
    document = conversation("a")
    changes = group(document, LINES)
    new = message_of(document, 1, "Bob", "remember the zebra", identifier="late")
    moved = {message.key: message.position + 1 for message in changes.messages[1:]}
    async with filled(opening, changes) as store:
        await store.database.write(apply_changes, WriteBatch(messages=[new], chunks=[chunk_of(new)], moved=moved))
        await store.refresh_indexes()
        stored = (await store.database.read(documents_read.messages, [document.key]))[document.key]
        assert [message.position for message in stored] == list(range(7))
        assert stored[1] == new
        wide = await search_words(store, "wide", ["zebra"], Filter(), 10)
        expected = {chunk_of(message).key for message in stored[0:5]}
        assert set(keys_of(wide)) == expected
        near = await search_words(store, "near", ["zebra"], Filter(), 10)
        assert set(keys_of(near)) == {chunk_of(message).key for message in stored[1:3]}


@pytest.mark.anyio
async def test_an_edit_replaces_its_chunk(opening: Opening) -> None:
    """After an edit the old words are found nowhere, not in the neighbourhood either, and the new ones are."""
    document = conversation("a")
    changes = group(document, LINES)
    old = changes.chunks[1]
    edited = message_of(document, 1, "Bob", "bring the yellow canoe", identifier="m1")
    async with filled(opening, changes) as store:
        edit = WriteBatch(messages=[edited], chunks=[chunk_of(edited)], dropped_chunks=[old.key])
        await store.database.write(apply_changes, edit)
        await store.refresh_indexes()
        for arm in ("lexical", "near", "wide"):
            assert await search_words(store, arm, analyzer.terms("kayak"), Filter(), 10) == []
        found = await search_words(store, "lexical", analyzer.terms("canoe"), Filter(), 10)
        assert keys_of(found) == [chunk_of(edited).key]
        assert await refs(store, [old.key]) == {}
        nearest = await search_vectors(store, vector_of(old.embed_text), Filter(), 10)
        assert old.key not in keys_of(nearest)
        await store.database.write(keep_vectors, vectors_for(edit))
        await store.refresh_indexes()
        nearest = await search_vectors(store, vector_of(edit.chunks[0].embed_text), Filter(), 1)
        assert keys_of(nearest) == [chunk_of(edited).key]
