"""An export over HTTP: documents as JSON lines, some at a time, and a last line that says whether that was all."""

from __future__ import annotations

import logging
import uuid
from collections.abc import AsyncGenerator, Collection, Sequence
from datetime import tzinfo
from uuid import UUID

import anyio.to_thread
import orjson

from ..memory.evolving import EvolvingMemory
from ..memory.grouping import size_of
from ..memory.merge import key_of
from ..memory.retrieval.search import filter_of
from ..memory.searching import Filter
from ..schemas import Document, document_to_line
from ..schemas.errors import MemdError, envelope
from .gate import place_of
from .questions import filter_from

log = logging.getLogger(__name__)


async def export_lines(
    memory: EvolvingMemory, parameters: Sequence[tuple[str, str]], zone: tzinfo
) -> AsyncGenerator[bytes, None]:
    """Every document that passes the filters (as in a query; ``documents``: ids of some) as a line of JSON.

    The status of the answer is told before the work is done: the last line is ``{"result": {documents, messages}}``,
    or ``{"error": envelope}`` where it broke off. An answer without either was cut.

    Raises:
        InvalidError: a parameter breaks a rule.
        NotFoundError: an id leads nowhere.
    """
    where = filter_of(filter_from([each for each in parameters if each[0] != "documents"], zone))
    ids = [value for name, value in parameters if name == "documents"]
    among: set[UUID] | None = None
    if ids:
        among = set()
        for identifier in ids:
            document = await memory.document(identifier)
            conversation, text = document.as_conversation(), document.as_text()
            found = conversation or text
            if found is not None:
                among.add(key_of(found))
    return _lines(memory, where, among)


async def _lines(memory: EvolvingMemory, where: Filter, among: Collection[UUID] | None) -> AsyncGenerator[bytes, None]:
    documents = messages = 0
    try:
        async for group in memory.export(where, among):
            documents += len(group)
            messages += sum(size_of(document) for document in group if document.is_conversation())
            yield await anyio.to_thread.run_sync(_joined, group)
        last = {"result": {"documents": documents, "messages": messages}}
    except Exception as error:  # noqa: BLE001 - the wall: the status is sent, the reason goes into the body
        correlation = uuid.uuid4().hex[:12]
        if not isinstance(error, MemdError):
            log.error("unexpected error", extra={"correlation_id": correlation, **place_of(error)})
        last = {"error": envelope(error, correlation)}
    yield orjson.dumps(last) + b"\n"


def _joined(documents: Sequence[Document]) -> bytes:
    return b"".join(map(document_to_line, documents))
