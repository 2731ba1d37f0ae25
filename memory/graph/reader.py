"""Reads the graph of a store, and keeps the present one until something is written."""

from __future__ import annotations

from datetime import datetime

import anyio

from ..store.database import Database
from .builder import graph_of
from .graph import Graph


class GraphReader:
    """Derives the graph on demand; nothing of it is stored.

    Args:
        database: the store.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._kept: tuple[int, Graph] | None = None
        self._making = anyio.Lock()

    async def graph(self, as_of: datetime | None = None) -> Graph:
        """Return the graph as it is now, or of what held at a time; computed in a worker thread, one at a time: each takes a
        connection for seconds, of which questions need some.
        """
        kept = self._kept
        if as_of is None and kept is not None and kept[0] == self._database.writes:
            return kept[1]
        async with self._making:
            if as_of is not None:
                return await self._database.read(graph_of, as_of)
            number = self._database.writes  # before reading, see there
            if self._kept is None or self._kept[0] != number:
                self._kept = None  # the old one makes room first
                self._kept = number, await self._database.read(graph_of)
            return self._kept[1]
