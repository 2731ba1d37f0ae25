"""Resources: every chat, document and message under its ``memd://`` address, for programs that attach or preview them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .exchange import Exchange
from .jsonrpc import INTERNAL_ERROR, INVALID_PARAMS, RESOURCE_NOT_FOUND, Json, ProtocolError
from .memory import Memory
from .quotation import Quotation, one_line
from .reading import page_of
from .resource_links import chat_link, document_link, parsed_link
from .results import ToolError

PAGE = 100
"""Resources on one page of the list: first the chats, then the texts, the latest first."""
_TEXT = "text/plain"
_DOCUMENTS = "documents:"

Method = Callable[[Json, Exchange], Json]


def resource_methods(memory: Memory) -> dict[str, Method]:
    """Return the methods of resources over a memory."""
    return {
        "resources/list": lambda params, _exchange: _failing(lambda: _listed(memory, params.get("cursor"))),
        "resources/templates/list": lambda _params, _exchange: {"resourceTemplates": _TEMPLATES},
        "resources/read": lambda params, exchange: _failing(lambda: _read(memory, params.get("uri"), exchange)),
    }


_TEMPLATES: list[Json] = [
    {"uriTemplate": f"memd://{kind}/{{id}}", "name": kind, "description": about, "mimeType": _TEXT}
    for kind, about in (
        ("chat", "The latest conversation of a chat, by title or id"),
        ("document", "A conversation of a day, a mail or a text"),
        ("message", "A message among its neighbours"),
    )
]


def _failing(work: Callable[[], Json]) -> Json:
    """Do the work; what the memory refuses is an error of the protocol here, in words without private text."""
    try:
        return work()
    except ToolError as error:
        raise ProtocolError(INTERNAL_ERROR, f"the memory cannot be read: {error.code}", {"code": error.code}) from None


def _listed(memory: Memory, cursor: object) -> Json:
    from ..operations import CHATS, DOCUMENTS

    if cursor is None:
        rows = memory.call(CHATS)["chats"][:PAGE]
        return {"resources": [_of_chat(row) for row in rows], "nextCursor": _DOCUMENTS}
    if not isinstance(cursor, str) or not cursor.startswith(_DOCUMENTS):
        raise ProtocolError(INVALID_PARAMS, "that cursor was not given out here")
    after = cursor.removeprefix(_DOCUMENTS)
    page = memory.call(DOCUMENTS, {"limit": PAGE} | ({"after": after} if after else {}))
    listed: Json = {"resources": [_of_document(row) for row in page["documents"] if row["kind"] == "text"]}
    return listed | ({"nextCursor": f"{_DOCUMENTS}{page['next']}"} if "next" in page else {})


def _of_chat(row: Mapping[str, Any]) -> Json:
    return {
        "uri": chat_link(row["id"]),
        "name": one_line(row["title"] or row["id"], 100),
        "description": f"{row['source']}, {row['messages']} messages",
        "mimeType": _TEXT,
    }


def _of_document(row: Mapping[str, Any]) -> Json:
    return {
        "uri": document_link(row["id"]),
        "name": one_line(row.get("title") or row["id"], 100),
        "description": str(row.get("source") or "text"),
        "mimeType": _TEXT,
    }


def _read(memory: Memory, uri: object, exchange: Exchange) -> Json:
    from ..operations import DOCUMENTS, SHOW

    link = parsed_link(uri) if isinstance(uri, str) else None
    code = INVALID_PARAMS if exchange.modern else RESOURCE_NOT_FOUND
    missing = ProtocolError(code, "Resource not found", {"uri": str(uri)[:2000]})
    if link is None:
        raise missing
    kind, identifier = link
    try:
        if kind == "chat":
            rows = memory.call(DOCUMENTS, {"chats": [identifier], "limit": 1})["documents"]
            if not rows:
                raise missing
            identifier = rows[0]["id"]
        page = page_of(memory.call(SHOW, {"id": identifier}))
    except ToolError as error:
        if error.code != "NOT_FOUND":
            raise
        raise missing from None
    quotation = Quotation()
    head = f"{page['title']}, {page['link']}, {page['first']}-{page['last']} of {page['total']} {page['unit']}"
    text = f"{quotation.block(head.lstrip(', ') + chr(10) + page['text'])}\n{quotation.notice}"
    return {"contents": [{"uri": uri, "mimeType": _TEXT, "text": text}]}
