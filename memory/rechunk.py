"""Cuts stored documents again: after the settings changed, and where a change of one message concerns the chunks of others."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from anyio import to_thread

from .chunking.document_chunker import DocumentChunker
from .records import StoredChunk, StoredMessage
from .store import documents_read
from .store.database import Database
from .store.documents_write import apply_changes
from .write_batches import WriteBatch

RECHUNK_AT_ONCE = 50
"""Documents cut again in one transaction."""


async def rechunk_documents(database: Database, documents: Sequence[UUID], chunker: DocumentChunker) -> None:
    """Replace the chunks of these documents by those of the settings in force; one transaction."""
    rows = await database.read(documents_read.documents, documents)
    messages = await database.read(documents_read.messages, rows)
    old = await database.read(documents_read.chunk_keys, rows)

    def cut() -> list[StoredChunk]:
        chunks: list[StoredChunk] = []
        for row in rows.values():
            if row.kind == "text":
                chunks += chunker.text(row, row.content)
            else:
                chunks += chunker.conversation(messages.get(row.key, ()), row.source)
        return chunks

    chunks = await to_thread.run_sync(cut)
    fresh = {chunk.key for chunk in chunks}
    dropped = [key for keys in old.values() for key in keys if key not in fresh]
    await database.write(apply_changes, WriteBatch(chunks=chunks, dropped_chunks=dropped))


async def with_chunks_around(
    database: Database, chunker: DocumentChunker, changes: WriteBatch, removed: Collection[UUID] = ()
) -> WriteBatch:
    """Return the changes with all chunks that they concern beside those of the changed messages: chunks that the embedder
    reads together with a changed or removed message, and in these documents all that another strategy made. So no text
    to be embedded, and no vector, keeps the words of a message that is gone.

    The caller must let nothing else write until the changes are written.

    Args:
        database: the store.
        chunker: with the settings in force.
        changes: of documents and their messages.
        removed: keys of messages that go at the same time.
    """
    stored = await database.read(documents_read.chunk_versions, [row.key for row in changes.documents])
    stale = {row.key for row in changes.documents if stored.get(row.key, set()) - {chunker.version_of(row)}}
    conversations = [row for row in changes.documents if row.kind == "conversation"]
    again = [row for row in conversations if row.key in stale or chunker.reach(row.source)]
    if not again and not stale:
        return changes
    messages = await database.read(documents_read.messages, [row.key for row in again])
    old = await database.read(documents_read.chunk_keys, stale)

    def cut() -> list[StoredChunk]:
        after = _after(messages, changes, frozenset(removed))
        chunks: list[StoredChunk] = []
        for row in again:
            rows, reach = after.get(row.key, []), chunker.reach(row.source)
            wanted = None if row.key in stale else _with_other_neighbours(messages.get(row.key, ()), rows, reach)
            chunks += chunker.conversation(rows, row.source, wanted)
        return chunks

    chunks = [*changes.chunks, *await to_thread.run_sync(cut)]
    fresh = {chunk.key for chunk in chunks}
    dropped = [key for keys in old.values() for key in keys if key not in fresh]
    return replace(changes, chunks=chunks, dropped_chunks=[*changes.dropped_chunks, *dropped])


def _after(
    before: Mapping[UUID, Sequence[StoredMessage]], changes: WriteBatch, removed: Collection[UUID]
) -> dict[UUID, list[StoredMessage]]:
    """Return the messages of documents in their order after the changes."""
    after = {
        document: {row.key: (changes.moved.get(row.key, row.position), row) for row in rows if row.key not in removed}
        for document, rows in before.items()
    }
    for row in changes.messages:
        after.setdefault(row.document, {})[row.key] = (row.position, row)
    return {
        document: [row for _, row in sorted(rows.values(), key=lambda placed: placed[0])]
        for document, rows in after.items()
    }


def _with_other_neighbours(before: Sequence[StoredMessage], after: Sequence[StoredMessage], reach: int) -> set[UUID]:
    """Return the keys of the messages that are new, or have other messages within reach than before."""

    def around(rows: Sequence[StoredMessage]) -> dict[UUID, object]:
        lines = [(row.key, row.message) for row in rows]
        return {row.key: lines[max(0, place - reach) : place + reach + 1] for place, row in enumerate(rows)}

    former = around(before)
    return {key for key, lines in around(after).items() if former.get(key) != lines}
