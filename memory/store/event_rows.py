"""Reads the events of calendars: their titles, their times, and the rules of those that repeat."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from ...schemas.recurrence import Recurrence, TimesAround, recurrence_of
from .codec import time_of
from .errors import decoding


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


_EVENTS = """
SELECT d.id, (SELECT c.id FROM chunks c WHERE c.document = d.id ORDER BY c.ordinal LIMIT 1), d.source,
    json_extract(d.metadata, '$.calendar'), json_extract(d.metadata, '$.title'), json_extract(d.metadata, '$.subject'),
    d.micros, d.offset, json_extract(d.metadata, '$.recurrence')
FROM documents d WHERE d.source = ? AND d.kind = 'text' AND d.micros IS NOT NULL
"""


def events_from(connection: sqlite3.Connection, sources: Sequence[str]) -> list[EventRow]:
    """Return all events from these sources, 1.5 ms for a thousand."""
    rows = (row for source in sources for row in connection.execute(_EVENTS, [source]))
    return [event for row in rows if (event := _event(row)) is not None]


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
