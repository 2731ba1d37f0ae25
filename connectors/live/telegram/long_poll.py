"""The wait until a bot receives something: one request that Telegram answers when there is an update, and that confirms
nothing.

Telegram ends a question for updates when another one comes. So a pull interrupts the waiting, which goes on behind it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Generator
from contextlib import contextmanager, suppress

import anyio

from ...errors import UnavailableError
from .polling import BotServer, open_bot

WAIT_S = 50
"""The seconds that Telegram waits before an empty answer; less than a server may be silent."""
PAUSE_S = 1.0
"""A server, or a proxy before it, that answers sooner that there is nothing does not wait: then memd does."""


class LongPoll:
    """Tells that there are updates, and lets pulls go first.

    Args:
        server: where the Bot API is.
        token: of the bot.
    """

    def __init__(self, server: BotServer, token: str) -> None:
        self._server = server
        self._token = token
        self._pulls = 0
        self._waiting: anyio.CancelScope | None = None
        self._turn: anyio.Event | None = None
        """Is set when a pull has read everything."""
        self._has_ended = False
        self._loop: asyncio.AbstractEventLoop | None = None

    @contextmanager
    def interrupted(self) -> Generator[None]:
        """Nobody waits in this block. What it read is new no more, unless it fails: then another pull is waited for."""
        self._pulls += 1
        if self._waiting is not None:
            self._turn = anyio.Event()
            self._waiting.cancel()
        try:
            yield
            if self._turn is not None:
                self._turn.set()
        finally:
            self._pulls -= 1

    async def told(self) -> AsyncGenerator[None, None]:
        """Yield a value when Telegram is reached, and whenever there is an update, each time after a pull that read
        everything.

        Raises:
            AuthorizationError: the token is not valid (any more).
            ConflictError: another program reads this bot.
            RateLimitError: Telegram wants to be asked later.
            UnavailableError: it cannot be reached, or answers nonsense; or somebody called `end`.
        """
        self._loop = asyncio.get_running_loop()
        async with open_bot(self._server, self._token) as bot:
            while True:
                self._turn = anyio.Event()
                yield
                has_update = False
                while not has_update:
                    await self._turn.wait()
                    if self._has_ended:
                        raise UnavailableError("the account is read with another token now")
                    if self._pulls:  # another one began meanwhile, and ends as well
                        self._turn = anyio.Event()
                        continue
                    with anyio.CancelScope() as self._waiting:
                        began = anyio.current_time()
                        has_update = bool(await bot.updates(None, limit=1, wait_s=WAIT_S))
                        if not has_update and anyio.current_time() - began < PAUSE_S:
                            await anyio.sleep(PAUSE_S)
                    self._waiting = None

    def end(self) -> None:
        """Stop waiting; `told` raises an UnavailableError. For any thread."""
        self._has_ended = True
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop has ended, and with it whoever waited
                self._loop.call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
        if self._turn is not None:
            self._turn.set()
