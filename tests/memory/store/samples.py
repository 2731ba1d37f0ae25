"""Documents, chunks and vectors that tests of the store write, and a store that holds some."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from uuid import UUID

import numpy as np

from memd.memory.indexing.indexed_store import IndexedStore
from memd.memory.records import (
    Generation,
    StoredChunk,
    StoredDocument,
    StoredMessage,
)
from memd.memory.search_types import Vector
from memd.memory.store.documents_write import apply_changes
from memd.memory.store.vectors import keep_vectors
from memd.memory.write_batches import WriteBatch
from memd.schemas import ConversationMessage
from memd.schemas.keys import chunk_key, document_key, message_key, text_hash
from memd.tests.memory.store.searches import Scored

Opening = Callable[[], AbstractAsyncContextManager[IndexedStore]]

NOON = datetime(2024, 1, 15, 12, 0, tzinfo=timezone(timedelta(hours=1)))
GENERATION = Generation("test", 16, ("message-1",))


def message_of(
    document: StoredDocument, position: int, speaker: str, content: str, *, identifier: str | None = None
) -> StoredMessage:
    """A message a minute after the one before it, named by its first position unless ``identifier`` says otherwise."""
    name = identifier or f"m{position}"
    message = ConversationMessage(speaker=speaker, content=content, time=NOON + timedelta(minutes=position), id=name)
    return StoredMessage(message_key(document.source, "", document.id, name), document.key, position, message)


def chunk_of(message: StoredMessage) -> StoredChunk:
    """The one chunk of a message."""
    content = message.message.content
    return StoredChunk(
        key=chunk_key(message.key, "message", "message-1", 0, len(content), content),
        document=message.document,
        message=message.key,
        index=0,
        start=0,
        end=len(content),
        token_count=len(content.split()),
        strategy="message",
        version="message-1",
        section="",
        embed_text=f"{message.message.speaker}: {content}",
    )


def conversation(name: str, source: str = "chat", **fields: object) -> StoredDocument:
    """A conversation document between Ann and Bob."""
    plain = StoredDocument(
        document_key(source, "", name), name, source, "", "conversation", "Ann", ("Ann", "Bob"), timestamp=NOON
    )
    return replace(plain, **fields)  # type: ignore[arg-type]


def group(document: StoredDocument, lines: Iterable[tuple[str, str]], first: int = 0) -> WriteBatch:
    """A document with one chunk a message."""
    messages = [message_of(document, first + n, speaker, text) for n, (speaker, text) in enumerate(lines)]
    return WriteBatch(documents=[document], messages=messages, chunks=[chunk_of(message) for message in messages])


def text_group(name: str, pieces: Sequence[str], timestamp: datetime | None = None) -> WriteBatch:
    """A text document, one chunk a piece."""
    content = "\n".join(pieces)
    key = document_key("notes", "", name)
    document = StoredDocument(key, name, "notes", "", "text", tags=("note",), timestamp=timestamp, content=content)
    chunks: list[StoredChunk] = []
    start = 0
    for index, piece in enumerate(pieces):
        end = start + len(piece)
        made = chunk_key(key, "recursive", "recursive-1", start, end, piece)
        chunks.append(StoredChunk(made, key, None, index, start, end, 3, "recursive", "recursive-1", "", piece))
        start = end + 1
    return WriteBatch(documents=[document], chunks=chunks)


def vector_of(text: str, dimension: int = GENERATION.dimension) -> Vector:
    """A unit vector that depends on the text alone."""
    seed = int.from_bytes(text_hash(text)[:8], "little")
    vector = np.random.default_rng(seed).standard_normal(dimension).astype(np.float32)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def vectors_for(changes: WriteBatch) -> dict[bytes, Vector]:
    """A vector for each chunk of a group."""
    return {text_hash(chunk.embed_text): vector_of(chunk.embed_text) for chunk in changes.chunks}


def keys_of(found: Iterable[Scored]) -> list[UUID]:
    """The keys, in their order."""
    return [scored.key for scored in found]


LINES = [
    ("Ann", "the ferry leaves at seven"),
    ("Bob", "bring the blue kayak"),
    ("Ann", "and a lamp for the cabin"),
    ("Bob", "the lamp is broken"),
    ("Ann", "then candles"),
    ("Bob", "good night"),
]


@asynccontextmanager
async def filled(opening: Opening, *groups: WriteBatch) -> AsyncGenerator[IndexedStore]:
    """A store with these groups, their vectors, and indexes that are up to date."""
    async with opening() as store:
        await store.set_generation(GENERATION)
        for changes in groups:
            await store.database.write(apply_changes, changes)
            await store.database.write(keep_vectors, vectors_for(changes))
        await store.refresh_indexes()
        yield store
