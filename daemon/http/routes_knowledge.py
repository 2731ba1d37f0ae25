"""The HTTP paths of what is known: facts, their history, undoing, people."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import tzinfo
from typing import Any, Protocol

import orjson
from fastapi import FastAPI, Request
from starlette.responses import Response

from ...schemas import Query
from ..parameters import query_from
from .routes_maintenance import correlation_of, object_of
from .streaming import LinesResponse, OperationProgress, ReportProgress, operation


class Known(Protocol):
    """What these paths need of the daemon; every method raises the errors of `schemas.errors`."""

    async def facts(self, parameters: Sequence[tuple[str, str]], zone: tzinfo) -> dict[str, Any]:
        """A page of facts."""
        ...

    async def history(self, identifier: str) -> dict[str, Any]:
        """Every version of a fact and of those it is tied to."""
        ...

    async def undo(self, body: dict[str, Any]) -> dict[str, Any]:
        """Stop believing what a fact or a run rests on."""
        ...

    async def belief(self, identifier: str) -> dict[str, Any]:
        """Whether what a fact or a run rests on is believed."""
        ...

    async def ask(self, query: Query) -> dict[str, Any]:
        """Answer from what is found, by the model."""
        ...

    async def audit(self, before: str | None, limit: str | None) -> dict[str, Any]:
        """What was sent to the model."""
        ...

    async def spent(self, by: str) -> dict[str, Any]:
        """Calls, tokens and money."""
        ...

    async def person(self, name: str) -> dict[str, Any]:
        """Somebody by what they wrote, and what is known of them."""
        ...

    async def people(self) -> dict[str, Any]:
        """Everybody who wrote."""
        ...


def add_knowledge_routes(app: FastAPI, known: Known, zone: Callable[[], tzinfo]) -> None:
    """The paths."""

    @app.get("/v1/facts", summary="What is known; subject, speaker, attribute, status, as_of, known_at")
    async def facts(request: Request) -> Response:  # pyright: ignore[reportUnusedFunction]
        return _json(await known.facts(request.query_params.multi_items(), zone()))

    @app.get("/v1/facts/{identifier}/history", summary="Every version of a fact and of those it is tied to")
    async def history(identifier: str) -> Response:  # pyright: ignore[reportUnusedFunction]
        return _json(await known.history(identifier))

    @app.post(
        "/v1/undo", summary="Stop believing what a fact or a run rests on, or believe it again", openapi_extra=_UNDO
    )
    async def undo(request: Request) -> Response:  # pyright: ignore[reportUnusedFunction]
        return _json(await known.undo(object_of(await request.body())))

    @app.get("/v1/undo/{identifier:path}", summary="Whether what a fact or a run rests on is believed")
    async def belief(identifier: str) -> Response:  # pyright: ignore[reportUnusedFunction]
        return _json(await known.belief(identifier))

    @app.post("/v1/ask", summary="An answer by the model, from what is found and with its messages; body as of a query")
    async def ask(request: Request) -> Response:  # pyright: ignore[reportUnusedFunction]
        query = query_from(object_of(await request.body()), zone())
        if LinesResponse.media_type not in request.headers.get("accept", ""):
            return _json(await known.ask(query))

        # A model may take minutes, and is paid for: the lines tell the client that there is something to wait for.
        async def work(tell: ReportProgress) -> dict[str, Any]:
            tell(OperationProgress("asking the model"))
            return await known.ask(query)

        return operation(work, correlation_of(request))

    @app.get("/v1/audit", summary="What was sent to the model, the latest first")
    async def audit(before: str | None = None, limit: str | None = None) -> Response:  # pyright: ignore[reportUnusedFunction]
        return _json(await known.audit(before, limit))

    @app.get("/v1/ledger", summary="Calls, tokens and money by model, source, run, day or purpose")
    async def spent(by: str = "model") -> Response:  # pyright: ignore[reportUnusedFunction]
        return _json(await known.spent(by))

    @app.get("/v1/people", summary="Everybody who wrote")
    async def people() -> Response:  # pyright: ignore[reportUnusedFunction]
        return _json(await known.people())

    @app.get(
        "/v1/people/{name:path}", summary="Who somebody writes with, since when, about what; what is known of them"
    )
    async def person(name: str) -> Response:  # pyright: ignore[reportUnusedFunction]
        return _json(await known.person(name))


def _json(body: dict[str, Any]) -> Response:
    return Response(orjson.dumps(body), media_type="application/json")


_UNDO: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {
                    "type": "object",
                    "required": ["id"],
                    "additionalProperties": False,
                    "properties": {
                        "id": {"type": "string", "description": "of a fact, or of a run"},
                        "believe": {
                            "type": "boolean",
                            "description": "the state that is wanted; absent: the other one",
                        },
                    },
                }
            }
        },
    }
}
