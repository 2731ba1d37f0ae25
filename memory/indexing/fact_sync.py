"""Keeps the index of facts up to date. Other tools read that index; memd's own queries do not."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence

from ..index.ports import FactIndex, Indexes
from ..records import FactVersion
from ..store.database import Database
from ..store.fact_log import fact_changes_after, fact_versions, prepare, version_rows
from ..store.forget_rows import FollowedLog
from ..store.sql import rows_for
from .index_sync import IndexSync, Opened, ignore_opening

SLICE = 500
"""The number of facts whose versions are written at a time."""


class FactIndexSync(IndexSync[FactIndex]):
    """Owns the index of facts, if the engine has one and the store may be written, and keeps it up to date."""

    part = "facts_index"
    title = "the index of facts"
    unit = "versions"
    unreachable = "facts are not in the server yet"
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
        super().__init__(database, indexes, on_damage, on_open)
        self._read_only = read_only
        self._doubted = False

    def doubt(self) -> None:
        """Reopen the index before the next update: another index of its server failed, and no query would notice a
        failure here.
        """
        self._doubted = True

    async def _make(self) -> FactIndex | None:
        index = None if self._read_only else self._indexes.facts(str(self._database.store), self._on_damage)
        if index is not None:
            await self._database.write(prepare)
        return index

    async def _open(self, index: FactIndex) -> None:
        self._doubted = False  # set first: `doubt` may be called while the index is opened
        try:
            await super()._open(index)
        except BaseException:
            self._doubted = True
            raise

    async def _follow(self, index: FactIndex, target: int) -> None:
        if self._doubted:
            await self._open(index)
        await super()._follow(index, target)

    async def _update(self, index: FactIndex, number: int) -> bool:
        changes, versions = await self._database.read(lambda connection: _changes(connection, number))
        if changes:
            await index.update([fact for _, fact in changes], versions, changes[-1][0])
        return bool(changes)

    def _rows_after(self, connection: sqlite3.Connection, row: int, limit: int) -> list[int]:
        return version_rows(connection, row, limit)

    def _changed_after(self, connection: sqlite3.Connection, number: int) -> set[int]:
        facts = [fact for _, fact in fact_changes_after(connection, number, -1)]
        return {version.row for version in fact_versions(connection, facts)}

    async def _differing(self, index: FactIndex, rows: Sequence[int], *, contents: bool) -> set[int] | None:
        return await index.differing(await self._database.read(lambda c: _versions(c, rows))) if contents else None


def _changes(connection: sqlite3.Connection, number: int) -> tuple[list[tuple[int, bytes]], list[FactVersion]]:
    changes = fact_changes_after(connection, number, SLICE)
    return changes, fact_versions(connection, [fact for _, fact in changes])


def _versions(connection: sqlite3.Connection, rows: Sequence[int]) -> list[FactVersion]:
    facts = {fact for (fact,) in rows_for(connection, "SELECT key FROM facts WHERE id IN ({})", rows)}
    wanted = set(rows)
    return [version for version in fact_versions(connection, list(facts)) if version.row in wanted]
