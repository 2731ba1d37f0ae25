"""Replaces the chunks of stored documents after the chunking settings changed."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from anyio import to_thread

from .chunking.document_chunker import DocumentChunker
from .records import StoredChunk
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
        chunks = chunker.messages([each for stored in messages.values() for each in stored])
        for row in rows.values():
            if row.kind == "text":
                chunks += chunker.text(row, row.content)
        return chunks

    chunks = await to_thread.run_sync(cut)
    fresh = {chunk.key for chunk in chunks}
    dropped = [key for keys in old.values() for key in keys if key not in fresh]
    await database.write(apply_changes, WriteBatch(chunks=chunks, dropped_chunks=dropped))
