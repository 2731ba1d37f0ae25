"""Reads chunks in the order of time, and counts the messages among them."""

# ruff: noqa: S608 - statements are put together of names and conditions of ours; every value is bound

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from ..search_types import CompiledFilter
from .filters import message_conditions, passing, text_conditions
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
    owners: tuple[int, ...]
    """For each row the row id of its message, or the negative one of the document of a text."""
    number: int
    """The number of all messages and texts."""
    first: int | None = None
    """The earliest time of all of them, in UTC microseconds."""
    last: int | None = None


def rows_in_time_order(connection: sqlite3.Connection, rows: Sequence[int], limit: int, *, newest: bool) -> RowsByTime:
    """Return these chunks in the order of time."""
    by_owner: dict[int, tuple[int, int]] = {}
    for row, owner, micros in rows_for(connection, _OF_ROWS, rows):
        if micros is not None and (owner not in by_owner or row < by_owner[owner][1]):
            by_owner[owner] = (micros, row)
    ordered = sorted(((micros, row, owner) for owner, (micros, row) in by_owner.items()), reverse=newest)
    times = [micros for micros, _, _ in ordered]
    return _by_time(ordered, limit, len(ordered), times)


def passing_in_time_order(
    connection: sqlite3.Connection, where: CompiledFilter | None, limit: int, *, newest: bool
) -> RowsByTime:
    """Return the passing chunks in the order of time."""
    if where is not None and where.rows is not None:
        return rows_in_time_order(connection, sorted(passing(connection, where, where.rows)), limit, newest=newest)
    order = "DESC" if newest else "ASC"
    ordered: list[tuple[int, int, int]] = []
    number, times = 0, list[int]()
    for tables, owner, chunks, micros, condition in (
        (_MESSAGES, "m.id", "message = m.id", "m.micros", message_conditions(where)),
        (_DOCUMENTS, "-d.id", "document = d.id AND message IS NULL", "d.micros", text_conditions(where)),
    ):
        if condition is None:
            continue
        text, values = condition
        chunk = f"(SELECT min(id) FROM chunks WHERE {chunks})"
        statement = f"SELECT {micros}, {chunk}, {owner} FROM {tables} WHERE {text} ORDER BY {micros} {order} LIMIT ?"
        ordered += [each for each in connection.execute(statement, [*values, limit]) if each[1] is not None]
        statement = f"SELECT count(*), min({micros}), max({micros}) FROM {tables} WHERE {text}"
        count, first, last = connection.execute(statement, values).fetchone()
        number += count
        times += [time for time in (first, last) if time is not None]
    ordered.sort(reverse=newest)
    return _by_time(ordered, limit, number, times)


def _by_time(ordered: Sequence[tuple[int, int, int]], limit: int, number: int, times: Sequence[int]) -> RowsByTime:
    few = ordered[:limit]
    return RowsByTime(
        tuple(row for _, row, _ in few),
        tuple(owner for _, _, owner in few),
        number,
        min(times, default=None),
        max(times, default=None),
    )
