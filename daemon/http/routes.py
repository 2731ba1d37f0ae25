"""The routes of the API, one for each row of `operations`: parses the request, calls the service's method, sends the
answer.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
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
from .streaming import LinesResponse, OperationResponse, Work, answer_json

Endpoint = Callable[[Request], Awaitable[Response]]


def make_api(service: Service, *, body_bytes: int = BODY_BYTES) -> LimitsMiddleware:
    """Return the whole application around a service."""
    routes = [
        Route(each.path.replace("}", ":path}"), _endpoint(each, service), methods=[each.method]) for each in OPERATIONS
    ]
    routes.append(Route("/openapi.json", _description))
    for route in routes:
        (route.methods or set()).discard("HEAD")  # HEAD would run the GET, even an endless stream
    app = Starlette(
        routes=routes,
        exception_handlers=dict.fromkeys((MemdError, HTTPException, ClientDisconnect, Exception), _on_error),
    )
    app.router.redirect_slashes = False
    return LimitsMiddleware(app, body_bytes=body_bytes, activity=service.activity)


def _endpoint(operation: Operation, service: Service) -> Endpoint:
    model = request_model(operation.request)
    handler = attrgetter(operation.handler)

    async def called(request: Request) -> Response:
        request.state.route = operation.path
        parsed = parse(model, await _plain(operation, model, request), service.zone)
        call: Callable[..., Any] = handler(service)
        if operation.upload:
            answer = await call(parsed, await request.body())
            return _json(answer, 202 if "run" in answer else 200)
        if operation.answer == "events":
            run = str(parsed.run) if isinstance(parsed, ProgressRequest) and parsed.run is not None else None
            events = _events(call(run), ends=run is not None)
            return StreamingResponse(events, headers={"cache-control": "no-store"}, media_type=EVENTS)
        if operation.answer == "documents":
            return LinesResponse(await call(parsed), headers={"cache-control": "no-store"})
        correlation = correlation_of(request)
        if operation.answer == "lines":
            return OperationResponse(lambda report: call(parsed, report), correlation)
        if operation.answer == "object or lines" and LINES in request.headers.get("accept", ""):
            return OperationResponse(_with_one_step(call, parsed), correlation)
        if operation.answer == "text":
            return Response(await call(), media_type=METRICS)
        answer = call(*_arguments(parsed))
        return _json(await answer if isawaitable(answer) else answer)

    return called


def _arguments(body: BaseModel) -> tuple[Any, ...]:
    """Return the arguments of the service's method: none, an id, or the request."""
    if isinstance(body, NoRequest):
        return ()
    return (body.id,) if isinstance(body, IdRequest) else (body,)


async def _plain(operation: Operation, model: type[BaseModel], request: Request) -> dict[str, Any]:
    """Return the request's fields before validation. Fields in the path take precedence."""
    if operation.method == "POST" and not operation.upload:
        fields = _object_of(await request.body())
    else:
        fields = from_parameters(model, request.query_params.multi_items())
    return fields | request.path_params


def _object_of(body: bytes) -> dict[str, Any]:
    """Parse the JSON object of a body; an empty body is an empty object.

    Raises:
        InvalidError: it is not a JSON object.
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


def _with_one_step(call: Callable[..., Any], request: BaseModel) -> Work:
    """Wrap a call to a model, which may take minutes, so that it reports one step of progress."""

    async def work(report: ReportProgress) -> Mapping[str, Any]:
        report(OperationProgress("asking the model"))
        return await call(request)

    return work


async def _events(
    following: AbstractAsyncContextManager[ObjectReceiveStream[ProgressUpdate]], *, ends: bool
) -> AsyncGenerator[bytes, None]:
    """Yield updates as events until the daemon stops; with ``ends``, until the run's last one."""
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
        openapi,  # imported here: with the models of all answers it is an eighth of a query's imports
    )

    return orjson.dumps(openapi())


async def _on_error(request: Request, error: Exception) -> Response:
    return error_response(error, correlation_of(request))


def correlation_of(request: Request) -> str:
    """Return the id under which a request's errors are reported and logged."""
    return str(request.state.correlation_id)


def _json(body: Any, status: int = 200) -> Response:  # noqa: ANN401 - whatever a method of the service returns
    return Response(answer_json(body), status, media_type=JSON)
