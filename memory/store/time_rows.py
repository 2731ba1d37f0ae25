"""Reads chunks in the order of time, and counts the messages among them."""

# ruff: noqa: S608 - statements are put together of names and conditions of ours; every value is bound

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any, NamedTuple

from ..search_types import CompiledFilter
from .addressed_rows import Addressed
from .filters import message_conditions, passing, text_conditions
from .name_filter import Condition
from .sql import rows_for

_AT = "coalesce(m.micros, d.micros)"
_OF_ROWS = f"""
SELECT c.id, coalesce(c.message, -c.document), {_AT}
FROM chunks c JOIN documents d ON d.id = c.document LEFT JOIN messages m ON m.id = c.message
WHERE c.id IN ({{}}) AND """
_MESSAGES = "messages m CROSS JOIN documents d ON d.id = m.document"
_DOCUMENTS = "documents d"


class RowsByTime(NamedTuple):
    """Chunks in the order of time, one for each message or text."""

    rows: tuple[int, ...] = ()
    """At most the requested number of row ids."""
    owners: tuple[int, ...] = ()
    """For each row the row id of its message, or the negative one of the document of a text."""
    number: int = 0
    """The number of all messages and texts."""
    first: int | None = None
    """The earliest time of all of them, in UTC microseconds; None if some have no time."""
    last: int | None = None


class Restriction(NamedTuple):
    """A restriction beyond filters, which no index knows."""

    spans: Sequence[tuple[int, int]] = ()
    """Periods without overlap, of which any will do, in UTC microseconds; the end is not included. Empty: any time."""
    to: Addressed | None = None
    """The people to whom messages were written; texts are written to nobody."""
    groups: bool = True
    """True if what is said in a group with them counts, too."""
    writers: bool = False
    """True if what they wrote themselves counts, too."""

    def on(self, micros: str, *, messages: bool) -> Condition | None:
        """Return the SQL condition, with the expression of the time; None if nothing passes."""
        if self.to is not None and not messages:
            return None
        text, values = "1", list[Any]()
        if self.to is not None:
            text, values = self.to.condition(groups=self.groups, writers=self.writers)
            text = f"m.id IS NOT NULL AND {text}"
        if self.spans:
            either = " OR ".join([f"({micros} >= ? AND {micros} < ?)"] * len(self.spans))
            text, values = f"{text} AND ({either})", [*values, *(bound for span in self.spans for bound in span)]
        return text, values


ANYTHING = Restriction()


def time_span(connection: sqlite3.Connection) -> tuple[int, int] | None:
    """Return the times of the earliest and the latest message or text, in UTC microseconds; None if there is none."""
    ends = [
        connection.execute(f"SELECT {which}(micros) FROM {table}").fetchone()[0]
        for table in ("messages", "documents")
        for which in ("min", "max")
    ]
    times = [end for end in ends if end is not None]
    return (min(times), max(times)) if times else None


def rows_in_time_order(
    connection: sqlite3.Connection,
    rows: Sequence[int],
    limit: int,
    *,
    newest: bool,
    within: Restriction = ANYTHING,
) -> RowsByTime:
    """Return these chunks in the order of time; texts without one only count."""
    text, values = within.on(_AT, messages=True) or ("1", [])
    by_owner: dict[int, tuple[int, int]] = {}
    undated: set[int] = set()
    for row, owner, micros in rows_for(connection, _OF_ROWS + text, rows, *values):
        if micros is None:
            undated.add(owner)
        elif owner not in by_owner or row < by_owner[owner][1]:
            by_owner[owner] = (micros, row)
    ordered = sorted(((micros, row, owner) for owner, (micros, row) in by_owner.items()), reverse=newest)
    times = [micros for micros, _, _ in ordered]
    return _by_time(ordered, limit, len(ordered) + len(undated), () if undated else times)


def passing_in_time_order(
    connection: sqlite3.Connection,
    where: CompiledFilter | None,
    limit: int,
    *,
    newest: bool,
    within: Restriction = ANYTHING,
    counted: bool = False,
) -> RowsByTime:
    """Return the passing chunks in the order of time; without their number and times unless they are ``counted``, for
    which all are read.
    """
    if where is not None and where.rows is not None:
        rows = sorted(passing(connection, where, where.rows))
        return rows_in_time_order(connection, rows, limit, newest=newest, within=within)
    order = "DESC" if newest else "ASC"
    ordered: list[tuple[int, int, int]] = []
    number, times = 0, list[int]()
    for tables, owner, chunks, micros, condition in (
        (_MESSAGES, "m.id", "message = m.id", "m.micros", message_conditions(where)),
        (_DOCUMENTS, "-d.id", "document = d.id AND message IS NULL", "d.micros", text_conditions(where)),
    ):
        narrower = within.on(micros, messages=tables is _MESSAGES)
        if condition is None or narrower is None:
            continue
        text, values = f"{condition[0]} AND {narrower[0]}", [*condition[1], *narrower[1]]
        chunk = f"(SELECT min(id) FROM chunks WHERE {chunks})"
        statement = f"SELECT {micros}, {chunk}, {owner} FROM {tables} WHERE {text} ORDER BY {micros} {order} LIMIT ?"
        ordered += [each for each in connection.execute(statement, [*values, limit]) if each[1] is not None]
        if not counted:
            continue
        statement = f"SELECT count(*), min({micros}), max({micros}) FROM {tables} WHERE {text}"
        count, first, last = connection.execute(statement, values).fetchone()
        number += count
        times += [time for time in (first, last) if time is not None]
    undated = 0 if not counted or within.spans or within.to else _undated(connection, where)
    ordered.sort(reverse=newest)
    return _by_time(ordered, limit, number + undated, () if undated else times)


def _undated(connection: sqlite3.Connection, where: CompiledFilter | None) -> int:
    """Return the number of passing texts without a time."""
    condition = text_conditions(where, undated=True)
    if condition is None:
        return 0
    return connection.execute(f"SELECT count(*) FROM documents d WHERE {condition[0]}", condition[1]).fetchone()[0]


def _by_time(ordered: Sequence[tuple[int, int, int]], limit: int, number: int, times: Sequence[int]) -> RowsByTime:
    few = ordered[:limit]
    return RowsByTime(
        tuple(row for _, row, _ in few),
        tuple(owner for _, _, owner in few),
        number,
        min(times, default=None),
        max(times, default=None),
    )
