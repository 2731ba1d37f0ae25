"""The HTTP API: paths, parameters and shapes. What happens behind them is the service's; how bytes arrive, the server's."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Collection, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import tzinfo
from typing import Any, Protocol
from uuid import UUID

import anyio
import anyio.to_thread
import orjson
from anyio.abc import ObjectReceiveStream
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response, StreamingResponse

from ... import __version__
from ...schemas import Document, ProgressUpdate, Query, QueryResult, StoreReport
from ...schemas.errors import InvalidError, MemdError
from ..parameters import filter_from, number_from, query_from
from .document_lines import Lines, keyed_lines, read_lines
from .middleware import BODY_BYTES, ERRORS, SIMULTANEOUS, LimitsMiddleware, error_response
from .routes_knowledge import Known, add_knowledge_routes
from .routes_maintenance import FILTERS, Upkeep, add_maintenance_routes, object_of

HEARTBEAT_SECONDS = 10.0
"""A comment on the stream of progress when there is nothing to tell, so that a reader knows that we live."""

PAGE = 20
PAGE_HIGHEST = 1000


class Service(Protocol):
    """What the API needs of the daemon; every method raises the errors of `schemas.errors`."""

    @property
    def zone(self) -> tzinfo:
        """The configured zone: where a bare date begins."""
        ...

    async def query(self, query: Query) -> QueryResult:
        """Answer a question."""
        ...

    async def listing(self, where: Query, after: UUID | None, limit: int) -> dict[str, Any]:
        """One page: ``documents`` and, when there is more, ``next``."""
        ...

    async def document(self, identifier: str) -> dict[str, Any]:
        """A document in its wire form."""
        ...

    async def show(self, identifier: str) -> dict[str, Any]:
        """``document``, and for a message its ``message`` and ``position`` therein."""
        ...

    async def stats(self) -> dict[str, Any]:
        """Counts, sizes and times."""
        ...

    async def status(self) -> dict[str, Any]:
        """The owner and what it does."""
        ...

    def health(self) -> dict[str, Any]:
        """Whether it works, without touching the store."""
        ...

    @property
    def known(self) -> Known:
        """What is known beyond the words."""
        ...

    @property
    def upkeep(self) -> Upkeep:
        """What changes what is kept, beside adding to it."""
        ...

    async def begin(self, source: str) -> str:
        """Start a run."""
        ...

    async def accept(
        self, run: str, documents: Sequence[Document], *, rejected: int = 0, again: bool = False
    ) -> StoreReport:
        """Journal documents; they are acknowledged when this returns."""
        ...

    async def withdraw(self, run: str) -> None:
        """Take a run back of which nothing was kept."""
        ...

    async def finish(self, run: str) -> None:
        """No more documents come in this run."""
        ...

    async def stored(self, keys: Collection[UUID]) -> set[UUID]:
        """Those of these documents that are stored, in whatever wording."""
        ...

    async def conflicts(self, documents: Sequence[Document]) -> list[str]:
        """Titles of chats among these that are stored as other chats of the same title."""
        ...

    def follow(self, run: str | None) -> AbstractAsyncContextManager[ObjectReceiveStream[ProgressUpdate]]:
        """Progress of one run, or of all. Raises at once where there is no such run, not when it is entered."""
        ...


class _EventsResponse(StreamingResponse):
    """Server-sent events."""

    media_type = "text/event-stream"


def make_api(service: Service, *, body_bytes: int = BODY_BYTES, simultaneous: int = SIMULTANEOUS) -> LimitsMiddleware:
    """The whole application around a service."""
    app = FastAPI(
        title="memd", version=__version__, docs_url=None, redoc_url=None, redirect_slashes=False, responses=ERRORS
    )
    for kind in (MemdError, RequestValidationError, HTTPException, ClientDisconnect, Exception):
        app.add_exception_handler(kind, _on_error)
    _reading(app, service)
    _writing(app, service)
    add_maintenance_routes(app, service.upkeep)
    add_knowledge_routes(app, service.known, lambda: service.zone)
    return LimitsMiddleware(app, body_bytes=body_bytes, simultaneous=simultaneous)


def _reading(app: FastAPI, service: Service) -> None:
    """The paths that change nothing."""

    @app.post("/v1/query", summary="Ask what is stored", openapi_extra=_QUESTION)
    async def query(request: Request) -> Response:  # pyright: ignore[reportUnusedFunction]
        result = await service.query(query_from(object_of(await request.body()), service.zone))
        return _json(result.to_wire())

    @app.get("/v1/documents", summary="What is stored, the newest first; filters as in a query", openapi_extra=_PAGE)
    async def documents(request: Request) -> Response:  # pyright: ignore[reportUnusedFunction]
        given = [(name, value) for name, value in request.query_params.multi_items() if name not in ("limit", "after")]
        where = filter_from(given, service.zone)
        limit = number_from(request.query_params.get("limit"), "limit", PAGE, PAGE_HIGHEST)
        return _json(await service.listing(where, _key(request.query_params.get("after")), limit))

    @app.get("/v1/documents/{identifier:path}", summary="One document, as it is stored")
    async def document(identifier: str) -> Response:  # pyright: ignore[reportUnusedFunction]
        return _json(await service.document(identifier))

    @app.get("/v1/show/{identifier:path}", summary="A message in its document, or a document")
    async def show(identifier: str) -> Response:  # pyright: ignore[reportUnusedFunction]
        return _json(await service.show(identifier))

    @app.get("/v1/stats", summary="Counts, sizes and times")
    async def stats() -> Response:  # pyright: ignore[reportUnusedFunction]
        return _json(await service.stats())

    @app.get("/v1/status", summary="Who owns the memory, and what is going on")
    async def status() -> Response:  # pyright: ignore[reportUnusedFunction]
        return _json(await service.status())

    @app.get("/v1/health", summary="Whether it works")
    async def health() -> Response:  # pyright: ignore[reportUnusedFunction]
        return _json(service.health())

    @app.get(
        "/v1/progress", summary="Progress as server-sent events, of one run or of all", response_class=_EventsResponse
    )
    async def progress(run: str | None = None) -> Response:  # pyright: ignore[reportUnusedFunction]
        headers = {"cache-control": "no-store"}
        return _EventsResponse(_events(service.follow(run), run), headers=headers)


def _writing(app: FastAPI, service: Service) -> None:
    """The one path that adds."""

    @app.post(
        "/v1/documents",
        status_code=202,
        summary="Keep documents, sent as JSON lines",
        openapi_extra=_LINES,
        responses={200: {"description": "With `check=1`: the titles of other chats of the same name"}},
    )
    async def accept(  # pyright: ignore[reportUnusedFunction]
        request: Request,
        run: str | None = None,
        source: str = "api",
        more: bool = False,
        check: bool = False,
        again: bool = False,
    ) -> Response:
        if check:
            return _json({"conflicts": await _conflicts(service, await request.body())})
        lines = await anyio.to_thread.run_sync(read_lines, await request.body())
        name = run or await service.begin(source)
        try:
            report = await service.accept(name, lines.documents, rejected=lines.refused, again=again)
        except BaseException:
            if run is None:  # nobody has learned of it
                await service.withdraw(name)
            raise
        if not more:
            await service.finish(name)
        return _json(_accepted(name, report, lines), 202)


async def _conflicts(service: Service, body: bytes) -> list[str]:
    """Only what is stored under the same key can be in conflict; nothing else is looked at closely."""
    keyed = await anyio.to_thread.run_sync(keyed_lines, body)
    stored = await service.stored({key for _, key in keyed if key is not None})
    doubtful = b"\n".join(line for line, key in keyed if key is None or key in stored)
    if not doubtful:
        return []
    return await service.conflicts((await anyio.to_thread.run_sync(read_lines, doubtful)).documents)


def _accepted(run: str, report: StoreReport, lines: Lines) -> dict[str, Any]:
    body: dict[str, Any] = {
        "run": run,
        "accepted": report.added + report.updated,
        "unchanged": report.unchanged,
        "rejected": lines.refused,
    }
    if lines.rejected:
        body["reasons"] = [record.to_wire() for record in lines.rejected]
    if notices := lines.notices.to_wire():
        body["notices"] = notices
    return body


async def _events(
    following: AbstractAsyncContextManager[ObjectReceiveStream[ProgressUpdate]], run: str | None
) -> AsyncGenerator[bytes, None]:
    """Updates as events; ends after the run's last one, or with the daemon."""
    async with following as updates:
        yield b": memd\n\n"
        while True:
            update: ProgressUpdate | None = None
            with anyio.move_on_after(HEARTBEAT_SECONDS):
                try:
                    update = await updates.receive()
                except anyio.EndOfStream:
                    return
            if update is None:
                yield b": still here\n\n"
                continue
            yield b"event: progress\ndata: " + update.to_json() + b"\n\n"
            if run is not None and update.terminal:
                return


