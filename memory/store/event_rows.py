"""Reads the events of calendars: their titles, their times, and the rules of those that repeat."""

# ruff: noqa: S608 - statements are put together of texts of ours; every value is bound

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import orjson

from ...schemas.recurrence import Recurrence, TimesAround, recurrence_of
from .codec import time_of
from .errors import decoding
from .sql import rows_for


class EventRow(NamedTuple):
    """An event, which is a text document."""

    document: int
    row: int
    """The row id of its first chunk, with its title."""
    calendar: str
    """The source and the name of the calendar."""
    title: str
    time: datetime
    """The time of the document: its first one."""
    recurrence: Recurrence | None = None

    def times_in(self, since: datetime, until: datetime) -> tuple[datetime, ...]:
        """Return its times from ``since`` until before ``until``, in ascending order."""
        if self.recurrence is not None:
            return self.recurrence.between(since, until, self.time)
        return (self.time,) if since <= self.time < until else ()

    def around(self, moment: datetime) -> TimesAround:
        """Return its last time before a moment and its next one."""
        if self.recurrence is not None:
            return self.recurrence.around(moment, self.time)
        return TimesAround(self.time, None) if self.time < moment else TimesAround(None, self.time)


_COLUMNS = """
SELECT d.id, (SELECT c.id FROM chunks c WHERE c.document = d.id ORDER BY c.ordinal LIMIT 1), d.source,
    json_extract(d.metadata, '$.calendar'), json_extract(d.metadata, '$.title'), json_extract(d.metadata, '$.subject'),
    d.micros, d.offset, json_extract(d.metadata, '$.recurrence')
FROM documents d WHERE d.kind = 'text' AND d.micros IS NOT NULL
"""
_OF_DOCUMENTS = f"{_COLUMNS} AND d.id IN ({{}}) AND d.source IN (SELECT value FROM json_each(?))"
_REPEATING = f"""
{_COLUMNS} AND d.source IN (SELECT value FROM json_each(?)) AND d.metadata LIKE '%"recurrence":%' ORDER BY d.id
"""


def events_of(
    connection: sqlite3.Connection, documents: Collection[int], sources: Sequence[str]
) -> dict[int, EventRow]:
    """Return the events among these documents (row ids) from one of the sources, by document."""
    rows = rows_for(connection, _OF_DOCUMENTS, documents, orjson.dumps(sources).decode())
    return {event.document: event for row in rows if (event := _event(row)) is not None}


def repeating_events(connection: sqlite3.Connection, sources: Sequence[str]) -> list[EventRow]:
    """Return all events with a rule from these sources."""
    rows = connection.execute(_REPEATING, [orjson.dumps(sources).decode()])
    return [event for row in rows if (event := _event(row)) is not None and event.recurrence is not None]


@decoding
def _event(row: Sequence[Any]) -> EventRow | None:
    document, chunk, source, calendar, title, subject, micros, offset, recurrence = row
    if chunk is None:
        return None
    return EventRow(
        document,
        chunk,
        f"{source} {calendar or ''}",
        str(title or subject or ""),
        time_of(micros, offset),
        recurrence_of(recurrence),
    )
