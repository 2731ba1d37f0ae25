"""Long operations whose reader goes away: the work ends in the task that began it, and nothing is left behind."""

from __future__ import annotations

import asyncio
import gc
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from memd.daemon.http.streaming import OperationResponse
from memd.daemon.operation_progress import OperationProgress, ReportProgress

pytestmark = pytest.mark.anyio
SCOPE: dict[str, Any] = {"type": "http", "asgi": {"version": "3.0", "spec_version": "2.3"}, "headers": []}


@pytest.mark.parametrize("blocked", [False, True], ids=["waiting for a step", "sending a step"])
async def test_a_reader_that_goes_away_ends_the_work_in_its_own_task(*, blocked: bool) -> None:
    """Wherever the answer is then; no scope is left from another task, which asyncio would complain about."""
    complaints: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: complaints.append(context))
    gone, ended, sending = anyio.Event(), anyio.Event(), anyio.Event()
    tasks: list[object] = []

    async def work(tell: ReportProgress) -> dict[str, Any]:
        tasks.append(asyncio.current_task())
        try:
            tell(OperationProgress("working"))
            await anyio.sleep_forever()
        finally:
            tasks.append(asyncio.current_task())
            ended.set()
        return {}

    async def receive() -> dict[str, Any]:
        await gone.wait()
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        if message.get("body"):
            sending.set()
            if blocked:
                await anyio.sleep_forever()

    async def leave() -> None:
        await sending.wait()
        gone.set()

    with anyio.fail_after(60):
        async with anyio.create_task_group() as group:
            group.start_soon(leave)
            await OperationResponse(work, "correlation")(dict(SCOPE), receive, send)  # type: ignore[arg-type]
        await ended.wait()
    gc.collect()
    for _ in range(5):
        await anyio.lowlevel.checkpoint()
    assert complaints == []
    assert tasks[0] is tasks[1]
