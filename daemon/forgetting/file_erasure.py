"""Erases the freed bytes of removed content from the files of the data directory, at once or when no process reads them."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

import anyio

from ...memory.memory import EvolvingMemory
from ...memory.private_files import NOT_REGULAR, NotRegularError
from ...memory.sqlite_wal import owe_purge
from ...memory.store import documents_read
from ...memory.supervision import Worker
from ...memory.text.names import folded
from ...schemas import Document
from ...schemas.errors import BusyError, StoreError
from ..config.paths import JOURNAL, REMEMBERED, STORE
from ..config.user_names import remember_only
from ..journal.journal import Journal
from ..journal.receipts import keep_names

if TYPE_CHECKING:
    from ...memory.llm.factory import LLM

LLM_FILE = "llm.db"
RETRY_SECONDS = 5.0
"""Between attempts, while a reader holds a file or the disk refuses, and before one that comes by itself: exports that
bring much again of what was forgotten ask for many.
"""
log = logging.getLogger(__name__)


class FileErasure:
    """Purges of the journal, the store and llm.db. Each file notes durably that it is due, so that a crash or a reader
    delays a purge and never drops it.

    Args:
        finish: removes from the journal what was forgotten in the store alone, before an owner was killed.
    """

    def __init__(
        self,
        data_dir: Path,
        memory: EvolvingMemory,
        journal: Journal,
        llm: LLM | None,
        finish: Callable[[], Awaitable[None]],
    ) -> None:
        self._data_dir = data_dir
        self._memory = memory
        self._journal = journal
        self._llm = llm
        self._finish = finish
        self._small = anyio.Lock()
        self._wanted = anyio.Event()

    async def purge(self) -> list[str]:
        """Purge every file where that is due; returns the names of those that could not be purged yet, which are tried
        again.
        """
        left = await self._purge_small()
        if left:
            self.soon()
        try:
            await self._memory.indexed.purge()  # the store tries again by itself
        except (StoreError, BusyError) as error:
            log.warning("the store is not purged yet: %s", error)
            left.append(STORE)
        return left

    def soon(self) -> None:
        """Let `work` purge what is due a few seconds from now."""
        self._wanted.set()

    async def work(self, worker: Worker) -> None:
        """Purge journal and llm.db where an earlier owner left that to do, and every file whenever it is wanted; until
        cancelled.
        """
        while True:
            if not await self._purge_small():
                worker.progressed()
                await self._wanted.wait()
            self._wanted = anyio.Event()
            await anyio.sleep(RETRY_SECONDS)
            await _succeeds(STORE, self._purged_store)  # which tries again by itself

    async def _purged_store(self) -> bool:
        await self._memory.indexed.purge()
        return True

    async def _purge_small(self) -> list[str]:
        """Purge all but the store where that is due; returns the names of those that could not be purged yet."""
        async with self._small:  # the note of one forgetting must not end with the purge of an earlier one
            return await self._purge_each()

    async def _purge_each(self) -> list[str]:
        left: list[str] = []
        if not await _succeeds(JOURNAL, self._finished):
            left.append(JOURNAL)  # it still holds what is to be forgotten
        else:
            if not await _succeeds(REMEMBERED, self._purged_remembered):
                left.append(REMEMBERED)
            # The journal's note stands for the file of remembered users, too, and stays until both are done.
            if not await _succeeds(JOURNAL, lambda: self._journal.purge(stays_due=bool(left))):
                left.append(JOURNAL)
        if not await _succeeds(LLM_FILE, self._purged_llm):
            left.append(LLM_FILE)
        return left

    async def _finished(self) -> bool:
        if await self._journal.purge_owed():
            await self._finish()
        return True

    async def _purged_remembered(self) -> bool:
        if not await self._journal.purge_owed():
            return True
        names = await self._keep_names()
        try:
            await anyio.to_thread.run_sync(remember_only, self._data_dir, names)
        except NotRegularError as error:
            raise StoreError(f"{REMEMBERED} cannot be written: {error.strerror}", hint=NOT_REGULAR) from error
        except OSError as error:
            raise StoreError(f"{REMEMBERED} cannot be written: {error.strerror}") from error
        return True

    async def take_out_names(self) -> None:
        """Take out of the receipts the names that an import brought again of what was forgotten; a failure is logged, and the
        next `purge` does it.
        """
        try:
            await self._keep_names()
        except (StoreError, BusyError) as error:
            log.warning("the receipts still hold names of forgotten people: %s", error)
        self.soon()

    async def _keep_names(self) -> set[str]:
        """Take every name out of the receipts that is neither stored nor waiting; returns the names that are."""
        # First who waits, then who is stored: what is stored meanwhile is seen in one of both places.
        names = {name for _, some in await self._journal.scan(_mentioned) for name in some}
        names |= await self._memory.database.read(documents_read.mentioned)
        chats = {
            folded(title)
            for _, chat in await self._memory.database.read(documents_read.conversations)
            for title in (chat.title, chat.id)
        }
        folded_names = {folded(name) for name in names}

        def work(connection: sqlite3.Connection) -> None:
            if keep_names(connection, folded_names, chats):
                owe_purge(connection)

        await self._journal.run(work)
        return names

    async def _purged_llm(self) -> bool:
        if self._llm is not None:
            return await self._llm.store.purge()
        from ...memory.llm.store import purge_in  # none of it is loaded where no model is used

        return await purge_in(self._data_dir)


def _mentioned(document: Document) -> tuple[str, ...] | None:
    conversation = document.as_conversation()
    return None if conversation is None else conversation.conversation.people


async def _succeeds(name: str, purge: Callable[[], Awaitable[bool]]) -> bool:
    try:
        done = await purge()
    except (StoreError, BusyError) as error:
        log.warning("%s is not purged yet: %s", name, error)
        return False
    if not done:
        log.warning("%s is not purged yet: another process reads an older state of it", name)
    return done
