"""Long operations over HTTP: JSON lines with progress, then the result or the error in the last line.

The status 200 is sent before the work is done, so errors are in the body: `{"progress": …}`, …, and at the end
`{"result": …}` or `{"error": envelope}`. A client that disconnects cancels the work.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

import anyio
import orjson
from anyio import CancelScope
from starlette.responses import Response, StreamingResponse

from ...memory.supervision import is_recoverable
from ...schemas.errors import MemdError, envelope
from ..logs import error_fields
from ..operation_progress import OperationProgress, ReportProgress
from .limits import HEARTBEAT_SECONDS

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

log = logging.getLogger(__name__)


Work = Callable[[ReportProgress], Awaitable[Mapping[str, Any]]]


def answer_json(answer: object) -> bytes:
    """Write an answer as JSON; models in it are written in their wire form."""
    return orjson.dumps(answer, lambda model: model.to_wire(), orjson.OPT_UTC_Z)


class LinesResponse(StreamingResponse):
    """A stream of JSON lines."""

    media_type = "application/jsonl"


class OperationResponse(Response):
    """An answer whose body is the progress and the result of the work, which it runs while it is sent.

    The work and the lines are tasks of one group, which belongs to the task of the request: a generator that yields
    inside a task group would leave it from another task when the client disconnects.
    """

    media_type = LinesResponse.media_type

    def __init__(self, work: Work, correlation: str) -> None:
        self.status_code = 200
        self.background = None
        self._work = work
        self._correlation = correlation
        self.init_headers({"cache-control": "no-store"})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - as ASGI has it
        """Run the work and send its progress, until it ends or the client disconnects."""
        slot = _LatestProgress()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_cancel_when_gone, receive, tasks.cancel_scope)
            tasks.start_soon(_run, self._work, slot, self._correlation)
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            while slot.last is None:
                with anyio.move_on_after(HEARTBEAT_SECONDS):
                    await slot.bell.wait()
                slot.bell = anyio.Event()
                step, slot.step = slot.step, None
                if slot.last is None:
                    line = _line({} if step is None else {"progress": _wire(step)})
                    await send({"type": "http.response.body", "body": line, "more_body": True})
            await send({"type": "http.response.body", "body": _line(slot.last), "more_body": False})
            tasks.cancel_scope.cancel()


class _LatestProgress:
    """The latest step, the end, and the event that announces them."""

    def __init__(self) -> None:
        self.step: OperationProgress | None = None
        self.last: dict[str, Any] | None = None
        self.bell = anyio.Event()

    def tell(self, step: OperationProgress) -> None:
        self.step = step
        self.bell.set()

    def end(self, last: dict[str, Any]) -> None:
        self.last = last
        self.bell.set()


async def _cancel_when_gone(receive: Receive, scope: CancelScope) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    scope.cancel()


async def _run(work: Work, slot: _LatestProgress, correlation: str) -> None:
    try:
        slot.end({"result": await work(slot.tell)})
    except BaseException as error:  # the status is sent already; the error goes into the body
        if not is_recoverable(error):
            raise
        if not isinstance(error, MemdError):
            log.error("unexpected error", extra={"correlation_id": correlation, **error_fields(error)})
        slot.end({"error": envelope(error, correlation)})


def _wire(step: OperationProgress) -> dict[str, Any]:
    return {"stage": step.stage, "done": step.done, "total": step.total or None}


def _line(body: dict[str, Any]) -> bytes:
    return answer_json(body) + b"\n"
