"""The user's names, for "I" and "my" in questions: told to the memory again when a command has changed them."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from ...memory.memory import EvolvingMemory
from ...schemas.errors import StoreError
from ..config.paths import REMEMBERED
from ..config.user_names import user_names

if TYPE_CHECKING:
    from ..config.settings import Settings

LONGEST_WAIT = 1.0
"""Seconds that a question waits for a write in progress; the next one tries again."""


class UserIdentity:
    """Follows the file that `memd config me` and `memd ingest` write, also while a daemon serves."""

    def __init__(self, settings: Settings, memory: EvolvingMemory) -> None:
        self._settings = settings
        self._memory = memory
        self._followed: object = None

    async def follow(self) -> None:
        """Tell the memory the names, if the file is not the one that was read last."""
        state = self._state()
        if state == self._followed:
            return
        names = await anyio.to_thread.run_sync(user_names, self._settings)
        self._memory.retriever.set_user(names.values())
        with anyio.move_on_after(LONGEST_WAIT):
            with suppress(StoreError):  # of a store that is only read: it holds the names as they were
                await self._memory.person_service.set_own_names(names)
            self._memory.retriever.forget_names()
            self._followed = state

    def _state(self) -> tuple[int, ...]:
        try:
            state = (self._settings.data_dir / REMEMBERED).stat()
        except OSError:
            return ()
        return state.st_ino, state.st_size, state.st_mtime_ns
