"""Long operations over HTTP: JSON lines that tell how far it is, then the result or the error in the last line.

The status is 200 before the work is done, so what went wrong is told in the body: `{"progress": …}`, …, and at the end
`{"result": …}` or `{"error": envelope}`. Whoever goes away in the middle cancels the work.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import anyio
import orjson
from anyio import CancelScope
from starlette.responses import StreamingResponse

from ..schemas.errors import MemdError, envelope
from .gate import place_of

HEARTBEAT_SECONDS = 10.0
"""An empty object on the stream when there is nothing to tell, so that a reader knows that we live."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Step:
    """How far an operation is. ``total`` is 0 while the end is not known."""

    stage: str
    done: int = 0
    total: int = 0


Tell = Callable[[Step], None]
"""Takes the latest step; never waits: a slow reader sees fewer of them."""
Work = Callable[[Tell], Awaitable[dict[str, Any]]]


class LinesResponse(StreamingResponse):
    """JSON lines as they come."""

    media_type = "application/jsonl"


def operation(work: Work, correlation: str) -> StreamingResponse:
    """An answer that runs the work."""
    headers = {"cache-control": "no-store"}
    return LinesResponse(_lines(work, correlation), headers=headers)


class _Slot:
    """The latest step, the end, and a bell."""

    def __init__(self) -> None:
        self.step: Step | None = None
        self.last: dict[str, Any] | None = None
        self.bell = anyio.Event()

    def tell(self, step: Step) -> None:
        self.step = step
        self.bell.set()

    def end(self, last: dict[str, Any]) -> None:
        self.last = last
        self.bell.set()


async def _lines(work: Work, correlation: str) -> AsyncGenerator[bytes, None]:
    slot = _Slot()
    scope = CancelScope()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_run, work, slot, correlation, scope)
        try:
            while slot.last is None:
                with anyio.move_on_after(HEARTBEAT_SECONDS):
                    await slot.bell.wait()
                slot.bell = anyio.Event()
                step, slot.step = slot.step, None
                if slot.last is None:
                    yield _line({} if step is None else {"progress": _wire(step)})
            yield _line(slot.last)
        finally:
            scope.cancel()


async def _run(work: Work, slot: _Slot, correlation: str, scope: CancelScope) -> None:
    with scope:
        try:
            slot.end({"result": await work(slot.tell)})
        except Exception as error:  # noqa: BLE001 - the wall: the status is sent, the reason goes into the body
            if not isinstance(error, MemdError):
                log.error("unexpected error", extra={"correlation_id": correlation, **place_of(error)})
            slot.end({"error": envelope(error, correlation)})


def _wire(step: Step) -> dict[str, Any]:
    return {"stage": step.stage, "done": step.done, "total": step.total or None}


def _line(body: dict[str, Any]) -> bytes:
    return orjson.dumps(body) + b"\n"
