"""The HTTP paths of upkeep: forgetting, trying again, mending, saving. Long ones answer in JSON lines, see `streaming`."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Sequence
from typing import Any, Protocol

import orjson
from fastapi import FastAPI, Request
from starlette.responses import Response

from ...schemas.errors import InvalidError
from .streaming import LinesResponse, ReportProgress, operation


class Upkeep(Protocol):
    """What these paths need of the daemon; every method raises the errors of `schemas.errors`."""

    async def forget(self, body: dict[str, Any], tell: ReportProgress) -> dict[str, Any]:
        """Plan, or carry out, the forgetting that a body asks for."""
        ...

    async def doctor(self, body: dict[str, Any], tell: ReportProgress) -> dict[str, Any]:
        """Look for what is wrong, and mend it where asked to."""
        ...

    async def reindex(self, body: dict[str, Any], tell: ReportProgress) -> dict[str, Any]:
        """Take over the settings of embedder and chunks."""
        ...

    def export(self, parameters: Sequence[tuple[str, str]]) -> Awaitable[AsyncGenerator[bytes, None]]:
        """Documents as JSON lines, and in the last line what there was or what went wrong."""
        ...

    async def dead_letters(self, after: str | None, limit: str | None) -> dict[str, Any]:
        """A page of what was given up."""
        ...

    async def retry(self, body: dict[str, Any]) -> dict[str, Any]:
        """Put dead letters back into the queue."""
        ...

    async def discard(self, body: dict[str, Any]) -> dict[str, Any]:
        """Remove dead letters."""
        ...

    async def backup(self, body: dict[str, Any], tell: ReportProgress) -> dict[str, Any]:
        """Add a snapshot to the backups in a folder."""
        ...


def add_maintenance_routes(app: FastAPI, upkeep: Upkeep) -> None:
    """The paths that change what is kept, beside adding to it."""

    @app.post(
        "/v1/forget",
        summary="Plan a forgetting (`dry_run`), or carry one out (`plan`)",
        openapi_extra=_FORGET,
        response_class=LinesResponse,
    )
    async def forget(request: Request) -> Response:  # pyright: ignore[reportUnusedFunction]
        body = object_of(await request.body())
        return operation(lambda tell: upkeep.forget(body, tell), correlation_of(request))

    @app.post(
        "/v1/doctor", summary="Look for what is wrong", openapi_extra=_flags("repair"), response_class=LinesResponse
    )
    async def doctor(request: Request) -> Response:  # pyright: ignore[reportUnusedFunction]
        body = object_of(await request.body())
        return operation(lambda tell: upkeep.doctor(body, tell), correlation_of(request))

    @app.post(
        "/v1/reindex",
        summary="Cut and embed anew what other settings made",
        openapi_extra=_flags("wait", "keep_old"),
        response_class=LinesResponse,
    )
    async def reindex(request: Request) -> Response:  # pyright: ignore[reportUnusedFunction]
        body = object_of(await request.body())
        return operation(lambda tell: upkeep.reindex(body, tell), correlation_of(request))

    @app.post(
        "/v1/backup",
        summary="Add a snapshot to the backups in a folder",
        openapi_extra=_BACKUP,
        response_class=LinesResponse,
    )
    async def backup(request: Request) -> Response:  # pyright: ignore[reportUnusedFunction]
        body = object_of(await request.body())
        return operation(lambda tell: upkeep.backup(body, tell), correlation_of(request))

    @app.get(
        "/v1/export",
        summary="Documents as JSON lines, by source and id; filters as in a query",
        openapi_extra={"parameters": [*FILTERS, _DOCUMENTS]},
        response_class=LinesResponse,
    )
    async def export(request: Request) -> Response:  # pyright: ignore[reportUnusedFunction]
        lines = await upkeep.export(request.query_params.multi_items())
        return LinesResponse(lines, headers={"cache-control": "no-store"})

    _add_letters(app, upkeep)


def _add_letters(app: FastAPI, upkeep: Upkeep) -> None:
    """What was given up."""

    @app.get("/v1/dead-letters", summary="Documents that were given up, the oldest first")
    async def dead_letters(after: str | None = None, limit: str | None = None) -> Response:  # pyright: ignore[reportUnusedFunction]
        return _json(await upkeep.dead_letters(after, limit))

    @app.post("/v1/retry", summary="Try again what was given up", openapi_extra=_LETTERS)
    async def retry(request: Request) -> Response:  # pyright: ignore[reportUnusedFunction]
        return _json(await upkeep.retry(object_of(await request.body())))

    @app.post("/v1/discard", summary="Remove what was given up", openapi_extra=_LETTERS)
    async def discard(request: Request) -> Response:  # pyright: ignore[reportUnusedFunction]
        return _json(await upkeep.discard(object_of(await request.body())))


def correlation_of(request: Request) -> str:
    """The id that a request's errors are told and logged under."""
    return str(request.state.correlation_id)


