"""Rebuilds documents from their rows; for an export with the metadata that makes them the same in another store."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Collection, Sequence
from uuid import UUID

from anyio import to_thread

from ..schemas import ConversationDocument, Document, TextDocument
from ..schemas.errors import StoreError
from .merge.export_metadata import with_carried
from .people.carried import with_decisions
from .records import ExportCursor, StoredDocument, StoredMessage, WholeDocument
from .search_types import Filter
from .store import people_rows
from .store.database import Database
from .store.export import exported

AT_ONCE = 2_000
"""Messages held in memory while they are written."""


def rebuilt(row: StoredDocument, messages: Sequence[StoredMessage]) -> ConversationDocument | TextDocument:
    """Rebuild a document from its rows.

    Raises:
        StoreError: they break a rule that every stored document has kept: the database is damaged.
    """
    try:
        return _rebuilt(row, messages)
    except ValueError as error:
        raise StoreError(
            "the database holds what memd never wrote", hint="memd doctor tells more; restore a backup, or ingest again"
        ) from error


def _rebuilt(row: StoredDocument, messages: Sequence[StoredMessage]) -> ConversationDocument | TextDocument:
    if row.kind == "text":
        return TextDocument(
            id=row.id, content=row.content, timestamp=row.timestamp, tags=row.tags, metadata=dict(row.metadata)
        )
    return ConversationDocument.model_validate(
        {
            "id": row.id,
            "conversation": {
                "source": row.source,
                "people": row.people,
                "user": row.user,
                "conversation": tuple(message.message for message in messages),
            },
            "tags": row.tags,
            "metadata": dict(row.metadata),
        }
    )


async def exported_documents(
    database: Database, where: Filter, among: Collection[UUID] | None = None
) -> AsyncGenerator[list[Document], None]:
    """Yield all documents with passing content, by source and id, some at a time. If the export is complete, the first
    day of a chat carries the decisions on people.

    What comes in meanwhile is in it or not, each document by itself whole.
    """
    after: ExportCursor | None = None
    decisions = await database.read(people_rows.decisions) if where.empty and among is None else []
    while page := await database.read(exported, where, after, AT_ONCE, among):
        last = page[-1].document
        after = ExportCursor(last.source, last.id, last.key)
        documents: list[Document] = await to_thread.run_sync(
            lambda rows: [exported_document(each) for each in rows], page
        )
        if decisions and (carrying := with_decisions(documents, decisions)):
            documents, decisions = carrying, []
        yield documents


def exported_document(whole: WholeDocument) -> Document:
    """Return a document with the metadata that makes it the same in another store."""
    document = rebuilt(whole.document, whole.messages)
    if isinstance(document, TextDocument):
        return document
    return with_carried(document, whole.messages, whole.renames)
