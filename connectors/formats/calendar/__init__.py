"""Calendars (.ics): each event becomes one timeline document with all its times."""

from __future__ import annotations

from ...connector import Format

FORMATS = (
    Format(
        "calendar",
        rank=270,
        connector=f"{__name__}.connector:CalendarConnector",
        reads="calendars: .ics of Google, Apple, Outlook and others: events, tasks and journals, with all their times",
        leaves_out="alarms, attachments, who is free or busy",
        each_file_alone=True,
        takes_any_file=True,
        sent_in_chats=True,
    ),
)
