"""An export over HTTP: documents as JSON lines, some at a time, and a last line that says whether that was all."""

from __future__ import annotations

import logging
import uuid
from collections.abc import AsyncGenerator, Collection, Sequence
from uuid import UUID

import anyio.to_thread
import orjson

from ...memory.ingest.batching import size_of
from ...memory.memory import EvolvingMemory
from ...memory.merge.plan import key_of
from ...memory.retrieval.query_filters import filter_of
from ...memory.search_types import Filter
from ...schemas import Document, document_to_line
from ...schemas.errors import MemdError, envelope
from ..logs import error_fields
from .name_filters import NameFilters
from .requests import ExportRequest

log = logging.getLogger(__name__)


async def export_lines(memory: EvolvingMemory, request: ExportRequest, waiting: int = 0) -> AsyncGenerator[bytes, None]:
    """Every document that passes the filters (as in a query; ``documents``: ids of some) as a line of JSON.

    The status of the answer is told before the work is done: the last line is ``{"result": {documents, messages,
    waiting}}``, or ``{"error": envelope}`` where it broke off. An answer without either was cut.

    Args:
        memory: what is stored.
        request: filters, or ids.
        waiting: how many documents wait to be stored, and may be missing.

    Raises:
        NotFoundError: an id leads nowhere, or a filter names nobody, or several.
    """
    where = filter_of(await NameFilters(memory).of_query(request.as_query()))
    among: set[UUID] | None = None
    if request.documents:
        among = set()
        for identifier in request.documents:
            document = await memory.document(identifier)
            conversation, text = document.as_conversation(), document.as_text()
            found = conversation or text
            if found is not None:
                among.add(key_of(found))
    return _lines(memory, where, among, waiting)


async def _lines(
    memory: EvolvingMemory, where: Filter, among: Collection[UUID] | None, waiting: int
) -> AsyncGenerator[bytes, None]:
    documents = messages = 0
    try:
        async for group in memory.export(where, among):
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
