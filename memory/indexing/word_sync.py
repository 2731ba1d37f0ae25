"""Keeps the word index up to date; a row holds the terms of a chunk and of the messages around it."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from ...schemas.errors import StoreError
from ..file_errors import ExhaustedError
from ..index.ports import TextIndex
from ..index.rows import TextRow
from ..records import CheckResult
from ..store.change_log import changes_after
from ..store.forget_rows import FollowedLog
from ..store.sql import rows_for
from ..text import analyzer
from .index_sync import IndexSync, RunningCheck
from .text_rows import text_rows, with_shown

SLICE = 5_000
"""Changes in one commit of the index."""
CHARACTERS = 2_000_000
"""Characters of the chunks in one commit: the terms of a chunk and its neighbourhood take about ten times as much
memory.
"""


class TextIndexSync(IndexSync[TextIndex]):
    """Owns the word index and keeps it up to date."""

    part = "words"
    title = "the words index"
    unreachable = "words are not searched yet"
    logs: tuple[FollowedLog, ...] = ("word_changes",)

    async def _make(self) -> TextIndex:
        return self._indexes.text(f"{self._database.store}/{analyzer.VERSION}", self._rows, self._on_damage)

    async def _rows(self, chunks: Sequence[int]) -> list[TextRow]:
        return await self._database.read(lambda connection: self._text_rows(connection, chunks))

    def _text_rows(self, connection: sqlite3.Connection, chunks: Sequence[int]) -> list[TextRow]:
        rows = list(text_rows(connection, chunks, _terms))
        return with_shown(connection, rows) if self._indexes.holds_texts else rows

    async def _update(self, index: TextIndex, number: int) -> bool:
        changes, rows = await self._database.read(lambda connection: self._changes(connection, number))
        if changes:
            await index.update([chunk for _, chunk in changes], rows, changes[-1][0])
        return bool(changes)

    def _changes(self, connection: sqlite3.Connection, number: int) -> tuple[list[tuple[int, int]], list[TextRow]]:
        """Return the next changes, and the rows of their chunks that still exist."""
        changes = changes_after(connection, "word_changes", number, SLICE)
        statement = 'SELECT id, "end" - start FROM chunks WHERE id IN ({})'
        length = dict(rows_for(connection, statement, (chunk for _, chunk in changes)))
        total = 0
        for place, (_, chunk) in enumerate(changes):
            total += length.get(chunk, 0)
            if total > CHARACTERS:
                changes = changes[: place + 1]
                break
        return changes, self._text_rows(connection, [chunk for _, chunk in changes])

    def _rows_after(self, connection: sqlite3.Connection, row: int, limit: int) -> list[int]:
        rows = connection.execute("SELECT id FROM chunks WHERE id > ? ORDER BY id LIMIT ?", (row, limit))
        return [row for (row,) in rows]

    def _changed_after(self, connection: sqlite3.Connection, number: int) -> set[int]:
        return {chunk for _, chunk in changes_after(connection, "word_changes", number, -1)}

    async def _differing(self, index: TextIndex, rows: Sequence[int], *, contents: bool) -> set[int] | None:
        return await index.differing(await self._rows(rows)) if contents else None

    async def _verdict(self, index: TextIndex, stored: set[int], running: RunningCheck) -> CheckResult:
        try:
            return await super()._verdict(index, stored, running)
        except ExhaustedError:
            raise
        except StoreError as error:
            return self._error(error.message)


def _terms(text: str) -> str:
    return " ".join(analyzer.terms(text))
