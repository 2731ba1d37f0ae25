"""An export: every document once, in its order, whole, also while others come and go; and the same store elsewhere."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import anyio
import pytest

from memd.memory.embedding.bundled import BundledEmbedder
from memd.memory.export import exported_documents
from memd.memory.indexing.indexed_store import IndexedStore, open_store
from memd.memory.memory import EvolvingMemory
from memd.memory.merge.plan import chat_key, key_of
from memd.memory.records import ExportCursor
from memd.memory.search_types import Filter
from memd.memory.store import documents_read
from memd.memory.store.export import exported
from memd.memory.write_batches import Removal
from memd.schemas import ConversationDocument, Document, TextDocument
from memd.tests.daemon.house import note, talk

pytestmark = pytest.mark.anyio
EVERYTHING = Filter()


def chat_day(number: int, speaker: str, *contents: str, source: str = "whatsapp") -> ConversationDocument:
    """A day of one chat."""
    day = datetime(2024, 1, number, 12, tzinfo=UTC)
    messages = tuple(
        {"speaker": speaker, "content": content, "time": day + timedelta(minutes=minute), "zone_origin": "assumed"}
        for minute, content in enumerate(contents)
    )
    conversation = {"source": source, "people": (speaker, "Ann"), "user": "Ann", "conversation": messages}
    return ConversationDocument.model_validate(
        {"id": f"{source}:Chat:2024-01-{number:02}", "conversation": conversation, "metadata": {"chat": "Chat"}}
    )


async def in_pieces(store: IndexedStore, where: Filter = EVERYTHING, limit: int = 1) -> list[tuple[str, str]]:
    """Source and id of every document, asked for in pieces of so many messages."""
    found: list[tuple[str, str]] = []
    after: ExportCursor | None = None
    while rows := await store.database.read(exported, where, after, limit):
        found += [(row.document.source, row.document.id) for row in rows]
        after = ExportCursor(rows[-1].document.source, rows[-1].document.id, rows[-1].document.key)
    return found


async def all_of(memory: EvolvingMemory) -> list[Document]:
    """The export."""
    return [document async for group in exported_documents(memory.database, EVERYTHING) for document in group]


async def test_every_document_once_in_one_order_however_it_is_asked_for(tmp_path: Path) -> None:
    """By source, id and account; pieces of any size give the same."""
    twins = [TextDocument(id="twin", content=name, metadata={"source": "z", "account": name}) for name in "abc"]
    sourceless = TextDocument(id="none", content="of no source")
    days = [chat_day(number, "Bob", "hi", "ok") for number in (3, 1, 2)]
    documents = [talk("b", 3), *days, *twins, note("n", "a text"), talk("a", 3), sourceless]
    async with open_store(tmp_path) as store:
        memory = EvolvingMemory(store, None, BundledEmbedder())
        await memory.start()
        await memory.store(documents)
        expected = sorted((document.source, document.id) for document in documents)
        for limit in (1, 2, 5, 1000):
            assert await in_pieces(store, limit=limit) == expected
        assert await in_pieces(store, Filter(sources=("whatsapp",))) == expected[-6:-3]
        since = Filter(since=datetime(2024, 1, 2, tzinfo=UTC), until=datetime(2024, 1, 3, tzinfo=UTC))
        assert await in_pieces(store, since) == [("whatsapp", "whatsapp:Chat:2024-01-02")]
        among = {key_of(days[0]), UUID(int=0)}
        assert [row.document.id for row in await store.database.read(exported, EVERYTHING, None, 9, among)] == [
            days[0].id
        ]
        assert await store.database.read(exported, EVERYTHING, None, 9, set()) == []


async def test_what_goes_meanwhile_does_not_end_the_export(tmp_path: Path) -> None:
    """The place behind a document stays a place when the document is forgotten."""
    async with open_store(tmp_path) as store:
        memory = EvolvingMemory(store, None, BundledEmbedder())
        await memory.start()
        await memory.store([talk("a", 2), talk("b", 2), talk("c", 2)])
        (first,) = await store.database.read(exported, EVERYTHING, None, 1)
        await store.forget(Removal(documents=[first.document.key]))
        rest = await store.database.read(
            exported, EVERYTHING, ExportCursor("tests", first.document.id, first.document.key), 1000
        )
        assert [row.document.id for row in rest] == ["talk:b", "talk:c"]


@pytest.mark.slow
async def test_documents_that_grow_meanwhile_are_whole(tmp_path: Path) -> None:
    """A newcomer's words and their name among the people come together or not at all."""
    async with open_store(tmp_path) as store, anyio.create_task_group() as tasks:
        memory = EvolvingMemory(store, None, BundledEmbedder())
        await memory.start()
        await memory.store([chat_day(1, "Bob", "hi")])

        async def grow() -> None:
            for number in range(30):
                await memory.store([chat_day(1, f"Newcomer {number}", *(["hi"] * (number + 2)))])

        tasks.start_soon(grow)
        for _ in range(30):
            (document,) = await all_of(memory)
            conversation = document.as_conversation()
            assert conversation is not None
            assert {message.speaker for message in conversation.messages} <= set(conversation.conversation.people)


@pytest.mark.slow
async def test_who_was_renamed_is_found_in_the_import_too(tmp_path: Path) -> None:
    """Both names find both days, as in the first store; exports of both are equal."""
    async with open_store(tmp_path / "a") as one, open_store(tmp_path / "b") as other:
        first, second = (EvolvingMemory(each, None, BundledEmbedder()) for each in (one, other))
        for memory in (first, second):
            await memory.start()
        await first.store([chat_day(1, "Bobby", "hi", "the boat"), chat_day(2, "Bobby", "again", "and on")])
        await first.store([chat_day(2, "Bob Smith", "again", "and on")])
        chat = chat_key("whatsapp", "", "Chat")
        assert [(each.old, each.new) for each in await one.database.read(documents_read.renames, [chat])] == [
            ("Bobby", "Bob Smith")
        ]
        exported = await all_of(first)
        await second.store(exported)
        assert await other.database.read(documents_read.renames, [chat]) == await one.database.read(
            documents_read.renames, [chat]
        )
        assert [document.to_json() for document in await all_of(second)] == [each.to_json() for each in exported]
        keys = {key_of(each) for document in exported if (each := document.as_conversation())}
        assert await other.database.read(documents_read.messages, keys) == await one.database.read(
            documents_read.messages, keys
        )
        assert await other.database.read(documents_read.conversations) == await one.database.read(
            documents_read.conversations
        )
        for name in ("Bobby", "Bob Smith"):
            where = Filter(speakers=(name,))
            assert len(await in_pieces(other, where)) == len(await in_pieces(one, where)) == 2
