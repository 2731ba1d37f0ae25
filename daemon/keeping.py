"""The HTTP paths of upkeep: forgetting, trying again, mending, saving. Long ones answer in JSON lines, see `operations`."""

from __future__ import annotations

from typing import Any, Protocol

import orjson
from fastapi import FastAPI, Request
from starlette.responses import Response

from ..schemas.errors import InvalidError
from .operations import Tell, operation


class Upkeep(Protocol):
    """What these paths need of the daemon; every method raises the errors of `schemas.errors`."""

    async def forget(self, body: dict[str, Any], tell: Tell) -> dict[str, Any]:
        """Plan, or carry out, the forgetting that a body asks for."""
        ...


def add_upkeep(app: FastAPI, upkeep: Upkeep) -> None:
    """The paths that change what is kept, beside adding to it."""

    @app.post("/v1/forget", summary="Plan a forgetting (`dry_run`), or carry one out (`plan`)", openapi_extra=_FORGET)
    async def forget(request: Request) -> Response:  # pyright: ignore[reportUnusedFunction]
        body = object_of(await request.body())
        return operation(lambda tell: upkeep.forget(body, tell), correlation_of(request))


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


_STRINGS = {"type": "array", "items": {"type": "string"}}
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