async def _on_error(request: Request, error: Exception) -> Response:
    if isinstance(error, RequestValidationError):
        problems = tuple(f"{detail['loc'][-1]}: {detail['msg']}" for detail in error.errors())
        error = InvalidError("; ".join(problems), problems=problems)
    return error_response(error, str(request.state.correlation_id))


def _key(text: str | None) -> UUID | None:
    try:
        return UUID(text) if text else None
    except ValueError:
        raise InvalidError("after must be the `next` of the page before") from None


def _json(body: dict[str, Any], status: int = 200) -> Response:
    return Response(orjson.dumps(body), status, media_type="application/json")


def _parameter(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "in": "query", "required": False, "schema": schema}


_STRINGS = {"type": "array", "items": {"type": "string"}}
_QUESTION: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {
                    "type": "object",
                    "required": ["text"],
                    "additionalProperties": False,
                    "properties": {
                        "text": {"type": "string"},
                        "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 10},
                        "speakers": _STRINGS,
                        "people": _STRINGS,
                        "sources": _STRINGS,
                        "tags": _STRINGS,
                        "kinds": _STRINGS,
                        "since": {"type": "string", "description": "a day in the configured zone, or RFC 3339"},
                        "until": {"type": "string", "description": "like since; this moment itself is outside"},
                        "sort": {"enum": ["score", "time"], "default": "score"},
                        "explain": {"type": "boolean", "default": False},
                        "context": {"type": "integer", "minimum": 0, "maximum": 10, "default": 1},
                    },
                }
            }
        },
    }
}
_PAGE: dict[str, Any] = {
    "parameters": [
        _parameter("limit", {"type": "integer", "minimum": 1, "maximum": PAGE_HIGHEST, "default": PAGE}),
        _parameter("after", {"type": "string", "format": "uuid", "description": "`next` of the page before"}),
        *FILTERS,
    ]
}
_LINES: dict[str, Any] = {
    "description": "`more=1` keeps the run open, `run=` continues it; `check=1` stores nothing and tells conflicts,"
    " `again=1` lets what was forgotten of them come back.",
    "requestBody": {"required": True, "content": {"application/jsonl": {"schema": {"type": "string"}}}},
}
