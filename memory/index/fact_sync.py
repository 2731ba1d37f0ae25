"""How an index of facts follows the store. It is for other tools to read: no question of memd's own asks it."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable

from anyio import CancelScope, Lock

from ..records import CheckResult
from ..store.change_log import sequence
from ..store.database import Database
from ..store.fact_log import FactVersion, fact_changes_after, fact_versions, prepare, version_rows
from .errors import IndexServerError
from .ports import FactIndex, Indexes

_LOG = logging.getLogger(__name__)
SLICE = 500
"""Facts whose versions are written at a time."""
REPAIR = "memd doctor --repair makes it anew"


class FactIndexSync:
    """Owns the index of facts, if the server of the indexes has one, and brings it up to date."""

    def __init__(self, database: Database, indexes: Indexes, on_damage: Callable[[], None], *, read_only: bool) -> None:
        self._database = database
        self._indexes = indexes
        self._on_damage = on_damage
        self._turn = Lock()
        self._rebuilding = Lock()
        self._read_only = read_only
        self.index: FactIndex | None = None
        self._doubted = False

    def doubt(self) -> None:
        """Look at what the server holds before the next update: another index of it failed, and nobody asks this one."""
        self._doubted = True

    def _fresh(self) -> FactIndex | None:
        return self._indexes.facts(str(self._database.store), self._on_damage)

    @property
    def reached(self) -> int:
        """The number of the last change that it holds; 0 without an index."""
        return 0 if self.index is None else self.index.sequence

    async def open(self, *, ask: bool = True) -> None:
        """Begin the change log, and look at what is kept; a server that does not answer is asked again later."""
        try:
            await self._begin(ask=ask)
        except IndexServerError as error:
            _LOG.warning("facts are not in the server yet: %s", error.message)

    async def ask(self) -> None:
        """The same, at once.

        Raises:
            StoreError: the server fails.
        """
        await self._begin(ask=True)

    async def _begin(self, *, ask: bool) -> None:
        index = None if self._read_only else self._fresh()
        if index is None:
            return
        await self._database.write(prepare)
        self.index = index
        if ask:
            await index.open(await self._database.read(sequence))

    async def catch_up(self, target: int) -> None:
        """Return when the index holds every change up to ``target``.

        Raises:
            StoreError: it cannot be written; the next turn goes on where it was.
        """
        async with self._turn:
            if self.index is None:
                return
            if self.index.damaged or self._doubted:
                await self.index.open(await self._database.read(sequence))
                self._doubted = False
            await self._advance(self.index, target)

    async def _advance(self, index: FactIndex, target: int) -> None:
        while index.sequence < target:
            known = index.sequence
            changes, versions = await self._database.read(lambda connection, k=known: _changes(connection, k))
            if not changes:
                return
            await index.update([fact for _, fact in changes], versions, changes[-1][0])

    async def rebuild(self) -> None:
        """Make the index anew beside the one in use, and change over: nothing of what was removed is left.

        Raises:
            StoreError: it cannot be written; the one in use stays.
        """
        async with self._rebuilding:
            fresh = None if self.index is None else self._fresh()
            if fresh is None:
                return
            try:
                await fresh.begin()
                await self._advance(fresh, await self._database.read(sequence))
                async with self._turn:
                    await self._advance(fresh, await self._database.read(sequence))
                    with CancelScope(shield=True):
                        await fresh.finish()
                    self.index = fresh
            finally:
                if self.index is not fresh:
                    with CancelScope(shield=True):
                        await fresh.abandon()

    async def check(self, *, contents: bool = False) -> list[CheckResult]:
        """The collection, and whether exactly the versions of all facts are in it; with ``contents`` also whether each is held as
        the store has it, by hashes.
        """
        async with self._turn:
            index = self.index
            if index is None:
                return []
            if found := await index.check():
                return found
            await self._advance(index, await self._database.read(sequence))
            stored = await self._database.read(version_rows)
            present = await index.versions()
            compared = await self._differing(index) if contents else None
        if stored != present:
            detail = (
                f"the index of facts lacks {len(stored - present)} versions and has {len(present - stored)} too many"
            )
            return [CheckResult("facts_index", "error", detail, REPAIR, repairable=True)]
        if compared:
            detail = f"the index of facts holds {len(compared)} versions otherwise than the store"
            return [CheckResult("facts_index", "error", detail, REPAIR, repairable=True)]
        whole = "" if compared is None else ", and holds each as the store does"
        return [CheckResult("facts_index", "ok", f"the index of facts has all {len(stored)} versions{whole}")]

    async def _differing(self, index: FactIndex) -> set[int]:
        """The rows of the versions that it holds otherwise, of facts that did not change since its last update."""
        found: set[int] = set()
        number = 0
        while number < index.sequence:
            changes, versions = await self._database.read(lambda connection, n=number: _changes(connection, n))
            if not changes:
                break
            found |= await index.differing(versions)
            number = changes[-1][0]
        if found:
            later = await self._database.read(lambda connection: _rows_after(connection, index.sequence))
            found -= later
        return found


def _rows_after(connection: sqlite3.Connection, number: int) -> set[int]:
    """The rows of all versions of the facts that changed after this number."""
    facts = [fact for _, fact in fact_changes_after(connection, number, -1)]
    return {version.row for version in fact_versions(connection, facts)}


def _changes(connection: sqlite3.Connection, number: int) -> tuple[list[tuple[int, bytes]], list[FactVersion]]:
    changes = fact_changes_after(connection, number, SLICE)
    return changes, fact_versions(connection, [fact for _, fact in changes])
