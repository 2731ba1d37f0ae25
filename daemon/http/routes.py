"""Routes of the API, one for each row of `operations`: the request is parsed, the service's method called, the answer sent."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from functools import cache
from inspect import isawaitable
from operator import attrgetter
from typing import Any, cast

import anyio
import orjson
from anyio.abc import ObjectReceiveStream
from pydantic import BaseModel
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from ...connectors.text.repeated_keys import repeated_key
from ...schemas import ProgressUpdate
from ...schemas.errors import InvalidError, MemdError
from ..operation_progress import OperationProgress, ReportProgress
from ..operations import OPERATIONS, Operation
from ..service.requests import IdRequest, NoRequest, ProgressRequest, from_parameters, parse, request_model
from ..service.service import Service
from .limits import BODY_BYTES, HEARTBEAT_SECONDS
from .media_types import EVENTS, JSON, LINES, METRICS
from .middleware import LimitsMiddleware, error_response
from .streaming import LinesResponse, operation_response

Endpoint = Callable[[Request], Awaitable[Response]]


def make_api(service: Service, *, body_bytes: int = BODY_BYTES) -> LimitsMiddleware:
    """The whole application around a service."""
    routes = [
        Route(each.path.replace("}", ":path}"), _endpoint(each, service), methods=[each.method]) for each in OPERATIONS
    ]
    routes.append(Route("/openapi.json", _description))
    for route in routes:
        (route.methods or set()).discard("HEAD")  # which would carry out the GET, a stream without an end included
    app = Starlette(
        routes=routes,
        exception_handlers=dict.fromkeys((MemdError, HTTPException, ClientDisconnect, Exception), _on_error),
    )
    app.router.redirect_slashes = False
    return LimitsMiddleware(app, body_bytes=body_bytes)


def _endpoint(operation: Operation, service: Service) -> Endpoint:
    model = request_model(operation.request)
    handler = attrgetter(operation.handler)

    async def called(request: Request) -> Response:
        asked = parse(model, await _plain(operation, model, request), service.zone)
        call: Callable[..., Any] = handler(service)
        if operation.upload:
            answer = await call(asked, await request.body())
            return _json(answer, 202 if "run" in answer else 200)
        if operation.answer == "events":
            run = str(asked.run) if isinstance(asked, ProgressRequest) and asked.run is not None else None
            events = _events(call(run), ends=run is not None)
            return StreamingResponse(events, headers={"cache-control": "no-store"}, media_type=EVENTS)
        if operation.answer == "documents":
            return LinesResponse(await call(asked), headers={"cache-control": "no-store"})
        correlation = correlation_of(request)
        if operation.answer == "lines":
            return operation_response(lambda report: call(asked, report), correlation)
        if operation.answer == "object or lines" and LINES in request.headers.get("accept", ""):
            return operation_response(_with_one_step(call, asked), correlation)
        if operation.answer == "text":
            return Response(await call(), media_type=METRICS)
        answer = call(*_arguments(asked))
        return _json(await answer if isawaitable(answer) else answer)

    return called


def _arguments(asked: BaseModel) -> tuple[Any, ...]:
    """A method that takes nothing, or an id, takes no model."""
    if isinstance(asked, NoRequest):
        return ()
    return (asked.id,) if isinstance(asked, IdRequest) else (asked,)


async def _plain(operation: Operation, model: type[BaseModel], request: Request) -> dict[str, Any]:
    """What the request says, before it is checked. What stands in the path wins."""
    if operation.method == "POST" and not operation.upload:
        given = _object_of(await request.body())
    else:
        given = from_parameters(model, request.query_params.multi_items())
    return given | request.path_params


def _object_of(body: bytes) -> dict[str, Any]:
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
    if (key := repeated_key(body or b"{}", cast("object", data))) is not None:
        raise InvalidError(
            f"the key {key[:64]!r} occurs twice in one object", hint="write it once: two values contradict"
        )
    return data  # pyright: ignore[reportUnknownVariableType]


def _with_one_step(call: Callable[..., Any], asked: BaseModel) -> Callable[[ReportProgress], Awaitable[dict[str, Any]]]:
    """A model may take minutes, and is paid for: the lines tell the client that there is something to wait for."""

    async def work(report: ReportProgress) -> dict[str, Any]:
        report(OperationProgress("asking the model"))
        return await call(asked)

    return work


async def _events(
    following: AbstractAsyncContextManager[ObjectReceiveStream[ProgressUpdate]], *, ends: bool
) -> AsyncGenerator[bytes, None]:
    """Updates as events; ends with the daemon, and where it ``ends``, after the run's last one."""
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
            if ends and update.terminal:
                return


async def _description(_request: Request) -> Response:
    return Response(_description_json(), media_type=JSON)


@cache
def _description_json() -> bytes:
    from .openapi import (
        openapi,  # only now: with the models of all answers it is an eighth of all imports of a question
    )

    return orjson.dumps(openapi())


async def _on_error(request: Request, error: Exception) -> Response:
    return error_response(error, correlation_of(request))


def correlation_of(request: Request) -> str:
    """The id that a request's errors are told and logged under."""
    return str(request.state.correlation_id)


def _json(body: Any, status: int = 200) -> Response:  # noqa: ANN401 - whatever a method of the service returns
    return Response(orjson.dumps(body), status, media_type=JSON)
