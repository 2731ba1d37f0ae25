"""Watches an account for changes that its server announces; the source is then read at once, besides its schedule."""

from __future__ import annotations

import logging
import math
import random
from collections.abc import Callable
from contextlib import aclosing

import anyio
import anyio.to_thread

from ...connectors.errors import RateLimitError, UnavailableError
from ...connectors.live.contract import LiveConnector, WatchedConnector
from ...memory.supervision import Worker
from ...schemas.errors import MemdError

TOGETHER_SECONDS = 2.0
"""The time in seconds after an announced change in which further changes are collected into the same run."""
PAUSE_LEAST, PAUSE_MOST = 1.0, 900.0
"""The shortest and the longest pause in seconds before an unreachable server is tried again; the pause doubles each
time.
"""

LASTING_SECONDS = 60.0
"""The least duration in seconds of a connection that resets the pause; after shorter ones the pause keeps growing."""

log = logging.getLogger(__name__)


async def watch_account(make: Callable[[], LiveConnector], changed: Callable[[], None], worker: Worker) -> None:
    """Call ``changed`` when the server is reached, and whenever it announces something new.

    Returns where the account cannot be watched. Also returns, after another call of ``changed``, on an error that only
    a person can fix: the run reports the error, and stops the source if the credentials are not valid.

    Args:
        make: makes a connector, in a worker thread.
        changed: asks for a run.
        worker: this one.
    """
    pause = PAUSE_LEAST
    while True:
        reached = math.inf
        try:
            connector = await anyio.to_thread.run_sync(make)
            if not isinstance(connector, WatchedConnector):
                return
            async with aclosing(connector.changes()) as changes:
                async for _ in changes:
                    reached = min(reached, anyio.current_time())
                    worker.progressed()
                    changed()
                    await anyio.sleep(TOGETHER_SECONDS)
            return
        except (RateLimitError, UnavailableError) as error:
            if anyio.current_time() - reached >= LASTING_SECONDS:
                pause = PAUSE_LEAST
            seconds = pause * random.uniform(1.0, 1.5)  # noqa: S311 - no secret
            if isinstance(error, RateLimitError):
                seconds = max(seconds, error.retry_after_s or 0.0)
            pause = min(PAUSE_MOST, 2 * pause)
            log.info("an account is not watched for now: %s", error.message)
            await anyio.sleep(seconds)
        except MemdError as error:
            log.info("an account is not watched: %s", error.message)
            changed()  # the run reports the error
            return
