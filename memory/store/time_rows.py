"""Reads chunks in the order of time, and counts the messages among them."""

# ruff: noqa: S608 - statements are put together of names and conditions of ours; every value is bound

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from ..search_types import CompiledFilter
from .filters import message_conditions, text_conditions
from .sql import rows_for

_OF_ROWS = """
SELECT c.id, coalesce(c.message, -c.document), coalesce(m.micros, d.micros)
FROM chunks c JOIN documents d ON d.id = c.document LEFT JOIN messages m ON m.id = c.message
WHERE c.id IN ({})
"""
_MESSAGES = "messages m CROSS JOIN documents d ON d.id = m.document"
_DOCUMENTS = "documents d"


class RowsByTime(NamedTuple):
    """Chunks in the order of time, one for each message or text."""

    rows: tuple[int, ...]
    """At most the requested number of row ids."""
    number: int
    """The number of all messages and texts."""
    first: int | None = None
    """The earliest time, in UTC microseconds."""
    last: int | None = None


def rows_in_time_order(connection: sqlite3.Connection, rows: Sequence[int], limit: int, *, newest: bool) -> RowsByTime:
    """Return these chunks in the order of time."""
    by_owner: dict[int, tuple[int, int]] = {}
    for row, owner, micros in rows_for(connection, _OF_ROWS, rows):
        if micros is not None and (owner not in by_owner or row < by_owner[owner][1]):
            by_owner[owner] = (micros, row)
    ordered = sorted(by_owner.values(), reverse=newest)
    return _by_time([(row, micros) for micros, row in ordered], len(ordered), limit)


def passing_in_time_order(
    connection: sqlite3.Connection, where: CompiledFilter | None, limit: int, *, newest: bool, count: bool
) -> RowsByTime:
    """Return the passing chunks in the order of time; the count is that of all only if it is asked for."""
    order = "DESC" if newest else "ASC"
    dated_rows: list[tuple[int, int]] = []
    number = 0
    for tables, owner, micros, condition in (
        (_MESSAGES, "message = m.id", "m.micros", message_conditions(where)),
        (_DOCUMENTS, "document = d.id AND message IS NULL", "d.micros", text_conditions(where)),
    ):
        if condition is None:
            continue
        text, values = condition
        chunk = f"(SELECT min(id) FROM chunks WHERE {owner})"
        statement = f"SELECT {chunk}, {micros} FROM {tables} WHERE {text} ORDER BY {micros} {order} LIMIT ?"
        dated_rows += [(row, at) for row, at in connection.execute(statement, [*values, limit]) if row is not None]
        if count:
            number += connection.execute(f"SELECT count(*) FROM {tables} WHERE {text}", values).fetchone()[0]
    dated_rows.sort(key=lambda each: each[1], reverse=newest)
    return _by_time(dated_rows, number if count else len(dated_rows), limit)


def _by_time(ordered: Sequence[tuple[int, int]], count: int, limit: int) -> RowsByTime:
    times = [micros for _, micros in ordered]
    return RowsByTime(
        tuple(row for row, _ in ordered[:limit]), count, min(times, default=None), max(times, default=None)
    )
