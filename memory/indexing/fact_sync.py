"""Updates the index of facts from the store. Other tools read that index; memd's own queries do not."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable

from anyio import CancelScope, Lock

from ..index.errors import IndexServerError
from ..index.ports import FactIndex, Indexes
from ..records import CheckResult, FactVersion
from ..store.change_log import sequence
from ..store.database import Database
from ..store.fact_log import fact_changes_after, fact_versions, prepare, version_rows
from ..store.forget_rows import FollowedLog
from .checking import RunningCheck, checked
from .index_sync import Opened, ignore_opening

_LOG = logging.getLogger(__name__)
SLICE = 500
"""The number of facts whose versions are written at a time."""
REPAIR = "memd doctor --repair makes it anew"


class FactIndexSync:
    """Owns the index of facts, if the engine has one, and keeps it up to date."""

    logs: tuple[FollowedLog, ...] = ("fact_changes",)

    def __init__(
        self,
        database: Database,
        indexes: Indexes,
        on_damage: Callable[[], None],
        on_open: Opened = ignore_opening,
        *,
        read_only: bool,
    ) -> None:
        self._database = database
        self._on_open = on_open
        self._indexes = indexes
        self._on_damage = on_damage
        self._turn = Lock()
        self._rebuilding = Lock()
        self._read_only = read_only
        self.index: FactIndex | None = None
        self._doubted = False

    def doubt(self) -> None:
        """Reopen the index before the next update: another index of its server failed, and no query would notice a
        failure here.
        """
        self._doubted = True

    def _fresh(self) -> FactIndex | None:
        return self._indexes.facts(str(self._database.store), self._on_damage)

    @property
    def reached(self) -> int:
        """The number of the last change in the index; 0 without an index."""
        return 0 if self.index is None else self.index.sequence

    async def open(self, *, ask: bool = True) -> None:
        """Create the change log and open the index; a server that does not answer is asked again later."""
        try:
            await self._begin(ask=ask)
        except IndexServerError as error:
            _LOG.warning("facts are not in the server yet: %s", error.message)

    async def ask(self) -> None:
        """Create the change log and open the index now.

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
            await self._open(index)

    async def _open(self, index: FactIndex) -> None:
        self._doubted = False  # set first: `doubt` may be called while the index is opened
        try:
            await index.open(await self._database.read(sequence))
        except BaseException:
            self._doubted = True
            raise
        await self._on_open(self.logs, index.sequence)

    async def catch_up(self, target: int) -> None:
        """Return when the index holds every change up to ``target``.

        Raises:
            StoreError: the index cannot be written; the next call continues where this one stopped.
        """
        async with self._turn:
            if self.index is None:
                return
            if self.index.damaged or self._doubted:
                await self._open(self.index)
            await self._advance(self.index, target)

    async def _advance(self, index: FactIndex, target: int) -> None:
        while index.sequence < target:
            known = index.sequence
            changes, versions = await self._database.read(lambda connection, k=known: _changes(connection, k))
            if not changes:
                return
            await index.update([fact for _, fact in changes], versions, changes[-1][0])

    async def rebuild(self) -> None:
        """Rebuild the index beside the current one and replace that, so that nothing removed is left.

        Raises:
            StoreError: the index cannot be written; the current one stays.
        """
        await self._replace(filled=True)

    async def restart(self) -> None:
        """Empty the index, leaving nothing of its content; `catch_up` fills it again.

        Raises:
            StoreError: the index cannot be written; it stays unchanged.
        """
        await self._replace(filled=False)

    async def _replace(self, *, filled: bool) -> None:
        async with self._rebuilding:
            fresh = None if self.index is None else self._fresh()
            if fresh is None:
                return
            try:
                await fresh.begin()
                if filled:
                    await self._advance(fresh, await self._database.read(sequence))
                async with self._turn:
                    if filled:
                        await self._advance(fresh, await self._database.read(sequence))
                    with CancelScope(shield=True):
                        await fresh.finish()
                    self.index = fresh
            finally:
                if self.index is not fresh:
                    with CancelScope(shield=True):
                        await fresh.abandon()

    async def check(self, *, contents: bool = False) -> list[CheckResult]:
        """Check the collection, and that it holds exactly the versions of all facts; with ``contents`` also compare the
        content of each, by hashes.
        """
        return await checked(self.check_step, contents=contents)

    async def check_step(self, running: RunningCheck) -> None:
        """Run the next step of a check: the collection, the content of some facts, or finally the set of versions."""
        async with self._turn:
            index = self.index
            if index is None:
                running.findings = []
            elif not running.begun:
                running.begun, running.compared = True, not running.contents
                running.findings = await index.check() or None
            elif not running.compared:
                await self._compare(index, running)
            else:
                running.findings = await self._compare_rows(index, running)

    async def _compare(self, index: FactIndex, running: RunningCheck) -> None:
        """Compare the content of the next facts in the order of their changes, so a fact that changes meanwhile comes
        again. Changes since the last update of the index are not differences.
        """
        changes, versions = await self._database.read(lambda connection: _changes(connection, running.after))
        if differing := await index.differing(versions) if versions else set[int]():
            differing -= await self._database.read(lambda connection: _rows_after(connection, index.sequence))
        running.differing -= {version.row for version in versions}
        running.differing |= differing
        running.compared = not changes
        running.after = changes[-1][0] if changes else running.after

    async def _compare_rows(self, index: FactIndex, running: RunningCheck) -> list[CheckResult]:
        stored: set[int] = set()
        behind = True
        while behind:  # facts may be added meanwhile: a version that is being written is no difference
            await self._advance(index, await self._database.read(sequence))
            stored, behind = await self._database.read(
                lambda c: (version_rows(c), bool(fact_changes_after(c, index.sequence, 1)))
            )
        present = await index.versions()
        if stored != present:
            detail = (
                f"the index of facts lacks {len(stored - present)} versions and has {len(present - stored)} too many"
            )
            return [CheckResult("facts_index", "error", detail, REPAIR, repairable=True)]
        if compared := running.differing & stored:
            detail = f"the index of facts holds {len(compared)} versions otherwise than the store"
            return [CheckResult("facts_index", "error", detail, REPAIR, repairable=True)]
        whole = ", and holds each as the store does" if running.contents else ""
        return [CheckResult("facts_index", "ok", f"the index of facts has all {len(stored)} versions{whole}")]


def _rows_after(connection: sqlite3.Connection, number: int) -> set[int]:
    """Return the row ids of all versions of the facts that changed after this number."""
    facts = [fact for _, fact in fact_changes_after(connection, number, -1)]
    return {version.row for version in fact_versions(connection, facts)}


def _changes(connection: sqlite3.Connection, number: int) -> tuple[list[tuple[int, bytes]], list[FactVersion]]:
    changes = fact_changes_after(connection, number, SLICE)
    return changes, fact_versions(connection, [fact for _, fact in changes])
