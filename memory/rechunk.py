"""Replaces the chunks of stored documents after the chunking settings changed."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from anyio import to_thread

from .chunking.document_chunker import DocumentChunker
from .records import StoredChunk
from .store.sqlite_store import SQLiteStore
from .write_batches import WriteBatch

RECHUNK_AT_ONCE = 50
"""Documents cut again in one transaction."""


async def rechunk_documents(backend: SQLiteStore, documents: Sequence[UUID], chunker: DocumentChunker) -> None:
    """Replace the chunks of these documents by those of the settings in force; one transaction."""
    rows = await backend.documents(documents)
    messages = await backend.messages(rows)
    old = await backend.chunk_keys(rows)

    def cut() -> list[StoredChunk]:
        chunks = chunker.messages([each for found in messages.values() for each in found])
        for row in rows.values():
            if row.kind == "text":
                chunks += chunker.text(row, row.content)
        return chunks

    chunks = await to_thread.run_sync(cut)
    fresh = {chunk.key for chunk in chunks}
    dropped = [key for keys in old.values() for key in keys if key not in fresh]
    await backend.apply(WriteBatch(chunks=chunks, dropped_chunks=dropped))
