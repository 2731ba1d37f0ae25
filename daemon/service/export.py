"""An export over HTTP: documents as JSON lines, some at a time, and a last line that says whether that was all."""

from __future__ import annotations

import logging
import uuid
from collections.abc import AsyncGenerator, Collection, Sequence
from uuid import UUID

import anyio.to_thread
import orjson

from ...memory import lookup
from ...memory.export import exported_documents
from ...memory.ingest.batching import concrete_document, size_of
from ...memory.memory import EvolvingMemory
from ...memory.merge.plan import key_of
from ...memory.retrieval.query_filters import filter_of
from ...memory.search_types import Filter
from ...schemas import Document, document_to_line
from ...schemas.errors import MemdError, envelope
from ..logs import error_fields
from ..pipeline.pipeline import Pipeline
from .name_filters import NameFilters
from .requests import ExportRequest

log = logging.getLogger(__name__)


class Exports:
    """Exports of a memory."""

    def __init__(self, memory: EvolvingMemory, names: NameFilters, pipeline: Pipeline) -> None:
        self._memory = memory
        self._names = names
        self._pipeline = pipeline

    async def lines(self, request: ExportRequest) -> AsyncGenerator[bytes, None]:
        """Return every document that passes the filters (as in a query; ``documents``: ids of some) as a line of JSON.

        The status of the answer is sent before the work is done: the last line is ``{"result": {documents, messages,
        waiting}}`` (``waiting``: the number of documents that wait to be stored, and may be missing), or
        ``{"error": envelope}`` where it broke off. An answer without either was cut.

        Raises:
            NotFoundError: an id leads nowhere, or a filter names nobody, or several.
        """
        waiting = (await self._pipeline.journal.depth()).documents  # before the store: what is stored since is in it
        where = filter_of(await self._names.of_query(request.as_query()))
        among: set[UUID] | None = None
        if request.documents:
            among = set()
            for identifier in request.documents:
                document = (await lookup.find(self._memory.database, identifier)).document
                among.add(key_of(concrete_document(document)))
        return _lines(self._memory, where, among, waiting)


async def _lines(
    memory: EvolvingMemory, where: Filter, among: Collection[UUID] | None, waiting: int
) -> AsyncGenerator[bytes, None]:
    documents = messages = 0
    try:
        async for group in exported_documents(memory.database, where, among):
            documents += len(group)
            messages += sum(size_of(document) for document in group if document.is_conversation())
            yield await anyio.to_thread.run_sync(_joined, group)
        last = {"result": {"documents": documents, "messages": messages, "waiting": waiting}}
    except Exception as error:  # noqa: BLE001 - the status is sent: the reason goes into the body
        correlation = uuid.uuid4().hex[:12]
        if not isinstance(error, MemdError):
            log.error("unexpected error", extra={"correlation_id": correlation, **error_fields(error)})
        last = {"error": envelope(error, correlation)}
    yield orjson.dumps(last) + b"\n"


def _joined(documents: Sequence[Document]) -> bytes:
    return b"".join(map(document_to_line, documents))
