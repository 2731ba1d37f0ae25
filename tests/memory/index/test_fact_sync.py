"""An index of facts that follows the store: while facts come, while it is doubted, and after a forgetting that it did not see."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memd.memory.index.embedded import EmbeddedIndexes
from memd.memory.index.ports import FactIndex
from memd.memory.indexing.fact_sync import FactIndexSync
from memd.memory.indexing.indexed_store import open_store
from memd.memory.records import CheckResult, FactVersion
from memd.memory.store.change_log import sequence
from memd.memory.store.database import Database
from memd.memory.store.forget_rows import FollowedLog
from memd.schemas.errors import StoreError
from memd.tests.contracts.knowledge import DAYS, Homes, memory_in, read_all

pytestmark = pytest.mark.anyio


async def nothing() -> None:
    """Nothing happens meanwhile."""


class Server:
    """What a server would hold of facts, and what happens while it is asked."""

    def __init__(self) -> None:
        self.held: dict[bytes, set[int]] = {}
        self.sequence = 0
        self.opened = 0
        self.while_opened: Callable[[], Awaitable[None]] = nothing
        self.while_updated: Callable[[], Awaitable[None]] = nothing


class Facts:
    """A `FactIndex` that keeps the rows of versions in a `Server`."""

    damaged = False
    failure: StoreError | None = None

    def __init__(self, server: Server) -> None:
        self._server = server

    @property
    def sequence(self) -> int:
        """The number of the last change."""
        return self._server.sequence

    async def open(self, newest: int) -> None:
        """Nothing to read."""
        del newest
        self._server.opened += 1
        await self._server.while_opened()

    async def fresh(self) -> Facts:
        """Be empty beside what is kept."""
        return Facts(Server())

    async def change_over(self, fresh: Facts) -> None:
        """Take what it holds."""
        self._server = fresh._server

    async def purge(self) -> bool:
        """Nothing stays of what goes."""
        return True

    async def close(self) -> None:
        """Nothing is open."""

    async def update(self, facts: Sequence[bytes], versions: Sequence[FactVersion], sequence: int) -> None:
        """Replace what is held of these facts."""
        for fact in facts:
            self._server.held[fact] = {each.row for each in versions if each.stored.fact.id.bytes == fact}
        self._server.sequence = sequence
        await self._server.while_updated()

    async def rows(self) -> set[int]:
        """All rows."""
        return {row for rows in self._server.held.values() for row in rows}

    async def differing(self, versions: Sequence[FactVersion]) -> set[int]:
        """Nothing but rows is held."""
        del versions
        return set()

    async def check(self) -> list[CheckResult]:
        """All is well."""
        return []


class Indexes(EmbeddedIndexes):
    """With facts."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory, read_only=False)
        self.server = Server()

    def facts(self, store: str, on_damage: Callable[[], None]) -> Facts:  # type: ignore[override]
        """In the server."""
        del store, on_damage
        return Facts(self.server)


def touch(connection: sqlite3.Connection) -> None:
    """Note a fact anew."""
    connection.execute("UPDATE facts SET run = run WHERE id = (SELECT max(id) FROM facts)")


@asynccontextmanager
async def following(folder: Path) -> AsyncGenerator[tuple[FactIndexSync, Server, Database]]:
    """An index that holds all facts of a store."""
    indexes = Indexes(folder)
    database = Database.in_directory(folder, read_only=False)
    try:
        sync = FactIndexSync(database, indexes, lambda: None, read_only=False)
        await sync.ask()
        await sync.catch_up(await database.read(sequence))
        yield sync, indexes.server, database
    finally:
        database.close()


@pytest.mark.slow
async def test_a_version_that_is_being_written_is_no_difference(tmp_path: Path) -> None:
    """A check that runs while facts come finds all of them, and nothing that is lacking."""
    async with memory_in(lambda: open_store(tmp_path), Homes()) as (memory, _):
        await memory.store(DAYS[:2])
        await read_all(memory)
        async with following(tmp_path) as (sync, server, database):
            before = await sync.check()

            async def learn() -> None:
                server.while_updated = nothing
                await memory.store(DAYS[2:])
                await read_all(memory)

            server.while_updated = learn
            await database.write(touch)  # the last change: with it the index is up to date
            (found,) = await sync.check()
            assert server.while_updated is nothing
            assert (found.severity, [found] != before) == ("ok", True)


async def test_a_doubt_that_comes_while_it_is_looked_at_stays(tmp_path: Path) -> None:
    """Another index of the server failed meanwhile: the next update looks again."""
    async with open_store(tmp_path), following(tmp_path) as (sync, server, database):
        looked = server.opened

        async def doubt() -> None:
            server.while_opened = nothing
            sync.doubt()

        server.while_opened = doubt
        sync.doubt()
        for _ in range(3):
            await sync.catch_up(await database.read(sequence))
        assert server.opened == looked + 2


async def test_whoever_opens_it_is_told_how_far_it_had_come(tmp_path: Path) -> None:
    """At the first opening and at each later one, before it goes on."""
    told: list[tuple[tuple[FollowedLog, ...], int]] = []
    async with memory_in(lambda: open_store(tmp_path), Homes()) as (memory, _):
        await memory.store(DAYS)
        await read_all(memory)
        indexes = Indexes(tmp_path)
        database = Database.in_directory(tmp_path, read_only=False)

        async def note(logs: object, number: int) -> None:
            assert logs == ("fact_changes",)
            told.append((("fact_changes",), number))

        sync = FactIndexSync(database, indexes, lambda: None, note, read_only=False)
        try:
            await sync.ask()
            await sync.catch_up(await database.read(sequence))
            sync.doubt()
            await sync.catch_up(await database.read(sequence))
        finally:
            database.close()
    assert [number for _, number in told] == [0, indexes.server.sequence]


if TYPE_CHECKING:
    _facts: type[FactIndex] = Facts