def object_of(body: bytes) -> dict[str, Any]:
    """The JSON object of a body; an empty body is an empty object.

    Raises:
        InvalidError: it is something else.
    """
    try:
        data: Any = orjson.loads(body or b"{}")
    except orjson.JSONDecodeError:
        raise InvalidError("the body is not JSON") from None
    if not isinstance(data, dict):
        raise InvalidError("the body must be a JSON object")
    return {str(key): value for key, value in data.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


def _json(body: dict[str, Any]) -> Response:
    return Response(orjson.dumps(body), media_type="application/json")


_TIME = {"type": "string", "description": "a day in the configured zone, or RFC 3339"}
_TEXTS = {"type": "array", "items": {"type": "string"}}
FILTERS: list[dict[str, Any]] = [
    *({"name": name, "in": "query", "required": False, "schema": _TEXTS} for name in ("speakers", "people", "sources")),
    *({"name": name, "in": "query", "required": False, "schema": _TEXTS} for name in ("tags", "kinds")),
    *({"name": name, "in": "query", "required": False, "schema": _TIME} for name in ("since", "until")),
]
"""The filters of a listing, as OpenAPI describes parameters."""
_DOCUMENTS: dict[str, Any] = {"name": "documents", "in": "query", "required": False, "schema": _TEXTS}


def _flags(*names: str) -> dict[str, Any]:
    properties = {name: {"type": "boolean", "default": False} for name in names}
    schema = {"type": "object", "additionalProperties": False, "properties": properties}
    return {"requestBody": {"content": {"application/json": {"schema": schema}}}}


_STRINGS = {"type": "array", "items": {"type": "string"}}
_LETTERS: dict[str, Any] = {
    "requestBody": {
        "content": {
            "application/json": {
                "schema": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {"ids": _STRINGS | {"description": "numbers or document ids; absent: all"}},
                }
            }
        }
    }
}
_FORGET: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {
                        "documents": _STRINGS,
                        "sources": _STRINGS,
                        "chats": _STRINGS,
                        "speakers": _STRINGS,
                        "people": _STRINGS | {"description": "under all their names, and what is known about them"},
                        "since": {"type": "string", "description": "a day in the configured zone, or RFC 3339"},
                        "until": {"type": "string", "description": "like since; this moment itself is outside"},
                        "dry_run": {"type": "boolean", "default": True},
                        "plan": {"type": "string", "description": "of a dry run: carried out if it is still the same"},
                    },
                }
            }
        },
    }
}
_BACKUP: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {
                    "type": "object",
                    "required": ["directory"],
                    "additionalProperties": False,
                    "properties": {
                        "directory": {"type": "string", "description": "absolute; made where it is missing"},
                        "keep": {"type": "integer", "minimum": 1, "description": "snapshots that stay; absent: all"},
                    },
                }
            }
        },
    }
}
